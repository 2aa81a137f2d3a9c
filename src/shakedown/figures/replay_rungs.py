"""Rung by rung: what the top teams were shown after each of their submissions."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from shakedown.figures.replay_panels import (
    beyond_words,
    direction,
    limits_without_outliers,
    mark_outside,
    name_whole,
    of_teams,
    outside,
    panel_grid,
    score_axis,
    shown_settings,
    team_name,
    told_apart,
)
from shakedown.figures.selection import floats, require, rows_of
from shakedown.figures.setting_panels import line_colour
from shakedown.figures.style import DOT, NARROW, PAGE_WIDTH, Setting, themed
from shakedown.replay.grouping import BOARD, OPEN, reference
from shakedown.wording import counted

SEEN = (*BOARD, "team", "submission", "order_in_team", "score_public", "released", "accepted")
STANDINGS = (*BOARD, "team", "place")
KIND = "replay_rungs"
_MOST = 3
_TEAM = 22
# Lines that lie on one another are seen as stripes.
_WIDTHS = (4.4, 2.6, 1.1)


@themed
def replay_rungs(
    seen: pd.DataFrame,
    standings: pd.DataFrame,
    *,
    metric: str,
    teams: int = 6,
    width: float = PAGE_WIDTH,
) -> Figure:
    """The score that each board showed a team, submission by submission.

    Parameters
    ----------
    seen : DataFrame
        Columns `BOARD`, team, submission, order_in_team, score_public, released, accepted.
    standings : DataFrame
        Columns `BOARD`, team, place; of the same replay.
    metric : str
        Its name.
    teams : int
        How many teams, by their place on the board that shows every score; those with one
        submission come last.
    width : float
        Inches; below 5 the layout is one for phones.

    Returns
    -------
    Figure
        A panel per team.  Grey dots: what each submission scored; lines: what a board showed, with
        a filled mark where it accepted the submission.

    Raises
    ------
    InputError
        If a column or all rows are missing.
    """
    rows, settings, chosen = _shown(seen, standings, teams)
    narrow = width < NARROW
    figure, axes = panel_grid(len(chosen), width=width)
    panels = dict(zip(chosen, axes, strict=True))
    ends = _ends(rows, settings, chosen)
    for team, ax in panels.items():
        own = rows[(rows["team"].astype(str) == team).to_numpy()]
        _draw(ax, own, settings, ends)
        ax.set_title(f"{chosen[team]}. {team_name(team, _TEAM)}")
    name_whole(figure, "Submission of the team", score_axis(metric))
    handles = [Line2D([], [], color=DOT, marker="o", linestyle="none", markersize=4)]
    handles += [
        Line2D(
            [], [], color=line_colour(s.mechanism), marker="o", markersize=size + 2, linewidth=size
        )
        for s, size in zip(settings, _WIDTHS, strict=False)
    ]
    figure.legend(
        handles=handles,
        labels=["own public score", *(s.label for s in settings)],
        loc="outside upper center",
        ncols=1 if narrow else 2,
    )
    return figure


def _draw(ax, own: pd.DataFrame, settings: list[Setting], ends: tuple[float, float]) -> None:
    first = rows_of(own, settings[0]).sort_values("order_in_team")
    x, y = floats(first["order_in_team"]), floats(first["score_public"])
    ax.plot(x, y, marker="o", markersize=3.4, linestyle="none", color=DOT, zorder=1.8)
    mark_outside(ax, x, y, ends, color=DOT)
    for setting, size in zip(settings, _WIDTHS, strict=False):
        part = rows_of(own, setting).sort_values("order_in_team")
        x, y = floats(part["order_in_team"]), floats(part["released"])
        taken = part["accepted"].to_numpy(bool)
        colour = line_colour(setting.mechanism)
        ax.plot(np.append(x, x[-1] + 0.4), np.append(y, y[-1]), color=colour, linewidth=size,
                drawstyle="steps-post", zorder=2)  # fmt: skip
        ax.plot(x[taken], y[taken], color=colour, marker="o", markersize=size + 3, linestyle="none",
                zorder=2.2)  # fmt: skip
        mark_outside(ax, x, y, ends, color=colour)
    ax.set_ylim(*ends)
    ax.set_xlim(0.5, max(float(x.max()), 1.0) + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))


def replay_rungs_caption(
    seen: pd.DataFrame, standings: pd.DataFrame, *, metric: str, teams: int = 6, **_: object
) -> str:
    """How to read the figure; parameters as `replay_rungs`."""
    rows, settings, chosen = _shown(seen, standings, teams)
    ends = _ends(rows, settings, chosen)
    kept = rows[rows["team"].astype(str).isin(list(chosen)).to_numpy()]
    beyond = sum(int(outside(floats(rows_of(kept, s)["released"]), ends).sum()) for s in settings)
    beyond += int(outside(floats(rows_of(kept, settings[0])["score_public"]), ends).sum())
    return (
        f"{counted(len(chosen), 'team')} of those that end in front on the board that shows every "
        "score (with their places there, best first, those with one submission last); "
        f"{direction(metric)}. Grey dots: the public score of each "
        "submission, which is what a board that shows everything would tell. Lines: what each "
        "board showed the team; filled marks: submissions that it accepted as better. A level line "
        f"is a board that did not find the submission better.{beyond_words(beyond)}"
        f"{told_apart(rows, settings)}"
    )


def _shown(seen: pd.DataFrame, standings: pd.DataFrame, teams: int):
    """Rows, boards and teams of the figure."""
    require(seen, SEEN, kind=KIND)
    require(standings, STANDINGS, kind=KIND)
    rows = of_teams(seen)
    settings = shown_settings(rows, _MOST + 1)
    # The grey dots are what a board shows that shows everything.
    hidden = [s for s in settings if s.mechanism not in OPEN]
    best = reference(standings).assign(team=reference(standings)["team"].astype(str))
    made = rows_of(rows, settings[0])["team"].astype(str).value_counts()
    order = best.assign(once=best["team"].map(made) < 2).sort_values(["once", "place"])
    found = order.head(teams)
    places = dict(zip(found["team"], found["place"].astype(int), strict=True))
    return rows, (hidden or settings)[:_MOST], places


def _ends(rows: pd.DataFrame, settings, chosen) -> tuple[float, float]:
    kept = rows[rows["team"].astype(str).isin(list(chosen)).to_numpy()]
    shown = [floats(rows_of(kept, s)["released"]) for s in settings]
    return limits_without_outliers(*shown, floats(rows_of(kept, settings[0])["score_public"]))
