"""The gains that are proved of a board: on average, and at a quantile."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from shakedown.comparison.candidates import MSE
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.theory.metric_bounds import gain_bound
from shakedown.theory.proved import proved_transcripts
from shakedown.theory.transcripts import Charged


class Proved(NamedTuple):
    """The most that anybody gains, whatever is submitted; None where nothing is proved.

    Attributes
    ----------
    mean : float or None
        On average.
    quantile : float or None
        But for a share of the attackers.
    """

    mean: float | None
    quantile: float | None


def proved(board: Mechanism, rows: int, submissions: int, quantile: float) -> Proved:
    """The gains that are proved, in shares of the response's variance; all that there is at most.

    Of a board that shows the exact score of every file, the mean is exact: each file tells one of
    the n - 1 directions of a centred response.
    """
    whole = (rows - 1) / rows  # the score of zeros
    if board.terms(MSE, rows).shows_own_scores:
        return Proved(min(submissions, rows - 1) / rows, None)
    told, bound = proved_transcripts(board, rows, submissions), gain_bound(MSE)
    if told is None:
        return Proved(None, None)
    if isinstance(told, Charged):
        gains = (bound.charged(told.degrees, rows, share) for share in (None, quantile))
    else:
        gains = (bound.bound(told, rows, share) for share in (None, quantile))
    return Proved(*(None if gain == inf else float(min(gain, whole)) for gain in gains))
