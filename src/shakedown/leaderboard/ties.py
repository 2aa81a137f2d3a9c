"""When two scores are equal, and how scores are rounded; the same for gates and releases."""

from __future__ import annotations

import numpy as np

from shakedown.compiled import kernel

#: Two scores are a tie if they differ by less than this, relative to the larger of them and 1.
#: Scores that are equal as real numbers are then ties in spite of rounding errors.
TIE = 1e-12


@kernel
def less(a, b):
    """Whether a is less than b by more than `TIE`; every finite number is less than infinity."""
    if b == np.inf:
        return a < np.inf
    return a < b - TIE * max(1.0, abs(a), abs(b))


@kernel
def rounded(value, step):
    """[value]_step: the nearest multiple of `step`; a step of 0 keeps the value.

    Halves, to nine digits, are rounded to the even multiple.
    """
    if step == 0.0 or value == np.inf:
        return value
    return np.rint(np.rint(value / step * 1e9) / 1e9) * step
