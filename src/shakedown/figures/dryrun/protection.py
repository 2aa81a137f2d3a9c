"""Protection against usefulness, board by board."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from matplotlib.text import Text

from shakedown.figures.dryrun.figure import LIMITS, DryRunFigure
from shakedown.figures.facets import name_rows
from shakedown.figures.kind import Picture
from shakedown.figures.style import INK, PAGE_WIDTH, line_colour
from shakedown.leaderboard.mechanism import of_setting
from shakedown.wording import amount

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Points between a number and the line of the wanted submissions.
_CLEAR = 4.0
# The column that each panel shows, and the label of its axis; {} is the metric.
_PANELS = {
    "ci_low": "Safe submissions,\ncounted cautiously\n(longer: safer)",
    "seen_floor": "Smallest true gain that shows\n({};\nshorter: more useful)",
}
# Formats of the number at a bar, and at an open bar, whose true value was not tested.
_NUMBERS = {
    "ci_low": ("{:,.0f}", "all {:,.0f}"),
    "seen_floor": ("{}", "over {}"),
}


class Protection(DryRunFigure):
    """Safe submissions beside the smallest gain that participants get to see, a row per setting.

    Filled bars: no other setting is better in one of the two and at least as good in the other.
    Bars with an arrow are open: they end at the last value tested, and the true value lies beyond.
    """

    name: ClassVar[str] = "protection"
    label: ClassVar[str] = "Protection against usefulness"
    sentence: ClassVar[str] = (
        "Safe submissions on every leaderboard, and the smallest true gain that it shows."
    )
    order: ClassVar[float] = 3
    reads = {
        "limits": LIMITS,
        "utility": ("metric", "setting", "seen_floor"),
        "acceptance": ("setting", "gain"),
    }

    def picture(self, tables):
        import seaborn as sns
        from matplotlib.figure import Figure

        limits, tolerated = self.limits(tables)
        limits = limits[limits["safe_submissions"].notna()]  # the others are not attacked
        rows = pd.merge(
            limits.astype({"setting": str}), tables["utility"].astype({"setting": str}),
            on="setting", validate="one_to_one",
        )  # fmt: skip
        rows, factor = rows.astype(dict.fromkeys(_PANELS, float)), self.factor(tables)
        rows["seen_floor"] *= factor
        rows["floor"] = rows["seen_floor"]
        rows = rows.sort_values([*_PANELS], ascending=[False, True], kind="stable")
        rows["front"] = pareto(*(rows[column].to_numpy() for column in _PANELS))
        tried = tables["acceptance"].groupby("setting", observed=True)["gain"].max() * factor
        ends = {
            # Even the lower end is the largest number of submissions that an attack made.
            "ci_low": rows["censored"] & (rows["ci_low"] >= rows["safe_submissions"].astype(float)),
            "seen_floor": rows["seen_floor"].isna(),
        }
        rows["seen_floor"] = rows["seen_floor"].fillna(rows["setting"].map(tried).astype(float))
        boards = [of_setting(setting) for setting in rows["setting"]]
        chosen = self.chosen(tables, boards)
        metric = self.metric(tables)
        figure = Figure(figsize=(PAGE_WIDTH, 1.3 + 0.28 * len(rows)), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.06)  # a name in bold may be wider than laid out
        figure.subplots(1, 2, sharey=True)
        for ax, (column, head) in zip(figure.axes, _PANELS.items(), strict=True):
            for front, part in rows.groupby("front"):
                sns.barplot(
                    part, x=column, y="setting", order=list(rows["setting"]), hue="setting",
                    palette={board.setting: line_colour(board) for board in boards}, saturation=1,
                    fill=front, width=0.65, linewidth=1.5, legend=False, ax=ax,
                )  # fmt: skip
            for bar in ax.patches:  # filled ones are as large as hollow ones
                if bar.get_facecolor()[3] == 1:
                    bar.set(edgecolor=bar.get_facecolor(), linewidth=1.5)
            # The number is on white, because a line may run behind it.
            plain = {"facecolor": "white", "linewidth": 0, "pad": 0.5}
            for place, (value, is_open) in enumerate(zip(rows[column], ends[column], strict=True)):
                number = value if column == "ci_low" else self.in_unit(value, tables)
                ax.annotate(
                    _NUMBERS[column][is_open].format(number), (value, place), va="center",
                    xytext=(9 if is_open else 3, 0), textcoords="offset points", fontsize=8.5,
                    bbox=plain,
                )  # fmt: skip
                if is_open:
                    ax.scatter([value], [place], marker=">", c=INK, s=30, zorder=3, clip_on=False)
            ax.xaxis.set_major_formatter(lambda value, _: amount(value))
            ax.tick_params(axis="y", length=0)
            # Room for the numbers, and for the name of the line.
            ax.margins(x=0.3 if ends[column].any() else 0.2)
            ax.set_xlabel(head.format(self.unit(tables)))
            ax.grid(visible=True, axis="x")
        name_rows(figure.axes[0], boards, chosen)
        text = [
            f"{self.enough(tables)} {self._most_useful(tables, rows)} "
            "Left: how many submissions are safe, counted cautiously, at the lower end of the 95 % "
            f"interval (Δ of the {metric.label} stays above {self.said(tolerated, tables)}). "
            "Right: the smallest true improvement that shows, in 4 of 5 cases, right after it is "
            "submitted. Hollow bars: another leaderboard is better in one and no worse in the "
            f"other; colours: kinds of leaderboard.{self.units(tables)}"
        ]
        if (rows["ci_low"] == 0).any():
            text.append("0: even the fewest that were tried may be too many.")
        if any(open_.any() for open_ in ends.values()):
            text.append("An arrow: the bar is open; nothing beyond it was tested.")
        if self.submissions:
            self._want(figure)
        if chosen:
            text.append(f"Bold: recommended, {chosen.title}.")
        text.append(self.on_usefulness(tables))
        return Picture(figure, " ".join(filter(None, text)))

    def _want(self, figure: Figure) -> None:
        """Draw the wanted number of submissions on the left, and move numbers off its line."""
        ax, wanted = figure.axes[0], self.submissions
        ax.axvline(wanted, color=INK, linewidth=1.2, linestyle=":")
        ax.annotate(
            f"{wanted:,} wanted", (wanted, 1), (0, 2), xycoords=("data", "axes fraction"),
            textcoords="offset points", ha="center", va="bottom", fontsize=8,
        )  # fmt: skip
        figure.draw_without_rendering()
        point = figure.dpi / 72
        line, _ = ax.transData.transform((wanted, 0))
        for number in ax.texts[:-1]:
            box = Text.get_window_extent(number)
            if box.x0 - _CLEAR * point < line < box.x1 + _CLEAR * point:
                end, _ = ax.transData.transform(number.xy)
                number.xyann = ((line - end) / point + _CLEAR, 0)

    def _most_useful(self, tables: Mapping[str, Any], rows: pd.DataFrame) -> str:
        """Where the smallest gain shows, among the leaderboards that are safe if any are."""
        safe = rows[rows["ci_low"] >= (self.submissions or 0)]
        among = rows if safe.empty else safe
        shown = among[among["floor"].notna()].sort_values("floor", kind="stable")
        if shown.empty:
            where = "" if safe.empty else " there" if len(safe) == 1 else " on them"
            return f"No gain that was tried shows{where}."
        # Of those that are equal in print, the recommended one.
        said = shown["floor"].map(partial(amount, digits=2))
        equal = shown[said == said.iloc[0]]
        best = equal.iloc[(equal["setting"] != self.recommended(tables)).to_numpy().argmin()]
        gain, title = self.in_unit(best["floor"], tables), of_setting(best["setting"]).title
        if safe.empty or not self.submissions:
            return f"The smallest true gain, {gain}, shows on {title}."
        if len(safe) == 1:
            return f"True gains show there from {gain} on ({title})."
        return f"Of these, the smallest true gain, {gain}, shows on {title}."


def pareto(safe: np.ndarray, floor: np.ndarray) -> np.ndarray:
    """Which settings no other one beats; more safe submissions and a smaller floor are better.

    A null floor is worse than any number.  All arrays have the shape (settings,).
    """
    floor = np.where(np.isnan(floor), np.inf, floor)
    as_good = (safe[None] >= safe[:, None]) & (floor[None] <= floor[:, None])
    better = (safe[None] > safe[:, None]) | (floor[None] < floor[:, None])
    return ~(as_good & better).any(axis=1)
