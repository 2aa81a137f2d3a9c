"""Overfit against submissions, and the number of them that is safe, setting by setting."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from shakedown.figures.selection import floats, only, require, rows_of, settings_of
from shakedown.figures.setting_panels import (
    at_threshold,
    from_zero,
    head,
    line_colour,
    name_axes,
    of_threat,
    one_row,
    panel_per_setting,
)
from shakedown.figures.style import CHOSEN, INK, NARROW, PAGE_WIDTH, REFERENCE, themed
from shakedown.outcomes import MECHANISM, STRONGEST
from shakedown.wording import metric_name, signed_amount

CURVE = (
    *("dataset", "metric", *MECHANISM, "threat", "submissions", "quantile"),
    *("delta", "delta_low", "delta_high", "replicates"),
)
LIMITS = (
    *("dataset", "metric", *MECHANISM, "threat", "threshold"),
    *("safe_submissions", "ci_low", "ci_high", "censored"),
)
KIND = "safe_limits"


@themed
def safe_limits(
    frontier: pd.DataFrame,
    limits: pd.DataFrame,
    *,
    threat: str = STRONGEST,
    threshold: float | None = None,
    wanted: int | None = None,
    width: float = PAGE_WIDTH,
) -> Figure:
    """Curves of Δ with their intervals against submissions, a panel for each setting.

    Parameters
    ----------
    frontier : DataFrame
        Columns dataset, metric, mechanism, alpha, posterior_odds, eta, b, threat, submissions,
        quantile, delta, delta_low, delta_high (metric's unit), replicates; of one data set.
    limits : DataFrame
        Columns dataset, metric, mechanism, alpha, posterior_odds, eta, b, threat, threshold,
        safe_submissions, ci_low, ci_high, censored; the same settings.
    threat : str
        The kind of participant.
    threshold : float, optional
        Tolerated Δ, in the metric's unit; by default the first of `limits`.
    wanted : int, optional
        Submissions that each participant shall have: a line, and by each setting a tick (the
        lower end of its interval reaches it), a cross (the upper end does not) or a question mark.
    width : float
        Inches; below 5 the layout is one for phones.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If a column or all rows are missing, data sets or metrics are mixed, or the tables do not
        have the threat, the threshold or one row for each setting.
    """
    curves, safe, tolerated = _chosen(frontier, limits, threat, threshold)
    metric = only(curves, "metric", kind=KIND)
    settings = settings_of(curves)
    figure, panels = panel_per_setting(settings, width=width)
    most = float(floats(curves["submissions"]).max())
    bottom, top = _reach(curves, tolerated)
    for i, (setting, ax) in enumerate(panels.items()):
        row = one_row(rows_of(safe, setting), setting, "limits", kind=KIND)
        from_zero(ax.xaxis, most, room=0.28 if width < NARROW else 0.15)
        ax.set_xlim(0, 1.03 * max(most, wanted or 0))
        ax.set_ylim(bottom, top)
        ax.yaxis.set_major_formatter(lambda value, _: signed_amount(value))
        _curve(ax, rows_of(curves, setting), line_colour(setting.mechanism), bottom, top)
        ax.axhline(0, color=REFERENCE, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1.5)
        ax.axhline(tolerated, color=CHOSEN, linewidth=1.2, zorder=1.6)
        if wanted:
            ax.axvline(wanted, color=INK, linewidth=1.0, linestyle=(0, (1, 1)), zorder=1.6)
        _mark(ax, row, tolerated, most)
        first = int(rows_of(curves, setting)["submissions"].min())
        head(ax, setting, _finding(row, wanted, first, brief=width < NARROW))
        if i == 0:
            _name_lines(ax, tolerated, wanted)
    name_axes(panels.values(), "Submissions", f"Δ ({metric_name(metric)})")
    return figure


def safe_limits_caption(
    frontier: pd.DataFrame,
    limits: pd.DataFrame,
    *,
    threat: str = STRONGEST,
    threshold: float | None = None,
    wanted: int | None = None,
    **_: object,
) -> str:
    """How to read the figure; parameters as `safe_limits`."""
    curves, _, tolerated = _chosen(frontier, limits, threat, threshold)
    metric = metric_name(only(curves, "metric", kind=KIND))
    share = float(only(curves, "quantile", kind=KIND))
    attacker = "the median attacker" if share == 0.5 else f"the attacker at the {share:g} quantile"
    tick = (
        f" ✓: {wanted:,} submissions (dotted line) are safe even at the lower end of the interval; "
        "✗: they are not, even at the upper end; ?: the interval holds both."
        if wanted
        else ""
    )
    return (
        f"How far {attacker} gets with the number of submissions on the axis: Δ is how much worse "
        f"the final {metric} is than the public one, as a number below 0; 0 is an honest board. "
        "Band: 95 % interval. Line across: the Δ that is tolerated, "
        f"{signed_amount(tolerated)}. Dot and bar on it: the number of submissions up to which Δ "
        f"stays above it, with its 95 % interval; in bold above each panel.{tick} An arrow, and a "
        "+: no end was found among the numbers that were tried. Curves may leave the panel below."
    )


def _chosen(frontier, limits, threat, threshold):
    require(frontier, CURVE, kind=KIND)
    require(limits, LIMITS, kind=KIND)
    curves = of_threat(frontier, threat, kind=KIND)
    for column in ("dataset", "metric"):
        only(curves, column, kind=KIND)
    safe, tolerated = at_threshold(of_threat(limits, threat, kind=KIND), threshold, kind=KIND)
    return curves, safe, tolerated


def _reach(curves: pd.DataFrame, tolerated: float) -> tuple[float, float]:
    """The ends of the y-axis: what lies far below the line is of no interest."""
    deepest = -np.nanmin(floats(curves["delta"]))
    size = abs(tolerated)
    highest = np.nanmax(np.append(floats(curves["delta_high"]), 0.0))
    return -float(np.clip(1.1 * deepest, 2 * size, 3.5 * size)), float(
        np.clip(1.1 * highest, 0.35 * size, size)
    )


def _curve(ax: Axes, rows: pd.DataFrame, colour: str, bottom: float, top: float) -> None:
    rows = rows.sort_values("submissions")
    n = floats(rows["submissions"])
    low, delta, high = (floats(rows[c]) for c in ("delta_low", "delta", "delta_high"))
    # No bound: anything is possible.
    low, high = np.nan_to_num(low, nan=2 * bottom), np.nan_to_num(high, nan=2 * top)
    ax.fill_between(n, low, high, color=colour, alpha=0.25, linewidth=0, zorder=1.7)
    # From no overfit without submissions; many points, as the axis is not linear.
    before = np.linspace(0, n[0], 20)
    ax.plot(before, delta[0] * before / n[0], color=colour, linewidth=1.0, linestyle=":", zorder=2)
    ax.plot(n, delta, color=colour, linewidth=1.8, zorder=2.1)


def _mark(ax: Axes, row: pd.Series, tolerated: float, most: float) -> None:
    safe, low = float(row["safe_submissions"]), float(row["ci_low"])
    high = most if pd.isna(row["ci_high"]) else float(row["ci_high"])
    style = {"color": INK, "zorder": 3, "clip_on": False}
    ax.plot([low, high], [tolerated, tolerated], linewidth=3.2, solid_capstyle="butt", **style)
    marker = ">" if row["censored"] else "o"
    ax.plot([safe], [tolerated], marker=marker, markersize=6.5, **style)
    if pd.isna(row["ci_high"]) and not row["censored"]:
        ax.plot([most], [tolerated], marker=">", markersize=5, **style)


def _finding(row: pd.Series, wanted: int | None, first: int, *, brief: bool) -> str:
    safe, low, high = row["safe_submissions"], row["ci_low"], row["ci_high"]
    tick = ""
    if wanted:
        tick = "? "
        if low >= wanted:
            tick = "✓ "
        elif not pd.isna(high) and high < wanted:
            tick = "✗ "
    # Below the first number that was tried nothing is known.
    told = f"<{first:,}" if safe < first else f"{safe:,}" + ("+" if row["censored"] else "")
    between = f"{low:,}" + ("+" if pd.isna(high) else f"–{int(high):,}")
    if not pd.isna(high) and high < first:
        between = told
    interval = "" if told == between else f" ({between})"
    return f"{tick}{'' if brief else 'safe: '}{told}{interval}"


def _name_lines(ax: Axes, tolerated: float, wanted: int | None) -> None:
    plain = {"facecolor": "white", "linewidth": 0, "pad": 0.8}  # a line may run behind it
    style = {"fontsize": 8, "color": INK, "textcoords": "offset points", "bbox": plain}
    ax.annotate(
        f"tolerated: {signed_amount(tolerated)}",
        (1, tolerated),
        xycoords=("axes fraction", "data"),
        xytext=(0, -4),
        ha="right",
        va="top",
        **style,
    )
    if wanted:
        ax.annotate(
            f"{wanted:,} wanted",
            (wanted, 0),
            xycoords=("data", "axes fraction"),
            xytext=(4, 4),
            **style,
        )
