"""Grids of panels, rows of boards and legends of the figures of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from shakedown.figures.style import PAGE_WIDTH, short
from shakedown.leaderboard.mechanism import Mechanism

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Characters of a name beside a row; longer ones take two lines.
_NAME = 36

#: Width of what lies beside a panel, and of a character of its title, in inches.
_MARGIN, _CHARACTER = 0.25, 0.064
# By which letters in bold are wider.
_BOLD = 1.15
# Lines of a title that a panel has room for, and the height of each further one, in inches.
_LINES, _LINE = 3, 0.15


def panels(
    titles: Sequence[str],
    x: str,
    y: str = "",
    *,
    height: float,
    across: int = 0,
    places: Sequence[tuple[str, str]] = (),
    sharex: bool | str = True,
    sharey: bool | str = True,
    ratios: Sequence[float] | None = None,
    bold: int | None = None,
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel under each title; the axes are named once for all panels.

    Parameters
    ----------
    titles : sequence of str
        Of the panels.
    x, y : str
        Names of the axes.
    height : float
        Of a row of panels, in inches.
    across : int
        Panels in a row, at most, from left to right and from top to bottom.
    places : sequence of (str, str)
        Instead, the row and the column of each panel, by any names; the name of a row stands in
        bold above the title of its first panel, unless that has no title or says it.
    sharex, sharey : bool or str
        Which panels have the same limits, as for `Figure.subplots`.
    ratios : sequence of float, optional
        Relative heights of the rows.
    bold : int, optional
        Which title is in bold, counted from 0.
    """
    from matplotlib.figure import Figure

    heads = [row if row not in dict(places[:i]) else "" for i, (row, _) in enumerate(places)]
    if not places:
        down = -(-len(titles) // across)
        across = -(-len(titles) // down)  # with few gaps in the last row
        places, heads = [divmod(i, across) for i in range(len(titles))], [""] * len(titles)
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*places, strict=True))
    wide = int((PAGE_WIDTH / len(columns) - _MARGIN) / _CHARACTER)
    # Letters in bold are wider.
    shown = [_filled(t, int(wide / _BOLD) if k == bold else wide) for k, t in enumerate(titles)]
    high = 0.9 + height * len(rows)
    if across:
        lines = [title.count("\n") + 1 for title in shown]
        tallest = [max(lines[k : k + across]) for k in range(0, len(lines), across)]
        high += _LINE * sum(max(number - _LINES, 0) for number in tallest)
    figure = Figure(figsize=(PAGE_WIDTH, high), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.07, w_pad=0.05)
    grid = figure.subplots(
        len(rows), len(columns), sharex=sharex, sharey=sharey, squeeze=False, height_ratios=ratios
    )
    axes = [grid[rows.index(row), columns.index(column)] for row, column in places]
    for ax in grid.flat:
        ax.set_visible(ax in axes)
    for k, (ax, head, title) in enumerate(zip(axes, heads, titles, strict=True)):
        if not title:
            continue
        ax.set_title(shown[k], fontweight="bold" if k == bold else "normal")
        if head and head not in title:
            # A second title: the layout gives it height, but no width of its panel.
            lines = "\n" * (shown[k].count("\n") + 1)
            # At a height of its own, or its blank lines would lift the title below it.
            above = ax.set_title(f"{head}{lines}", loc="center", fontweight="bold", y=1.0)
            above.set(x=0.0, ha="left", linespacing=1.6)
    for ax in dict(zip((column for _, column in places), axes, strict=True)).values():
        ax.tick_params(labelbottom=True)  # also above a gap in the last row
    figure.supxlabel(x, fontsize=8.5)
    figure.supylabel(y, fontsize=8.5)
    return figure, axes


def _filled(title: str, wide: int) -> str:
    """A title in lines of so many characters; a parameter stays with its value."""
    lines = (fill(line.replace(" = ", "\xa0=\xa0"), wide) for line in title.rstrip().split("\n"))
    return "\n".join(lines).replace("\xa0", " ")


def name_rows(ax: Axes, boards: Sequence[Mechanism], chosen: Mechanism | None = None) -> None:
    """Name the rows of a panel from top to bottom by their boards, the chosen one in bold."""
    ax.set_yticks(range(len(boards)), [_in_lines(short(board)) for board in boards])
    ax.set(ylim=(len(boards) - 0.5, -0.5), ylabel="")
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=True, axis="x")
    for board, label in zip(boards, ax.get_yticklabels(), strict=True):
        label.set(fontweight="bold" if board == chosen else "normal", linespacing=1.15)
        if "\n" in label.get_text():
            label.set_fontsize(8)


def _in_lines(name: str) -> str:
    """A name of a board beside its row; a parameter stays with its value."""
    return fill(name.replace("\n", ", ").replace(" = ", "\xa0=\xa0"), _NAME).replace("\xa0", " ")


def narrow(name: str, width: int) -> str:
    """A name of a board in narrow lines, which begin with a bracket, a + or after a comma."""
    kept = re.sub(r"(?<!,) (?![(+])", "\xa0", name)
    lines = fill(kept, width, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\xa0", " ")


def explain(figure: Figure, looks: Mapping[str, Mapping], *, across: int = 3) -> None:
    """Explain marks, and lines that have a `linestyle`, above the panels: label -> look."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], **({"linestyle": "none"} | look)) for look in looks.values()]
    figure.legend(handles, list(looks), loc="outside upper center", ncols=across)
