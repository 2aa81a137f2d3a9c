"""Rows that belong together, such as several visits of a patient."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy import stats

from shakedown.data.grouped import rows_in_one
from shakedown.dryrun.assumptions.check import LEVEL, Check
from shakedown.dryrun.assumptions.columns import Column
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.dryrun.assumptions.sample import Sample
from shakedown.wording import counted

_CURE = (
    "Name the groups' column with --group (`group`): sets, attackers and proofs then go by it. Or "
    "keep one row of each, such as the mean of its rows. As it is, measured limits are too large, "
    "because one response of a group tells the others."
)
#: Larger shares of distinct values are those of a measurement, and of rows that occur twice.
SHARE = 0.6


class Groups(Check):
    """A column of ids, or one by which residuals are alike."""

    name: ClassVar[str] = "groups"
    label: ClassVar[str] = "Groups of rows"
    sentence: ClassVar[str] = (
        "A column of names of units with several rows (patients, subjects), or one within whose "
        "values residuals are alike: an analysis of variance of their normal scores."
    )
    order: ClassVar[float] = 1
    is_of_noise: ClassVar[bool] = False

    def look(self, sample: Sample) -> Finding | None:
        found = grouping(sample)
        if found is None:
            return None
        column, p_value, alike = found
        if column.of_units:
            count = len(column.counts)
            what = f"By {column.name}, several rows belong together"
        else:
            counts = column.counts
            typical = float((counts**2).sum() / sample.n)
            count = max(len(counts), int(sample.n / rows_in_one(typical, alike)))
            what = f"Rows that share a value of {column.name} have similar residuals"
        return Finding(
            sentence=f"{what}: count {counted(count, 'independent row')}, not {sample.n:,}.",
            cure=_CURE,
            quantity="independent rows",
            assumed=sample.n,
            found=count,
            statistic="intraclass correlation of residuals",
            value=alike,
            p_value=None if column.of_units else p_value,
            withholds=True,
        )


def grouping(sample: Sample) -> tuple[Column, float, float] | None:
    """The column that groups rows, its chance, and the intraclass correlation of residuals."""
    units = [column for column in sample.columns if column.of_units]
    if units:
        column = min(units, key=lambda column: len(column.counts))
        return column, 0.0, _alike(sample, column)[1]
    tested = [(column, *_alike(sample, column)) for column in sample.columns if _is_tested(column)]
    if not tested:
        return None
    column, p_value, alike = min(tested, key=lambda entry: entry[1])
    p_value = min(1.0, p_value * len(tested))
    return (column, p_value, alike) if p_value < LEVEL and alike > 0 else None


def _is_tested(column: Column) -> bool:
    groups, rows = len(column.counts), len(column.codes)
    if groups > SHARE * rows:
        return False
    return groups - 1 - column.degree >= (1 if column.degree == 0 else 2) and rows - groups >= 10


def _alike(sample: Sample, column: Column) -> tuple[float, float]:
    """The chance of so different groups in an analysis of variance, and how alike rows are."""
    scores, counts, n = sample.scores, column.counts, sample.n
    if column.degree:
        place = stats.zscore(column.codes.astype(float))
        basis = np.vander(place, column.degree + 1)
        scores = scores - basis @ np.linalg.lstsq(basis, scores, rcond=None)[0]
    means = np.bincount(column.codes, scores) / counts
    within = float(np.sum((scores - means[column.codes]) ** 2))
    between = float(np.sum((scores - scores.mean()) ** 2)) - within
    free = max(1, len(counts) - 1 - column.degree), max(1, n - len(counts))
    of_groups, of_rows = between / free[0], max(within / free[1], 1e-300)
    size = (n - float((counts**2).sum()) / n) / max(1, len(counts) - 1)
    alike = (of_groups - of_rows) / (of_groups + (size - 1.0) * of_rows)
    return float(stats.f.sf(of_groups / of_rows, *free)), float(np.clip(alike, 0.0, 1.0))
