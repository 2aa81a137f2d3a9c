"""Protection against usefulness: every setting a point."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from shakedown.figures.labels import name_points
from shakedown.figures.safe_limits import LIMITS
from shakedown.figures.selection import PARAMETERS, floats, only, require, rows_of, settings_of
from shakedown.figures.setting_panels import (
    at_threshold,
    from_zero,
    line_colour,
    of_threat,
    one_row,
    short,
)
from shakedown.figures.style import BAND, CHOSEN, INK, NARROW, ORDER, PAGE_WIDTH, themed
from shakedown.interface import InputError
from shakedown.outcomes import MECHANISM, STRONGEST
from shakedown.wording import amount, metric_name, signed_amount

UTILITY = ("dataset", "metric", *MECHANISM, "seen_floor", "resolution_floor")
FLOORS = {
    "seen_floor": ("Smallest true gain", "that shows on the board"),
    "resolution_floor": ("Smallest true gain", "that the board accepts"),
}
KIND = "protection"
_NOTHING = (
    "No leaderboard has a number of submissions that is safe on a cautious reading,\n"
    "so there is no protection yet to weigh against usefulness."
)
_MARKERS = dict(zip(ORDER, "ovph*s^DP<X8", strict=True))


@themed
def protection(
    limits: pd.DataFrame,
    utility: pd.DataFrame,
    *,
    floor: str = "seen_floor",
    threat: str = STRONGEST,
    threshold: float | None = None,
    wanted: int | None = None,
    recommended: Mapping[str, object] | None = None,
    width: float = PAGE_WIDTH,
) -> Figure:
    """Safe submissions against the smallest gain that participants get to see.

    Parameters
    ----------
    limits : DataFrame
        Columns dataset, metric, mechanism, alpha, posterior_odds, eta, b, threat, threshold,
        safe_submissions, ci_low, ci_high, censored; of one data set.
    utility : DataFrame
        Columns dataset, metric, mechanism, alpha, posterior_odds, eta, b, seen_floor,
        resolution_floor (metric's unit; null where no gain that was tried is large enough); a row
        for each setting in `limits`.
    floor : {"seen_floor", "resolution_floor"}
    threat : str
        The kind of participant.
    threshold : float, optional
        Tolerated Δ, in the metric's unit; by default the first of `limits`.
    wanted : int, optional
        Submissions that each participant shall have.
    recommended : mapping, optional
        The setting that is recommended: mechanism, and those of alpha, posterior_odds, eta and b
        that it has.
    width : float
        Inches; below 5 the layout is one for phones.

    Returns
    -------
    Figure
        Further right is safer, further up more useful.  Filled points: no other setting is better
        in one and at least as good in the other; a line joins them.  Where no setting has a number
        that is safe on a cautious reading, a sentence that says so.

    Raises
    ------
    InputError
        If a column or all rows are missing, data sets or metrics are mixed, the tables do not have
        the threat, the threshold or one row for each setting, `floor` is not known, or the
        recommended setting is not among them.
    """
    table = points(limits, utility, floor=floor, threat=threat, threshold=threshold)
    metric = only(limits, "metric", kind=KIND)
    chosen = _recommended(table, recommended)
    narrow = width < NARROW
    if not table["safe"].any():
        return _nothing(width)
    figure = Figure(figsize=(width, 5.0 if narrow else 4.4), layout="constrained")
    ax = figure.subplots()
    most = max(float(table["high"].max()), float(wanted or 0), 1.0)
    largest = float(np.nanmax(np.append(table["floor"], 0.0))) or 1.0
    # Room below for gains that were never seen.
    never = table["floor"].isna().to_numpy()
    end = largest * (1.6 if never.any() else 1.15)
    y = np.where(never, 1.42 * largest, table["floor"])
    from_zero(ax.xaxis, most, room=0.13 if narrow else 0.09)
    from_zero(ax.yaxis, largest)
    # Room for the names of those that are safe as far as was tried.
    ax.set_xlim(-0.002 * most, (1.1 if narrow else 1.45) * most)
    ax.set_ylim(end, -0.004 * end)
    ax.grid(visible=True, axis="both")
    if never.any():
        ticks = [*ax.get_yticks(), 1.42 * largest]
        ax.set_yticks(ticks, [*(amount(t) for t in ticks[:-1]), "none of\nthose tried"])
    if wanted:
        _wanted(ax, wanted)
    x = table["safe"].to_numpy()
    front = table["front"].to_numpy()
    path = np.lexsort((-y[front], x[front]))
    ax.plot(x[front][path], y[front][path], color=INK, linewidth=0.9, zorder=1.8)
    for i, row in enumerate(table.itertuples()):
        colour = line_colour(row.setting.mechanism)
        ax.hlines(y[i], row.safe, row.high, color=colour, linewidth=1.2, zorder=2)
        if row.open:
            ax.plot(row.high, y[i], marker=">", color=colour, markersize=4, zorder=2)
        ax.plot(
            row.safe,
            y[i],
            marker=_MARKERS[row.setting.mechanism],
            markersize=7,
            markerfacecolor=colour if row.front else "white",
            markeredgecolor=colour,
            markeredgewidth=1.3,
            zorder=3,
        )
    if chosen is not None:
        ring = {"markersize": 15, "markerfacecolor": "none", "markeredgecolor": CHOSEN}
        ax.plot(x[chosen], y[chosen], marker="o", markeredgewidth=1.8, zorder=2.9, **ring)
    ax.set_xlabel("Submissions that are safe, on a cautious reading  (right: safer)")
    words = ("\n" if narrow else " ").join((*FLOORS[floor], f"({metric_name(metric)})"))
    ax.set_ylabel(f"{words}\n(up: more useful)")
    if narrow:
        ax.set_xlabel("Submissions that are safe, on a\ncautious reading  (right: safer)")
    names = [str(i + 1) if narrow else short(s) for i, s in enumerate(table["setting"])]
    if chosen is not None and not narrow:
        names[chosen] += "\nrecommended"
    bold = np.arange(len(table)) == (-1 if chosen is None else chosen)
    if narrow:
        figure.legend(
            handles=_key(table, chosen), loc="outside lower left", ncols=1, handletextpad=0.4
        )
    drawn = [np.column_stack([x[front][path], y[front][path]])]
    drawn += [np.array([(a, h), (b, h)]) for a, b, h in zip(x, table["high"], y, strict=True)]
    if wanted:
        drawn.append(np.array([(wanted, 0.0), (wanted, end)]))
    name_points(ax, x, y, names, bold=bold, lines=drawn)
    return figure


def protection_caption(
    limits: pd.DataFrame,
    utility: pd.DataFrame,
    *,
    floor: str = "seen_floor",
    threat: str = STRONGEST,
    threshold: float | None = None,
    wanted: int | None = None,
    recommended: Mapping[str, object] | None = None,
    **_: object,
) -> str:
    """How to read the figure; parameters as `protection`."""
    table = points(limits, utility, floor=floor, threat=threat, threshold=threshold)
    chosen = _recommended(table, recommended)
    _, tolerated = at_threshold(limits, threshold, kind=KIND)
    metric = metric_name(only(limits, "metric", kind=KIND))
    if not table["safe"].any():
        return (
            "Left out: with every setting the lower end of the 95 % interval is at no submissions "
            f"(Δ of the {metric} above {signed_amount(tolerated)})."
        )
    what = "it and the participant sees a better score" if floor == "seen_floor" else "it"
    return (
        "Every setting is a point: the further right, the more submissions are safe (Δ of the "
        f"{metric} stays above {signed_amount(tolerated)}); the further up, the smaller the true "
        "improvements that it shows. Points stand at the lower end of the 95 % interval, the bar "
        "goes to its upper end (arrow: beyond what was tried). A gain counts when the board "
        f"accepts {what} in 4 of 5 cases. Filled points on the line: no other setting is better "
        "in one respect without being worse in the other."
        + (f" Grey: fewer than the {wanted:,} submissions that are wanted." if wanted else "")
        + (f" Ring: recommended, {table['setting'][chosen].label}." if chosen is not None else "")
    )


def _nothing(width: float) -> Figure:
    figure = Figure(figsize=(width, 1.0), layout="constrained")
    ax = figure.subplots()
    ax.set_axis_off()
    words = _NOTHING.replace("\n", " ")
    text = fill(words, 46) if width < NARROW else _NOTHING
    ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes)
    return figure


def points(
    limits: pd.DataFrame,
    utility: pd.DataFrame,
    *,
    floor: str,
    threat: str,
    threshold: float | None,
) -> pd.DataFrame:
    """What is drawn: columns setting, safe (cautious), high, open (no upper end), floor, front."""
    if floor not in FLOORS:
        raise InputError(
            f"figure kind {KIND!r}: floor must be one of {', '.join(FLOORS)}, got {floor!r}."
        )
    require(limits, LIMITS, kind=KIND)
    require(utility, UTILITY, kind=KIND)
    for table, column in itertools.product((limits, utility), ("dataset", "metric")):
        only(table, column, kind=KIND)
    rows, _ = at_threshold(of_threat(limits, threat, kind=KIND), threshold, kind=KIND)
    table = []
    for setting in settings_of(rows):
        limit = one_row(rows_of(rows, setting), setting, "limits", kind=KIND)
        use = one_row(rows_of(utility, setting), setting, "usefulness", kind=KIND)
        tried = float(limit["safe_submissions"])
        unknown = pd.isna(limit["ci_high"])
        high = tried if unknown else float(limit["ci_high"])
        least = np.nan if pd.isna(use[floor]) else float(use[floor])
        safe = float(limit["ci_low"])
        table.append((setting, safe, max(high, safe), bool(unknown), least))
    whole = pd.DataFrame(table, columns=["setting", "safe", "high", "open", "floor"])
    return whole.assign(front=pareto(floats(whole["safe"]), floats(whole["floor"])))


def pareto(safe: np.ndarray, floor: np.ndarray) -> np.ndarray:
    """Which points no other one beats; more that is safe and a smaller floor are better.

    A null floor is worse than any number.
    """
    floor = np.where(np.isnan(floor), np.inf, floor)
    as_good = (safe[None] >= safe[:, None]) & (floor[None] <= floor[:, None])
    better = (safe[None] > safe[:, None]) | (floor[None] < floor[:, None])
    return ~(as_good & better).any(axis=1)


def _recommended(table: pd.DataFrame, wanted: Mapping[str, object] | None) -> int | None:
    if wanted is None:
        return None
    got = {
        p: None if wanted.get(p) is None or pd.isna(wanted[p]) else float(wanted[p])
        for p in PARAMETERS
    }
    for i, setting in enumerate(table["setting"]):
        same = all(
            (getattr(setting, p) is None) == (v is None)
            and (v is None or np.isclose(getattr(setting, p), v, rtol=1e-9, atol=0))
            for p, v in got.items()
        )
        if setting.mechanism == wanted.get("mechanism") and same:
            return i
    raise InputError(
        f"figure kind {KIND!r}: the recommended setting {dict(wanted)} is not in the tables."
    )


def _key(table: pd.DataFrame, chosen: int | None) -> list[Line2D]:
    """The numbers of the points, for a phone."""
    handles = []
    for i, row in enumerate(table.itertuples()):
        colour = line_colour(row.setting.mechanism)
        end = ": recommended" if i == chosen else ""
        handles.append(
            Line2D(
                [],
                [],
                linestyle="none",
                marker=_MARKERS[row.setting.mechanism],
                markerfacecolor=colour if row.front else "white",
                markeredgecolor=colour,
                label=f"{i + 1}  {row.setting.label.replace('posterior odds', 'odds')}{end}",
            )
        )
    return handles


def _wanted(ax: Axes, wanted: int) -> None:
    ax.axvspan(ax.get_xlim()[0], wanted, color=BAND, linewidth=0, zorder=0)
    ax.axvline(wanted, color=INK, linewidth=1.0, linestyle=(0, (1, 1)), zorder=1.6)
    ax.annotate(
        f"{wanted:,} wanted ",
        (wanted, 0.01),
        xycoords=("data", "axes fraction"),
        fontsize=8,
        ha="right",
        va="bottom",
    )
