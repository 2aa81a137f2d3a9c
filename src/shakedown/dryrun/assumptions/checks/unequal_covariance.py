"""Rows whose responses hang together in another way than those of the average row."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy import stats

from shakedown.data.several import cells_in_one, table_of
from shakedown.dryrun.assumptions.check import LEVEL, Check
from shakedown.dryrun.assumptions.checks.heavy_tails import ROWS
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.dryrun.assumptions.sample import Sample
from shakedown.wording import amount

#: Tables with the same covariance in every row that are simulated, and the most cells of one.
TABLES, CELLS = 400, 1_000_000


class UnequalCovariance(Check):
    """Squares of rows that vary more than the correlations of all rows explain."""

    name: ClassVar[str] = "unequal_covariance"
    label: ClassVar[str] = "Unequal correlations"
    sentence: ClassVar[str] = (
        "Of several responses: the variance of the rows' sums of squares of the residuals, against "
        "simulated normal rows with the correlations of all rows."
    )
    order: ClassVar[float] = 4.5
    is_of_noise: ClassVar[bool] = True

    def look(self, sample: Sample) -> Finding | None:
        cells = sample.challenge.cells
        if cells is None:
            return None
        table, given = (
            _one_of_each(sample, table_of(values, cells))
            for values in (sample.residuals, np.ones(sample.n))
        )
        if len(table) < ROWS or not np.ptp(table) > 0:
            return None
        p_value = _chance(table, given)
        # A row with the covariance C has squares with the variance 2 tr C^2.
        together = float(np.sqrt(np.var((table**2).sum(axis=1)) / 2.0))
        together = min(together, float(table.shape[1]))
        assumed = cells_in_one(sample.challenge) * sample.row_variance
        if p_value >= LEVEL or together <= assumed:
            return None
        return Finding(
            sentence=(
                "In some rows the noise of the responses is more correlated than in all rows "
                f"together: {amount(together)} cells of a row may count as one, where "
                f"proofs assume {amount(assumed)}."
            ),
            cure=(
                "Responses may go together in one kind of rows, and apart in another. Transform "
                "them, or do not rely on what is said to be safe: who knows the kind of each row "
                "learns a number for each row."
            ),
            quantity="cells of a row that count as one",
            assumed=assumed,
            found=together,
            statistic="variance of the rows' sums of squares, over that of equal rows",
            value=float(np.exp(_excess(table[None])[0])),
            p_value=p_value,
            withholds=True,
        )


def _one_of_each(sample: Sample, table: np.ndarray) -> np.ndarray:
    """The first row of each group."""
    first = np.unique(sample.challenge.cells.rows, return_index=True)[1]
    return table[np.unique(sample.units[first], return_index=True)[1]]


def _chance(table: np.ndarray, given: np.ndarray) -> float:
    """The chance of squares that vary so much, if all rows have the same covariance."""
    n, q = table.shape
    values, vectors = np.linalg.eigh(table.T @ table / np.maximum(given.T @ given, 1.0))
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    rng, found = np.random.default_rng(0), []
    most = max(1, CELLS // (n * q))
    for start in range(0, TABLES, most):
        drawn = rng.standard_normal((min(most, TABLES - start), n, q)) @ root * given
        found.append(_excess(drawn))
    excess = np.concatenate(found)
    spread = max(float(excess.std()), 1e-12)
    z = (float(_excess(table[None])[0]) - float(excess.mean())) / spread
    return float(stats.pearson3.sf(z, max(float(stats.skew(excess)), 0.0)))


def _excess(tables: np.ndarray) -> np.ndarray:
    """By how much rows' squares vary more than normal ones of equal covariance C, as a logarithm.

    Their variance is 2 tr C^2, and the product of two rows has the square tr C^2 on average.
    """
    n = tables.shape[1]
    squares = (tables**2).sum(axis=2)
    products = ((np.swapaxes(tables, 1, 2) @ tables) ** 2).sum(axis=(1, 2))
    pairs = (products - (squares**2).sum(axis=1)) / (n * (n - 1.0))
    return np.log(np.maximum(squares.var(axis=1), 1e-300) / np.maximum(2.0 * pairs, 1e-300))
