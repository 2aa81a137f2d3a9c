"""Compare each prediction with the one before it, as the tests of the mechanisms do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from shakedown.seeding import stream

#: Number of bootstrap replications for each probability.
REPLICATIONS = 2000


def comparisons(
    predictions: dict[str, np.ndarray], y: np.ndarray, *, seed: int, draw: int = 0
) -> pd.DataFrame:
    """Compare each prediction with the one before it by squared errors on the same rows.

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
        Indexed by the name of the prediction, without the first.  d is the difference of the loss
        vectors, the later minus the earlier one.  H0 is that the later prediction is not better.

        margin : sd(d) / √n, the margin of the parameter-free Ladder (Algorithm 2).
        posterior : posterior probability of H0 by the Bayesian bootstrap.
        resampled : share of bootstrap resamples of d with a mean of at least 0.
        p_value : p-value of the one-sided bootstrap test, the share of resamples of the centred d
            with a mean of at most the mean of d.
    """
    losses = {name: (prediction - y) ** 2 for name, prediction in predictions.items()}
    rows = {}
    for before, name in pairwise(losses):
        d = losses[name] - losses[before]
        n = len(d)
        rng = stream(seed, "comparison", name, draw)
        # The weights are exponentials divided by their sum, which does not change the sign.
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
