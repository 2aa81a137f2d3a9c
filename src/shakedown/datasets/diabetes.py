"""Recipe "diabetes": 442 patients, disease progression, the 64 columns of Efron et al.

References
----------
B. Efron, T. Hastie, I. Johnstone and R. Tibshirani, "Least Angle Regression", Annals of
Statistics 32 (2004) 407-499: the data, and the "quadratic model" of 10 main effects, 9 squares
and 45 products.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from shakedown.datasets.settings import check_keys
from shakedown.interface import Challenge


def check(name: str, recipe: Mapping[str, Any], *, folder: Path) -> None:
    """Refuse settings: the recipe has none."""
    check_keys(name, recipe, required=("recipe",), optional=())


def read(
    name: str, recipe: Mapping[str, Any], *, rng: np.random.Generator, folder: Path
) -> Challenge:
    """Return scikit-learn's copy of the diabetes data, expanded to 64 columns.

    Parameters
    ----------
    name : str
        The data set's id.
    recipe : mapping
        No settings.
    rng : numpy.random.Generator
        Not used.
    folder : Path
        Not used.

    Returns
    -------
    Challenge
        X of shape (442, 64): age (years), sex (1 or 2), bmi (kg/m²), bp (mm Hg), six blood
        serum measurements s1 to s6, then the squares ``age^2`` ... without sex, whose square
        says nothing new, then the products ``age:sex`` ....  y is a measure of disease
        progression after one year, 25 to 346.

    Raises
    ------
    InputError
        If the recipe has settings.
    """
    from sklearn.datasets import load_diabetes

    check(name, recipe, folder=folder)
    data = load_diabetes(scaled=False)
    names = list(data.feature_names)
    main = np.asarray(data.data, dtype=np.float64)
    # Squares and products are of centred columns: else each would repeat its main effects.
    # A model of all 64 columns is the same either way.
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
