"""442 patients, disease progression, the 64 columns of Efron et al.

References
----------
B. Efron, T. Hastie, I. Johnstone and R. Tibshirani, "Least Angle Regression", Annals of
Statistics 32 (2004) 407-499: the data, and the "quadratic model" of 10 main effects, 9 squares
and 45 products.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import ClassVar

import numpy as np

from shakedown.data.recipe import Recipe
from shakedown.interface import Challenge, Shape


class Diabetes(Recipe):
    """The diabetes data."""

    name: ClassVar[str] = "diabetes"
    label: ClassVar[str] = "Diabetes"
    sentence: ClassVar[str] = (
        "Disease progression of 442 patients, with 10 measurements, 9 of their squares and 45 "
        "products."
    )
    source: ClassVar[str] = "Efron et al. (2004)"
    order: ClassVar[float] = 2

    def planned_shape(self, folder: Path) -> Shape:
        return Shape(442, 64)

    def read(self, name: str, *, rng: np.random.Generator, folder: Path) -> Challenge:
        """Return scikit-learn's copy of the diabetes data, expanded to 64 columns; no randomness.

        Returns
        -------
        Challenge
            X of shape (442, 64): age (years), sex (1 or 2), bmi (kg/m²), bp (mm Hg), six blood
            serum measurements s1 to s6, then the squares ``age^2`` ... (not of sex, whose square is
            redundant), then the products ``age:sex`` ....  y measures disease progression after one
            year, 25 to 346.
        """
        from sklearn.datasets import load_diabetes

        data = load_diabetes(scaled=False)
        names = list(data.feature_names)
        main = np.asarray(data.data, dtype=np.float64)
        # Squares and products of centred columns, because others would correlate with the main
        # effects.  A model of all 64 columns is the same either way.
        centred = main - main.mean(axis=0)
        squares = [j for j, feature in enumerate(names) if feature != "sex"]
        products = list(combinations(range(len(names)), 2))
        X = np.asfortranarray(
            np.column_stack(
                [
                    main,
                    centred[:, squares] ** 2,
                    *(centred[:, i] * centred[:, j] for i, j in products),
                ]
            )
        )
        features = [
            *names,
            *(f"{names[j]}^2" for j in squares),
            *(f"{names[i]}:{names[j]}" for i, j in products),
        ]
        return Challenge(
            name=name,
            X=X,
            y=np.asarray(data.target, dtype=np.float64),
            rows=np.array([str(i + 1) for i in range(len(main))]),
            features=np.array(features),
            notes=(
                "Diabetes data of Efron et al. (2004): disease progression of 442 patients; "
                "10 measurements, 9 squares and 45 products of the centred measurements.",
            ),
        )
