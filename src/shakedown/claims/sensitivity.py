"""What the papers leave open: the same attack under each reading of the text."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

_PLAYED = ["metric", "attack", "iteration_board", "setting"]
_SHOWN = ["variant", "setting", "point", "median_delta", "delta_low", "delta_high", "replicates"]


def compare(
    summaries: Mapping[str, pd.DataFrame], variants: Mapping[str, Mapping[str, str]]
) -> pd.DataFrame:
    """Median Δ of every mechanism under each reading, where the attack is largest.

    `summaries` are tables of `outcomes.summarise` by experiment; `variants` give, by the words for
    a reading, its `experiment`, `dataset` and `design`.  The result has a row per reading and
    setting that all readings have: variant, setting, point, median_delta, its interval delta_low
    and delta_high, replicates.
    """
    parts = []
    for words, where in variants.items():
        summary = summaries[where["experiment"]]
        keep = (summary["dataset"] == where["dataset"]) & (summary["design"] == where["design"])
        ordered = summary[keep].sort_values(["n_features", "point"])
        last = ordered.drop_duplicates(_PLAYED, keep="last").sort_index()
        parts.append(last.assign(variant=words))
    rows = pd.concat(parts, ignore_index=True)
    readings = rows.groupby("setting", observed=True)["variant"].transform("nunique")
    return rows.loc[readings == len(variants), _SHOWN].reset_index(drop=True)
