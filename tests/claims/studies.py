"""Small studies on disk, and expressions worked out on them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from shakedown.claims import Tables
from shakedown.claims.language import parse
from shakedown.claims.nodes import Bench
from tests.figures import frames

ROOT = Path(__file__).parents[2]
LEDGER = [ROOT / "workflow" / name for name in ("claims.yaml", "claims_labels.yaml")]


def write(folder, **tables: pd.DataFrame) -> dict[str, str]:
    """Parquet files of some tables, by id."""
    paths = {}
    for id, frame in tables.items():
        paths[id] = str(folder / f"{id}.parquet")
        frame.to_parquet(paths[id], index=False)
    return paths


def shuffled(frame: pd.DataFrame, seed: int = 1) -> pd.DataFrame:
    """The same rows in another order: no result may depend on it."""
    return frame.sample(frac=1, random_state=seed, ignore_index=True)


def freedman(**changed) -> pd.DataFrame:
    """Outcomes of Freedman's attack on both designs."""
    mechanisms = (*frames.FULL, *frames.LADDERS, *frames.BOOTS)
    settings = {"largest_model": 5, "replicates": 31} | changed
    return pd.concat(
        [
            frames.outcomes(mechanisms, design=design, seed=seed, **settings)
            for seed, design in enumerate(("permuted", "splits"))
        ],
        ignore_index=True,
    )


def work_out(expression: str, tables: Tables, *, resamples: int = 3, **of):
    """Value of an expression, as a `Quantity`."""
    return parse(expression, of).work_out(Bench(tables, resamples=resamples, seed=7))


def measured(expression: str, tables: Tables, **of) -> float:
    """Measured value of an expression."""
    values = work_out(expression, tables, **of).values
    assert values.ndim == 1
    return pytest.approx(values[0], rel=1e-12, abs=1e-12)
