"""The part of a data set that is checked, and the residuals of honest models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats

from shakedown.dryrun.assumptions.columns import Column, columns, sampled
from shakedown.dryrun.assumptions.residuals import residuals
from shakedown.interface import Challenge

#: Cells of the features to which honest models are fitted, and the most features.
CELLS, FEATURES = 4_000_000, 300


@dataclass(frozen=True, eq=False)
class Sample:
    """A data set as the checks see it.

    Attributes
    ----------
    challenge : Challenge
    public_rows : int
    row_variance : float
        By how much the noise of a row may vary more than that of the average row.
    """

    challenge: Challenge
    public_rows: int
    row_variance: float = 1.0

    @property
    def n(self) -> int:
        """Rows of the table."""
        return len(self.challenge.y)

    @cached_property
    def features(self) -> np.ndarray:
        """The features that are looked at; of more than `FEATURES`, so many in equal steps."""
        most = max(1, min(FEATURES, CELLS // self.n))
        return np.ascontiguousarray(self.challenge.X[:, sampled(self.challenge.X.shape[1], most)])

    @cached_property
    def _fit(self) -> tuple[np.ndarray, np.ndarray]:
        left, fitted = residuals(self.features, self.challenge.y)
        spread = np.sqrt(np.mean(left**2))
        return left / spread if spread > 0 else left, fitted

    @property
    def residuals(self) -> np.ndarray:
        """Residuals of honest models, shape (n,), with a mean square of 1."""
        return self._fit[0]

    @property
    def predictions(self) -> np.ndarray:
        """Their predictions, shape (n,)."""
        return self._fit[1]

    @cached_property
    def scores(self) -> np.ndarray:
        """Normal scores of the residuals, shape (n,): their ranks alone count."""
        return stats.norm.ppf((stats.rankdata(self.residuals) - 0.5) / self.n)

    @cached_property
    def columns(self) -> list[Column]:
        """Columns with repeated values."""
        return list(columns(self.challenge))
