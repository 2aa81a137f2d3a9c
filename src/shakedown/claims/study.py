"""What a claim sees of a study: rows of its tables, and statistics of them over the replicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from xarray import DataArray

from shakedown.claims import resampled_statistics
from shakedown.claims.study_tables import NotAnswered, Tables
from shakedown.interface import InputError
from shakedown.simulation.quantiles import ranks

Axes = str | tuple[str, ...]


@dataclass
class Study:
    """The tables of a study, as one claim reads them; it notes what the claim has asked for."""

    tables: Tables
    seed: int
    resamples: int  # of the replicates, behind each interval
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
            `point`, `submissions`, `n_features`, `setting`, `metric`, `attack` or
            `iteration_board`.  A list makes an axis; "last" takes the largest number there is, None
            the rows without a value.
        """
        return Rows(self, "outcomes", experiment, self._usual() | where)

    def traces(self, experiment: str, **where) -> Rows:
        """Every submission of an experiment's traced replicates; `iteration` chooses, too."""
        return Rows(self, "traces", experiment, self._usual() | where)

    def release_variability(self, id: str, **where) -> Rows:
        """Released scores of fixed predictions; rows by `prediction`, `b` and `draw`."""
        return Rows(self, "release_variability", id, where)

    def _usual(self) -> dict:
        return {"dataset": self.dataset} if self.dataset else {}

    # Statistics of an array with the axis `replicate`: in front they have `resample` instead.

    def mean(self, x: DataArray) -> DataArray:
        """Mean over the replicates."""
        self.averaged = True
        return self._reduced(x, resampled_statistics.mean)

    def sd(self, x: DataArray) -> DataArray:
        """Standard deviation over the replicates (ddof = 1)."""
        self.averaged = True
        return self._reduced(x, resampled_statistics.sd)

    def median(self, x: DataArray) -> DataArray:
        """Median over the replicates."""
        return self.quantile(x, 0.5)

    def quantile(self, x: DataArray, at: float) -> DataArray:
        """Quantile over the replicates, interpolated as `numpy.quantile` does."""
        low, high = ranks(x.sizes["replicate"], at)
        self.rare |= low == 0 or high > x.sizes["replicate"]
        return self._reduced(x, resampled_statistics.quantile, at)

    def _reduced(self, x: DataArray, statistic: Callable, *at: float) -> DataArray:
        x = self.used(x).transpose(..., "replicate")
        samples = x.to_numpy().reshape(-1, x.sizes["replicate"]).astype(float)
        counts = resampled_statistics.resampled(
            samples.shape[1], number=self.resamples, seed=self.seed
        )
        draws = statistic(samples, counts, *at).T
        kept = {name: c for name, c in x.coords.items() if "replicate" not in c.dims}
        return DataArray(draws.reshape(-1, *x.shape[:-1]), kept, ["resample", *x.dims[:-1]])

    def used(self, x: DataArray) -> DataArray:
        """Note how many replicates there are; returns the array."""
        n = x.sizes["replicate"]
        self.replicates = min(n, self.replicates or n)
        return x


class Submissions(NamedTuple):
    """One replicate's submissions, in their order; shape (m,) each."""

    released: np.ndarray
    accepted: np.ndarray
    selected: np.ndarray


#: What is measured of rows: a column, or of traces a number that is read off the submissions of a
#: replicate, nan for none (see `shakedown.claims.places`), or a number for each of them.
What = str | Callable[[Submissions], float | np.ndarray]


class Rows(NamedTuple):
    """Rows of a table that a claim has chosen, to be measured.

    Each method takes `over`: further axes, by name, with all the values that the table has.
    """

    study: Study
    kind: str
    id: str
    where: Mapping[str, object]

    def each(self, what: What, over: Axes = ()) -> DataArray:
        """The values themselves, with the axis `replicate` and no resamples.

        A function that gives a number for each submission, shape (m,), adds the axis `submission`.
        """
        return self.study.used(self._values(what, over))

    def _values(self, what: What, over: Axes) -> DataArray:
        table = self.study.tables.table(self.kind, self.id)
        if callable(what) != (self.kind == "traces"):
            raise InputError(
                f"{what!r} is measured of {self.kind}; wanted a column of outcomes or of released "
                "scores, or a function for traces, such as those of shakedown.claims.places."
            )
        if isinstance(what, str):
            axes, cells = table.grid(self.where, over)
            values, further = table.values(what)[cells], ["replicate"]
        else:
            axes, cells = table.grid(self.where, over, "replicate")
            columns = [table.submissions(column) for column in Submissions._fields]
            values = np.array([what(Submissions(*(c[i] for c in columns))) for i in cells])
            further = ["submission"][: values.ndim - 1]
        shape = [*map(len, axes.values()), *values.shape[1:]]
        return DataArray(values.reshape(shape), axes, [*axes, *further])

    def mean(self, what: What, over: Axes = ()) -> DataArray:
        """Mean over the replicates."""
        return self.study.mean(self.each(what, over))

    def sd(self, what: What, over: Axes = ()) -> DataArray:
        """Standard deviation over the replicates (ddof = 1)."""
        return self.study.sd(self.each(what, over))

    def median(self, what: What, over: Axes = ()) -> DataArray:
        """Median over the replicates."""
        return self.study.median(self.each(what, over))

    def quantile(self, what: What, at: float, over: Axes = ()) -> DataArray:
        """Quantile over the replicates, interpolated as `numpy.quantile` does."""
        return self.study.quantile(self.each(what, over), at)

    def iqr(self, what: What, over: Axes = ()) -> DataArray:
        """Interquartile range over the replicates."""
        return self.quantile(what, 0.75, over) - self.quantile(what, 0.25, over)

    def value(self, column: str, over: Axes = ()) -> DataArray:
        """The value that all replicates agree on: an exact number, without resamples."""
        x = self._values(column, over)
        if (x != x.isel(replicate=0)).any():
            raise NotAnswered(f"{column} differs between the replicates of '{self.id}'")
        return x.isel(replicate=0)
