"""Upper ends of the intervals of limits, from resamples of the replicates.

The whole procedure is repeated in each resample: what is chance, the choice of candidates in turns,
the curve of a threat as the smallest of its attacks', and the interpolated crossing.  The end is
the bias-corrected percentile (Efron 1981).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import special
from scipy.optimize import isotonic_regression

from shakedown.compiled import kernel
from shakedown.dryrun.candidates import GROUP, Part, prepared
from shakedown.dryrun.frontier import FOLDS, _grid, _until

#: Share of the limits that may lie above their upper end.
ABOVE = 0.04

#: Resamples of the replicates; the last digits of an end are noise of about a twentieth of it.
RESAMPLES = 200


def upper_ends(
    outcomes: pd.DataFrame,
    thresholds: Sequence[float],
    *,
    quantile: float,
    unit: float = 1.0,
    also: Sequence[int] = (),
    accounts: int = 1,
    seed: int = 0,
) -> pd.DataFrame:
    """The upper ends of the 95 % intervals of limits.

    Parameters and errors as those of `frontier.frontier`; thresholds in the unit, below 0.

    Returns
    -------
    DataFrame
        Per setting, threat and threshold: dataset, metric, setting, threat, threshold, upper
        (infinite if the resamples do not reach the threshold).

    Notes
    -----
    Attacks with equally many replicates are resampled together.  Copies of a replicate are in the
    same fold.  The end of a threat is at most those of its attacks.
    """
    outcomes, groups, settings = prepared(outcomes, quantile, accounts)
    rows: list[dict] = []
    for parts in settings:
        key = outcomes.iloc[next(iter(parts.values())).rows[0]][GROUP].to_dict()
        grids = {name: _grid(part.costs, also) for name, part in parts.items()}
        lines = {
            name: _curves(part, grids[name], quantile, seed) * unit for name, part in parts.items()
        }
        ends = {(name, t): _end(grids[name], lines[name], t) for name in parts for t in thresholds}
        for group, members in groups.items():
            mine = {part: grids[part] for part in members if part in parts}
            if not mine:
                continue
            grid = np.unique(np.concatenate(list(mine.values())))
            grid = grid[grid <= _until(groups, mine)]
            least = np.min([_read(grid, grids[part], lines[part]) for part in mine], axis=0)
            for t in thresholds:
                own = _end(grid, least, t)
                ends[group, t] = min(own, *(ends[part, t] for part in mine))
        rows += [
            key | {"threat": threat, "threshold": float(t), "upper": end}
            for (threat, t), end in ends.items()
        ]
    return pd.DataFrame(rows, columns=[*GROUP, "threat", "threshold", "upper"])


def _curves(part: Part, grid: np.ndarray, tau: float, seed: int) -> np.ndarray:
    """The curve of the replicates, then that of each resample; shape (1 + RESAMPLES, points)."""
    n = part.values.shape[1]
    drawn = np.random.default_rng([seed, n]).integers(n, size=(RESAMPLES, n))
    counts = np.ones((1 + RESAMPLES, n), np.int64)
    counts[1:] = [np.bincount(resample, minlength=n) for resample in drawn]
    last = np.searchsorted(part.costs, grid, side="right") - 1
    delta = part.values + part.by_chance[:, None]
    by_chance = np.repeat(part.by_chance[:, None], 1 + RESAMPLES, axis=1)
    known = np.isfinite(part.blind).all(axis=1)
    if known.any():
        by_chance[known, 1:] = np.minimum(_quantiles(part.blind[known], counts[1:], tau), 0.0)
    if part.fixed:
        lines = (_quantiles(delta[last], counts, tau) - by_chance[last]).T
    else:
        folds = np.arange(n) % min(FOLDS, n)
        order = np.argsort(folds, kind="stable")
        starts = np.searchsorted(folds[order], np.arange(folds.max() + 2))
        lines = np.empty((1 + RESAMPLES, len(grid)))
        cross_validated(
            np.ascontiguousarray(delta[:, order]), by_chance.T.copy(),
            np.ascontiguousarray(counts[:, order]), starts, last, tau, special.ndtri(tau), lines,
        )  # fmt: skip
    return np.stack([isotonic_regression(line, increasing=False).x for line in lines])


def _quantiles(values: np.ndarray, counts: np.ndarray, tau: float) -> np.ndarray:
    """The quantile of each row of values in each resample; shape (m, resamples)."""
    quantiles = np.empty((len(values), len(counts)))
    order = np.argsort(values, axis=1)
    quantiles_of_copies(np.take_along_axis(values, order, axis=1), order, counts, tau, quantiles)
    return quantiles


@kernel
def quantiles_of_copies(ordered, order, counts, tau, quantiles):
    """Fill `quantiles`, shape (m, resamples), with tau-quantiles of rows, linear as NumPy's.

    `ordered` and `order`, shape (m, n), are the sorted rows and from where; `counts`, shape
    (resamples, n), says how often each value counts, n times in all.
    """
    n = ordered.shape[1]
    place = (n - 1) * tau
    first = int(place)
    for i in range(ordered.shape[0]):
        for b in range(counts.shape[0]):
            k = 0
            seen = counts[b, order[i, 0]]
            while seen <= first:
                k += 1
                seen += counts[b, order[i, k]]
            below = ordered[i, k]
            while seen <= first + 1 and k < n - 1:
                k += 1
                seen += counts[b, order[i, k]]
            quantiles[i, b] = below + (place - first) * (ordered[i, k] - below)


@kernel
def cross_validated(delta, by_chance, counts, starts, last, tau, z, lines):
    """Fill `lines`, shape (resamples, points), with the cross-validated quantile of Δ.

    Parameters
    ----------
    delta : ndarray, shape (m, n)
        Δ of candidates in order of their submissions; the replicates of a fold are neighbours.
    by_chance : ndarray, shape (resamples, m)
        What is subtracted from Δ.
    counts : ndarray of int, shape (resamples, n)
        How often each replicate was drawn.
    starts : ndarray of int, shape (folds + 1,)
        Where the folds start.
    last : ndarray of int, shape (points,)
        The last candidate that a point allows, rising.
    tau, z : float
        The quantile, and that of a standard normal.
    """
    m, n = delta.shape
    folds = len(starts) - 1
    sums, squares, sizes = np.empty(folds), np.empty(folds), np.empty(folds)
    lowest, best = np.empty(folds), np.empty(folds, np.int64)
    values = np.empty(n)
    for b in range(counts.shape[0]):
        drawn, chance = counts[b], by_chance[b]
        for f in range(folds):
            sizes[f] = drawn[starts[f] : starts[f + 1]].sum()
            lowest[f] = np.inf
            best[f] = 0
        point, quantile, is_new = 0, 0.0, True
        for c in range(m):
            total, squared = sums_of_folds(delta[c], drawn, starts, sums, squares)
            for f in range(folds):  # a single fold is its own other
                away = folds > 1
                others = max(n - sizes[f] * away, 2.0)
                rest, squared_rest = total - sums[f] * away, squared - squares[f] * away
                looks = normal_quantile(rest, squared_rest, others, z, chance[c])
                if looks < lowest[f]:
                    lowest[f] = looks
                    best[f] = c
                    is_new = True
            while point < len(last) and last[point] == c:
                if is_new:
                    measure_in_folds(delta, chance, drawn, starts, best, values)
                    quantile = quantile_of(values, tau)
                    is_new = False
                lines[b, point] = quantile
                point += 1


@kernel
def sums_of_folds(delta, drawn, starts, sums, squares):
    """Fill `sums` and `squares` of Δ, as often as drawn, by fold; return those of all folds."""
    total = squared = 0.0
    for f in range(len(sums)):
        own = square = 0.0
        for r in range(starts[f], starts[f + 1]):
            value = delta[r]
            own += drawn[r] * value
            square += drawn[r] * value * value
        sums[f] = own
        squares[f] = square
        total += own
        squared += square
    return total, squared


@kernel
def normal_quantile(total, squared, n, z, chance):
    """The quantile of a normal Δ with the mean and the variance of n values, less chance."""
    mean = total / n
    variance = max(squared / n - mean * mean, 0.0)
    return mean - chance + z * np.sqrt(variance * n / (n - 1.0))


@kernel
def measure_in_folds(delta, chance, drawn, starts, best, values):
    """Fill `values`, shape (n,), with Δ less chance of each fold's candidate, as often as drawn."""
    k = 0
    for f in range(len(best)):
        for r in range(starts[f], starts[f + 1]):
            for _ in range(drawn[r]):
                values[k] = delta[best[f], r] - chance[best[f]]
                k += 1


@kernel
def quantile_of(values, tau):
    """The tau-quantile, linear as NumPy's."""
    ordered, place = np.sort(values), (len(values) - 1) * tau
    first = int(place)
    second = min(first + 1, len(values) - 1)
    return ordered[first] + (place - first) * (ordered[second] - ordered[first])


def _read(grid: np.ndarray, played: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Lines interpolated from no overfit without submissions."""
    at = np.append(0, played)
    return np.stack([np.interp(grid, at, np.append(0, line)) for line in lines])


def _end(grid: np.ndarray, lines: np.ndarray, threshold: float) -> float:
    """Bias-corrected percentile of the limits of the resamples; the first line is the estimate."""
    at = np.append(0, grid)
    lines = np.hstack([np.zeros((len(lines), 1)), lines])
    reached = lines <= threshold
    first = np.maximum(reached.argmax(axis=1), 1)
    every = np.arange(len(lines))
    above, below = lines[every, first - 1], lines[every, first]
    with np.errstate(divide="ignore", invalid="ignore"):
        place = at[first - 1] + (above - threshold) / (above - below) * (at[first] - at[first - 1])
    limits = np.where(reached.any(axis=1), np.ceil(place) - 1, np.inf)
    return _corrected(limits[0], np.sort(limits[1:]), ABOVE)


def _corrected(estimate: float, resampled: np.ndarray, above: float) -> float:
    """The percentile of sorted resamples that leaves this share above, corrected for bias."""
    b = len(resampled)
    before = ((resampled < estimate).mean() + (resampled <= estimate).mean()) / 2
    bias = special.ndtri(np.clip(before, 1 / b, 1 - 1 / b))
    share = special.ndtr(2 * bias - special.ndtri(above))
    return float(resampled[max(int(np.ceil(share * b)) - 1, 0)])
