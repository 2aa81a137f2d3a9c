"""Tests of two submissions, row by row, without a bootstrap."""

from __future__ import annotations

import numpy as np


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's adjusted p-values; shape (tests,), in the order of `p`.

    Equal to statsmodels' `multipletests`, which collects garbage on every call.
    """
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def paired_t(differences: np.ndarray, level: float) -> tuple[float, float, float, float]:
    """Paired t-test of differences of shape (n,): mean, half width of its interval, t, two-sided p.

    If all differences are equal, t is infinite, or 0 if they are 0.
    """
    from scipy import stats  # slow to import

    n = len(differences)
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) / np.sqrt(n)
    if error <= 1e-14 * abs(mean):
        return mean, 0.0, (np.copysign(np.inf, mean) if mean else 0.0), (0.0 if mean else 1.0)
    t = mean / error
    half = error * stats.t.ppf((1 + level) / 2, n - 1)
    return mean, float(half), t, float(2 * stats.t.sf(abs(t), n - 1))


def signed_ranks(differences: np.ndarray) -> float:
    """Two-sided p of Wilcoxon's signed-rank test of differences, shape (n,); 1 if all are 0."""
    from scipy import stats  # slow to import

    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences).pvalue)
