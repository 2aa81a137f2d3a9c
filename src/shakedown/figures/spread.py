"""Distributions over replicates in a grid of panels: boxes, or medians with their 50 % band."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    from matplotlib.figure import Figure
    from pandas.core.groupby import SeriesGroupBy

    from shakedown.metrics import Metric

#: So many positions are drawn as boxes; those of more would be a few pixels wide.
MOST_BOXES = 12


class PanelPart(NamedTuple):
    """Some rows in a panel of a grid, and what is shown of them."""

    row: str
    column: str
    title: str | None  # None: not numbered, as it belongs to the panel above
    rows: pd.DataFrame
    value: str  # "scores", "delta" or "score_public"
    series: Mapping[str, str]  # names in the legend, by the column of the values


class XAxis(NamedTuple):
    """The positions along the x-axis: of boxes, or of points of a line."""

    column: str
    positions: list
    is_boxes: bool

    @classmethod
    def of(cls, rows: pd.DataFrame, column: str) -> XAxis:
        """That of a column of values."""
        positions = sorted(rows[column].unique())
        return cls(column, positions, len(positions) <= MOST_BOXES)

    def places(self, values: Iterable) -> np.ndarray:
        """Where boxes stand: at 0, 1, 2, ... in the order of the positions."""
        return np.array([self.positions.index(value) for value in values])

    def draw_ticks(self, ax: Axes) -> None:
        """Number all of few positions, and 1, 5, 10, ... of many."""
        at = range(len(self.positions)) if self.is_boxes else self.positions
        steps = [i for i, s in enumerate(self.positions) if self.is_boxes or s == 1 or s % 5 == 0]
        ax.set_xticks([at[i] for i in steps], [f"{self.positions[i]:,.0f}" for i in steps])
        ax.set_xlim(min(at) - 0.6, max(at) + 0.6)


def draw_spread(
    rows: pd.DataFrame,
    parts: Iterable[PanelPart],
    looks: Mapping[str, Look],
    *,
    x: str = "point",
    x_label: str | None = None,
    row_height: float,
    sharey: bool | str = True,
    ratios: Mapping[str, float] | None = None,
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
    sharey : bool or str
        As for `facets.panels`; "value" for one scale for each value.
    ratios : mapping of str to float, optional
        Relative heights of rows, by the value that they show.
    threshold : float, optional
        Where another line is drawn.

    Returns
    -------
    Picture
        The caption says the data and what the marks are, and what Δ is if no axis does.
    """
    metric, along = panels.metric_of(rows), XAxis.of(rows, x)
    cells: dict[tuple[str, str], list[PanelPart]] = {}
    for part in parts:
        cells.setdefault((part.row, part.column), []).append(part)
    values = {row: cell[0].value for (row, _), cell in cells.items()}
    figure, axes = facets.panels(
        _titles(cells),
        x_label or panels.point_axis(rows),
        height=row_height,
        places=[*cells],
        sharey=sharey != "value" and sharey,
        ratios=ratios and [ratios[value] for value in values.values()],
    )
    if sharey == "value":
        _share_by([cell[0].value for cell in cells.values()], axes)
    handles = {}
    for ax, cell in zip(axes, cells.values(), strict=True):
        handles |= _draw_cell(ax, cell, along, looks)
        along.draw_ticks(ax)
        ax.margins(y=0.08)
        # Ticks at round numbers, so that 0 and 1 are among them.
        ax.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    shown = {ax: cell[0].value for ax, cell in zip(axes, cells.values(), strict=True)}
    _name_values(figure, shown, metric, low=ratios is not None)
    line_keys, line_words = panels.draw_references(shown, metric)
    # One series needs no key, unless its name has parameters that no title has.
    keyed = [name for name in looks if len(looks) > 1 or "(" in name or threshold is not None]
    keys = [*((handles[name], name) for name in keyed), *line_keys]
    if threshold is not None:
        keys.append((_draw_threshold(axes, threshold), f"threshold ({signed(threshold)})"))
    # More than four keys do not fit into one line of the page.
    if len(keys) > 1:
        figure.legend(
            *zip(*keys, strict=True), loc="outside upper center",
            ncols=len(keys) if len(keys) <= 4 else 3,
            handler_map={tuple: HandlerTuple(ndivide=1, pad=0)},
        )  # fmt: skip
        if [name for _, name in line_keys] == ["Δ = 0"]:
            line_words = []  # the legend says it
    text = [
        # Where the axis has no room for it.
        *([captions.meaning(metric)] if ratios is not None else []),
        captions.data_of_spread(rows, boxes=along.is_boxes),
        *line_words,
    ]
    return Picture(figure, " ".join(text))


def _titles(cells: Mapping[tuple[str, str], list[PanelPart]]) -> list[str]:
    """The titles of panels, with letters from left to right and from top to bottom."""
    row_order = list(dict.fromkeys(row for row, _ in cells))
    numbered = [place for place, cell in cells.items() if cell[0].title is not None]
    by_row = sorted(numbered, key=lambda place: row_order.index(place[0]))
    return [
        f"{panels.letter(by_row.index(place))}   {cell[0].title}" if place in by_row else ""
        for place, cell in cells.items()
    ]


def _name_values(figure: Figure, shown: Mapping[Axes, str], metric: Metric, *, low: bool) -> None:
    """Say what the y-axes show: once for all panels, or once for each column or each row."""
    if low:  # no room for more than a word beside each row
        for ax, value in shown.items():
            if ax.get_subplotspec().is_first_col():
                ax.set_ylabel(metric.delta_name if value == "delta" else metric.short)
        figure.align_ylabels()
        return
    if len(set(shown.values())) == 1:
        figure.supylabel(
            panels.value_axis(next(iter(shown.values())), metric), fontsize=8.5, linespacing=1.3
        )
        return
    by_column: dict[int, list[Axes]] = {}
    for ax in shown:
        by_column.setdefault(ax.get_subplotspec().colspan.start, []).append(ax)
    if all(len({shown[ax] for ax in column}) == 1 for column in by_column.values()):
        for column in by_column.values():
            # In the middle of the column; near the gap below if their number is even.  Further
            # down, the layout would widen the gap.
            middle = column[(len(column) - 1) // 2]
            y = 0.5 if len(column) % 2 else 0.2
            middle.set_ylabel(panels.value_axis(shown[middle], metric), y=y)
        return
    for ax in by_column[0]:
        ax.set_ylabel(panels.value_axis(shown[ax], metric))


def _share_by(values: Sequence[str], axes: Sequence[Axes]) -> None:
    """Give the panels of each value one scale, whose numbers stand at the left alone."""
    for ax, value in zip(axes, values, strict=True):
        first = axes[values.index(value)]
        if ax is not first:
            ax.sharey(first)
        ax.tick_params(labelleft=ax.get_subplotspec().is_first_col())


def _draw_cell(
    ax: Axes, cell: Sequence[PanelPart], along: XAxis, looks: Mapping[str, Look]
) -> dict[str, Artist | tuple[Artist, Artist]]:
    """Draw the series of a panel; what stands for each in the legend, by its name."""
    series = [(name, part.rows, column) for part in cell for column, name in part.series.items()]
    # Boxes of several series stand side by side.
    names = [name for name, _, _ in series] if len(series) == 1 else list(looks)
    handles = {}
    for name, rows, column in series:
        values = rows.assign(value=rows[column].astype(float)).groupby(along.column)["value"]
        if along.is_boxes:
            width = 0.8 / len(names)
            shift = width * (names.index(name) - (len(names) - 1) / 2)
            places = along.places(values.groups) + shift
            handles[name] = _draw_boxes(ax, places, values, looks[name], width)
        else:
            handles[name] = _draw_line(ax, values, looks[name])
    return handles


def _draw_threshold(axes: Iterable[Axes], threshold: float) -> Artist:
    """Draw a line in every panel; the last one stands for them in the legend."""
    for ax in axes:
        line = ax.axhline(threshold, color=CHOSEN, linewidth=1.2, zorder=1.6)
    return line


def _draw_boxes(
    ax: Axes, places: np.ndarray, values: SeriesGroupBy, look: Look, width: float
) -> Artist:
    """Draw a box of each group at its place; what stands for them in a legend."""
    stroke = {"linewidth": 0.7, "solid_capstyle": "butt"}
    box = {"facecolor": look.face, "edgecolor": look.edge, "linewidth": 0.7}
    return ax.boxplot(
        [group.dropna() for _, group in values], positions=places, widths=0.9 * width,
        whis=captions.WHISKERS, showfliers=False, showcaps=False, patch_artist=True,
        manage_ticks=False, boxprops=box,
        whiskerprops=stroke | {"color": look.edge},
        medianprops=stroke | {"color": look.median, "linewidth": 1.2},
    )["boxes"][0]  # fmt: skip


def _draw_line(ax: Axes, values: SeriesGroupBy, look: Look) -> tuple[Artist, Artist]:
    """Draw the medians of groups and the band between the quartiles; what stands for them."""
    quartiles = values.quantile([0.25, 0.5, 0.75]).unstack()
    x, dashes = quartiles.index, look.dashes or (None, None)
    (line,) = ax.plot(x, quartiles[0.5], color=look.line, dashes=dashes, linewidth=1.5)
    # Where two bands overlap, both show, in grey too: one is filled, the other an outline.
    if look.dashes:
        band = {"facecolor": "none", "edgecolor": look.line, "linewidth": 0.8}
        band |= {"linestyle": (0, look.dashes)}
    else:
        band = {"color": look.line, "alpha": 0.22, "linewidth": 0}
    return ax.fill_between(x, quartiles[0.25], quartiles[0.75], **band), line
