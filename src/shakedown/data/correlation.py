"""Correlation structures of simulated features: random draws, and variances of weighted sums.

Features have population mean 0 and variance 1.  Cost is linear in the number of features: no
features x features matrix is made.  Arrays are (features, rows), C order, so that a feature is
contiguous.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from pydantic import model_validator

from shakedown.component import Parameters, parameter
from shakedown.interface import InputError
from shakedown.wording import counted


class Structure(Protocol):
    """A correlation structure; Σ is the correlation matrix of the features."""

    def draw(self, rng: np.random.Generator, features: int, rows: int) -> np.ndarray:
        """Draw independent normal rows of features; shape (features, rows)."""
        ...

    def variance(self, weights: np.ndarray) -> float:
        """Population variance w'Σw of the sum weighted by `weights` w, shape (features,)."""
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
    """Σ[i, j] = rho ** abs(i - j): neighbours are correlated most."""

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
    """Σ[i, j] = rho off the diagonal: all pairs are equally correlated."""

    rho: float

    def draw(self, rng, features, rows):  # noqa: D102
        # The symmetric root of Σ = (1 - rho) I + rho J also works for negative rho.
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
        Share of each feature's variance explained by the common factors, 0 <= share < 1.
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


#: The parameters of each structure.
STRUCTURES = {
    "independent": (),
    "ar1": ("rho",),
    "compound": ("rho",),
    "factor": ("factors", "share"),
}


class Correlation(Parameters):
    """A structure by name, with its parameters."""

    structure: Literal["independent", "ar1", "compound", "factor"] = parameter(
        "independent",
        description=(
            "independent; ar1, rho to the power of the distance between two features; compound, "
            "the same rho for all pairs; factor, common factors."
        ),
    )
    rho: float | None = parameter(
        None, gt=-1, lt=1, description="Correlation, for ar1 and compound; above -1 and below 1."
    )
    factors: int | None = parameter(None, ge=1, description="Number of common factors, for factor.")
    share: float | None = parameter(
        None,
        ge=0,
        lt=1,
        description=(
            "Share of each feature's variance explained by common factors, for factor; at least 0 "
            "and below 1."
        ),
    )

    @model_validator(mode="after")
    def _belong(self) -> Correlation:
        wanted = STRUCTURES[self.structure]
        given = [key for key in ("rho", "factors", "share") if getattr(self, key) is not None]
        if set(given) != set(wanted):
            asked = f"needs {' and '.join(wanted)}" if wanted else "has no parameters"
            raise InputError(
                f"the correlation '{self.structure}' {asked}; got {' and '.join(given) or 'none'}."
            )
        return self

    def check(self, features: int) -> None:
        """Check that this many features can have this correlation.

        Raises
        ------
        InputError
            If there are fewer features than factors, or no such correlation matrix exists.
        """
        if self.structure == "compound" and features > 1 and self.rho <= -1 / (features - 1):
            raise InputError(
                f"`correlation.rho` must be above {-1 / (features - 1):.6g} for {features} "
                f"features; got {self.rho:g}."
            )
        if self.structure == "factor" and self.factors > features:
            raise InputError(
                f"`correlation.factors` must be at most {features}, the number of features; got "
                f"{self.factors}."
            )

    def drawn(self, rng: np.random.Generator, features: int) -> Structure:
        """The structure for this many features; only loadings of factors are random."""
        match self.structure:
            case "ar1":
                return AutoRegressive(self.rho)
            case "compound":
                return Compound(self.rho)
            case "factor":
                return Factor.random(rng, features, factors=self.factors, share=self.share)
            case _:
                return Independent()

    @property
    def words(self) -> str:
        """Description of the structure in the notes."""
        match self.structure:
            case "ar1":
                return f"AR(1) correlation of {self.rho:g} between neighbours"
            case "compound":
                return f"correlation of {self.rho:g} between all pairs"
            case "factor":
                return (
                    f"{counted(self.factors, 'common factor')} carrying {100 * self.share:g} % of "
                    "each feature's variance"
                )
            case _:
                return "no correlation"
