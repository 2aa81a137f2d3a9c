"""What a dry run plays: attacks in many sizes, each a candidate for the attacker's best choice.

An attacker with N submissions can try few features in many iterations or many features in few.
So each attack is played over numbers of features in about equal ratios, with as many iterations as
fit, and every iteration is a point of its own.  The plan is the coarser the dearer a submission is
to judge: a mean loss costs microseconds, a Bayesian bootstrap or a Python function a thousand
times as much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from shakedown.interface import Challenge
from shakedown.leaderboard.catalogue import mechanisms
from shakedown.metrics import Metric, find
from shakedown.playable import check_game
from shakedown.splits import set_sizes

#: Tolerated Δ of standardised data where the organiser gives none: 5 % of the variance, for MSE.
THRESHOLD = -0.05
#: The same for a score that grows with the response itself: an MSE of .95 is an RMSE of .975.
THRESHOLD_OF_ROOTS = -0.025
#: Most iterations, and most features of a model of Freedman's attack.
MOST_FEATURES = 30
#: Training rows for each feature of a model, at least.  With hardly more rows than features a fit
#: is all noise: of 22 features on 24 rows Δ had an interval of 100 variances, and the choice of the
#: best attack would go by its outliers.
ROWS_PER_FEATURE = 2
#: The paper's recipe tries features in these steps and makes one iteration for each ([C], Text S3).
RECIPE_STEP = 50
#: ASSUME: beyond so many public rows, so many replications of a Bayesian test stand for a thousand:
#: a test takes as long as rows times replications, and errs by 1 / (2 sqrt(replications)) at most.
MANY_ROWS, FEWER_DRAWS = 1000, 200
#: ASSUME: the careless participant has ideas for this many features; more would only take time.
MOST_IDEAS = 1000


@dataclass(frozen=True)
class Grain:
    """How many sizes of each attack are played: numbers of features, or of rounds.

    `fewest` is the number of iterations that the largest step-forward attack can make.  Where
    fewer fit, an attacker does better with fewer features: at 628 rows the best size for 2,000
    submissions was 85 features in most cases, and never more than 413.
    """

    fewest: int
    fresh: int
    carried_on: int
    freedman: int
    recipe: int
    rounds: int


#: For a metric whose gates are quick, for one with a Bayesian bootstrap, and for any other.
FINE = Grain(5, 7, 5, 8, 8, 12)
COARSE = Grain(15, 3, 2, 3, 3, 10)
COARSEST = Grain(15, 2, 2, 3, 2, 8)


def plan(challenge: Challenge, settings: Mapping[str, Any]) -> dict[str, dict]:
    """The experiments of a dry run.

    Parameters
    ----------
    challenge : Challenge
    settings : mapping
        The configuration's `dryrun`; of it `metric`, `mechanisms`, `thresholds`, `submissions`,
        `largest_budget` and `model` are read.

    Returns
    -------
    dict
        Settings of a `replicate.Experiment` each, by name: step_forward_fresh,
        step_forward_carried_on, step_forward_unaided, freedman, paper_recipe, best_of_many.  No
        attack makes more submissions than `largest_budget` or `submissions`, tries more features
        than there are, or fits a model that the training rows do not carry.
    """
    metric, features = find(settings["metric"]), len(challenge.features)
    # Nothing can be said of more submissions than were tried.
    most = max(settings["largest_budget"], settings["submissions"])
    carried = min(MOST_FEATURES, train_rows(challenge) // ROWS_PER_FEATURE)
    grain = grain_of(metric)
    largest = max(2, most // grain.fewest)

    def step_forward(board: str, count: int, detector: str = "told") -> dict:
        sizes = spaced(8, min(features, largest), count)
        budgets = [{"features": m, "iterations": iterations(m, most, carried)} for m in sizes]
        return {"name": "step_forward", "board": board, "detector": detector, "budgets": budgets}

    attacks = {
        "step_forward_fresh": step_forward("fresh", grain.fresh),
        "step_forward_carried_on": step_forward("carried_on", grain.carried_on),
        # To be told the number of jumps, as in [C], is a handicap where there are many small ones:
        # against LadderBoot(.5, 100) Δ was about 0 with that help and -.14 without (n = 476).
        "step_forward_unaided": step_forward("fresh", grain.carried_on, "penalised"),
        "freedman": {
            "name": "freedman",
            "largest_model": carried,
            "budgets": [{"features": m} for m in spaced(8, min(features, most), grain.freedman)],
        },
        "paper_recipe": {
            "name": "step_forward",
            "board": "fresh",
            "budgets": recipe(features, most, carried, grain.recipe),
        },
        "best_of_many": {"name": "best_of_many", "rounds": spaced(10, most, grain.rounds)},
    }
    shared = {
        "metric": settings["metric"],
        "feature_subset": "replicate",
        "model": settings["model"],
        "mechanisms": entries(challenge, settings),
    }
    return {
        name: {
            **shared,
            "attack": attack,
            "features": None if "budgets" in attack else min(features, MOST_IDEAS),
        }
        for name, attack in attacks.items()
    }


def default_mechanisms(
    metric: Metric, threshold: float = THRESHOLD, n_public: int = 0
) -> list[dict]:
    """The boards that an organiser would choose among, as entries of a configuration.

    Parameters
    ----------
    metric : Metric
    threshold : float
        Tolerated Δ, below 0, on standardised data; a Ladder's step is measured by it.
    n_public : int
        Rows of the public set.

    Returns
    -------
    list of dict
    """
    found: list[dict] = [{"name": "full_disclosure"}]
    if metric.has_losses:
        levels = [0.01, 0.15, 0.5]
        found += [
            {"name": "ladder", "alpha": levels},
            {"name": "ladderboot", "alpha": levels, "b": [10, 100]},
        ]
    elif metric.formula is not None:
        test: dict = {"posterior_odds": [99, 5.67, 1]}
        if n_public > MANY_ROWS:
            test["draws"] = FEWER_DRAWS
        found += [
            {"name": "bayesboot_ladder", **test},
            {"name": "bayesboot_ladderboot", **test, "b": [10, 100]},
        ]
    else:
        # A Bayesian bootstrap would call the metric hundreds of times for each submission.
        steps = [float(f"{share * -threshold:.3g}") for share in (0.2, 0.5, 1.0)]
        found.append({"name": "general_ladder", "eta": steps})
    return found


def entries(challenge: Challenge, settings: Mapping[str, Any]) -> list[dict]:
    """The boards of a dry run: those given, or the usual ones; steps are of standardised data."""
    metric = find(settings["metric"])
    if not settings["mechanisms"]:
        threshold = thresholds(challenge, settings)[0]
        return default_mechanisms(metric, threshold, set_sizes(challenge)["public"])
    size = unit(challenge, metric)

    def scaled(eta):
        return [value / size for value in eta] if isinstance(eta, list) else eta / size

    return [
        {**entry, "eta": scaled(entry["eta"])} if "eta" in entry else entry
        for entry in settings["mechanisms"]
    ]


def in_own_unit(table: pd.DataFrame, challenge: Challenge, metric: Metric) -> pd.DataFrame:
    """A table of a dry run with the step of its boards in the metric's own unit."""
    eta = table["eta"] * unit(challenge, metric)
    return table.assign(eta=eta.map(lambda value: float(f"{value:.6g}")))


def check(settings: Mapping[str, Any]) -> None:
    """See, without any data, that metric, boards and model go together.

    Raises
    ------
    InputError
        If they do not.
    """
    metric = find(settings["metric"])
    entries = settings["mechanisms"] or default_mechanisms(metric)
    check_game(metric, mechanisms(entries), settings["model"])
    _ = metric.degree  # refuses a metric whose scores have no unit


def tolerated(challenge: Challenge, settings: Mapping[str, Any]) -> list[float]:
    """The tolerated Δ, below 0, in the metric's own unit; one or more."""
    metric = find(settings["metric"])
    return settings["thresholds"] or [usual(metric) * unit(challenge, metric)]


def thresholds(challenge: Challenge, settings: Mapping[str, Any]) -> list[float]:
    """The tolerated Δ, below 0, on standardised data; one or more."""
    given, metric = settings["thresholds"], find(settings["metric"])
    if not given:
        return [usual(metric)]
    return [value / unit(challenge, metric) for value in given]


def usual(metric: Metric) -> float:
    """The tolerated Δ, below 0, on standardised data, where none is given."""
    return THRESHOLD_OF_ROOTS if metric.degree == 1 else THRESHOLD


def unit(challenge: Challenge, metric: Metric) -> float:
    """What a Δ of 1 on standardised data is in the metric's own unit.

    Scores of a metric of degree d grow as the d-th power of the response's scale.
    """
    return float(np.std(challenge.y, ddof=1) ** metric.degree)


def train_rows(challenge: Challenge) -> int:
    """Rows of the training set under the permuted design."""
    if challenge.split is not None:
        return int(np.count_nonzero(challenge.split == "train"))
    return -(-len(challenge.y) // 3)


def grain_of(metric: Metric) -> Grain:
    """How fine a plan the metric can afford."""
    if metric.has_losses:
        return FINE
    return COARSE if metric.formula is not None else COARSEST


def spaced(low: int, high: int, count: int) -> list[int]:
    """About `count` whole numbers in equal ratios from `low`, or from well below `high`, to it."""
    low = min(low, max(2, high // 4), high)
    return sorted({round(value) for value in np.geomspace(low, high, count)})


def needed(features: int, made: int) -> int:
    """Submissions of a step-forward attack: its iteration i tries ``features - i + 1`` features."""
    return made * features - made * (made - 1) // 2


def iterations(features: int, submissions: int, most: int) -> int:
    """Most iterations over so many features that the submissions allow, and `most`; 1 or more."""
    fitting = (i for i in range(min(most, features), 1, -1) if needed(features, i) <= submissions)
    return next(fitting, 1)


def recipe(features: int, submissions: int, most: int, count: int) -> list[dict]:
    """Budgets of the paper's recipe that fit: iterations are 2 % of the features.

    Where none fits, one iteration over all features that the submissions allow.
    """
    budgets = [
        {"features": RECIPE_STEP * i, "iterations": i}
        for i in range(1, min(most, features // RECIPE_STEP) + 1)
        if needed(RECIPE_STEP * i, i) <= submissions
    ]
    if not budgets:
        return [{"features": min(features, submissions), "iterations": 1}]
    kept = np.unique(np.linspace(0, len(budgets) - 1, count).round().astype(int))
    return [budgets[k] for k in kept]
