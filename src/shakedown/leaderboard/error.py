"""The leaderboard error of [B] Definition 2.1.

For true risks R_D(f_1), ..., R_D(f_k) of the submissions and released risks R_1, ..., R_k, it is

    lberr = max over t of | min over i <= t of R_D(f_i)  -  R_t |.

This module uses risks, for which smaller is better, so it covers metrics of either direction.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shakedown.compiled import kernel
from shakedown.metrics import SQUARED, ZERO_ONE, Metric


class _WithOpening:
    """Computes true risks of submissions, and those of the opening once for all boards."""

    def __init__(self, opening: np.ndarray | None) -> None:
        self._opening = opening
        self._opening_risks: np.ndarray | None = None

    def of_opening(self, final: Callable | None = None) -> np.ndarray:
        """True risks of the opening."""
        if self._opening_risks is None:
            self._opening_risks = self.of(self._opening, final)
        return self._opening_risks

    def of(self, predictions: np.ndarray, final: Callable | None = None) -> np.ndarray:
        """True risks of submissions; shape (m,).

        Parameters
        ----------
        predictions : ndarray, shape (m, n)
            The submissions.
        final : callable, optional
            Returns the same models' predictions for the final rows, shape (m, n_final), or an
            iterator over blocks of them.  Only `FinalRisks` uses it; without it, these risks are
            NaN.
        """
        raise NotImplementedError


class ExpectedRisks(_WithOpening):
    """Exact true risks under permutation of the response.

    The true risk of predictions f_1, ..., f_n is their average risk over all permutations of the
    response.  For a mean loss, it is the mean loss over all pairs of a prediction and a response.
    A correlation has the mean 0 for every submission.

    Parameters
    ----------
    metric : Metric
        A metric that is not given as a Python function.
    y : ndarray, shape (n_y,)
        The permuted responses: those of the public set, or those of all rows if the public rows are
        drawn from all rows.
    opening : ndarray, shape (m, n), optional
        The first submissions on every board; their risks are computed once.

    Notes
    -----
    For a root mean loss, the risk is the root of the expected mean loss, which is slightly larger
    than the expected root.
    """

    def __init__(self, metric: Metric, y: np.ndarray, opening: np.ndarray | None = None) -> None:
        super().__init__(opening)
        self._metric = metric
        self._expected = _expectation(metric, np.ascontiguousarray(y, dtype=float))

    def of_labels(self, ones: np.ndarray, n: int) -> np.ndarray:
        """True 0/1 losses, shape (m,), of n labels; `ones`, int, shape (m,), of them are 1."""
        either = self._of_one_label
        return either[0] + ones / n * (either[1] - either[0])

    @cached_property
    def _of_one_label(self) -> np.ndarray:
        """True losses of a single label 0 and of a single label 1; a climb asks for them often."""
        return self._expected(np.array([[0.0], [1.0]]))

    def of(self, predictions: np.ndarray, final: Callable | None = None) -> np.ndarray:
        if not self._metric.has_losses:
            return np.zeros(len(predictions))
        means = self._expected(predictions)
        return np.sqrt(means) if self._metric.root else means


class FinalRisks(_WithOpening):
    """True risks estimated on the final set, which no board has used.

    Each estimate is (nearly) unbiased, but the minimum of many estimates is biased below the lowest
    true risk; the bias is larger for a smaller final set.

    Parameters
    ----------
    metric : Metric
    y_final : ndarray, shape (n_final,)
    opening : ndarray, shape (m, n), optional
        The first submissions on every board; their risks are computed once.
    """

    def __init__(
        self, metric: Metric, y_final: np.ndarray, opening: np.ndarray | None = None
    ) -> None:
        # Only their number matters, and they may take as much memory as the public rows.
        super().__init__(None if opening is None else np.empty((len(opening), 0)))
        self._metric, self._y = metric, y_final
        self._last: tuple[np.ndarray, np.ndarray] | None = None

    def of_labels(self, ones: np.ndarray, n: int) -> np.ndarray:
        """NaN, shape (m,): the number of ones does not determine the risk on the final set."""
        return np.full(len(ones), np.nan)

    def of(self, predictions: np.ndarray, final: Callable | None = None) -> np.ndarray:
        if final is None:
            return np.full(len(predictions), np.nan)
        metric, predicted = self._metric, final()
        is_array = isinstance(predicted, np.ndarray)
        # An attacker without a model predicts the final rows by the same numbers in every file.
        if is_array and self._last is not None:
            known, risks = self._last
            if known is predicted or np.array_equal(known, predicted):
                return risks
        blocks = [predicted] if is_array else predicted
        risks = np.concatenate([metric.sign * metric.score(self._y, block) for block in blocks])
        # The correlation of constant predictions is undefined; it counts as 0.
        risks = np.nan_to_num(risks) if metric.larger_is_better else risks
        self._last = None
        if is_array and len(predicted) == 1:  # several files would take memory
            # What nobody can change is known again by its identity, without a look at its rows.
            is_fixed = predicted.base is None and not predicted.flags.writeable
            self._last = (predicted if is_fixed else predicted.copy(), risks)
        return risks


TrueRisks = ExpectedRisks | FinalRisks


class State(NamedTuple):
    """The lowest true and released risks on a board, and the largest error on all boards."""

    lowest: float
    lowest_shown: float
    largest: float


class LeaderboardError:
    """Computes the leaderboard error of one participant over all of their boards.

    With several boards, it is the largest of the boards' errors ([Z], section 4).

    Parameters
    ----------
    sign : int
        Risk = sign x released score.
    shows_each : bool
        Whether the board releases every submission's own score; R_t is then the lowest risk
        released so far ([B] Corollary 5.2).
    """

    def __init__(self, sign: int, *, shows_each: bool) -> None:
        self._sign, self._shows_each = sign, shows_each
        self._lowest: dict[Hashable, tuple[float, float]] = {}
        self._largest = 0.0

    def after(self, board: Hashable, risks: np.ndarray, released: np.ndarray) -> np.ndarray:
        """The error after each of m submissions to a board; NaN if unknown.

        Parameters
        ----------
        board : hashable
            Id of the board.
        risks : ndarray, shape (m,)
            True risks of the submissions.
        released : ndarray, shape (m,)
            Released scores, in the metric's own direction.

        Returns
        -------
        ndarray, shape (m,)
        """
        before = self._lowest.get(board, (np.inf, np.inf))
        errors, *lowest = running_error(
            risks, released, self._sign, self._shows_each, *before, self._largest
        )
        self._lowest[board], self._largest = tuple(lowest), errors[-1]
        return errors

    def after_each(self, board: Hashable, risks: np.ndarray, released: np.ndarray) -> None:
        """Include m submissions, each the first of a new account; see `after`."""
        self._lowest[board] = (np.inf, np.inf)
        self._largest = max(self._largest, np.abs(risks - self._sign * released).max())

    def state(self, board: Hashable) -> State:
        """The present state of a board, for `after_one_more`."""
        return State(*self._lowest[board], self._largest)

    def after_one_more(self, state: State, risks: np.ndarray, released: np.ndarray) -> np.ndarray:
        """The error if each of q submissions were the next after a state; shape (q,).

        Parameters
        ----------
        state : State
        risks, released : ndarray, shape (q,)
            As in `after`.
        """
        shown = self._sign * released
        if self._shows_each:
            shown = np.minimum(state.lowest_shown, shown)
        return np.maximum(state.largest, np.abs(np.minimum(state.lowest, risks) - shown))


@kernel
def running_error(risks, released, sign, shows_each, lowest, lowest_shown, largest):
    """[B] Definition 2.1 up to each of m submissions to one board.

    Parameters
    ----------
    risks : ndarray, shape (m,)
        True risks R_D(f_t).
    released : ndarray, shape (m,)
        Released scores; risk = sign x score.
    sign : int
    shows_each : bool
        Whether R_t is the lowest risk released so far, instead of the last one.
    lowest, lowest_shown : float
        Lowest true risk and lowest released risk before; infinite on a new board.
    largest : float
        Largest error before on all boards; 0 for none.

    Returns
    -------
    errors : ndarray, shape (m,)
        All errors after a NaN are NaN.
    lowest, lowest_shown : float
        The values after the submissions.
    """
    errors = np.empty(len(risks))
    for t in range(len(risks)):
        # The order of these comparisons propagates NaN.
        lowest = lowest if lowest <= risks[t] else risks[t]  # min over i <= t of R_D(f_i)
        shown = sign * released[t]
        lowest_shown = min(lowest_shown, shown)
        error = abs(lowest - (lowest_shown if shows_each else shown))
        largest = largest if largest >= error or np.isnan(largest) else error
        errors[t] = largest
    return errors, lowest, lowest_shown


def _expectation(metric: Metric, y: np.ndarray) -> Callable | None:
    """A function of predictions that returns their mean loss over all pairs with responses."""
    if not metric.has_losses:
        return None
    if metric.loss == SQUARED:
        moments = mean_and_variance(y)
        return lambda predictions: expected_squared(predictions, *moments)
    if metric.loss == ZERO_ONE:
        values, counts = np.unique(y, return_counts=True)
        shares = counts / len(y)
        if len(values) > 2:
            return lambda predictions: expected_zero_one(predictions, values, shares)
        first, last = (values[0], shares[0]), (values[-1], shares[-1])
        return lambda predictions: expected_two_labels(predictions, *first, *last)
    centre, steps = y.mean(), absolute_steps(y)
    return lambda predictions: expected_absolute(predictions, centre, steps)


@kernel
def mean_and_variance(y):
    """Mean and variance, with divisor n, of responses of shape (n,)."""
    mean = y.sum() / len(y)
    squares = 0.0
    for value in y:
        squares += (value - mean) ** 2
    return mean, squares / len(y)


@kernel
def expected_squared(predictions, mean, variance):
    """Expected mean squared error under permutation, shape (m,).

    mean over i, j of (y_j - f_i)^2 = var y + mean over i of (f_i - mean y)^2, with divisor n.
    """
    m, n = predictions.shape
    risks = np.empty(m)
    for t in range(m):
        total = 0.0
        for i in range(n):
            away = predictions[t, i] - mean
            total += away * away
        risks[t] = variance + total / n
    return risks


@kernel
def expected_two_labels(predictions, first, share_first, last, share_last):
    """Expected 0/1 loss under permutation of a response with two values, which can be equal."""
    m, n = predictions.shape
    risks = np.empty(m)
    for t in range(m):
        firsts = lasts = 0
        for i in range(n):
            firsts += predictions[t, i] == first
            lasts += predictions[t, i] == last
        hits = firsts * share_first + (lasts * share_last if last != first else 0.0)
        risks[t] = 1.0 - hits / n
    return risks


def expected_zero_one(predictions, values, shares):
    """Expected 0/1 loss under permutation of a response with these shares of sorted values."""
    at = np.minimum(np.searchsorted(values, predictions), len(values) - 1)
    return 1.0 - np.where(values[at] == predictions, shares[at], 0.0).mean(axis=1)


class Steps(NamedTuple):
    """Sorted responses, their cumulative sums, and a lookup table for positions among them."""

    values: np.ndarray  # (n,) minus their mean
    sums: np.ndarray  # (n + 1,) of the first 0, 1, ..., n of them
    scale: float  # cells per unit
    first: np.ndarray  # (cells + 1,) number of values in the cells before this one


def absolute_steps(y: np.ndarray) -> Steps:
    """The argument `steps` of `expected_absolute` for responses of shape (n,)."""
    values = np.sort(y - y.mean())
    cells = 4 * len(values)
    spread = values[-1] - values[0]
    scale = cells / spread if spread > 0.0 else 0.0
    cell = np.minimum(((values - values[0]) * scale).astype(np.int64), cells)
    first = np.searchsorted(cell, np.arange(cells + 1))
    return Steps(values, np.concatenate([[0.0], np.cumsum(values)]), scale, first)


@kernel
def expected_absolute(predictions, centre, steps):
    """Expected mean absolute error under permutation, shape (m,).

    If k responses are below f and S_k is their sum, the sum of |y_j - f| over j is
    (2 k - n) f + S_n - 2 S_k.
    """
    m, n = predictions.shape
    values, sums = steps.values, steps.sums
    count = len(values)
    cells = len(steps.first) - 1
    risks = np.empty(m)
    for t in range(m):
        total = 0.0
        for i in range(n):
            f = predictions[t, i] - centre
            if f <= values[0]:
                below = 0
            elif f > values[-1]:
                below = count
            else:
                cell = min(np.int64((f - values[0]) * steps.scale), cells)
                below = steps.first[cell]
                while values[below] < f:
                    below += 1
            total += (2 * below - count) * f + sums[count] - 2.0 * sums[below]
        risks[t] = total / count / n
    return risks
