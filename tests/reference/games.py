"""Small games for the tests of the mechanisms.

With the metric "mae" and y = 0, a prediction of positive numbers is its own loss vector.
"""

import numpy as np

FALSE_ALARM = 1e-6


def flat(score, n=10):
    """Losses that are all the same: the mean absolute error is `score`, no spread."""
    return np.full(n, float(score))


def play(mechanism, predictions):
    for prediction in predictions:
        mechanism.submit(prediction)
    return mechanism


def random_losses(rng, n, m, falling=0.02):
    """Losses of m submissions that improve slowly, shape (m, n)."""
    common = rng.exponential(size=n)
    return [common * (1 + 0.3 * rng.random(n)) * (1 - falling * t) for t in range(m)]
