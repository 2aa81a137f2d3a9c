"""What a board shows to each attacker as submissions go by, a line per replicate ([Z] Fig. 2)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from shakedown.figures import panels
from shakedown.figures.curves import points
from shakedown.figures.selection import only, require, rows_of, settings_of
from shakedown.figures.setting_panels import line_colour, lowest
from shakedown.figures.style import DOT, PAGE_WIDTH, REFERENCE, Setting, themed
from shakedown.interface import InputError
from shakedown.wording import YARDSTICKS, attack_name, metric_name

KIND = "trajectories"

_STEP = (0, (1.2, 1.5))


@themed
def trajectories(
    frame: pd.DataFrame,
    *,
    accuracy: bool = False,
    lines: int = 20,
    rows: Mapping[str, int] | None = None,
    after: str | None = None,
) -> Figure:
    """Released and actual public scores against submissions, replicate by replicate.

    Parameters
    ----------
    frame : DataFrame
        Outcomes of one design and metric; each experiment, data set and mechanism has a panel.
    accuracy : bool
        Show 1 − loss, under the metric zero_one.
    lines : int
        Replicates to draw in a panel, from the first.
    rows : mapping of str to int, optional
        Public rows of the data sets, by their ids; named above the panels.
    after : str, optional
        The figure of a paper that this one follows, for the caption.

    Returns
    -------
    Figure
        Where the metric has a yardstick a line is drawn there, and for mechanisms with a step η two
        lines one step above and below it.

    Raises
    ------
    InputError
        If a column or all rows are missing, the table mixes designs or metrics, `lines` is less
        than 1, or the metric has no accuracy.

    Notes
    -----
    With accuracies the layout is that of Fig. 2 of Zheng (2015).
    """
    shown = parts_of(frame, accuracy=accuracy, lines=lines)
    metric = str(only(frame, "metric", kind=KIND))
    across = min(len(shown), 2)
    down = math.ceil(len(shown) / across)
    figure = Figure(figsize=(PAGE_WIDTH, 0.8 + 2.5 * down), layout="constrained")
    axes = list(figure.subplots(down, across, squeeze=False).flat)
    handles: dict[str, Line2D] = {}
    several = len({str(part["attack"].iloc[0]) for _, part in shown}) > 1
    for i, ax in enumerate(axes):
        if i >= len(shown):
            ax.set_visible(False)
            continue
        setting, part = shown[i]
        _reference(ax, metric, setting, handles, accuracy=accuracy)
        _panel(ax, part, setting, lines, handles, accuracy=accuracy)
        ax.set_title(f"{panels.letter(i)}   {_head(setting, part, rows, several=several)}")
        if ax.get_subplotspec().is_first_col():
            name = metric_name(metric)
            ax.set_ylabel("Accuracy" if accuracy else f"{name[0].upper()}{name[1:]}")
    for ax in lowest([ax for ax in axes if ax.get_visible()]):
        ax.set_xlabel("Submissions (k)")
    order = ["released", "public", "half", "step"]
    figure.legend(
        handles=[handles[key] for key in order if key in handles],
        loc="outside upper left",
        ncols=len(handles),
        handlelength=2.6,
    )
    return figure


def parts_of(
    frame: pd.DataFrame, *, accuracy: bool, lines: int
) -> list[tuple[Setting, pd.DataFrame]]:
    """The mechanism and the rows of each panel; parameters and errors as `trajectories`."""
    require(frame, (*panels.OUTCOMES, "experiment", "score_released"), kind=KIND)
    panels.one_of_each(frame, kind=KIND, several=("dataset", "attack", "board"))
    metric = only(frame, "metric", kind=KIND)
    if accuracy and metric != "zero_one":
        raise InputError(
            f"figure kind {KIND!r}: an accuracy is 1 - the score under the metric zero_one; got "
            f"{metric}. Leave out `accuracy`."
        )
    if lines < 1:
        raise InputError(f"figure kind {KIND!r}: lines must be at least 1, got {lines}.")
    parts = []
    names = frame["experiment"].astype(str) + "\n" + frame["dataset"].astype(str)
    for name in dict.fromkeys(names):
        part = frame[(names == name).to_numpy(dtype=bool)]
        parts += [(setting, rows_of(part, setting)) for setting in settings_of(part)]
    return parts


def _panel(
    ax: Axes,
    part: pd.DataFrame,
    setting: Setting,
    lines: int,
    handles: dict[str, Line2D],
    *,
    accuracy: bool,
) -> None:
    colour = line_colour(setting.mechanism)
    styles = {
        "public": ("score_public", "public score of the submission", DOT, 0.8, 0.9),
        "released": ("score_released", "what the board shows", colour, 1.2, 0.75),
    }
    for key, (column, words, color, width, alpha) in styles.items():
        k, values = points(part, column, kind=KIND)
        if not np.isfinite(values).any():
            continue  # a board without scores
        drawn = values[:lines].T  # shape (points, lines)
        ax.plot(
            k,
            1 - drawn if accuracy else drawn,
            color=color,
            linewidth=width,
            alpha=alpha,
            # Nothing is known of a replicate between two points.
            drawstyle="steps-post",
            zorder=2,
        )
        if accuracy:
            words = words.replace("score", "accuracy")
        handles.setdefault(key, Line2D([], [], color=color, linewidth=width, label=words))
    ax.set_xlim(0, 1.02 * k.max())
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:,.0f}"))


def _reference(
    ax: Axes, metric: str, setting: Setting, handles: dict[str, Line2D], *, accuracy: bool
) -> None:
    if metric not in YARDSTICKS:
        return
    at = YARDSTICKS[metric][0]
    at = 1 - at if accuracy else at
    style = {"color": REFERENCE, "linewidth": 0.9, "zorder": 1.5}
    handles["half"] = ax.axhline(at, linestyle=(0, (4, 2)), label=f"{at:g}", **style)
    if setting.eta is not None:
        for step in (at - setting.eta, at + setting.eta):
            handles["step"] = ax.axhline(step, linestyle=_STEP, label=f"{at:g} ± η", **style)


def _head(
    setting: Setting, part: pd.DataFrame, rows: Mapping[str, int] | None, *, several: bool
) -> str:
    n = (rows or {}).get(str(part["dataset"].iloc[0]))
    words = [setting.label, *([f"n = {n:,}"] if n else [])]
    attack = f"\n{attack_name(str(part['attack'].iloc[0]))}" if several else ""
    return ", ".join(words) + attack
