"""What the papers leave open: the same attack under each reading of the text."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from shakedown.outcomes import MECHANISM, SETTING
from shakedown.wording import signed


def compare(
    summaries: Mapping[str, pd.DataFrame], variants: Mapping[str, Mapping[str, str]]
) -> pd.DataFrame:
    """Median Δ of every mechanism under each reading, where the attack is largest.

    Parameters
    ----------
    summaries : mapping of str to DataFrame
        Summary tables (`outcomes.summarise`) by experiment.
    variants : mapping of str to mapping
        By the words for a reading: its `experiment`, `dataset` and `design`.

    Returns
    -------
    DataFrame
        A row per reading and mechanism that all readings have: variant, the columns that name the
        mechanism, iterations, median_delta, delta_low, delta_high (its interval), replicates.
    """
    parts = []
    for words, where in variants.items():
        summary = summaries[where["experiment"]]
        keep = (summary["dataset"] == where["dataset"]) & (summary["design"] == where["design"])
        size = summary[["n_features", "iterations", "n_selected"]].astype(float).fillna(0)
        ordered = summary[keep].loc[size[keep].sort_values(list(size)).index]
        last = ordered.drop_duplicates([*SETTING[:-1]], keep="last").sort_index()
        parts.append(last.assign(variant=words))
    rows = pd.concat(parts, ignore_index=True)
    played = rows.groupby(MECHANISM, observed=True, dropna=False)["variant"].transform("nunique")
    columns = ["iterations", "median_delta", "delta_low", "delta_high", "replicates"]
    return rows.loc[played == len(variants), ["variant", *MECHANISM, *columns]].reset_index(
        drop=True
    )


def side_by_side(comparison: pd.DataFrame) -> pd.DataFrame:
    """A row per mechanism and a column per reading: "median [low, high]" of Δ."""
    cells = [
        _median(*row)
        for row in comparison[["median_delta", "delta_low", "delta_high"]].itertuples(index=False)
    ]
    keys = [comparison[name] for name in [*MECHANISM, "variant"]]
    # Unlike a pivot this keeps the order of the rows.
    table = pd.Series(cells, index=keys).unstack("variant", sort=False)
    return table.rename_axis(columns=None).reset_index().dropna(axis=1, how="all")


def _median(median: float, low: float, high: float) -> str:
    interval = "" if pd.isna(low) else f" [{signed(low, 3)}, {signed(high, 3)}]"
    return signed(median, 3) + interval
