"""Panels of box plots in which mechanisms stand side by side, shared by several kinds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from shakedown.figures.boxart import draw_boxes, legend, mechanism_look
from shakedown.figures.selection import only, rows_of
from shakedown.figures.style import REFERENCE, Setting
from shakedown.interface import InputError
from shakedown.wording import YARDSTICKS, delta_axis, larger_is_better, metric_axis

#: The columns of the outcome table that must not be mixed in one figure.
ONE_OF = ("dataset", "design", "metric", "attack", "board")

#: The columns that every kind made of outcomes needs.
OUTCOMES = (
    *ONE_OF,
    *("mechanism", "alpha", "posterior_odds", "eta", "b", "replicate"),
    *("n_features", "n_selected", "iterations", "submissions"),
    *("score_public", "score_final", "delta"),
)

#: What a panel can show, and which columns that is.
VALUES = {
    "delta": ("delta",),
    "score_public": ("score_public",),
    "scores": ("score_public", "score_final"),
}


def one_of_each(
    frame: pd.DataFrame, *, kind: str, several: Sequence[str] = ()
) -> dict[str, str | None]:
    """The data set, design, metric, attack and board of a figure.

    Parameters
    ----------
    frame : DataFrame
    kind : str
        Kind of figure, for the messages.
    several : sequence of str
        Columns that may be mixed, and are left out.

    Raises
    ------
    InputError
        If the table mixes several.
    """
    return {column: only(frame, column, kind=kind) for column in ONE_OF if column not in several}


def step_column(frame: pd.DataFrame) -> tuple[str, str]:
    """The column along which an attack grows, and what the axis says.

    Step-forward attacks grow by iterations, others by the features of the final model.
    """
    if frame["iterations"].notna().any():
        return "iterations", "Iterations of the attack"
    return "n_selected", "Features in the final model (k)"


def value_axis(value: str, frame: pd.DataFrame, metric: str) -> str:
    """What the axis of a value says."""
    if value == "delta":
        return delta_axis(metric, larger_is_better(frame))
    return metric_axis(metric)


def check_value(value: str, *, kind: str) -> None:
    """Check the name of what is to be shown.

    Raises
    ------
    InputError
        If it is not one of `VALUES`.
    """
    if value not in VALUES:
        raise InputError(
            f"figure kind {kind!r}: value must be one of {', '.join(sorted(VALUES))}, "
            f"got {value!r}."
        )


def column_parameter(settings: Sequence[Setting], *, kind: str) -> str:
    """The parameter whose values make the columns of panels: alpha or posterior_odds.

    Raises
    ------
    InputError
        If some mechanisms have the one and some the other.
    """
    has = [
        p for p in ("alpha", "posterior_odds") if any(getattr(s, p) is not None for s in settings)
    ]
    if len(has) > 1:
        raise InputError(
            f"figure kind {kind!r}: its panels follow either alpha or posterior_odds, but the "
            "mechanisms have both. Choose mechanisms of one family, such as "
            "mechanism: [ladder, ladderboot]."
        )
    return has[0] if has else "alpha"


def check_one_b(settings: Sequence[Setting], *, kind: str) -> None:
    """Check that a mechanism does not come with several b where only one can be shown.

    Raises
    ------
    InputError
        If one does.
    """
    values = levels(settings, "b")
    if len(values) > 1:
        raise InputError(
            f"figure kind {kind!r} shows one b at a time, got {', '.join(map(str, values))}. "
            f"Choose one in the figure's entry, such as b: {values[0]}, or take the kind 'grid'."
        )


def levels(settings: Sequence[Setting], parameter: str) -> list[float | None]:
    """Values of a parameter in the order in which panels show them; [None] if there is none.

    Tests go from strict to loose, b from large to small.
    """
    values = {getattr(s, parameter) for s in settings} - {None}
    return sorted(values, reverse=parameter != "alpha") or [None]


def in_panel(settings: Sequence[Setting], **wanted: float | None) -> list[Setting]:
    """The mechanisms that belong in a panel: those without a parameter belong in all."""
    return [
        s
        for s in settings
        if all(v is None or getattr(s, p) in (None, v) for p, v in wanted.items())
    ]


def side_by_side(
    ax: Axes,
    frame: pd.DataFrame,
    settings: Sequence[Setting],
    *,
    step: str,
    steps: Sequence[float],
    value: str,
) -> None:
    """Box plots of several mechanisms next to each other, for each step of an attack.

    Parameters
    ----------
    ax : Axes
    frame : DataFrame
        Outcomes.
    settings : sequence of Setting
        The mechanisms, from left to right.
    step : str
        Column whose values stand along the x-axis.
    steps : sequence
        Those values; they are set at 0, 1, 2, ...
    value : {"delta", "score_public", "scores"}
        "scores" draws the public score filled and the final score hollow.
    """
    columns = VALUES[value]
    slots = len(settings) * len(columns)
    room = 0.84 / slots
    for i, setting in enumerate(settings):
        groups = dict(list(rows_of(frame, setting).groupby(step)))
        for j, column in enumerate(columns):
            offset = (i * len(columns) + j - (slots - 1) / 2) * room
            at = [k for k, s in enumerate(steps) if s in groups]
            draw_boxes(
                ax,
                [groups[steps[k]][column].to_numpy(dtype=float, na_value=np.nan) for k in at],
                [k + offset for k in at],
                width=min(room * 0.86, 0.5),
                look=mechanism_look(setting.mechanism, hollow=j == 1),
            )
    number_steps(ax, steps)


def number_steps(ax: Axes, steps: Sequence[float], *, at: Sequence[float] | None = None) -> None:
    """Number the steps along the x-axis: all of them when few, else 1, 5, 10, ..."""
    at = range(len(steps)) if at is None else at
    few = len(steps) <= 12
    shown = [(x, s) for x, s in zip(at, steps, strict=True) if few or s == 1 or s % 5 == 0]
    ax.xaxis.set_major_locator(FixedLocator([x for x, _ in shown]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticklabels([f"{s:,.0f}" for _, s in shown])
    ax.set_xlim(min(at) - 0.6, max(at) + 0.6)
    ax.grid(visible=False, axis="x")


def reference_line(ax: Axes, value: str, metric: str) -> None:
    """A line at Δ = 0, or across scores at the metric's yardstick where it has one."""
    at = 0.0 if value == "delta" else YARDSTICKS.get(metric, (None, ""))[0]
    if at is not None:
        ax.axhline(at, color=REFERENCE, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1.5)


def explain(figure: Figure, settings: Sequence[Setting], value: str, *lines: Line2D) -> None:
    """Legend of the mechanisms in a figure, and of what else is drawn."""
    swatches: list[tuple[Artist | tuple[Artist, ...], str]] = []
    for name in dict.fromkeys(s.mechanism for s in settings):
        # Where all have the same b, the legend says it; else the titles of the panels do.
        b = {s.b for s in settings if s.mechanism == name}
        shown = Setting(name, b=b.pop() if len(b) == 1 else None).label
        if value == "scores":
            swatches.append(mechanism_look(name).swatch(f"{shown}, public"))
            swatches.append(mechanism_look(name, hollow=True).swatch(f"{shown}, final"))
        else:
            swatches.append(mechanism_look(name).swatch(shown))
    legend(figure, [*swatches, *((line, line.get_label()) for line in lines)])


def letter(i: int) -> str:
    """Letter of the i-th panel: a, b, ..., z, aa, ab, ..."""
    return (letter(i // 26 - 1) if i >= 26 else "") + "abcdefghijklmnopqrstuvwxyz"[i % 26]


def symbol(parameter: str, value: float | None) -> str:
    """A parameter with its value, such as "α = 0.15"; empty for None."""
    if value is None:
        return ""
    return {
        "alpha": f"α = {value:g}",
        "posterior_odds": f"posterior odds ≥ {value:g}",
        "b": f"b = {value:,}",
    }[parameter]
