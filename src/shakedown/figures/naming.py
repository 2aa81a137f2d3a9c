"""Names and numbers beside the points of a panel, where there is room for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shakedown.figures.style import PAGE_WIDTH, REFERENCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Of all texts here, in points.
_SIZE = 8
# Points that are closer than this share a number; half of it is kept free around each. In points.
_CLOSE = 9.0
# What is kept free on both sides of a line. In points.
_CLEAR = 2.0
# Where a text stands from its point: to the right, to the left, above, below, at the corners.
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
# How far away, in points: next to the point or to a ring around it, or at the end of a thin line.
_BESIDE, _BESIDE_RING = 7.0, 11.0
_AWAY = (20.0, 36.0, 55.0, 80.0)
# Height of a line of the key and width of a character, in inches.
_LINE, _CHARACTER = 0.165, 0.06

Box = tuple[float, float, float, float]


class Naming:
    """Writes beside points of a panel whose size and limits no longer change.

    Parameters
    ----------
    ax : Axes
    places : array_like of float, shape (n, 2)
        The points, in the units of the axes.
    spans : array_like of float, shape (n, 2)
        Lower and upper end of the vertical line through each point.
    """

    def __init__(self, ax: Axes, places: np.ndarray, spans: np.ndarray) -> None:
        self._ax = ax
        self._point = ax.figure.dpi / 72  # pixels
        self._places = np.asarray(places, float).reshape(-1, 2)
        self._pixels = ax.transData.transform(self._places).reshape(-1, 2)
        half = _CLOSE / 2 * self._point
        self._taken: list[Box] = [(x - half, y - half, x + half, y + half) for x, y in self._pixels]
        for (x, _), span in zip(self._places, np.asarray(spans, float), strict=True):
            (left, low), (_, high) = ax.transData.transform([(x, span[0]), (x, span[1])])
            near = _CLEAR * self._point
            self._taken.append((left - near, low, left + near, high))

    def keep_free(self, height: float) -> None:
        """Let no text lie on a line across the panel; the height is in the units of the axes."""
        panel, y = self._ax.get_window_extent(), self._ax.transData.transform((0, height))[1]
        self._taken.append((panel.x0, y - self._point, panel.x1, y + self._point))

    def say(self, text: str, height: float) -> None:
        """Write a remark just below a height of the panel, if there is room, and rather at an end.

        The height is in the units of the axes.
        """
        panel = self._ax.get_window_extent()
        width, tall = self._size(text, bold=False)
        gap, y = 4 * self._point, self._ax.transData.transform((0, height))[1]
        ends = panel.x1 - gap - width, panel.x0 + gap
        for left in (*ends, *np.linspace(*ends, 25)[1:-1]):
            box = (left, y - gap - tall, left + width, y - gap)
            if self._is_free(box):
                self._taken.append(box)
                where = self._ax.transAxes.inverted().transform((left, y - gap))
                self._ax.text(
                    *where, text, transform=self._ax.transAxes, va="top", fontsize=_SIZE,
                    fontstyle="italic", color=REFERENCE, zorder=5,
                )  # fmt: skip
                return

    def name(self, point: int, text: str, *, bold: bool = False) -> bool:
        """Write a name beside a point if there is room.

        Returns
        -------
        bool
            Whether there was room.
        """
        size, beside = self._size(text, bold), _BESIDE_RING if bold else _BESIDE
        for side in _SIDES:
            if self._is_free(box := self._box(point, size, side, beside)):
                self._write(point, text, box, bold=bold)
                return True
        return False

    def name_anyway(self, point: int, text: str, *, bold: bool = False) -> None:
        """Write a name beside a point, or further away where there is room, or over something."""
        if self.name(point, text, bold=bold):
            return
        size = self._size(text, bold)
        for away in _AWAY:
            for side in _SIDES:
                if self._is_free(box := self._box(point, size, side, away)):
                    self._write(point, text, box, bold=bold, line=True)
                    return
        if box := self._anywhere(point, size):
            self._write(point, text, box, bold=bold, line=True)
            return
        self._write(point, text, self._inside(point, size), bold=bold)

    def is_alone(self, point: int, among: Sequence[int]) -> bool:
        """Whether no other one of some points nearly covers a point."""
        gaps = [
            np.hypot(*(self._pixels[other] - self._pixels[point]))
            for other in among
            if other != point
        ]
        return min(gaps, default=np.inf) >= _CLOSE * self._point

    def number(self, points: Sequence[int]) -> list[int]:
        """Number points from left to right, those that cannot be told apart together.

        Returns
        -------
        list of int
            The points in the order of their numbers, which begin at 1.
        """
        ordered: list[int] = []
        for group in self._groups(points):
            first, last = len(ordered) + 1, len(ordered) + len(group)
            text = f"{first}" if first == last else f"{first}–{last}"
            ordered += group
            # Of a pile, any point may carry the number.
            if not any(self.name(point, text) for point in group):
                self.name_anyway(group[0], text)
        return ordered

    def _groups(self, points: Sequence[int]) -> list[list[int]]:
        """Points that nearly cover one another, from left to right."""
        rest = sorted(points, key=lambda k: (*self._pixels[k].round(3), k))
        groups = []
        while rest:
            group = [rest.pop(0)]
            for member in group:  # it grows meanwhile
                gaps = {k: np.hypot(*(self._pixels[k] - self._pixels[member])) for k in rest}
                near = [k for k in rest if gaps[k] < _CLOSE * self._point]
                group += near
                rest = [k for k in rest if k not in near]
            groups.append(group)
        return groups

    def _size(self, text: str, bold: bool) -> tuple[float, float]:
        """Width and height of a text in pixels."""
        drawn = self._ax.figure.text(0, 0, text, fontsize=_SIZE, fontweight=_weight(bold))
        box = drawn.get_window_extent()
        drawn.remove()
        return box.width, box.height

    def _box(self, point: int, size: tuple[float, float], side: tuple, away: float) -> Box:
        """Where a text of this size lies on one side of a point."""
        (x, y), gap = self._pixels[point], away * self._point
        # At a corner the text starts nearer, for the diagonal is longer.
        gap *= 0.75 if all(side) else 1.0
        left = x + side[0] * gap - (1 - side[0]) / 2 * size[0]
        low = y + side[1] * gap - (1 - side[1]) / 2 * size[1]
        return left, low, left + size[0], low + size[1]

    def _anywhere(self, point: int, size: tuple[float, float]) -> Box | None:
        """The free box in the panel that is nearest to a point; None if there is none."""
        panel, (x, y) = self._ax.get_window_extent(), self._pixels[point]
        step = 6 * self._point
        boxes = [
            (left, low, left + size[0], low + size[1])
            for left in np.arange(panel.x0 + step, panel.x1 - size[0], step)
            for low in np.arange(panel.y0 + step, panel.y1 - size[1], step)
        ]
        boxes.sort(key=lambda box: np.hypot(box[0] + box[2] - 2 * x, box[1] + box[3] - 2 * y))
        return next(filter(self._is_free, boxes), None)

    def _inside(self, point: int, size: tuple[float, float]) -> Box:
        """A box above a point, moved into the panel."""
        left, low, *_ = self._box(point, size, (0, 1), _BESIDE)
        panel = self._ax.get_window_extent()
        left = float(np.clip(left, panel.x0, max(panel.x0, panel.x1 - size[0])))
        low = float(np.clip(low, panel.y0, max(panel.y0, panel.y1 - size[1])))
        return left, low, left + size[0], low + size[1]

    def _is_free(self, box: Box) -> bool:
        panel = self._ax.get_window_extent()
        left, low, right, high = box
        if left < panel.x0 or low < panel.y0 or right > panel.x1 or high > panel.y1:
            return False
        return not any(
            left < other[2] and other[0] < right and low < other[3] and other[1] < high
            for other in self._taken
        )

    def _write(self, point: int, text: str, box: Box, *, bold: bool, line: bool = False) -> None:
        self._taken.append(box)
        middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        where = self._ax.transAxes.inverted().transform(middle)
        arrow = {"arrowstyle": "-", "color": REFERENCE, "linestyle": ":", "shrinkB": 7}
        self._ax.annotate(
            text, self._places[point], xytext=where, textcoords="axes fraction", ha="center",
            va="center", fontsize=_SIZE, fontweight=_weight(bold),
            arrowprops=arrow if line else None, zorder=5,
        )  # fmt: skip


def key_height(names: Sequence[str]) -> float:
    """Height of the key to so many numbered points, in inches."""
    rows, _ = _grid(names)
    return _LINE * rows + 0.2 if names else 0.0


def write_key(figure: Figure, names: Sequence[str]) -> None:
    """Explain the numbers 1, 2, ... in columns at the lower end of a figure."""
    rows, columns = _grid(names)
    width, height = figure.get_size_inches()
    for place, name in enumerate(names):
        column, row = divmod(place, rows)
        where = 0.08 + column * (width - 0.1) / columns, 0.05 + _LINE * (rows - row)
        # Numbers of one digit leave room for a second one, where there are such.
        number = f"{place + 1:\N{FIGURE SPACE}>{len(str(len(names)))}d}"
        figure.text(
            where[0] / width, where[1] / height, f"{number}  {name}", fontsize=_SIZE, va="top"
        )


def _grid(names: Sequence[str]) -> tuple[int, int]:
    """Rows and columns of a key."""
    longest = max((len(name) + 3 for name in names), default=1)
    columns = int(np.clip((PAGE_WIDTH - 0.1) // (_CHARACTER * longest), 1, 4))
    return -(-len(names) // columns), columns


def _weight(bold: bool) -> str:
    return "bold" if bold else "normal"
