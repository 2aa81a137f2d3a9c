"""The plan of a dry run: attacks of many sizes, each a candidate for the attacker's best choice.

An attacker with N submissions can use few features and many iterations, or many features and few
iterations.  So each attack is played with several numbers of features, in about equal ratios, and
with as many iterations as fit; every iteration is a separate point.  The plan is coarser if scoring
a submission is expensive: a mean loss takes microseconds, a Bayesian bootstrap or a Python function
a thousand times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from shakedown.attacks.attack import ATTACKS, HOLDER, MODELLER, Attack, Scope
from shakedown.attacks.models import suited
from shakedown.attacks.settings import Model
from shakedown.data.designs import PERMUTED_LABELS
from shakedown.data.splits import LabelSplitter, set_sizes
from shakedown.data.weights import on_table
from shakedown.dryrun.coarse_boards import coarse_boards, span_of
from shakedown.dryrun.metered_boards import metered_boards
from shakedown.dryrun.noise import check_correlation, noise_factor
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.thresholds import (
    THRESHOLD,
    check_spread,
    check_thresholds,
    thresholds,
    unit,
)
from shakedown.interface import Challenge, InputError
from shakedown.leaderboard.entries import made
from shakedown.leaderboard.mechanism import MECHANISMS, Mechanism, mechanisms, of_setting
from shakedown.leaderboard.mechanisms.constant_board import ConstantBoard
from shakedown.metrics import ZERO_ONE, Metric, find, is_known
from shakedown.simulation.playable import check_game, check_shown

#: Largest number of iterations, and of features in a model of Freedman's attack.
MOST_FEATURES = 30
#: Fewest training rows for each feature of a model.  With fewer, outliers decide which attack is
#: best: with 22 features on 24 rows, the interval of Δ was 100 variances wide.
ROWS_PER_FEATURE = 2
#: ASSUME: the careless participant tries at most this many features; more would only take time.
MOST_IDEAS = 1000
#: Updates of the digest that is offered for labels if none is proved.
UPDATES = 10


def plan(challenge: Challenge, settings: DryRunEntry) -> dict[str, dict]:
    """The experiments of a dry run.

    Parameters
    ----------
    challenge : Challenge
    settings : DryRunEntry
        Uses metric, mechanisms, attacks, thresholds, submissions, largest_budget, model, accounts,
        row_variance.

    Returns
    -------
    dict
        Settings of `replicate.Experiment`s by name, from the attacks' `for_dry_run`.  The attacks
        of the package respect `largest_budget` and `submissions`, the number of features, and
        `ROWS_PER_FEATURE`.

    Raises
    ------
    InputError
        If an attack of the configuration has no experiment, or one whose name is not unique; if a
        threshold has an implausible size; if the response differs too little for a board; or if the
        metric is the 0/1 loss, and the response is not 0 and 1.

    Notes
    -----
    For the 0/1 loss attacks on labels are played (`Attack.on_labels`), on top of the more frequent
    label (`null_adversary`) or of the labels that a model predicts (`holder`), and modellers that
    submit the labels which their models predict (`Attack.classifies`).
    """
    on_table(find(settings.metric), challenge)  # raises if it does not fit the table
    check_spread(challenge, find(settings.metric))
    check_correlation(challenge, settings)
    check_thresholds(challenge, settings)
    if is_of_labels(find(settings.metric)):
        LabelSplitter(challenge, seed=0)  # raises if the response is not of labels
    features, rows = len(challenge.features), train_rows(challenge)
    scope = Scope(
        features=features,
        # No limit can exceed the largest number of submissions played.
        most=max(settings.largest_budget, settings.submissions),
        carried=min(MOST_FEATURES, rows // ROWS_PER_FEATURE),
        train_rows=rows,
        grain=grain_of(find(settings.metric)),
        metric=settings.metric,
        wanted=settings.submissions,
        accounts=settings.accounts,
        values=len(np.unique(challenge.y)),
        public_rows=set_sizes(challenge)["public"],
    )
    shared = {
        "metric": settings.metric,
        "feature_subset": "replicate",
    }
    boards = [*entries(challenge, settings), {"name": ConstantBoard.name}]
    return {
        name: {
            **shared,
            "mechanisms": _played_by(attack["name"], boards, scope, settings.threat),
            "attack": attack,
            "model": _model_of(name, attack["name"], settings),
            "features": None if "budgets" in attack else min(features, MOST_IDEAS),
        }
        for name, attack in _attacks(settings, scope).items()
    }


def _model_of(experiment: str, attack: str, settings: DryRunEntry) -> Model:
    """The configured model; if there is none, one that suits the response for holders.

    They fit one model in each replicate, and modellers thousands, so these fit least squares.
    """
    holds = ATTACKS.find(attack).threat_of(experiment) == HOLDER
    return settings.model or (suited(find(settings.metric)) if holds else "ols")


def _played_by(attack: str, boards: list[dict], scope: Scope, threat: str) -> list[dict]:
    """The boards that an attack plays: one that reads files only if it learns something there.

    On a metered board files are dear, and the posterior mean gets furthest: fitted models play
    there only if the answer is about them alone.
    """
    kind, metric = ATTACKS.find(attack), find(scope.metric)
    is_beaten = kind.threat == MODELLER and threat != MODELLER

    def is_played(board: Mechanism) -> bool:
        if not board.release.reads_files:
            return True
        return kind.learns_from(board.terms(metric, scope.public_rows)) and not is_beaten

    return [entry for entry in boards if any(map(is_played, mechanisms([entry])))]


def offers_of(scope: Scope) -> dict[str, dict[str, dict]]:
    """The experiments of each of the package's attacks, by its name."""
    on_labels = is_of_labels(find(scope.metric))
    return {
        name: attack.for_dry_run(scope)
        for name, attack in ATTACKS.classes.items()
        if plays_on(attack, on_labels=on_labels)
    }


def plays_on(attack: type[Attack], *, on_labels: bool) -> bool:
    """Whether an attack plays on labels, or on standardised responses."""
    return attack.on_labels == on_labels or (on_labels and attack.classifies)


def design_of(attack: type[Attack], metric: Metric) -> str:
    """The design under which a dry run plays an attack."""
    return attack.design if attack.on_labels or not is_of_labels(metric) else PERMUTED_LABELS


def _attacks(settings: DryRunEntry, scope: Scope) -> dict[str, dict]:
    """The experiments of the package's attacks and of the configured ones, by name."""
    offers = offers_of(scope)
    for name in settings.attacks or ():
        offer = ATTACKS.find(name).for_dry_run(scope)
        taken = [experiment for played in offers.values() for experiment in played]
        if not offer or set(offer) & set(taken):
            got = f"{sorted(offer)}, some of which exist already" if offer else "none"
            raise InputError(
                f"attack '{name}': wanted experiments for a dry run with unique names; got {got}. "
                "Change its `for_dry_run`."
            )
        offers[name] = offer
    # Ties between candidates go to the first one, so the attack with most experiments comes first.
    experiments: dict[str, dict] = {}
    for offer in sorted(offers.values(), key=len, reverse=True):
        experiments |= offer
    recipes = {recipe for attack in map(ATTACKS.find, offers) for recipe in attack.recipes}
    return dict(sorted(experiments.items(), key=lambda entry: entry[0] in recipes))


def default_mechanisms(
    metric: Metric, threshold: float = THRESHOLD, n_public: int = 0
) -> list[dict]:
    """The boards that an organiser would choose from, as entries of a configuration.

    Parameters
    ----------
    metric : Metric
    threshold : float
        Tolerated Δ, below 0, on standardised data; the steps of Ladders are shares of it.
    n_public : int
        Rows of the public set.

    Returns
    -------
    list of dict
    """
    return [
        {"name": name, **entry}
        for name, mechanism in MECHANISMS.classes.items()
        for entry in mechanism.for_dry_run(metric, threshold, n_public)
    ]


def entries(challenge: Challenge, settings: DryRunEntry) -> list[dict]:
    """The configured boards or the usual ones, in units of standardised data."""
    metric = find(settings.metric)
    size = unit(challenge, metric)
    if not settings.mechanisms:
        threshold, n_public = thresholds(challenge, settings)[0], set_sizes(challenge)["public"]
        usual = default_mechanisms(metric, threshold, n_public)
        usual_settings = {mechanism.setting for mechanism in mechanisms(usual)}
        start = baseline_score(challenge, metric)
        coarse = coarse_boards(
            *(metric, threshold, n_public, settings.submissions, settings.accounts, start),
            *(noise_factor(challenge, settings), settings.quantile),
            span_of(challenge, metric),
        )
        if start is not None and not coarse:
            coarse = [_coarse_digest(threshold, settings.submissions, start)]
        usual += [entry for entry in coarse if mechanisms([entry])[0].setting not in usual_settings]
        metered = metered_boards(
            *(metric, threshold, n_public, settings.submissions, settings.accounts),
            *(settings.quantile, noise_factor(challenge, settings), size),
        )
        return [*(_rounded(entry, size) for entry in usual), *metered]
    return [_scaled(entry.given, lambda value: value / size) for entry in settings.mechanisms]


def _coarse_digest(threshold: float, submissions: int, start: float) -> dict:
    """A digest that is not proved: a bound for labels needs a thousand rows."""
    updates = min(UPDATES, submissions)
    return {
        "name": "digest",
        "eta": min(-threshold, start / 4.0),
        "floor": start / 2.0,
        "every": submissions // updates,
        "updates": updates,
    }


def baseline_score(challenge: Challenge, metric: Metric) -> float | None:
    """The score at which a board with a baseline start begins, on labels; else None.

    It is the share of the rarer public label, or in random thirds, which differ by at most a row
    (`data.splits.LabelSplitter`), the largest that it can be.
    """
    if not is_of_labels(metric):
        return None
    split, y = challenge.split, challenge.y
    if split is not None:
        ones = float(np.mean(y[split == "public"]))
        return min(ones, 1.0 - ones)
    rarer, rows = min(np.sum(y == 0.0), np.sum(y == 1.0)), set_sizes(challenge)["public"]
    return min(0.5, float(-(-rarer // 3) / rows))


def is_of_labels(metric: Metric) -> bool:
    """Whether the metric compares labels, so that attacks on labels are played."""
    return metric.loss == ZERO_ONE


def _scaled(entry: Mapping[str, Any], change: Callable[[float], float]) -> dict:
    """An entry with its parameters in units of the score changed."""

    def changed(value):
        if isinstance(value, list):
            return [changed(item) for item in value]
        return value if value is None else change(value)

    keys = [key for key in MECHANISMS.find(entry["name"]).scored() if key in entry]
    return {**entry, **{key: changed(entry[key]) for key in keys}}


def _rounded(entry: Mapping[str, Any], size: float) -> dict:
    """An entry with legible steps.  It shows no more levels, so what is proved stays so."""
    rounded = _scaled(entry, lambda value: _legible(value, size))
    if "floor" in entry:
        # Larger steps up to the same floor could have one more level above it.
        steps = np.floor(entry["floor"] / entry["eta"] + 1e-9)
        rounded["floor"] = max(rounded["floor"], float(steps * rounded["eta"]))
    return rounded


def _legible(value: float, size: float) -> float:
    """About the same value, at least as large, of three digits once multiplied by `size`."""
    if not 0.0 < value * size < np.inf:
        return value
    digit = 10.0 ** (np.floor(np.log10(value * size)) - 2)
    own = np.ceil(np.round(value * size / digit, 6)) * digit
    return float(own / size)


def in_own_unit(table: pd.DataFrame, challenge: Challenge, metric: Metric) -> pd.DataFrame:
    """A table of a dry run with settings in the metric's own unit."""
    size = unit(challenge, metric)
    own = {
        setting: of_setting(setting).in_unit(size).setting for setting in table["setting"].unique()
    }
    return table.assign(setting=table["setting"].map(own))


def check(settings: DryRunEntry) -> None:
    """Check, without data, that metric, boards, attacks and model fit together.

    Raises
    ------
    InputError
        If they do not.
    """
    metric = find(settings.metric)
    boards = made(settings.mechanisms) or mechanisms(default_mechanisms(metric))
    of_labels = is_of_labels(metric)
    if of_labels:
        for mechanism in boards:
            mechanism.check(metric)
    else:
        check_game(metric, boards, settings.model or "ols", calls=False)
    for mechanism in boards:
        check_shown(mechanism)
    for name in settings.attacks or ():
        attack = ATTACKS.find(name)
        is_played = plays_on(attack, on_labels=of_labels)
        if not is_played or attack.reads != "scores":
            wanted = "plays on labels" if of_labels else "plays on numbers"
            is_other = "plays on numbers" if of_labels else "guesses labels"
            raise InputError(
                f"attack '{name}': wanted one that reads scores and {wanted}; this one "
                f"{'reads ' + attack.reads if is_played else is_other}."
            )
    if metric.formula is not None or is_known(metric):
        _ = metric.degree  # raises if the scores have no unit


def train_rows(challenge: Challenge) -> int:
    """Rows of the training set under the permuted design."""
    if challenge.split is not None:
        return int(np.count_nonzero(challenge.split == "train"))
    return -(-len(challenge.y) // 3)


def grain_of(metric: Metric) -> str:
    """The `grain` of the plan for a metric; see `Scope`."""
    if not metric.is_compiled:
        return "coarsest"
    return "fine" if metric.has_losses else "coarse"
