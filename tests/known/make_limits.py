"""Writes the quantiles of Δ of every candidate of two small studies, from a very long run each.

    python -m tests.known.make_limits

30 rows per set and 60 independent features, which have nothing to do with the response.  limits.csv
has two attacks on two leaderboards without noise; unaided.csv has the step-forward attack that is
not told the number of jumps, and an adversary who submits arbitrary numbers, on a leaderboard
without and one with noise.  Each is played 20,000 times.  Takes a few minutes.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from shakedown.data.recipes.simulated import Simulated
from shakedown.simulation.quantiles import quantile_interval
from shakedown.simulation.replicate import Experiment, play

REPLICATES = 20_000
QUANTILES = (0.5, 0.2)
FEATURES = (8, 20, 60)
LADDER = {"name": "ladder", "alpha": 0.5}
#: Attacks, leaderboards and the file of each study.
STUDIES = {
    "limits": (
        {
            "step_forward_fresh": {
                "name": "step_forward",
                "iterations": 5,
                "iteration_board": "fresh",
            },
            "freedman": {"name": "freedman", "largest_model": 8},
        },
        [LADDER, {"name": "full_disclosure"}],
    ),
    "unaided": (
        {
            "step_forward_unaided": {
                "name": "step_forward",
                "iterations": 5,
                "iteration_board": "fresh",
                "detector": "penalised",
            },
            "staircase": {
                "name": "staircase",
                "submissions": 60,
                "points": [1, 2, 3, 5, 8, 12, 20, 30, 45],
            },
        },
        [LADDER, {"name": "ladderboot", "alpha": 0.5, "b": 10}],
    ),
}
KEYS = ["setting", "experiment", "n_features", "point", "submissions"]


def path(study: str) -> Path:
    """The file of a study."""
    return Path(__file__).with_name(f"{study}.csv")


def outcomes(replicates: Iterable[int], study: str = "limits") -> pd.DataFrame:
    """Outcomes of a study; columns as `shakedown.simulation.outcomes.COLUMNS`."""
    recipe = Simulated(rows=90, features=max(FEATURES))
    data = recipe.read("known", rng=np.random.default_rng(7), folder=Path())
    attacks, mechanisms = STUDIES[study]
    frames = []
    for features in FEATURES:
        for name, attack in attacks.items():
            if attack["name"] == "staircase" and features != FEATURES[0]:
                continue  # it uses no features
            settings = {
                "metric": "mse",
                "attack": attack,
                "features": features,
                "feature_subset": "replicate",
                "mechanisms": mechanisms,
            }
            experiment = Experiment(name, settings, data, "permuted", seed=11, errors=False)
            frames.append(play(experiment, replicates, previews=False))
    return pd.concat(frames, ignore_index=True)


def answers(frame: pd.DataFrame) -> pd.DataFrame:
    """The quantiles of each candidate, with 95 % intervals."""
    rows = []
    for key, delta in frame.groupby(KEYS, observed=True, dropna=False)["delta"]:
        for quantile in QUANTILES:
            interval = quantile_interval(np.sort(delta.to_numpy()), quantile)
            rows.append((*key, quantile, *np.round(interval, 5), len(delta)))
    columns = [*KEYS, "quantile", "delta", "delta_low", "delta_high", "replicates"]
    return pd.DataFrame(rows, columns=columns)


if __name__ == "__main__":
    for study in STUDIES:
        # Replicates that the tests do not play.
        table = answers(outcomes(range(1_000_000, 1_000_000 + REPLICATES), study))
        table.to_csv(path(study), index=False)
