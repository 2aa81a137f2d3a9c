"""What the panels of several kinds share: their points, axes, letters and reference lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from shakedown.attacks.attack import ATTACKS
from shakedown.figures.style import REFERENCE
from shakedown.metrics import find

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

#: The look of a line that values are read against.
REFERENCE_LINE = {"color": REFERENCE, "linewidth": 0.9, "linestyle": (0, (4, 2))}


def metric_of(frame: pd.DataFrame) -> str:
    """The metric of a table of one metric."""
    return str(frame["metric"].iloc[0])


def point_name(frame: pd.DataFrame) -> str:
    """What the points of a table's attack count: "k", "iteration", ..."""
    return ATTACKS.find(str(frame["attack"].iloc[0])).point_name


def point_axis(frame: pd.DataFrame) -> str:
    """What the axis of the points says."""
    name = point_name(frame)
    return "Features in the final model (k)" if name == "k" else f"{name.title()}s of the attack"


def points_in(frame: pd.DataFrame) -> list[int]:
    """The points in a table, in their order."""
    return sorted(int(point) for point in frame["point"].unique())


def value_axis(value: str, metric: str) -> str:
    """What the axis of a value says."""
    held = find(metric)
    named = {"delta": held.delta_axis, "score_public": f"Public {held.axis}"}
    return named.get(value, held.axis)


def number_steps(ax: Axes, steps: Sequence[float], *, at: Sequence[float] | None = None) -> None:
    """Number the steps along the x-axis: all of them when few, else 1, 5, 10, ..."""
    at = range(len(steps)) if at is None else at
    few = len(steps) <= 12
    shown = [(x, s) for x, s in zip(at, steps, strict=True) if few or s == 1 or s % 5 == 0]
    ax.set_xticks([x for x, _ in shown], [f"{s:,.0f}" for _, s in shown])
    ax.set_xlim(min(at) - 0.6, max(at) + 0.6)
    ax.grid(visible=False, axis="x")


def reference_line(ax: Axes, value: str, metric: str) -> None:
    """A line at Δ = 0, or across scores at the metric's yardstick where it has one."""
    for line in references([value], metric):
        ax.axhline(line.at, zorder=1.5, **REFERENCE_LINE)


class Reference(NamedTuple):
    """A line across a panel: where, its words in a legend, and what it means."""

    at: float
    words: str
    meaning: str


def references(values: Collection[str], metric: str) -> list[Reference]:
    """The lines across scores, where the metric has a yardstick, and across Δ."""
    held, lines = find(metric), []
    if held.yardstick and any(value != "delta" for value in values):
        at, meaning = held.yardstick
        words = f"{held.short} = {at:g}"
        lines.append(Reference(at, words, f"{words}, the {meaning}"))
    return lines + [Reference(0.0, "Δ = 0", "Δ = 0")] * ("delta" in values)


def reference_keys(lines: Sequence[Reference]) -> list[tuple[Line2D, str]]:
    """What stands for these lines in a legend."""
    from matplotlib.lines import Line2D

    words = " or ".join(line.words for line in lines)
    return [(Line2D([], [], **REFERENCE_LINE), words)] if lines else []


def letter(i: int) -> str:
    """Letter of the i-th panel: a, b, ..., z, aa, ab, ..."""
    return (letter(i // 26 - 1) if i >= 26 else "") + "abcdefghijklmnopqrstuvwxyz"[i % 26]
