"""What the figures of a dry run share: a panel per setting, axes from 0, the rows of a threat."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from shakedown.figures.boxart import mechanism_look
from shakedown.figures.style import NARROW, PAGE_WIDTH, Setting
from shakedown.interface import InputError
from shakedown.wording import amount


def of_threat(frame: pd.DataFrame, threat: str, *, kind: str) -> pd.DataFrame:
    """The rows of one kind of participant.

    Raises
    ------
    InputError
        If there is none.
    """
    rows = frame[(frame["threat"] == threat).to_numpy(dtype=bool)]
    if rows.empty:
        held = ", ".join(sorted(frame["threat"].astype(str).unique()))
        raise InputError(f"figure kind {kind!r}: threat must be one of {held}, got {threat!r}.")
    return rows


def at_threshold(
    limits: pd.DataFrame, threshold: float | None, *, kind: str
) -> tuple[pd.DataFrame, float]:
    """The limits for one threshold, by default the first in the table.

    Raises
    ------
    InputError
        If the table has no such threshold.
    """
    held = limits["threshold"].to_numpy(dtype=float)
    wanted = float(held[0]) if threshold is None else threshold
    rows = limits[np.isclose(held, wanted, rtol=1e-9, atol=0)]
    if rows.empty:
        known = ", ".join(f"{t:g}" for t in dict.fromkeys(held))
        raise InputError(f"figure kind {kind!r}: threshold must be one of {known}, got {wanted:g}.")
    return rows, wanted


def one_row(rows: pd.DataFrame, setting: Setting, table: str, *, kind: str) -> pd.Series:
    """The row of a setting.

    Raises
    ------
    InputError
        If there is none, or more than one.
    """
    if len(rows) != 1:
        raise InputError(
            f"figure kind {kind!r}: wanted one row of the table of {table} for {setting.label}, "
            f"got {len(rows)}."
        )
    return rows.iloc[0]


def panel_per_setting(
    settings: Sequence[Setting], *, width: float = PAGE_WIDTH, height: float = 1.35
) -> tuple[Figure, dict[Setting, Axes]]:
    """A figure with a panel for each setting of a mechanism.

    On a page the levels of a test stand side by side, and each mechanism (with its b) starts a
    row; on a phone two panels stand side by side in the same order.

    Parameters
    ----------
    settings : sequence of Setting
    width : float
        Inches.
    height : float
        Inches of a panel, without its title.
    """
    rows: dict[tuple, list[Setting]] = {}
    for setting in settings:
        rows.setdefault((setting.mechanism, -(setting.b or 0)), []).append(setting)
    lines = [rows[key] for key in sorted(rows, key=lambda k: (rows[k][0].sort_key[0], k[1]))]
    narrow = width < NARROW
    if narrow:
        flat = [setting for line in lines for setting in line]
        lines = [flat[i : i + 2] for i in range(0, len(flat), 2)]
    across = max(len(line) for line in lines)
    figure = Figure(figsize=(width, 0.6 + (height + 0.62) * len(lines)), layout="constrained")
    axes = figure.subplots(len(lines), across, sharex=True, sharey=True, squeeze=False)
    if narrow:
        # Names may be wider than their panels, which must not make the panels narrower; so `head`
        # leaves them out of the layout, and the gaps make room.
        figure.get_layout_engine().set(h_pad=0.13, w_pad=0.05)
    panels = {}
    for line, places in zip(lines, axes, strict=True):
        for ax in places[len(line) :]:
            ax.set_visible(False)
        panels |= dict(zip(line, places, strict=False))
    # The lowest panel of a column shows what the x-axis is, also where the last row has gaps.
    for ax in lowest(panels.values()):
        ax.xaxis.set_tick_params(labelbottom=True)
    return figure, panels


def lowest(axes: Collection[Axes]) -> list[Axes]:
    """The lowest panel of each column."""
    return list({ax.get_subplotspec().colspan.start: ax for ax in axes}.values())


def name_axes(axes: Collection[Axes], x: str, y: str) -> None:
    """Name the x-axis under each column, by its lowest panel, and the y-axis beside each row."""
    for ax in lowest(axes):
        ax.set_xlabel(x)
    for ax in axes:
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(y)


def head(ax: Axes, setting: Setting, finding: str = "") -> None:
    """Write a setting above its panel, and below that in bold what was found."""
    name = ax.set_title(short(setting), fontsize=8.5, pad=16 if finding else 4)
    narrow = ax.figure.get_figwidth() < NARROW
    name.set_in_layout(not narrow)
    if finding:
        ax.annotate(
            finding,
            (0, 1),
            xycoords="axes fraction",
            xytext=(0, 3),
            textcoords="offset points",
            weight="bold",
            fontsize=8.5,
        ).set_in_layout(not narrow)


def short(setting: Setting) -> str:
    """Name and parameters in two lines, the parameters as short as can be."""
    return setting.stacked.replace("posterior odds", "odds")


def line_colour(mechanism: str) -> str:
    """Colour of a mechanism's line, dark enough for white paper."""
    return mechanism_look(mechanism, hollow=True).edge


def from_zero(axis: Axis, top: float, *, room: float = 0.1) -> None:
    """An axis from 0 to `top` on which distances follow the square root.

    Small numbers get more room than on a linear axis, and 0 has a place, unlike on a logarithmic
    one.

    Parameters
    ----------
    axis : Axis
    top : float
        Positive.
    room : float
        Least distance of two ticks, as a share of the axis.
    """
    name = axis.axis_name
    set_scale = getattr(axis.axes, f"set_{name}scale")
    set_scale("function", functions=(_root, _square))
    ticks = [0.0]
    for tick in _round_numbers(top):
        if np.sqrt(tick / top) - np.sqrt(ticks[-1] / top) >= room:
            ticks.append(tick)
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FixedFormatter([amount(tick) for tick in ticks]))
    axis.set_minor_locator(NullLocator())


def _round_numbers(top: float) -> list[float]:
    """1, 2, 5, 10, 20, ... times powers of ten, up to `top`."""
    power = int(np.floor(np.log10(top)))
    numbers = [d * 10.0**k for k in range(power - 3, power + 1) for d in (1, 2, 5)]
    return [n for n in numbers if n <= top * (1 + 1e-9)]


def _root(x):
    return np.sign(x) * np.sqrt(np.abs(x))


def _square(x):
    return np.sign(x) * np.square(x)
