"""Scores that are put together from metrics of single responses, or of single rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shakedown.interface import Cells, InputError
from shakedown.metrics.kernels import CONCORDANCE, MEAN_LOSS
from shakedown.metrics.metric import Metric

#: Words between a metric and what it is computed on.
BY_RESPONSE, BY_ROW, OF = " by response", " by row", " of "
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_WEIGHTED = re.compile(rf"({_NUMBER})\s*\*\s*(.+)", re.IGNORECASE)
_SCALED = re.compile(rf"z\((.+),\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\)", re.IGNORECASE)


@dataclass(frozen=True)
class Term:
    """One term of a composite score: weight x (score - centre) / spread.

    Attributes
    ----------
    metric : Metric
    over : str
        `BY_RESPONSE` or `BY_ROW`: the mean over them; else the name of the one response that
        counts, or "" for all cells together.
    weight, centre, spread : float
    """

    metric: Metric
    over: str
    weight: float = 1.0
    centre: float = 0.0
    spread: float = 1.0

    @property
    def words(self) -> str:
        """The term in words."""
        means = {BY_RESPONSE: "mean {} over responses", BY_ROW: "mean {} over rows", "": "{}"}
        text = means.get(self.over, f"{{}} of {self.over}").format(self.metric.label)
        if (self.centre, self.spread) != (0.0, 1.0):
            text = f"({text} − {self.centre:g}) / {self.spread:g}"
        return text if self.weight == 1.0 else f"{self.weight:g} × {text}"


def is_composite(name: str) -> bool:
    """Whether a metric's name describes a composite score."""
    return any(word in name for word in (BY_RESPONSE, BY_ROW, OF, "*", "z(", " + "))


def composite(name: str, find: Callable[[str], Metric]) -> Composite:
    """The score that a name describes, such as "pearson by response" or "0.5*mse + 0.5*mae".

    Parameters
    ----------
    name : str
        Terms joined by " + ".  Each is a metric, also with " by response", " by row" or " of " and
        the name of a response; with "w*" before it, times w; as "z(..., centre, spread)", less
        `centre` and divided by `spread`.
    find : callable
        Finds the metric of a name.

    Raises
    ------
    InputError
        If a term cannot be read, or terms pull in opposite directions.
    """
    terms = [_term(part.strip(), name, find) for part in name.split(" + ")]
    larger = terms[0].metric.larger_is_better == (terms[0].weight > 0)
    for part, term in zip(name.split(" + "), terms, strict=True):
        if (term.metric.larger_is_better == (term.weight > 0)) != larger:
            raise InputError(
                f"metric '{name}': the larger the better, or the smaller? Of '{part.strip()}' it "
                "is the other way round than of the first term. Give one of them a weight below 0, "
                f"such as -1*{part.strip()}."
            )
    words = " + ".join(term.words for term in terms)
    code = {
        "name": name,
        "label": words,
        "sentence": f"The score is {words}.",
        "larger_is_better": larger,
        "terms": tuple(terms),
    }
    return type("OfTerms", (Composite,), {"__module__": __name__, **code})()


def _term(text: str, name: str, find: Callable[[str], Metric]) -> Term:
    weight, centre, spread = 1.0, 0.0, 1.0
    if weighted := _WEIGHTED.fullmatch(text):
        weight, text = float(weighted[1]), weighted[2].strip()
    if scaled := _SCALED.fullmatch(text):
        text, centre, spread = scaled[1].strip(), float(scaled[2]), float(scaled[3])
    if weight == 0.0 or spread <= 0.0 or not np.isfinite([weight, centre, spread]).all():
        raise InputError(
            f"metric '{name}': wanted weights other than 0 and spreads above 0; got {weight:g} and "
            f"{spread:g} in '{text}'. Leave the term out, or correct it."
        )
    over = next((word for word in (BY_RESPONSE, BY_ROW) if text.endswith(word)), "")
    base = text.removesuffix(over)
    if not over and OF in text:
        base, _, over = (part.strip() for part in text.partition(OF))
    if is_composite(base):
        raise InputError(
            f"metric '{name}': cannot read the term '{text}'. Wanted a metric, also with "
            "' by response', ' by row' or ' of ' and a response; with 'w*' before it, or as "
            "'z(..., centre, spread)'."
        )
    return Term(find(base), over, weight, centre, spread)


class Composite(Metric):
    """A sum of terms; each is a mean of a metric over responses or rows, or that of one response.

    A part whose responses are all equal has no correlation, and no error relative to their spread:
    it is left out of a mean.  Predictions that are all equal have the correlation 0.

    Attributes
    ----------
    terms : tuple of Term
    cells : Cells or None
        Of the set that is scored; see `on`.
    """

    terms: ClassVar[tuple[Term, ...]]
    cells: ClassVar[Cells | None] = None

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        """The score of one file, all three of shape (n,)."""
        total = 0.0
        for term in self.terms:
            scores, weights = [], []
            for own in self.parts(term, y):
                w = None if sample_weight is None else sample_weight[own]
                if w is not None and not w.any():
                    continue
                scores.append(_score(term.metric, y[own], prediction[own], w))
                # Rows are drawn in a bootstrap; responses are not.
                is_row = term.over == BY_ROW and w is not None
                weights.append(float(w.mean()) if is_row else 1.0)
            mean = float(np.average(scores, weights=weights)) if scores else 0.0
            total += term.weight * (mean - term.centre) / term.spread
        return total

    def judge(self, y: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scores = np.zeros(len(predictions))
        for term in self.terms:
            parts = [
                _scores(term.metric, y[own], np.ascontiguousarray(predictions[:, own]))
                for own in self.parts(term, y)
            ]
            mean = np.mean(parts, axis=0) if parts else 0.0
            scores += term.weight * (mean - term.centre) / term.spread
        return predictions, self.sign * scores

    @property
    def scores_constants(self) -> bool:
        return True

    @property
    def degree(self) -> float:
        """0: scores of several responses are those of standardised ones."""
        return 0.0

    def on(self, cells: Cells | None, groups: np.ndarray | None = None) -> Composite:
        """The score for these cells.

        Raises
        ------
        InputError
            If a term needs several responses, or one that is not there.
        """
        for term in self.terms:
            if term.over == BY_ROW and cells is None:
                raise InputError(
                    f"metric '{self.name}': a score by row needs several responses, and there is "
                    "one. Name several responses, or another metric."
                )
            names = () if cells is None else cells.names
            if term.over not in (BY_RESPONSE, BY_ROW, "", *names):
                raise InputError(
                    f"metric '{self.name}': '{term.over}' is none of the responses "
                    f"{list(names[:10])}. Correct the name."
                )
        is_same = cells is self.cells and groups is self.groups
        return self if is_same else self._bound(cells=cells, groups=groups)

    def parts(self, term: Term, y: np.ndarray) -> list[np.ndarray]:
        """The cells of each part of a term whose score is defined, by index."""
        if term.over == "" or self.cells is None:
            return [np.arange(len(y))]
        responses, rows = self._codes(len(y))
        if term.over not in (BY_RESPONSE, BY_ROW):
            return [np.flatnonzero(responses == self.cells.names.index(term.over))]
        codes = rows if term.over == BY_ROW else responses
        order = np.argsort(codes, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
        return [own for own in parts if _has_score(term.metric, y[own])]

    def _codes(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """The response and the row of each of n cells; a sample may repeat each cell."""
        _, responses, rows = self.cells
        if n == len(rows):
            return responses, rows
        times = n // len(rows)
        if times * len(rows) != n:
            raise InputError(
                f"metric '{self.name}': wanted {len(rows):,} cells, or a multiple; got {n:,}."
            )
        again = np.tile(np.arange(times), len(rows))
        return np.repeat(responses, times), np.repeat(rows, times) * times + again


def _has_score(metric: Metric, y: np.ndarray) -> bool:
    """Whether the metric is defined on a part with these responses."""
    if np.ptp(y) > 0.0:
        return True
    return not metric.larger_is_better and bool(np.isfinite(metric.score(y, y[None] + 1.0)[0]))


def _scores(metric: Metric, y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    """Scores of files on a part, shape (m,); a correlation that has no meaning is 0."""
    scores = metric.score(y, predictions)
    return np.nan_to_num(scores) if metric.larger_is_better else scores


def _score(metric: Metric, y: np.ndarray, prediction: np.ndarray, weight: np.ndarray | None):
    """The score of one file on a part, with weights of its cells."""
    if weight is None:
        return float(_scores(metric, y, prediction[None])[0])
    if metric.formula is None:
        score = metric.function(y, prediction, sample_weight=weight)
        return float(np.nan_to_num(score)) if metric.larger_is_better else float(score)
    rows, _ = metric.judge(prepared := metric.prepare(y), prediction[None])
    share = weight / weight.sum()
    if metric.formula == MEAN_LOSS:
        mean = float(share @ rows[0])
        return mean**0.5 if metric.root else mean
    a, b = prepared - share @ prepared, rows[0] - share @ rows[0]
    aa, bb, ab = share @ (a * a), share @ (b * b), share @ (a * b)
    scale = (aa * bb) ** 0.5
    if metric.formula == CONCORDANCE:
        scale = 0.5 * (aa + bb + (share @ (prepared - rows[0])) ** 2)
    return float(ab / scale) if scale > 0.0 else 0.0
