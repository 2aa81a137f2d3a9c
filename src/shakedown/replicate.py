"""The game, many replicates of it: one attack against every mechanism of an experiment.

All mechanisms of a replicate meet the same data, the same attack and the same luck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from shakedown import outcomes
from shakedown.attacks import ATTACKS
from shakedown.attacks.models import final_model
from shakedown.interface import Challenge, FinalModels, Game, InputError, View
from shakedown.leaderboard.board import Board, Referee
from shakedown.leaderboard.catalogue import Mechanism, mechanisms
from shakedown.leaderboard.gates import check
from shakedown.metrics import Metric, find
from shakedown.seeding import stream
from shakedown.splits import Deal, Dealer


@dataclass(frozen=True)
class Budget:
    """How large an attack: features tried, and the attack's own options."""

    features: int | None
    options: tuple[tuple[str, object], ...]


class Experiment:
    """One experiment of a configuration, on one data set under one design.

    Parameters
    ----------
    name : str
    settings : dict
        The experiment's entry: `metric`, `features`, `feature_subset`, `attack`, `model`,
        `mechanisms`.
    challenge : Challenge
    design : str
    seed : int

    Raises
    ------
    InputError
        If the settings do not fit together or do not fit the data.
    """

    def __init__(
        self, name: str, settings: dict, challenge: Challenge, design: str, *, seed: int
    ) -> None:
        self.name, self.design, self.challenge, self.seed = name, design, challenge, seed
        self.metric, self.mechanisms = checked_settings(name, settings)
        attack = dict(settings["attack"])
        self.attack = attack.pop("name")
        self.board = attack.get("board")
        self.budgets = _budgets(attack, settings.get("features"))
        self.model = final_model(settings.get("model", "ols"))
        per_replicate = settings.get("feature_subset", "study") == "replicate"
        asked = [b.features for b in self.budgets]
        most = None if None in asked else max(asked)
        self.dealer = Dealer(
            challenge, design, seed=seed, n_features=most, per_replicate=per_replicate
        )

    def plays(self, replicate: int) -> Iterator[Play]:
        """Every play of a replicate: budget by budget, mechanism by mechanism."""
        deal = self.dealer.deal(replicate)
        for budget in self.budgets:
            view = _first_features(deal.view, budget.features)
            self._check_size(view, budget)
            attack = ATTACKS[self.attack](view, self.model, **dict(budget.options))
            referee = Referee(self.metric, deal.y_public)
            axes = (self.challenge.name, self.design, self.metric.name, self.attack)
            luck = partial(stream, self.seed, *axes, replicate, view.X_train.shape[1])
            for mechanism in self.mechanisms:
                table = Table(referee, mechanism, luck)
                yield Play(mechanism, view, deal, table, attack.play(table.open))

    def _check_size(self, view: View, budget: Budget) -> None:
        rows, features = view.X_train.shape
        options = dict(budget.options)
        size = min(options.get("largest_model") or options.get("iterations") or 0, features)
        if size > rows - 2:
            raise InputError(
                f"experiment '{self.name}': the attack selects up to {size} features, and the "
                f"training set of '{self.challenge.name}' has {rows} rows, which carry at most "
                f"{rows - 2}. Lower `largest_model` or `iterations`."
            )


@dataclass(frozen=True, eq=False)
class Play:
    """One game that was played, with all that is needed to score it."""

    mechanism: Mechanism
    view: View
    deal: Deal
    table: Table
    game: Game


class Table:
    """Where an attacker sits: opens boards of one kind and keeps the record of every batch."""

    def __init__(self, referee: Referee, mechanism: Mechanism, luck: Callable) -> None:
        self.referee, self.mechanism, self._luck = referee, mechanism, luck
        self.boards: list[Board] = []
        self.accepted: list[int] = []
        self.changed: list[int] = []
        self.released: list[np.ndarray] = []
        self.replaced: list[np.ndarray] = []

    def open(self) -> Seat:
        """Open a new board and return the participant's side of it."""
        board = Board(self.referee, self.mechanism, self._luck, len(self.boards) + 1)
        self.boards.append(board)
        return Seat(self, board)

    def record(self, board: Board, released: np.ndarray) -> None:
        """Keep what a batch did."""
        self.released.append(released)
        self.replaced.append(board.last_accepted)
        self.accepted.append(sum(b.accepted for b in self.boards))
        self.changed.append(sum(b.changed for b in self.boards))


class Seat:
    """A participant's side of a board (`interface.Window`); the response is out of its reach."""

    __slots__ = ("larger_is_better", "is_noisy", "replaces_always", "submit", "told_accepted")

    def __init__(self, table: Table, board: Board) -> None:
        self.larger_is_better = table.referee.metric.larger_is_better
        self.is_noisy = table.mechanism.is_noisy
        self.replaces_always = table.mechanism.gate.name == "always"

        def submit(predictions: np.ndarray) -> np.ndarray:
            released = board.submit(predictions)
            table.record(board, released)
            return released

        self.submit = submit
        self.told_accepted = lambda: int(board.last_accepted.sum())


def play(
    experiment: Experiment,
    replicates: Iterable[int],
    *,
    progress: Callable[[int], None] = lambda done: None,
) -> pd.DataFrame:
    """Outcomes of an experiment.

    Parameters
    ----------
    experiment : Experiment
    replicates : iterable of int
        Numbers of the replicates to play.  A replicate's outcomes do not depend on the others.
    progress : callable
        Called with the number of replicates played so far.

    Returns
    -------
    DataFrame
        One row per replicate, mechanism and point of the attack; columns as `outcomes.COLUMNS`.
    """
    columns = outcomes.Columns()
    for done, replicate in enumerate(replicates, start=1):
        for one in experiment.plays(replicate):
            _append(columns, experiment, replicate, one)
        progress(done)
    return columns.frame()


def _append(columns: outcomes.Columns, experiment: Experiment, replicate: int, one: Play) -> None:
    models, metric, mechanism = one.game.models, experiment.metric, one.mechanism
    public, final = measure(metric, one.deal, models, fresh=mechanism.fresh)
    # The batch that a point's submissions end with.
    batch = np.searchsorted(np.cumsum([len(f) for f in one.game.submitted]), models.submissions)
    released = np.full(len(public), np.nan)
    held = models.n_selected > 0
    if held.any():
        released[held] = one.table.boards[-1].preview(models.public[held])
    columns.append(
        len(public),
        experiment=experiment.name,
        dataset=experiment.challenge.name,
        design=experiment.design,
        metric=metric.name,
        attack=experiment.attack,
        board=experiment.board,
        **mechanism_columns(mechanism),
        replicate=replicate,
        n_features=one.view.X_train.shape[1],
        n_selected=models.n_selected,
        iterations=models.iterations,
        submissions=models.submissions,
        accepted=np.array(one.table.accepted)[batch],
        score_public=public,
        score_final=final,
        delta=metric.delta(public, final),
        score_released=released,
        changed=np.array(one.table.changed)[batch],
    )


def mechanism_columns(mechanism: Mechanism) -> dict:
    """The columns of a table that name a mechanism and its settings."""
    return {
        "mechanism": mechanism.name,
        "gate": mechanism.gate.name,
        "alpha": mechanism.alpha,
        "posterior_odds": mechanism.posterior_odds,
        "eta": mechanism.eta,
        "release": mechanism.release.name,
        "b": mechanism.b,
    }


def measure(metric: Metric, deal: Deal, models: FinalModels, *, fresh: bool = False):
    """Public and final scores of final models, shape (q,) each.

    With `fresh` the "public" score is measured on one half of the final rows, which no board has
    used, and the final score on the other half: a control that must show no overfit.  A
    participant without a model has no correlation with anything: score 0.
    """
    y, x = deal.y_public, models.public
    y_final, x_final = deal.y_final, models.final
    if fresh:
        y, x = y_final[::2], x_final[:, ::2]
        y_final, x_final = y_final[1::2], x_final[:, 1::2]
    public, final = metric.score(y, x), metric.score(y_final, x_final)
    if metric.larger_is_better:
        public[models.n_selected == 0] = final[models.n_selected == 0] = 0.0
    return public, final


def checked_settings(name: str, settings: dict) -> tuple[Metric, list[Mechanism]]:
    """The metric and the mechanisms of an experiment, checked without any data.

    Raises
    ------
    InputError
        With the experiment's name, if a metric, mechanism, gate or model does not fit.
    """
    try:
        metric = find(settings["metric"])
        found = mechanisms(settings["mechanisms"])
        for mechanism in found:
            check(mechanism.gate, metric)
        final_model(settings.get("model", "ols"))
        if settings["attack"]["name"] not in ATTACKS:
            raise InputError(
                f"attack '{settings['attack']['name']}': wanted one of {sorted(ATTACKS)}."
            )
    except InputError as e:
        raise InputError(f"experiment '{name}': {e}") from e
    return metric, found


def _budgets(attack: dict, features: int | None) -> list[Budget]:
    budgets = attack.pop("budgets", None)
    if not budgets:
        return [Budget(features, tuple(attack.items()))]
    return [
        Budget(entry["features"], tuple({**attack, "iterations": entry["iterations"]}.items()))
        for entry in budgets
    ]


def _first_features(view: View, features: int | None) -> View:
    if features is None or features >= view.X_train.shape[1]:
        return view
    return View(
        view.X_train[:, :features],
        view.y_train,
        view.X_public[:, :features],
        view.X_final[:, :features],
    )


def trace(experiment: Experiment, replicate: int) -> pd.DataFrame:
    """Every submission of one replicate: what was tried, shown, accepted and selected.

    Returns
    -------
    DataFrame
        Columns experiment, dataset, design, metric, attack, board, mechanism, gate, alpha,
        posterior_odds, eta, release, b, replicate, iteration (1, 2, ...; null for an attack
        without iterations), submission (1, 2, ... over all iterations), feature, released,
        accepted, selected.
    """
    frames = []
    for one in experiment.plays(replicate):
        names = experiment.challenge.features[experiment.dealer.deal(replicate).features]
        submission = 0
        for batch, tried in enumerate(one.game.submitted):
            frame = pd.DataFrame(
                {
                    "submission": submission + 1 + np.arange(len(tried)),
                    "feature": names[tried],
                    "released": one.table.released[batch],
                    "accepted": one.table.replaced[batch],
                    "selected": np.isin(tried, one.game.selected[batch]),
                }
            )
            submission += len(tried)
            described = {
                "experiment": experiment.name,
                "dataset": experiment.challenge.name,
                "design": experiment.design,
                "metric": experiment.metric.name,
                "attack": experiment.attack,
                "board": experiment.board,
                **mechanism_columns(one.mechanism),
                "replicate": replicate,
                "n_features": one.view.X_train.shape[1],
                "iteration": batch + 1 if one.game.models.iterations is not None else None,
            }
            for place, (column, value) in enumerate(described.items()):
                frame.insert(place, column, value)
            frames.append(frame)
    return outcomes.typed(pd.concat(frames, ignore_index=True))
