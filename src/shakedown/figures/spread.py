"""Distributions over replicates in a grid of panels: boxes, or medians with their 50 % band."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
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
    """Some rows in a panel, and what is shown of them.

    Attributes
    ----------
    row, column, title : str
        Of the panel.
    rows : DataFrame
    value : {"scores", "delta", "score_public"}
        What the panel shows.
    series : mapping of str to str
        Name of the series in the legend, by the column of its values.
    """

    row: str
    column: str
    title: str
    rows: pd.DataFrame
    value: str
    series: Mapping[str, str]


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
    grid = Panels(tidy, row="row", col="column", sharey=sharey, despine=False)
    shown = {}
    for (i, j, _), own in grid.facet_data():
        if own.empty:
            continue
        ax = grid.axes[i, j]
        if boxes:
            _draw_boxes(ax, own, x, positions, looks)
        else:
            _draw_lines(ax, own, x, looks)
        panels.number_steps(ax, positions, at=None if boxes else positions)
        # Ticks at round numbers, so that 0 and 1 are among them.
        ax.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        shown[ax] = own["value_of"].iloc[0]
        if j == 0 or sharey == "col":
            ax.set_ylabel(panels.value_axis(shown[ax], metric))
    line_keys, line_words = panels.draw_references(shown, metric)
    keys = [*_keys(looks, boxes=boxes), *line_keys]
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
    place = {"row": part.row, "column": part.column, "title": part.title, "value_of": part.value}
    return pd.concat(tables).assign(**place)


def _draw_boxes(
    ax: Axes, rows: pd.DataFrame, x: str, positions: list[float], looks: Mapping[str, Look]
) -> None:
    """Boxes at the places 0, 1, ...; those of several series side by side."""
    series = rows.groupby("series", sort=False)
    width = 0.8 / len(looks) if len(series) > 1 else 0.8
    for name, own in series:
        look, values = looks[name], own.groupby(x)["value"]
        place = list(looks).index(name) - (len(looks) - 1) / 2
        shift = width * place if len(series) > 1 else 0
        ax.boxplot(
            [numbers for _, numbers in values],
            positions=[positions.index(position) + shift for position, _ in values],
            widths=0.9 * width,
            whis=1.5, showfliers=False, showcaps=False, patch_artist=True, manage_ticks=False,
            boxprops={
                "facecolor": look.face, "edgecolor": look.rim, "hatch": look.hatch,
                "linewidth": 0.7,
            },
            whiskerprops={"color": look.edge, "linewidth": 0.7, "solid_capstyle": "butt"},
            medianprops={"color": look.median, "linewidth": 1.2, "solid_capstyle": "butt"},
        )  # fmt: skip


def _draw_lines(ax: Axes, rows: pd.DataFrame, x: str, looks: Mapping[str, Look]) -> None:
    for name, own in rows.groupby("series", sort=False):
        look = looks[name]
        ax.plot(own[x], own["value"], color=look.line, dashes=look.dashes or (None, None), lw=1.3)
        ax.fill_between(own[x], own["low"], own["high"], color=look.line, alpha=0.2, linewidth=0)


def _keys(looks: Mapping[str, Look], *, boxes: bool) -> list[tuple[Artist, str]]:
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
