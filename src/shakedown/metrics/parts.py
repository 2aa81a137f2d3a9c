"""The parts of a set that a composite score is a mean over, and scores of files on a part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shakedown.metrics.classes import NUMBERS, TIMES
from shakedown.metrics.composite_names import Term
from shakedown.metrics.functions import computed
from shakedown.metrics.kernels import CONCORDANCE, LEAST_SQUARES, MEAN_LOSS, risks_of_parts
from shakedown.metrics.metric import Metric
from shakedown.metrics.weights import ROUNDING


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of a term whose score is defined.

    Attributes
    ----------
    cells : list of ndarray of int
        Of each part, by index.
    counts : ndarray, shape (k,)
        What each part counts in the mean over parts.
    """

    cells: list[np.ndarray]
    counts: np.ndarray

    @cached_property
    def order(self) -> np.ndarray:
        """The cells of all parts, part by part."""
        return np.concatenate(self.cells) if self.cells else np.empty(0, int)

    @cached_property
    def ends(self) -> np.ndarray:
        """Where each part ends in `order`; shape (k,)."""
        return np.cumsum([len(own) for own in self.cells], dtype=int)

    @cached_property
    def first(self) -> np.ndarray:
        """A cell of each part; shape (k,)."""
        return np.array([own[0] for own in self.cells], int)

    def drawn(self, sample_weight: np.ndarray) -> np.ndarray | None:
        """The weight of each part, shape (k,), if all of its cells have the same; else None."""
        weights = sample_weight[self.first]
        sizes = np.diff(self.ends, prepend=0)
        is_whole = sample_weight[self.order] == np.repeat(weights, sizes)
        return weights if is_whole.all() else None


class Known:
    """What is known of a set: its parts, and the scores of some files on each part.

    Bootstrap samples of whole parts need no more, many times.
    """

    #: Numbers that files may have, those that are kept together.
    MOST = 2_000_000

    def __init__(self) -> None:
        self._y, self._parts, self._scores = b"", {}, {}

    def parts(self, term: Term, y: np.ndarray, made: Callable[[], Parts]) -> Parts:
        """The parts of a term with these responses; `made` makes them."""
        if (now := y.tobytes()) != self._y:
            self._y, self._parts, self._scores = now, {}, {}
        if term not in self._parts:
            self._parts[term] = made()
        return self._parts[term]

    def scores(
        self, term: Term, prediction: np.ndarray, made: Callable[[], np.ndarray]
    ) -> np.ndarray:
        """The scores of a file on the parts of a term; `made` makes them."""
        key = term, prediction.tobytes()
        if key not in self._scores:
            if len(self._scores) * len(prediction) > self.MOST:
                self._scores = {}
            self._scores[key] = made()
        return self._scores[key]


def has_score(metric: Metric, y: np.ndarray) -> bool:
    """Whether the metric is defined on a part with these responses."""
    if metric.response == TIMES:
        return bool(np.isfinite(metric.score(y, y[None])[0]))
    if np.ptp(y) > 0.0:
        return True
    return not metric.larger_is_better and bool(np.isfinite(metric.score(y, y[None] + 1.0)[0]))


def tells_constants(metric: Metric) -> bool:
    """Whether constant predictions have scores that differ; the correlation of each is 0."""
    files = np.outer([1.0, -1.0], np.ones(3))
    y = [0.0, 1.0, 3.0] if metric.response == NUMBERS else [0.0, 1.0, 1.0]
    one, other = np.nan_to_num(metric.score(np.array(y), files))
    return one != other


def scores_of(
    metric: Metric, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray | None
) -> np.ndarray:
    """Scores of files on a part, shape (m,); a correlation that has no meaning is 0."""
    if weights is None:
        scores = metric.score(y, predictions)
    elif metric.formula is None:
        scores = np.array([computed(metric, y, row, weights) for row in predictions], dtype=float)
    else:
        scores = _weighted(metric, y, predictions, weights / weights.sum())
    return np.nan_to_num(scores) if metric.larger_is_better else scores


def scores_of_all(
    metric: Metric, y: np.ndarray, predictions: np.ndarray, parts: Parts, weights: np.ndarray | None
) -> np.ndarray:
    """Scores of files on each of k parts, shape (m, k), as `scores_of`; weights have shape (n,)."""
    if weights is not None or metric.formula is None or metric.ranks:
        scores = np.empty((len(predictions), len(parts.cells)))
        for k, own in enumerate(parts.cells):
            w, files = None if weights is None else weights[own], predictions[:, own]
            scores[:, k] = scores_of(metric, y[own], np.ascontiguousarray(files), w)
        return scores
    loss = -1 if metric.loss is None else metric.loss
    risks = risks_of_parts(predictions, y, parts.order, parts.ends, metric.formula, loss)
    scores = metric.sign * (np.sqrt(risks) if metric.root else risks)
    return np.nan_to_num(scores) if metric.larger_is_better else scores


def _weighted(
    metric: Metric, y: np.ndarray, predictions: np.ndarray, share: np.ndarray
) -> np.ndarray:
    """Scores of files by a formula, shape (m,), with the share of each cell, shape (n,)."""
    y = metric.prepare(y)
    rows = metric.judge(y, np.ascontiguousarray(predictions))[0]
    if metric.formula == MEAN_LOSS:
        means = _sums(share, rows)
        return np.sqrt(means) if metric.root else means
    mean_y, means = _sums(share, y), _sums(share, rows)
    a, b = y - mean_y, rows - means[:, None]
    aa, bb, ab = _sums(share, a * a), _sums(share, b * b), _sums(share, a * b)
    scale = np.sqrt(aa * bb)
    if metric.formula == CONCORDANCE:
        scale = 0.5 * (aa + bb + (mean_y - means) ** 2)
    # Of values that are all equal, a mean is rounded.
    flat = (bb <= ROUNDING * means * means) | (bb < LEAST_SQUARES / len(y))
    flat |= (aa <= ROUNDING * mean_y * mean_y) | (scale <= 0.0)
    return np.where(flat, 0.0, ab / np.where(flat, 1.0, scale))


def _sums(share: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sums over cells with their shares; not by a product, whose last bit may follow threads."""
    return (share * values).sum(axis=-1)
