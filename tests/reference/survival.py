"""Scores of censored times as their definitions, pair by pair and time by time.

A response is t for an event at the time t, and -t for a row that was censored then.  A weight says
how often a row counts.
"""

from __future__ import annotations

import numpy as np


def comes_first(y, i, k):
    """Whether row i is known to have its event before row k."""
    later = abs(y[k]) > abs(y[i]) or (abs(y[k]) == abs(y[i]) and y[k] < 0)
    return y[i] > 0 and later


def is_right(risks, i, k):
    """1 if row i has the larger risk, a half if both are equal, 0 otherwise."""
    return 0.5 * ((risks[i] > risks[k]) + 1.0 * (risks[i] >= risks[k]))


def uncensored(y, time, w):
    """Kaplan and Meier's probability of no censoring up to a time, that time included."""
    probability = 1.0
    for s in sorted({-value for value in y if value < 0 and -value <= time}):
        # Rows with an event at s are not at risk of being censored then.
        at_risk = sum(w[k] for k in range(len(y)) if abs(y[k]) > s or y[k] == -s)
        if at_risk > 0:
            probability *= 1.0 - sum(w[k] for k in range(len(y)) if y[k] == -s) / at_risk
    return probability


def alive(y, time, w):
    """Kaplan and Meier's probability of no event up to a time, that time included."""
    probability = 1.0
    for s in sorted({value for value in y if 0 < value <= time}):
        at_risk = sum(w[k] for k in range(len(y)) if abs(y[k]) >= s)
        if at_risk > 0:
            probability *= 1.0 - sum(w[k] for k in range(len(y)) if y[k] == s) / at_risk
    return probability


def concordance(y, risks, w=None, power=0):
    """Harrell's index; with the power 2 of the inverse probability of no censoring, Uno's."""
    w = np.ones(len(y)) if w is None else w
    right = total = 0.0
    for i in range(len(y)):
        probability = uncensored(y, y[i], w) if power and y[i] > 0 else 1.0
        if probability == 0.0:
            continue
        for k in range(len(y)):
            if comes_first(y, i, k):
                worth = w[i] * w[k] / probability**power
                total += worth
                right += worth * is_right(risks, i, k)
    return right / total if total else np.nan


def c_index(y, risks, w=None):
    return concordance(y, risks, w)


def uno_c_index(y, risks, w=None):
    return concordance(y, risks, w, power=2)


def auc(y, risks, time, w):
    """The cumulative/dynamic area under the ROC curve at a time."""
    right = total = 0.0
    for i in range(len(y)):
        if not 0 < y[i] <= time:
            continue
        worth = w[i] / uncensored(y, y[i], w)
        for k in range(len(y)):
            if abs(y[k]) > time:
                total += worth * w[k]
                right += worth * w[k] * is_right(risks, i, k)
    return right / total


def iauc(y, risks, w=None):
    """The mean of `auc` over the times of events with a row observed for longer."""
    w = np.ones(len(y)) if w is None else w
    last = max((abs(value) for value, own in zip(y, w, strict=True) if own > 0), default=0.0)
    events = {value for value, own in zip(y, w, strict=True) if own > 0}
    grid = sorted(value for value in events if 0 < value < last)
    if not grid:
        return np.nan
    areas = [auc(y, risks, time, w) for time in grid]
    curve = np.array([1.0, *(alive(y, time, w) for time in grid)])
    falls = curve[:-1] - curve[1:]
    return float(falls @ areas / falls.sum())


def uncensored_before(y, time):
    """Kaplan and Meier's probability of no censoring before a time."""
    earlier = [-value for value in y if value < 0 and -value < time]
    return uncensored(y, max(earlier), np.ones(len(y))) if earlier else 1.0


def brier_at(y, horizon, probabilities):
    """Graf's Brier score of probabilities of an event up to a horizon, row by row."""
    total = 0.0
    for value, p in zip(y, probabilities, strict=True):
        if 0 < value <= horizon:
            total += (1.0 - p) ** 2 / uncensored_before(y, value)
        elif abs(value) > horizon:
            total += p**2 / uncensored(y, horizon, np.ones(len(y)))
    return total / len(y)


def integrated_brier(y, horizons, probabilities):
    """The mean of `brier_at` over time, by the trapezoidal rule; shape (q, n)."""
    scores = [brier_at(y, h, p) for h, p in zip(horizons, probabilities, strict=True)]
    if len(horizons) == 1:
        return scores[0]
    area = sum(
        0.5 * (b - a) * (scores[k] + scores[k + 1])
        for k, (a, b) in enumerate(zip(horizons, horizons[1:], strict=False))
    )
    return area / (horizons[-1] - horizons[0])
