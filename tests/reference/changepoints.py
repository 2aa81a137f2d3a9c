"""Where was the last jump?  Binary segmentation, told the number of jumps."""

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
