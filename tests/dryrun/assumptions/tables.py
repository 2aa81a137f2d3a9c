"""Tables in which an assumption holds or fails."""

from __future__ import annotations

import numpy as np

from shakedown.dryrun.assumptions import findings
from shakedown.interface import Challenge, Grouping


def challenge(y, X, rows=None, groupings=()):
    """A data set with these columns."""
    n, p = X.shape
    return Challenge(
        name="toy",
        X=np.asfortranarray(X),
        y=np.asarray(y, float),
        rows=np.arange(n).astype(str) if rows is None else np.array(rows),
        features=np.array([f"x{j}" for j in range(p)]),
        groupings=tuple(groupings),
    )


def clean(seed, n=150, p=8):
    """Independent normal noise of equal variance, with columns that could group the rows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 0], X[:, 1], X[:, 2] = (rng.integers(0, values, n) for values in (2, 40, 7))
    signal = X[:, 3] + X[:, 0] + X[:, 1] / 20.0
    aside = [
        Grouping("site", rng.integers(0, 4, n), True),
        Grouping("batch", rng.integers(0, 30, n), False),
    ]
    return challenge(signal + rng.standard_normal(n), X, groupings=aside)


def found(table, **given):
    """The findings by check."""
    return {finding["check"]: finding for finding in findings(table, **{"metric": "mse"} | given)}
