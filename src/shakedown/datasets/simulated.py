"""Recipe "simulated": normal features of a chosen correlation, a response of a chosen R²."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shakedown.datasets.checks import MIN_ROWS
from shakedown.datasets.correlation import (
    AutoRegressive,
    Compound,
    Factor,
    Independent,
    Structure,
)
from shakedown.datasets.settings import check_keys, choice, number, whole
from shakedown.interface import Challenge

#: The settings that each correlation structure takes.
STRUCTURES = {
    "independent": (),
    "ar1": ("rho",),
    "compound": ("rho",),
    "factor": ("factors", "share"),
}


def check(name: str, recipe: Mapping[str, Any], *, folder: Path) -> None:
    """Refuse impossible settings; see `read`."""
    check_keys(
        name,
        recipe,
        required=("recipe", "rows", "features"),
        optional=("correlation", "signal"),
    )
    whole(name, "rows", recipe["rows"], low=MIN_ROWS)
    p = whole(name, "features", recipe["features"], low=1)

    correlation = _part(recipe, "correlation", {"structure": "independent"})
    # First the structure alone: which other keys are known depends on it.
    inside = f"{name}.correlation"
    known = ("rho", "factors", "share")
    check_keys(inside, correlation, required=("structure",), optional=known)
    structure = choice(inside, "structure", correlation["structure"], STRUCTURES)
    check_keys(inside, correlation, required=("structure", *STRUCTURES[structure]), optional=())
    if structure == "ar1":
        number(inside, "rho", correlation["rho"], low=-1, high=1)
    elif structure == "compound":
        # Below -1 / (p - 1) no such correlation matrix exists.
        number(inside, "rho", correlation["rho"], low=-1 / (p - 1) if p > 1 else -1, high=1)
    elif structure == "factor":
        whole(inside, "factors", correlation["factors"], low=1, high=p)
        number(inside, "share", correlation["share"], low=0, high=1, include="low")

    signal = _part(recipe, "signal", {"r2": 0.0})
    inside = f"{name}.signal"
    check_keys(inside, signal, required=("r2",), optional=("features",))
    if number(inside, "r2", signal["r2"], low=0, high=1, include="low high") > 0:
        whole(inside, "features", signal.get("features"), low=1, high=p)


def read(
    name: str, recipe: Mapping[str, Any], *, rng: np.random.Generator, folder: Path
) -> Challenge:
    """Simulate a data set.

    Parameters
    ----------
    name : str
        The data set's id.
    recipe : mapping
        ``rows`` n, at least 30; ``features`` p; ``correlation`` {structure: independent |
        ar1 {rho} | compound {rho} | factor {factors, share}}; ``signal`` {r2, features}: the
        population R² of the linear signal, and how many random features carry it.  Without
        ``correlation`` features are independent, without ``signal`` the response is unrelated.
    rng : numpy.random.Generator
        Source of randomness.
    folder : Path
        Not used.

    Returns
    -------
    Challenge
        X of shape (n, p), population mean 0 and variance 1; y of population mean 0 and
        variance 1.  Settings of the signal do not change X.

    Raises
    ------
    InputError
        If a setting is missing, unknown or impossible.
    """
    check(name, recipe, folder=folder)
    n, p = recipe["rows"], recipe["features"]
    correlation = _part(recipe, "correlation", {"structure": "independent"})
    signal = _part(recipe, "signal", {"r2": 0.0})

    structure = make_structure(correlation, features=p, rng=rng)
    X = structure.draw(rng, p, n)  # (p, n)
    noise = rng.standard_normal(n)
    r2 = float(signal["r2"])
    y = np.sqrt(1 - r2) * noise
    if r2 > 0:
        weights = draw_weights(structure, p, r2=r2, carriers=signal["features"], rng=rng)
        for j in np.flatnonzero(weights):
            y += weights[j] * X[j]
    return Challenge(
        name=name,
        X=X.T,
        y=y,
        rows=np.array([str(i + 1) for i in range(n)]),
        features=np.array([f"x{j + 1}" for j in range(p)]),
        notes=(_describe(n, p, correlation, signal),),
    )


def make_structure(
    correlation: Mapping[str, Any], *, features: int, rng: np.random.Generator
) -> Structure:
    """Return the correlation structure that checked settings stand for."""
    match correlation["structure"]:
        case "ar1":
            return AutoRegressive(float(correlation["rho"]))
        case "compound":
            return Compound(float(correlation["rho"]))
        case "factor":
            return Factor.random(
                rng, features, factors=correlation["factors"], share=float(correlation["share"])
            )
        case _:
            return Independent()


def draw_weights(
    structure: Structure, features: int, *, r2: float, carriers: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw the weights w of the linear signal.

    Parameters
    ----------
    structure : Structure
        Correlation of the features.
    features : int
        Number of features p.
    r2 : float
        Population variance w'Σw that the signal shall have; with noise of variance 1 - r2 this
        is its R².
    carriers : int
        Number of features with a weight that is not zero.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of float, shape (p,)
        Normal weights of randomly chosen features, scaled.
    """
    weights = np.zeros(features)
    chosen = rng.choice(features, size=carriers, replace=False)
    weights[chosen] = rng.standard_normal(carriers)
    return weights * np.sqrt(r2 / structure.variance(weights))


def _part(recipe: Mapping[str, Any], key: str, neutral: dict[str, Any]) -> Any:
    part = recipe.get(key)
    return neutral if part is None else part


def _describe(n: int, p: int, correlation: Mapping[str, Any], signal: Mapping[str, Any]) -> str:
    match correlation["structure"]:
        case "ar1":
            how = f"AR(1) correlation of {correlation['rho']:g} between neighbours"
        case "compound":
            how = f"correlation of {correlation['rho']:g} between all pairs"
        case "factor":
            k = correlation["factors"]
            how = (
                f"{k} common factor{'s' if k > 1 else ''} carrying "
                f"{100 * correlation['share']:g} % of each feature's variance"
            )
        case _:
            how = "no correlation"
    if signal["r2"] > 0:
        carriers = signal["features"]
        what = (
            f"a linear signal in {carriers} feature{'s' if carriers > 1 else ''} "
            f"with a population R² of {signal['r2']:g}"
        )
    else:
        what = "unrelated to the features"
    return (
        f"Simulated: {n} rows of {p} normal feature{'s' if p > 1 else ''} with {how}; "
        f"the response is {what}."
    )
