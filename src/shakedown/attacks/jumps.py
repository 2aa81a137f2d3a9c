"""Find the last jump in the released scores.

A jump is identified by the 0-based index of the first submission after it.
"""

from __future__ import annotations

import numpy as np

from shakedown.compiled import kernel
from shakedown.terms import LeaderboardClient, Receipt

_NO_SCORES, _NOTHING_ACCEPTED = np.empty(0), np.empty(0, bool)


class Reader:
    """Finds the last jump on one board, batch by batch.

    It keeps the last score or, on a noisy board, the scores since the last jump found, so that a
    jump at the first score of a batch can be found.

    Parameters
    ----------
    detector : {"known_number", "maximum", "penalised"}
        How a jump is found on a noisy board: by binary segmentation with the true number of jumps,
        by binary segmentation with at most this number, or by penalised least squares without this
        number.
    min_segment : int
        Fewest submissions between two jumps on a noisy board.
    start : float or None
        The score that the new board shows before any submission; None if it shows none.
    """

    def __init__(
        self, detector: str = "known_number", min_segment: int = 2, start: float | None = None
    ) -> None:
        self._detector, self._min_segment = detector, min_segment
        self._last = np.nan if start is None else start
        self._released, self._accepted = _NO_SCORES, _NOTHING_ACCEPTED

    def read(self, board: LeaderboardClient, receipt: Receipt) -> int | None:
        """Index, in this batch, of the first submission after the last jump; None if there is none.

        The first score on a board that shows none before is a jump, from R_0 = infinity, so only a
        later batch can have no jump.

        Parameters
        ----------
        board : LeaderboardClient
            The board that returned the receipt.
        receipt : Receipt
            The receipt of m submissions.

        Returns
        -------
        int or None
        """
        if board.terms.is_noisy:
            return self._last_of_noisy(receipt)
        jump = _last_new(receipt.released, self._last)
        self._last = receipt.released[-1]
        return jump if jump >= 0 else None

    def _last_of_noisy(self, receipt: Receipt) -> int | None:
        if not len(self._released) and not np.isnan(self._last):  # the board's first batch
            self._released, self._accepted = np.array([self._last]), np.ones(1, bool)
        before = len(self._released)
        signal, accepted = receipt.released, receipt.accepted
        if before:
            signal = np.concatenate([self._released, signal])
            accepted = np.concatenate([self._accepted, accepted])
        if self._detector == "penalised":
            jump = last_penalised(signal, self._min_segment)
        else:
            last = last_of_known_number if self._detector == "known_number" else last_of_at_most
            # Every submission accepted after the first score of the signal is a jump in it.
            jump = last(signal, int(np.count_nonzero(accepted[1:])), self._min_segment)
        if jump is None or jump < before:
            jump = None if before else 0
        start = jump or 0
        self._released, self._accepted = signal[start:], accepted[start:]
        return None if jump is None else jump - before


def best(released: np.ndarray, larger_is_better: bool) -> int | None:
    """Index of the best score, the first among ties; None if several scores are all equal."""
    if len(released) > 1 and released.min() == released.max():
        return None
    return int(released.argmax() if larger_is_better else released.argmin())


def last_change(released: np.ndarray) -> int | None:
    """Last index at which a noiseless score differs from the one before; None if there is none."""
    change = _last_new(released, released[0]) if len(released) else -1
    return change if change >= 0 else None


@kernel
def _last_new(released, before):
    """Last index at which a score differs from the one before it, -1 if none does.

    `before` is the score before the first; NaN, from which every score differs, if there is none.
    """
    for t in range(len(released) - 1, -1, -1):
        if released[t] != (released[t - 1] if t > 0 else before):
            return t
    return -1


def last_of_known_number(released: np.ndarray, jumps: int, min_segment: int = 2) -> int | None:
    """Last change in mean by binary segmentation with a given number of jumps.

    This is the method of Scott and Knott (1974), which [C] use through R's `changepoint`: split the
    segment at the point that reduces the sum of squares most, and repeat until there are as many
    breaks as jumps.

    Parameters
    ----------
    released : ndarray, shape (m,)
    jumps : int
        Number of jumps to find; fewer are found if the segments cannot be split further.
    min_segment : int
        Length of the shortest segment; 2 by default, because R's `changepoint` does not split off a
        single first or last point.

    Returns
    -------
    int or None
    """
    if jumps < 1 or len(released) < 2 * min_segment:
        return None
    signal = np.asarray(released, dtype=float)
    breaks = binary_segmentation(signal, jumps, min_segment, np.zeros(len(signal) + 1), -np.inf)
    return int(breaks.max()) if len(breaks) else None


def last_of_at_most(released: np.ndarray, most: int, min_segment: int = 2) -> int | None:
    """Last change in mean by binary segmentation with a largest number of jumps.

    `Q` has this meaning in R's `changepoint`: the search stops at Q breaks, or at the first break
    that the penalty rejects.  The penalty is the default of its version 2, the modified BIC of
    Zhang and Siegmund (2007) as implemented there.  The cost is the sum of squares in units of the
    noise variance plus the logarithms of the segment lengths; a break must lower it by at least
    3 log m.

    Parameters
    ----------
    released : ndarray, shape (m,)
    most : int
        Largest number of jumps.
    min_segment : int

    Returns
    -------
    int or None

    Notes
    -----
    R assumes a variance of 1.  The variance of released scores is much smaller, so without scaling
    no jump would be found.  The scale is that of `last_penalised`.
    """
    m = len(released)
    if most < 1 or m < 2 * min_segment:
        return None
    noise = _noise(released)
    if noise == 0.0:
        return last_change(released)
    price = np.log(np.maximum(np.arange(m + 1.0), 1.0))
    breaks = binary_segmentation(released / noise, most, min_segment, price, 3.0 * np.log(m))
    return int(breaks.max()) if len(breaks) else None


def last_penalised(released: np.ndarray, min_segment: int = 2) -> int | None:
    """Last change in mean by penalised least squares, for an unknown number of jumps.

    It is the exact optimum (Killick et al. 2012) with the penalty 2 s² log m; the noise s is
    estimated from the median absolute difference of successive scores.

    Parameters
    ----------
    released : ndarray, shape (m,)
    min_segment : int

    Returns
    -------
    int or None
    """
    import ruptures

    m = len(released)
    if m < 2 * min_segment:
        return None
    noise = _noise(released)
    if noise == 0.0:
        return last_change(released)
    scaled = (released - np.mean(released)) / noise
    search = ruptures.KernelCPD(kernel="linear", min_size=min_segment).fit(scaled[:, None])
    breaks = search.predict(pen=2.0 * np.log(m))[:-1]
    return int(breaks[-1]) if breaks else None


def _noise(released: np.ndarray) -> float:
    """Standard deviation of the noise, from the median absolute difference of successive scores."""
    return np.median(np.abs(np.diff(released))) / (0.6744897501960817 * np.sqrt(2.0))


@kernel
def binary_segmentation(signal, n_breaks, min_segment, price, penalty):
    """Breaks of the signal by binary segmentation with the squared-error cost.

    The cost of a segment is its sum of squares minus (sum)²/length.  The sums of squares cancel in
    every comparison, and cumulative sums give the rest.  Ties are resolved as in
    `ruptures.Binseg`: the later break within a segment, and the earlier segment.

    Parameters
    ----------
    signal : ndarray of float, shape (m,)
    n_breaks : int
        Largest number of breaks.
    min_segment : int
    price : ndarray of float, shape (m + 1,)
        Cost of a segment of each length, in addition to its squared error.
    penalty : float
        The search stops at the first break that lowers the cost by less than this.

    Returns
    -------
    ndarray of int, shape (<= n_breaks,)
        Breaks in the order in which they were found.
    """
    m = len(signal)
    sums = np.empty(m + 1)
    sums[0] = 0.0
    mean = signal.mean()
    for i in range(m):
        sums[i + 1] = sums[i] + (signal[i] - mean)
    start = np.zeros(n_breaks + 1, np.int64)
    stop = np.zeros(n_breaks + 1, np.int64)
    split = np.zeros(n_breaks + 1, np.int64)
    gain = np.zeros(n_breaks + 1)
    stop[0] = m
    split[0], gain[0] = _best_split(sums, 0, m, min_segment, price)
    breaks = np.empty(n_breaks, np.int64)
    count = 0
    while count < n_breaks:
        top = -1
        for k in range(count + 1):
            if split[k] > 0 and (
                top < 0 or gain[k] > gain[top] or (gain[k] == gain[top] and start[k] < start[top])
            ):
                top = k
        if top < 0 or gain[top] < penalty:
            break
        breaks[count] = split[top]
        count += 1
        start[count], stop[count] = split[top], stop[top]
        stop[top] = split[top]
        split[top], gain[top] = _best_split(sums, start[top], stop[top], min_segment, price)
        split[count], gain[count] = _best_split(sums, start[count], stop[count], min_segment, price)
    return breaks[:count]


@kernel
def _best_split(sums, start, stop, min_segment, price):
    """The split of [start, stop) that lowers the cost most (0 if none), and the reduction."""
    best, at = -np.inf, 0
    whole = sums[stop] - sums[start]
    for k in range(start + min_segment, stop - min_segment + 1):
        left = sums[k] - sums[start]
        right = whole - left
        gain = left * left / (k - start) + right * right / (stop - k)
        gain -= price[k - start] + price[stop - k]
        if gain >= best:
            best, at = gain, k
    return at, best - whole * whole / max(stop - start, 1) + price[stop - start]
