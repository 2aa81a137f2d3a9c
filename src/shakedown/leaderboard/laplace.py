"""Gate and release with Laplace noise: comparisons by the sparse vector technique.

A submission replaces the best if its score differs from the shown one by more than a noisy
threshold.  The noise of the threshold is drawn at the start and at each replacement, that of the
comparison for each submission, and that of the shown score once for each replacement.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shakedown.leaderboard.disclosure import Disclosure, uncounted
from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.releases import Release
from shakedown.metrics import Metric
from shakedown.terms import Acceptance, Terms


@dataclass(frozen=True)
class NoisyMargin(Gate):
    """Accept a submission whose risk differs from the shown one by more than a noisy margin.

    Parameters
    ----------
    margin : float
    threshold, comparison : float
        Scales of the Laplace noise of the margin and of each comparison.
    both_ways : bool
        Whether a worse score counts, too.
    budget : int or None
        Most replacements; None for any number.
    """

    margin: float
    threshold: float
    comparison: float
    both_ways: bool = False
    budget: int | None = None
    name = "noisy_margin"
    draws_weights = True
    one_by_one = True
    by_scores = True

    def draw(self, rng) -> float:
        return float(rng.laplace(scale=self.threshold))

    def terms(self, terms: Terms, n: int) -> Terms:
        noise = np.hypot(self.threshold, self.comparison) * np.sqrt(2.0)
        acceptance = Acceptance(self.margin, 0.0, noise)
        return replace(terms, acceptance=acceptance, improvements=self.budget)

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        m = len(batch.risks)
        noise = rng.laplace(scale=self.comparison, size=m)
        if best.risk == np.inf:  # nothing to compare with
            return np.arange(m)
        if self.budget is not None and best.replaced >= self.budget:
            return np.full(m, -1)
        gain = (best.risk if np.isnan(best.shown) else best.shown) - batch.risks
        gain = np.abs(gain) if self.both_ways else gain
        return np.where(gain > self.margin + best.kept + noise, np.arange(m), -1)


@dataclass(frozen=True)
class LaplaceOnce(Release):
    """Release the score in force plus Laplace noise, drawn once for each replacement."""

    scale: float
    name = "laplace"
    is_noisy = True
    shows_in_force = True
    by_scores = True

    @property
    def noise_sd(self) -> float:
        """Standard deviation of the noise."""
        return float(np.sqrt(2.0) * self.scale)

    def terms(self, terms: Terms, n: int) -> Terms:
        terms = self.stated(terms, n)
        return replace(terms, noise_sd=self.noise_sd, tells_replacement=True)

    def disclosure(self, gate: Gate, n: int, sign: int) -> Disclosure:
        return uncounted("A score with noise takes any value, so transcripts cannot be counted.")

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        drawn = batch.risks.copy()
        replaces = standing == np.arange(len(standing))
        drawn[replaces] += rng.laplace(scale=self.scale, size=np.count_nonzero(replaces))
        # The score that a board begins with is known, and has no noise.
        before = best.risk if np.isnan(best.shown) else best.shown
        return np.where(standing >= 0, drawn[standing], before)
