"""Scores of classes as they are defined, row by row and pair by pair, with weights on the rows.

Each takes a response, a prediction and weights, all of shape (n,).  The classes are the values of
the response.
"""

from __future__ import annotations

import numpy as np


def auroc(y, p, w):
    right = pairs = 0.0
    for i in np.flatnonzero(y == y.max()):
        for j in np.flatnonzero(y < y.max()):
            right += w[i] * w[j] * (1.0 if p[i] > p[j] else 0.5 if p[i] == p[j] else 0.0)
            pairs += w[i] * w[j]
    return right / pairs


def aupr(y, p, w):
    ones, total = y == y.max(), 0.0
    for i in np.flatnonzero(ones & (w > 0)):
        shown = p >= p[i]
        total += w[i] * w[shown & ones].sum() / w[shown].sum()
    return total / w[ones].sum()


def log_loss(y, p, w):
    losses = []
    for label, probability in zip(y, p, strict=True):
        q = (probability - y.min()) / (y.max() - y.min())
        own = q if label == y.max() else 1.0 - q
        losses.append(-np.log(min(max(own, 1e-15), 1.0 - 1e-15)))
    return np.average(losses, weights=w)


def taken_for(y, p):
    """The class nearest to each prediction."""
    classes = np.unique(y)
    return np.array([min(classes, key=lambda c: abs(c - value)) for value in p])


def recalls_and_precisions(y, p, w):
    taken = taken_for(y, p)
    for c in np.unique(y[w > 0]):
        both, own, called = (
            w[rows].sum() for rows in ((y == c) & (taken == c), y == c, taken == c)
        )
        yield both / own, (both / called if called else 0.0)


def harmonic_mean(a, b):
    return 2.0 * a * b / (a + b) if a + b else 0.0


def balanced_accuracy(y, p, w):
    return np.mean([recall for recall, _ in recalls_and_precisions(y, p, w)])


def macro_f1(y, p, w):
    return np.mean([harmonic_mean(*pair) for pair in recalls_and_precisions(y, p, w)])


def f1(y, p, w):
    *_, pair = recalls_and_precisions(y, p, w)
    return harmonic_mean(*pair)


def mcc(y, p, w):
    """Gorodkin (2004): the covariance of indicators, over the root of the product of variances."""
    taken, classes = taken_for(y, p), np.unique(y)

    def covariance(a, b):
        total = 0.0
        for c in classes:
            x, z = a == c, b == c
            total += np.average(
                (x - np.average(x, weights=w)) * (z - np.average(z, weights=w)), weights=w
            )
        return total

    below = covariance(y, y) * covariance(taken, taken)
    return covariance(y, taken) / np.sqrt(below) if below > 1e-20 else 0.0


def kappa(y, p, w):
    """Cohen (1968): one less the disagreement seen, over that of independent classes."""
    taken = taken_for(y, p)
    seen = np.average((y - taken) ** 2, weights=w)
    shares = w / w.sum()
    independent = (np.outer(shares, shares) * (y[:, None] - taken) ** 2).sum()
    return 1.0 - seen / independent


def ordered_mae(y, p, w):
    return np.average(np.abs(y - taken_for(y, p)), weights=w) / np.diff(np.unique(y)).min()


CLASS_METRICS = {
    function.__name__: function
    for function in (
        auroc, aupr, log_loss, balanced_accuracy, macro_f1, f1, mcc, kappa, ordered_mae,
    )
}  # fmt: skip
