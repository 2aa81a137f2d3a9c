"""Small challenges for the tests of usefulness."""

import numpy as np

from shakedown.data.splits import Splitter
from shakedown.interface import Challenge
from shakedown.metrics import METRICS, find
from shakedown.metrics.classes import NUMBERS

#: Every metric of numbers: those with a name, and two that only scikit-learn knows.
EVERY_METRIC = [name for name in METRICS if find(name).response == NUMBERS] + [
    "sklearn.metrics.r2_score",
    "sklearn.metrics.median_absolute_error",
]


def challenge(n=150, p=8, r2=0.5, seed=0, name="c", split=None, y=None):
    """Independent normal features, the first three of which carry the signal."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    noise = rng.standard_normal(n)
    if y is None:
        y = np.sqrt(r2) * X[:, :3].sum(axis=1) / np.sqrt(3) + np.sqrt(1 - r2) * noise
    rows, features = np.arange(n).astype(str), np.array([f"x{j}" for j in range(p)])
    return Challenge(name, X, y, rows, features, split)


def splits(c, replicates, seed=1):
    """Random splits of a challenge."""
    splitter = Splitter(c, "splits", seed=seed)
    return [splitter.split(r) for r in range(replicates)]


def splits_of(c, metric, replicates, seed=1):
    """Random splits of a challenge, as a metric asks for them."""
    splitter = Splitter(c, "splits", seed=seed, metric=metric)
    return [splitter.split(r) for r in range(replicates)]
