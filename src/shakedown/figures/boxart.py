"""Box plots drawn as a handful of compound paths.

A box plot of matplotlib or seaborn is six artists a box; a figure of this study has up to a
thousand boxes and would weigh more than a megabyte as SVG.  One path for all boxes of a group, one
for the whiskers and one for the medians draw the same picture in a fraction of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from shakedown.figures.style import FINAL_EDGE, FINAL_FACE, INK, PUBLIC, look


@dataclass(frozen=True)
class Look:
    """Colours and hatch of a group of boxes."""

    face: str
    edge: str
    median: str
    hatch: str = ""

    def swatch(self, label: str) -> tuple[tuple[Patch, Patch], str]:
        """What stands for it in a legend: handle and label."""
        fill = Patch(facecolor=self.face, edgecolor=self.edge, linewidth=0.6)
        hatch = Patch(facecolor="none", edgecolor=self.median, hatch=self.hatch, linewidth=0)
        return (fill, hatch), label


def legend(figure: Figure, swatches: Sequence[tuple[Artist | tuple[Artist, ...], str]]) -> None:
    """Explain the looks of boxes above the panels of a figure."""
    figure.legend(
        [handle for handle, _ in swatches],
        [label for _, label in swatches],
        loc="outside upper center",
        ncols=len(swatches),
        handler_map={tuple: HandlerTuple(ndivide=1, pad=0)},
    )


PUBLIC_LOOK = Look(face=PUBLIC, edge="#7A3600", median="#3A1A00")
FINAL_LOOK = Look(face=FINAL_FACE, edge=FINAL_EDGE, median="#003B5C")


def mechanism_look(mechanism: str, *, hollow: bool = False) -> Look:
    """Look of a mechanism's boxes; hollow ones stand for its final scores."""
    shown = look(mechanism)
    if hollow:
        # A thin line in a light colour would not be seen on white.
        light = _luminance(shown.colour) > 0.3
        line = to_hex(0.55 * np.array(to_rgb(shown.colour))) if light else shown.colour
        return Look(face="white", edge=line, median=line)
    # A dark box needs a light median line and light hatching, a light box dark ones.
    median = "white" if _luminance(shown.colour) < 0.25 else INK
    return Look(face=shown.colour, edge=INK, median=median, hatch=shown.hatch)


def five_numbers(sample: np.ndarray) -> tuple[float, float, float, float, float]:
    """Lower whisker, quartiles and upper whisker of a sample, after Tukey.

    A whisker ends at the furthest value within 1.5 interquartile ranges of the box.

    Parameters
    ----------
    sample : ndarray of float, shape (m,)
        Finite, m at least 1.
    """
    q1, median, q3 = np.percentile(sample, [25, 50, 75])
    reach = 1.5 * (q3 - q1)
    low = sample[sample >= q1 - reach].min(initial=q1)
    high = sample[sample <= q3 + reach].max(initial=q3)
    return min(low, q1), q1, median, q3, max(high, q3)


def draw_boxes(
    ax: Axes, samples: Sequence[np.ndarray], positions: Sequence[float], *, width: float, look: Look
) -> None:
    """Draw one box per sample.

    Parameters
    ----------
    ax : Axes
    samples : sequence of ndarray of float
        Values of each box; those that are not finite are left out, and a box without values too.
    positions : sequence of float
        Where the boxes stand on the x-axis.
    width : float
        Width of a box, in units of the x-axis.
    look : Look
    """
    boxes, whiskers, medians = [], [], []
    half = width / 2
    for sample, x in zip(samples, positions, strict=True):
        finite = np.asarray(sample, dtype=float)
        finite = finite[np.isfinite(finite)]
        if not finite.size:
            continue
        low, q1, median, q3, high = five_numbers(finite)
        left, right = x - half, x + half
        boxes.append([(left, q1), (right, q1), (right, q3), (left, q3), (left, q1)])
        whiskers += [[(x, low), (x, q1)], [(x, q3), (x, high)]]
        medians.append([(left, median), (right, median)])
    _add(ax, whiskers, facecolor="none", edgecolor=look.edge, linewidth=0.7, zorder=2)
    box = {"closed": True, "label": "_boxes"}
    _add(ax, boxes, facecolor=look.face, edgecolor=look.edge, linewidth=0.6, zorder=2.1, **box)
    if look.hatch:
        hatch = {"facecolor": "none", "edgecolor": look.median, "hatch": look.hatch}
        _add(ax, boxes, closed=True, linewidth=0, zorder=2.2, **hatch)
    _add(ax, medians, facecolor="none", edgecolor=look.median, linewidth=1.1, zorder=2.3)
    ax.autoscale_view()


def _add(ax: Axes, strokes: list[list[tuple[float, float]]], *, closed=False, **style) -> None:
    if not strokes:
        return
    vertices = [point for stroke in strokes for point in stroke]
    codes = []
    for stroke in strokes:
        codes += [Path.MOVETO] + [Path.LINETO] * (len(stroke) - 1)
        if closed:
            codes[-1] = Path.CLOSEPOLY
    # The default cap, "projecting", would let the medians stick out of their boxes.
    ax.add_patch(PathPatch(Path(vertices, codes), capstyle="butt", joinstyle="miter", **style))


def _luminance(colour: str) -> float:
    """Relative luminance, from 0 (black) to 1 (white), after WCAG 2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))
