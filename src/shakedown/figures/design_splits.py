"""How often the best team wins, against the public rows, over all splits of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shakedown.figures.kind import Picture
from shakedown.wording import bare

if TYPE_CHECKING:
    import pandas as pd

    from shakedown.metrics import Metric

#: Shares of training rows, in hundredths, that have a line with a name.
NAMED = (0, 35, 50, 65, 80)


def design_splits(
    splits: pd.DataFrame, recommended: Sequence[int], *, metric: Metric, wanted: float,
    tolerated: float, unit: str, is_enough: bool, rounds: int = 1,
) -> Picture:  # fmt: skip
    """Draw a dot for each split, and a line through those with as many training rows."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from shakedown.figures.style import CHOSEN, DOT, INK, PAGE_WIDTH, REFERENCE, THEME

    rows = int(splits.iloc[0][["train", "public", "final"]].sum())
    share = (20 * splits["train"] / rows).round().astype(int) * 5
    train, public, final = recommended
    own = splits.query("train == @train and public == @public and final == @final").iloc[0]
    with mpl.rc_context(THEME):
        figure = Figure(figsize=(0.8 * PAGE_WIDTH, 3.4), layout="constrained")
        ax = figure.subplots()
        ax.scatter(splits["public"], splits["best_wins"], s=7, c=DOT, linewidths=0)
        for of_train, part in splits.groupby(share):
            if of_train in NAMED and len(part) > 1:
                line = part.sort_values("public")
                ax.plot(line["public"], line["best_wins"], color=REFERENCE, linewidth=1)
                if of_train:
                    end = line.iloc[-1]
                    ax.annotate(
                        f"{of_train} % training", (end["public"], end["best_wins"]),
                        (4, 0), textcoords="offset points", fontsize=7.5, color=REFERENCE,
                        va="center", bbox={"facecolor": "white", "linewidth": 0, "pad": 0.6},
                    )  # fmt: skip
        ax.axhline(wanted, color=INK, linewidth=0.8, dashes=(5, 2))
        ax.annotate(
            f"wanted: {bare(wanted)}", (0.995, wanted), (0, 3), xycoords=("axes fraction", "data"),
            textcoords="offset points", ha="right", fontsize=8,
        )  # fmt: skip
        ax.scatter([public], [own["best_wins"]], marker="D", s=52, c=CHOSEN, zorder=4)
        ax.set(xlim=(0, 1.14 * splits["public"].max()), ylim=(0, 1.03))
        ax.set(xlabel=f"Public {unit}s", ylabel="P(best team wins)")
        if splits["bears"].notna().all():
            # ASSUME: proportional; a correlation spends one row on its mean.
            per_row = splits["bears"].max() / splits["public"].max()
            top = ax.secondary_xaxis(
                "top", functions=(lambda x: x * per_row, lambda x: x / per_row)
            )
            whose = "they bear" if rounds == 1 else f"each of {rounds:,} rounds bears"
            top.set_xlabel(f"Degrees of freedom that {whose}")
            top.spines["top"].set_visible(True)
    which = "the recommended split" if is_enough else "the largest final set"
    on_top = ""
    if splits["bears"].notna().all():
        on_top = (
            " On top: degrees of freedom that a metered board may answer"
            f"{'' if rounds == 1 else f' in each of {rounds:,} rounds'} so that the public score "
            f"is proved to be too good by at most {bare(tolerated)} on average."
        )
    caption = (
        f"Each dot is a way of splitting {rows:,} {unit}s; what is neither public nor for training "
        f"is final. Diamond: {which}, {final:,} final, {public:,} public and "
        f"{train:,} for training. More public {unit}s leave fewer final ones, and the best team by "
        f"{metric.label} wins less often.{on_top}"
    )
    return Picture(figure, caption)
