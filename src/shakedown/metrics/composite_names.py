"""Names of composite scores, such as "weighted rmse" or "mse by group with weight sqrt(n)"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from shakedown.interface import InputError
from shakedown.metrics.metric import Metric

#: Words between a metric and what it is computed on.
BY_RESPONSE, BY_ROW, BY_GROUP, OF = " by response", " by row", " by group", " of "
MEANS = (BY_RESPONSE, BY_ROW, BY_GROUP)
#: Begins the name of a score in which each row has a weight.
WEIGHTED = "weighted "
#: What a part of n cells counts in a mean over parts, by its name.
PART_WEIGHTS: dict[str, Callable[[float], float]] = {
    "n": float,
    "sqrt(n)": sqrt,
    "sqrt(n-1)": lambda n: sqrt(n - 1.0),
}
_LABELS = {"n": "n", "sqrt(n)": "√n", "sqrt(n-1)": "√(n − 1)"}
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_TIMES = re.compile(rf"({_NUMBER})\s*\*\s*(.+)", re.IGNORECASE)
_SCALED = re.compile(rf"z\((.+),\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\)", re.IGNORECASE)
_OF_PARTS = re.compile(rf"(.+(?:{'|'.join(MEANS)})) with weight (.+)")


@dataclass(frozen=True)
class Term:
    """One term of a composite score: weight x (score - centre) / spread.

    Attributes
    ----------
    metric : Metric
    over : str
        One of `MEANS`: the mean over these parts; else the name of the one response that counts, or
        "" for all cells together.
    part_weight : str
        One of `PART_WEIGHTS`; "" if all parts count the same.
    weight, centre, spread : float
    """

    metric: Metric
    over: str
    part_weight: str = ""
    weight: float = 1.0
    centre: float = 0.0
    spread: float = 1.0

    def words(self, *, is_weighted: bool) -> str:
        """The term in words."""
        label = f"{WEIGHTED if is_weighted else ''}{self.metric.label}"
        text = f"{label} of {self.over}" if self.over else label
        if self.over in MEANS:
            text = f"mean {label} over {self.over.removeprefix(' by ')}s"
        if self.part_weight:
            text += f" with weight {_LABELS[self.part_weight]}"
        if self.is_scaled:
            text = f"({text} − {self.centre:g}) / {self.spread:g}"
        return text if self.weight == 1.0 else f"{self.weight:g} × {text}"

    @property
    def is_scaled(self) -> bool:
        """Whether `centre` and `spread` change the score."""
        return (self.centre, self.spread) != (0.0, 1.0)


def is_composite(name: str) -> bool:
    """Whether a metric's name describes a composite score."""
    words = (*MEANS, OF, "*", "z(", " + ")
    return is_weighted(name) or any(word in name for word in words)


def is_weighted(name: str) -> bool:
    """Whether a metric's name describes a score in which each row has a weight."""
    return name.startswith(WEIGHTED)


def terms_of(name: str, find: Callable[[str], Metric]) -> tuple[Term, ...]:
    """The terms of a composite score, whose metrics `find` finds by their names.

    Raises
    ------
    InputError
        If a term cannot be read, or terms pull in opposite directions.
    """
    parts = [part.strip() for part in name.removeprefix(WEIGHTED).split(" + ")]
    terms = tuple(_term(part, name, find) for part in parts)
    larger = larger_is_better(terms[0])
    for part, term in zip(parts, terms, strict=True):
        if larger_is_better(term) != larger:
            raise InputError(
                f"metric '{name}': a larger score is {'better' if larger else 'worse'} by its "
                f"first term, and {'worse' if larger else 'better'} by '{part}'. Give one of them "
                f"a weight below 0, such as -1*{part}."
            )
    return terms


def larger_is_better(term: Term) -> bool:
    """Whether a larger term is better."""
    return term.metric.larger_is_better == (term.weight > 0)


def _term(text: str, name: str, find: Callable[[str], Metric]) -> Term:
    weight, centre, spread, part_weight = 1.0, 0.0, 1.0, ""
    if times := _TIMES.fullmatch(text):
        weight, text = float(times[1]), times[2].strip()
    if scaled := _SCALED.fullmatch(text):
        text, centre, spread = scaled[1].strip(), float(scaled[2]), float(scaled[3])
    if weight == 0.0 or spread <= 0.0 or not np.isfinite([weight, centre, spread]).all():
        raise InputError(
            f"metric '{name}': wanted weights other than 0 and spreads above 0; got {weight:g} and "
            f"{spread:g} in '{text}'. Leave the term out, or correct it."
        )
    if of_parts := _OF_PARTS.fullmatch(text):
        text, part_weight = of_parts[1], of_parts[2].replace(" ", "")
        if part_weight not in PART_WEIGHTS:
            raise InputError(
                f"metric '{name}': wanted one of {list(PART_WEIGHTS)} as the weight of a part; got "
                f"'{of_parts[2]}'. n is its number of rows."
            )
    over = next((word for word in MEANS if text.endswith(word)), "")
    base = text.removesuffix(over)
    if not over and OF in text:
        base, _, over = (part.strip() for part in text.partition(OF))
    if is_composite(base):
        raise InputError(
            f"metric '{name}': cannot read the term '{text}'. Wanted a metric, also with "
            "' by response', ' by row', ' by group' or ' of ' and a response; with 'w*' before it, "
            "or as 'z(..., centre, spread)'. 'weighted ' begins the whole name."
        )
    metric = find(base)
    if metric.needs_horizons:
        raise InputError(
            f"metric '{name}': {metric.name} is weighted already, and stands alone. Write it "
            "alone, or a score of its parts, such as 'weighted brier of 12' for the horizon 12."
        )
    return Term(metric, over, part_weight, weight, centre, spread)
