"""How likely a true improvement is accepted, and seen, board by board."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.dryrun.shares import spread_of
from shakedown.figures.dryrun.figure import DryRunFigure
from shakedown.figures.facets import explain, panels
from shakedown.figures.kind import Picture
from shakedown.figures.selection import floats, rows_of, settings_in
from shakedown.figures.style import INK, REFERENCE, line_colour, short
from shakedown.wording import amount

FLOOR = 0.8
_ACCEPTED = {"linestyle": "-", "linewidth": 1.8}
_SEEN = {"color": "#222222", "linestyle": "--", "linewidth": 1.2}


class AcceptanceFigure(DryRunFigure):
    """Chance of being accepted, and of being seen, against the true gain of a submission.

    A dot marks the smallest gain that is seen in 4 of 5 cases, and the title names it.
    """

    name: ClassVar[str] = "acceptance"
    label: ClassVar[str] = "What an honest participant gets to see"
    sentence: ClassVar[str] = "How often a true gain is accepted, and how often it shows."
    order: ClassVar[float] = 4
    reads = {
        "acceptance": (
            *("metric", "setting", "gain"),
            *("accepted", "accepted_low", "accepted_high", "seen"),
        ),
        "utility": ("setting", "seen_floor"),
    }

    def picture(self, tables):
        import seaborn as sns
        from matplotlib.ticker import PercentFormatter

        utility = tables["utility"].astype({"setting": str, "seen_floor": float})
        factor, unit = self.factor(tables), self.unit(tables)
        floors = factor * utility.set_index("setting")["seen_floor"]
        chances = tables["acceptance"].sort_values("gain")
        chances = chances.assign(gain=factor * floats(chances["gain"]))
        gains = floats(chances["gain"])
        smallest, largest = gains[gains > 0].min(), gains.max()
        powers = np.arange(np.ceil(np.log10(2 * smallest)), np.floor(np.log10(largest)) + 1)
        ticks = [0, *10.0**powers]
        boards = settings_in(chances)
        percent = " %" if spread_of(self.rests(tables)) else ""
        titles = [f"{short(board)}\n{_finding(floors[board.setting], percent)}" for board in boards]
        figure, axes = panels(
            titles,
            f"True gain ({unit})",
            "How often a true gain shows",
            across=4,
            height=1.7,
        )
        for board, ax in zip(boards, axes, strict=True):
            rows, colour = rows_of(chances, board), line_colour(board)
            # No bound: anything is possible.
            ends = floats(rows["accepted_low"].fillna(0)), floats(rows["accepted_high"].fillna(1))
            ax.fill_between(floats(rows["gain"]), *ends, color=colour, alpha=0.25, linewidth=0)
            for column, look in (("accepted", {"color": colour} | _ACCEPTED), ("seen", _SEEN)):
                sns.lineplot(rows, x="gain", y=column, estimator=None, ax=ax, **look)
            ax.plot([floors[board.setting]], [FLOOR], marker="o", color=INK, markersize=5.5)
            ax.axhline(FLOOR, color=REFERENCE, linewidth=0.9, linestyle="--")
            # Small gains get room, and 0 has a place.
            ax.set_xscale("symlog", linthresh=smallest, linscale=0.5)
            ax.set(xlabel="", ylabel="")
            ax.set_xticks(ticks, map(amount, ticks))
        ax.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
        ax.set(xlim=(0, largest), ylim=(-0.03, 1.05))
        explain(figure, {
            "accepted": {"color": REFERENCE} | _ACCEPTED,
            "accepted, and shown better": _SEEN,
            "shows in 4 of 5 cases": {"color": INK, "marker": "o"},
        })  # fmt: skip
        caption = (
            "A participant sends a submission that is truly better than the one before, by the "
            f"gain on the axis ({unit}). Solid line, with its 95 % band: how often it is "
            "accepted as the new best. Dashed line: how often the participant also sees a better "
            "score. Dot: the smallest gain that shows in 4 of 5 cases. At a gain of 0 acceptance "
            f"is chance.{self.units(tables)}"
        )
        return Picture(figure, caption)


def _finding(floor: float, percent: str) -> str:
    return f"shows from {amount(floor, 2)}{percent} on" if floor > 0 else "no gain tried shows"
