"""Scores or errors against the number of submissions, a curve per mechanism ([B] Fig. 1, [Z])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from shakedown.figures import panels
from shakedown.figures.curves import Curve, curves_of, points
from shakedown.figures.selection import floats, require
from shakedown.figures.style import FINAL_EDGE, INK, PAGE_WIDTH, REFERENCE, themed
from shakedown.growth import LAWS, Growth, fit_growth
from shakedown.interface import InputError
from shakedown.seeding import stream
from shakedown.wording import (
    YARDSTICKS,
    amount,
    delta_axis,
    larger_is_better,
    metric_name,
)

KIND = "growth"

#: What a figure can show, by the column that it is; "scores" shows the final score besides.
VALUES = {
    "scores": "score_released",
    "score_released": "score_released",
    "score_public": "score_public",
    "score_final": "score_final",
    "delta": "delta",
    "bias": "bias",
    "leaderboard_error": "leaderboard_error",
}

#: What starts at 0 and grows, so that a law can be fitted to it.
GROWING = ("bias", "leaderboard_error")
MOST_BANDS = 5
SCALES = ("linear", "log")
SYMBOLS = {"sqrt_k": "√(k/n)", "sqrt_log_k": "√(log k / n)"}
INDEPENDENT = "Independent test set"

_LAW_DASHES = {"sqrt_k": (0, (6, 2)), "sqrt_log_k": (0, (1, 1.3))}
_ON_ANOTHER = (0, (2, 2.5))
_INDEPENDENT_DASHES = (0, (7, 1.5, 1, 1.5))


@themed
def growth(
    frame: pd.DataFrame,
    *,
    value: str = "score_released",
    curves: Sequence[Mapping[str, object]] | None = None,
    accuracy: bool = False,
    scale: str = "linear",
    fits: Sequence[str] = (),
    rows: Mapping[str, int] | None = None,
    after: str | None = None,
) -> Figure:
    """Medians over the replicates against submissions, and bands between the quartiles.

    Parameters
    ----------
    frame : DataFrame
        Outcomes of one data set, design and metric, of one or several experiments.
    value : str
        A key of `VALUES`.  "scores": what the board shows for the participant's submission, a
        curve per mechanism, and one curve of its final score, over all mechanisms.  "bias": how
        much the public score flatters, −Δ.
    curves : sequence of mapping, optional
        Which curves are shown, see `curves_of`; by default one per experiment and mechanism.
    accuracy : bool
        Show 1 − loss, of a score under the metric zero_one.
    scale : {"linear", "log"}
        "log": both axes are logarithmic.
    fits : sequence of {"sqrt_k", "sqrt_log_k"}
        Laws to fit to the medians of "bias" or "leaderboard_error"; medians then are markers.
    rows : mapping of str to int, optional
        Public rows of the data set, by its id; laws need it.
    after : str, optional
        The figure of a paper that this one follows, for the caption.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If a column or all rows are missing, the table mixes data sets or the like, a setting is not
        known or does not go with the others, or a curve cannot be told.

    Notes
    -----
    With "scores" the layout is that of Fig. 1 of Blum & Hardt (ICML 2015), with accuracies and
    `curves` that of Fig. 1 of Zheng (2015).
    """
    shown = drawn(frame, value=value, curves=curves, accuracy=accuracy, fits=fits, rows=rows)
    if scale not in SCALES:
        raise InputError(
            f"figure kind {KIND!r}: scale must be one of {', '.join(SCALES)}, got {scale!r}."
        )
    metric = str(shown.metric)
    figure = Figure(figsize=(PAGE_WIDTH, 4.0), layout="constrained")
    ax = figure.subplots()
    if scale == "log":
        _check_positive(shown)
        ax.set_xscale("log")
        ax.set_yscale("log")
    handles: list[Line2D] = []
    for i, (curve, (k, values)) in enumerate(zip(shown.curves, shown.values, strict=True)):
        style = {"color": curve.colour, "label": curve.label}
        if fits:
            style |= {"linestyle": "none", "marker": curve.marker, "markersize": 4}
        else:
            style |= {"linestyle": curve.dashes, "linewidth": 1.8}
            if _lies_on_another(shown, i):
                style |= {"linestyle": _ON_ANOTHER, "linewidth": 2.2}
        handles.append(_curve(ax, k, values, band=shown.has_bands, **style))
        if fits:
            handles += _laws(ax, k, shown.fitted[i], fits, shown.rows, curve)
    if value == "scores":
        k, values = shown.final
        style = {"linestyle": _INDEPENDENT_DASHES, "linewidth": 1.6, "label": INDEPENDENT}
        handles.append(_curve(ax, k, values, band=shown.has_bands, color=FINAL_EDGE, **style))
    line = _line(ax, value, metric, accuracy=accuracy, scale=scale)
    _limits(ax, shown, scale)
    ax.set_xlabel("Submissions (k)")
    ax.set_ylabel(_axis(value, frame, metric, accuracy=accuracy))
    _legend(figure, handles, line, columns=1 + len(fits) if fits else None)
    return figure


@dataclass(frozen=True)
class Drawn:
    """What a figure shows, for its drawing and its caption; see `growth`.

    Attributes
    ----------
    metric : str
    curves : list of Curve
    values : list of tuple of ndarray
        For each curve k, shape (points,), and values, shape (replicates, points).
    final : tuple of ndarray or None
        The same of the final score, over all curves, for "scores".
    fitted : list of Growth
        For each curve, if laws are fitted.
    rows : int or None
        Public rows.
    """

    metric: str
    curves: list[Curve]
    values: list[tuple[np.ndarray, np.ndarray]]
    final: tuple[np.ndarray, np.ndarray] | None
    fitted: list[Growth]
    rows: int | None

    @property
    def has_bands(self) -> bool:
        """Whether bands are drawn; those of many curves would hide each other."""
        return len(self.curves) <= MOST_BANDS


def drawn(
    frame: pd.DataFrame,
    *,
    value: str,
    curves: Sequence[Mapping[str, object]] | None,
    accuracy: bool,
    fits: Sequence[str],
    rows: Mapping[str, int] | None,
) -> Drawn:
    """Check the settings and find the curves, their values and fits; parameters as `growth`."""
    needed = [*panels.OUTCOMES, "experiment", "score_released"]
    if value == "leaderboard_error":
        needed.append(value)
    require(frame, needed, kind=KIND)
    shown = panels.one_of_each(frame, kind=KIND, several=("attack", "board"))
    metric = str(shown["metric"])
    _check(value, metric, accuracy=accuracy, fits=fits)
    n = (rows or {}).get(str(shown["dataset"]))
    if fits and n is None:
        raise InputError(
            f"figure kind {KIND!r}: laws need the number of public rows of {shown['dataset']}. "
            f"Give it in the figure's entry: rows: {{{shown['dataset']}: <number of public rows>}}."
        )
    if n is not None and metric == "zero_one":
        _check_rows(frame, n, str(shown["dataset"]))
    whole = frame.assign(bias=-floats(frame["delta"]))
    found = curves_of(whole, VALUES[value], curves, kind=KIND)
    turned = (lambda v: 1 - v) if accuracy else (lambda v: v)
    values = []
    for curve in found:
        k, table = points(curve.rows, VALUES[value], kind=KIND)
        values.append((k, turned(table)))
    final = None
    if value == "scores":
        tables = [points(curve.rows, "score_final", kind=KIND) for curve in found]
        final = _pooled([(k, turned(table)) for k, table in tables])
    fitted = [fit_growth(table, k, n, rng=stream(0, KIND)) for k, table in values if fits]
    return Drawn(metric, found, values, final, fitted, n)


def _check(value: str, metric: str, *, accuracy: bool, fits: Sequence[str]) -> None:
    if value not in VALUES:
        raise InputError(
            f"figure kind {KIND!r}: value must be one of {', '.join(VALUES)}, got {value!r}."
        )
    if accuracy and (metric != "zero_one" or not value.startswith("score")):
        raise InputError(
            f"figure kind {KIND!r}: an accuracy is 1 - the score under the metric zero_one; got "
            f"{value} under {metric}. Leave out `accuracy`, or choose another value."
        )
    if unknown := [law for law in fits if law not in LAWS]:
        raise InputError(
            f"figure kind {KIND!r}: fits must be some of {', '.join(LAWS)}, got {unknown[0]!r}."
        )
    if fits and value not in GROWING:
        raise InputError(
            f"figure kind {KIND!r}: laws are fitted to {' or '.join(GROWING)}, got {value}. "
            "Leave out `fits`, or choose another value."
        )


def _check_rows(frame: pd.DataFrame, n: int, dataset: str) -> None:
    """A 0/1 loss on n rows is a whole number of mistakes."""
    mistakes = floats(frame["score_public"]) * n
    if np.abs(mistakes - np.round(mistakes)).max() > 1e-6:
        raise InputError(
            f"figure kind {KIND!r}: the scores of {dataset} are none of {n:,} public rows, as they "
            f"are no multiples of 1/{n:,}. Mend `rows` in the figure's entry."
        )


def _check_positive(shown: Drawn) -> None:
    for curve, (_, values) in zip(shown.curves, shown.values, strict=True):
        if not (quartiles(values)[1] > 0).any():
            raise InputError(
                f"figure kind {KIND!r}: no median of {curve.label} is above 0, so it has no place "
                "on a logarithmic axis. Choose scale: linear."
            )


def _pooled(tables: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Values of several curves as replicates by points, nan where one has no such point."""
    grid = np.unique(np.concatenate([k for k, _ in tables]))
    parts = []
    for k, values in tables:
        part = np.full((len(values), grid.size), np.nan)
        part[:, np.searchsorted(grid, k)] = values
        parts.append(part)
    return grid, np.concatenate(parts)


def _curve(ax: Axes, k: np.ndarray, values: np.ndarray, *, band: bool, **style) -> Line2D:
    low, median, high = quartiles(values)
    (line,) = ax.plot(k, median, zorder=2.2, **style)
    if band:
        ax.fill_between(k, low, high, color=style["color"], alpha=0.18, linewidth=0, zorder=1.8)
    return line


def quartiles(values: np.ndarray) -> np.ndarray:
    """Lower quartile, median and upper quartile at each point, shape (3, points); nan is left out.

    A point without any value has nan.
    """
    told = np.isfinite(values).any(axis=0)
    found = np.full((3, values.shape[1]), np.nan)
    found[:, told] = np.nanquantile(values[:, told], [0.25, 0.5, 0.75], axis=0)
    return found


def _lies_on_another(shown: Drawn, i: int) -> bool:
    """Whether a curve would hide an earlier one, as the two are the same to the eye."""
    medians = [quartiles(values)[1] for _, values in shown.values]
    span = np.ptp(np.concatenate(medians))
    k, mine = shown.values[i][0], medians[i]
    return any(
        np.array_equal(other, k) and np.abs(median - mine).max() <= 0.005 * span
        for (other, _), median in zip(shown.values[:i], medians[:i], strict=True)
    )


def _laws(
    ax: Axes, k: np.ndarray, fit: Growth, laws: Sequence[str], n: int, curve: Curve
) -> list[Line2D]:
    along = np.geomspace(k.min(), k.max(), 200)
    style = {"color": curve.colour, "linewidth": 1.2, "zorder": 2}
    lines = []
    for law in laws:
        constant = fit.constants[law].value
        words = f"{amount(constant, 2)} {SYMBOLS[law]}"
        lines += ax.plot(
            along, constant * LAWS[law](along, n), linestyle=_LAW_DASHES[law], label=words, **style
        )
    return lines


def _line(ax: Axes, value: str, metric: str, *, accuracy: bool, scale: str) -> Line2D | None:
    """The line that scores or Δ are read against; returned if the legend has to name it."""
    style = {"color": REFERENCE, "linewidth": 0.9, "linestyle": (0, (4, 2)), "zorder": 1.5}
    if value in ("delta", "bias") and scale == "linear":
        ax.axhline(0, **style)
    if not value.startswith("score") or metric not in YARDSTICKS:
        return None
    at, meaning = YARDSTICKS[metric]
    words = f"{meaning}" if not accuracy else meaning.replace("loss", "accuracy")
    return ax.axhline(1 - at if accuracy else at, label=words, **style)


def _limits(ax: Axes, shown: Drawn, scale: str) -> None:
    everything = [*shown.values, *([shown.final] if shown.final else [])]
    k = np.concatenate([k for k, _ in everything])
    if scale == "linear":
        ax.set_xlim(0, 1.02 * k.max())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:,.0f}"))
        return
    # The axes hold the medians; a band may leave them below, where it reaches 0.
    medians = np.concatenate([quartiles(values)[1] for _, values in everything])
    top = quartiles if shown.has_bands else lambda values: quartiles(values)[[0, 1, 1]]
    tops = np.concatenate([top(values)[2] for _, values in everything])
    ax.set_xlim(0.9 * k.min(), 1.12 * k.max())
    ax.set_ylim(0.7 * medians[medians > 0].min(), 1.25 * np.nanmax(tops))
    for axis in (ax.xaxis, ax.yaxis):
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 300 * low else (1,)))
        axis.set_major_formatter(FuncFormatter(lambda v, _: amount(v)))
        axis.set_minor_formatter(NullFormatter())
    ax.grid(visible=True, axis="both")


def _axis(value: str, frame: pd.DataFrame, metric: str, *, accuracy: bool) -> str:
    name = "accuracy" if accuracy else metric_name(metric)
    larger = larger_is_better(frame)
    return {
        "scores": f"{name[0].upper()}{name[1:]} of the participant's submission",
        "score_released": f"Released {name}",
        "score_public": f"Public {name}",
        "score_final": f"Final {name}",
        "delta": delta_axis(metric, larger),
        "bias": f"Bias of the {name}\n({'public − final' if larger else 'final − public'})",
        "leaderboard_error": f"Leaderboard error ({name})",
    }[value]


def _legend(
    figure: Figure, handles: list[Line2D], line: Line2D | None, *, columns: int | None
) -> None:
    """A legend above the panel; with `columns`, handles are the rows of a table of so many."""
    if columns:
        # matplotlib fills a legend column by column.
        table = [handles[i : i + columns] for i in range(0, len(handles), columns)]
        handles = [row[j] for j in range(columns) for row in table]
    else:
        handles = [*handles, *([line] if line else [])]
        columns = _columns([str(h.get_label()) for h in handles])
    figure.legend(
        handles=handles,
        loc="outside upper left",
        ncols=columns,
        handlelength=3,
        labelcolor=INK,
    )


def _columns(labels: Sequence[str]) -> int:
    """How many entries of a legend fit side by side on a page: a letter is about 5 points wide."""
    for columns in range(min(len(labels), 4), 1, -1):
        down = -(-len(labels) // columns)
        widest = [max(map(len, labels[i : i + down])) for i in range(0, len(labels), down)]
        if sum(5.0 * width + 48 for width in widest) <= 72 * PAGE_WIDTH:
            return columns
    return 1
