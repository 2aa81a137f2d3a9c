"""How stable a ranking is: the ranks of files in bootstrap samples, and how alike the rankings are.

These describe the samples.  They are no confidence sets: see `rank_sets`.
"""

from __future__ import annotations

import numpy as np

from shakedown.metrics.kendall import tau_b


def rank_shares(drawn: np.ndarray) -> np.ndarray:
    """The share of samples in which a file (row) has a rank (column), shape (m, m).

    Parameters
    ----------
    drawn : ndarray, shape (draws, m)
        Risks in bootstrap samples; equal ones share the best rank.
    """
    from scipy.stats import rankdata  # slow to import

    draws, m = drawn.shape
    ranks = rankdata(drawn, method="min", axis=1).astype(int) - 1
    cells = ranks + m * np.arange(m)
    return np.bincount(cells.ravel(), minlength=m * m).reshape(m, m) / draws


def agreements(risks: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of the ranking and that of each sample, shape (draws,).

    NaN if all risks are equal, in the rows or in the sample.

    Parameters
    ----------
    risks : ndarray, shape (m,)
    drawn : ndarray, shape (draws, m)
        Risks in bootstrap samples.
    """
    risks, ones = np.ascontiguousarray(risks, dtype=float), np.ones(len(risks))
    return np.array([tau_b(risks, np.ascontiguousarray(own), ones) for own in drawn])
