"""What the figures of a replay share: which boards, a panel each, axes without outliers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from shakedown.figures.selection import settings_of
from shakedown.figures.setting_panels import head
from shakedown.figures.style import NARROW, PAGE_WIDTH, Setting
from shakedown.metrics import find
from shakedown.replay.grouping import OPEN
from shakedown.wording import counted, listed, metric_name

# The mechanisms that are shown where there is not room for all.
_FIRST = (
    *OPEN, "parameter_free_ladder", "ladder", "ladderboot", "bayesboot_ladderboot",
    "bayesboot_ladder", "simplified_ladder", "general_ladder",
)  # fmt: skip
# A value that is further from the quartiles than so many times their distance leaves the axis.
_REACH = 3.0


def of_teams(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of boards for teams; all rows where there is none."""
    rows = frame[(frame["boards"] == "per_team").to_numpy(bool)]
    return frame if rows.empty else rows


def shown_settings(frame: pd.DataFrame, most: int) -> list[Setting]:
    """The boards that a figure has room for, at most `most`, in the usual order.

    One of those that show every score, and of each other mechanism that with the middle settings.
    """
    by_name: dict[str, list[Setting]] = {}
    for setting in settings_of(frame):
        by_name.setdefault(setting.mechanism, []).append(setting)
    # Boards that show every score differ by their rounding alone.
    for name in [name for name in OPEN if name in by_name][1:]:
        del by_name[name]
    rank = {name: k for k, name in enumerate(_FIRST)}
    kept = sorted(by_name, key=lambda name: rank.get(name, len(rank)))[:most]
    return [own[len(own) // 2] for name, own in by_name.items() if name in kept]


def told_apart(frame: pd.DataFrame, shown: Sequence[Setting]) -> str:
    """What kind the boards are, where not for teams, and how many a figure has no room for.

    Sentences with a blank in front; "" for boards for teams that are all shown.
    """
    left = len(settings_of(frame)) - len(shown)
    kind = " All of these are boards for ranks." * bool((frame["boards"] == "per_rank").all())
    more = f" {counted(left, 'other board')} had no room here; the tables have all." * (left > 0)
    return kind + more


def team_name(name: object, most: int) -> str:
    """The name of a team as it is to be drawn, cut to so many letters.

    Teams name themselves; matplotlib would read what stands between two dollar signs as a formula.
    """
    line = " ".join(str(name).split())
    return (line if len(line) <= most else f"{line[: most - 1]}…").replace("$", r"\$")


def board_panels(
    settings: Sequence[Setting], *, width: float = PAGE_WIDTH, height: float = 1.75
) -> tuple[Figure, dict[Setting, Axes]]:
    """A figure with a panel for each board."""
    figure, axes = panel_grid(len(settings), width=width, height=height, sharex=True)
    panels = dict(zip(settings, axes, strict=True))
    for setting, ax in panels.items():
        head(ax, setting)
    return figure, panels


def panel_grid(
    count: int, *, width: float = PAGE_WIDTH, height: float = 1.75, sharex: bool = False
) -> tuple[Figure, list[Axes]]:
    """A figure with panels that share a y-axis: two or three side by side, two on a phone."""
    narrow = width < NARROW
    across = 2 if narrow or count == 4 else 3
    across = min(count, across)
    down = -(-count // across)
    figure = Figure(figsize=(width, 1.0 + (height + 0.5) * down), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.09, w_pad=0.05)
    axes = list(figure.subplots(down, across, sharex=sharex, sharey=True, squeeze=False).ravel())
    for ax in axes[count:]:
        ax.set_visible(False)
    for ax in axes[:count][-across:]:
        ax.xaxis.set_tick_params(labelbottom=True)
    return figure, axes[:count]


def name_whole(figure: Figure, x: str, y: str) -> None:
    """Name both axes once for all panels."""
    figure.supxlabel(x, fontsize=8.5)
    figure.supylabel(y, fontsize=8.5)


def score_axis(metric: str) -> str:
    """Name of an axis of scores, with the direction of the metric."""
    return f"{metric_name(metric)} ({direction(metric)})"


def direction(metric: str) -> str:
    """Which scores are good."""
    return "higher is better" if find(metric).larger_is_better else "lower is better"


def limits_without_outliers(*values: np.ndarray, room: float = 0.06) -> tuple[float, float]:
    """Ends of an axis that far outliers do not stretch."""
    flat = np.concatenate([np.ravel(v) for v in values])
    flat = flat[np.isfinite(flat)]
    if not flat.size:
        return 0.0, 1.0
    low, high = np.quantile(flat, [0.25, 0.75])
    reach = _REACH * (high - low)
    inside = flat[(flat >= low - reach) & (flat <= high + reach)]
    least, most = inside.min(), inside.max()
    pad = room * (most - least) or 0.05 * abs(most) or 1.0
    return float(least - pad), float(most + pad)


def outside(values: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    """Which values an axis leaves out; bool, of their shape."""
    return (values < ends[0]) | (values > ends[1])


def mark_outside(
    ax: Axes, x: np.ndarray, y: np.ndarray, ends: tuple[float, float], **style
) -> None:
    """Triangles at the edge in place of points beyond it."""
    for beyond, edge, marker in ((y > ends[1], ends[1], "^"), (y < ends[0], ends[0], "v")):
        if beyond.any():
            (marks,) = ax.plot(
                x[beyond], np.full(beyond.sum(), edge), linestyle="none", marker=marker,
                markersize=5, clip_on=False, zorder=3, **style,
            )  # fmt: skip
            marks.set_in_layout(False)


def beyond_words(count: int, where: str = "edge") -> str:
    """A sentence on the points that are marked at an edge; "" for none."""
    return f" Triangles at the {where}: {counted(count, 'value')} beyond it." if count else ""


def names(settings: Sequence[Setting]) -> str:
    """Names of boards in a sentence."""
    return listed([setting.label for setting in settings])
