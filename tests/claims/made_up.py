"""The default study with made-up numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from shakedown.claims.study_tables import Tables
from shakedown.leaderboard.mechanism import mechanism

#: The default study.
CONFIG = yaml.safe_load((Path(__file__).parents[2] / "config/config.yaml").read_text("utf-8"))
REPLICATES = 4
SUBMISSIONS = 60  # of a trace
COMPARED = ("margin", "posterior", "resampled", "p_value")


@dataclass(frozen=True)
class World:
    """How numbers are made up.

    Attributes
    ----------
    seed : int
    spread : float
        Of scores, between settings and between replicates.
    sign : int
        -1 mirrors all scores at 1, so that each difference of two medians changes its sign.
    finds_jump : bool
        Whether an attack takes the features from the last jump on, or any.
    alike : bool
        Whether all settings of an experiment have the same traces.
    rough : float
        Spread of what correlations add to the scores at each point, the same in all replicates.
    """

    seed: int
    spread: float
    sign: int
    finds_jump: bool
    alike: bool = False
    rough: float = 0.0


def tables(folder: Path, world: World) -> Tables:
    """Tables of all experiments on features, and of released scores."""
    rng = np.random.default_rng(world.seed)
    experiments = {
        k: e
        for k, e in CONFIG["experiments"].items()
        if e["attack"]["name"] in ("freedman", "step_forward") and not k.startswith("threat_")
    }
    traced = {k: e for k, e in experiments.items() if e.get("traced")}
    return Tables(
        outcomes={k: write(_outcomes(e, world, rng), folder, k) for k, e in experiments.items()},
        traces={k: write(_trace(e, world, rng), folder, f"{k}_trace") for k, e in traced.items()},
        release_variability={
            k: write(_released(e, rng), folder, k) for k, e in CONFIG["release_variability"].items()
        },
    )


def settings(mechanisms: Sequence[Mapping]) -> list[str]:
    """The settings of an experiment's mechanisms."""
    settings = []
    for entry in mechanisms:
        values = [v if isinstance(v, list) else [v] for k, v in entry.items() if k != "name"]
        names = [k for k in entry if k != "name"]
        settings += [
            mechanism(entry["name"], **dict(zip(names, chosen, strict=True))).setting
            for chosen in itertools.product(*values)
        ]
    return settings


def _budgets(experiment: Mapping, features: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Features, points and submissions at these, budget by budget."""
    attack = experiment["attack"]
    if attack["name"] == "freedman":
        points = np.arange(1, attack["largest_model"] + 1)
        yield features, points, np.full(len(points), features)
        return
    for budget in attack.get("budgets") or [attack | {"features": features}]:
        points = np.arange(1, budget["iterations"] + 1)
        yield budget["features"], points, points * budget["features"] - points * (points - 1) // 2


def _outcomes(experiment: Mapping, world: World, rng) -> pd.DataFrame:
    attack = experiment["attack"]
    rough = np.random.default_rng(world.seed)
    parts = []
    for dataset, design, setting in itertools.product(
        experiment["datasets"], experiment["designs"], settings(experiment["mechanisms"])
    ):
        features = experiment.get("features") or CONFIG["datasets"][dataset].get("features", 64)
        shift = rng.normal(0, 2 * world.spread, 2) - [0.02, 0]  # of all scores of a setting
        for n_features, points, submissions in _budgets(experiment, features):
            n = REPLICATES * len(points)
            scores = 1 + world.sign * (shift + rng.normal(0, world.spread, (n, 2)))
            if experiment["metric"] == "ccc":
                scores += np.tile(rough.normal(0, world.rough, len(points)), REPLICATES)[:, None]
            parts.append(
                {
                    "dataset": dataset,
                    "design": design,
                    "metric": experiment["metric"],
                    "attack": attack["name"],
                    "iteration_board": attack.get("iteration_board"),
                    "setting": setting,
                    "n_features": n_features,
                    "replicate": np.repeat(np.arange(REPLICATES), len(points)),
                    "point": np.tile(points, REPLICATES),
                    "n_selected": np.tile(points, REPLICATES),
                    "submissions": np.tile(submissions, REPLICATES),
                    "accepted": 25 + world.sign * rng.integers(-24, 25, n),
                    "changed": 25 + world.sign * rng.integers(-24, 25, n),
                    "score_public": scores[:, 0],
                    "score_final": scores[:, 1],
                    "delta": scores[:, 0] - scores[:, 1],
                }
            )
    return _table(parts)


def _trace(experiment: Mapping, world: World, rng) -> pd.DataFrame:
    finds_jump = world.finds_jump
    attack = experiment["attack"]
    iterations = range(1, attack["iterations"] + 1) if "iterations" in attack else [None]
    taken = 30 if attack["name"] == "freedman" else 1
    parts = []
    for dataset, design, setting, replicate, iteration in itertools.product(
        experiment["datasets"],
        experiment["designs"],
        settings(experiment["mechanisms"]),
        range(REPLICATES),
        iterations,
    ):
        if world.alike:
            rng = np.random.default_rng([world.seed, replicate, iteration or 0])
        accepted = np.zeros(SUBMISSIONS, int)
        accepted[0] = 1
        if finds_jump or rng.random() < 0.7:
            accepted[rng.integers(5, 30, 2)] = 1
        steps = np.where(accepted, rng.uniform(0.1, 0.5, SUBMISSIONS), 0)
        released = rng.uniform(0.8, 3) - np.cumsum(steps)
        if not finds_jump and accepted.sum() > 1:
            released += rng.normal(0, 0.2, SUBMISSIONS)
        last = np.flatnonzero(accepted)[-1]
        at = np.arange(last, last + taken) if finds_jump else rng.permutation(SUBMISSIONS)[:taken]
        parts.append(
            {
                "dataset": dataset,
                "design": design,
                "metric": experiment["metric"],
                "attack": attack["name"],
                "iteration_board": attack.get("iteration_board"),
                "setting": setting,
                "n_features": SUBMISSIONS,
                "replicate": replicate,
                "iteration": iteration,
                "submission": np.arange(1, SUBMISSIONS + 1),
                "released": released,
                "accepted": accepted,
                "selected": np.isin(np.arange(SUBMISSIONS), at),
            }
        )
    return _table(parts)


def _released(entry: Mapping, rng) -> pd.DataFrame:
    n = 20
    (chance,) = rng.spawn(1)
    predictions = list(entry.get("models") or [f"r = {r}" for r in entry["correlations"]])
    return _table(
        [
            {
                "draw": draw,
                "prediction": prediction,
                "quality": 2 - number / 10 + rng.normal(0, 0.01),
                "b": b,
                "replicate": np.arange(n),
                **{name: chance.random() for name in COMPARED},
                "released": rng.normal(1, rng.uniform(0.1, 1), n),
            }
            for draw in range(entry.get("draws", 1))
            for number, prediction in enumerate(predictions)
            for b in entry["b"]
        ]
    )


def _table(parts: Sequence[Mapping]) -> pd.DataFrame:
    """Parts of a table one below the other; a column is a number for each row, or one for all."""
    sizes = [max(np.size(column) for column in part.values()) for part in parts]
    return pd.DataFrame(
        {
            name: np.concatenate(
                [np.broadcast_to(part[name], n) for part, n in zip(parts, sizes, strict=True)]
            )
            for name in parts[0]
        }
    )


def write(frame: pd.DataFrame, folder: Path, name: str) -> Path:
    """A table as a Parquet file."""
    path = folder / f"{name}.parquet"
    frame.to_parquet(path, index=False)
    return path
