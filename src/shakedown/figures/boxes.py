"""Public and final score, and Δ, as the final model grows (Fig. 2, S1, S6 to S10)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from shakedown.figures import panels
from shakedown.figures.boxart import FINAL_LOOK, PUBLIC_LOOK, draw_boxes, legend, mechanism_look
from shakedown.figures.selection import require, rows_of, settings_of
from shakedown.figures.style import PAGE_WIDTH, Setting, themed
from shakedown.interface import InputError
from shakedown.wording import design_name

LAYOUTS = ("rows", "compact")


@themed
def boxes(frame: pd.DataFrame, *, layout: str = "rows") -> Figure:
    """Box plots of the scores and of Δ against the size of the final model.

    Parameters
    ----------
    frame : DataFrame
        Outcomes of one data set, metric, attack and board; of one design, or in the layout "rows"
        of several.
    layout : {"rows", "compact"}
        "rows": one row per mechanism, scores on the left and Δ on the right; of several designs,
        one column per design, scores above and Δ below.
        "compact": scores alone, one panel per mechanism, levels of the test side by side.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If a column or all rows are missing, the table mixes data sets or the like, mechanisms with
        alpha and with posterior odds meet in the compact layout, or `layout` is not known.

    Notes
    -----
    "rows" follows Fig. 2, S1 and, for two designs, S8 of Chaibub Neto et al. (arXiv 1607.00091),
    "compact" S6, S7, S9 and S10.
    """
    kind = "boxes"
    if layout not in LAYOUTS:
        raise InputError(
            f"figure kind {kind!r}: layout must be one of {', '.join(LAYOUTS)}, got {layout!r}."
        )
    require(frame, panels.OUTCOMES, kind=kind)
    several = ("design",) if layout == "rows" else ()
    metric = panels.one_of_each(frame, kind=kind, several=several)["metric"]
    settings = settings_of(frame)
    step, step_axis = panels.step_column(frame)
    steps = sorted(frame[step].dropna().unique())
    rows = _rows if len(designs_of(frame)) == 1 else _columns
    place = rows if layout == "rows" else _compact
    figure = place(frame, settings, step, steps, metric)
    figure.get_layout_engine().set(w_pad=0.08)
    # The lowest panel of each column says what the x-axis is, also where the last row has gaps.
    lowest = {ax.get_subplotspec().colspan.start: ax for ax in figure.axes if ax.get_visible()}
    for ax in lowest.values():
        ax.set_xlabel(step_axis)
        ax.xaxis.set_tick_params(labelbottom=True)
    legend(figure, [PUBLIC_LOOK.swatch("Public score"), FINAL_LOOK.swatch("Final score")])
    return figure


def _rows(frame, settings: list[Setting], step: str, steps: list, metric: str) -> Figure:
    figure = Figure(figsize=(PAGE_WIDTH, 0.9 + 1.7 * len(settings)), layout="constrained")
    axes = figure.subplots(
        len(settings), 2, sharex=True, sharey="col", squeeze=False, width_ratios=[1.35, 1]
    )
    for i, setting in enumerate(settings):
        rows = rows_of(frame, setting)
        left, right = axes[i]
        _scores(left, rows, step, steps, metric)
        left.set_ylabel(panels.value_axis("scores", frame, metric))
        left.set_title(f"{panels.letter(2 * i)}   {setting.label}")
        _delta(right, rows, step, steps, metric, setting)
        right.set_ylabel(panels.value_axis("delta", frame, metric))
        right.set_title(panels.letter(2 * i + 1))
    return figure


def _columns(frame, settings: list[Setting], step: str, steps: list, metric: str) -> Figure:
    designs = designs_of(frame)
    across = len(designs)
    figure = Figure(figsize=(PAGE_WIDTH, 0.9 + 3.8 * len(settings)), layout="constrained")
    axes = figure.subplots(2 * len(settings), across, sharex=True, sharey="row", squeeze=False)
    for i, setting in enumerate(settings):
        for j, design in enumerate(designs):
            rows = rows_of(frame[frame["design"].astype(str) == design], setting)
            above, below = axes[2 * i : 2 * i + 2, j]
            _scores(above, rows, step, steps, metric)
            first = panels.letter(2 * i * across + j)
            above.set_title(f"{first}   {setting.stacked}\n{design_name(design)}")
            _delta(below, rows, step, steps, metric, setting)
            below.set_title(panels.letter((2 * i + 1) * across + j))
        axes[2 * i, 0].set_ylabel(panels.value_axis("scores", frame, metric))
        axes[2 * i + 1, 0].set_ylabel(panels.value_axis("delta", frame, metric))
    return figure


def _compact(frame, settings: list[Setting], step: str, steps: list, metric: str) -> Figure:
    parameter = panels.column_parameter(settings, kind="boxes")
    levels = panels.levels(settings, parameter)
    lines = list(dict.fromkeys((s.mechanism, s.eta, s.b) for s in settings))
    figure = Figure(figsize=(PAGE_WIDTH, 1.0 + 1.9 * len(lines)), layout="constrained")
    axes = figure.subplots(len(lines), len(levels), sharex=True, sharey=True, squeeze=False)
    used = 0
    for i, line in enumerate(lines):
        for ax in axes[i]:
            ax.set_visible(False)
        for setting in settings:
            if (setting.mechanism, setting.eta, setting.b) != line:
                continue
            level = getattr(setting, parameter)
            ax = axes[i, levels.index(level) if level in levels else 0]
            ax.set_visible(True)
            _scores(ax, rows_of(frame, setting), step, steps, metric)
            ax.set_title(f"{panels.letter(used)}   {setting.stacked}")
            used += 1
        axes[i, 0].set_ylabel(panels.value_axis("scores", frame, metric))
    return figure


def _scores(ax: Axes, rows: pd.DataFrame, step: str, steps: list, metric: str) -> None:
    panels.reference_line(ax, "scores", metric)
    groups = dict(list(rows.groupby(step)))
    for column, shift, look in (
        ("score_public", -0.2, PUBLIC_LOOK),
        ("score_final", 0.2, FINAL_LOOK),
    ):
        draw_boxes(
            ax,
            [_values(group[column]) for group in groups.values()],
            [steps.index(s) + shift for s in groups],
            width=0.36,
            look=look,
        )
    panels.number_steps(ax, steps)
    ax.yaxis.set_major_locator(MaxNLocator(6))


def _delta(
    ax: Axes, rows: pd.DataFrame, step: str, steps: list, metric: str, setting: Setting
) -> None:
    panels.reference_line(ax, "delta", metric)
    groups = dict(list(rows.groupby(step)["delta"]))
    draw_boxes(
        ax,
        [_values(group) for group in groups.values()],
        [steps.index(s) for s in groups],
        width=0.7,
        look=mechanism_look(setting.mechanism),
    )
    panels.number_steps(ax, steps)
    ax.yaxis.set_major_locator(MaxNLocator(6))


def designs_of(frame: pd.DataFrame) -> list[str]:
    """The designs of a table, in the order of its rows."""
    return list(dict.fromkeys(frame["design"].astype(str)))


def _values(column: pd.Series) -> np.ndarray:
    return column.to_numpy(dtype=float, na_value=np.nan)
