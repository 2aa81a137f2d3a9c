"""How far can a public leaderboard be overfit, and how many submissions are safe?

Studies, dry runs and replays are run by the command ``shakedown``; see ``shakedown --help``.  In
Python, the names below are all that is needed.

How many submissions may a challenge allow?  Attackers play on your own table; here on a small one,
and for seconds:

>>> import numpy as np
>>> import shakedown
>>> X = np.random.default_rng(1).normal(size=(900, 30))
>>> y = X[:, 0] + np.random.default_rng(2).normal(size=900)
>>> ladder = {"name": "general_ladder", "eta": 0.2, "defences": [{"name": "baseline"}]}
>>> boards = [{"name": "full_disclosure"}, ladder]
>>> quick = {"fewest_replicates": 12, "most_replicates": 12, "honest_replicates": 2}
>>> few = {"submissions": 20, "largest_budget": 40, **quick}
>>> run = shakedown.dry_run(X, y, threat="modeller", mechanisms=boards, **few)
>>> run
Use a leaderboard that shows the best score so far, and counts only gains of at least a set step
(General Ladder with baseline start): 20 submissions per participant are safe if all submit
fitted models. Exact setting: General Ladder (η = 0.2) + baseline start.

How much can a leaderboard reveal, whatever is submitted?  That needs no data:

>>> shakedown.leak(209, "general_ladder(eta=0.1)+baseline", submissions=1000, floor=0.5)
General Ladder (η = 0.1) + baseline start, 209 public rows, 1,000 submissions: at most 29.8
nats, and a gain of at most 0.168 on average (0.183 with a probability of 95 %).

How many rows to hold back for the end:

>>> shakedown.design(metric="mse", rows=1000, best=0.5, spread=0.1, teams=8).recommended
Split(train=500, public=420, final=80)

Who has won, and who is tied with the best:

>>> import pandas as pd
>>> truth = pd.DataFrame({"id": range(40), "truth": [(7 * k) % 40 / 10 for k in range(40)]})
>>> ada = truth[["id"]].assign(prediction=truth["truth"] + [0.3, -0.3] * 20)
>>> cyd = truth[["id"]].assign(prediction=truth["truth"] + [0.4, -0.2, 0.2, -0.4] * 10)
>>> shakedown.winner(truth, {"Ada": ada, "Cyd": cyd}, metric="rmse")
Ada wins: RMSE 0.3 on 40 final rows; nobody is tied with it (nearest: Cyd, K = ...).

``shakedown.replay_log`` plays the submissions of a past challenge on other leaderboards, and
``shakedown.meter_files`` says what files that were sent can have revealed.

A mechanism, by name and with its parameters:

>>> ladderboot = shakedown.mechanism("ladderboot", alpha=0.15, b=10)
>>> ladderboot.title
'LadderBoot (α = 0.15, b = 10)'

Play an attack against two mechanisms, on simulated data, five times:

>>> challenge = shakedown.read("sim", {"recipe": "simulated", "rows": 90, "features": 12}, seed=1)
>>> settings = {
...     "metric": "mse",
...     "attack": {"name": "freedman", "largest_model": 3},
...     "features": 12,
...     "mechanisms": [{"name": "full_disclosure"}, {"name": "ladderboot", "alpha": 0.15, "b": 10}],
... }
>>> experiment = shakedown.Experiment("mine", settings, challenge, "permuted", seed=1)
>>> outcomes = shakedown.play(experiment, range(5))
>>> outcomes.groupby("setting", observed=True)["delta"].median().round(2)
setting
full_disclosure               -0.06
ladderboot(alpha=0.15,b=10)    0.02
Name: delta, dtype: float64

Below 0 the public score looks too good.  Draw the outcomes, and make a caption:

>>> figure = shakedown.draw("boxes", outcomes, dataset="sim", design="permuted")
>>> words = shakedown.caption("boxes", outcomes, study="mine", seed=1)

Your own board; predictions of the public rows have the shape (submissions, rows):

>>> y = np.array([0.2, 1.4, 2.5, 0.1, 1.9, 2.2])
>>> scorer = shakedown.Scorer(shakedown.find_metric("rmse"), y)
>>> board = shakedown.Board(scorer, ladderboot, lambda *axes: shakedown.stream(1, *axes))
>>> receipt = board.submit(np.array([[0.0, 1.0, 2.0, 0.0, 2.0, 2.0]]))
>>> receipt.released.round(2), receipt.accepted.tolist()
(array([0.3]), [True])

Your own mechanism is a class with parameters, a gate and a release.  In a configuration its name is
its import path, such as ``my_boards.Half``:

>>> from shakedown.leaderboard.gates import Always
>>> from shakedown.leaderboard.releases import Rounded
>>> class Half(shakedown.Mechanism):
...     name, label = "my_boards.Half", "Half"
...     sentence = "Shows every score, rounded to a multiple of a step."
...     step: float = shakedown.parameter(0.5, gt=0, description="Step of the released score.")
...
...     @property
...     def gate(self):
...         return Always()
...
...     @property
...     def release(self):
...         return Rounded(self.step)
>>> Half(step=0.25).id
'my_boards.Half(step=0.25)'

An error in the input raises an `InputError` with one sentence:

>>> shakedown.mechanism("laddr")
Traceback (most recent call last):
    ...
shakedown.interface.InputError: mechanism 'laddr' is not known. Did you mean 'ladder'? ...
"""

from importlib import import_module

__version__ = "0.1.0"

#: Modules of the public names.  They are loaded on first use, so that ``import shakedown`` is fast.
_PUBLIC = {
    "Attack": "attacks.attack",
    "Board": "leaderboard.board",
    "Experiment": "simulation.replicate",
    "FigureKind": "figures",
    "InputError": "interface",
    "Mechanism": "leaderboard.mechanism",
    "Metric": "metrics",
    "Recipe": "data",
    "Scorer": "leaderboard.board",
    "caption": "figures",
    "design": "questions.design",
    "draw": "figures",
    "dry_run": "questions.dry_run",
    "find_metric": "metrics",
    "leak": "questions.leak",
    "mechanism": "leaderboard.mechanism",
    "meter_files": "questions.meter_files",
    "parameter": "component",
    "play": "simulation.replicate",
    "read": "data",
    "replay_log": "questions.replay_log",
    "stream": "seeding",
    "winner": "questions.winner",
}
_OTHER_NAMES = {"find_metric": "find"}

__all__ = list(_PUBLIC)


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"shakedown.{_PUBLIC[name]}"), _OTHER_NAMES.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_PUBLIC]
