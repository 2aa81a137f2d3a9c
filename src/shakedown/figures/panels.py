"""What the panels of several kinds share: their axes, letters and reference lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shakedown.attacks.attack import ATTACKS, Attack
from shakedown.figures.style import REFERENCE
from shakedown.metrics import Metric, find
from shakedown.wording import listed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

#: The look of a line that values are read against.
REFERENCE_LINE = {"color": REFERENCE, "linewidth": 0.9, "linestyle": (0, (4, 2))}
#: The same at a difference of 0, near which medians lie: it must not hide them.
ZERO_LINE = REFERENCE_LINE | {"linewidth": 0.6}


def metric_of(frame: pd.DataFrame) -> Metric:
    """The metric of a table of one metric."""
    return find(str(frame["metric"].iloc[0]))


def attack_of(frame: pd.DataFrame) -> type[Attack]:
    """The attack of a table of one attack."""
    return ATTACKS.find(str(frame["attack"].iloc[0]))


def point_axis(frame: pd.DataFrame) -> str:
    """What the axis of the points says."""
    attack = attack_of(frame)
    if attack.points_are_sizes:
        return f"Features in the final model ({attack.point_name})"
    return f"{attack.point_name.title()}s of the attack"


def value_axis(value: str, metric: Metric) -> str:
    """What the axis of a value says."""
    public = f"Public {metric.axis}"
    if metric.yardstick and metric.yardstick[1].startswith("variance"):  # what a constant scores
        at = metric.yardstick[0]
        public = f"Public {metric.short}\n(below {at:g}: looks better than a constant)"
    named = {"delta": metric.delta_axis, "score_public": public}
    return named.get(value, metric.axis)


def draw_references(
    shown: Mapping[Axes, str], metric: Metric
) -> tuple[list[tuple[Line2D, str]], list[str]]:
    """Draw a line at Δ = 0, or across scores at the metric's yardstick where it has one.

    A yardstick far from the scores is left out: an axis up to there would flatten them.

    Parameters
    ----------
    shown : mapping of Axes to str
        What each panel shows: "delta", or anything else for scores.

    Returns
    -------
    keys, sentences : list
        For the legend and the caption; empty if there is no line.
    """
    meanings = {}
    for ax, value in shown.items():
        look = REFERENCE_LINE
        if value == "delta":
            at, words, look = 0.0, "Δ = 0", ZERO_LINE
            meanings[words] = words
        elif metric.yardstick:
            at, meaning = metric.yardstick
            if not _is_near(ax, at):
                continue
            words = f"{metric.short} = {at:g}"
            meanings[words] = f"{words}, the {meaning}"
        else:
            continue
        line = ax.axhline(at, zorder=1.5, **look)
    if not meanings:
        return [], []
    # The shortest first: a meaning may have a comma of its own.
    said = listed(sorted(meanings.values(), key=len))
    return [(line, " or ".join(meanings))], [f"Dashed line{'s' * (len(meanings) > 1)}: {said}."]


def _is_near(ax: Axes, at: float) -> bool:
    """Whether an axis that reaches a value is at most a third longer."""
    low, high = ax.get_ylim()
    return low - (high - low) / 3 <= at <= high + (high - low) / 3


def lettered(titles: Sequence[str]) -> list[str]:
    """The titles of panels, with letters unless there is one panel."""
    if len(titles) == 1:
        return list(titles)
    return [f"{letter(i)}   {title}" for i, title in enumerate(titles)]


def letter(i: int) -> str:
    """Letter of the i-th panel: a, b, ..., z, aa, ab, ..."""
    return (letter(i // 26 - 1) if i >= 26 else "") + "abcdefghijklmnopqrstuvwxyz"[i % 26]
