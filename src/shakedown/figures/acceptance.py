"""How likely a true improvement is accepted, and seen, setting by setting."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MultipleLocator, PercentFormatter

from shakedown.figures.selection import floats, only, require, rows_of, settings_of
from shakedown.figures.setting_panels import (
    from_zero,
    head,
    line_colour,
    name_axes,
    one_row,
    panel_per_setting,
)
from shakedown.figures.style import INK, NARROW, PAGE_WIDTH, REFERENCE, themed
from shakedown.outcomes import MECHANISM
from shakedown.wording import amount, metric_name

ACCEPTANCE = (
    *("dataset", "metric", *MECHANISM),
    *("gain", "accepted", "accepted_low", "accepted_high", "seen"),
)
KIND = "acceptance"
FLOOR = 0.8


@themed
def acceptance(
    acceptance: pd.DataFrame, utility: pd.DataFrame | None = None, *, width: float = PAGE_WIDTH
) -> Figure:
    """Chance of being accepted, and of being seen, against the true gain of a submission.

    Parameters
    ----------
    acceptance : DataFrame
        Columns dataset, metric, mechanism, alpha, posterior_odds, eta, b, gain (metric's unit,
        larger is better), accepted, accepted_low, accepted_high, seen (shares); of one data set.
    utility : DataFrame, optional
        Columns mechanism, alpha, posterior_odds, eta, b, seen_floor: the smallest gain that is
        seen in 4 of 5 cases (null: none of those tried), to be marked and named.
    width : float
        Inches; below 5 the layout is one for phones.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If a column or all rows are missing, data sets or metrics are mixed, or `utility` does not
        have one row for each setting.
    """
    metric = _checked(acceptance, utility)
    settings = settings_of(acceptance)
    figure, panels = panel_per_setting(settings, width=width)
    most = float(floats(acceptance["gain"]).max())
    for setting, ax in panels.items():
        rows = rows_of(acceptance, setting).sort_values("gain")
        gain = floats(rows["gain"])
        from_zero(ax.xaxis, most, room=0.28 if width < NARROW else 0.14)
        ax.set_xlim(0, 1.02 * most)
        ax.set_ylim(-0.03, 1.05)
        ax.yaxis.set_major_locator(MultipleLocator(0.5 if width < NARROW else 0.25))
        ax.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
        ax.axhline(FLOOR, color=REFERENCE, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1.5)
        colour = line_colour(setting.mechanism)
        low, high = floats(rows["accepted_low"]), floats(rows["accepted_high"])
        ax.fill_between(
            gain, np.nan_to_num(low, nan=0), np.nan_to_num(high, nan=1),
            color=colour, alpha=0.25, linewidth=0, zorder=1.7,
        )  # fmt: skip
        ax.plot(gain, floats(rows["accepted"]), color=colour, linewidth=1.8, zorder=2)
        ax.plot(gain, floats(rows["seen"]), color=INK, linewidth=1.2, linestyle="--", zorder=2.1)
        finding = ""
        if utility is not None:
            row = one_row(rows_of(utility, setting), setting, "usefulness", kind=KIND)
            floor = row["seen_floor"]
            never = pd.isna(floor)
            finding = "not seen reliably" if never else f"seen from {amount(floor, 2)} on"
            if not never:
                ax.plot([floor], [FLOOR], marker="o", color=INK, markersize=5.5, zorder=3)
        head(ax, setting, finding)
    name_axes(panels.values(), f"True gain ({metric_name(metric)})", "Chance")
    figure.legend(
        handles=[
            (Patch(color=REFERENCE, alpha=0.25), Line2D([], [], color=REFERENCE, linewidth=1.8)),
            Line2D([], [], color=INK, linewidth=1.2, linestyle="--"),
        ],
        labels=["accepted", "accepted, and shown better"],
        loc="outside upper center",
        ncols=2,
    )
    return figure


def acceptance_caption(
    acceptance: pd.DataFrame, utility: pd.DataFrame | None = None, **_: object
) -> str:
    """How to read the figure; parameters as `acceptance`."""
    metric = metric_name(_checked(acceptance, utility))
    return (
        "A participant sends a submission that is truly better than the one before, by the gain on "
        f"the axis ({metric}). Solid line with its 95 % band: how often the board accepts it as "
        "the new best; broken line: how often the participant also sees a better score than "
        "before. At a gain of 0, what is accepted is luck. Line across: 4 of 5 "
        "cases" + ("; dot: the gain that is seen so often." if utility is not None else ".")
    )


def _checked(acceptance: pd.DataFrame, utility: pd.DataFrame | None) -> str:
    require(acceptance, ACCEPTANCE, kind=KIND)
    if utility is not None:
        require(utility, (*MECHANISM, "seen_floor"), kind=KIND)
    only(acceptance, "dataset", kind=KIND)
    return only(acceptance, "metric", kind=KIND)
