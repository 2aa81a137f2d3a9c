"""Noise whose variance differs between rows in a way that participants can see."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy import stats

from shakedown.data.grouped import from_zero, means
from shakedown.dryrun.assumptions.check import LEVEL, Check
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.dryrun.assumptions.sample import Sample

#: Bins of fitted values, fewest rows of each, and of a value of a column.
BINS, ROWS_PER_BIN, ROWS_PER_VALUE = 10, 20, 5
#: A smaller mean square of residuals, as a share of the average, is that of no noise.
LEAST = 1e-6
#: A column with more values is none of categories.
VALUES = 20
#: What the ranges are of.
FITTED = "the fitted value"


class UnequalVariance(Check):
    """Residuals that vary more in some rows than in others."""

    name: ClassVar[str] = "unequal_variance"
    label: ClassVar[str] = "Unequal variance"
    sentence: ClassVar[str] = (
        "Levene's test, with medians, of the residuals by ten ranges of the fitted value, and by "
        "every column with 2 to 20 values; of rows that belong together, of their means."
    )
    order: ClassVar[float] = 4
    is_of_noise: ClassVar[bool] = True

    def look(self, sample: Sample) -> Finding | None:
        found = unequal(sample)
        if not found:
            return None
        by, codes, p_value = max(found, key=lambda way: _largest(sample, way[1]))
        place = "in one range" if by == FITTED else "at one value"
        largest = _largest(sample, codes)
        digit = 10.0 ** (np.floor(np.log10(largest)) - 1)
        times = float(f"{np.ceil(largest / digit) * digit:.2g}")  # so that it is covered
        covered = times <= sample.row_variance
        return Finding(
            sentence=(
                f"The noise varies with {by}: in some rows its variance is {times:g} times the "
                "average, "
                + (
                    "which row_variance allows for."
                    if covered
                    else f"where proofs assume {sample.row_variance:g} at most."
                )
            ),
            cure=(
                "What is proved on average holds all the same."
                if covered
                else f"Set row_variance to {times:g} (--row-variance): the bound of the mean then "
                "allows for it."
            ),
            quantity="largest variance of a row's noise, as a multiple of the average",
            assumed=sample.row_variance,
            found=times,
            statistic=f"largest mean square of residuals {place} of {by}",
            value=times,
            p_value=p_value,
            withholds=not covered,
        )


def unequal(sample: Sample) -> list[tuple[str, np.ndarray, float]]:
    """By what the variance differs: its name, a code for each row, and the chance of it."""
    tested = [
        (by, codes, p_value)
        for by, codes in _ways(sample)
        if (p_value := _chance(sample, codes)) is not None
    ]
    return [
        (by, codes, min(1.0, p_value * len(tested)))
        for by, codes, p_value in tested
        if p_value * len(tested) < LEVEL
    ]


def scaled(sample: Sample) -> np.ndarray:
    """Residuals with mean 0 and variance 1 in each group of rows that tells variances best.

    That has the smallest Bayesian information criterion of normal residuals.  Rows of small groups
    and without noise are left out; if no variance differs, the residuals are as they are.
    """
    chosen, least = sample.residuals, np.inf
    for _, codes, _ in unequal(sample):
        counts = np.bincount(codes)
        middle = np.bincount(codes, sample.residuals) / np.maximum(counts, 1)
        centred = sample.residuals - middle[codes]
        variances = np.bincount(codes, centred**2) / np.maximum(counts, 1)
        enough = sample.of_units(codes) >= ROWS_PER_VALUE
        known = enough[codes]
        own = np.where(known, np.maximum(variances[codes], LEAST), 1.0)
        criterion = np.log(own).sum() + np.log(sample.n) * enough.sum()
        if criterion < least:
            keep = known & (own > LEAST)
            chosen, least = centred[keep] / np.sqrt(own[keep]), criterion
    return chosen


def _ways(sample: Sample):
    predictions = sample.predictions
    bins = min(BINS, sample.count // ROWS_PER_BIN)
    if bins >= 2 and np.ptp(predictions) > 0:
        ranks = stats.rankdata(predictions, method="ordinal") - 1
        yield FITTED, (ranks * bins / sample.n).astype(int)
    for column in sample.columns:
        if column.levels <= VALUES:
            yield column.name, column.codes


def _chance(sample: Sample, codes: np.ndarray) -> float | None:
    levels = np.flatnonzero(sample.of_units(codes) >= ROWS_PER_VALUE)
    if len(levels) < 2:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        if sample.units is None:
            p_value = float(stats.levene(*(sample.residuals[codes == k] for k in levels)).pvalue)
        else:
            spreads = [_spreads(sample, np.flatnonzero(codes == k)) for k in levels]
            p_value = float(stats.f_oneway(*spreads).pvalue)
    return None if np.isnan(p_value) else p_value


def _spreads(sample: Sample, rows: np.ndarray) -> np.ndarray:
    """The mean distance of each unit's rows, of these, from the median."""
    away = np.abs(sample.residuals[rows] - np.median(sample.residuals[rows]))
    return means(away, from_zero(sample.units[rows]))


def _largest(sample: Sample, codes: np.ndarray) -> float:
    counts = np.bincount(codes)
    squares = np.bincount(codes, sample.residuals**2) / np.maximum(counts, 1)
    return float(squares[sample.of_units(codes) >= ROWS_PER_VALUE].max())
