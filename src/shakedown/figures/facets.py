"""Grids of panels, rows of boards and legends of the figures of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shakedown.figures.style import PAGE_WIDTH, short
from shakedown.leaderboard.mechanism import Mechanism

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def panels(
    titles: Sequence[str],
    x: str,
    y: str,
    *,
    across: int,
    height: float,
    sharex: bool = True,
    sharey: bool = True,
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel under each title; the axes are named once for all panels.

    Parameters
    ----------
    titles : sequence of str
        Of the panels, from left to right and from top to bottom.
    x, y : str
        Names of the axes.
    across : int
        Panels in a row, at most.
    height : float
        Of a row of panels, in inches.
    sharex, sharey : bool
        Whether all panels have the same limits.
    """
    from matplotlib.figure import Figure

    down = -(-len(titles) // across)
    figure = Figure(figsize=(PAGE_WIDTH, 0.9 + height * down), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.07, w_pad=0.05)
    across = -(-len(titles) // down)  # with few gaps in the last row
    axes = list(figure.subplots(down, across, sharex=sharex, sharey=sharey, squeeze=False).flat)
    for ax in axes[len(titles) :]:
        ax.set_visible(False)
    axes = axes[: len(titles)]
    for title, ax in zip(titles, axes, strict=True):
        ax.set_title(title)
    for ax in axes[-across:]:  # also above a gap in the last row
        ax.tick_params(labelbottom=True)
    figure.supxlabel(x, fontsize=8.5)
    figure.supylabel(y, fontsize=8.5)
    return figure, axes


def name_rows(ax: Axes, boards: Sequence[Mechanism], chosen: Mechanism | None = None) -> None:
    """Name the rows of a panel from top to bottom by their boards, the chosen one in bold."""
    ax.set_yticks(range(len(boards)), [short(one).replace("\n", ", ") for one in boards])
    ax.set(ylim=(len(boards) - 0.5, -0.5), ylabel="")
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=True, axis="x")
    for one, label in zip(boards, ax.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if one == chosen else "normal")


def explain(figure: Figure, looks: Mapping[str, Mapping], *, across: int = 3) -> None:
    """Explain marks, and lines that have a `linestyle`, above the panels: label -> look."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], **({"linestyle": "none"} | look)) for look in looks.values()]
    figure.legend(handles, list(looks), loc="outside upper center", ncols=across)
