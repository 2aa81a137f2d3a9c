"""Scores that are put together from metrics of single responses, rows or groups of rows."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from shakedown.interface import Cells, InputError, guess
from shakedown.metrics.composite_names import (
    BY_GROUP,
    BY_RESPONSE,
    BY_ROW,
    MEANS,
    PART_WEIGHTS,
    Term,
    is_composite,
    is_weighted,
)
from shakedown.metrics.kernels import ZERO_ONE
from shakedown.metrics.metric import Metric
from shakedown.metrics.parts import (
    Known,
    Parts,
    has_score,
    scores_of,
    scores_of_all,
    tells_constants,
)
from shakedown.wording import some

__all__ = ["Composite", "is_composite", "is_weighted"]

#: Correlations that are linear in the response, or in its ranks, whatever the scale of a file.
CORRELATIONS = ("pearson", "spearman")


class _Set(NamedTuple):
    """Of each of n cells its response, row and group, shape (n,), and its weight; None for none."""

    responses: np.ndarray | None
    rows: np.ndarray | None
    groups: np.ndarray | None
    weights: np.ndarray | None


class Composite(Metric):
    """A sum of terms; each is a mean of a metric over parts, or that of one response.

    The parts are responses, rows or groups of rows.  A part whose responses are all equal has no
    correlation, and no error relative to their spread: it is left out of a mean.  Predictions that
    are all equal have the correlation 0.  A cell with the weight 0 does not count at all; ranks are
    those of all others, without weights.

    Attributes
    ----------
    terms : tuple of Term
    cells, groups, weights
        Of the set that is scored; see `on`.
    """

    terms: ClassVar[tuple[Term, ...]]
    cells: ClassVar[Cells | None] = None
    weights: ClassVar[np.ndarray | None] = None
    known: ClassVar[Known | None] = None

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        """The score of one file, all three of shape (n,)."""
        total, scored = 0.0, self._set(len(y))
        weights = _product(scored.weights, sample_weight)
        for term in self.terms:
            parts = self._parts(term, y, scored)
            # Rows and groups are drawn in a bootstrap; responses are not.
            is_drawn = term.over in (BY_ROW, BY_GROUP) and sample_weight is not None
            drawn = parts.drawn(sample_weight) if is_drawn and parts.cells else None
            if drawn is None:
                scores, counts = self._of_sample(
                    term, parts, y, prediction, weights, sample_weight if is_drawn else None
                )
            else:  # equal weights change no score of a part
                scores = self._of_parts(term, parts, y, prediction, scored.weights)
                counts = parts.counts * drawn
            mean = float(np.average(scores, weights=counts)) if sum(counts) > 0.0 else 0.0
            total += term.weight * (mean - term.centre) / term.spread
        return total

    def _of_sample(
        self, term: Term, parts: Parts, y: np.ndarray, prediction: np.ndarray,
        weights: np.ndarray | None, drawn: np.ndarray | None,
    ) -> tuple[list[float], list[float]]:  # fmt: skip
        """Scores of a file on the parts that have a weight, and what these count."""
        scores, counts = [], []
        for own, count in zip(parts.cells, parts.counts, strict=True):
            w = None if weights is None else weights[own]
            if w is not None and not w.any():
                continue
            scores.append(scores_of(term.metric, y[own], prediction[None, own], w)[0])
            counts.append(count * (1.0 if drawn is None else float(drawn[own].mean())))
        return scores, counts

    def _of_parts(
        self, term: Term, parts: Parts, y: np.ndarray, prediction: np.ndarray,
        weights: np.ndarray | None,
    ) -> np.ndarray:  # fmt: skip
        """Scores of a file on all parts, shape (k,)."""

        def made() -> np.ndarray:
            return np.array(self._of_sample(term, parts, y, prediction, weights, None)[0])

        return made() if self.known is None else self.known.scores(term, prediction, made)

    def judge(self, y: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `Metric.judge`.

        Raises
        ------
        InputError
            If weights or groups are needed that no set has given.
        """
        self._check(self.groups, self.weights)
        totals, scored = np.zeros(len(predictions)), self._set(len(y))
        for term in self.terms:
            parts, mean = self._parts(term, y, scored), 0.0
            scores = scores_of_all(term.metric, y, predictions, parts, scored.weights)
            if parts.counts.sum() > 0.0:
                weights = parts.counts if term.part_weight else None
                mean = np.average(scores, axis=1, weights=weights)
            totals += term.weight * (mean - term.centre) / term.spread
        return predictions, self.sign * totals

    @property
    def scores_constants(self) -> bool:
        return True

    @property
    def compares_labels(self) -> bool:
        return any(term.metric.loss == ZERO_ONE for term in self.terms)

    @property
    def tells_group_means(self) -> bool:
        return any(term.over != BY_GROUP or tells_constants(term.metric) for term in self.terms)

    @property
    def scores_alone(self) -> bool:
        by_group = [term for term in self.terms if term.over == BY_GROUP]
        return all(
            term.part_weight != "sqrt(n-1)" and has_score(term.metric, np.ones(1))
            for term in by_group
        )

    @property
    def read_as(self) -> str:
        """Of a plain mean over responses of a correlation, this correlation.

        Of a mean over rows, Pearson's: scores of signs times a direction are linear in the signs.
        """
        if self.reads_signs:
            return "pearson"
        name = self.terms[0].metric.name
        return name if self._is_plain(BY_RESPONSE) and name in CORRELATIONS else self.name

    @property
    def reads_signs(self) -> bool:
        return self._is_plain(BY_ROW) and self.terms[0].metric.name in (*CORRELATIONS, "cosine")

    def _is_plain(self, over: str) -> bool:
        """Whether it is a mean over these parts, and nothing more."""
        (term, *others) = self.terms
        is_more = others or self.is_weighted or term.part_weight or term.is_scaled
        return term.over == over and term.weight == 1.0 and not is_more

    @property
    def degree(self) -> float:
        """0 where scores are those of several standardised responses, or of no single unit."""
        has_unit = self.is_weighted or self._has_groups
        if not has_unit or any(t.is_scaled or t.over not in ("", BY_GROUP) for t in self.terms):
            return 0.0
        degrees = {term.metric.degree for term in self.terms}
        return degrees.pop() if len(degrees) == 1 else 0.0

    def on(
        self,
        cells: Cells | None,
        groups: np.ndarray | None = None,
        weights: np.ndarray | None = None,
    ) -> Composite:
        """The score of a set, as `Metric.on`.

        Raises
        ------
        InputError
            If a term needs several responses, or one that is not there; groups; or weights.
        """
        for term in self.terms:
            if term.over == BY_ROW and cells is None:
                raise InputError(
                    f"metric '{self.name}': a score by row needs several responses, and there is "
                    "one. Name several responses, or another metric."
                )
            names = () if cells is None else cells.names
            if term.over not in (*MEANS, "", *names):
                raise InputError(
                    f"metric '{self.name}': '{term.over}' is none of the responses {some(names)}. "
                    f"Correct the name.{guess(term.over, names)}"
                )
        weights = weights if self.is_weighted else None
        self._check(groups, weights)
        given = {"cells": cells, "groups": groups, "weights": weights}
        is_same = all(getattr(self, name) is value for name, value in given.items())
        return self if is_same else self._bound(known=Known(), **given)

    def with_terms(self, terms: tuple[Term, ...]) -> Composite:
        """The same score of other terms."""
        return self._bound(terms=terms, known=None)

    def on_simulated(self, n: int) -> Composite:
        """As `Metric.on_simulated`: rows in fours, if there are groups, that weigh the same."""
        return self._bound(
            groups=np.arange(n) // 4 if self._has_groups else None,
            weights=np.ones(n) if self.is_weighted else None,
        )

    @property
    def _has_groups(self) -> bool:
        return any(term.over == BY_GROUP for term in self.terms)

    def _check(self, groups: np.ndarray | None, weights: np.ndarray | None) -> None:
        if groups is None and self._has_groups:
            raise InputError(
                f"metric '{self.name}': a score by group needs groups of rows, and there are none. "
                "Name their column as 'group' (shakedown dryrun: --group), or another metric."
            )
        if weights is None and self.is_weighted:
            raise InputError(
                f"metric '{self.name}': a weighted score needs a weight for each row, and there is "
                "none. Name their column as 'weight' (shakedown dryrun: --weight), or another "
                "metric."
            )

    def parts(self, term: Term, y: np.ndarray) -> Parts:
        """The parts of a term whose score is defined with these responses, shape (n,)."""
        return self._parts(term, y, self._set(len(y)))

    def _parts(self, term: Term, y: np.ndarray, scored: _Set) -> Parts:

        def made() -> Parts:
            cells, counts = self._found(term, y, scored)
            return Parts(cells, np.ones(len(cells)) if counts is None else counts)

        return made() if self.known is None else self.known.parts(term, y, made)

    def _found(
        self, term: Term, y: np.ndarray, scored: _Set
    ) -> tuple[list[np.ndarray], np.ndarray | None]:
        """The cells of each part of a term, and what it counts; None if all count the same."""
        codes = {BY_RESPONSE: scored.responses, BY_ROW: scored.rows, BY_GROUP: scored.groups}
        counting = np.arange(len(y)) if scored.weights is None else np.flatnonzero(scored.weights)
        if term.over and term.over not in MEANS and scored.responses is not None:
            is_own = scored.responses[counting] == self.cells.names.index(term.over)
            return ([counting[is_own]] if is_own.any() else []), None
        of_cells = codes.get(term.over)
        if of_cells is None:
            return [counting], None
        order = counting[np.argsort(of_cells[counting], kind="stable")]
        parts = np.split(order, np.flatnonzero(np.diff(of_cells[order])) + 1)
        parts = [own for own in parts if len(own) and has_score(term.metric, y[own])]
        if not term.part_weight:
            return parts, None
        # The copies of a cell in a sample are of one response, and each of another row and group.
        copies = len(y) // self._size(len(y)) if term.over == BY_RESPONSE else 1
        sizes = np.bincount(of_cells) / copies
        counts = [PART_WEIGHTS[term.part_weight](sizes[of_cells[own[0]]]) for own in parts]
        return parts, np.array(counts)

    def _size(self, n: int) -> int:
        """The number of cells of the set, n if it is not known."""
        rows = None if self.cells is None else self.cells.rows
        given = [values for values in (rows, self.groups, self.weights) if values is not None]
        return len(given[0]) if given else n

    def _set(self, n: int) -> _Set:
        """The set of n cells that is scored; a sample may repeat each of its cells."""
        size = self._size(n)
        times = n // size
        if times * size != n:
            raise InputError(
                f"metric '{self.name}': wanted {size:,} cells, or a multiple; got {n:,}."
            )
        again = np.tile(np.arange(times), size)

        def repeated(values: np.ndarray | None, *, apart: bool) -> np.ndarray | None:
            """Values of the repeated cells; `apart`, codes of which each copy has its own."""
            if values is None or times == 1:
                return values
            many = np.repeat(values, times)
            return many * times + again if apart else many

        _, responses, rows = (None, None, None) if self.cells is None else self.cells
        return _Set(
            repeated(responses, apart=False),
            repeated(rows, apart=True),
            repeated(self.groups, apart=True),
            repeated(self.weights, apart=False),
        )


def _product(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray | None:
    """The product of two weights of cells, shape (n,); None for weights that are all equal."""
    if a is None or b is None:
        return b if a is None else a
    return a * b
