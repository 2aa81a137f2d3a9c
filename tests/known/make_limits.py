"""Writes limits.csv: the quantiles of Δ of every candidate of a small study, from a very long run.

    python -m tests.known.make_limits

30 rows per set and 60 independent features, which have nothing to do with the response.  Two
attacks on two leaderboards, played 20,000 times.  Takes a few minutes.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from shakedown.data.recipes.simulated import Simulated
from shakedown.simulation.quantiles import quantile_interval
from shakedown.simulation.replicate import Experiment, play

PATH = Path(__file__).with_name("limits.csv")
REPLICATES = 20_000
QUANTILES = (0.5, 0.2)
FEATURES = (8, 20, 60)
ATTACKS = {
    "step_forward_fresh": {"name": "step_forward", "iterations": 5, "board": "fresh"},
    "freedman": {"name": "freedman", "largest_model": 8},
}
MECHANISMS = [{"name": "ladder", "alpha": 0.5}, {"name": "full_disclosure"}]
KEYS = ["setting", "experiment", "n_features", "point", "submissions"]


def outcomes(replicates: Iterable[int]) -> pd.DataFrame:
    """Outcomes of the study; columns as `shakedown.simulation.outcomes.COLUMNS`."""
    recipe = Simulated(rows=90, features=max(FEATURES))
    data = recipe.read("known", rng=np.random.default_rng(7), folder=Path())
    frames = []
    for features in FEATURES:
        for name, attack in ATTACKS.items():
            settings = {
                "metric": "mse",
                "attack": attack,
                "features": features,
                "feature_subset": "replicate",
                "mechanisms": MECHANISMS,
            }
            experiment = Experiment(name, settings, data, "permuted", seed=11)
            frames.append(play(experiment, replicates, previews=False))
    return pd.concat(frames, ignore_index=True)


def answers(frame: pd.DataFrame) -> pd.DataFrame:
    """The quantiles of each candidate, with 95 % intervals."""
    rows = []
    for key, delta in frame.groupby(KEYS, observed=True)["delta"]:
        for quantile in QUANTILES:
            found = quantile_interval(np.sort(delta.to_numpy()), quantile)
            rows.append((*key, quantile, *np.round(found, 5), len(delta)))
    columns = [*KEYS, "quantile", "delta", "delta_low", "delta_high", "replicates"]
    return pd.DataFrame(rows, columns=columns)


if __name__ == "__main__":
    # Replicates that the tests do not play.
    answers(outcomes(range(1_000_000, 1_000_000 + REPLICATES))).to_csv(PATH, index=False)
