"""Distributions over replicates in a grid of panels: boxes, or medians with their 50 % band."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.ticker import MaxNLocator

from shakedown.figures import captions, panels
from shakedown.figures.kind import Picture
from shakedown.figures.selection import floats
from shakedown.figures.style import CHOSEN, PAGE_WIDTH, Look
from shakedown.wording import signed

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

#: So many positions are drawn as boxes; those of more would be a few pixels wide.
MOST_BOXES = 12


class Panels(sns.FacetGrid):
    """A grid of panels, laid out once, when it is saved: to find a layout takes long."""

    def tight_layout(self, *args, **kwargs):
        return self


class Part(NamedTuple):
    """Some rows in a panel of a grid, and what is shown of them."""

    row: str
    column: str
    title: str
    rows: pd.DataFrame
    value: str  # "scores", "delta" or "score_public"
    series: Mapping[str, str]  # names in the legend, by the column of the values


def draw_spread(
    rows: pd.DataFrame,
    parts: Iterable[Part],
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
    parts : iterable of Part
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
    metric, boxes = panels.metric_of(rows), rows[x].nunique() <= MOST_BOXES
    tidy = pd.concat([_long(part, x, boxes=boxes) for part in parts], ignore_index=True)
    positions = sorted(tidy[x].unique())
    tidy["at"] = tidy[x].map(positions.index) if boxes else tidy[x]
    grid = Panels(tidy, row="row", col="column", sharey=sharey, despine=False)
    shown, handles = {}, {}
    for (i, j, _), panel in grid.facet_data():
        if panel.empty:
            continue
        ax = grid.axes[i, j]
        # Boxes of several series stand side by side.
        names = panel["series"].unique()
        names = names if len(names) == 1 else list(looks)
        for k, name in enumerate(names):
            own = panel[panel["series"] == name]
            if boxes and len(own):
                width = 0.8 / len(names)
                shift = width * (k - (len(names) - 1) / 2)
                handles[name] = _draw_boxes(ax, own, looks[name], shift=shift, width=width)
            elif len(own):
                handles[name] = _draw_line(ax, own, looks[name])
        # Ticks at round numbers, so that 0 and 1 are among them.
        ax.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        shown[ax] = panel["shows"].iloc[0]
        if j == 0 or sharey == "col":
            ax.set_ylabel(panels.value_axis(shown[ax], metric))
    # All panels share this axis.  Few steps are all numbered, of many 1, 5, 10, ...
    at = range(len(positions)) if boxes else positions
    numbered = [(a, s) for a, s in zip(at, positions, strict=True) if boxes or s == 1 or s % 5 == 0]
    ax.set_xticks([a for a, _ in numbered], [f"{s:,.0f}" for _, s in numbered])
    ax.set_xlim(min(at) - 0.6, max(at) + 0.6)
    line_keys, line_words = panels.draw_references(shown, metric)
    keys = [*((handles[name], name) for name in looks), *line_keys]
    if threshold is not None:
        for ax in shown:
            line = ax.axhline(threshold, color=CHOSEN, linewidth=1.2, zorder=1.6)
        keys.append((line, f"threshold ({signed(threshold)})"))
    text = [
        *([captions.meaning(metric)] if "delta" in shown.values() else []),
        captions.data_of_spread(rows, boxes=boxes),
        *line_words,
    ]
    x_label = x_label or panels.point_axis(rows)
    return Picture(finish(grid, keys, x_label=x_label, row_height=row_height), " ".join(text))


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
    for ax in grid.axes.flat:
        ax.set_visible(ax.has_data())
    shown = [(place, ax) for place, ax in grid.axes_dict.items() if ax.get_visible()]
    if down:
        shown.sort(key=lambda item: grid.col_names.index(item[0][1]))
    titles = grid.data.drop_duplicates(["row", "column"]).set_index(["row", "column"])["title"]
    seen, lowest = set(), {}
    for i, ((row, column), ax) in enumerate(shown):
        # The name of the row stands above its first panel.
        head = f"{row}\n" if row.strip() and row not in seen else ""
        ax.set_title(f"{head}{panels.letter(i)}   {titles[row, column]}".rstrip())
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


def _long(part: Part, x: str, *, boxes: bool) -> pd.DataFrame:
    """The series of a part, one below another: every value for boxes; otherwise, at each position,
    the median `value` between the quartiles `low` and `high`.
    """
    tables = []
    for column, series in part.series.items():
        table = pd.DataFrame({x: floats(part.rows[x]), "value": floats(part.rows[column])}).dropna()
        if not boxes:
            table = table.groupby(x)["value"].quantile([0.25, 0.5, 0.75]).unstack()
            table = table.set_axis(["low", "value", "high"], axis=1).reset_index()
        tables.append(table.assign(series=series))
    place = {"row": part.row, "column": part.column, "title": part.title, "shows": part.value}
    return pd.concat(tables).assign(**place)


def _draw_boxes(ax: Axes, rows: pd.DataFrame, look: Look, *, shift: float, width: float) -> Artist:
    """Draw a box at each place; what stands for them in a legend."""
    places, values = zip(*rows.groupby("at")["value"], strict=True)
    stroke = {"linewidth": 0.7, "solid_capstyle": "butt"}
    box = {"facecolor": look.face, "edgecolor": look.rim, "hatch": look.hatch, "linewidth": 0.7}
    return ax.boxplot(
        values, positions=np.add(places, shift), widths=0.9 * width, whis=1.5, showfliers=False,
        showcaps=False, patch_artist=True, manage_ticks=False, boxprops=box,
        whiskerprops=stroke | {"color": look.edge},
        medianprops=stroke | {"color": look.median, "linewidth": 1.2},
    )["boxes"][0]  # fmt: skip


def _draw_line(ax: Axes, rows: pd.DataFrame, look: Look) -> tuple[Artist, Artist]:
    """Draw medians and their band; what stands for them in a legend."""
    dashes = look.dashes or (None, None)
    (line,) = ax.plot(rows["at"], rows["value"], color=look.line, dashes=dashes, linewidth=1.3)
    band = {"color": look.line, "alpha": 0.2, "linewidth": 0}
    return ax.fill_between(rows["at"], rows["low"], rows["high"], **band), line
