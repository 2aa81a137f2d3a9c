"""How much the score of one and the same prediction varies under LadderBoot (S12, S13)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from shakedown.figures import panels
from shakedown.figures.boxart import Look, draw_boxes
from shakedown.figures.selection import floats, require
from shakedown.figures.style import CHOSEN, PAGE_WIDTH, REFERENCE, themed
from shakedown.interface import InputError
from shakedown.wording import prediction_name

SPREAD = ("prediction", "quality", "correlation", "b", "released")
VIEWS = ("histograms", "boxes")

# Dark to light from large b to small, and one marker each: apart in grey too.
_SHADES = ("#123F6B", "#3F7FB5", "#8FBBDC", "#CFE3F1")
_EDGES = ("#0A2440", "#1F4B73", "#2F5F86", "#4A7799")
_MARKERS = ("o", "s", "^", "D")
_HISTOGRAM = "#6FA3CC"


@themed
def spread(frame: pd.DataFrame, *, view: str = "histograms") -> Figure:
    """Distributions of released scores, for predictions of different quality.

    Parameters
    ----------
    frame : DataFrame
        One row per release, with the columns `prediction` (name), `quality` (its actual MSE),
        `correlation` (Pearson's, with the response), `b` and `released` (MSE).
    view : {"histograms", "boxes"}
        "histograms": a panel for each prediction (rows, the best above) and b (columns), with a
        line at the actual score; the axes of one column are equally wide.  "boxes": the
        distributions, and below them their standard deviations, against the quality of the
        prediction, which rises from left to right.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If a column or all rows are missing, `view` is not known, or more b than shades are given.

    Notes
    -----
    The layouts are those of Fig. S12 and S13 of Chaibub Neto et al. (arXiv 1607.00091).
    """
    if view not in VIEWS:
        raise InputError(
            f"figure kind 'spread': view must be one of {', '.join(VIEWS)}, got {view!r}."
        )
    require(frame, SPREAD, kind="spread")
    # From the worst prediction to the best.
    predictions = (
        frame.drop_duplicates("prediction")
        .sort_values("quality", ascending=False, kind="stable")[
            ["prediction", "quality", "correlation"]
        ]
        .reset_index(drop=True)
    )
    replications = sorted(int(b) for b in frame["b"].dropna().unique())
    draw = _histograms if view == "histograms" else _boxes
    return draw(frame, predictions, replications)


def _histograms(frame, predictions: pd.DataFrame, replications: list[int]) -> Figure:
    best_first = predictions.iloc[::-1].reset_index(drop=True)
    down, across = len(best_first), len(replications)
    figure = Figure(
        figsize=(max(PAGE_WIDTH, 2.4 * across), 0.9 + 1.75 * down), layout="constrained"
    )
    # Bins are equally wide within a column, so heights can be compared there, and about equally
    # many, so one axis of counts does for all.
    axes = figure.subplots(down, across, sharey=True, squeeze=False)
    groups = {key: floats(part) for key, part in frame.groupby(["prediction", "b"])["released"]}
    for j, b in enumerate(replications):
        samples = [groups.get((p, b), np.array([])) for p in best_first["prediction"]]
        centres = floats(best_first["quality"])
        reach = max(
            (np.abs(s - c).max() for s, c in zip(samples, centres, strict=True) if s.size),
            default=0.0,
        )
        half = 1.05 * reach or 0.5
        for i, (released, centre) in enumerate(zip(samples, centres, strict=True)):
            ax = axes[i, j]
            edges = np.linspace(centre - half, centre + half, 61)
            ax.hist(released, bins=edges, color=_HISTOGRAM, histtype="stepfilled")
            ax.axvline(centre, color=CHOSEN, linewidth=1.2)
            ax.set_xlim(edges[0], edges[-1])
            ax.xaxis.set_major_locator(MaxNLocator(4))
            name = prediction_name(str(best_first["prediction"][i]))
            sd = f"\nsd {released.std(ddof=1):.2g}" if released.size > 1 else ""
            ax.set_title(f"{panels.letter(i * across + j)}   {name}, b = {b:,}{sd}")
        axes[-1, j].set_xlabel("Released MSE")
    for ax in axes[:, 0]:
        ax.set_ylabel("Releases")
    handles = [
        Patch(facecolor=_HISTOGRAM, label="released scores"),
        Line2D([], [], color=CHOSEN, linewidth=1.2, label="actual score"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return figure


def _boxes(frame, predictions: pd.DataFrame, replications: list[int]) -> Figure:
    if len(replications) > len(_SHADES):
        raise InputError(
            f"figure kind 'spread' tells at most {len(_SHADES)} values of b apart, got "
            f"{', '.join(map(str, replications))}. Choose some in the figure's entry, such as "
            f"b: {replications[: len(_SHADES)]}."
        )
    figure = Figure(figsize=(PAGE_WIDTH, 5.4), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True)
    groups = {key: floats(part) for key, part in frame.groupby(["prediction", "b"])["released"]}
    room = 0.84 / len(replications)
    handles = []
    for i, b in enumerate(replications):
        samples = [groups.get((p, b), np.array([])) for p in predictions["prediction"]]
        shift = (i - (len(replications) - 1) / 2) * room
        nth = len(replications) - 1 - i
        shade, edge, marker = _SHADES[nth], _EDGES[nth], _MARKERS[nth]
        look = Look(face=shade, edge=edge, median=edge)
        at = np.arange(len(samples)) + shift
        draw_boxes(top, samples, at, width=0.86 * room, look=look)
        sd = [s.std(ddof=1) if s.size > 1 else np.nan for s in samples]
        style = {"color": shade, "marker": marker, "markeredgecolor": edge}
        bottom.plot(range(len(samples)), sd, linewidth=1.6, markersize=5.5, **style)
        handles.append(Line2D([], [], linewidth=1.6, markersize=5.5, label=f"b = {b:,}", **style))
    top.hlines(
        floats(predictions["quality"]),
        np.arange(len(predictions)) - 0.46,
        np.arange(len(predictions)) + 0.46,
        color=REFERENCE,
        linewidth=0.8,
        zorder=1.5,
    )
    handles.append(Line2D([], [], color=REFERENCE, linewidth=0.8, label="actual score"))
    top.set_title("a   Released scores")
    top.set_ylabel("Released MSE")
    bottom.set_title("b   Their standard deviation")
    bottom.set_ylabel("Standard deviation of\nthe released MSE")
    bottom.set_yscale("log")
    bottom.yaxis.set_major_formatter("{x:g}")
    names = [f"{p.quality:.2f}\n({p.correlation:.2f})" for p in predictions.itertuples()]
    bottom.set_xticks(range(len(names)), names)
    bottom.set_xlim(-0.6, len(names) - 0.4)
    bottom.set_xlabel("Actual MSE of the prediction (its Pearson correlation with the response)")
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure
