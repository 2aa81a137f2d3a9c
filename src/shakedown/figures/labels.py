"""Names beside points, where they hide neither points nor each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation, Text

# How far from its point a name may stand, in points, to the side and up.
_ASIDE = (0, 7, -7, 20, -20, 40, -40)
_UP = (0, 8, -8, 18, -18, 30, -30, 44, -44, 60, -60)
_PLACES = [(dx, dy) for dx in _ASIDE for dy in _UP if dx or dy]
_NEAR = 12
_SWEEPS = 3


def name_points(
    ax: Axes,
    x: Sequence[float],
    y: Sequence[float],
    names: Sequence[str],
    *,
    bold: Sequence[bool] = (),
    lines: Sequence[np.ndarray] = (),
    size: float = 8,
) -> list[Annotation]:
    """Write a name beside each point; a thin line leads there where it stands further off.

    Parameters
    ----------
    ax : Axes
        With its final limits; the figure is laid out by this function, and keeps that layout.
    x, y : sequence of float
    names : sequence of str
        Points that lie on one another get one text with all their names; a first line that they
        have in common stands there once.
    bold : sequence of bool
        Names in bold, of points with a ring around them; by default none.
    lines : sequence of ndarray, shape (m, 2)
        What else should not be hidden: lines through these points.
    size : float
        Points.
    """
    figure = ax.figure
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    unit = figure.dpi / 72
    at = ax.transData.transform(np.column_stack([x, y]))
    frame = ax.get_window_extent().extents
    rings = bold if len(bold) else [False] * len(at)
    fixed = [_around(p, (9 if ring else 5) * unit) for p, ring in zip(at, rings, strict=True)]
    for line in lines:
        corners = ax.transData.transform(line)
        for start, end in zip(corners[:-1], corners[1:], strict=True):
            steps = max(2, int(np.hypot(*(end - start)) / (4 * unit)))
            fixed += [_around(p, 2 * unit) for p in np.linspace(start, end, steps)]
    groups = _together(at, 3 * unit)
    style = {"fontsize": size, "linespacing": 1.0, "zorder": 4, "textcoords": "offset points"}
    arrow = {"arrowstyle": "-", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
    notes, sizes = [], []
    for members in groups:
        first = members[0]
        weight = "bold" if any(rings[i] for i in members) else "normal"
        text = _joined([names[i] for i in members])
        place = {"xytext": (0, 0), "arrowprops": arrow, "weight": weight}
        notes.append(ax.annotate(text, (x[first], y[first]), **place, **style))
        box = Text.get_window_extent(notes[-1])  # without the line that leads there
        sizes.append((box.width, box.height))
    where = [_PLACES[0]] * len(groups)
    boxes: list[np.ndarray | None] = [None] * len(groups)
    for _ in range(_SWEEPS):
        for g, members in enumerate(groups):
            others = [box for h, box in enumerate(boxes) if h != g and box is not None]
            taken = np.array(fixed + others)
            costs = [
                _cost(_box(at[members[0]], place, sizes[g], unit), place, taken, frame)
                for place in _PLACES
            ]
            where[g] = _PLACES[int(np.argmin(costs))]
            boxes[g] = _box(at[members[0]], where[g], sizes[g], unit)
    for note, (dx, dy) in zip(notes, where, strict=True):
        note.set_position((dx, dy))
        note.set_horizontalalignment("left" if dx > 0 else "right" if dx < 0 else "center")
        note.set_verticalalignment("center" if dx else "bottom" if dy > 0 else "top")
        note.arrow_patch.set_visible(bool(np.hypot(dx, dy) > _NEAR))
    return notes


def _around(point: np.ndarray, reach: float) -> np.ndarray:
    return np.array([*(point - reach), *(point + reach)])


def _together(at: np.ndarray, near: float) -> list[list[int]]:
    """Indices of the points, those that lie on one another together."""
    groups: list[list[int]] = []
    for i, point in enumerate(at):
        for members in groups:
            if np.hypot(*(at[members[0]] - point)) <= near:
                members.append(i)
                break
        else:
            groups.append([i])
    return groups


def _joined(names: list[str]) -> str:
    if all("\n" not in name for name in names):
        return ", ".join(names)
    lines: list[str] = []
    first = None
    for name in names:
        head, *rest = name.split("\n")
        lines += rest if head == first else [head, *rest]
        first = head
    return "\n".join(lines)


def _box(point, place, size, unit) -> np.ndarray:
    """Left, low, right, high of a text, in pixels."""
    (dx, dy), (width, height) = place, size
    left = point[0] + dx * unit - width * (0.0 if dx > 0 else 1.0 if dx < 0 else 0.5)
    low = point[1] + dy * unit - height * (0.5 if dx else 0.0 if dy > 0 else 1.0)
    return np.array([left, low, left + width, low + height])


def _cost(box, place, taken, frame) -> float:
    """Area that a text would hide there, and what sticks out of the panel; then its distance."""
    width = np.minimum(box[2], taken[:, 2]) - np.maximum(box[0], taken[:, 0])
    height = np.minimum(box[3], taken[:, 3]) - np.maximum(box[1], taken[:, 1])
    hidden = (np.clip(width, 0, None) * np.clip(height, 0, None)).sum()
    outside = np.clip(np.append(frame[:2] - box[:2], box[2:] - frame[2:]), 0, None).sum()
    area = (box[2] - box[0]) * (box[3] - box[1])
    return hidden + 3 * outside * (box[3] - box[1]) + 0.002 * np.hypot(*place) * area
