"""The metered boards that a dry run offers: what is proved of them sets their budgets."""

from __future__ import annotations

from math import floor, inf, log10, sqrt
from typing import Any

from shakedown.leaderboard.mechanisms.metered import Metered, degrees_of
from shakedown.leaderboard.responses import LINEAR, OF_LABELS
from shakedown.leaderboard.row_precision import precision_within
from shakedown.metrics import Metric
from shakedown.theory.proved import FEWEST_NOISY

#: ASSUME: a board that tells less than one degree of freedom is of no use.
LEAST_DEGREES = 1.0
#: ASSUME: if a file unlike all others is answered with more noise than this many times the gain, a
#: board of labels is of no use.
MOST_NOISE = 3.0


def metered_boards(
    metric: Metric,
    threshold: float,
    n_public: int,
    submissions: int,
    accounts: int = 1,
    quantile: float | None = None,
    row_variance: float = 1.0,
    size: float = 1.0,
) -> list[dict[str, Any]]:
    """Metered boards that keep a tolerated Δ: but for a share of the attackers, and on average.

    Parameters
    ----------
    metric : Metric
    threshold : float
        Tolerated Δ, below 0, on standardised data.
    n_public : int
        Rows of the public set.
    submissions : int
        Files of each account that are answered.
    accounts : int
        Accounts that may work together.  As their meters add up, they share one.
    quantile : float, optional
        The share of attackers that may overfit more; None for the board on average alone.
    row_variance : float
        c, the largest variance of a row's noise, as a multiple of the average.
    size : float
        A score of 1 on standardised data in the metric's unit, in which the gain is legible.

    Returns
    -------
    list of dict
        Entries of a configuration, on standardised data; at most two.  None has a budget of less
        than `LEAST_DEGREES`.

    Notes
    -----
    A meter begins with the variance 1.  With c it would read c times as much at most, and each
    degree is worth c / n.  So the gain is that of equal rows over c².  With unequal rows nothing is
    proved at a quantile, nor of correlations.  Of labels it is proved on average alone; rows must
    be independent.  For the Brier score c is that of `noise.noise_factor`.
    """
    if metric.name in OF_LABELS:
        return _of_labels(metric, -threshold, n_public, submissions, accounts, row_variance, size)
    if metric.name not in LINEAR or (row_variance > 1.0 and metric.larger_is_better):
        return []
    gain = _legible(-threshold / row_variance**2, size)
    chances = [None] if quantile is None or row_variance > 1.0 else [quantile, None]
    board = _board(gain, submissions, accounts)
    return [
        board | ({} if chance is None else {"chance": chance})
        for chance in chances
        if degrees_of(gain, n_public, chance, metric.larger_is_better) >= LEAST_DEGREES
    ]


def _of_labels(
    metric: Metric, gain: float, n: int, submissions: int, accounts: int, row_variance: float,
    size: float,
) -> list[dict[str, Any]]:  # fmt: skip
    """`metered_boards` for labels, on average alone; none whose answers are mostly noise."""
    spread = 4.0 * row_variance if metric.name == "brier" else 1.0
    if row_variance > 1.0 and (metric.name != "brier" or row_variance > n / FEWEST_NOISY):
        return []  # rows that are not independent
    gain = _legible(gain, size)
    precision = precision_within(metric.name, gain / spread)
    largest = (2.0 if metric.name == "auroc" else 1.0) / n  # of what a file measures in a row
    noise = spread * largest * sqrt(submissions * accounts / precision)
    return [_board(gain, submissions, accounts)] if noise <= MOST_NOISE * gain else []


def _board(gain: float, submissions: int, accounts: int) -> dict[str, Any]:
    board: dict[str, Any] = {"name": Metered.name, "gain": gain, "files": submissions * accounts}
    return board | ({"defences": [{"name": "one_board"}]} if accounts > 1 else {})


def _legible(gain: float, size: float) -> float:
    return _rounded_down(gain * size) / size if 0.0 < gain * size < inf else gain


def _rounded_down(value: float) -> float:
    """To three digits."""
    digit = 10.0 ** (floor(log10(value)) - 2)
    return float(f"{floor(round(value / digit, 6)) * digit:.3g}")
