"""Public and private scores under fresh splits ([B] Fig. 3)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from shakedown.figures.replay_panels import (
    beyond_words,
    direction,
    limits_without_outliers,
    mark_outside,
    outside,
)
from shakedown.figures.selection import floats, require
from shakedown.figures.style import BAND, CHOSEN, DOT, INK, NARROW, PAGE_WIDTH, REFERENCE, themed
from shakedown.replay.splits import SPLITS
from shakedown.wording import metric_name

KIND = "replay_splits"


@themed
def replay_splits(splits: pd.DataFrame, *, metric: str, width: float = PAGE_WIDTH) -> Figure:
    """Scores on either half of fresh splits, and the gap of the challenge's own split among them.

    Parameters
    ----------
    splits : DataFrame
        As `replay.splits.fresh_splits` returns it.
    metric : str
        Its name.
    width : float
        Inches; below 5 the panels stand one below the other.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If a column or all rows are missing.

    Notes
    -----
    The left panel is after Fig. 3 of Blum and Hardt (ICML 2015).
    """
    require(splits, SPLITS, kind=KIND)
    narrow = width < NARROW
    shape = (2, 1) if narrow else (1, 2)
    figure = Figure(figsize=(width, 6.0 if narrow else 3.5), layout="constrained")
    left, right = figure.subplots(*shape)
    _scatter(left, splits, metric)
    _gaps(right, splits, metric)
    figure.legend(loc="outside upper center", ncols=1 if narrow else 3)
    return figure


def _scatter(ax, splits: pd.DataFrame, metric: str) -> None:
    x, y = floats(splits["score_private"]), floats(splits["score_public"])
    mean, sd = floats(splits["mean_half"]), floats(splits["sd_half"])
    ends = _ends(splits)
    ax.axline((ends[0], ends[0]), (ends[1], ends[1]), color=REFERENCE, linewidth=0.9, zorder=1.5)
    ax.errorbar(
        mean, mean, xerr=sd, yerr=sd, fmt="s", markersize=3, color=DOT, ecolor=DOT,
        elinewidth=0.6, zorder=2, label="fresh splits, mean ± sd",
    )  # fmt: skip
    clipped = np.clip(x, *ends)
    ax.plot(
        clipped, np.where(outside(y, ends), np.nan, y), marker="o", markersize=3.6,
        linestyle="none", color=CHOSEN, zorder=2.5, label="the challenge's own split",
    )  # fmt: skip
    mark_outside(ax, clipped, y, ends, color=CHOSEN)
    ax.set(xlim=ends, ylim=ends)
    ax.set_title("Scores")
    name = metric_name(metric)
    ax.set_xlabel(f"Private {name}, or that of a half")
    ax.set_ylabel(f"Public {name}, or that of a half\n({direction(metric)})")
    ax.grid(visible=True, axis="both")


def _gaps(ax, splits: pd.DataFrame, metric: str) -> None:
    rank = np.arange(1, len(splits) + 1)
    gap, sd = floats(splits["gap"]), floats(splits["sd_gap"])
    ends = limits_without_outliers(gap, sd, -sd)
    ax.fill_between(
        rank, -sd, sd, color=BAND, linewidth=0, zorder=1, step="mid",
        label="one sd of fresh splits",
    )  # fmt: skip
    ax.axhline(0, color=REFERENCE, linewidth=0.9, zorder=1.5)
    ax.plot(rank, gap, marker="o", markersize=3.6, linestyle="none", color=CHOSEN, zorder=2.5)
    mark_outside(ax, rank, gap, ends, color=CHOSEN)
    ax.set_ylim(*ends)
    gaps = "gap" if len(splits) == 1 else "gaps"
    ax.set_title(f"{_found(splits)} {gaps} within one sd", color=INK, weight="bold")
    ax.set_xlabel("Submission, by private rank (1 = best)")
    ax.set_ylabel(f"Public − private {metric_name(metric)}")


def replay_splits_caption(splits: pd.DataFrame, *, metric: str, **_: object) -> str:
    """How to read the figure; parameters as `replay_splits`."""
    require(splits, SPLITS, kind=KIND)
    ends = _ends(splits)
    beyond = outside(floats(splits["score_public"]), ends).sum()
    gap, sd = floats(splits["gap"]), floats(splits["sd_gap"])
    beyond += outside(gap, limits_without_outliers(gap, sd, -sd)).sum()
    repeats = int(splits["repeats"].max())
    one = len(splits) == 1
    each = "the best submission" if one else f"each of the {len(splits)} best submissions"
    found = f"{_found(splits)} {'gap is' if one else 'gaps are'} within one"
    return (
        f"The private rows were halved at random {repeats} times, and each half was once the "
        "public and once the private one; so the grey squares lie on the line, where both scores "
        f"are equal. Left: squares, mean score of {each} on a half, with its standard deviation; "
        "dots, the challenge's own public and private scores. Right: the gap between public and "
        "private score, with the standard deviation that halves of the private rows have between "
        f"them; {found}. About two in three would be where the public rows are rows like any "
        "others; but related submissions gain and lose by the same rows, so that their dots "
        f"stand on one side together.{beyond_words(int(beyond))}"
    )


def _found(splits: pd.DataFrame) -> str:
    return f"{int(splits['within'].sum())} of {len(splits)}"


def _ends(splits: pd.DataFrame) -> tuple[float, float]:
    mean, sd = floats(splits["mean_half"]), floats(splits["sd_half"])
    scores = [floats(splits[c]) for c in ("score_public", "score_private")]
    return limits_without_outliers(*scores, mean - sd, mean + sd)
