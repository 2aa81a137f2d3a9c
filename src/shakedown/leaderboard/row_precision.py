r"""What noisy measurements of labels are worth, by the precision that they have in each row.

A board measures <y, u_t> with normal noise sigma_t, y labels 0 and 1, and keeps

    pi_i = sum_t (u_ti / sigma_t)^2 <= B   for every row i.

If the labels are independent given all that a participant knows, no row is known better than from
one measurement of its own label with the precision B, whatever is submitted, adaptively.  So the
mean gain over the best honest file is at most what this one measurement is worth, and it is worth
most for a fair label.  The area under the ROC curve is a mean over pairs of unlike labels; a pair
is told apart with at most 4 B.  Proofs are in ``docs/proofs/metered_labels.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_FLOOR, Context
from math import inf, log, sqrt
from statistics import NormalDist

import numpy as np

_NORMAL = NormalDist()
#: Where a mean over a normal number is summed; the sum of a smooth function converges fast.
_AT = np.linspace(-12.0, 12.0, 2401)
_WEIGHTS = np.exp(-0.5 * _AT**2)
_WEIGHTS /= _WEIGHTS.sum()
_NINE_DIGITS = Context(prec=9, rounding=ROUND_FLOOR)
#: With a larger precision the labels are known.
MOST = 1e4


def _right(precision: float) -> float:
    """More labels that are right: a fair one is guessed with the chance Phi(sqrt(B) / 2)."""
    return _NORMAL.cdf(sqrt(precision) / 2.0) - 0.5


def _ordered(precision: float) -> float:
    """More pairs in the right order."""
    return _right(4.0 * precision)


def _explained(precision: float) -> float:
    """Explained variance of a fair label: E tanh(L / 2) / 4, with the log odds L."""
    return float(_WEIGHTS @ np.tanh(0.5 * _log_odds(precision))) / 4.0


def _information(precision: float) -> float:
    """Information on a fair label in nats: ln 2 - E ln(1 + exp(-L))."""
    return max(log(2.0) - float(_WEIGHTS @ np.logaddexp(0.0, -_log_odds(precision))), 0.0)


def _log_odds(precision: float) -> np.ndarray:
    """Log odds of a fair label that is 1, after one measurement: N(B / 2, B)."""
    return precision / 2.0 + sqrt(precision) * _AT


#: For metrics by name: the largest mean gain, by the precision B.
WORTH: dict[str, Callable[[float], float]] = {
    "zero_one": _right,
    "brier": _explained,
    "log_loss": _information,
    "auroc": _ordered,
}


def precise_gain(metric: str, precision: float) -> float:
    """The largest mean gain if no row is measured with more than this precision.

    Parameters
    ----------
    metric : str
        A key of `WORTH`.
    precision : float
        B, in labels 0 and 1: 4 is a standard deviation of half their distance.

    Examples
    --------
    >>> round(precise_gain("zero_one", 0.0632), 4), round(precise_gain("auroc", 0.0158), 4)
    (0.05, 0.05)
    """
    return WORTH[metric](min(precision, MOST)) if precision > 0.0 else 0.0


def precision_within(metric: str, gain: float) -> float:
    """The largest precision of a row that keeps a mean gain, to nine digits; from below.

    Infinite if no precision gains more.  A mean over a normal number differs in its last digits
    between machines.  So the precision is rounded, because all noise of a board follows from it.

    Examples
    --------
    >>> round(precision_within("zero_one", 0.05), 4), round(precision_within("brier", 0.0125), 4)
    (0.0632, 0.2269)
    """
    if gain >= precise_gain(metric, MOST):
        return inf
    low, high = 0.0, MOST
    while high - low > 1e-12 * high:
        middle = (low + high) / 2.0
        low, high = (middle, high) if precise_gain(metric, middle) <= gain else (low, middle)
    return float(_NINE_DIGITS.create_decimal_from_float(low))
