"""How much the score of one and the same prediction varies under LadderBoot (S12, S13)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from shakedown.figures import panels
from shakedown.figures.boxart import Look, draw_boxes
from shakedown.figures.selection import floats, require
from shakedown.figures.style import CHOSEN, PAGE_WIDTH, REFERENCE, themed
from shakedown.interface import InputError

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
        "histograms": a panel for each prediction (columns) and b (rows), with a line at the actual
        score.  "boxes": the distributions, and below them their standard deviations, against the
        quality of the prediction.

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
    replications = sorted((int(b) for b in frame["b"].dropna().unique()), reverse=True)
    draw = _histograms if view == "histograms" else _boxes
    return draw(frame, predictions, replications)


def _histograms(frame, predictions: pd.DataFrame, replications: list[int]) -> Figure:
    down, across = len(replications), len(predictions)
    figure = Figure(figsize=(max(PAGE_WIDTH, 2.2 * across), 0.9 + 1.6 * down), layout="constrained")
    axes = figure.subplots(down, across, sharex="col", squeeze=False)
    for j, prediction in predictions.iterrows():
        mine = frame[(frame["prediction"] == prediction["prediction"]).to_numpy(dtype=bool)]
        edges = np.histogram_bin_edges(floats(mine["released"]), bins=60)
        for i, b in enumerate(replications):
            ax = axes[i, j]
            released = floats(mine.loc[(mine["b"] == b).to_numpy(dtype=bool), "released"])
            ax.hist(released, bins=edges, color=_HISTOGRAM, histtype="stepfilled")
            ax.axvline(float(prediction["quality"]), color=CHOSEN, linewidth=1.2)
            sd = released.std(ddof=1)
            ax.set_title(
                f"{panels.letter(i * across + j)}   {prediction['prediction']}, b = {b:,}"
                f" (sd {sd:.2g})"
            )
            if j == 0:
                ax.set_ylabel("Releases")
        axes[-1, j].set_xlabel("Released MSE")
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
        shade = _SHADES[i]
        look = Look(face=shade, edge=_EDGES[i], median=_EDGES[i])
        at = np.arange(len(samples)) + shift
        draw_boxes(top, samples, at, width=0.86 * room, look=look)
        sd = [s.std(ddof=1) if s.size > 1 else np.nan for s in samples]
        style = {"color": shade, "marker": _MARKERS[i], "markeredgecolor": _EDGES[i]}
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
