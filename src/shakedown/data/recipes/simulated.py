"""Simulated normal features with a given correlation, and a response with a given R²."""

from __future__ import annotations

from pathlib import Path
from statistics import NormalDist
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field, model_validator

from shakedown.component import Parameters, parameter
from shakedown.data.checks import MIN_ROWS, MOST_CELLS, MOST_FEATURES, MOST_ROWS
from shakedown.data.correlation import Correlation, Structure
from shakedown.data.recipe import Recipe
from shakedown.interface import Challenge, InputError, Shape
from shakedown.wording import counted


class Signal(Parameters):
    """The linear signal of the features in the response."""

    r2: float = parameter(
        0.0,
        ge=0,
        le=1,
        description="Share of the response's variance that the features explain, from 0 to 1.",
    )
    features: int = parameter(10, ge=1, description="Number of features that carry the signal.")


class Simulated(Recipe):
    """Simulated features and response."""

    name: ClassVar[str] = "simulated"
    label: ClassVar[str] = "Simulated"
    sentence: ClassVar[str] = (
        "Normal features with a given correlation, and a response of which they explain a given "
        "share of the variance."
    )
    order: ClassVar[float] = 1
    examples: ClassVar[tuple[dict, ...]] = (
        {"rows": 30, "features": 4},
        {
            "rows": 40,
            "features": 6,
            "correlation": {"structure": "factor", "factors": 2, "share": 0.5},
            "signal": {"r2": 0.3, "features": 3},
        },
    )

    rows: int = parameter(
        ge=MIN_ROWS,
        le=MOST_ROWS,
        description="Number of rows n; each of the train, public and final sets has a third.",
    )
    features: int = parameter(ge=1, le=MOST_FEATURES, description="Number of features p.")
    correlation: Correlation = parameter(
        Correlation(), description="How the features are correlated."
    )
    signal: Signal = parameter(Signal(), description="The signal of the features in the response.")

    classes: Annotated[list[Annotated[float, Field(gt=0, lt=1)]], Field(min_length=2)] | None = (
        parameter(
            None,
            description=(
                "Shares of the classes into which the response is cut, the smallest values first, "
                "such as [0.7, 0.3]; they count as 0, 1, ...  null: it stays a number."
            ),
        )
    )

    @model_validator(mode="after")
    def _possible(self) -> Simulated:
        if self.rows * self.features > MOST_CELLS:
            raise InputError(
                f"`rows` times `features` must be at most {MOST_CELLS:,} "
                f"({8 * MOST_CELLS / 1e9:g} GB); got {self.rows * self.features:,}. Make fewer of "
                "them."
            )
        if self.classes is not None and abs(sum(self.classes) - 1.0) > 1e-9:
            raise InputError(
                f"`classes` must be shares with the sum 1; got {self.classes}, with the sum "
                f"{sum(self.classes):g}."
            )
        self.correlation.check(self.features)
        if self.signal.r2 > 0 and self.signal.features > self.features:
            raise InputError(
                f"`signal.features` must be at most {self.features}, the number of features; got "
                f"{self.signal.features}."
            )
        return self

    def planned_shape(self, folder: Path) -> Shape:
        return Shape(self.rows, self.features)

    def read(self, name: str, *, rng: np.random.Generator, folder: Path) -> Challenge:
        """Simulate a data set.

        Returns
        -------
        Challenge
            X of shape (n, p) and y, with population mean 0 and variance 1, or its class.  X does
            not depend on the settings of the signal.
        """
        n, p, r2 = self.rows, self.features, self.signal.r2
        structure = self.correlation.drawn(rng, p)
        X = structure.draw(rng, p, n)  # (p, n)
        noise = rng.standard_normal(n)
        y = np.sqrt(1 - r2) * noise
        if r2 > 0:
            weights = draw_weights(structure, p, r2=r2, carriers=self.signal.features, rng=rng)
            for j in np.flatnonzero(weights):
                y += weights[j] * X[j]
        if self.classes is not None:
            cuts = [NormalDist().inv_cdf(share) for share in np.cumsum(self.classes)[:-1]]
            y = np.digitize(y, cuts).astype(float)
        return Challenge(
            name=name,
            X=X.T,
            y=y,
            rows=np.array([str(i + 1) for i in range(n)]),
            features=np.array([f"x{j + 1}" for j in range(p)]),
            notes=(self._note(),),
        )

    def _note(self) -> str:
        what = "unrelated to the features"
        if self.signal.r2 > 0:
            what = (
                f"a linear signal in {counted(self.signal.features, 'feature')} with a population "
                f"R² of {self.signal.r2:g}"
            )
        classes = ""
        if self.classes is not None:
            shares = ", ".join(f"{share:g}" for share in self.classes)
            classes = f", cut into classes with the shares {shares}"
        return (
            f"Simulated: {counted(self.rows, 'row')} of {counted(self.features, 'normal feature')} "
            f"with {self.correlation.words}; the response is {what}{classes}."
        )


def draw_weights(
    structure: Structure, features: int, *, r2: float, carriers: int, rng: np.random.Generator
) -> np.ndarray:
    """Normal weights w of `carriers` randomly chosen features, 0 for the others; shape (p,).

    They are scaled so that the population variance w'Σw is `r2`, which is the R² if the noise has
    the variance 1 - r2.
    """
    weights = np.zeros(features)
    chosen = rng.choice(features, size=carriers, replace=False)
    weights[chosen] = rng.standard_normal(carriers)
    return weights * np.sqrt(r2 / structure.variance(weights))
