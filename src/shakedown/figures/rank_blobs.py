"""The ranks of final files in bootstrap samples, as blobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from shakedown.figures.facets import explain
from shakedown.figures.final_ranks import LONGEST, left_out
from shakedown.figures.kind import Picture
from shakedown.figures.replay.figure import team_name
from shakedown.ranking.stability import rank_shares
from shakedown.wording import percent

if TYPE_CHECKING:
    from shakedown.ranking.final_ranking import FinalRanking

#: Most teams and ranks in the figure.
MOST = 40
#: With more teams the figure is as wide as the page.
NARROW = 12
#: The area of the largest blob in square points; of a share below this none is drawn.
LARGEST, LEAST = 150.0, 0.002


def rank_blobs(ranking: FinalRanking) -> Picture:
    """Draw, for each team and rank, a blob whose area is the share of samples with this rank."""
    import matplotlib as mpl
    import seaborn as sns
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from shakedown.figures.style import CHOSEN, DOT, INK, PAGE_WIDTH, THEME

    shares = rank_shares(ranking.drawn)
    teams, shown = len(shares), min(len(shares), MOST)
    medians = 1 + (shares.cumsum(axis=1) < 0.5 - 1e-9).sum(axis=1)
    at, rank = np.nonzero(shares[:shown, :shown] >= LEAST)
    blobs = pd.DataFrame({"y": at, "rank": rank + 1, "share": shares[at, rank]})
    most = blobs["share"].max()
    width = PAGE_WIDTH if shown > NARROW else 0.67 * PAGE_WIDTH
    # Neighbours must not touch: names take about 1.7 inches, and a column has so many points.
    largest = min(LARGEST, (0.95 * 72.0 * (width - 1.7) / (shown + 0.4)) ** 2)
    with mpl.rc_context(THEME):
        figure = Figure(figsize=(width, 1.25 + 0.2 * shown), layout="constrained")
        ax = figure.subplots()
        sns.scatterplot(
            blobs, x="rank", y="y", size="share", size_norm=(0.0, most), sizes=(0.0, largest),
            color=DOT, edgecolor=INK, linewidth=0.4, legend=False, ax=ax, zorder=2,
        )  # fmt: skip
        inside = medians[:shown] <= shown
        ax.scatter(
            medians[:shown][inside], np.flatnonzero(inside), marker="|", s=110, linewidths=1.3,
            color=CHOSEN, zorder=3,
        )  # fmt: skip
        table = ranking.table.head(shown)
        names = [team_name(name, LONGEST) for name in table["team"]]
        ax.set_yticks(
            range(shown), [f"{p}. {n}" for p, n in zip(table["place"], names, strict=True)]
        )
        ax.set(
            xlim=(0.3, shown + 0.7), ylim=(shown - 0.4, -0.6), ylabel="",
            xlabel="Rank in a bootstrap sample",
        )  # fmt: skip
        ax.xaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=2))
        ax.grid(visible=True, axis="x")
        ax.tick_params(axis="y", length=0)
        blob = {"marker": "o", "markerfacecolor": DOT, "markeredgecolor": INK, "markersize": 8}
        explain(figure, {
            "area: share of the samples": blob | {"markeredgewidth": 0.4},
            "median rank of the team": {
                "marker": "|", "color": CHOSEN, "markersize": 10, "markeredgewidth": 1.3
            },
        })  # fmt: skip
    unseen = shares[:shown, shown:].sum(axis=1).max(initial=0.0)
    beyond = f" Ranks beyond {shown} have no room: up to {percent(unseen)} of a team's samples."
    caption = (
        f"The team on top has rank 1 in {percent(shares[0, 0])} of the samples. "
        f"The area of a blob is the share of {ranking.rule.draws:,} bootstrap samples of the final "
        f"rows in which the team has this rank by {ranking.metric.label}; the largest is "
        f"{percent(most)}. The numbers on the left are the final places. Blobs show how ranks vary "
        "from sample to sample; confidence sets of ranks are wider."
        f"{left_out(teams, shown)}{beyond if teams > shown else ''}"
    )
    return Picture(figure, caption)
