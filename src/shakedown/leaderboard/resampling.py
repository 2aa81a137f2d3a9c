"""Scores of bootstrap samples, for the noisy releases of the papers."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from shakedown.compiled import kernel, ordered, sums_of_lines
from shakedown.leaderboard.bits import (
    LANES,
    draw_exponentials,
    draw_indices,
    draw_words,
    next_pair,
    refused_below,
    uniform_of,
)
from shakedown.metrics import MEAN_LOSS, PEARSON, concordance_risk, correlation_risk, offset


class PoissonTable(NamedTuple):
    """Walker's alias table of a Poisson distribution, without probabilities below 1e-18."""

    keep: np.ndarray  # (k,) probability that a column keeps its own value
    values: np.ndarray  # (2 k,) int32; of column j: its own value at 2 j, the other at 2 j + 1


@cache
def poisson_table(mean: float) -> PoissonTable:
    """Alias table of the Poisson distribution with this mean; built in linear time (Vose 1991)."""
    from scipy.special import gammaln  # slow to import, and tables need no release

    values = np.arange(int(mean + 12 * np.sqrt(mean) + 40))
    p = np.exp(values * np.log(mean) - mean - gammaln(values + 1.0))
    values, p = values[p > 1e-18], p[p > 1e-18]
    scaled = p / p.sum() * len(p)
    keep, other = np.ones(len(p)), np.arange(len(p))
    small = [i for i in range(len(p)) if scaled[i] < 1.0]
    large = [i for i in range(len(p)) if scaled[i] >= 1.0]
    while small and large:
        i, j = small.pop(), large[-1]
        keep[i], other[i] = scaled[i], j
        scaled[j] -= 1.0 - scaled[i]
        if scaled[j] < 1.0:
            small.append(large.pop())
    return PoissonTable(keep, np.stack([values, values[other]], axis=1).astype(np.int32).ravel())


@kernel
def _draw_counts(table, words, counts):
    """Fill `counts`, shape (n,), with Poisson numbers from as many words; returns their sum."""
    columns = len(table.keep)
    drawn = 0
    for i in range(len(counts)):
        position = uniform_of(words[i]) * columns
        column = np.int32(position)
        # Unsigned: an index that could count from the end takes longer.  A second index instead of
        # a choice: processors cannot predict it.
        moved = position - column >= table.keep[np.uint32(column)]
        counts[i] = table.values[np.uint32(2 * column + np.int32(moved))]
        drawn += counts[i]
    return drawn


@ordered
def _weighted_sum(counts, losses):
    """Sum of counts times losses, in eight parts, so that it can use vectors of any width."""
    n = len(counts)
    whole = n - n % 8
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    for i in range(0, whole, 8):
        s0 += counts[i] * losses[i]
        s1 += counts[i + 1] * losses[i + 1]
        s2 += counts[i + 2] * losses[i + 2]
        s3 += counts[i + 3] * losses[i + 3]
        s4 += counts[i + 4] * losses[i + 4]
        s5 += counts[i + 5] * losses[i + 5]
        s6 += counts[i + 6] * losses[i + 6]
        s7 += counts[i + 7] * losses[i + 7]
    total = ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))
    for i in range(whole, n):
        total += counts[i] * losses[i]
    return total


@ordered
def _sum_of_rows(losses, indices, count):
    """Sum of the losses of the first `count` rows in `indices`, in four parts."""
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
def resampled_losses(losses, best, standing, b, table, states):
    """[C] Algorithm 4, lines 12-13 (a new best) and 15-16 (the previous best); shape (m,).

    Each is the mean of the means of b bootstrap samples of the losses, from one vector of counts.

    b samples of n rows are b n draws with replacement, so the result depends only on the counts of
    the rows, which are multinomial.  Independent Poisson counts are multinomial given their sum.
    So we draw Poisson counts with a mean slightly below b, draw them again if their sum exceeds b n
    (one time in six), and draw the missing rows one by one.  The result has the exact distribution,
    and the time is O(n + sqrt(b n)) instead of O(b n).  `states` are those of `LANES` generators.
    """
    n = losses.shape[1]
    trials = b * n
    words = np.empty((n + LANES - 1) // LANES * LANES, np.uint64)
    counts = np.empty(n, np.int32)
    some, indices = np.empty(4 * LANES, np.uint64), np.empty(8 * LANES, np.uint32)
    refused = refused_below(n)
    shown = np.empty(len(standing))
    for t in range(len(standing)):
        row = losses[standing[t]] if standing[t] >= 0 else best
        drawn = trials + 1
        while drawn > trials:
            draw_words(states, words)
            drawn = _draw_counts(table, words, counts)
        total = _weighted_sum(counts, row)
        missing = trials - drawn
        while missing > 0:
            size = min(missing, len(indices))
            blocks = -(-size // (2 * LANES))
            draw_indices(states, n, refused, some, indices[: blocks * 2 * LANES])
            total += _sum_of_rows(row, indices, size)
            missing -= size
        shown[t] = total / trials
    return shown


@kernel
def resampled_roots(losses, best, standing, b, bits):
    """[C] Algorithm 6, lines 12-13 and 15-16, for the root of a mean loss; shape (m,).

    Each of the b roots needs its own sample, so one vector of counts for all samples does not
    suffice.  A vector for each sample takes ten times as long as drawing its rows in pairs.
    """
    n = losses.shape[1]
    shown = np.empty(len(standing))
    refused = refused_below(n)
    for t in range(len(standing)):
        row = losses[standing[t]] if standing[t] >= 0 else best
        total = 0.0
        for _ in range(b):
            drawn = 0.0
            for _ in range(n // 2):
                first, second = next_pair(bits, n, refused)
                drawn += row[first] + row[second]
            if n % 2:
                drawn += row[next_pair(bits, n, refused)[0]]
            total += np.sqrt(drawn / n)
        shown[t] = total / b
    return shown


@ordered
def _sum_of_column(values, rows):
    """Sum over some rows, in two parts."""
    even = odd = 0.0
    for j in range(0, len(rows) - 1, 2):
        even += values[rows[j]]
        odd += values[rows[j + 1]]
    if len(rows) % 2:
        even += values[rows[len(rows) - 1]]
    return even + odd


@ordered
def resampled_scores(predictions, best, standing, y, formula, b, states):
    """[C] Algorithm 6, lines 12-13 and 15-16, for a correlation; shape (m,).

    Lin's correlation needs only the sum of the two squares.  `states` are those of `LANES`
    generators.
    """
    n = len(y)
    shown = np.empty(len(standing))
    lines, own_squares = np.empty((n, 4)), np.empty(n)
    refused = refused_below(n)
    at_once = max(1, min(b, 10, 4096 // n))  # replications whose rows are drawn together
    some = np.empty(4 * LANES, np.uint64)
    indices = np.empty(-(-at_once * n // (2 * LANES)) * 2 * LANES, np.uint32)
    filled = -2
    for t in range(len(standing)):
        if standing[t] != filled:
            filled = standing[t]
            row = predictions[filled] if filled >= 0 else best
            taken_off = offset(formula, row, y)
            for i in range(n):
                u, p = y[i] - y[0], row[i] - taken_off
                own_squares[i] = p * p
                others = u * u if formula == PEARSON else u * u + p * p
                lines[i, 0], lines[i, 1], lines[i, 2], lines[i, 3] = u, p, others, u * p
        total = 0.0
        for r in range(b):
            start = r % at_once * n
            if start == 0:
                draw_indices(states, n, refused, some, indices)
            rows = indices[start : start + n]
            wy, wp, squares, wyp = sums_of_lines(lines, rows)
            if formula == PEARSON:
                wpp = _sum_of_column(own_squares, rows)
                total += correlation_risk(formula, n, wy, squares, wp, wpp, wyp)
            else:
                total += concordance_risk(n, wy, wp, squares, wyp)
        shown[t] = total / b
    return shown


@kernel
def weighted_means(rows, best, standing, y, formula, root, b, bits):
    """Mean over b Bayesian-bootstrap replications; shape (m,)."""
    shown = np.empty(len(standing))
    response = y - y[0]
    weights = np.empty(len(y))
    for t in range(len(standing)):
        row = rows[standing[t]] if standing[t] >= 0 else best
        row = row - offset(formula, row, y)
        total = 0.0
        for _ in range(b):
            draw_exponentials(bits, weights)
            w = wy = wp = wyy = wpp = wyp = 0.0
            for i in range(len(row)):
                a, u, p = weights[i], response[i], row[i]
                w += a
                wp += a * p
                wpp += a * p * p
                wy += a * u
                wyy += a * u * u
                wyp += a * u * p
            if root:
                total += np.sqrt(wp / w)
            elif formula == MEAN_LOSS:
                total += wp / w
            else:
                total += correlation_risk(formula, w, wy, wyy, wp, wpp, wyp)
        shown[t] = total / b
    return shown


def bootstrap_of_any_metric(batch, best, standing, metric, y, b, dirichlet, rng):
    """`Bootstrap` for a metric given as a Python function, with counts as sample weights."""
    n = len(y)
    shown = np.empty(len(standing))
    for t, k in enumerate(standing):
        row = batch.rows[k] if k >= 0 else best.row
        scores = []
        for _ in range(b):
            w = rng.standard_exponential(n) if dirichlet else rng.multinomial(n, np.full(n, 1 / n))
            scores.append(metric.function(y, row, sample_weight=w))
        shown[t] = metric.sign * np.mean(scores)
    return shown
