"""Ladder against LadderBoot over all combinations of the test's level and b (Fig. 6, S3 to S5)."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from shakedown.figures import panels
from shakedown.figures.selection import require, settings_of
from shakedown.figures.style import PAGE_WIDTH, themed


@themed
def grid(frame: pd.DataFrame, *, value: str = "delta") -> Figure:
    """Box plots in panels: level of the test (columns) by bootstrap replications b (rows).

    A mechanism without a level, or without b, stands in each panel of the row or column.

    Parameters
    ----------
    frame : DataFrame
        Outcomes of one data set, design, metric, attack and board.
    value : {"delta", "score_public", "scores"}
        Δ; the public score; or the public (filled) and the final score (hollow).

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If a column or all rows are missing, the table mixes data sets or the like, mechanisms with
        alpha and with posterior odds meet, or `value` is not known.

    Notes
    -----
    The layout is that of Fig. 6 and S3 to S5 of Chaibub Neto et al. (arXiv 1607.00091).
    """
    kind = "grid"
    panels.check_value(value, kind=kind)
    require(frame, panels.OUTCOMES, kind=kind)
    metric = panels.one_of_each(frame, kind=kind)["metric"]
    settings = settings_of(frame)
    parameter = panels.column_parameter(settings, kind=kind)
    columns, rows = panels.levels(settings, parameter), panels.levels(settings, "b")
    step, step_axis = panels.step_column(frame)
    steps = sorted(frame[step].dropna().unique())

    figure = Figure(figsize=(PAGE_WIDTH, 0.9 + 1.75 * len(rows)), layout="constrained")
    axes = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    for i, b in enumerate(rows):
        for j, level in enumerate(columns):
            ax = axes[i, j]
            panels.reference_line(ax, value, metric)
            shown = panels.in_panel(settings, **{parameter: level}, b=b)
            panels.side_by_side(ax, frame, shown, step=step, steps=steps, value=value)
            names = [panels.symbol(parameter, level), panels.symbol("b", b)]
            title = ", ".join(name for name in names if name)
            ax.set_title(f"{panels.letter(i * len(columns) + j)}   {title}")
        axes[i, 0].set_ylabel(panels.value_axis(value, frame, metric))
    for ax in axes[-1]:
        ax.set_xlabel(step_axis)
    panels.explain(figure, settings, value)
    return figure
