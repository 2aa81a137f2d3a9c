"""Fit the growth of overfit with the number of submissions: two laws of [B] and a power law.

[B] is Blum & Hardt (ICML 2015).  After k submissions scored on n rows, the bias of a board that
releases every score is a·sqrt(k/n) (Theorem 5.1), and that of the Ladder is at most a·sqrt(log k/n)
(Section 5.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shakedown.interface import InputError

#: Each law without its constant a, as a function of k and n; the logarithm is natural.
LAWS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "sqrt_k": lambda k, n: np.sqrt(k / n),
    "sqrt_log_k": lambda k, n: np.sqrt(np.log(k) / n),
}


class Estimate(NamedTuple):
    """A fitted number and its 95 % interval, which is nan for a single replicate."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Growth:
    """Fitted laws of the medians over replicates.

    Attributes
    ----------
    constants : mapping of str to Estimate
        The constant a of each law, in units of the value.
    residuals : mapping of str to float
        The residual sum of squares of each law, divided by the sum of squares of the medians.
    exponent : Estimate
        Exponent b of the power law a·(k/n)^b, fitted by a straight line to the logarithms; nan if
        the positive medians have fewer than two different k.
    sqrt_k_share : float
        Share of bootstrap samples in which sqrt_k has a smaller residual than sqrt_log_k.
    """

    constants: Mapping[str, Estimate]
    residuals: Mapping[str, float]
    exponent: Estimate
    sqrt_k_share: float

    @property
    def better(self) -> str:
        """The law with the smaller residual."""
        return min(self.residuals, key=self.residuals.__getitem__)


def fit_growth(
    values: np.ndarray,
    submissions: np.ndarray,
    rows: int,
    *,
    draws: int = 1000,
    rng: np.random.Generator,
) -> Growth:
    """Fit both laws and a power law to the medians over replicates.

    Parameters
    ----------
    values : ndarray of float, shape (replicates, points)
        The quantity whose growth is fitted, such as final − public score; above 0 for overfit.
    submissions : ndarray, shape (points,)
        Number of submissions k at each point; at least 1, with at least two different values.
    rows : int
        Number of public rows n.
    draws : int
        Number of bootstrap samples for the intervals.  Whole replicates are resampled.
    rng : Generator

    Returns
    -------
    Growth

    Raises
    ------
    InputError
        If the shapes do not match, a value is not finite, or k or n is too small.

    Notes
    -----
    Constants are fitted to the medians by least squares through the origin.  Memory does not
    depend on `draws`.
    """
    values = np.asarray(values, dtype=float)  # shape (replicates, points)
    k = np.asarray(submissions, dtype=float)  # shape (points,)
    _check(values, k, rows)
    curves = np.array([law(k, rows) for law in LAWS.values()])  # shape (laws, points)
    fitted = _fit(np.median(values, axis=0), curves, k / rows)
    replicates = len(values)
    again = np.full((draws, fitted.size), np.nan)
    for draw in range(draws if replicates > 1 else 0):
        drawn = values[rng.integers(replicates, size=replicates)]
        again[draw] = _fit(np.median(drawn, axis=0), curves, k / rows)
    low, high = np.full((2, fitted.size), np.nan)
    share = np.nan
    if replicates > 1:
        # The exponent of a resample is nan if too few of its medians are positive.
        known = ~np.isnan(again).all(axis=0)
        low[known], high[known] = np.nanquantile(again[:, known], [0.025, 0.975], axis=0)
        share = float((again[:, 2] < again[:, 3]).mean())
    estimates = [
        Estimate(float(v), float(a), float(z)) for v, a, z in zip(fitted, low, high, strict=True)
    ]
    return Growth(
        constants=dict(zip(LAWS, estimates[:2], strict=True)),
        residuals=dict(zip(LAWS, map(float, fitted[2:4]), strict=True)),
        exponent=estimates[4],
        sqrt_k_share=share,
    )


def _fit(medians: np.ndarray, curves: np.ndarray, ratio: np.ndarray) -> np.ndarray:
    """Both constants, both residuals, and the exponent; shape (5,)."""
    constants = curves @ medians / (curves**2).sum(axis=1)  # shape (laws,)
    left = ((medians - constants[:, None] * curves) ** 2).sum(axis=1)
    whole = (medians**2).sum()
    residuals = left / whole if whole > 0 else np.zeros_like(left)
    up = medians > 0
    exponent = np.nan
    if np.unique(ratio[up]).size > 1:
        exponent = np.polyfit(np.log(ratio[up]), np.log(medians[up]), 1)[0]
    return np.array([*constants, *residuals, exponent])


def _check(values: np.ndarray, k: np.ndarray, rows: int) -> None:
    if values.ndim != 2 or not len(values) or k.shape != values.shape[1:]:
        raise InputError(
            f"growth: wanted values of shape (replicates, {k.size}), a column for each number of "
            f"submissions; got {values.shape}."
        )
    if not np.isfinite(values).all():
        bad = int((~np.isfinite(values)).sum())
        raise InputError(
            f"growth: wanted finite values, got {bad} that are not. Choose a mechanism with scores "
            "at every point."
        )
    if not (k >= 1).all() or np.unique(k).size < 2:
        numbers = ", ".join(f"{v:g}" for v in np.unique(k)[:5])
        raise InputError(
            "growth: wanted at least two different numbers of submissions, each at least 1; got "
            f"{numbers or 'none'}. Give the attack more points."
        )
    if rows < 1:
        raise InputError(f"growth: wanted at least 1 public row, got {rows}.")
