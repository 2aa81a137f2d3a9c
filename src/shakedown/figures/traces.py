"""Every score that a board releases to one participant (Fig. 1, 3, 5)."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from shakedown.figures import panels
from shakedown.figures.selection import floats, only, require, rows_of, settings_of
from shakedown.figures.style import BAND, CHOSEN, DOT, INK, PAGE_WIDTH, REFERENCE, Setting, themed
from shakedown.interface import InputError
from shakedown.wording import YARDSTICKS, metric_axis

TRACES = (
    *panels.ONE_OF,
    *("mechanism", "alpha", "posterior_odds", "eta", "b", "replicate", "n_features"),
    *("iteration", "submission", "feature", "released", "selected"),
)

# Boards whose shown score moves only when a submission is accepted, and exactly then.
_EXACT = (
    "general_ladder",
    "simplified_ladder",
    "parameter_free_ladder",
    "ladder",
    "bayesboot_ladder",
)

# Beyond this number in a figure, dots go into the SVG as a picture: as shapes they would weigh
# megabytes.
_MANY = 2500


@themed
def traces(frame: pd.DataFrame, *, columns: int | None = None) -> Figure:
    """Released scores against submissions, one panel per mechanism and attack.

    Parameters
    ----------
    frame : DataFrame
        Traces of one replicate on one data set, design and metric.  Several attacks stand side by
        side, a column each.
    columns : int, optional
        Panels side by side, for one attack; by default 2 for Freedman's, 1 for one with
        iterations.

    Returns
    -------
    Figure
        The features that the attack took are marked: for Freedman's attack by dots and, where the
        board shows exact scores, with a line at the last jump; for an attack with iterations by a
        line in each of them.

    Raises
    ------
    InputError
        If a column or all rows are missing, the table mixes data sets, replicates or the like, or
        `columns` is less than 1.

    Notes
    -----
    The layout is that of Fig. 1, 3 and 5 of Chaibub Neto et al. (arXiv 1607.00091).
    """
    kind = "traces"
    require(frame, TRACES, kind=kind)
    metric = panels.one_of_each(frame, kind=kind, several=("attack", "board"))["metric"]
    for column in ("replicate", "n_features"):
        only(frame, column, kind=kind)
    if columns is not None and columns < 1:
        raise InputError(f"figure kind {kind!r}: columns must be at least 1, got {columns}.")
    parts = attacks_of(frame)
    shown = [(part, setting) for part in parts for setting in settings_of(part)]
    if len(parts) == 1:
        across = min(len(shown), columns or (1 if iterated(frame) else 2))
        down = math.ceil(len(shown) / across)
    else:
        across, down = len(parts), max(len(settings_of(part)) for part in parts)
    figure = Figure(figsize=(PAGE_WIDTH, 0.8 + 2.0 * down), layout="constrained")
    axes = figure.subplots(down, across, sharex="col", sharey=True, squeeze=False)
    # One attack is read along the rows, several down the columns.
    places = list(axes.flat if len(parts) == 1 else axes.T.flat)
    jumps = False
    for i, ax in enumerate(places):
        if i >= len(shown):
            ax.set_visible(False)
            continue
        part, setting = shown[i]
        rows = rows_of(part, setting).sort_values("submission")
        panels.reference_line(ax, "released", metric)
        if iterated(part):
            _iterations(ax, rows)
        else:
            jumps |= _jump(ax, rows, setting)
        _dots(ax, rows, mark=not iterated(part), as_picture=len(frame) > _MANY)
        ax.set_title(f"{panels.letter(i)}   {setting.label}")
        last = floats(part["submission"]).max()
        ax.set_xlim(-0.01 * last, 1.01 * last)
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(f"Released {metric_axis(metric)}")
        below = i + across >= len(shown) if len(parts) == 1 else ax.get_subplotspec().is_last_row()
        if below:
            ax.set_xlabel("Submission")
            ax.xaxis.set_tick_params(labelbottom=True)
    _legend(figure, parts, jumps=jumps, metric=metric)
    return figure


def attacks_of(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """The traces of each attack, those without iterations first."""
    names = frame["attack"].astype(str)
    parts = [frame[names == name] for name in dict.fromkeys(names)]
    return sorted(parts, key=iterated)


def iterated(frame: pd.DataFrame) -> bool:
    """Whether the attack of a trace goes in iterations."""
    return bool(frame["iteration"].notna().any())


def jump_of(rows: pd.DataFrame, setting: Setting) -> int | None:
    """Submission at which the shown score last changed, where that can be seen exactly.

    Parameters
    ----------
    rows : DataFrame
        Trace of one mechanism.
    setting : Setting
        The mechanism.

    Returns
    -------
    int or None
        1-based; None if the score never changed, or the board shows noise or every score.
    """
    if setting.mechanism not in _EXACT:
        return None
    ordered = rows.sort_values("submission")
    released = floats(ordered["released"])
    changed = np.flatnonzero(released[1:] != released[:-1]) + 1
    return int(floats(ordered["submission"])[changed[-1]]) if changed.size else None


def _dots(ax: Axes, rows: pd.DataFrame, *, mark: bool, as_picture: bool) -> None:
    released, submission = floats(rows["released"]), floats(rows["submission"])
    chosen = rows["selected"].fillna(False).to_numpy(dtype=bool)
    shown = np.isfinite(released)
    style = {"linestyle": "none", "marker": "o", "markeredgewidth": 0}
    ax.plot(
        submission[shown],
        released[shown],
        markersize=2.4,
        color=DOT,
        rasterized=as_picture,
        **style,
    )
    if mark:
        marked = shown & chosen
        ax.plot(submission[marked], released[marked], markersize=4.5, color=CHOSEN, **style)


def _jump(ax: Axes, rows: pd.DataFrame, setting: Setting) -> bool:
    jump = jump_of(rows, setting)
    if jump is not None:
        ax.axvline(jump, color=INK, linewidth=1.0, linestyle=(0, (1, 1)))
    return jump is not None


def _iterations(ax: Axes, rows: pd.DataFrame) -> None:
    for iteration, part in rows.groupby("iteration"):
        first, last = floats(part["submission"])[[0, -1]]
        shaded = int(iteration) % 2 == 0
        if shaded:
            ax.axvspan(first - 0.5, last + 0.5, color=BAND, linewidth=0, zorder=0)
        # Beside the top edge, in a mixed system: x of the data, y of the panel.
        ax.text(
            (first + last) / 2,
            0.97,
            f"{iteration:.0f}",
            transform=ax.get_xaxis_transform(),
            ha="center",
            va="top",
            fontsize=8,
            color=REFERENCE,
            zorder=3,
            # Lines may run behind a number, not through it.
            bbox={"facecolor": BAND if shaded else "white", "linewidth": 0, "pad": 1.2},
        )
    chosen = rows[rows["selected"].fillna(False).to_numpy(dtype=bool)]
    for submission in floats(chosen["submission"]):
        ax.axvline(submission, color=CHOSEN, linewidth=1.2, zorder=2.5)


def _legend(figure: Figure, parts: list[pd.DataFrame], *, jumps: bool, metric: str) -> None:
    dot = {"linestyle": "none", "marker": "o", "markeredgewidth": 0}
    handles = [Line2D([], [], color=DOT, markersize=3.5, label="released score", **dot)]
    iterative = [iterated(part) for part in parts]
    if not all(iterative):
        handles.append(
            Line2D([], [], color=CHOSEN, markersize=4.5, label="feature taken by the attack", **dot)
        )
    if any(iterative):
        handles.append(
            Line2D([], [], color=CHOSEN, linewidth=1.2, label="feature taken in the iteration")
        )
    if jumps:
        handles.append(Line2D([], [], color=INK, linestyle=(0, (1, 1)), label="last jump"))
    if metric in YARDSTICKS:
        _, meaning = YARDSTICKS[metric]
        handles.append(Line2D([], [], color=REFERENCE, linestyle=(0, (4, 2)), label=meaning))
    # More than four do not fit into one line of the page.
    columns = len(handles) if len(handles) <= 4 else 3
    figure.legend(handles=handles, loc="outside upper center", ncols=columns)
