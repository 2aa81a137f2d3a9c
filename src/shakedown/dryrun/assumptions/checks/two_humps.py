"""Residuals near two values, with a gap between them."""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np
from scipy import stats

from shakedown.dryrun.assumptions.check import LEVEL, Check
from shakedown.dryrun.assumptions.checks.few_values import FEW
from shakedown.dryrun.assumptions.checks.heavy_tails import NORMAL, ROWS
from shakedown.dryrun.assumptions.checks.unequal_variance import scaled
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.dryrun.assumptions.sample import Sample
from shakedown.wording import amount

#: Kurtosis below which residuals have two humps: it is 1 of two values, 1.8 of equally likely ones.
HUMPS = 1.6


class TwoHumps(Check):
    """Residuals with a smaller fourth moment than any distribution with one hump."""

    name: ClassVar[str] = "two_humps"
    label: ClassVar[str] = "Two humps"
    sentence: ClassVar[str] = (
        f"The kurtosis of the residuals of honest models against {HUMPS:g}, and against that of "
        "the normal distribution by its standard error."
    )
    order: ClassVar[float] = 5.5
    is_of_noise: ClassVar[bool] = True

    def look(self, sample: Sample) -> Finding | None:
        left = scaled(sample)
        n = sample.worth * len(left)
        few = len(np.unique(sample.challenge.y)) <= FEW  # which a check of its own finds
        if few or n < ROWS or not np.ptp(left) > 0:
            return None
        kurtosis = float(stats.kurtosis(left, fisher=False))
        # Mean and variance for a normal sample (Anscombe & Glynn 1983), whose lower tail is short.
        mean = NORMAL * (n - 1) / (n + 1)
        variance = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
        p_value = float(stats.norm.cdf((kurtosis - mean) / sqrt(variance)))
        if kurtosis >= HUMPS or p_value >= LEVEL:
            return None
        return Finding(
            sentence=(
                f"The response lies near two values that honest models do not tell apart (kurtosis "
                f"{amount(kurtosis)}, {NORMAL:g} for normal noise): where a file gives each row a "
                "different weight, its one score tells on which side several rows lie."
            ),
            cure=(
                "Treat the response as labels (metric zero_one), or do not rely on what is said to "
                "be safe."
            ),
            quantity="kurtosis of the noise",
            assumed=NORMAL,
            found=kurtosis,
            statistic="kurtosis of residuals",
            value=kurtosis,
            p_value=p_value,
            withholds=True,
        )
