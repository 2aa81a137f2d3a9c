"""Play the replicates of an experiment: one attack against every mechanism.

Within a replicate all mechanisms share the data, the attack and the random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shakedown.attacks.attack import Attack, PreparedAttack
from shakedown.attacks.classifying import Classifying, Probable
from shakedown.attacks.models import final_model
from shakedown.data.censored import check_metric
from shakedown.data.designs import LABELS, OF_LABELS, PERMUTED_LABELS
from shakedown.data.splits import LabelSplitter, Split, Splitter
from shakedown.data.weights import on_rows
from shakedown.interface import Challenge, FinalModels, Game, InputError
from shakedown.leaderboard.error import ExpectedRisks, FinalRisks, TrueRisks
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import Metric
from shakedown.metrics.classes import PROBABILITIES
from shakedown.seeding import Streams, stream
from shakedown.simulation.columns import Columns
from shakedown.simulation.playable import Playable, playable
from shakedown.simulation.rehearsal import Points, rehearse
from shakedown.simulation.session import Session

if TYPE_CHECKING:  # a job that plays needs no pandas
    import pandas as pd


@dataclass(frozen=True)
class Budget:
    """An attack, and the number of features that it submits."""

    features: int
    attack: Attack


class Experiment:
    """One experiment of a configuration, on one data set under one design.

    Parameters
    ----------
    name : str
    settings : mapping
        The experiment's entry: `metric`, `features`, `feature_subset`, `attack`, `model`,
        `mechanisms`.
    challenge : Challenge
    design : str
    seed : int
    errors : bool
        Whether the leaderboard error is computed.  It takes one more score per submission, which is
        slow if the metric is a function.
    sizes : sequence of int, optional
        As for `Splitter`, which uses them in the design "splits" alone.

    Raises
    ------
    InputError
        If the settings do not fit together or do not fit the data.

    Examples
    --------
    >>> import shakedown
    >>> sim = {"recipe": "simulated", "rows": 90, "features": 12}
    >>> challenge = shakedown.read("sim", sim, seed=1)
    >>> settings = {
    ...     "metric": "mse",
    ...     "attack": {"name": "freedman", "largest_model": 3},
    ...     "features": 12,
    ...     "mechanisms": [{"name": "full_disclosure"}, {"name": "ladder", "alpha": 0.01}],
    ... }
    >>> experiment = shakedown.Experiment("mine", settings, challenge, "permuted", seed=1)
    >>> [mechanism.title for mechanism in experiment.mechanisms]
    ['Full-disclosure', 'Ladder (α = 0.01)']
    >>> len(experiment.splitter.split(0).y_public)  # a third of the rows
    30
    """

    def __init__(
        self,
        name: str,
        settings: Mapping[str, Any],
        challenge: Challenge,
        design: str,
        *,
        seed: int,
        errors: bool = True,
        sizes: Sequence[int] | None = None,
    ) -> None:
        self.errors = errors
        self.name, self.design, self.challenge, self.seed = name, design, challenge, seed
        try:
            made = playable(settings, [design])
            check_metric(made.metric, challenge)
        except InputError as e:
            raise InputError(f"experiment '{name}': {e}") from e
        self.metric, self.mechanisms, self.attack = made.metric, made.mechanisms, made.attack
        self.budgets = _budgets(name, made, challenge)
        self.points = Points(name, self.attack)
        self.model = final_model(made.model, seed, made.metric)
        self.per_replicate = made.feature_subset == "replicate"
        drawn = {
            "seed": seed,
            "n_features": max(budget.features for budget in self.budgets),
            "per_replicate": self.per_replicate,
        }
        if design in OF_LABELS:
            self.splitter = LabelSplitter(challenge, design=design, **drawn)
        else:
            sizes = sizes if design == "splits" else None
            drawn["metric"] = self.metric
            self.splitter = Splitter(challenge, design, sizes=sizes, **drawn)

    def plays(self, replicate: int) -> Iterator[Play]:
        """Yield every play of a replicate, for each budget and mechanism.

        The names of random streams do not contain the experiment.  So two experiments with the same
        settings have the same outcomes; they are not independent.
        """
        whole = self.splitter.split(replicate)
        reading = any(board.reads_files for board in self.mechanisms)
        for budget in self.budgets:
            split = self._restricted(whole, budget.features, replicate)
            axes = (self.challenge.name, self.design, self.metric.name, self.attack.name)
            named = (self.seed, *axes, replicate, budget.features)
            rng, boards = stream(*named, "attack"), Streams(*named, "boards")
            prepare = budget.attack.prepare
            if self.design == PERMUTED_LABELS:
                prepare = partial(Classifying, budget.attack)
            elif self.metric.predicts == PROBABILITIES and budget.attack.classifies:
                prepare = partial(Probable, budget.attack)
            attack = prepare(split.view, self.model, rng)
            self._check_size(attack, split)
            opening = attack.opening
            truth = self._truth(split, opening) if self.errors else None
            metric = split.on(self.metric, "public")
            scorer = Scorer(
                metric, split.y_public, opening, keeps_files=reading, undefined_is_zero=True
            )
            del opening  # it may take as much memory as the public rows
            for mechanism in self.mechanisms:
                session = Session(scorer, mechanism, boards, truth)
                game = attack.play(session.open)
                between = attack.iteration_board
                described = self._described(mechanism, between, replicate, budget.features)
                yield Play(mechanism, split, session, game, between, described)

    def _described(
        self, mechanism: Mechanism, iteration_board: str | None, replicate: int, features: int
    ) -> dict[str, Any]:
        """The columns that identify a play."""
        return {
            "experiment": self.name,
            "dataset": self.challenge.name,
            "design": self.design,
            "metric": self.metric.name,
            "attack": self.attack.name,
            "iteration_board": iteration_board,
            "setting": mechanism.setting,
            "replicate": replicate,
            "n_features": features,
        }

    def _truth(self, split: Split, opening: np.ndarray | None) -> TrueRisks:
        """The true risks: exact if the response is independent of the predictions."""
        modelled = self.design == LABELS and split.features.size
        if self.design == "splits" or modelled or self.metric.function is not None:
            metric = split.on(self.metric, "final")
            return FinalRisks(metric, split.y_final, opening)
        if self.design != LABELS:
            return ExpectedRisks(self.metric, split.y_public, opening)
        is_fair = not self.challenge.features.size
        y = np.array([0.0, 1.0]) if is_fair else split.y_public
        return ExpectedRisks(self.metric, y, opening)

    def _restricted(self, split: Split, features: int, replicate: int) -> Split:
        """The split with a random subset of its features, in the order of their columns."""
        if features >= len(split.features):
            return split
        axes = [replicate] if self.per_replicate else []
        rng = stream(self.seed, "budget", self.challenge.name, features, *axes)
        kept = np.sort(rng.permutation(len(split.features))[:features])
        view = split.view
        parts = {key: getattr(view, key).T[kept].T for key in ("X_train", "X_public", "X_final")}
        return Split(replace(view, **parts), split.y_public, split.y_final, split.features[kept])

    def _check_size(self, attack: PreparedAttack, split: Split) -> None:
        rows = len(split.view.y_train)
        if attack.size > max(rows - 2, 0):
            raise InputError(
                f"experiment '{self.name}': the attack selects up to {attack.size} features, but a "
                f"model on the {rows} training rows of '{self.challenge.name}' can have at most "
                f"{rows - 2}. Lower `largest_model`, `iterations`, `honest` or `held`."
            )


class Part(NamedTuple):
    """What a job plays of an experiment: replicates from the first to before the last, or so many.

    `settings` are those of an `Experiment`.
    """

    datasets: list[str]
    designs: list[str]
    settings: Mapping[str, Any]
    replicates: list[int] | int


def experiments(
    name: str, part: Part, challenges: Mapping[str, Challenge], *, seed: int
) -> Iterator[Experiment]:
    """The experiment on each data set and in each design; `challenges` are by id."""
    for dataset, design in product(part.datasets, part.designs):
        yield Experiment(name, part.settings, challenges[dataset], design, seed=seed)


@dataclass(frozen=True, eq=False)
class Play:
    """A finished game, with all that is needed to score it.

    `described` has the columns that identify it, of outcomes and of traces.  Its `n_features` is
    the configured number; the split has fewer if some are constant in a set.
    """

    mechanism: Mechanism
    split: Split
    session: Session
    game: Game
    iteration_board: str | None
    described: dict[str, Any]

    def outcomes(self, *, previews: bool) -> dict[str, Any]:
        """Its rows of the outcomes, by column; see `played`."""
        game, metric, fresh = self.game, self.session.scorer.metric, self.mechanism.fresh
        models, honest = game.models, None
        public, final = measure(metric, self.split, models, fresh=fresh)
        if game.honest is not None:
            honest = float(measure(metric, self.split, game.honest, fresh=fresh)[0][0])
        return self.described | {
            "n_selected": models.n_selected,
            "point": models.point,
            "submissions": models.submissions,
            "score_public": public,
            "score_final": final,
            "delta": metric.delta(public, final),
            **self.session.standing(game, previews=previews)._asdict(),
            "score_honest": honest,
        }


def play(
    experiment: Experiment,
    replicates: Iterable[int],
    *,
    progress: Callable[[int], None] = lambda done: None,
    previews: bool = True,
) -> pd.DataFrame:
    """Play an experiment, and return its outcomes as a frame; arguments as for `played`.

    Examples
    --------
    Twelve models of noise are submitted, and the best are added up.  Δ is public minus final score:

    >>> import shakedown
    >>> sim = {"recipe": "simulated", "rows": 90, "features": 12}
    >>> challenge = shakedown.read("sim", sim, seed=1)
    >>> settings = {
    ...     "metric": "mse",
    ...     "attack": {"name": "freedman", "largest_model": 3},
    ...     "features": 12,
    ...     "mechanisms": [{"name": "full_disclosure"}, {"name": "ladder", "alpha": 0.01}],
    ... }
    >>> experiment = shakedown.Experiment("mine", settings, challenge, "permuted", seed=1)
    >>> outcomes = shakedown.play(experiment, range(20))
    >>> outcomes.groupby(["setting", "point"], observed=True)["delta"].median().unstack().round(2)
    point                  1     2     3
    setting
    full_disclosure    -0.04 -0.08 -0.13
    ladder(alpha=0.01)  0.00  0.01  0.03
    """
    return played(experiment, replicates, progress=progress, previews=previews).frame()


def played(
    experiment: Experiment,
    replicates: Iterable[int],
    *,
    progress: Callable[[int], None] = lambda done: None,
    previews: bool = True,
) -> Columns:
    """Play an experiment, and return its outcomes.

    Parameters
    ----------
    experiment : Experiment
    replicates : iterable of int
        Numbers of the replicates to play.  A replicate's outcomes do not depend on the others.
    progress : callable
        Called with the number of replicates played so far.
    previews : bool
        Whether the board also scores each final model as the next submission.  If not, the column
        `score_released` is null and the leaderboard error covers only the submissions.

    Returns
    -------
    Columns
        One row per replicate, mechanism and point of the attack; columns as `outcomes.COLUMNS`.

    Raises
    ------
    InputError
        If an attack from outside the package has other points on another board or in another
        replicate; `rehearse` finds out before the first one is played.
    """
    columns = Columns()
    rehearse(experiment)
    keep_freed_memory()
    for done, replicate in enumerate(replicates, start=1):
        try:
            for play in experiment.plays(replicate):
                place = f"in replicate {replicate} on {play.mechanism.setting}"
                experiment.points.check(play, place)
                outcomes = play.outcomes(previews=previews)
                columns.append(len(outcomes["point"]), **outcomes)
            del play  # it would hold this replicate's data while the next one is made
        except InputError:
            raise
        except Exception as e:
            e.add_note(where(experiment, replicate))
            raise
        progress(done)
    return columns


def keep_freed_memory() -> None:
    """Let this process keep up to 64 MB that it frees, where the C library is glibc.

    Each play frees some arrays and makes others of the same size, and the system would clear their
    pages each time.  glibc takes the largest block that it has given back, up to 32 MB, as a sign
    of what a program uses; nothing is written into this one, so it takes no memory.
    """
    np.empty(31 * 2**20, np.uint8)


def where(experiment: Experiment, replicate: int) -> str:
    """What stands under the error of a replicate: which one it was."""
    return (
        f"In replicate {replicate} of {experiment.name} on {experiment.challenge.name} "
        f"({experiment.design})."
    )


def measure(metric: Metric, split: Split, models: FinalModels, *, fresh: bool = False):
    """Public and final scores of final models, shape (q,) each.

    With `fresh`, a control that must show no overfit, the public score is measured on one half of
    the final rows, which no board has used, and the final score on the other half.  The correlation
    of a constant prediction, or of no model, is 0, and so is Kendall's.
    """
    y, x = split.y_public, models.public
    y_final, x_final = split.y_final, models.final
    on_public, on_final = split.on(metric, "public"), split.on(metric, "final")
    if fresh:
        y, x = y_final[::2], x_final[:, ::2]
        y_final, x_final = y_final[1::2], x_final[:, 1::2]
        halves = np.arange(0, len(split.y_final), 2), np.arange(1, len(split.y_final), 2)
        on_public, on_final = (on_rows(metric, split.view, 2, rows) for rows in halves)
    public, final = on_public.score(y, x), on_final.score(y_final, x_final)
    if metric.larger_is_better:
        public, final = (np.where(np.isnan(part), 0.0, part) for part in (public, final))
    return public, final


def _budgets(name: str, made: Playable, challenge: Challenge) -> list[Budget]:
    """The attack's budgets, with at most the number of features of the data set."""
    p = len(challenge.features)
    budgets = [
        Budget(min(size or made.features or p, p) if attack.uses_features else 0, attack)
        for size, attack in made.sizes
    ]
    counts = [budget.features for budget in budgets]
    if len(set(counts)) < len(counts):
        raise InputError(
            f"experiment '{name}': wanted budgets with different numbers of features, because the "
            f"tables distinguish them by it; on '{challenge.name}', which has {p} features, got "
            f"{counts}. Leave some out, or use another data set."
        )
    return budgets
