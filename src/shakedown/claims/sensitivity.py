"""What the papers leave open: the same attack under each reading of the text."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

_PLAYED = ["metric", "attack", "board", "setting"]


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
        A row per reading and setting that all readings have: variant, setting, point,
        median_delta, delta_low, delta_high (its interval), replicates.
    """
    parts = []
    for words, where in variants.items():
        summary = summaries[where["experiment"]]
        keep = (summary["dataset"] == where["dataset"]) & (summary["design"] == where["design"])
        ordered = summary[keep].sort_values(["n_features", "point"])
        last = ordered.drop_duplicates(_PLAYED, keep="last").sort_index()
        parts.append(last.assign(variant=words))
    rows = pd.concat(parts, ignore_index=True)
    played = rows.groupby("setting", observed=True)["variant"].transform("nunique")
    columns = ["point", "median_delta", "delta_low", "delta_high", "replicates"]
    return rows.loc[played == len(variants), ["variant", "setting", *columns]].reset_index(
        drop=True
    )
