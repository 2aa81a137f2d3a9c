"""The formulas of the metrics, compiled: shared by scores, gates and releases."""

from __future__ import annotations

import numpy as np

from shakedown.compiled import kernel, ordered
from shakedown.interface import SMALLEST_SPREAD

# Formulas that the compiled loops know.
MEAN_LOSS, PEARSON, CONCORDANCE = 0, 1, 2
SQUARED, ABSOLUTE, ZERO_ONE = 0, 1, 2
# A smaller sum of squared deviations is that of predictions that differ by less than
# SMALLEST_SPREAD; with it, a correlation could be inexact, or above 1.
LEAST_SQUARES = 0.49 * SMALLEST_SPREAD**2


@kernel
def losses_and_means(predictions, y, loss, losses, means):
    """Fill `losses` of m submissions on n rows, shape (m, n), and their `means`, shape (m,).

    [C] Algorithm 2, lines 6 and 7.
    """
    m, n = predictions.shape
    for t in range(m):
        for i in range(n):
            error = predictions[t, i] - y[i]
            if loss == SQUARED:
                value = error * error
            elif loss == ABSOLUTE:
                value = abs(error)
            else:
                value = 1.0 if error != 0.0 else 0.0
            losses[t, i] = value
        # A separate loop: if it also wrote, the use of vector instructions, and so the order and
        # the rounding of the sum, would depend on the distance of the arrays in memory.
        total = 0.0
        for i in range(n):
            total += losses[t, i]
        means[t] = total / n


@ordered
def grouped(losses, groups, count):
    """A value for each of `count` groups of rows, whose mean is the mean loss; shape (m, count).

    A group counts by its number of rows.
    """
    m, n = losses.shape
    sums = np.zeros((m, count))
    for t in range(m):
        for i in range(n):
            sums[t, groups[i]] += losses[t, i]
    return sums * (count / n)


@ordered
def ranks_of(values, order):
    """Ranks within each row, ties sharing their average, from the order of each; shape (m, n)."""
    m, n = values.shape
    out = np.empty((m, n))
    for t in range(m):
        start = 0
        while start < n:
            value, stop = values[t, order[t, start]], start + 1
            while stop < n and values[t, order[t, stop]] == value:
                stop += 1
            for k in range(start, stop):
                out[t, order[t, k]] = 0.5 * (start + 1 + stop)
            start = stop
        if n > 0 and np.isnan(values[t, order[t, n - 1]]):  # sorted to the end
            out[t] = np.nan
    return out


@ordered
def risks_of_parts(predictions, y, order, ends, formula, loss):
    """Mean loss, or minus the correlation, of m submissions on each of k parts, shape (m, k).

    `order` has the rows of all parts, part by part, and `ends`, shape (k,), where each part ends.
    A correlation is undefined where `correlation_risks` has none.
    """
    m = len(predictions)
    out = np.empty((m, len(ends)))
    for t in range(m):
        start = 0
        for k in range(len(ends)):
            stop = ends[k]
            n = stop - start
            mean_y = mean_p = total = 0.0
            for j in range(start, stop):
                mean_y += y[order[j]] / n
                mean_p += predictions[t, order[j]] / n
            yy = pp = yp = 0.0
            for j in range(start, stop):
                a, b = y[order[j]], predictions[t, order[j]]
                error = b - a
                if formula == MEAN_LOSS:
                    if loss == SQUARED:
                        total += error * error
                    elif loss == ABSOLUTE:
                        total += abs(error)
                    else:
                        total += 1.0 if error != 0.0 else 0.0
                else:
                    a, b = a - mean_y, b - mean_p
                    yy += a * a
                    pp += b * b
                    yp += a * b
            start = stop
            if formula == MEAN_LOSS:
                out[t, k] = total / n
            elif not pp < np.inf or yy == 0.0:
                out[t, k] = np.nan
            elif pp <= 1e-24 * n * mean_p * mean_p or pp < LEAST_SQUARES:
                out[t, k] = np.nan if formula == PEARSON else 0.0
            elif formula == PEARSON:
                out[t, k] = -yp / np.sqrt(yy * pp)
            else:
                out[t, k] = -2.0 * yp / (yy + pp + n * (mean_y - mean_p) ** 2)
    return out


@kernel
def correlation_risk(formula, w, wy, wyy, wp, wpp, wyp):
    """Minus Pearson's or Lin's correlation, from the sums of weighted products.

    [C], equation for ΔCOR under Algorithm 6; Lin (1989).  The weights need not sum to one.
    """
    mean_y, mean_p = wy / w, wp / w
    var_y = max(wyy / w - mean_y * mean_y, 0.0)
    var_p = max(wpp / w - mean_p * mean_p, 0.0)
    cov = wyp / w - mean_y * mean_p
    if formula == PEARSON:
        scale = np.sqrt(var_y * var_p)
    else:
        scale = 0.5 * (var_y + var_p + (mean_y - mean_p) ** 2)
    # A bootstrap sample can be constant; its correlation counts as 0.
    return -cov / scale if scale > 0.0 else 0.0


@kernel
def concordance_risk(w, wy, wp, squares, wyp):
    """Minus Lin's correlation, for which one sum of the squares of both suffices."""
    mean_y, mean_p = wy / w, wp / w
    variances = max(squares / w - mean_y * mean_y - mean_p * mean_p, 0.0)
    scale = 0.5 * (variances + (mean_y - mean_p) ** 2)
    return -(wyp / w - mean_y * mean_p) / scale if scale > 0.0 else 0.0


@kernel
def offset(formula, row, y):
    """The value that is subtracted from a row before products are formed; for the response, y[0].

    Without it, a large mean would cause cancellation.  Lin's correlation, unlike Pearson's, needs
    the same value for response and predictions.
    """
    if formula == MEAN_LOSS:
        return 0.0
    return row[0] if formula == PEARSON else y[0]


@kernel
def correlation_risks(predictions, y, formula):
    """Minus the correlation of each of m submissions with the response, shape (m,).

    The values are centred first to avoid cancellation.  For constant predictions, or almost
    constant ones, Pearson's correlation is NaN and Lin's is 0.
    """
    m, n = predictions.shape
    mean_y = y.mean()
    out = np.empty(m)
    for t in range(m):
        mean_p = predictions[t].mean()
        yy = pp = yp = 0.0
        for i in range(n):
            a, b = y[i] - mean_y, predictions[t, i] - mean_p
            yy += a * a
            pp += b * b
            yp += a * b
        if not pp < np.inf or yy == 0.0:
            out[t] = np.nan
        elif pp <= 1e-24 * n * mean_p * mean_p or pp < LEAST_SQUARES:
            out[t] = np.nan if formula == PEARSON else 0.0
        elif formula == PEARSON:
            out[t] = -yp / np.sqrt(yy * pp)
        else:
            out[t] = -2.0 * yp / (yy + pp + n * (mean_y - mean_p) ** 2)
    return out
