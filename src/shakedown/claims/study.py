"""What a claim sees of a study: rows of its tables, and statistics of them over the replicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from xarray import DataArray

from shakedown.claims import resampling
from shakedown.claims.tables import NotAnswered, Tables
from shakedown.simulation.quantiles import ranks

Axes = str | tuple[str, ...]


@dataclass
class Study:
    """The tables of a study, as one claim reads them; it notes what the claim has asked for."""

    tables: Tables
    resamples: resampling.Resamples
    dataset: str = ""  # of rows for which the claim names none
    replicates: int | None = None  # the fewest behind a number so far
    rare: bool = False  # quantiles that so few replicates cannot tell, such as 95 % of 30
    averaged: bool = False  # means or standard deviations

    def outcomes(self, experiment: str, **where) -> Rows:
        """Outcomes of an experiment.

        Parameters
        ----------
        experiment : str
        **where
            Which rows: `dataset`, `design`, `mechanism`, its parameters (`alpha`, `b`, ...),
            `point`, `submissions`, `n_features`, `setting`, `metric`, `attack` or `board`.  A list
            makes an axis; "last" takes the largest number there is, None the rows without a value.
        """
        return Rows(self, "outcomes", experiment, self._usual() | where)

    def traces(self, experiment: str, **where) -> Traces:
        """Every submission of an experiment's traced replicates; `iteration` chooses, too."""
        return Traces(self, "traces", experiment, self._usual() | where)

    def release_variability(self, id: str, **where) -> Rows:
        """Released scores of fixed predictions; rows by `prediction`, `b` and `draw`."""
        return Rows(self, "release_variability", id, where)

    def _usual(self) -> dict:
        return {"dataset": self.dataset} if self.dataset else {}

    # Statistics of an array with the axis `replicate`: in front they have `resample` instead.

    def mean(self, x: DataArray) -> DataArray:
        """Mean over the replicates."""
        self.averaged = True
        return self._reduced(x, resampling.mean)

    def sd(self, x: DataArray) -> DataArray:
        """Standard deviation over the replicates (ddof = 1)."""
        self.averaged = True
        return self._reduced(x, resampling.sd)

    def median(self, x: DataArray) -> DataArray:
        """Median over the replicates."""
        return self.quantile(x, 0.5)

    def quantile(self, x: DataArray, at: float) -> DataArray:
        """Quantile over the replicates, interpolated as `numpy.quantile` does."""
        low, high = ranks(x.sizes["replicate"], at)
        self.rare |= low == 0 or high > x.sizes["replicate"]
        return self._reduced(x, resampling.quantile, at)

    def _reduced(self, x: DataArray, statistic: Callable, *at: float) -> DataArray:
        x = self.used(x).transpose(..., "replicate")
        samples = x.to_numpy().reshape(-1, x.sizes["replicate"]).astype(float)
        draws = self.resamples.statistic(statistic, samples, *at).T.reshape(-1, *x.shape[:-1])
        kept = {name: c for name, c in x.coords.items() if "replicate" not in c.dims}
        return DataArray(draws, kept, ["resample", *x.dims[:-1]])

    def used(self, x: DataArray) -> DataArray:
        """Note how many replicates there are; returns the array."""
        n = x.sizes["replicate"]
        self.replicates = min(n, self.replicates or n)
        return x


class Rows(NamedTuple):
    """Rows of a table that a claim has chosen; a column of them can be measured.

    Each method takes the name of a column and `over`: further axes, by name, with all the values
    that the table has.
    """

    study: Study
    kind: str
    id: str
    where: Mapping[str, object]

    def each(self, column: str, over: Axes = ()) -> DataArray:
        """The values themselves, with the axis `replicate` and no resamples."""
        return self.study.used(self._values(column, over))

    def _values(self, column: str, over: Axes) -> DataArray:
        table = self.study.tables.table(self.kind, self.id)
        axes, cells = table.grid(self.where, over)
        values = table.values(column)[cells].reshape(*map(len, axes.values()), -1)
        return DataArray(values, axes, [*axes, "replicate"])

    def mean(self, column: str, over: Axes = ()) -> DataArray:
        """Mean over the replicates."""
        return self.study.mean(self.each(column, over))

    def sd(self, column: str, over: Axes = ()) -> DataArray:
        """Standard deviation over the replicates (ddof = 1)."""
        return self.study.sd(self.each(column, over))

    def median(self, column: str, over: Axes = ()) -> DataArray:
        """Median over the replicates."""
        return self.study.median(self.each(column, over))

    def quantile(self, column: str, at: float, over: Axes = ()) -> DataArray:
        """Quantile over the replicates, interpolated as `numpy.quantile` does."""
        return self.study.quantile(self.each(column, over), at)

    def iqr(self, column: str, over: Axes = ()) -> DataArray:
        """Interquartile range over the replicates."""
        return self.quantile(column, 0.75, over) - self.quantile(column, 0.25, over)

    def value(self, column: str, over: Axes = ()) -> DataArray:
        """The value that all replicates agree on: an exact number, without resamples."""
        x = self._values(column, over)
        if (x != x.isel(replicate=0)).any():
            raise NotAnswered(f"{column} differs between the replicates of '{self.id}'")
        return x.isel(replicate=0)


class Submissions(NamedTuple):
    """One replicate's submissions, in their order; shape (m,) each."""

    released: np.ndarray
    accepted: np.ndarray
    selected: np.ndarray


class Traces(NamedTuple):
    """Traces that a claim has chosen; a number can be read off each."""

    study: Study
    kind: str
    id: str
    where: Mapping[str, object]

    def each(
        self, function: Callable[[Submissions], float | np.ndarray], over: Axes = ()
    ) -> DataArray:
        """A number for each replicate, with the axis `replicate`; nan for none.

        `function` takes the `Submissions` of a replicate, see `shakedown.claims.places`.  If it
        gives a number for each of them, shape (m,), there is the axis `submission`, too.
        """
        table = self.study.tables.table(self.kind, self.id)
        axes, cells = table.grid(self.where, over, "replicate")
        columns = Submissions._fields
        found = np.array(
            [function(Submissions(*(table.submissions(c, i) for c in columns))) for i in cells]
        )
        dims = [*axes, *["submission"][: found.ndim - 1]]
        shape = [*map(len, axes.values()), *found.shape[1:]]
        return self.study.used(DataArray(found.reshape(shape), axes, dims))
