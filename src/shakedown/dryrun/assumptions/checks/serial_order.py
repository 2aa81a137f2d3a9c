"""Rows that depend on those before them, such as a series in time."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy import stats

from shakedown.dryrun.assumptions.check import LEVEL, Check
from shakedown.dryrun.assumptions.checks.groups import grouping
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.dryrun.assumptions.sample import Sample
from shakedown.wording import counted

#: Fewest pairs of neighbouring rows.
PAIRS = 30


class SerialOrder(Check):
    """Neighbouring rows with similar residuals."""

    name: ClassVar[str] = "serial_order"
    label: ClassVar[str] = "Serial order"
    sentence: ClassVar[str] = (
        "The correlation of the residuals of neighbouring rows, by their normal scores; rows of "
        "one group, and tables that are sorted by the response, do not count."
    )
    order: ClassVar[float] = 3
    is_of_noise: ClassVar[bool] = False

    def look(self, sample: Sample) -> Finding | None:
        if _is_sorted(sample):
            return None
        found = grouping(sample)
        before, after = np.arange(sample.n - 1), np.arange(1, sample.n)
        if found is not None:
            others = found[0].codes[before] != found[0].codes[after]
            before, after = before[others], after[others]
        if len(before) < PAIRS:
            return None
        scores = sample.scores
        products = scores[before] * scores[after]
        lag = float(products.mean() / np.mean(scores**2))
        p_value = float(2.0 * stats.norm.sf(abs(lag + 1.0 / sample.n) * np.sqrt(len(before))))
        if p_value >= LEVEL:
            return None
        strength = min(abs(lag), 0.999)
        count = max(1, int(sample.n * (1.0 - strength) / (1.0 + strength)))
        return Finding(
            sentence=(
                "The residuals of neighbouring rows of the table are correlated "
                f"({lag:.2f}): count {counted(count, 'independent row')}, not {sample.n:,}."
            ),
            cure=(
                "If the order is one of time or place, make the sets by it (split). If it means "
                "nothing, shuffle the rows and look again."
            ),
            quantity="independent rows",
            assumed=sample.n,
            found=count,
            statistic="lag-1 autocorrelation of residuals",
            value=lag,
            p_value=p_value,
            withholds=True,
        )


def _is_sorted(sample: Sample) -> bool:
    """Whether each set is sorted by the response, so that the order is nothing of its own."""
    y, split = sample.challenge.y, sample.challenge.split
    parts = [y] if split is None else [y[split == name] for name in np.unique(split)]
    steps = [np.diff(part) for part in parts]
    return all((step >= 0).all() or (step <= 0).all() for step in steps)
