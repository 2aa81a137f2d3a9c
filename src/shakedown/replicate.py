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
from shakedown.interface import Attack, Challenge, FinalModels, Game, InputError, View
from shakedown.leaderboard.board import Referee
from shakedown.leaderboard.catalogue import Mechanism
from shakedown.leaderboard.error import ExpectedRisks, FinalRisks, TrueRisks
from shakedown.metrics import CONCORDANCE, PEARSON, Metric
from shakedown.playable import checked_settings
from shakedown.seat import Table
from shakedown.seeding import stream
from shakedown.splits import LABELS, Deal, Dealer, LabelDealer


@dataclass(frozen=True)
class Budget:
    """How large an attack: features tried, and the attack's own options."""

    features: int
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
        self.metric, self.mechanisms = checked_settings(name, settings, [design])
        attack = dict(settings["attack"])
        self.attack = attack.pop("name")
        self.budgets = _budgets(name, attack, settings.get("features"), challenge)
        self.model = final_model(settings.get("model", "ols"), seed)
        self.per_replicate = settings.get("feature_subset", "study") == "replicate"
        if design == LABELS:
            self.dealer = LabelDealer(challenge, seed=seed)
        else:
            self.dealer = Dealer(
                challenge,
                design,
                seed=seed,
                n_features=max(budget.features for budget in self.budgets),
                per_replicate=self.per_replicate,
            )

    def plays(self, replicate: int) -> Iterator[Play]:
        """Every play of a replicate: budget by budget, mechanism by mechanism.

        Random numbers are named by what is played, not by the experiment: two experiments that
        play the same thing get the same outcomes, and are no replication of each other.
        """
        whole = self.dealer.deal(replicate)
        for budget in self.budgets:
            deal = self._restricted(whole, budget.features, replicate)
            axes = (self.challenge.name, self.design, self.metric.name, self.attack)
            luck = partial(stream, self.seed, *axes, replicate, budget.features)
            kind, options = ATTACKS[self.attack], dict(budget.options)
            if kind.draws:
                options["rng"] = luck("attack")
            attack = kind(deal.view, self.model, **options)
            self._check_size(attack, deal)
            referee = Referee(self.metric, deal.y_public, attack.opening, undefined_is_zero=True)
            truth = self._truth(deal, attack.opening)
            for mechanism in self.mechanisms:
                table = Table(referee, mechanism, luck, truth)
                game = attack.play(table.open)
                yield Play(mechanism, deal, table, game, budget.features, attack.board)

    def _truth(self, deal: Deal, opening: np.ndarray | None) -> TrueRisks:
        """The true risks: exact where the response has nothing to do with the predictions."""
        if self.design == "splits" or self.metric.function is not None:
            return FinalRisks(self.metric, deal.y_final, opening)
        if self.design != LABELS:
            return ExpectedRisks(self.metric, deal.y_public, opening)
        is_coin = not self.challenge.features.size
        y = np.array([0.0, 1.0]) if is_coin else self.challenge.y
        return ExpectedRisks(self.metric, y, opening)

    def _restricted(self, deal: Deal, features: int, replicate: int) -> Deal:
        """The deal with a random part of its features, in the order of their columns."""
        if features >= len(deal.features):
            return deal
        axes = [replicate] if self.per_replicate else []
        rng = stream(self.seed, "budget", self.challenge.name, features, *axes)
        kept = np.sort(rng.permutation(len(deal.features))[:features])
        view = deal.view
        parts = [X.T[kept].T for X in (view.X_train, view.X_public, view.X_final)]
        view = View(parts[0], view.y_train, parts[1], parts[2])
        return Deal(view, deal.y_public, deal.y_final, deal.features[kept])

    def _check_size(self, attack: Attack, deal: Deal) -> None:
        rows = len(deal.view.y_train)
        if attack.size > max(rows - 2, 0):
            raise InputError(
                f"experiment '{self.name}': the attack selects up to {attack.size} features, and "
                f"the training set of '{self.challenge.name}' has {rows} rows, which carry at most "
                f"{rows - 2}. Lower `largest_model` or `iterations`."
            )


@dataclass(frozen=True, eq=False)
class Play:
    """One game that was played, with all that is needed to score it.

    `n_features` is the number of features asked for; the deal can hold fewer, where a set has
    others constant.
    """

    mechanism: Mechanism
    deal: Deal
    table: Table
    game: Game
    n_features: int
    board: str | None


def play(
    experiment: Experiment,
    replicates: Iterable[int],
    *,
    progress: Callable[[int], None] = lambda done: None,
    previews: bool = True,
) -> pd.DataFrame:
    """Outcomes of an experiment.

    Parameters
    ----------
    experiment : Experiment
    replicates : iterable of int
        Numbers of the replicates to play.  A replicate's outcomes do not depend on the others.
    progress : callable
        Called with the number of replicates played so far.
    previews : bool
        Whether the board is asked what it would have shown next for each final model; without,
        `score_released` is null, and the leaderboard error is that of what was submitted.

    Returns
    -------
    DataFrame
        One row per replicate, mechanism and point of the attack; columns as `outcomes.COLUMNS`.
    """
    columns = outcomes.Columns()
    for done, replicate in enumerate(replicates, start=1):
        for one in experiment.plays(replicate):
            _append(columns, experiment, replicate, one, previews)
        progress(done)
    return columns.frame()


def _append(
    columns: outcomes.Columns, experiment: Experiment, replicate: int, one: Play, previews: bool
) -> None:
    models, metric, mechanism = one.game.models, experiment.metric, one.mechanism
    public, final = measure(metric, one.deal, models, fresh=mechanism.fresh)
    # The batch that a point's submissions end with.
    batch = np.searchsorted(np.cumsum([len(f) for f in one.game.submitted]), models.submissions)
    released, error = np.full((2, len(public)), np.nan)
    anew = one.game.ends_anew
    for k in np.unique(batch):
        at = batch == k
        points = at & (models.n_selected > 0) & (previews and not mechanism.shows_ranks)
        if points.any():
            released[points] = one.table.preview(int(k), models.public[points], anew=anew)
        error[at] = one.table.error_with(
            int(k), models.public[at], models.final[at], released[at], anew=anew
        )
    columns.append(
        len(public),
        experiment=experiment.name,
        dataset=experiment.challenge.name,
        design=experiment.design,
        metric=metric.name,
        attack=experiment.attack,
        board=one.board,
        **mechanism_columns(mechanism),
        replicate=replicate,
        n_features=one.n_features,
        n_selected=models.n_selected,
        iterations=models.iterations,
        submissions=models.submissions,
        accepted=np.array(one.table.accepted)[batch],
        score_public=public,
        score_final=final,
        delta=metric.delta(public, final),
        score_released=released,
        changed=np.array(one.table.changed)[batch],
        leaderboard_error=error,
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
    participant without a model, or whose model predicts a constant, has no correlation with
    anything: score 0.
    """
    y, x = deal.y_public, models.public
    y_final, x_final = deal.y_final, models.final
    if fresh:
        y, x = y_final[::2], x_final[:, ::2]
        y_final, x_final = y_final[1::2], x_final[:, 1::2]
    public, final = metric.score(y, x), metric.score(y_final, x_final)
    if metric.formula in (PEARSON, CONCORDANCE):
        public, final = np.nan_to_num(public), np.nan_to_num(final)
    return public, final


def _budgets(name: str, attack: dict, features: int | None, challenge: Challenge) -> list[Budget]:
    """The attack's budgets; a data set with fewer features than asked for gives all it has."""
    p = len(challenge.features)
    budgets = attack.pop("budgets", None)
    if not budgets:
        return [Budget(min(features or p, p), tuple(attack.items()))]
    sizes = [min(entry["features"], p) for entry in budgets]
    if len(set(sizes)) < len(sizes):
        raise InputError(
            f"experiment '{name}': wanted budgets with different numbers of features, as the "
            f"tables tell them apart by these; on '{challenge.name}' with its {p} features got "
            f"{sizes}. Leave some out, or use another data set."
        )
    return [
        Budget(size, tuple((attack | {k: v for k, v in entry.items() if k != "features"}).items()))
        for size, entry in zip(sizes, budgets, strict=True)
    ]


def trace(experiment: Experiment, replicate: int) -> pd.DataFrame:
    """Every submission of one replicate: what was tried, shown, accepted and selected.

    Returns
    -------
    DataFrame
        Columns experiment, dataset, design, metric, attack, board, mechanism, gate, alpha,
        posterior_odds, eta, release, b, replicate, n_features, iteration (1, 2, ...; null for an
        attack without iterations), submission (1, 2, ... over all iterations), feature (several
        joined by " + "), released, accepted, selected.
    """
    frames = []
    for one in experiment.plays(replicate):
        names = experiment.challenge.features[one.deal.features]
        if one.game.sets is not None:
            names = np.array([" + ".join(names[features]) for features in one.game.sets])
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
                "board": one.board,
                **mechanism_columns(one.mechanism),
                "replicate": replicate,
                "n_features": one.n_features,
                "iteration": batch + 1 if one.game.models.iterations is not None else None,
            }
            for place, (column, value) in enumerate(described.items()):
                frame.insert(place, column, value)
            frames.append(frame)
    return outcomes.typed(pd.concat(frames, ignore_index=True))
