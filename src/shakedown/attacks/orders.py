"""Scores that depend on the order of a file's rows, which adversaries read as correlations.

The score of a file of predicted classes, of a precision-recall curve or of censored times follows
from the order of its rows.  So an attacker sends *marks*, which depend on the rank of a row alone:

========================  =========================================================
predicted classes         the classes, each for about as many rows as it has
AUPR                      of the row k from the top, 1/k + ... + 1/n
censored times            ranks
========================  =========================================================

A score is then about linear in the correlation r of the marks with the response,

    score = origin + spread r.

With two classes that is exact for every metric of predicted classes, because all files have equally
many rows of each class, so that one number, of the rows that are right, decides.  The marks of the
AUPR are what a row of the positive class adds to it on average, up to constants; and ranks are as
good for an index of concordance as Spearman's correlation is for Kendall's.  Origin and spread are
those of random files on a response like that of the training set.

How many rows are taken for each class decides how much a lucky file gains: of several numbers,
between those of the best constant file and those of the training set, or equal ones, the attacker
takes those with which a file that is three standard deviations better than most has the best score.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shakedown.attacks.areas import AREAS, areas_of, shifted
from shakedown.attacks.units import LEAST, Rows
from shakedown.interface import ParticipantData
from shakedown.metrics import Metric
from shakedown.metrics.classes import CLASSES, TIMES
from shakedown.metrics.times import guess
from shakedown.terms import Terms

#: Random files that tell origin and spread.
FILES = 400
#: Shares of the rows that need not have the class of the best constant file, and by how many
#: standard deviations a lucky file is better than most.
SHARES, LUCK = (0.1, 0.25, 0.5, 0.75, 1.0), 3.0
#: Tie-breaks of files differ by a number below this.
TURN = 997.0


class Scale(NamedTuple):
    """The score of no correlation, by how much one of 1 exceeds it, and that of a lucky file."""

    origin: float
    spread: float
    lucky: float = 0.0


#: Of files whose scores are not read.
UNSCALED = Scale(0.0, 1.0)


class Orders(Rows):
    """A number for each row, or each group of rows, of which the order counts.

    Parameters
    ----------
    codes : ndarray of int, shape (n,), or None
        As for `Rows`.
    marks : ndarray, shape (units,)
        In increasing order.
    scale : Scale
    """

    has_marks = True

    def __init__(
        self, codes: np.ndarray | None, marks: np.ndarray, scale: Scale = UNSCALED
    ) -> None:
        super().__init__(codes)
        self._marks, self._scale = marks, scale

    def form(self, numbers: np.ndarray) -> np.ndarray:
        """The marks of a file of units, shape (n,); zeros if all numbers are equal."""
        out = np.zeros(len(numbers))
        if np.ptp(numbers) > 0.0:
            out[order_of(numbers)] = self._marks
        return out

    def files(self, numbers: np.ndarray) -> np.ndarray:
        marks = np.array([self.form(file) for file in numbers]).reshape(numbers.shape)
        return marks if self._codes is None else np.ascontiguousarray(marks[:, self._codes])

    def score(self, terms: Terms) -> float:
        return 1.0 / self._scale.spread

    def read(self, terms: Terms, files: np.ndarray, shown: np.ndarray) -> np.ndarray:
        return (shown - self._scale.origin) / self._scale.spread

    def _seen_as(self, metric: Metric) -> str:
        return metric.read_as

    def seen(self, terms: Terms) -> Terms:
        return shifted(super().seen(terms), self._scale.origin / self._scale.spread)


class Signs(Orders):
    """The same for an attack that sends files of signs, which stay files of two numbers.

    With two classes, the score of such a file follows from the rows of the positive class among
    those with the larger number.  So the correlation of the signs with the response is known
    exactly, whatever the metric.

    Parameters
    ----------
    codes, marks, scale
        As for `Orders`.
    metric : Metric
    y : ndarray, shape (units,)
        A response like that of the public rows.
    """

    def __init__(
        self, codes: np.ndarray | None, marks: np.ndarray, scale: Scale, metric: Metric,
        y: np.ndarray,
    ) -> None:  # fmt: skip
        super().__init__(codes, marks, scale)
        self._metric, self._y, self._known = metric, np.sort(y), {}
        self._is_exact = codes is None and metric.response != TIMES and len(np.unique(y)) == 2

    def form(self, numbers: np.ndarray) -> np.ndarray:
        low, high = numbers.min(), numbers.max()
        if low < high and ((numbers == low) | (numbers == high)).all():
            return np.where(numbers == high, self._marks[-1], self._marks[0])
        return super().form(numbers)

    def read(self, terms: Terms, files: np.ndarray, shown: np.ndarray) -> np.ndarray:
        if not self._is_exact:
            return super().read(terms, files, shown)
        sizes = (files > files.min(axis=1, keepdims=True)).sum(axis=1)
        return np.array([self._read(*one) for one in zip(sizes.tolist(), shown, strict=True)])

    def _read(self, size: int, score: float) -> float:
        """The correlation of a file with so many larger numbers."""
        n, ones = len(self._y), int(np.sum(self._y > self._y[0]))
        if not 0 < size < n:
            return 0.0
        if size not in self._known:
            hits = np.arange(max(0, size + ones - n), min(size, ones) + 1)
            at, rows = np.arange(n), hits[:, None]
            # The positive rows are the last ones: `hits` of them, and others from the first on.
            is_high = (at >= n - rows) | (at < size - rows)
            files = np.where(is_high, self._marks[-1], self._marks[0])
            scores = self._metric.score(self._y, files)
            order = np.argsort(scores)
            self._known[size] = scores[order], hits[order]
        found = float(np.interp(score, *self._known[size]))
        return (n * found - size * ones) / np.sqrt(size * (n - size) * ones * (n - ones))


def order_of(numbers: np.ndarray) -> np.ndarray:
    """The rows from the smallest number on; equal ones in an order that depends on all of them."""
    at = np.arange(1.0, len(numbers) + 1.0)
    ties = np.cos((at + np.argsort(numbers, kind="stable") @ at % TURN) ** 2)
    return np.lexsort((ties, numbers))


def orders_of(
    view: ParticipantData, metric: Metric, rng: np.random.Generator, *, signs: bool
) -> tuple[Rows, Rows]:
    """The units of the public and of the final rows."""
    if metric.name in AREAS:
        return areas_of(view, signs=signs)
    codes = (None, None) if view.groups is None else view.groups[1:]
    n, n_final = (
        len(rows) if own is None else int(own.max()) + 1
        for own, rows in zip(codes, (view.X_public, view.X_final), strict=True)
    )
    y = like_public(view, metric, n)
    marks, scale = marks_of(metric, y, rng)
    if metric.response == TIMES:
        marks = np.arange(1.0, n + 1.0)
    final = Orders(codes[1], spread_over(marks, n_final))
    if signs:
        return Signs(codes[0], marks, scale, metric, y), final
    return Orders(codes[0], marks, scale), final


def like_public(view: ParticipantData, metric: Metric, n: int) -> np.ndarray:
    """A response like that of n public rows; times are those of the training rows.

    ASSUME: without training rows, there are two classes of equal size, or no row is censored.
    """
    if metric.response == TIMES:
        return np.arange(1.0, n + 1.0) if view.times is None else view.times
    return spread_over(view.y_train if len(view.y_train) else np.array([-1.0, 1.0]), n)


def spread_over(values: np.ndarray, n: int) -> np.ndarray:
    """n values as frequent as they are among these, shape (n,), in increasing order."""
    return np.sort(values)[(2 * np.arange(n) + 1) * len(values) // (2 * n)]


def marks_of(metric: Metric, y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Scale]:
    """The marks for a response, shape (n,), and the scale of their scores."""
    n = len(y)
    ranks = np.arange(1.0, n + 1.0)
    if metric.predicts != CLASSES:
        marks = ranks if metric.response == TIMES else np.cumsum(1.0 / ranks[::-1])
        return marks, scale_of(metric, y, marks, rng)
    classes = np.unique(y)
    constants = np.repeat(classes[:, None], n, axis=1)
    best = classes[np.argmax(metric.score(y, constants))]
    found = []
    for share in SHARES:
        free = max(round(share * n), 1)
        for values in (y, classes):
            marks = np.sort(np.append(spread_over(values, free), np.full(n - free, best)))
            if np.ptp(marks) > 0.0:
                found.append((scale_of(metric, y, marks, rng), marks))
    scale, marks = max(found, key=lambda one: one[0].lucky)
    return marks, scale


def scale_of(metric: Metric, y: np.ndarray, marks: np.ndarray, rng: np.random.Generator) -> Scale:
    """The scale of the scores of marks for a response, both of shape (n,), by random files."""
    files = rng.permuted(np.tile(marks, (FILES, 1)), axis=1)
    scores = metric.score(y, files)
    mean, sd = float(scores.mean()), float(scores.std())
    lucky = mean + LUCK * sd
    if metric.response == TIMES:  # of which no numbers are known that it is linear in
        return Scale(guess(metric), max(sd, LEAST) * np.sqrt(len(y) - 1.0), lucky)
    x, z = files - marks.mean(), y - y.mean()
    r = x @ z / np.sqrt((x[0] @ x[0]) * (z @ z))
    slope = float((scores - mean) @ r / max((r - r.mean()) @ r, LEAST**2))
    return Scale(mean - slope * float(r.mean()), max(slope, LEAST), lucky)
