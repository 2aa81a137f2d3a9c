"""The leaderboards on which a log is replayed."""

from __future__ import annotations

import numpy as np

from shakedown.interface import InputError
from shakedown.leaderboard.entries import made
from shakedown.leaderboard.mechanism import MECHANISMS, Mechanism, mechanisms
from shakedown.metrics import Metric, find
from shakedown.replay.log import Log
from shakedown.replay.settings import ReplayEntry
from shakedown.replay.winner import check_rule


def check_boards(settings: ReplayEntry) -> None:
    """Check, without data, that metric and mechanisms fit together.

    Raises
    ------
    InputError
        If the metric is unknown, a mechanism is not valid or does not support the metric, or it
        cannot be replayed.
    """
    metric = find(settings.metric)
    for name in settings.rank_by or ():
        find(name)
    check_rule(settings.winner, metric)
    ranks_alone = settings.boards == ["per_rank"]
    for mechanism in made(settings.mechanisms):
        mechanism.check(metric)
        if mechanism.fresh:
            raise InputError(
                f"mechanism '{mechanism.name}' needs rows that the board never used; in a log only "
                "the private rows are unused. Remove it: the private scores show the same."
            )
        if mechanism.one_board:
            raise InputError(
                f"mechanism '{mechanism.setting}' has one board for all accounts of a participant; "
                "a log does not say which teams are one. Give such teams one name in the log, and "
                "remove the defence."
            )
        if belongs_to_accounts(mechanism) and ranks_alone:
            raise InputError(
                f"mechanism '{mechanism.setting}': a board for each rank belongs to no account, so "
                "it has no defences and no meter, and `boards` asks for such boards alone. Add "
                "per_team, or remove the mechanism."
            )
        if mechanism.shows_ranks:
            raise InputError(
                f"mechanism '{mechanism.name}' shows only ranks. Remove it: the tables of a replay "
                "give the place of every team under each of the others."
            )


def belongs_to_accounts(mechanism: Mechanism) -> bool:
    """Whether a defence or a meter follows the files of an account, which a rank has not."""
    return bool(mechanism.every_defence) or mechanism.release.reads_files


def boards_of(settings: ReplayEntry, log: Log) -> list[Mechanism]:
    """The mechanisms to play a log on: those of the configuration, or the usual ones."""
    metric = find(settings.metric)
    return made(settings.mechanisms) or mechanisms(usual(log, metric))


def usual(log: Log, metric: Metric) -> list[dict]:
    """The mechanisms that support the metric, as entries of a configuration; see `for_replay`."""
    step = step_for(log, metric)
    return [
        {"name": name, **entry}
        for name, mechanism in MECHANISMS.classes.items()
        for entry in mechanism.for_replay(metric, step)
    ]


def step_for(log: Log, metric: Metric) -> float | None:
    """The standard error of the median public score, to one digit; in units of the score.

    It is sd / sqrt(n) for a mean of losses, sd / (2 score sqrt(n)) for its root, and
    (1 - r^2) / sqrt(n) for a correlation; None for any other metric, or if it is 0.
    """
    if metric.formula is None:
        return None
    public = np.ascontiguousarray(log.predictions[:, log.public])
    metric = log.structure.on(metric, log.public)
    rows, risks = metric.judge(metric.prepare(log.truth[log.public]), public)
    middle = int(np.argsort(risks, kind="stable")[len(risks) // 2])
    n = log.structure.units(log.public)
    if metric.has_losses:
        error = np.std(rows[middle], ddof=1) / np.sqrt(n)
        error = error / (2.0 * risks[middle]) if metric.root and risks[middle] > 0 else error
    else:
        error = (1.0 - risks[middle] ** 2) / np.sqrt(n)
    return float(f"{error:.1g}") or None
