"""How much the released score of one and the same prediction varies ([C], Text S4).

A board with a bootstrapped release shows another number each time.  The better the prediction and
the larger b, the less it varies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from shakedown.interface import InputError, View
from shakedown.leaderboard.board import Best, Referee
from shakedown.leaderboard.releases import Bootstrap
from shakedown.metrics import METRICS, imported
from shakedown.seeding import stream
from shakedown.splits import Deal, standardised


def released_scores(
    predictions: dict[str, np.ndarray],
    y: np.ndarray,
    *,
    b: Sequence[int],
    replicates: int,
    seed: int,
) -> pd.DataFrame:
    """Released MSE of fixed predictions, again and again.

    Parameters
    ----------
    predictions : dict of str to ndarray, shape (n,)
        Predictions by name.
    y : ndarray, shape (n,)
        Public response.
    b : sequence of int
        Bootstrap replications per release.
    replicates : int
        Releases of each prediction for each b.
    seed : int

    Returns
    -------
    DataFrame
        Columns prediction (name), quality (its MSE), correlation (Pearson's), b, replicate,
        released (MSE).
    """
    metric = METRICS["mse"]
    frames = []
    for name, prediction in predictions.items():
        batch = Referee(metric, y).judge(prediction[None])
        best = Best(batch.rows[0], float(batch.risks[0]))
        for size in b:
            rng = stream(seed, "spread", name, size)
            standing = np.zeros(replicates, np.int64)
            frames.append(
                pd.DataFrame(
                    {
                        "prediction": name,
                        "quality": best.risk,
                        "correlation": METRICS["pearson"].score(y, prediction[None])[0],
                        "b": size,
                        "replicate": np.arange(replicates),
                        "released": Bootstrap(size).show(batch, best, standing, metric, y, rng),
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


def fitted_predictions(deal: Deal, models: dict[str, dict]) -> dict[str, np.ndarray]:
    """Public predictions of models fitted to the training set (Fig. S12).

    Parameters
    ----------
    deal : Deal
    models : dict of str to dict
        By name: `class`, an import path of a regressor, and `settings`.

    Raises
    ------
    InputError
        If a class cannot be imported.
    """
    view: View = deal.view
    predictions = {}
    for name, entry in models.items():
        regressor = imported(entry["class"], f"model '{name}'", "an import path of a regressor")
        fitted = regressor(**(entry.get("settings") or {})).fit(view.X_train, view.y_train)
        predictions[name] = fitted.predict(view.X_public)
    return predictions


def noisy_predictions(
    y: np.ndarray, correlations: Sequence[float], *, seed: int
) -> dict[str, np.ndarray]:
    """Predictions of rising quality: the response with less and less noise (Fig. S13).

    [C] gives the eight MSEs with their correlations, from 1.64 with .18 to .15 with .92.  They fit
    MSE = 2 (1 - r) to the digits given, so the noisy labels were scaled to standard deviation 1
    afterwards, although the text does not say so.  Here the noise is made orthogonal to the
    response, so that each correlation is met exactly.

    Parameters
    ----------
    y : ndarray, shape (n,)
        Standardised response.
    correlations : sequence of float
        Wanted correlation of each prediction with the response, in (0, 1].
    seed : int

    Raises
    ------
    InputError
        If a correlation lies outside (0, 1].
    """
    predictions = {}
    for r in correlations:
        if not 0 < r <= 1:
            raise InputError(f"`correlations` must lie above 0 and not above 1, got {r}.")
        noise = stream(seed, "noise", f"{r:g}").standard_normal(len(y))
        noise -= noise.mean()
        noise = standardised((noise - (noise @ y) / (y @ y) * y)[None])[0]
        predictions[f"r = {r:.2f}"] = r * y + np.sqrt(1 - r * r) * noise
    return predictions
