"""Residuals with larger outliers than normal noise has."""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np
from scipy import stats

from shakedown.dryrun.assumptions.check import LEVEL, Check
from shakedown.dryrun.assumptions.checks.unequal_variance import scaled
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.dryrun.assumptions.sample import Sample
from shakedown.wording import amount

#: Fewest rows for which the test is meant.
ROWS = 20
#: Kurtosis of the normal distribution.
NORMAL = 3.0
#: Standard deviations at which a response is clipped.
CLIPPED = 3.0


class HeavyTails(Check):
    """Residuals with a larger fourth moment than the normal distribution."""

    name: ClassVar[str] = "heavy_tails"
    label: ClassVar[str] = "Heavy tails"
    sentence: ClassVar[str] = (
        "The kurtosis of the residuals of honest models against that of the normal distribution "
        "(Anscombe & Glynn 1983); where their variance visibly differs, residuals are first "
        "divided by their standard deviations."
    )
    order: ClassVar[float] = 5
    is_of_noise: ClassVar[bool] = True

    def look(self, sample: Sample) -> Finding | None:
        left = scaled(sample)
        if sample.worth * len(left) < ROWS or not np.ptp(left) > 0:
            return None
        kurtosis = float(stats.kurtosis(left, fisher=False))
        if kurtosis <= NORMAL:  # the test fails for far smaller ones
            return None
        p_value = chance_of(kurtosis, sample.worth * len(left))
        if p_value >= LEVEL:
            return None
        # The largest row of so many normal ones is about sqrt(2 ln n) standard deviations away.
        usual = 2.0 * np.log(sample.n) / sample.public_rows
        largest = float(np.max(sample.residuals**2)) / sample.public_rows
        clipped = CLIPPED**2 / sample.public_rows
        return Finding(
            sentence=(
                f"The response has outliers that honest models do not predict (kurtosis "
                f"{amount(kurtosis)}, {NORMAL:g} for normal noise): who knows the largest public "
                f"row can gain {amount(largest, 2)} of the noise's variance, where it is "
                f"{amount(usual, 2)} with normal noise."
            ),
            cure=(
                "Clip or transform the response before the challenge, or do not rely on what is "
                f"said to be safe: clipped at {CLIPPED:g} standard deviations, a row is worth "
                f"{amount(clipped, 2)} at most."
            ),
            quantity="worth of the largest public row, as a share of the noise's variance",
            assumed=float(usual),
            found=largest,
            statistic="kurtosis of residuals",
            value=kurtosis,
            p_value=p_value,
            withholds=True,
        )


def chance_of(kurtosis: float, n: float) -> float:
    """The chance of so large a kurtosis of n independent normal numbers (Anscombe & Glynn 1983)."""
    mean = NORMAL * (n - 1.0) / (n + 1.0)
    variance = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) ** 2 * (n + 3.0) * (n + 5.0))
    skewness = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0))
    skewness *= sqrt(6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0)))
    free = 6.0 + 8.0 / skewness * (2.0 / skewness + sqrt(1.0 + 4.0 / skewness**2))
    part = 1.0 + (kurtosis - mean) / sqrt(variance) * sqrt(2.0 / (free - 4.0))
    root = ((1.0 - 2.0 / free) / part) ** (1.0 / 3.0)
    return float(stats.norm.sf((1.0 - 2.0 / (9.0 * free) - root) / sqrt(2.0 / (9.0 * free))))
