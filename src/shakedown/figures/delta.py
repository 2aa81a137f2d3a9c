"""Overfitting as an attack grows, one panel per level of the test (Fig. 4, S2)."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from shakedown.figures import panels
from shakedown.figures.selection import require, settings_of
from shakedown.figures.style import PAGE_WIDTH, themed


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
    kind = "delta"
    require(frame, panels.OUTCOMES, kind=kind)
    metric = panels.one_of_each(frame, kind=kind)["metric"]
    settings = settings_of(frame)
    panels.check_one_b(settings, kind=kind)
    parameter = panels.column_parameter(settings, kind=kind)
    columns = panels.levels(settings, parameter)
    step, step_axis = panels.step_column(frame)
    steps = sorted(frame[step].dropna().unique())

    figure = Figure(figsize=(PAGE_WIDTH, 3.0), layout="constrained")
    axes = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
    for i, (ax, level) in enumerate(zip(axes, columns, strict=True)):
        panels.reference_line(ax, "delta", metric)
        shown = panels.in_panel(settings, **{parameter: level})
        panels.side_by_side(ax, frame, shown, step=step, steps=steps, value="delta")
        ax.set_title(f"{panels.letter(i)}   {panels.symbol(parameter, level)}")
        ax.set_xlabel(step_axis)
    axes[0].set_ylabel(panels.value_axis("delta", frame, metric))
    panels.explain(figure, settings, "delta")
    return figure
