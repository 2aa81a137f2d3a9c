"""An honest hill-climber: a participant who keeps the changes that the board shows as better.

Half of the changes improve the model and half harm it, and the participant cannot tell which.  The
more a board shows, the more it helps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from shakedown.data.censored import numbers_of
from shakedown.dryrun.usefulness.honest import calibrated
from shakedown.dryrun.usefulness.summaries import Statistic
from shakedown.dryrun.usefulness.teams import (
    LEAST,
    MOST,
    Participation,
    TrueScores,
    submissions_made,
)
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import Mechanism, mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.ties import TIE
from shakedown.metrics import Metric

#: ASSUME: the mean size of a change, as a share of the variance explained.
CHANGE = 0.01

#: Plays of a hill-climber for each of the teams: it is quicker, and varies more.
TIMES = 2.0

STATISTICS = (Statistic("climb_gain", -np.inf), Statistic("climb_cost", -np.inf))


def climbed(
    metric: Metric,
    mechanisms: Sequence[Mechanism],
    y: np.ndarray,
    known: TrueScores,
    base: float,
    participation: Participation,
    rng_factory: Callable[..., np.random.Generator],
) -> list[tuple[float, float]]:
    """The `STATISTICS` of each mechanism, of one participant on one public set.

    Parameters are as in `teams.served`; `base` is the correlation of the first submission.

    Returns
    -------
    list of tuple
        - climb_gain: true gain of the model that the participant holds in the end over the first.
        - climb_cost: what the same participant gains with exact scores, less this gain.

    Notes
    -----
    The changes are the same on every board: each raises or lowers the share of the variance that
    the model explains, by exponential amounts, and renews part of its errors.
    """
    made = submissions_made(participation.submissions)
    pace = made / participation.submissions
    draws = rng_factory("changes")
    changes = draws.exponential(CHANGE, made - 1) * draws.choice([-1.0, 1.0], made - 1)
    errors = draws.standard_normal((made, len(y)))
    scorer, numbers = Scorer(metric, y, undefined_is_zero=True), numbers_of(metric, y)

    def gain(mechanism: Mechanism) -> float:
        board = Board(scorer, mechanism.in_pace(pace), partial(rng_factory, "climber"))
        r = climb(board, numbers, base, changes, errors, participation.error_correlation)
        return float(known.gain(r) - known.gain(base))

    exact = mechanism("full_disclosure")
    most = gain(exact)
    gains = [
        most if mechanism.setting == exact.setting else gain(mechanism) for mechanism in mechanisms
    ]
    return [(gained, most - gained) for gained in gains]


def climb(
    board: Board,
    y: np.ndarray,
    r: float,
    changes: np.ndarray,
    errors: np.ndarray,
    correlation: float,
) -> float:
    """The correlation with the response of the model that the participant holds in the end.

    Parameters
    ----------
    board : Board
        A new board.
    y : ndarray, shape (n,)
        Public response; of censored times, their risk scores.
    r : float
        Correlation of the first submission.
    changes : ndarray, shape (m - 1,)
        Changes of the share of the variance that the model explains.
    errors : ndarray, shape (m, n)
        Standard normal errors of the first submission, and new ones of each change.
    correlation : float
        Correlation between the errors before and after a change, in [0, 1).
    """
    sign, kept = board.scorer.metric.sign, np.sqrt(1.0 - correlation**2)
    current, explained = errors[0], r * r

    def shown(errors: np.ndarray, explained: float) -> float:
        prediction = calibrated(y, errors, np.array([np.sqrt(explained)]))
        return sign * board.submit(prediction).released[0]

    lowest = shown(current, explained)
    for change, new in zip(changes, errors[1:], strict=True):
        tried = correlation * current + kept * new
        share = min(max(explained + change, LEAST**2), MOST)
        risk = shown(tried, share)
        if risk < lowest - TIE * max(1.0, abs(lowest)):
            lowest, current, explained = risk, tried, share
    return float(np.sqrt(explained))
