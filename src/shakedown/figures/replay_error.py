"""Reported minus private score, while the challenge runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from shakedown.figures.replay_panels import (
    board_panels,
    limits_without_outliers,
    name_whole,
    of_teams,
    outside,
    shown_settings,
    told_apart,
)
from shakedown.figures.selection import floats, require, rows_of
from shakedown.figures.setting_panels import line_colour
from shakedown.figures.style import INK, NARROW, PAGE_WIDTH, REFERENCE, themed
from shakedown.metrics import find
from shakedown.replay.reported import REPORTED
from shakedown.wording import counted, metric_name

KIND = "replay_error"
_MOST = 6


@themed
def replay_error(reported: pd.DataFrame, *, metric: str, width: float = PAGE_WIDTH) -> Figure:
    """How far what stands on each board is from the private score, over the submissions.

    Parameters
    ----------
    reported : DataFrame
        As `replay.reported.reported_error` returns it.
    metric : str
        Its name.
    width : float
        Inches; below 5 the layout is one for phones.

    Returns
    -------
    Figure
        Thin lines: teams; thick line: the median of all teams that are on the board by then.

    Raises
    ------
    InputError
        If a column or all rows are missing.
    """
    rows, settings = _shown(reported)
    figure, panels = board_panels(settings, width=width)
    ends = _ends(rows, settings)
    last = int(rows["order"].max())
    for setting, ax in panels.items():
        part = rows_of(rows, setting)
        colour = line_colour(setting.mechanism)
        for _, own in part.groupby(part["team"].astype(str)):
            x = np.append(floats(own["order"]), last)
            y = floats(own["error"])
            ax.plot(x, np.append(y, y[-1]), color=colour, linewidth=0.6, alpha=0.4,
                    drawstyle="steps-post", zorder=1.8)  # fmt: skip
        x, y = median_over_teams(part)
        ax.plot(x, y, color=INK, linewidth=1.8, drawstyle="steps-post", zorder=2.5)
        ax.axhline(0, color=REFERENCE, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1.5)
        ax.set_ylim(*ends)
        ax.set_xlim(0, last)
    side = "above" if find(metric).larger_is_better else "below"
    name_whole(
        figure,
        "Submissions of all teams so far",
        f"Reported − private {metric_name(metric)}\n({side} 0: looks better than it is)",
    )
    figure.legend(
        handles=[
            Line2D([], [], color=line_colour(settings[0].mechanism), linewidth=0.9, alpha=0.7),
            Line2D([], [], color=INK, linewidth=1.8),
        ],
        labels=["a team", "median of all teams"],
        loc="outside upper center",
        ncols=1 if width < NARROW else 2,
    )
    return figure


def replay_error_caption(reported: pd.DataFrame, *, metric: str, **_: object) -> str:
    """How to read the figure; parameters as `replay_error`."""
    rows, settings = _shown(reported)
    ends = _ends(rows, settings)
    beyond = sum(
        rows_of(rows, s).loc[outside(floats(rows_of(rows, s)["error"]), ends), "team"].nunique()
        for s in settings
    )
    side = "Above" if find(metric).larger_is_better else "Below"
    left = f" {counted(beyond, 'thin line')} leave{'s' * (beyond == 1)} the axis."
    return (
        "The score beside a team on the board minus the private score of the submission that it "
        "stands for, after each submission of the challenge. Thin lines: teams; thick line: the "
        f"median of the teams on the board by then. {side} 0 the board flatters: public scores "
        "look better than private ones. A gap that all teams share from the start is a public set "
        "that is easier or harder; one that grows is overfit."
        f"{left * (beyond > 0)}{told_apart(rows, settings)}"
    )


def median_over_teams(part: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """After each submission the median of the errors of all teams by then; shapes (m,)."""
    part = part.sort_values("order", kind="stable")
    now: dict[str, float] = {}
    medians = []
    for team, error in zip(part["team"].astype(str), floats(part["error"]), strict=True):
        now[team] = error
        medians.append(np.median(list(now.values())))
    return floats(part["order"]), np.array(medians)


def _shown(reported: pd.DataFrame):
    require(reported, REPORTED, kind=KIND)
    rows = of_teams(reported)
    return rows, shown_settings(rows, _MOST)


def _ends(rows: pd.DataFrame, settings) -> tuple[float, float]:
    errors = [floats(rows_of(rows, setting)["error"]) for setting in settings]
    return limits_without_outliers(*errors, np.zeros(1))
