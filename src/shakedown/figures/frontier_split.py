"""How an attacker best spends a number of submissions: few rounds over many features, or many."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from shakedown.figures.selection import floats, only, require, rows_of, settings_of
from shakedown.figures.setting_panels import head, name_axes, of_threat, panel_per_setting
from shakedown.figures.style import DOT, INK, NARROW, PAGE_WIDTH, REFERENCE, themed
from shakedown.outcomes import MECHANISM, STRONGEST
from shakedown.wording import attack_name, listed

SPLIT = (
    *("dataset", "metric", *MECHANISM, "threat", "submissions"),
    *("attack", "board", "n_features", "iterations"),
)
KIND = "frontier_split"

# By attack and board: name, marker, face and edge; apart in grey by shape and filling.
_WAYS = {
    ("step_forward", "fresh"): ("step-forward on a new board for each round", "o", "#0072B2", INK),
    ("step_forward", "carried_on"): ("step-forward on one board", "o", "white", "#0072B2"),
    ("freedman", None): ("Freedman's attack", "s", "#E69F00", INK),
    ("best_of_many", None): ("best of many models", "^", "white", INK),
}
_GUIDES = (10, 100, 1000)


@themed
def frontier_split(
    frontier: pd.DataFrame, *, threat: str = STRONGEST, width: float = PAGE_WIDTH
) -> Figure:
    """The attacker's best choice for each number of submissions, a panel for each setting.

    Parameters
    ----------
    frontier : DataFrame
        Columns dataset, metric, mechanism, alpha, posterior_odds, eta, b, threat, submissions,
        attack, board, n_features, iterations; of one data set.
    threat : str
        The kind of participant.
    width : float
        Inches; below 5 the layout is one for phones.

    Returns
    -------
    Figure
        Rounds against submissions, both logarithmic: a point on the same slanting line tries the
        same number of features in each round.

    Raises
    ------
    InputError
        If a column or all rows are missing, data sets or metrics are mixed, or there is no such
        threat.
    """
    rows = _chosen(frontier, threat)
    figure, panels = panel_per_setting(settings_of(rows), width=width, height=1.2)
    first, last = (float(f(floats(rows["submissions"]))) for f in (np.min, np.max))
    most = max(5.0, float(rounds(rows).max()))
    for setting, ax in panels.items():
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlim(first / 1.3, last * 1.3)
        ax.set_ylim(0.75, most * 2)
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ticks = [t for t in (1, 2, 5, 10, 20, 50) if t <= most * 1.5]
        ax.yaxis.set_major_locator(FixedLocator(ticks))
        ax.yaxis.set_minor_locator(NullLocator())
        ax.yaxis.set_major_formatter("{x:.0f}")
        head(ax, setting)
        _guides(ax, most, last, named=width >= NARROW and ax is next(iter(panels.values())))
        mine = rows_of(rows, setting)
        for way, part in mine.groupby(ways(mine), sort=False):
            ax.plot(floats(part["submissions"]), rounds(part), **_style(way))
    name_axes(panels.values(), "Submissions", "Rounds")
    handles = [Line2D([], [], label=_look(way)[0], **_style(way)) for way in _shown(rows)]
    figure.legend(handles=handles, loc="outside upper center", ncols=1 if width < NARROW else 2)
    return figure


def frontier_split_caption(frontier: pd.DataFrame, *, threat: str = STRONGEST, **_: object) -> str:
    """How to read the figure; parameters as `frontier_split`."""
    rows = _chosen(frontier, threat)
    shown = [_look(way)[0] for way in _shown(rows)]
    return (
        "What looked best for an attacker with the number of submissions on the axis, among "
        f"everything that was tried ({listed(shown)}). Rounds: how many features the attacker "
        "takes one after another, each the one that did best in a round of submissions; Freedman's "
        "attack and the best of many models have one round. Slanting lines: the same number of "
        "features tried in each round. Neighbouring choices are often about as good."
    )


def _chosen(frontier: pd.DataFrame, threat: str) -> pd.DataFrame:
    require(frontier, SPLIT, kind=KIND)
    rows = of_threat(frontier, threat, kind=KIND)
    for column in ("dataset", "metric"):
        only(rows, column, kind=KIND)
    return rows


def rounds(rows: pd.DataFrame) -> np.ndarray:
    """Rounds of each choice, 1 for attacks that have none; shape (m,)."""
    stepwise = (rows["attack"] == "step_forward").to_numpy(dtype=bool)
    return np.where(stepwise, np.nan_to_num(floats(rows["iterations"]), nan=1.0), 1.0)


def ways(rows: pd.DataFrame) -> pd.Series:
    """Attack of each choice, with its board where that makes a difference."""
    pairs = [
        (str(attack), str(board) if str(attack) == "step_forward" else None)
        for attack, board in zip(rows["attack"], rows["board"], strict=True)
    ]
    return pd.Series(pairs, index=rows.index)


def _shown(rows: pd.DataFrame) -> list[tuple[str, str | None]]:
    there = list(dict.fromkeys(ways(rows)))
    return [way for way in _WAYS if way in there] + [way for way in there if way not in _WAYS]


def _look(way: tuple[str, str | None]) -> tuple[str, str, str, str]:
    return _WAYS.get(way, (attack_name(way[0]), "X", "white", INK))


def _style(way: tuple[str, str | None]) -> dict:
    _, marker, face, edge = _look(way)
    return {
        "linestyle": "none",
        "marker": marker,
        "markersize": 5,
        "markerfacecolor": face,
        "markeredgecolor": edge,
        "markeredgewidth": 0.9,
    }


def _guides(ax: Axes, most: float, last: float, *, named: bool) -> None:
    for features in _GUIDES:
        taken = np.arange(1, int(min(most, features)) + 1)
        made = features * taken - taken * (taken - 1) / 2  # one feature fewer in each round
        inside = made <= last
        if not inside.any():
            continue
        made, taken = made[inside], taken[inside]
        ax.plot(made, taken, color=DOT, linewidth=0.8, zorder=1.2)
        ax.annotate(
            f"{features:,} features" if named else f"{features:,}",
            (made[-1], taken[-1]),
            xytext=(-1, 2),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=8,
            color=REFERENCE,
        )
