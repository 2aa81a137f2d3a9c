"""How often the best team wins, against the final rows, over all splits of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shakedown.figures.facets import explain
from shakedown.figures.kind import Picture
from shakedown.wording import bare, probability

if TYPE_CHECKING:
    import pandas as pd

    from shakedown.metrics import Metric


def design_splits(
    splits: pd.DataFrame, recommended: Sequence[int], *, metric: Metric, wanted: float, unit: str,
    is_enough: bool,
) -> Picture:  # fmt: skip
    """Draw a dot for each number of final rows, and a diamond for the split of the answer."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from shakedown.figures.style import CHOSEN, DOT, INK, PAGE_WIDTH, REFERENCE, THEME

    rows = int(splits.iloc[0][["train", "public", "final"]].sum())
    train, public, final = recommended
    # Training and public rows make no difference to who wins on the final ones.
    wins = splits.groupby("final")["best_wins"].first()
    which = "the recommended split" if is_enough else "the largest final set"
    short = "" if wins[final] >= wanted else f", less than the wanted {bare(wanted)}"
    with mpl.rc_context(THEME):
        figure = Figure(figsize=(0.8 * PAGE_WIDTH, 3.65), layout="constrained")
        ax = figure.subplots()
        ax.plot(wins.index, wins, color=REFERENCE, linewidth=1)
        ax.scatter(wins.index, wins, s=14, c=DOT, linewidths=0, zorder=2.5)
        ax.axhline(wanted, color=INK, linewidth=0.8, dashes=(5, 2))
        # At the end where no dots are.
        is_near = wanted - 0.03 < wins.iloc[-1] < wanted + 0.1
        x, side = (0.01, "left") if is_near else (0.99, "right")
        ax.annotate(
            f"wanted: {bare(wanted)}", (x, wanted), (0, 3), xycoords=("axes fraction", "data"),
            textcoords="offset points", ha=side, fontsize=8,
        )  # fmt: skip
        ax.scatter([final], [wins[final]], marker="D", s=52, c=CHOSEN, zorder=4)
        # Below the line, on the side where there is room.
        side = "right" if final > 0.5 * wins.index.max() else "left"
        ax.annotate(
            f"{final:,} final: {probability(wins[final])}", (final, wins[final]), (8, -16),
            textcoords="offset points", ha=side, va="top", fontsize=8, fontweight="bold",
        )  # fmt: skip
        ax.set(xlim=(0, 1.05 * wins.index.max()), ylim=(0, 1.03))
        ax.set(xlabel=f"Final {unit}s", ylabel="Probability that the best team wins")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        explain(figure, {
            f"a number of final {unit}s that was tried": {"color": DOT, "marker": "o"},
            which: {"color": CHOSEN, "marker": "D"},
        })  # fmt: skip
    caption = (
        f"With {final:,} final {unit}s the best team by {metric.label} wins with a probability of "
        f"{probability(wins[final])}{short}. With {which}, {public:,} of all {rows:,} {unit}s are "
        f"public and {train:,} for training. The more {unit}s are final, the more "
        "often the best team wins; the fewer are left for the public set and for training."
    )
    return Picture(figure, caption)
