"""Is a prediction better than the one before it?  What the tests of the mechanisms build on."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from shakedown.seeding import stream

#: Bootstrap replications behind each probability.
REPLICATIONS = 2000


def comparisons(
    predictions: dict[str, np.ndarray], y: np.ndarray, *, seed: int, draw: int = 0
) -> pd.DataFrame:
    """Each prediction against the one before it, by squared errors on the same rows.

    Parameters
    ----------
    predictions : dict of str to ndarray, shape (n,)
        Predictions by name.
    y : ndarray, shape (n,)
        Public response.
    seed, draw : int
        Random numbers depend on both.

    Returns
    -------
    DataFrame
        Indexed by the name of the prediction, without the first.  d is the difference of the two
        loss vectors, negative where the later prediction is better; H0 says that it is not.

        margin : sd(d) / √n, by which the parameter-free Ladder wants it better (Algorithm 2).
        posterior : posterior probability of H0 by the Bayesian bootstrap.
        resampled : the same by the plain bootstrap: share of resamples with a mean d of 0 or more.
        p_value : of the one-sided bootstrap test: share of resamples of d less its mean whose mean
            is at most that of d.
    """
    losses = {name: (prediction - y) ** 2 for name, prediction in predictions.items()}
    rows = {}
    for before, name in pairwise(losses):
        d = losses[name] - losses[before]
        n = len(d)
        rng = stream(seed, "comparison", name, draw)
        # Exponentials over their sum are the weights; the sign does not need the sum.
        weighted = rng.standard_exponential((REPLICATIONS, n)) @ d
        resampled = rng.multinomial(n, np.full(n, 1 / n), REPLICATIONS) @ d / n
        rows[name] = {
            "margin": d.std(ddof=1) / np.sqrt(n),
            "posterior": np.mean(weighted >= 0),
            "resampled": np.mean(resampled >= 0),
            "p_value": np.mean(resampled - d.mean() <= d.mean()),
        }
    columns = ["margin", "posterior", "resampled", "p_value"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns, dtype=float)
