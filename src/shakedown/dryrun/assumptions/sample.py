"""The part of a data set that is checked, and the residuals of honest models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats

from shakedown.data.grouped import from_zero
from shakedown.data.several import table_of
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
    def units(self) -> np.ndarray | None:
        """What each row belongs to, if its noise may be like that of others; from 0, shape (n,)."""
        return None if self.challenge.group is None else self.challenge.group.codes

    @cached_property
    def count(self) -> int:
        """Rows whose noise is independent: all, or units of them."""
        return self.n if self.units is None else int(self.units.max()) + 1

    def of_units(self, codes: np.ndarray) -> np.ndarray:
        """Of each code, from 0: rows whose noise is independent."""
        if self.units is None:
            return np.bincount(codes)
        pairs = np.unique(np.stack([codes, self.units]), axis=1)
        return np.bincount(pairs[0], minlength=int(codes.max()) + 1)

    @cached_property
    def _fit(self) -> tuple[np.ndarray, np.ndarray]:
        y, cells = self.challenge.y, self.challenge.cells
        left, fitted = np.empty(self.n), np.empty(self.n)
        responses = np.zeros(self.n, dtype=int) if cells is None else cells.responses
        for k in range(int(responses.max()) + 1):
            own = responses == k
            units = None if self.units is None else from_zero(self.units[own])
            left[own], fitted[own] = residuals(self.features[own], y[own], units)
            if (spread := np.sqrt(np.mean(left[own] ** 2))) > 0:
                left[own] /= spread
        return left, fitted

    @property
    def residuals(self) -> np.ndarray:
        """Residuals of honest models, shape (n,), with a mean square of 1 for each response."""
        return self._fit[0]

    @cached_property
    def worth(self) -> float:
        """Share of the rows that would tell as much of the kurtosis if they were independent.

        Fourth powers of normal numbers with the correlation r are correlated by about r^4.
        """
        cells, n = self.challenge.cells, self.n
        if self.units is None:
            return 1.0
        counts, alike = np.bincount(self.units), self.residuals
        if cells is None:
            sums = np.bincount(self.units, alike)
            pairs = float((counts * (counts - 1)).sum())
            r = float((sums**2).sum() - (alike**2).sum()) / max(pairs, 1.0)
            return n / (n + pairs * min(r * r, 1.0) ** 2)
        table = table_of(alike, cells)
        given = table_of(np.ones(n), cells)
        both = np.maximum(given.T @ given, 1.0)
        r = np.minimum((table.T @ table / both) ** 2, 1.0)
        share = n / float((given.T @ given * r**2).sum())
        # Rows of a group may be equal.
        return share * self.count / len(table)

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
