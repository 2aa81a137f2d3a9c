"""Gaussian noise on every score: the simplest noisy board."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from shakedown.component import parameter
from shakedown.leaderboard.disclosure import Disclosure, uncounted
from shakedown.leaderboard.gates import Always, Gate
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Release
from shakedown.metrics import Metric
from shakedown.terms import Terms


class GaussianNoise(Mechanism):
    """Gaussian noise."""

    name: ClassVar[str] = "gaussian_noise"
    label: ClassVar[str] = "Gaussian noise"
    phrase: ClassVar[str] = "shows every submission's score with noise"
    sentence: ClassVar[str] = (
        "Releases every submission's score plus new normal noise. Averages over "
        "files remove the noise, and noise that protects a small public set makes its board "
        "useless."
    )
    order: ClassVar[float] = 14
    examples: ClassVar[tuple[dict, ...]] = ({"sd": 0.05},)

    sd: float = parameter(
        gt=0.0,
        symbol="sd",
        role="noise",
        unit="score",
        descending=True,
        description="Standard deviation of the noise, in units of the score.",
    )

    @cached_property
    def gate(self) -> Gate:
        return Always()

    @cached_property
    def release(self) -> Release:
        return WithGaussianNoise(self.sd)


@dataclass(frozen=True)
class WithGaussianNoise(Release):
    """Release the score in force plus normal noise."""

    noise_sd: float
    name = "gaussian_noise"
    is_noisy = True
    shows_in_force = True
    by_scores = True

    @property
    def normal_sd(self) -> float:
        return self.noise_sd

    def terms(self, terms: Terms, n: int) -> Terms:
        return replace(self.stated(terms, n), noise_sd=self.noise_sd)

    def disclosure(self, gate: Gate, n: int, sign: int) -> Disclosure:
        return uncounted(
            "Every score has fresh noise: it takes any value, and averages out. Where the size of "
            "files is bounded (`value_range`), `--noise` bounds the gain on average."
        )

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        risks = np.where(standing >= 0, batch.risks[standing], best.risk)
        return risks + self.noise_sd * rng.standard_normal(len(standing))
