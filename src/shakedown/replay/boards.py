"""Which leaderboards a log is replayed on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shakedown.interface import InputError
from shakedown.leaderboard.catalogue import Mechanism, mechanisms
from shakedown.leaderboard.gates import check as check_gate
from shakedown.metrics import Metric, find
from shakedown.replay.log import Log

#: Settings of the usual mechanisms: [C]'s middle level, and the posterior odds that go with it.
ALPHA, ODDS, REPLICATIONS = 0.15, 5.67, 10


def check_boards(settings: Mapping[str, Any]) -> None:
    """See, without any data, that metric and mechanisms go together.

    Parameters
    ----------
    settings : mapping
        The configuration's `replay`.

    Raises
    ------
    InputError
        If the metric is unknown, a mechanism is not as it must be or cannot judge the metric, or
        a log does not hold what it needs.
    """
    metric = find(settings["metric"])
    for mechanism in mechanisms(settings["mechanisms"] or []):
        check_gate(mechanism.gate, metric)
        if mechanism.fresh:
            raise InputError(
                f"mechanism '{mechanism.name}' scores on rows that the board never used, and a log "
                "has none besides the private ones. Leave it out; the private scores tell the same."
            )
        if mechanism.shows_ranks:
            raise InputError(
                f"mechanism '{mechanism.name}' shows ranks alone. Leave it out: the tables of a "
                "replay tell the place of every team under each of the others."
            )


def boards_of(settings: Mapping[str, Any], log: Log) -> list[Mechanism]:
    """The mechanisms that a log is played on: those of the configuration, or the usual ones."""
    metric = find(settings["metric"])
    return mechanisms(settings["mechanisms"] or usual(log, metric))


def usual(log: Log, metric: Metric) -> list[dict]:
    """Every mechanism that can judge the metric, as entries of a configuration.

    The step of the General and of the Simplified Ladder is the standard error of a public score,
    see `step_for`; they are left out where it is not known.  A Bayesian bootstrap would call a
    metric that is a Python function hundreds of times for each submission, so it is left out too.
    """
    found: list[dict] = [{"name": "full_disclosure"}, {"name": "kaggle"}]
    if (step := step_for(log, metric)) is not None:
        found += [{"name": name, "eta": step} for name in ("general_ladder", "simplified_ladder")]
    if metric.has_losses:
        found += [
            {"name": "parameter_free_ladder"},
            {"name": "ladder", "alpha": ALPHA},
            {"name": "ladderboot", "alpha": ALPHA, "b": REPLICATIONS},
        ]
    if metric.formula is not None:
        found += [
            {"name": "bayesboot_ladder", "posterior_odds": ODDS},
            {"name": "bayesboot_ladderboot", "posterior_odds": ODDS, "b": REPLICATIONS},
        ]
    return found


def step_for(log: Log, metric: Metric) -> float | None:
    """The standard error of the middle public score, to one digit; in units of the score.

    For a mean of losses sd / sqrt(n), for its root that divided by twice the root, for a
    correlation (1 - r^2) / sqrt(n); None for any other metric, or where it is 0.
    """
    if metric.formula is None:
        return None
    public = np.ascontiguousarray(log.predictions[:, log.public])
    rows, risks = metric.judge(metric.prepare(log.truth[log.public]), public)
    middle = int(np.argsort(risks, kind="stable")[len(risks) // 2])
    n = public.shape[1]
    if metric.has_losses:
        error = np.std(rows[middle], ddof=1) / np.sqrt(n)
        error = error / (2.0 * risks[middle]) if metric.root and risks[middle] > 0 else error
    else:
        error = (1.0 - risks[middle] ** 2) / np.sqrt(n)
    return float(f"{error:.1g}") or None
