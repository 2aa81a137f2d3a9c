"""What each board reported of the best submissions, beside their private scores ([B] Fig. 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from shakedown.figures.replay_panels import (
    beyond_words,
    board_panels,
    direction,
    limits_without_outliers,
    mark_outside,
    name_whole,
    of_teams,
    outside,
    score_axis,
    shown_settings,
    told_apart,
)
from shakedown.figures.selection import floats, require, rows_of
from shakedown.figures.setting_panels import line_colour
from shakedown.figures.style import INK, NARROW, PAGE_WIDTH, themed
from shakedown.metrics import find
from shakedown.replay.grouping import BOARD

SEEN = (*BOARD, "submission", "released", "score_private")
KIND = "replay_scores"
_MOST = 6


@themed
def replay_scores(
    seen: pd.DataFrame, *, metric: str, top: int = 50, width: float = PAGE_WIDTH
) -> Figure:
    """The score that each board reported after a submission, against its private rank.

    Parameters
    ----------
    seen : DataFrame
        Columns `BOARD`, submission, released, score_private; of a replay.
    metric : str
        Its name.
    top : int
        How many submissions, by private score.
    width : float
        Inches; below 5 the layout is one for phones.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If a column or all rows are missing.

    Notes
    -----
    After Fig. 2 of Blum and Hardt (ICML 2015), with a panel for each board.
    """
    rows, settings = _shown(seen)
    figure, panels = board_panels(settings, width=width)
    parts = {setting: best(rows_of(rows, setting), metric, top) for setting in settings}
    ends = _ends(parts)
    for setting, ax in panels.items():
        part = parts[setting]
        rank, reported = np.arange(1, len(part) + 1), floats(part["released"])
        private = floats(part["score_private"])
        colour = line_colour(setting.mechanism)
        ax.plot(rank, private, color=INK, linewidth=1.4, zorder=2)
        dots = {"color": colour, "linestyle": "none"}
        ax.plot(rank, reported, marker="o", markersize=3.2, zorder=2.5, **dots)
        mark_outside(ax, rank, reported, ends, color=colour)
        ax.set_ylim(*ends)
        ax.set_xlim(0, len(part) + 1)
        ax.set_xticks([1, *range(10, len(part) + 1, 20 if width < NARROW else 10)])
    name_whole(figure, "Submission, by private rank (1 = best)", score_axis(metric))
    figure.legend(
        handles=[
            Line2D([], [], color=INK, linewidth=1.4),
            Line2D([], [], color=line_colour(settings[0].mechanism), marker="o", linestyle="none",
                   markersize=4),
        ],
        labels=["private score", "public score that the board reported"],
        loc="outside upper center",
        ncols=1 if width < NARROW else 2,
    )  # fmt: skip
    return figure


def replay_scores_caption(seen: pd.DataFrame, *, metric: str, top: int = 50, **_: object) -> str:
    """How to read the figure; parameters as `replay_scores`."""
    rows, settings = _shown(seen)
    parts = {setting: best(rows_of(rows, setting), metric, top) for setting in settings}
    ends = _ends(parts)
    beyond = sum(int(outside(floats(p["released"]), ends).sum()) for p in parts.values())
    count = len(next(iter(parts.values())))
    best_of = f"The {count} submissions with the best private scores, from the best on the left"
    which = best_of if count > 1 else "The submission with the best private score"
    return (
        f"{which}; {direction(metric)}. Line: the private score. Dots: what the board showed the "
        "team right after that submission. Dots along the line: the board told the truth; dots in "
        "level rows away from it: the board did not take the submission and went on showing an "
        f"earlier score.{beyond_words(beyond)}{told_apart(rows, settings)}"
    )


def best(rows: pd.DataFrame, metric: str, top: int) -> pd.DataFrame:
    """The submissions with the best private scores, best first."""
    up = not find(metric).larger_is_better
    return rows.sort_values("score_private", ascending=up, kind="stable").head(top)


def _shown(seen: pd.DataFrame):
    require(seen, SEEN, kind=KIND)
    rows = of_teams(seen)
    rows = rows[rows["released"].notna().to_numpy()]
    require(rows, SEEN, kind=KIND)
    return rows, shown_settings(rows, _MOST)


def _ends(parts) -> tuple[float, float]:
    return limits_without_outliers(
        *(floats(part[c]) for part in parts.values() for c in ("released", "score_private"))
    )
