"""How much the released score of one prediction varies under LadderBoot (S12, S13)."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from shakedown.component import parameter
from shakedown.figures import captions, facets, panels
from shakedown.figures.curves import tick
from shakedown.figures.kind import FigureKind, Picture
from shakedown.figures.style import CHOSEN, INK, MARKERS, PAGE_WIDTH, REFERENCE
from shakedown.metrics import find
from shakedown.wording import listed, prediction_name

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_CAPTIONS = {
    "histograms": (
        "{releases:,} in each panel; each score is the mean of b bootstrap replications. The best "
        "prediction is at the top. sd: standard deviation of the scores. Dashed line: the actual "
        "score."
    ),
    "boxes": (
        "{releases:,} in each box (above), and their standard deviation (below, logarithmic axis); "
        "each score is the mean of b bootstrap replications. Horizontal lines: the actual scores. "
        "{boxes}"
    ),
}
_DRAWS = (
    " The scores come from {draws} draws of the data, {each:,} from each, and are shifted so that "
    "all draws have the same actual score; each standard deviation is a mean of {draws}, one per "
    "draw."
)
#: Bars of a histogram, from its smallest to its largest score.
_BINS = 40
_RELEASED = f"Released {find('mse').axis}"


class ReleaseVariability(FigureKind):
    """Distributions of released scores, for predictions of different quality.

    Its table has one row per release: the data set, the name of the prediction, its quality (its
    actual MSE), its Pearson correlation with the response, b, the released MSE and, where data were
    drawn several times, the number of the draw.
    """

    name: ClassVar[str] = "release_variability"
    label: ClassVar[str] = "Release variability"
    sentence: ClassVar[str] = "Scores that LadderBoot releases for the same prediction."
    source: ClassVar[str] = "[C] Fig. S12, S13"
    order: ClassVar[float] = 6
    table: ClassVar[str] = "release_variability"

    view: Literal["histograms", "boxes"] = parameter(
        "histograms",
        description=(
            "histograms, a panel for each prediction (rows, the best above) and b (columns); "
            "boxes, the distributions, with their standard deviations below."
        ),
    )

    def picture(self, rows):
        table = rows if "draw" in rows else rows.assign(draw=0)
        draws = table["draw"].nunique()
        # From the worst prediction to the best, and from few bootstrap replications to many.
        predictions = table.groupby("prediction", observed=True)[["quality", "correlation"]].mean()
        predictions = predictions.sort_values("quality", ascending=False, kind="stable")
        table = table.astype({"prediction": str}).sort_values("b", kind="stable")
        table = table.assign(size=[f"b = {b:,}" for b in table["b"]], shown=table["released"])
        if draws > 1:
            actual = table["prediction"].map(predictions["quality"])
            table["shown"] += actual - table["quality"]
        sd = table.groupby(["size", "prediction", "draw"], sort=False)["released"].std()
        sd = sd.groupby(level=["size", "prediction"], sort=False).mean().rename("sd")
        drawing = _histograms if self.view == "histograms" else _boxes
        releases = int(table.groupby(["prediction", "b"]).size().min())
        text = _CAPTIONS[self.view].format(releases=releases, boxes=captions.BOXES)
        text = (
            f"{_finding(sd, predictions)}"
            f"Scores that LadderBoot releases for the same prediction, {text}"
            f"{_DRAWS.format(draws=draws, each=releases // draws) if draws > 1 else ''} "
            f"Data set: {table['dataset'].iloc[0]}."
        )
        return Picture(drawing(table, sd, predictions), text)


def _finding(sd: pd.Series, predictions: pd.DataFrame) -> str:
    """How the standard deviation falls with better predictions and more replications; a blank."""
    sizes = list(dict.fromkeys(sd.index.get_level_values("size")))
    worst, best = predictions.index[0], predictions.index[-1]
    if len(sizes) == 1 or worst == best:
        return ""
    few, many = (
        [f"{sd[size, name]:#.2g}" for name in (worst, best)] for size in (sizes[0], sizes[-1])
    )
    return (
        f"With {sizes[0]} the released score has a standard deviation of {few[0]} for the worst "
        f"prediction and {few[1]} for the best; with {sizes[-1]} of {listed(many)}. "
    )


def _histograms(table: pd.DataFrame, sd: pd.Series, predictions: pd.DataFrame) -> Figure:
    from matplotlib.ticker import MaxNLocator

    best_first, sizes = predictions["quality"].iloc[::-1], table["size"].unique()
    parts = table.groupby(["prediction", "size"])
    places = [(prediction, size) for prediction in best_first.index for size in sizes]
    titles = [
        f"{prediction_name(prediction)}\n{size}, sd {sd[size, prediction]:#.2g}"
        for prediction, size in places
    ]
    titles = [f"{panels.letter(i)}   {title}" for i, title in enumerate(titles)]
    figure, axes = facets.panels(
        titles, _RELEASED, "Share of scores\n(highest bar = 1)", across=len(sizes), height=1.7
    )
    # One axis for all: position and width can be compared.
    low, high = table["shown"].min(), table["shown"].max()
    around = 0.03 * (high - low)
    for ax, (prediction, size) in zip(axes, places, strict=True):
        part = parts.get_group((prediction, size))
        counts, edges = np.histogram(part["shown"], bins=_BINS)
        ax.stairs(counts / counts.max(), edges, fill=True, color="#6FA3CC", label="released scores")
        line = {"linewidth": 1.0, "linestyle": (0, (3, 1.5)), "label": "actual score"}
        ax.axvline(best_first[prediction], color=CHOSEN, **line)
        ax.set(xlim=(low - around, high + around), ylim=(0, 1.08), yticks=[0, 1])
        ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def _boxes(table: pd.DataFrame, sd: pd.Series, predictions: pd.DataFrame) -> Figure:
    import seaborn as sns
    from matplotlib.figure import Figure

    sizes = list(table["size"].unique())
    figure = Figure(figsize=(PAGE_WIDTH, 5.4), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True)
    style = {
        "x": "prediction", "order": list(predictions.index), "hue": "size", "hue_order": sizes,
        # Darker for more bootstrap replications, so that they differ in grey.
        "palette": sns.color_palette("Blues", 3 * len(sizes))[2::3],
    }  # fmt: skip
    sns.boxplot(
        table, y="shown", **style, saturation=1, whis=captions.WHISKERS, showfliers=False,
        linecolor=INK, linewidth=0.7, legend=False, ax=top,
    )  # fmt: skip
    at = np.arange(len(predictions))
    line = {"color": REFERENCE, "linewidth": 0.8, "zorder": 1.5, "label": "actual score"}
    top.hlines(predictions["quality"], at - 0.46, at + 0.46, **line)
    sns.pointplot(
        sd.reset_index(), y="sd", **style, markers=list(islice(cycle(MARKERS), len(sizes))),
        markersize=6, markeredgecolor=INK, markeredgewidth=0.7, linewidth=1.6, errorbar=None,
        ax=bottom,
    )  # fmt: skip
    top.set(title="a   Released scores", ylabel=_RELEASED)
    bottom.set(
        title="b   Their standard deviation",
        ylabel="Standard deviation of\nthe released MSE",
        yscale="log",
        xlabel="Actual MSE of the prediction (its Pearson correlation with the response)",
    )
    bottom.set_ylim(bottom=10 ** np.floor(np.log10(sd[sd > 0].min())))
    tick(bottom.yaxis, steps=(1, 3))
    bottom.yaxis.set_major_formatter("{x:g}")
    names = [f"{row.quality:.2f}\n({row.correlation:.2f})" for row in predictions.itertuples()]
    bottom.set_xticks(at, names)
    handles, labels = bottom.get_legend_handles_labels()
    bottom.get_legend().remove()
    line, name = top.get_legend_handles_labels()
    figure.legend(handles + line, labels + name, loc="outside upper center", ncols=len(labels) + 1)
    return figure
