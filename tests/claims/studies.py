"""Small studies on disk for claims."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from shakedown.claims.claim import claim
from shakedown.claims.evaluation import evaluate
from shakedown.claims.study import Study
from shakedown.claims.study_tables import Tables

ROOT = Path(__file__).parents[2]


def write(folder: Path, **tables: pd.DataFrame) -> dict[str, str]:
    """Parquet files of some tables, by id."""
    paths = {}
    for id, frame in tables.items():
        paths[id] = str(folder / f"{id}.parquet")
        frame.to_parquet(paths[id], index=False)
    return paths


def outcomes(**columns) -> pd.DataFrame:
    """Rows of a table of outcomes with these columns, a list for each or one value for all."""
    usual = {
        "dataset": "d",
        "design": "permuted",
        "metric": "mse",
        "attack": "freedman",
        "iteration_board": None,
        "setting": "full_disclosure",
        "replicate": 0,
        "n_features": 10,
        "point": 1,
        "submissions": 1,
    }
    rows = max(len(v) for v in columns.values() if isinstance(v, list | pd.Series))
    return pd.DataFrame(usual | columns, index=range(rows))


def check(function, tables: Tables, *, required: str = "> 0", seed: int = 7, **settings) -> dict:
    """A function as a claim, checked; the row of claims.csv."""
    function.__doc__ = function.__doc__ or "S."
    made = claim("x", required=required, **settings)(function)
    return evaluate([made, *made.also], tables, seed=seed).to_dict("records")[0]


def study(tables: Tables, *, dataset: str = "", resamples: int = 200) -> Study:
    """A study as a claim sees it."""
    return Study(tables, 7, resamples, dataset)
