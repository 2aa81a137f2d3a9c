"""Who is where among the top ten: on each board, and in private with an interval."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator

from shakedown.figures.replay_panels import of_teams, shown_settings, told_apart
from shakedown.figures.selection import floats, require, rows_of
from shakedown.figures.style import DOT, INK, NARROW, PAGE_WIDTH, REFERENCE, Setting, themed
from shakedown.replay.grouping import BOARD
from shakedown.replay.ranks import INTERVALS
from shakedown.wording import counted

STANDINGS = (*BOARD, "team", "place", "private_place")
KIND = "replay_ranks"
_MOST = 5
_TEAM = 18
# Dark enough for white paper, and apart from each other for every kind of eye (Okabe and Ito).
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#6A3D9A", "#8C564B")


@themed
def replay_ranks(
    standings: pd.DataFrame, intervals: pd.DataFrame, *, top: int = 10, width: float = PAGE_WIDTH,
    **_: object,
) -> Figure:  # fmt: skip
    """Places of the top teams on each board, their private places, and how sure these are.

    Parameters
    ----------
    standings : DataFrame
        Columns `BOARD`, team, place, private_place; of a replay.
    intervals : DataFrame
        As `replay.ranks.rank_intervals` returns it, of the same replay.
    top : int
        How many teams, by their place on the first board.
    width : float
        Inches; below 5 the panels stand one below the other.

    Returns
    -------
    Figure
        Left, a line per team from board to board; coloured where its place is not the same on
        all of them.  Right, the private place with its interval.

    Raises
    ------
    InputError
        If a column or all rows are missing.
    """
    table, settings, bounds = _shown(standings, intervals, top)
    narrow = width < NARROW
    size = (width, 7.2) if narrow else (width, 4.3)
    figure = Figure(figsize=size, layout="constrained")
    shape = {"height_ratios": (1.2, 1)} if narrow else {"width_ratios": (1.7, 1)}
    left, right = figure.subplots(*((2, 1) if narrow else (1, 2)), gridspec_kw=shape)
    colours = _colours(table)
    _places(left, table, settings, colours)
    _private(right, table, bounds, colours)
    return figure


def _colours(table: pd.DataFrame) -> dict[str, str]:
    public = table.drop(columns="private")
    moving = [team for team in table.index if public.loc[team].nunique(dropna=False) > 1]
    found = dict.fromkeys(table.index, DOT)
    return found | {t: _COLOURS[k % len(_COLOURS)] for k, t in enumerate(moving)}


def _moved(colours: dict[str, str]) -> int:
    return sum(colour != DOT for colour in colours.values())


def _places(ax: Axes, table: pd.DataFrame, settings: list[Setting], colours) -> None:
    """A line per team, from the first board over the others to the private place."""
    top = len(table)
    edge = top + 1.3
    x = np.arange(len(settings) + 1)
    beyond: dict[int, list[str]] = {}
    for team, row in table.iterrows():
        places = floats(row)
        y = np.where(places > top, edge, places)
        moving = colours[team] != DOT
        look = {"color": colours[team], "zorder": 2.5 if moving else 2}
        ax.plot(x[:-1], y[:-1], linewidth=2.2 if moving else 1.4, marker="o", markersize=5, **look)
        ax.plot(x[-2:], y[-2:], linewidth=1.2, linestyle=(0, (2, 1.5)), **look)
        ax.plot(x[-1:], y[-1:], marker="D", markersize=5, **look)
        for k in np.flatnonzero(places > top):
            beyond.setdefault(int(k), []).append(f"{places[k]:.0f}")
        ax.annotate(
            team if len(team) <= _TEAM else f"{team[: _TEAM - 1]}…", (0, y[0]), xytext=(-8, 0),
            textcoords="offset points", ha="right", va="center", fontsize=8,
            color=INK, annotation_clip=False,
        )  # fmt: skip
    for k, found in beyond.items():
        found = sorted(found, key=int)
        text = ", ".join(found[:4]) + ("…" if len(found) > 4 else "")
        ax.annotate(text, (k, edge), xytext=(0, -6), textcoords="offset points", ha="center",
                    va="top", fontsize=8)  # fmt: skip
    ax.set_ylim(edge + (0.9 if beyond else -0.8), 0.4)
    ticks = list(range(1, top + 1))
    ax.yaxis.set_major_locator(FixedLocator([*ticks, edge] if beyond else ticks))
    ax.set_yticklabels([*map(str, ticks), f">{top}"] if beyond else list(map(str, ticks)))
    ax.yaxis.tick_right()
    ax.tick_params(axis="y", length=0)
    for side in ("left", "right"):
        ax.spines[side].set_visible(False)
    ax.set_xticks(x, [*(_stacked(s) for s in settings), "Private"], fontsize=8)
    ax.set_xlim(-0.25, len(settings) + 0.25)
    ax.set_title(f"{_moved(colours)} of {top} change place between boards", weight="bold")


def _stacked(setting: Setting) -> str:
    """Name and parameters, a word a line: columns are narrow."""
    name = setting.stacked.replace("posterior odds", "odds").replace("-", "-\n")
    name = name.replace("BayesBoot", "BayesBoot\n").replace("LadderBoot", "Ladder-\nBoot")
    head, *rest = name.split("\n")
    words = [line.replace(", ", "\n") for line in rest]
    return "\n".join(
        [head.replace(" ", "\n"), *(w.replace("free Ladder", "free\nLadder") for w in words)]
    )


def _private(ax: Axes, table: pd.DataFrame, bounds: pd.DataFrame, colours) -> None:
    """The private place with its interval, a row per team, best first."""
    order = table.sort_values("private", kind="stable").index
    for k, team in enumerate(order):
        row = bounds.loc[team]
        own = {"color": colours[team] if colours[team] != DOT else REFERENCE, "zorder": 2}
        ax.hlines(k, float(row["place_low"]), float(row["place_high"]), linewidth=2.4, **own)
        ax.plot([float(row["private_place"])], [k], marker="D", markersize=5, **own)
    ax.set_yticks(range(len(order)), [t if len(t) <= 12 else f"{t[:11]}…" for t in order])
    ax.tick_params(axis="y", labelsize=8, length=0)
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.set_xlim(0, float(bounds["place_high"].max()) + 1)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.grid(visible=True, axis="x")
    ax.set_xlabel("Private place, 95 % interval")
    ax.set_title("How sure the private places are")


def replay_ranks_caption(
    standings: pd.DataFrame, intervals: pd.DataFrame, *, top: int = 10, **_: object
) -> str:
    """How to read the figure; parameters as `replay_ranks`."""
    table, settings, bounds = _shown(standings, intervals, top)
    moving = _moved(_colours(table))
    draws = int(bounds["draws"].max())
    return (
        f"The first {counted(len(table), 'team')} on the board {settings[0].label}. Left: the "
        "place of each on every public board and (diamonds) by the private score of its submission "
        f"in force on the first. Coloured: the {counted(moving, 'team')} whose public place is not "
        "the same on all boards. Right: the private place with its 95 % interval from "
        f"{draws:,} bootstrap samples of the private rows; where bars overlap, other rows could "
        f"have turned the order round.{told_apart(of_teams(standings), settings)}"
    )


def _shown(standings: pd.DataFrame, intervals: pd.DataFrame, top: int):
    """Places (a row per team, a column per board, and `private`), boards, intervals by team."""
    require(standings, STANDINGS, kind=KIND)
    require(intervals, INTERVALS, kind=KIND)
    rows = of_teams(standings)
    settings = shown_settings(rows, _MOST)
    first = rows_of(rows, settings[0]).sort_values("place", kind="stable").head(top)
    first = first.set_index(first["team"].astype(str))
    table = pd.DataFrame(index=first.index)
    for k, setting in enumerate(settings):
        part = rows_of(rows, setting)
        table[k] = part.set_index(part["team"].astype(str))["place"].reindex(first.index)
    table["private"] = first["private_place"]
    bounds = rows_of(of_teams(intervals), settings[0])
    bounds = bounds.set_index(bounds["team"].astype(str)).reindex(first.index)
    return table.astype("Float64"), settings, bounds
