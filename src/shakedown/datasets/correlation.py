"""How simulated features go together: draws of them, and the variance of their weighted sums.

Every structure has features of mean 0 and variance 1 in the population.  Nowhere is a matrix of
features x features made: all is linear in their number.  Arrays are (features, rows), C order, so
that a feature is contiguous.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np


class Structure(Protocol):
    """A correlation structure; Σ stands for the features' correlation matrix."""

    def draw(self, rng: np.random.Generator, features: int, rows: int) -> np.ndarray:
        """Return independent normal rows of features, shape (features, rows)."""
        ...

    def variance(self, weights: np.ndarray) -> float:
        """Population variance w'Σw of the features' sum with `weights` w, shape (features,)."""
        ...


@dataclass(frozen=True)
class Independent:
    """Σ = I."""

    def draw(self, rng, features, rows):  # noqa: D102
        return rng.standard_normal((features, rows))

    def variance(self, weights):  # noqa: D102
        return float(np.sum(weights**2))


@dataclass(frozen=True)
class AutoRegressive:
    """Σ[i, j] = rho ** abs(i - j): features go with their neighbours."""

    rho: float

    def draw(self, rng, features, rows):  # noqa: D102
        X = rng.standard_normal((features, rows))
        X[1:] *= np.sqrt(1 - self.rho**2)
        for j in range(1, features):
            X[j] += self.rho * X[j - 1]
        return X

    def variance(self, weights):  # noqa: D102
        # Σ_ij rho^|i-j| w_i w_j = Σ_j w_j² + 2 Σ_j w_j c_j with c_j = rho (c_{j-1} + w_{j-1}).
        total = carried = 0.0
        for w in weights.tolist():
            total += w * (w + 2 * carried)
            carried = self.rho * (carried + w)
        return total


@dataclass(frozen=True)
class Compound:
    """Σ[i, j] = rho off the diagonal: all pairs go together alike."""

    rho: float

    def draw(self, rng, features, rows):  # noqa: D102
        # The symmetric root of Σ = (1 - rho) I + rho J serves negative rho as well.
        X = rng.standard_normal((features, rows))
        mean = X.mean(axis=0)  # (rows,)
        apart = np.sqrt(1 - self.rho)
        together = np.sqrt(1 + (features - 1) * self.rho)
        X *= apart
        X += (together - apart) * mean
        return X

    def variance(self, weights):  # noqa: D102
        return float((1 - self.rho) * (np.sum(weights**2)) + self.rho * weights.sum() ** 2)


@dataclass(frozen=True, eq=False)
class Factor:
    """Σ = LL' + (1 - share) I, where each row of the loadings L has squared length `share`.

    Attributes
    ----------
    loadings : ndarray of float, shape (features, factors)
    share : float
        What the common factors explain of each feature's variance, 0 <= share < 1.
    """

    loadings: np.ndarray
    share: float

    @classmethod
    def random(
        cls, rng: np.random.Generator, features: int, *, factors: int, share: float
    ) -> Factor:
        """Draw loadings in random directions."""
        loadings = rng.standard_normal((features, factors))
        loadings *= np.sqrt(share) / np.linalg.norm(loadings, axis=1, keepdims=True)
        return cls(loadings, share)

    def draw(self, rng, features, rows):  # noqa: D102
        common = rng.standard_normal((self.loadings.shape[1], rows))  # (factors, rows)
        # Not `@`: its last bits depend on the number of BLAS threads.
        X = np.einsum("pk,kn->pn", self.loadings, common, optimize=False)
        own = np.sqrt(1 - self.share)
        for j in range(features):
            X[j] += own * rng.standard_normal(rows)
        return X

    def variance(self, weights):  # noqa: D102
        on_factors = np.einsum("pk,p->k", self.loadings, weights, optimize=False)
        return float(np.sum(on_factors**2) + (1 - self.share) * (np.sum(weights**2)))
