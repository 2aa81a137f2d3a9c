"""Overfitting as an attack grows, one panel per level of the test (Fig. 4, S2)."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from shakedown.figures import panels
from shakedown.figures.selection import require, settings_of
from shakedown.figures.style import PAGE_WIDTH, Setting, themed


@themed
def delta(frame: pd.DataFrame) -> Figure:
    """Box plots of Δ against the iterations of an attack.

    Parameters
    ----------
    frame : DataFrame
        Outcomes of one data set, design, metric, attack and board.  Each mechanism may come with
        one value of b.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If a column or all rows are missing, the table mixes data sets or the like or several b, or
        mechanisms with alpha and with posterior odds meet.

    Notes
    -----
    The layout is that of Fig. 4 and S2 of Chaibub Neto et al. (arXiv 1607.00091).
    """
    require(frame, panels.OUTCOMES, kind="delta")
    step, step_axis = panels.step_column(frame)
    figure, settings = by_level(frame, step, step_axis, kind="delta", height=3.0)
    panels.explain(figure, settings, "delta")
    return figure


def by_level(
    frame: pd.DataFrame, step: str, step_axis: str, *, kind: str, height: float
) -> tuple[Figure, list[Setting]]:
    """Box plots of Δ against a column of steps, in a row of panels: one per level of the test.

    Parameters
    ----------
    frame : DataFrame
        As for `delta`, with the column `step`.
    step : str
    step_axis : str
        What the axis of the steps says.
    kind : str
        Kind of figure, for the messages.
    height : float
        Inches.

    Returns
    -------
    figure : Figure
        Still without a legend.
    settings : list of Setting
        The mechanisms in it.

    Raises
    ------
    InputError
        As `delta`, but for missing columns and rows.
    """
    metric = panels.one_of_each(frame, kind=kind)["metric"]
    settings = settings_of(frame)
    panels.check_one_b(settings, kind=kind)
    parameter = panels.column_parameter(settings, kind=kind)
    columns = panels.levels(settings, parameter)
    steps = sorted(frame[step].dropna().unique())

    figure = Figure(figsize=(PAGE_WIDTH, height), layout="constrained")
    axes = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
    for i, (ax, level) in enumerate(zip(axes, columns, strict=True)):
        panels.reference_line(ax, "delta", metric)
        shown = panels.in_panel(settings, **{parameter: level})
        panels.side_by_side(ax, frame, shown, step=step, steps=steps, value="delta")
        ax.set_title(f"{panels.letter(i)}   {panels.symbol(parameter, level)}")
        ax.set_xlabel(step_axis)
    axes[0].set_ylabel(panels.value_axis("delta", frame, metric))
    return figure, settings
