"""What the papers leave open: the same attack under each reading of the text."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from shakedown.outcomes import SETTING

#: The columns that name a mechanism with its settings.
MECHANISM = ["mechanism", "alpha", "posterior_odds", "eta", "b"]


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
    words = list(dict.fromkeys(comparison["variant"]))
    shown = comparison.assign(
        delta=[
            f"{m:.3f}" if pd.isna(low) else f"{m:.3f} [{low:.3f}, {high:.3f}]"
            for m, low, high in zip(
                comparison["median_delta"],
                comparison["delta_low"],
                comparison["delta_high"],
                strict=True,
            )
        ]
    )
    # A setting that a mechanism does not have is null, which a pivot would drop.
    keys = shown[MECHANISM].astype(object).where(shown[MECHANISM].notna(), None)
    names = list(dict.fromkeys(keys.itertuples(index=False, name=None)))
    cells = dict(
        zip(
            zip(keys.itertuples(index=False, name=None), shown["variant"], strict=True),
            shown["delta"],
            strict=True,
        )
    )
    return pd.DataFrame(
        [
            {**dict(zip(MECHANISM, name, strict=True)), **{w: cells[name, w] for w in words}}
            for name in names
        ]
    ).dropna(axis=1, how="all")
