"""A table of numbers in colours: attacks in columns, leaderboards in rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from shakedown.figures.style import PAGE_WIDTH
from shakedown.wording import signed

if TYPE_CHECKING:
    import numpy as np
import pandas as pd

#: A figure has room for at least this many rows: above them stand the names of the attacks.
FEWEST = 2
#: Numbers in cells of more columns are of this size, in points, so that they fit.
WIDE, SMALL = 11, 7


def draw_heat(
    table: pd.DataFrame,
    *,
    lowest: float | None = None,
    words: Callable[[float], str] = signed,
    slanted: float = 0.0,
    sides: tuple[str, str] = ("Leaderboard", "Attack"),
) -> Figure:
    """Draw a table of Δ, darker further below 0, with the numbers in its cells.

    Parameters
    ----------
    table : DataFrame
        Δ; names of leaderboards in its index, of attacks in its columns, or the other way round.
        NaN: not played.
    lowest : float, optional
        The Δ of the darkest colour; by default the smallest.
    words : callable
        The text of a cell.
    slanted : float
        Angle of the names of columns, in degrees; above 0 where they are many or long.
    sides : tuple of str
        What rows and columns are.
    """
    import seaborn as sns

    rows = max(len(table), FEWEST)
    # Above the rows stand the names of columns, of about 0.08 inches a letter, and their heading.
    lines = [line for name in table.columns for line in str(name).splitlines()]
    longest = max(map(len, lines), default=0)
    above = max(1.2, 0.5 + 0.08 * longest * np.sin(np.radians(slanted)))
    figure = Figure(figsize=(PAGE_WIDTH, above + 0.27 * rows), layout="constrained")
    ax = sns.heatmap(
        table,
        ax=figure.subplots(),
        cmap="OrRd_r",
        vmin=lowest,
        vmax=0.0,
        annot=table.map(lambda value: "" if value != value else words(value)),
        fmt="",
        annot_kws={"size": SMALL} if len(table.columns) > WIDE else None,
        linewidths=1.0,
        cbar=False,
    )
    ax.set(xlabel=sides[1], ylabel=sides[0])
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.tick_params(length=0)
    ax.tick_params(axis="y", rotation=0.0)
    ax.grid(visible=False)  # it would strike empty cells through
    if slanted:
        side = "left" if slanted < 90.0 else "center"
        ax.set_xticks(ax.get_xticks(), ax.get_xticklabels(), rotation=slanted, ha=side)
    return figure
