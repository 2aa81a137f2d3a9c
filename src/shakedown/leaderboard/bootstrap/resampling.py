"""Scores of bootstrap samples, for the noisy releases of the papers."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from shakedown.compiled import kernel, ordered
from shakedown.leaderboard.bootstrap.bits import draw_exponentials, draw_indices, refused_below
from shakedown.leaderboard.bootstrap.sums import (
    count_and_sum,
    in_units,
    sums_of_lines,
    terms_of,
    terms_of_response,
    weighted_risk,
    weighted_sums,
)
from shakedown.leaderboard.bootstrap.vectors import WIDTH
from shakedown.metrics import PEARSON, concordance_risk, correlation_risk, offset


class AliasTable(NamedTuple):
    """Walker's alias table: a random cell, and a random choice between two whole numbers in it."""

    first: int  # added to every number
    shift: int  # word >> shift is a cell
    cells: np.ndarray  # (2^k,) from the last bits: 32 of a threshold, 16 each of two numbers


@cache
def poisson_table(mean: float) -> AliasTable:
    """Alias table of the Poisson distribution with this mean; built in linear time (Vose 1991).

    Probabilities below 1e-18 are left out, and the others hold to 2^-32 / cells.
    """
    from scipy.special import gammaln  # slow to import, and tables need no release

    values = np.arange(int(mean + 12 * np.sqrt(mean) + 40))
    p = np.exp(values * np.log(mean) - mean - gammaln(values + 1.0))
    values, p = values[p > 1e-18], p[p > 1e-18]
    bits = max(1, int(np.ceil(np.log2(len(p)))))
    scaled = np.zeros(2**bits)
    scaled[: len(p)] = p / p.sum() * len(scaled)
    keep, other = np.ones(len(scaled)), np.arange(len(scaled))
    small = [i for i in range(len(scaled)) if scaled[i] < 1.0]
    large = [i for i in range(len(scaled)) if scaled[i] >= 1.0]
    while small and large:
        i, j = small.pop(), large[-1]
        keep[i], other[i] = scaled[i], j
        scaled[j] -= 1.0 - scaled[i]
        if scaled[j] < 1.0:
            small.append(large.pop())
    thresholds = np.minimum(np.rint(keep * 2.0**32), 2.0**32 - 1).astype(np.uint64)
    own, other = np.arange(len(scaled)).astype(np.uint64), other.astype(np.uint64)
    cells = thresholds | own << np.uint64(32) | other << np.uint64(48)
    return AliasTable(int(values[0]), 64 - bits, cells)


@ordered
def _sum_of_rows(losses, indices):
    """Sum of the losses of some rows, in four parts."""
    count = len(indices)
    whole = count - count % 4
    s0 = s1 = s2 = s3 = 0.0
    for j in range(0, whole, 4):
        s0 += losses[indices[j]]
        s1 += losses[indices[j + 1]]
        s2 += losses[indices[j + 2]]
        s3 += losses[indices[j + 3]]
    total = (s0 + s2) + (s1 + s3)
    for j in range(whole, count):
        total += losses[indices[j]]
    return total


@ordered
def resampled_losses(losses, best, standing, b, first, shift, cells, indices, states):
    """[C] Algorithm 4, lines 12-13 (a new best) and 15-16 (the previous best); shape (m,).

    Each is the mean of the means of b bootstrap samples of the losses, from one vector of counts.

    b samples of n rows are b n draws with replacement, so the result depends only on the counts of
    the rows, which are multinomial.  Independent Poisson counts are multinomial given their sum.
    So we draw Poisson counts with a mean slightly below b, draw them again if their sum exceeds b n
    (one time in six), and draw the missing rows one by one.  The result has the exact distribution,
    and the time is O(n + sqrt(b n)) instead of O(b n).  `first`, `shift` and `cells` are those of
    an `AliasTable`.
    """
    n = losses.shape[1]
    trials = b * n
    row = np.zeros(-(-n // WIDTH) * WIDTH)  # some more, which do not count
    refused, at_once = refused_below(n, indices), WIDTH * 8 // indices.itemsize
    shown = np.empty(len(standing))
    filled, at_first = -2, 0.0
    for t in range(len(standing)):
        if standing[t] != filled:
            filled = standing[t]
            row[:n] = losses[filled] if filled >= 0 else best
            at_first = first * row.sum()
        drawn = trials + 1
        while drawn > trials:
            more, total = count_and_sum(states, shift, cells, n, row)
            drawn = first * n + more
        total += at_first
        missing = trials - drawn
        while missing > 0:
            size = min(missing, len(indices))
            draw_indices(states, n, refused, indices[: -(-size // at_once) * at_once])
            total += _sum_of_rows(row, indices[:size])
            missing -= size
        shown[t] = total / trials
    return shown


@ordered
def resampled_roots(losses, best, standing, b, indices, states):
    """[C] Algorithm 6, lines 12-13 and 15-16, for the root of a mean loss; shape (m,).

    Each of the b roots needs its own sample, so one vector of counts for all samples does not
    suffice.
    """
    n = losses.shape[1]
    shown = np.empty(len(standing))
    refused = refused_below(n, indices)
    for t in range(len(standing)):
        row = losses[standing[t]] if standing[t] >= 0 else best
        total = 0.0
        for _ in range(b):
            draw_indices(states, n, refused, indices)
            total += np.sqrt(_sum_of_rows(row, indices[:n]) / n)
        shown[t] = total / b
    return shown


@ordered
def _sum_lines(row, y, formula, groups, lines, own_squares):
    """Write the sums over each group of rows into `lines`, shape (groups, 4), and the squares."""
    lines[:], own_squares[:] = 0.0, 0.0
    taken_off = offset(formula, row, y)
    for i in range(len(y)):
        g, u, p = groups[i], y[i] - y[0], row[i] - taken_off
        own_squares[g] += p * p
        lines[g, 0] += u
        lines[g, 1] += p
        lines[g, 2] += u * u if formula == PEARSON else u * u + p * p
        lines[g, 3] += u * p


@ordered
def resampled_scores(predictions, best, standing, y, formula, b, groups, indices, states):
    """[C] Algorithm 6, lines 12-13 and 15-16, for a correlation; shape (m,).

    Lin's correlation needs only the sum of the two squares.  Of rows in groups, as many groups as
    there are are drawn; each brings the sums over its rows.
    """
    sizes = np.bincount(groups).astype(np.float64)
    n = len(sizes) if len(groups) else len(y)
    shown = np.empty(len(standing))
    lines, own_squares = np.empty((n, 4)), np.empty(n)
    refused = refused_below(n, indices)
    at_once = len(indices) // n  # replications whose rows are drawn together
    filled = -2
    for t in range(len(standing)):
        if standing[t] != filled:
            filled = standing[t]
            row = predictions[filled] if filled >= 0 else best
            if len(groups):
                _sum_lines(row, y, formula, groups, lines, own_squares)
            else:
                taken_off = offset(formula, row, y)
                for i in range(n):
                    u, p = y[i] - y[0], row[i] - taken_off
                    own_squares[i] = p * p
                    others = u * u if formula == PEARSON else u * u + p * p
                    lines[i, 0], lines[i, 1], lines[i, 2], lines[i, 3] = u, p, others, u * p
        total = 0.0
        left = b
        while left > 0:
            draw_indices(states, n, refused, indices)
            for r in range(min(at_once, left)):
                rows = indices[r * n : (r + 1) * n]
                wy, wp, squares, wyp = sums_of_lines(lines, rows)
                w = _sum_of_rows(sizes, rows) if len(groups) else float(n)
                if formula == PEARSON:
                    wpp = _sum_of_rows(own_squares, rows)
                    total += correlation_risk(formula, w, wy, squares, wp, wpp, wyp)
                else:
                    total += concordance_risk(w, wy, wp, squares, wyp)
            left -= at_once
        shown[t] = total / b
    return shown


@kernel
def weighted_means(rows, best, standing, y, formula, root, b, groups, states):
    """Mean over b Bayesian-bootstrap replications; shape (m,)."""
    shown = np.empty(len(standing))
    response = in_units(terms_of_response(y), groups)
    weights = np.empty(response.shape[1])
    for t in range(len(standing)):
        row = rows[standing[t]] if standing[t] >= 0 else best
        terms = in_units(terms_of(row, y, formula), groups)
        total = 0.0
        for _ in range(b):
            draw_exponentials(states, weights)
            risk = weighted_risk(formula, weights, weighted_sums(weights, response), terms)
            total += np.sqrt(risk) if root else risk
        shown[t] = total / b
    return shown


def bootstrap_of_any_metric(batch, best, standing, metric, y, b, dirichlet, rng):
    """`Bootstrap` for a metric given as a Python function, with counts as sample weights."""
    groups = metric.groups
    n = len(y) if groups is None else int(groups.max()) + 1
    shown = np.empty(len(standing))
    for t, k in enumerate(standing):
        row = batch.rows[k] if k >= 0 else best.row
        scores, score = [], metric.weighted(y, row)
        for _ in range(b):
            w = rng.standard_exponential(n) if dirichlet else rng.multinomial(n, np.full(n, 1 / n))
            w = w if groups is None else w[groups]
            scores.append(score(w))
        shown[t] = metric.sign * np.mean(scores)
    return shown
