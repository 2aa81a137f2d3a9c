"""Mechanisms side by side in panels: levels of a test across, noise of the release down."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from shakedown.figures import captions, panels, spread
from shakedown.figures.roles import Roles
from shakedown.figures.selection import rows_of, settings_in
from shakedown.figures.style import CHOSEN, look_of
from shakedown.wording import signed

SCORES = {"score_public": ", public", "score_final": ", final"}


def draw_compared(
    rows: pd.DataFrame,
    *,
    kind: str,
    value: str = "delta",
    x: str = "point",
    x_label: str | None = None,
    by_noise: bool = False,
    row_height: float = 1.75,
    threshold: float | None = None,
) -> tuple[Figure, str]:
    """Draw a panel for each level of the test, and for each noise, its settings side by side.

    Parameters
    ----------
    value : {"delta", "score_public", "scores"}
        "scores" draws the public score filled and the final score hollow.
    x : str
        Column whose values stand along the x-axis.
    by_noise : bool
        Whether there may be several values of the noise, in rows of panels.
    threshold : float, optional
        Where another line is drawn.

    Returns
    -------
    figure : Figure
    caption : str
        The data, what repeats, and what boxes and lines are.

    Raises
    ------
    InputError
        If the settings cannot share a grid.
    """
    metric = panels.metric_of(rows)
    roles = Roles(settings_in(rows), kind=kind)
    if not by_noise:
        roles.check_one_noise()
    columns = SCORES if value == "scores" else {value: ""}
    boxes, parts, looks = spread.has_boxes(rows, x), [], {}
    for row, column, setting in roles.panels():
        for name, words in columns.items():
            series = f"{roles.series(setting)}{words}"
            looks[series] = look_of(
                setting, variant=roles.variant(setting), hollow=name == "score_final"
            )
            part = rows_of(rows, setting)
            place = {"row": row * by_noise, "column": column, "title": column}
            parts.append(spread.long(part, x, {name: series}, boxes=boxes, **place))
    grid = spread.draw_spread(pd.concat(parts), x, looks)
    lines = panels.references([value], metric)
    keys = [*spread.keys(looks, boxes=boxes), *panels.reference_keys(lines)]
    for ax in grid.axes.flat:
        panels.reference_line(ax, value, metric)
        if threshold is not None:
            ax.axhline(threshold, color=CHOSEN, linewidth=1.2, zorder=1.6)
    if threshold is not None:
        line = Line2D([], [], color=CHOSEN, linewidth=1.2)
        keys.append((line, f"threshold ({signed(threshold)})"))
    for ax in grid.axes[:, 0]:
        ax.set_ylabel(panels.value_axis(value, metric))
    figure = spread.finish(
        grid, keys, x_label=x_label or panels.point_axis(rows), row_height=row_height
    )
    noise = by_noise and roles.noise
    text = [
        *([f"A mechanism without {noise} is repeated in each row of panels."] if noise else []),
        *([captions.meaning(metric)] if value == "delta" else []),
        captions.data_of_spread(rows, boxes=boxes),
        *captions.dashed(lines),
    ]
    return figure, " ".join(text)
