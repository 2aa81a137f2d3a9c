"""Sums over rows with weights, for metrics given as a function."""

from __future__ import annotations

import numpy as np

#: Sum of the squared deviations of a constant response, relative to the sum of its squares: its
#: mean is rounded.  The compiled correlations use the same bound.
ROUNDING = 1e-24


def total(values: np.ndarray, weights: np.ndarray | None) -> float:
    """The sum of values, shape (n,), each as often as its weight says."""
    # Not by np.dot, whose last bit may follow the number of threads.
    return float((values if weights is None else weights * values).sum())


def deviations(y: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
    """The response less its mean, shape (n,); None if all rows with a weight have one response."""
    count = len(y) if weights is None else weights.sum()
    mean = total(y, weights) / count
    apart = y - mean
    if total(apart * apart, weights) <= ROUNDING * count * mean * mean:
        return None
    return apart


def squares_left(y: np.ndarray, prediction: np.ndarray, weights: np.ndarray | None) -> float | None:
    """The sum of squared errors over that of the mean; None if the response is constant."""
    apart = deviations(y, weights)
    if apart is None:
        return None
    errors = y - prediction
    return total(errors * errors, weights) / total(apart * apart, weights)


def undefined(weights: np.ndarray | None, of_sample: float) -> float:
    """The score where none is defined: NaN, so that a board refuses the file.

    A bootstrap sample, which has weights, can be constant although the rows are not; a board
    averages over samples, so there it is `of_sample`, the score of a file that tells nothing.
    """
    return np.nan if weights is None else of_sample
