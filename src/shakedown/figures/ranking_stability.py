"""How alike the rankings of bootstrap samples are to the ranking of the final rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from shakedown.figures.facets import explain
from shakedown.figures.kind import Picture
from shakedown.ranking.stability import agreements
from shakedown.wording import amount

if TYPE_CHECKING:
    from shakedown.ranking.final_ranking import FinalRanking

#: With more teams the first ones of them have a violin of their own.
FIRST = 10


def ranking_stability(ranking: FinalRanking) -> Picture:
    """Draw Kendall's tau of the ranking with that of each bootstrap sample, as violins."""
    import matplotlib as mpl
    import seaborn as sns
    from matplotlib.figure import Figure

    from shakedown.figures.style import BAND, CHOSEN, INK, PAGE_WIDTH, THEME

    order = np.argsort(ranking.risks, kind="stable")
    teams = len(order)
    groups = {f"all {teams} teams": order}
    if teams > FIRST:
        groups[f"the best {FIRST}"] = order[:FIRST]
    values = {
        name: agreements(ranking.risks[own], ranking.drawn[:, own]) for name, own in groups.items()
    }
    values = {name: taus[np.isfinite(taus)] for name, taus in values.items()}
    rows = pd.concat([pd.DataFrame({"among": n, "tau": t}) for n, t in values.items()])
    ring = {"marker": "o", "color": "white", "markeredgecolor": CHOSEN, "markersize": 6}
    bar = {"color": INK, "linewidth": 4.0}
    with mpl.rc_context(THEME):
        figure = Figure(
            figsize=(0.67 * PAGE_WIDTH, 1.15 + 0.75 * len(groups)), layout="constrained"
        )
        ax = figure.subplots()
        sns.violinplot(
            rows, x="tau", y="among", order=list(groups), ax=ax, color=BAND, linecolor=INK,
            linewidth=0.8, inner=None, cut=0, density_norm="width", width=0.75,
        )  # fmt: skip
        for k, taus in enumerate(values.values()):
            if len(taus):
                low, middle, high = np.quantile(taus, [0.25, 0.5, 0.75])
                ax.hlines(k, low, high, **bar)
                ax.plot([middle], [k], **ring)
        low = min((taus.min() for taus in values.values() if len(taus)), default=0.0)
        ax.set(xlim=(max(-1.02, low - 0.05), 1.02), ylabel="")
        ax.set_xlabel("Agreement with the final ranking (Kendall's tau; 1: same order)")
        ax.grid(visible=True, axis="x")
        ax.tick_params(axis="y", length=0)
        violin = {"marker": "s", "color": BAND, "markeredgecolor": INK, "markersize": 9}
        explain(figure, {
            "all samples": violin, "middle half": bar | {"linestyle": "-"}, "median": ring
        })  # fmt: skip
    medians = [
        f"{amount(np.median(taus), 2)} for {name}" for name, taus in values.items() if len(taus)
    ]
    said = f"Median agreement: {' and '.join(medians)}. " if medians else ""
    caption = (
        f"{said}Agreement: Kendall's tau between the ranking by {ranking.metric.label} and that of "
        f"a bootstrap sample of the final rows ({ranking.rule.draws:,} samples); 1 is the same "
        "order, 0 no relation. A violin is wide where many samples lie. Tau takes few values, so "
        "the median can lie at an end of the middle half."
    )
    return Picture(figure, caption)
