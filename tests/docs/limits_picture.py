"""The picture in docs/limits.md: how a limit is read off, for a board on the table of the tutorial.

`python -m tests.docs.limits_picture` draws it again and prints its numbers (half a minute).
"""

from __future__ import annotations

from functools import cache

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

import shakedown
from shakedown.figures.selection import floats
from shakedown.figures.style import CHOSEN, INK, PAGE_WIDTH, REFERENCE, THEME
from shakedown.wording import signed_amount
from tests.docs.markdown import ROOT, blocks

PICTURE = ROOT / "docs/images/limits_frontier.png"
BOARD = {
    "name": "ladderboot", "alpha": 0.15, "b": 100, "defences": [{"name": "baseline"}],
}  # fmt: skip
COLUMNS = {"response": "target", "id": "id", "split": "set"}
#: As many replicates as a usual dry run of some minutes plays, so that the numbers are the same on
#: every machine.
REPLICATES = {"fewest_replicates": 40, "most_replicates": 40, "honest_replicates": 2}
THREAT = "adversary"


def table() -> pd.DataFrame:
    """The table that the tutorial makes."""
    script = blocks(ROOT / "docs/tutorial.md", "python")[0]
    names: dict = {}
    exec(script.replace('table.to_csv("my.csv", index=False)', ""), names)
    return names["table"]


@cache
def played() -> tuple[pd.DataFrame, pd.Series]:
    """The curve in shares of the variance, and the limit that is read from it."""
    run = shakedown.dry_run(table(), mechanisms=[BOARD], submissions=100, **COLUMNS, **REPLICATES)
    limits = run.limits
    (limit,) = limits[limits["threat"] == THREAT].to_dict("records")
    curve = run.tables["frontier"]
    curve = curve[curve["threat"] == THREAT].sort_values("submissions")
    unit = limit["threshold"] / -0.05
    deltas = {name: floats(curve[name]) / unit for name in ("delta", "delta_low", "delta_high")}
    return curve[["submissions"]].assign(**deltas), pd.Series(limit)


def picture() -> Figure:
    """The picture."""
    curve, limit = played()
    low, number, high = (int(limit[name]) for name in ("ci_low", "safe_submissions", "ci_high"))
    with mpl.rc_context(THEME):
        figure = Figure(figsize=(PAGE_WIDTH, 3.4), layout="constrained")
        ax = figure.subplots()
        n = floats(curve["submissions"])
        ax.fill_between(
            n, curve["delta_low"], curve["delta_high"], color=INK, alpha=0.15, linewidth=0,
            label="95 % interval of Δ",
        )  # fmt: skip
        ax.plot(n, curve["delta"], color=INK, linewidth=1.8, label="Δ of the strongest attack")
        ax.axhline(-0.05, color=CHOSEN, linewidth=1.2, label="tolerated Δ: −.05")
        ax.axhline(0, color=REFERENCE, linewidth=0.9, linestyle="--")
        for at, words in ((low, f"cautious limit: {low}"), (number, f"limit: {number}")):
            ax.plot([at, at], [-0.05, -0.16], color=INK, linewidth=1.0, linestyle=":")
            ax.text(at * 1.04, -0.155, words, va="bottom")
        ax.plot([low, high], [-0.05, -0.05], color=CHOSEN, linewidth=4.5, solid_capstyle="butt",
                label=f"interval of the limit: {low} to {high}")  # fmt: skip
        ax.plot([number], [-0.05], "o", color=CHOSEN, markersize=8, markeredgecolor=INK)
        ax.set(xscale="log", xlim=(2, 200), ylim=(-0.16, 0.02))
        ax.set_xticks([2, 5, 10, 20, 50, 100, 200])
        ax.minorticks_off()
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.yaxis.set_major_formatter(lambda value, _: signed_amount(value))
        ax.set_xlabel("Submissions")
        ax.set_ylabel("Overfit Δ\n(in variances of the response)")
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False)
    return figure


def main() -> None:
    picture().savefig(PICTURE, dpi=150)
    print(played()[1][["safe_submissions", "ci_low", "ci_high", "replicates"]])


if __name__ == "__main__":
    main()
