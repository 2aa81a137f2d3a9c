"""Cells of a map that say what they show when somebody points at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from matplotlib.patches import Rectangle

from shakedown.wording import counted, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What the layer of cells begins and ends with in a file.
_BEGINS, _ENDS = '<svg class="cells"', "</svg>"


class Cell(Rectangle):
    """A cell of a heat map.  It draws nothing: the file of the figure has a layer of them.

    Parameters
    ----------
    row, column : int
        Its place; row 0 is the first of the map.
    lines : sequence of str
        What it says.
    """

    def __init__(self, row: int, column: int, lines: Sequence[str]) -> None:
        super().__init__((column, row), 1, 1, visible=False)
        self.lines = tuple(lines)


def measured(cell: Mapping[str, Any]) -> list[str]:
    """What a cell says of a median: Δ, its 95 % interval, submissions and replicates.

    Parameters
    ----------
    cell : mapping
        delta, delta_low, delta_high (not finite with too few replicates), submissions, replicates.
    """
    low, high = cell["delta_low"], cell["delta_high"]
    return [
        f"Δ {signed(cell['delta'], 3)}",
        f"95 % interval {signed(low, 3)} to {signed(high, 3)}"
        if isfinite(low) and isfinite(high)
        else "too few replicates for an interval",
        f"after {counted(int(cell['submissions']), 'submission')}; "
        f"{counted(int(cell['replicates']), 'replicate')}",
    ]


def layer(figure: Figure) -> str:
    """The cells of a figure as SVG, with titles, which browsers show; "" without cells.

    The figure has been drawn as SVG, so that it has its layout and 72 dots per inch.
    """
    cells = figure.findobj(Cell)
    if not cells:
        return ""
    width, height = figure.bbox.size
    parts = [f'{_BEGINS} viewBox="0 0 {width:g} {height:g}" fill="none" pointer-events="all">']
    boxes = [(cell.get_window_extent(), cell) for cell in cells]
    # As they are read: row by row, from the left.
    for box, cell in sorted(boxes, key=lambda pair: (-round(pair[0].y1), pair[0].x0)):
        place = f'x="{box.x0:.1f}" y="{height - box.y1:.1f}"'
        words = escape("\n".join(cell.lines))
        parts.append(
            f'<rect {place} width="{box.width:.1f}" height="{box.height:.1f}">'
            f"<title>{words}</title></rect>"
        )
    return "\n".join([*parts, _ENDS])


def layer_in(svg: str) -> str:
    """The layer of cells of an SVG that `saving.save` wrote; "" without cells."""
    _, begins, cells = svg.rpartition(_BEGINS)
    return begins + cells.partition(_ENDS)[0] + _ENDS if begins else ""
