"""Who is where among the top ten: on each board, and in private with an interval."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator

from shakedown.figures.replay_panels import of_teams, shown_settings, team_name, told_apart
from shakedown.figures.selection import require, rows_of
from shakedown.figures.style import DOT, INK, NARROW, PAGE_WIDTH, REFERENCE, Setting, themed
from shakedown.replay.grouping import BOARD
from shakedown.replay.ranks import INTERVALS
from shakedown.wording import counted

STANDINGS = (*BOARD, "team", "place", "private_place")
KIND = "replay_ranks"
_MOST = 5
_TEAM = 16
# Dark enough for white paper, and apart from each other for every kind of eye (Okabe and Ito).
_COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#E69F00",
    "#6A3D9A",
    "#8C564B",
    "#222222",
    "#882255",
)


@themed
def replay_ranks(
    standings: pd.DataFrame,
    intervals: pd.DataFrame,
    *,
    top: int = 10,
    width: float = PAGE_WIDTH,
    **_: object,
) -> Figure:
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
        Left, a line per team from board to board, coloured where its place is not the same on all
        of them, and marked hollow where it shares the place.  Teams that share one stand in the
        order of the first board.  Right, the private place with its interval.

    Raises
    ------
    InputError
        If a column or all rows are missing.
    """
    columns, settings, bounds = _shown(standings, intervals, top)
    narrow = width < NARROW
    figure = Figure(figsize=(width, 8.2 if narrow else 4.3), layout="constrained")
    shape = {"height_ratios": (1.15, 1)} if narrow else {"width_ratios": (2.2, 1)}
    left, right = figure.subplots(*((2, 1) if narrow else (1, 2)), gridspec_kw=shape)
    colours = _colours(columns)
    _places(left, columns, settings, colours, upright=narrow)
    _private(right, columns[-1], bounds, colours)
    return figure


def places_on(standings: pd.DataFrame, column: str, first: pd.Series) -> pd.DataFrame:
    """Places of the teams of `first`, which has their places on another board.

    Parameters
    ----------
    standings : DataFrame
        Of one board.
    column : str
        "place" or "private_place".
    first : Series
        Places by team.

    Returns
    -------
    DataFrame
        By team: `place`; `shared`, how many teams have it; `slot`, from 1, a place that nobody
        shares: teams with the same place in the order of `first`, those that it does not have last.
    """
    own = standings.set_index(standings["team"].astype(str))[column].astype(int)
    order = pd.DataFrame({"place": own, "first": first.reindex(own.index)})
    order = order.sort_values(["place", "first"], kind="stable", na_position="last")
    order["slot"] = np.arange(1, len(order) + 1)
    order["shared"] = order.groupby("place")["place"].transform("size")
    return order.reindex(first.index)[["place", "shared", "slot"]]


def _colours(columns: list[pd.DataFrame]) -> dict[str, str]:
    """Grey for teams whose place on the first board is covered by theirs on all others."""
    start = columns[0]["place"]
    moved = pd.Series(False, index=start.index)
    for held in columns[:-1]:
        last = held["place"] + held["shared"] - 1
        moved |= (start < held["place"]) | (start > last)
    found = dict.fromkeys(start.index, DOT)
    names = start.index[moved.to_numpy(bool)]
    return found | {t: _COLOURS[k % len(_COLOURS)] for k, t in enumerate(names)}


def _moved(colours: dict[str, str]) -> int:
    return sum(colour != DOT for colour in colours.values())


def _places(
    ax: Axes, columns: list[pd.DataFrame], settings: list[Setting], colours, *, upright: bool
) -> None:
    """A line per team, from the first board over the others to the private place."""
    top = len(columns[0])
    edge = top + 1.3
    beyond: dict[int, list[int]] = {}
    for team, colour in colours.items():
        slots = np.array([held.loc[team, "slot"] for held in columns], dtype=float)
        y = np.where(slots > top, edge, slots)
        moving = colour != DOT
        look = {"color": colour, "zorder": 2.5 if moving else 2}
        ax.plot(y[:-1], linewidth=2.2 if moving else 1.4, **look)
        last = [len(y) - 2, len(y) - 1]
        ax.plot(last, y[-2:], linewidth=1.2, linestyle=(0, (2, 1.5)), **look)
        for k, held in enumerate(columns):
            ax.plot(
                k, y[k], marker="D" if k == len(columns) - 1 else "o", markersize=5.5,
                markeredgecolor=colour, zorder=3,
                markerfacecolor="white" if held.loc[team, "shared"] > 1 else colour,
            )  # fmt: skip
            if slots[k] > top:
                beyond.setdefault(k, []).append(int(held.loc[team, "place"]))
        ax.annotate(
            team_name(team, _TEAM), (0, y[0]), xytext=(-8, 0), textcoords="offset points",
            ha="right", va="center", fontsize=8, color=INK, annotation_clip=False,
        )  # fmt: skip
    for k, found in beyond.items():
        text = ", ".join(map(str, sorted(found)[:3])) + ("…" if len(found) > 3 else "")
        ax.annotate(
            text, (k, edge), xytext=(0, -6), textcoords="offset points", ha="center", va="top",
            fontsize=8,
        )  # fmt: skip
    ax.set_ylim(edge + 0.9 if beyond else top + 0.6, 0.4)
    ticks = list(range(1, top + 1))
    ax.yaxis.set_major_locator(FixedLocator([*ticks, edge] if beyond else ticks))
    ax.set_yticklabels([*map(str, ticks), f">{top}"] if beyond else list(map(str, ticks)))
    ax.yaxis.tick_right()
    ax.tick_params(axis="y", length=0)
    for side in ("left", "right"):
        ax.spines[side].set_visible(False)
    heads = [s.stacked if upright else _stacked(s) for s in settings]
    ax.set_xticks(range(len(columns)), [*heads, "Private"], fontsize=8, rotation=90 * upright)
    ax.set_xlim(-0.25, len(columns) - 0.75)
    moved = _moved(colours)
    verb = "changes" if moved == 1 else "change"
    ax.set_title(f"{moved} of {top} {verb} place between boards", weight="bold")


def _stacked(setting: Setting) -> str:
    """Name and parameters in narrow lines: columns are narrow."""
    name, *parameters = setting.stacked.split("\n")
    name = name.replace("-", "-\n").replace("BayesBoot", "Bayes-\nBoot\n").replace(" ", "\n")
    lines = [name.replace("LadderBoot", "Ladder-\nBoot"), *parameters]
    return "\n".join(lines).replace(", ", "\n").replace("posterior odds ", "odds\n")


def _private(ax: Axes, private: pd.DataFrame, bounds: pd.DataFrame, colours) -> None:
    """The private place with its interval, a row per team, best first."""
    order = private.sort_values("slot").index
    for k, team in enumerate(order):
        row = bounds.loc[team]
        own = {"color": colours[team] if colours[team] != DOT else REFERENCE, "zorder": 2}
        ax.hlines(k, float(row["place_low"]), float(row["place_high"]), linewidth=2.4, **own)
        ax.plot([float(row["private_place"])], [k], marker="D", markersize=5, **own)
    ax.set_yticks(range(len(order)), [team_name(team, _TEAM) for team in order])
    ax.tick_params(axis="y", labelsize=8, length=0)
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.set_xlim(0, float(bounds["place_high"].max()) + 1)
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.grid(visible=True, axis="x")
    ax.set_xlabel("Private place,\n95\u00a0% interval")
    ax.set_title("Private places")


def replay_ranks_caption(
    standings: pd.DataFrame, intervals: pd.DataFrame, *, top: int = 10, **_: object
) -> str:
    """How to read the figure; parameters as `replay_ranks`."""
    columns, settings, bounds = _shown(standings, intervals, top)
    moved = _moved(_colours(columns))
    tied = any((held["shared"] > 1).any() for held in columns)
    hollow = " Hollow marks: teams that share a place, drawn one below the other." if tied else ""
    coloured = f" Coloured: the {counted(moved, 'team')} whose public place is not the same on all."
    number = len(columns[0])
    first = f"The first {counted(number, 'team')}" if number > 1 else "The first team"
    return (
        f"{first} on the board {settings[0].label}. Left: the "
        "place of each on every public board and (diamonds) by the private score of its submission "
        f"in force on the first.{coloured * (moved > 0)}{hollow} Right: the private place with its "
        f"95\u00a0% interval from {int(bounds['draws'].max()):,} bootstrap samples of the private "
        "rows; where bars overlap, other rows could have turned the order round."
        f"{told_apart(of_teams(standings), settings)}"
    )


def _shown(standings: pd.DataFrame, intervals: pd.DataFrame, top: int):
    """Places per board, the private ones last; boards; intervals by team."""
    require(standings, STANDINGS, kind=KIND)
    require(intervals, INTERVALS, kind=KIND)
    rows = of_teams(standings)
    settings = shown_settings(rows, _MOST)
    start = rows_of(rows, settings[0]).sort_values("place", kind="stable")
    first = start.set_index(start["team"].astype(str))["place"].astype(int).head(top)
    columns = [places_on(rows_of(rows, setting), "place", first) for setting in settings]
    columns.append(places_on(start, "private_place", first))
    bounds = rows_of(of_teams(intervals), settings[0])
    bounds = bounds.set_index(bounds["team"].astype(str)).reindex(first.index)
    return columns, settings, bounds
