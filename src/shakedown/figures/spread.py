"""Distributions over replicates in a grid of panels: boxes, or medians with their 50 % band."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from shakedown.figures.panels import letter, number_steps
from shakedown.figures.selection import floats
from shakedown.figures.style import PAGE_WIDTH, Look

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.container import BoxPlotContainer

#: So many positions are drawn as boxes; those of more would be a few pixels wide.
MOST_BOXES = 12


class Panels(sns.FacetGrid):
    """A grid of panels, laid out once, when it is saved: to find a layout takes long."""

    def tight_layout(self, *args, **kwargs):
        return self


def has_boxes(rows: pd.DataFrame, x: str = "point") -> bool:
    """Whether there are few enough positions for boxes."""
    return rows[x].nunique() <= MOST_BOXES


def long(
    rows: pd.DataFrame, x: str, columns: Mapping[str, str], *, boxes: bool, **more: str
) -> pd.DataFrame:
    """What a panel shows of some columns, one below another.

    Parameters
    ----------
    columns : mapping of str to str
        Name of the series, by column.
    boxes : bool
        Whether `value` shall have every value, for boxes; otherwise it has the median at each
        position, between the quartiles `low` and `high`.
    **more : str
        Further columns with one value: `row` and `column` of the panel, and its `title`.
    """
    parts = []
    for column, series in columns.items():
        part = pd.DataFrame({x: floats(rows[x]), "value": floats(rows[column])}).dropna()
        if not boxes:
            part = part.groupby(x)["value"].quantile([0.25, 0.5, 0.75]).unstack()
            part = part.set_axis(["low", "value", "high"], axis=1).reset_index()
        parts.append(part.assign(series=series, **more))
    return pd.concat(parts)


def draw_spread(
    tidy: pd.DataFrame, x: str, looks: Mapping[str, Look], *, sharey: bool | str = True
) -> Panels:
    """Draw a grid of panels: boxes, or medians and the band between the quartiles.

    Parameters
    ----------
    tidy : DataFrame
        Tables of `long`; rows and columns of panels stand in the order in which they come.
    looks : mapping of str to Look
        Of each series.
    """
    tidy = tidy.reset_index(drop=True)
    positions, boxes = sorted(tidy[x].unique()), "low" not in tidy
    grid = Panels(tidy, row="row", col="column", sharey=sharey, despine=False)
    shared = {"x": x, "y": "value", "hue": "series", "hue_order": list(looks), "legend": False}
    if boxes:
        grid.map_dataframe(
            sns.boxplot, order=positions, whis=1.5, showfliers=False, showcaps=False, gap=0.1,
            saturation=1, linewidth=0.7, palette={s: look.face for s, look in looks.items()},
            **shared,
        )  # fmt: skip
    else:
        grid.map_dataframe(
            sns.lineplot, estimator=None, linewidth=1.3, style="series",
            palette={s: look.line for s, look in looks.items()},
            dashes={s: look.dashes or "" for s, look in looks.items()}, **shared,
        )  # fmt: skip
    for (i, j, _), part in grid.facet_data():
        ax, drawn = grid.axes[i, j], part.groupby("series")
        drawn = [(look, drawn.get_group(s)) for s, look in looks.items() if s in drawn.groups]
        if boxes:
            for (look, _), container in zip(drawn, ax.containers, strict=True):
                _paint(container, look)
        else:
            for look, own in drawn:
                band = {"color": look.line, "alpha": 0.2, "linewidth": 0}
                ax.fill_between(own[x], own["low"], own["high"], **band)
        number_steps(ax, positions, at=None if boxes else positions)
        # Ticks at round numbers, so that 0 and 1 are among them.
        ax.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    return grid


def finish(
    grid: Panels,
    keys: Iterable[tuple[Artist, str]],
    *,
    x_label: str,
    row_height: float,
    down: bool = False,
) -> Figure:
    """Name the panels of a grid, and lay them out on a page below a legend of its keys.

    Parameters
    ----------
    x_label : str
        What the x-axes say.
    row_height : float
        Inches.
    down : bool
        Whether the letters of the panels go down the columns.
    """
    seen, lowest = set(), {}
    for ax in grid.axes.flat:
        ax.set_visible(ax.has_data())
    shown = [(place, ax) for place, ax in grid.axes_dict.items() if ax.get_visible()]
    if down:
        shown.sort(key=lambda item: grid.col_names.index(item[0][1]))
    titles = grid.data.drop_duplicates(["row", "column"]).set_index(["row", "column"])["title"]
    for i, ((row, column), ax) in enumerate(shown):
        # The name of the row stands above its first panel.
        head = f"{row}\n" if row.strip() and row not in seen else ""
        ax.set_title(f"{head}{letter(i)}   {titles[row, column]}".rstrip())
        ax.set_xlabel("")
        seen.add(row)
        lowest[column] = ax
    # The lowest panel of a column says what the axis is, also above a gap in the last row.
    for ax in lowest.values():
        ax.set_xlabel(x_label, visible=True)
        ax.xaxis.set_tick_params(labelbottom=True)
    figure = grid.figure
    figure.set_size_inches(PAGE_WIDTH, 0.9 + row_height * len(grid.row_names))
    figure.set_layout_engine("constrained", w_pad=0.08)
    handles, words = zip(*keys, strict=True)
    # More than four do not fit into one line of the page.
    figure.legend(
        handles, words, loc="outside upper center", ncols=len(words) if len(words) <= 4 else 3,
        handler_map={tuple: HandlerTuple(ndivide=1, pad=0)},
    )  # fmt: skip
    return figure


def keys(looks: Mapping[str, Look], *, boxes: bool) -> list[tuple[Artist, str]]:
    """What stands for each series in a legend, and its words."""
    found = []
    for words, look in looks.items():
        key = Patch(facecolor=look.face, edgecolor=look.rim, hatch=look.hatch, linewidth=0.7)
        if not boxes:
            line = Line2D(
                [], [], color=look.line, dashes=look.dashes or (None, None), linewidth=1.3
            )
            key = (Patch(facecolor=look.line, alpha=0.2, linewidth=0), line)
        found.append((key, words))
    return found


def _paint(boxes: BoxPlotContainer, look: Look) -> None:
    for box in boxes.boxes:
        box.set(edgecolor=look.rim, hatch=look.hatch or None)
    for line in boxes.whiskers:
        line.set(color=look.edge)
    for line in boxes.medians:
        line.set(color=look.median, linewidth=1.2)
