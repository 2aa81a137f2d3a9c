"""Variability of the released score of a fixed prediction ([C], Text S4).

A board with a bootstrapped release shows a different score each time.  The scores vary less for a
better prediction and for a larger b.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from shakedown import data
from shakedown.attacks.regressor import Regressor
from shakedown.attacks.settings import RegressorEntry
from shakedown.data.scaling import standardised
from shakedown.data.splits import Split, Splitter
from shakedown.interface import Challenge, InputError, ParticipantData
from shakedown.leaderboard.releases import Bootstrap
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.state import BoardState
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.comparisons import comparisons
from shakedown.simulation.release_settings import ReleaseVariabilityEntry


def drawn_releases(
    challenge: Challenge, recipe: Mapping[str, Any], settings: ReleaseVariabilityEntry, *, seed: int
) -> pd.DataFrame:
    """Released MSE of the predictions of an entry of `release_variability`, over all its draws.

    Parameters
    ----------
    challenge : Challenge
        The study's data set, which is used for draw 0.
    recipe : mapping
        The recipe of the data set.  It makes a new data set for each further draw; if it reads a
        file, only the split differs.
    settings : ReleaseVariabilityEntry
    seed : int
        The study's seed.

    Returns
    -------
    DataFrame
        Columns dataset and draw, those of `released_scores`, and those of `comparisons`, which are
        null for the first prediction.
    """
    frames = []
    for draw in range(settings.draws):
        drawn = challenge
        if draw:
            drawn = data.read(f"{challenge.name}, draw {draw}", recipe, seed=seed)
        split = Splitter(drawn, "splits", seed=seed).split(0)
        if settings.models:
            predictions = fitted_predictions(split, settings.models)
        else:
            predictions = noisy_predictions(
                split.y_public,
                settings.correlations,
                seed=seed,
                noise=settings.noise,
                draw=draw,
            )
        frame = released_scores(
            predictions,
            split.y_public,
            b=settings.b,
            replicates=settings.releases,
            seed=seed,
            draw=draw,
        )
        frame.insert(0, "dataset", challenge.name)
        frame.insert(1, "draw", draw)
        tests = comparisons(predictions, split.y_public, seed=seed, draw=draw)
        frames.append(frame.join(tests, on="prediction"))
    return pd.concat(frames, ignore_index=True)


def released_scores(
    predictions: dict[str, np.ndarray],
    y: np.ndarray,
    *,
    b: Sequence[int],
    replicates: int,
    seed: int,
    draw: int = 0,
) -> pd.DataFrame:
    """Repeatedly released MSE of fixed predictions.

    Parameters
    ----------
    predictions : dict of str to ndarray, shape (n,)
        Predictions by name.
    y : ndarray, shape (n,)
        Public response.
    b : sequence of int
        Bootstrap replications per release.
    replicates : int
        Number of releases of each prediction for each b.
    seed : int
    draw : int
        Number of the draw; each draw has its own random numbers.

    Returns
    -------
    DataFrame
        Columns prediction (name), quality (its MSE), correlation (Pearson's), b, replicate,
        released (MSE).
    """
    metric = find("mse")
    frames = []
    for name, prediction in predictions.items():
        batch = Scorer(metric, y).judge(prediction[None])
        best = BoardState(batch.rows[0], float(batch.risks[0]))
        for size in b:
            rng = stream(seed, "spread", name, size, *_numbered(draw))
            standing = np.zeros(replicates, np.int64)
            frames.append(
                pd.DataFrame(
                    {
                        "prediction": name,
                        "quality": best.risk,
                        "correlation": find("pearson").score(y, prediction[None])[0],
                        "b": size,
                        "replicate": np.arange(replicates),
                        "released": Bootstrap(size).show(batch, best, standing, metric, y, rng),
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


def fitted_predictions(split: Split, models: Mapping[str, RegressorEntry]) -> dict[str, np.ndarray]:
    """Public predictions of models fitted to the training set (Fig. S12).

    Parameters
    ----------
    split : Split
    models : mapping of str to RegressorEntry
        By name.

    Raises
    ------
    InputError
        If a class cannot be imported, does not accept its settings, or is not a regressor.
    """
    view: ParticipantData = split.view
    predictions = {}
    for name, entry in models.items():
        regressor = Regressor(entry.path, entry.settings, seed=None)
        fitted = regressor.made().fit(view.X_train, view.y_train)
        predictions[name] = fitted.predict(view.X_public)
    return predictions


def noisy_predictions(
    y: np.ndarray,
    correlations: Sequence[float],
    *,
    seed: int,
    noise: str = "shared",
    draw: int = 0,
) -> dict[str, np.ndarray]:
    """Predictions of rising quality: the response plus decreasing noise (Fig. S13).

    [C] gives eight MSEs with their correlations, from 1.64 with .18 to .15 with .92.  They satisfy
    MSE = 2 (1 - r) to the given digits, so the noisy labels were scaled to a standard deviation of
    1, although the text does not say so.  Here the noise is orthogonal to the response, so that the
    correlations are exact.

    Parameters
    ----------
    y : ndarray, shape (n,)
        Standardised response.
    correlations : sequence of float
        Wanted correlation of each prediction with the response, in (0, 1].
    seed : int
    noise : {"shared", "own"}
        Whether all predictions share one noise vector, with decreasing weights, or each has its
        own.
    draw : int
        Number of the draw; each draw has its own random numbers.

    Raises
    ------
    InputError
        If a correlation lies outside (0, 1].
    """
    predictions = {}
    for r in correlations:
        if not 0 < r <= 1:
            raise InputError(f"`correlations` must be above 0 and at most 1, got {r}.")
        whose = "all" if noise == "shared" else f"{r:g}"
        e = stream(seed, "noise", whose, *_numbered(draw)).standard_normal(len(y))
        e -= e.mean()
        e = standardised((e - (e @ y) / (y @ y) * y)[None])[0]
        predictions[f"r = {r:.2f}"] = r * y + np.sqrt(1 - r * r) * e
    return predictions


def _numbered(draw: int) -> tuple[int, ...]:
    """Axes of a draw in the name of its random stream; the first draw has none."""
    return (draw,) if draw else ()
