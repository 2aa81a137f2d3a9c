"""Distributions over replicates in a grid of panels: boxes, or medians with their 50 % band."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.legend_handler import HandlerTuple
from matplotlib.ticker import MaxNLocator

from shakedown.figures import captions, facets, panels
from shakedown.figures.kind import Picture
from shakedown.figures.style import CHOSEN, Look
from shakedown.wording import signed

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from pandas.core.groupby import SeriesGroupBy

#: So many positions are drawn as boxes; those of more would be a few pixels wide.
MOST_BOXES = 12


class PanelPart(NamedTuple):
    """Some rows in a panel of a grid, and what is shown of them."""

    row: str
    column: str
    title: str
    rows: pd.DataFrame
    value: str  # "scores", "delta" or "score_public"
    series: Mapping[str, str]  # names in the legend, by the column of the values


def draw_spread(
    rows: pd.DataFrame,
    parts: Iterable[PanelPart],
    looks: Mapping[str, Look],
    *,
    x: str = "point",
    x_label: str | None = None,
    row_height: float,
    sharey: bool | str = True,
    threshold: float | None = None,
) -> Picture:
    """Draw a grid of panels with boxes, or medians and the band between the quartiles.

    Parameters
    ----------
    rows : DataFrame
        All that is shown, of one metric.
    parts : iterable of PanelPart
        Rows and columns of panels stand in the order in which they come.
    looks : mapping of str to Look
        Of each series.
    x : str
        Column whose values stand along the x-axis.
    row_height : float
        Inches.
    threshold : float, optional
        Where another line is drawn.

    Returns
    -------
    Picture
        The caption says what Δ is, the data, and what the marks are.
    """
    metric, positions = panels.metric_of(rows), sorted(rows[x].unique())
    boxes = len(positions) <= MOST_BOXES
    at = range(len(positions)) if boxes else positions
    cells: dict[tuple[str, str], list[PanelPart]] = {}
    for part in parts:
        cells.setdefault((part.row, part.column), []).append(part)
    row_order = list(dict.fromkeys(row for row, _ in cells))
    by_row = sorted(cells, key=lambda place: row_order.index(place[0]))
    titles = [
        f"{panels.letter(by_row.index(place))}   {cell[0].title}" for place, cell in cells.items()
    ]
    figure, axes = facets.panels(
        titles,
        x_label or panels.point_axis(rows),
        height=row_height,
        places=[*cells],
        sharey=sharey,
    )
    handles = {}
    for ax, cell in zip(axes, cells.values(), strict=True):
        series = [(name, part.rows, c) for part in cell for c, name in part.series.items()]
        # Boxes of several series stand side by side.
        names = [name for name, _, _ in series] if len(series) == 1 else list(looks)
        for name, own, column in series:
            values = own.assign(value=own[column].astype(float)).groupby(x)["value"]
            if boxes:
                width = 0.8 / len(names)
                shift = width * (names.index(name) - (len(names) - 1) / 2)
                places = np.array([positions.index(k) for k in values.groups]) + shift
                handles[name] = _draw_boxes(ax, places, values, looks[name], width)
            else:
                handles[name] = _draw_line(ax, values, looks[name])
        # Ticks at round numbers, so that 0 and 1 are among them.
        ax.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        if ax.get_subplotspec().is_first_col() or sharey == "col":
            ax.set_ylabel(panels.value_axis(cell[0].value, metric))
        # Few steps are all numbered, of many 1, 5, 10, ...
        steps = [i for i, s in enumerate(positions) if boxes or s == 1 or s % 5 == 0]
        ax.set_xticks([at[i] for i in steps], [f"{positions[i]:,.0f}" for i in steps])
        ax.set_xlim(min(at) - 0.6, max(at) + 0.6)
    shown = {ax: cell[0].value for ax, cell in zip(axes, cells.values(), strict=True)}
    line_keys, line_words = panels.draw_references(shown, metric)
    keys = [*((handles[name], name) for name in looks), *line_keys]
    if threshold is not None:
        for ax in axes:
            line = ax.axhline(threshold, color=CHOSEN, linewidth=1.2, zorder=1.6)
        keys.append((line, f"threshold ({signed(threshold)})"))
    # More than four keys do not fit into one line of the page.
    figure.legend(
        *zip(*keys, strict=True), loc="outside upper center",
        ncols=len(keys) if len(keys) <= 4 else 3,
        handler_map={tuple: HandlerTuple(ndivide=1, pad=0)},
    )  # fmt: skip
    text = [
        *([captions.meaning(metric)] if "delta" in shown.values() else []),
        captions.data_of_spread(rows, boxes=boxes),
        *line_words,
    ]
    return Picture(figure, " ".join(text))


def _draw_boxes(
    ax: Axes, places: np.ndarray, values: SeriesGroupBy, look: Look, width: float
) -> Artist:
    """Draw a box of each group at its place; what stands for them in a legend."""
    stroke = {"linewidth": 0.7, "solid_capstyle": "butt"}
    box = {"facecolor": look.face, "edgecolor": look.edge, "linewidth": 0.7}
    return ax.boxplot(
        [group.dropna() for _, group in values], positions=places, widths=0.9 * width, whis=1.5,
        showfliers=False, showcaps=False, patch_artist=True, manage_ticks=False, boxprops=box,
        whiskerprops=stroke | {"color": look.edge},
        medianprops=stroke | {"color": look.median, "linewidth": 1.2},
    )["boxes"][0]  # fmt: skip


def _draw_line(ax: Axes, values: SeriesGroupBy, look: Look) -> tuple[Artist, Artist]:
    """Draw the medians of groups and the band between the quartiles; what stands for them."""
    quartiles = values.quantile([0.25, 0.5, 0.75]).unstack()
    dashes = look.dashes or (None, None)
    (line,) = ax.plot(
        quartiles.index, quartiles[0.5], color=look.line, dashes=dashes, linewidth=1.3
    )
    band = {"color": look.line, "alpha": 0.2, "linewidth": 0}
    return ax.fill_between(quartiles.index, quartiles[0.25], quartiles[0.75], **band), line
