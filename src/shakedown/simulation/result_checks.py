"""Check that the outcomes of an experiment are complete and consistent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from shakedown import metrics
from shakedown.data.files import reading_table
from shakedown.interface import InputError
from shakedown.simulation import outcomes
from shakedown.simulation.parts import read_part

#: Columns that distinguish the budgets and points of an attack.
_BUDGET = ["n_features", "point"]


def checked_parts(
    path: str | Path,
    *,
    experiment: str,
    datasets: Sequence[str],
    designs: Sequence[str],
    metric: str,
    replicates: int,
) -> Iterator[tuple[pd.DataFrame, dict[str, Any]]]:
    """Check and yield the outcomes of an experiment, one data set and design at a time.

    Parameters
    ----------
    path : str or Path
        The table.
    experiment : str
        Its id.
    datasets, designs, metric, replicates
        As in its entry in the configuration.

    Yields
    ------
    rows : DataFrame
        The rows of a data set and design.
    found : dict
        experiment, dataset, design, and the numbers of mechanisms (settings), groups (settings x
        budgets and points of the attack), replicates and rows.

    Raises
    ------
    InputError
        If a row does not fit `outcomes.TABLE`, a data set or design is missing or not configured, a
        group does not have every replicate once, or a Δ is not the difference of its scores.
    """
    where = f"outcomes of experiment '{experiment}' ({path})"
    with reading_table(path):
        left = rows = pq.read_metadata(path).num_rows
    for dataset, design in product(datasets, designs):
        frame = read_part(path, dataset=dataset, design=design)
        here = f"{where}, {dataset}, {design}"
        outcomes.check(frame, here)
        mechanisms, groups = _check_replicates(frame, replicates, here)
        _check_delta(frame, metrics.find(metric), here)
        yield (
            frame,
            {
                "experiment": experiment,
                "dataset": dataset,
                "design": design,
                "mechanisms": mechanisms,
                "groups": groups,
                "replicates": replicates,
                "rows": len(frame),
            },
        )
        left -= len(frame)
    if left:
        raise InputError(
            f"{where}: {left:,} of {rows:,} rows are of other data sets or designs than the "
            f"configuration's {datasets} and {designs}. Delete the table "
            "and run the study again."
        )


def _check_replicates(frame: pd.DataFrame, replicates: int, where: str) -> tuple[int, int]:
    """Check that each group of the table has every replicate once; count mechanisms and groups."""
    if frame.empty:
        raise InputError(f"{where}: no rows. Delete the table and run the study again.")
    keys = [c for c in outcomes.SETTING if c not in ("experiment", "dataset", "design")]
    groups = frame.groupby([*keys, "point"], observed=True, dropna=False)
    number, replicate = groups.ngroup().to_numpy(), frame["replicate"].to_numpy()
    n_groups = int(number.max()) + 1
    # Sorted by group and replicate, a complete table has each number from 0 once.
    place = number * replicates + replicate
    order = np.argsort(place)
    inside = replicate.min() >= 0 and replicate.max() < replicates
    if inside and np.array_equal(place[order], np.arange(n_groups * replicates)):
        settings = [c for c in keys if c not in _BUDGET]
        return len(frame[settings].iloc[order[::replicates]].drop_duplicates()), n_groups
    counts = groups["replicate"].agg(["size", "nunique", "min", "max"])
    wrong = counts[
        (counts["size"] != replicates)
        | (counts["nunique"] != replicates)
        | (counts["min"] != 0)
        | (counts["max"] != replicates - 1)
    ]
    first = wrong.reset_index().iloc[0]
    raise InputError(
        f"{where}: wanted each of the replicates 0 to {replicates - 1} once in every group; "
        f"{len(wrong)} of {len(counts)} groups differ, the first ({first['setting']}) has "
        f"{first['size']} rows of {first['nunique']} replicates, {first['min']} to "
        f"{first['max']}. Delete the table and run the study again."
    )


def _check_delta(frame: pd.DataFrame, metric: metrics.Metric, where: str) -> None:
    """Check that Δ is the difference of the scores."""
    public, final = frame["score_public"].to_numpy(), frame["score_final"].to_numpy()
    wrong = ~np.isclose(frame["delta"], metric.delta(public, final), rtol=0, atol=1e-9)
    if wrong.any():
        row = frame[wrong].iloc[0]
        raise InputError(
            f"{where}: {int(wrong.sum())} values of delta are not the difference of their scores; "
            f"the first is {row['delta']:g} for public {row['score_public']:g} and final "
            f"{row['score_final']:g}. Delete the table and run the study again."
        )
