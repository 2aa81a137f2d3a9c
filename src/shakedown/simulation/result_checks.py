"""Whether the tables of an experiment hold what was asked for, and agree with themselves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from shakedown import metrics
from shakedown.interface import InputError
from shakedown.simulation import outcomes
from shakedown.simulation.parts import read_part

#: What a budget of an attack adds to a mechanism's setting.
_BUDGET = ["n_features", "point"]


def check_results(
    outcomes_path: str | Path,
    summary_path: str | Path,
    *,
    experiment: str,
    settings: Mapping[str, Any],
) -> pd.DataFrame:
    """Check the outcomes and the summary of an experiment.

    Parameters
    ----------
    outcomes_path, summary_path : str or Path
        The tables.
    experiment : str
        Its id.
    settings : mapping
        Its entry in the configuration: `datasets`, `designs`, `metric`, `replicates`.

    Returns
    -------
    DataFrame
        What was found, a row per data set and design: experiment, dataset, design, mechanisms
        (with their settings), groups (mechanisms x budgets and points of the attack), replicates,
        rows.

    Raises
    ------
    InputError
        If a row does not fit `outcomes.TABLE`, a data set or design is missing or was not asked
        for, a group does not have every replicate once, a Δ is not the difference of its
        scores, or the summary was not made of these outcomes.

    Notes
    -----
    Memory: the rows of one data set and design at a time.
    """
    where = f"outcomes of experiment '{experiment}' ({outcomes_path})"
    metric = metrics.find(settings["metric"])
    found = []
    for dataset in settings["datasets"]:
        for design in settings["designs"]:
            frame = read_part(outcomes_path, dataset=dataset, design=design)
            here = f"{where}, {dataset}, {design}"
            outcomes.check(frame, here)
            groups = _check_replicates(frame, settings["replicates"], here)
            _check_delta(frame, metric, here)
            found.append(
                {
                    "experiment": experiment,
                    "dataset": dataset,
                    "design": design,
                    "mechanisms": len(groups.droplevel(_BUDGET).index.unique()),
                    "groups": len(groups),
                    "replicates": settings["replicates"],
                    "rows": len(frame),
                }
            )
    table = pd.DataFrame(found)
    rows = pq.read_metadata(outcomes_path).num_rows
    if rows != table["rows"].sum():
        raise InputError(
            f"{where}: {rows - table['rows'].sum():,} of {rows:,} rows are of other data sets or "
            f"designs than the configuration's {settings['datasets']} and {settings['designs']}. "
            "Delete the table and make it again."
        )
    _check_summary(pd.read_csv(summary_path), table, f"summary of '{experiment}' ({summary_path})")
    return table


def _check_replicates(frame: pd.DataFrame, replicates: int, where: str) -> pd.DataFrame:
    """Groups of the table, each with every replicate once."""
    if frame.empty:
        raise InputError(f"{where}: no rows. Delete the table and make it again.")
    keys = [c for c in outcomes.SETTING if c not in ("experiment", "dataset", "design")]
    groups = frame.groupby([*keys, "point"], observed=True, dropna=False)["replicate"]
    counts = groups.agg(["size", "nunique", "min", "max"])
    wrong = counts[
        (counts["size"] != replicates)
        | (counts["nunique"] != replicates)
        | (counts["min"] != 0)
        | (counts["max"] != replicates - 1)
    ]
    if len(wrong):
        first = wrong.reset_index().iloc[0]
        raise InputError(
            f"{where}: wanted each of the replicates 0 to {replicates - 1} once in every group; "
            f"{len(wrong)} of {len(counts)} groups differ, the first ({first['setting']}) has "
            f"{first['size']} rows of {first['nunique']} replicates, {first['min']} to "
            f"{first['max']}. Delete the table and make it again."
        )
    return counts


def _check_delta(frame: pd.DataFrame, metric: metrics.Metric, where: str) -> None:
    """Δ is the difference of the scores, below 0 where the public score flatters."""
    public, final = frame["score_public"].to_numpy(), frame["score_final"].to_numpy()
    wrong = ~np.isclose(frame["delta"], metric.delta(public, final), rtol=0, atol=1e-9)
    if wrong.any():
        row = frame[wrong].iloc[0]
        raise InputError(
            f"{where}: {int(wrong.sum())} values of delta are not the difference of their scores; "
            f"the first is {row['delta']:g} for public {row['score_public']:g} and final "
            f"{row['score_final']:g}. Delete the table and make it again."
        )


def _check_summary(summary: pd.DataFrame, table: pd.DataFrame, where: str) -> None:
    replicates = sorted(summary["replicates"].unique().tolist())
    wanted = sorted(table["replicates"].unique().tolist())
    if len(summary) != table["groups"].sum() or replicates != wanted:
        raise InputError(
            f"{where}: wanted {table['groups'].sum()} groups of {wanted} replicates as in the "
            f"outcomes, got {len(summary)} of {replicates}. Delete the summary and make it again."
        )
