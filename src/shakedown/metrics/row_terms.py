"""Composite scores that are a mean over rows, so that boards compare two files row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from shakedown.interface import Cells, InputError
from shakedown.metrics.classes import NUMBERS, PROBABILITIES, RISKS, TIMES, kind_of
from shakedown.metrics.composite import Composite
from shakedown.metrics.composite_names import (
    BY_GROUP,
    BY_ROW,
    Term,
    is_weighted,
    larger_is_better,
    terms_of,
)
from shakedown.metrics.kernels import MEAN_LOSS, ZERO_ONE, grouped
from shakedown.metrics.metric import Metric
from shakedown.metrics.parts import scores_of_all
from shakedown.wording import some


def composite(name: str, find: Callable[[str], Metric]) -> Composite:
    """The score that a name describes, such as "pearson by response" or "0.5*mse + 0.5*mae".

    Parameters
    ----------
    name : str
        Terms joined by " + ".  Each is a metric, also with " by response", " by row", " by group"
        or " of " and the name of a response; with "w*" before it, times w; as
        "z(..., centre, spread)", less `centre` and divided by `spread`.  A mean over parts may end
        in " with weight" and one of `PART_WEIGHTS`.  If the name begins with "weighted ", each row
        has a weight.
    find : callable
        Finds the metric of a name.

    Raises
    ------
    InputError
        If a term cannot be read, or terms pull in opposite directions.
    """
    terms, weighted = terms_of(name, find), is_weighted(name)
    words = " + ".join(term.words(is_weighted=weighted) for term in terms)
    code = {
        "name": name,
        "label": words,
        "sentence": f"The score is {words}.",
        "larger_is_better": larger_is_better(terms[0]),
        "terms": terms,
        "response": kind_of(term.metric.response for term in terms),
        "predicts": _predicts(terms),
        "is_weighted": weighted,
    }
    kind = Composite
    if any(term.metric.response == TIMES for term in terms):
        _check_times(name, terms)
        code |= {"predicts": RISKS}
    if _is_loss(terms, weighted=weighted):
        kind, code = WeightedLoss, code | {"root": terms[0].metric.root}
    elif all(term.over == BY_ROW for term in terms):
        kind = MeanOverRows
    return type("OfTerms", (kind,), {"__module__": __name__, **code})()


def _check_times(name: str, terms: tuple[Term, ...]) -> None:
    """Check the terms of a composite score of which some score censored times."""
    if others := [term.metric.name for term in terms if term.metric.response != TIMES]:
        raise InputError(
            f"metric '{name}': scores of censored times can only be added to each other, such as "
            f"0.5*c_index + 0.5*iauc; got {some(others)}, too. Leave it out."
        )


class WeightedLoss(Composite):
    """A mean of squared or absolute errors in which rows have weights, or its root.

    The rows have terms whose plain mean is the score, so that boards compare two files by a paired
    test, and draw rows, as of a plain mean of losses.  A row that is drawn brings its weight; the
    sum of the weights stays that of the set.
    """

    formula: ClassVar[int] = MEAN_LOSS

    def judge(self, y: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `Composite.judge`."""
        self._check(self.groups, self.weights)
        (term,), scored, n = self.terms, self._set(len(y)), len(y)
        shares = np.zeros(n)
        parts = self._parts(term, y, scored)
        for own, count in zip(parts.cells, parts.counts, strict=True):
            w = np.ones(len(own)) if scored.weights is None else scored.weights[own]
            shares[own] = count * w / w.sum()
        # Where no group counts, the score is 0, like that of any mean over no parts.
        rows = term.metric.judge(y, predictions)[0] * (shares * (n / (shares.sum() or 1.0)))
        means = rows.mean(axis=1)
        if scored.groups is not None:
            rows = grouped(rows, scored.groups, int(scored.groups.max()) + 1)
        return rows, np.sqrt(means) if self.root else means


class MeanOverRows(Composite):
    """A mean over rows of scores of each row, or a sum of such means.

    The rows have terms whose plain mean is the score, with the sign of a risk: boards compare two
    files by a paired test of them, and draw rows, as of losses.
    """

    formula: ClassVar[int] = MEAN_LOSS

    @property
    def is_compiled(self) -> bool:
        fast = not self.is_weighted and len(self.terms) == 1
        return fast and all(t.metric.is_compiled and not t.metric.ranks for t in self.terms)

    def on_simulated(self, n: int) -> MeanOverRows:
        """As `Metric.on_simulated`: rows of four responses, that weigh the same."""
        rows = np.arange(n) // 4
        weights = np.ones(n) if self.is_weighted else None
        return self._bound(
            cells=Cells(("a", "b", "c", "d"), np.arange(n) % 4, rows), groups=rows, weights=weights
        )

    def judge(self, y: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `Composite.judge`."""
        self._check(self.groups, self.weights)
        scored = self._set(len(y))
        row_of = np.zeros(len(y), int) if scored.rows is None else scored.rows
        count = int(row_of.max()) + 1
        rows = np.zeros((len(predictions), count))
        for term in self.terms:
            parts, factor = self._parts(term, y, scored), self.sign * term.weight / term.spread
            # A row without a score adds nothing; the others count more, so that the mean is theirs.
            shares = factor * count * parts.counts / (parts.counts.sum() or 1.0)
            scores = scores_of_all(term.metric, y, predictions, parts, scored.weights)
            rows[:, row_of[parts.first]] += shares * scores
            rows -= factor * term.centre
        means = rows.mean(axis=1)
        if scored.groups is not None:
            of_row = np.zeros(count, int)
            of_row[row_of] = scored.groups
            rows = grouped(rows, of_row, int(of_row.max()) + 1)
        return rows, means


def _predicts(terms: tuple[Term, ...]) -> str:
    """What a prediction is: the same for all terms, or numbers, of which each takes its part."""
    kinds = {term.metric.predicts for term in terms}
    if PROBABILITIES in kinds and NUMBERS not in kinds:
        return PROBABILITIES  # which are scores, too, and say which class is likely
    return kinds.pop() if len(kinds) == 1 else NUMBERS


def _is_loss(terms: tuple[Term, ...], *, weighted: bool) -> bool:
    """Whether a score is a mean over rows of losses with weights, or its root."""
    (term, *others) = terms
    metric = term.metric
    if others or term.is_scaled or term.weight != 1.0 or not metric.has_losses:
        return False
    if metric.loss == ZERO_ONE or term.over not in ("", BY_GROUP):
        return False
    return not metric.root if term.over else weighted
