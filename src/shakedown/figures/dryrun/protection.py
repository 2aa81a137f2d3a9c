"""Protection against usefulness, board by board."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd

from shakedown.figures.dryrun.figure import LIMITS, DryRunFigure
from shakedown.figures.facets import name_rows
from shakedown.figures.kind import Picture
from shakedown.figures.style import INK, PAGE_WIDTH, line_colour
from shakedown.leaderboard.mechanism import of_setting
from shakedown.wording import amount, signed_amount


class Protection(DryRunFigure):
    """Safe submissions beside the smallest gain that participants get to see, a row per setting.

    Filled bars: no other setting is better in one of the two and at least as good in the other.
    """

    name: ClassVar[str] = "protection"
    label: ClassVar[str] = "Protection against usefulness"
    sentence: ClassVar[str] = "Safe submissions on every leaderboard beside what it still shows."
    order: ClassVar[float] = 3
    reads = {"limits": LIMITS, "utility": ("metric", "setting", "seen_floor")}

    def picture(self, tables):
        from matplotlib.figure import Figure

        limits, tolerated = self.limits(tables)
        rows = pd.merge(
            limits.astype({"setting": str}), tables["utility"].astype({"setting": str}),
            on="setting", validate="one_to_one",
        )  # fmt: skip
        rows = rows.astype(dict.fromkeys(("ci_low", "seen_floor"), float))
        rows = rows.sort_values(["ci_low", "seen_floor"], ascending=[False, True], kind="stable")
        boards = [of_setting(one) for one in rows["setting"]]
        front = pareto(rows["ci_low"].to_numpy(), rows["seen_floor"].to_numpy())
        chosen = next((one for one in boards if one.setting == self._recommended(tables)), None)
        metric = self.metric(tables).label

        figure = Figure(figsize=(PAGE_WIDTH, 1.2 + 0.27 * len(rows)), layout="constrained")
        heads = {
            "ci_low": "Safe submissions, counted cautiously\n(longer: safer)",
            "seen_floor": f"Smallest true gain that shows\n(in {metric}; shorter: more useful)",
        }
        colours = [line_colour(one) for one in boards]
        faces = [colour if kept else "white" for colour, kept in zip(colours, front, strict=True)]
        figure.subplots(1, 2, sharey=True)
        for ax, (column, head) in zip(figure.axes, heads.items(), strict=True):
            bars = ax.barh(range(len(rows)), rows[column].fillna(0), height=0.65, color=faces,
                           edgecolor=colours, linewidth=1.5)  # fmt: skip
            number = "{:,.0f}".format if column == "ci_low" else amount
            words = rows[column].map(number).where(rows[column].notna(), "none of those tried")
            plain = {"facecolor": "white", "linewidth": 0, "pad": 0.5}  # a line may run behind it
            ax.bar_label(bars, words, padding=3, fontsize=8.5, bbox=plain)
            ax.xaxis.set_major_formatter(lambda value, _: amount(value))
            ax.margins(x=0.2)
            ax.set_xlabel(head)
            ax.grid(visible=True, axis="x")
        name_rows(figure.axes[0], boards, chosen)
        if self.submissions:
            figure.axes[0].axvline(self.submissions, color=INK, linewidth=1.2, linestyle=":")
        return Picture(figure, self._caption(metric, tolerated, chosen))

    def _caption(self, metric: str, tolerated: float, chosen) -> str:
        text = (
            "Left: the number of submissions that is safe even at the lower end of its 95 % "
            f"interval (Δ of the {metric} stays above {signed_amount(tolerated)}). Right: the "
            "smallest true improvement that the leaderboard accepts and shows in 4 of 5 cases. "
            "Hollow bars: another leaderboard is better in one and no worse in the other."
        )
        if self.submissions:
            text += f" Dotted line: the {self.submissions:,} wanted."
        return text + (f" Bold: recommended, {chosen.title}." if chosen else "")

    def _recommended(self, tables) -> str | None:
        """The recommended setting; what to use until more is known is not recommended."""
        found = tables.get("recommendation")
        if found is None or found["answer"] == "undecided" or found["recommended"] is None:
            return None
        return found["recommended"]["setting"]


def pareto(safe: np.ndarray, floor: np.ndarray) -> np.ndarray:
    """Which settings no other one beats; more that is safe and a smaller floor are better.

    A null floor is worse than any number.  All arrays have the shape (settings,).
    """
    floor = np.where(np.isnan(floor), np.inf, floor)
    as_good = (safe[None] >= safe[:, None]) & (floor[None] <= floor[:, None])
    better = (safe[None] > safe[:, None]) | (floor[None] < floor[:, None])
    return ~(as_good & better).any(axis=1)
