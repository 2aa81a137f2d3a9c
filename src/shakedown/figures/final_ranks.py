"""The ranks of the final files with their confidence sets, and who is tied with the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shakedown.figures.facets import explain
from shakedown.figures.kind import Picture
from shakedown.figures.replay.figure import team_name
from shakedown.wording import amount, counted, percent

if TYPE_CHECKING:
    from shakedown.ranking.final_ranking import FinalRanking

#: Most teams in the figure, and most characters of a name.
MOST, LONGEST = 30, 18


def final_ranks(ranking: FinalRanking) -> Picture:
    """Draw the sets of the first teams, and a bracket around those that are tied with the first."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from shakedown.figures.style import CHOSEN, INK, PAGE_WIDTH, REFERENCE, THEME

    table, teams = ranking.table.head(MOST), len(ranking.table)
    level = percent(ranking.rule.level)
    thin, thick = ({"color": REFERENCE, "linestyle": "-", "linewidth": w} for w in (1, 4.5))
    bracket = {"color": CHOSEN, "linestyle": "-", "linewidth": 1.6}
    y = np.arange(len(table))
    with mpl.rc_context(THEME):
        figure = Figure(figsize=(0.67 * PAGE_WIDTH, 1.55 + 0.24 * len(table)), layout="constrained")
        ax = figure.subplots()
        ax.hlines(y, table["joint_low"], table["joint_high"], **_bar(thin))
        ax.hlines(y, table["rank_low"], table["rank_high"], **_bar(thick))
        ax.scatter(table["rank"], y, marker="D", s=34, c=INK, zorder=3)
        names = [team_name(name, LONGEST) for name in table["team"]]
        scores = [amount(score, 5) for score in table["score"]]
        ax.set_yticks(y, [f"{p}. {n}" for p, n in zip(table["place"], names, strict=True)])
        right = ax.secondary_yaxis("right")
        right.set_yticks(y, scores)
        right.set_ylabel(ranking.metric.short, rotation=0, ha="left", va="bottom")
        right.yaxis.set_label_coords(1.01, 1.0)
        tied = np.flatnonzero(table["tied"])
        if len(tied) > 1:
            ax.plot(
                [0.55, 0.4, 0.4, 0.55], [-0.3, -0.3, len(tied) - 0.7, len(tied) - 0.7],
                clip_on=False, **bracket,
            )  # fmt: skip
        ax.set(xlim=(0.2, min(table["joint_high"].max(), teams) + 0.8))
        ax.set(ylim=(len(table) - 0.4, -0.6), xlabel="Rank on the final rows")
        ax.set_xticks(ticks_of_ranks(int(ax.get_xlim()[1])))
        ax.grid(visible=True, axis="x")
        ax.grid(visible=False, axis="y")
        for axis in (ax, right):
            axis.tick_params(axis="y", length=0)
        looks = {
            "rank by score": {"color": INK, "marker": "D"},
            f"possible ranks, one by one ({level})": thick,
            f"all at once ({level})": thin,
        }
        if len(tied) > 1:
            looks["tied with the first"] = bracket
        explain(figure, looks, across=2)
    ties = ""
    if len(tied) > 1:
        ties = (
            f" Bracket: {counted(len(tied), 'team')} tied with the first (K at most "
            f"{ranking.rule.tied:g})."
        )
    first = int((ranking.table["rank_low"] == 1).sum())
    is_sure = (table["rank_low"] == table["rank_high"]).any()
    unseen = " Where no thick bar is seen, it is a single rank." * bool(is_sure)
    caption = (
        f"{first} of {counted(teams, 'team')} can be first, judged one by one. "
        f"Scores on the right: {ranking.metric.label}; numbers on the left: final places. With a "
        f"confidence of {level}, the thick bar holds the rank of its team, and the thin bars hold "
        f"all ranks at once.{unseen}{ties}"
        f"{left_out(teams, len(table))}"
    )
    return Picture(figure, caption)


def _bar(look: dict) -> dict:
    """A look of a line, for bars."""
    return {"colors": look["color"], "linewidth": look["linewidth"]}


def ticks_of_ranks(last: int) -> list[int]:
    """Ticks of an axis of ranks, of which the first is 1: "1, 3, 5" or "1, 5, 10"."""
    step = next(s for k in range(9) for s in (10**k, 2 * 10**k, 5 * 10**k) if last <= 8 * s)
    first = 1 + step if step < 5 else step
    return [1, *range(first, last + 1, step)]


def left_out(teams: int, shown: int) -> str:
    """A sentence, with a blank in front, on the teams that a figure leaves out; "" for none."""
    if teams == shown:
        return ""
    others = counted(teams - shown, "other")
    return f" The first {shown} of {teams:,} teams are shown; {others} had no room."
