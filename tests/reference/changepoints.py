"""Where was the last jump?  Binary segmentation, given the number of jumps or its maximum."""

from __future__ import annotations

import numpy as np
import ruptures
from ruptures.exceptions import BadSegmentationParameters


def last_jump(signal, n_jumps, min_size=2):
    """Last change in mean that binary segmentation finds.

    Parameters
    ----------
    signal : array_like of float, shape (m,)
    n_jumps : int
        Number of changes to look for.  If so many do not fit, the largest number that does.
    min_size : int
        Smallest number of points in a segment.

    Returns
    -------
    int or None
        0-based index of the first point after the last change; None if there is no change.
    """
    signal = np.asarray(signal, dtype=float)
    for n_bkps in range(n_jumps, 0, -1):
        segmentation = ruptures.Binseg(model="l2", jump=1, min_size=min_size).fit(signal)
        try:
            breaks = segmentation.predict(n_bkps=n_bkps)
        except BadSegmentationParameters:
            continue
        breaks = breaks[:-1]  # the last entry is the length of the signal
        return int(breaks[-1]) if breaks else None
    return None


def last_jump_of_at_most(signal, most, min_size=2):
    """Last change in mean that binary segmentation finds with at most so many breaks.

    After the manual of R's changepoint 2.x: `cpt.mean(method="BinSeg", penalty="MBIC", Q=most)` on
    a signal whose noise was scaled to variance 1.  A segment costs its sum of squares plus the log
    of its length; a break must save 3 log m.

    Parameters
    ----------
    signal : array_like of float, shape (m,)
    most, min_size : int

    Returns
    -------
    int or None
    """
    signal = np.asarray(signal, dtype=float)
    m = len(signal)
    if m < 2 * min_size:
        return None
    # A normal variable lies within .6745 sd of its mean half of the time; a difference of two has
    # twice the variance.
    sd = np.median(np.abs(signal[1:] - signal[:-1])) / 0.6744897501960817 / 2**0.5
    signal = signal / sd

    def cost(start, stop):
        return np.sum((signal[start:stop] - signal[start:stop].mean()) ** 2) + np.log(stop - start)

    ends = [0, m]
    for _ in range(most):
        saved = {
            t: cost(start, stop) - cost(start, t) - cost(t, stop)
            for start, stop in zip(ends, ends[1:], strict=False)
            for t in range(start + min_size, stop - min_size + 1)
        }
        if not saved or max(saved.values()) < 3 * np.log(m):
            break
        ends = sorted([*ends, max(saved, key=saved.get)])
    return ends[-2] if len(ends) > 2 else None
