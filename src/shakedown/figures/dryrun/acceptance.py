"""How likely a true improvement is accepted, and seen, board by board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from shakedown.figures.dryrun.figure import DryRunFigure
from shakedown.figures.facets import explain, panels
from shakedown.figures.kind import Picture
from shakedown.figures.selection import floats, rows_of, settings_in
from shakedown.figures.style import INK, REFERENCE, line_colour, short
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.wording import amount, capitalised, counted, listed, percent

FLOOR = 0.8
# A curve that falls by more than this is explained.
_FALL = 0.1
_WHY = (
    "The better a new submission is, the more it differs from the last one, and one that differs "
    "much is at first shown worse than it is."
)
_ACCEPTED = {"linestyle": "-", "linewidth": 1.8}
_SEEN = {"color": INK, "linestyle": "--", "linewidth": 1.2}


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
        boards = self.by_floor(tables, settings_in(chances), floors)
        chosen = self.chosen(tables, boards)
        titles = [f"{short(b)}\n{self._shows_from(floors[b.setting], tables)}" for b in boards]
        figure, axes = panels(
            titles,
            f"True gain ({unit})",
            "How often accepted, or shown",
            across=4,
            height=1.7,
            bold=boards.index(chosen) if chosen else None,
        )
        for board, ax in zip(boards, axes, strict=True):
            rows, colour = rows_of(chances, board), line_colour(board)
            # No bound: anything is possible.
            ends = floats(rows["accepted_low"].fillna(0)), floats(rows["accepted_high"].fillna(1))
            ax.fill_between(floats(rows["gain"]), *ends, color=colour, alpha=0.25, linewidth=0)
            for column, look in (("accepted", {"color": colour} | _ACCEPTED), ("seen", _SEEN)):
                sns.lineplot(rows, x="gain", y=column, estimator=None, ax=ax, **look)
            ax.plot([floors[board.setting]], [FLOOR], marker="o", color=INK, markersize=5.5)
            ax.axhline(FLOOR, color=REFERENCE, linewidth=1, linestyle=":")
            ax.annotate(
                "4 of 5", (0.02, FLOOR), (0, 1), xycoords=("axes fraction", "data"),
                textcoords="offset points", color=REFERENCE, fontsize=8, va="bottom",
            )  # fmt: skip
            # Small gains get room, and 0 has a place.
            ax.set_xscale("symlog", linthresh=smallest, linscale=0.5)
            ax.set(xlabel="", ylabel="")
            ax.set_xticks(ticks, map(amount, ticks))
            ax.minorticks_off()
        ax.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
        ax.set(xlim=(0, largest), ylim=(-0.03, 1.05), yticks=[0, 0.5, 1])
        explain(figure, {
            "accepted": {"color": REFERENCE} | _ACCEPTED,
            "accepted, and shown better": _SEEN,
            "smallest gain that shows in 4 of 5 cases": {"color": INK, "marker": "o"},
        })  # fmt: skip
        caption = (
            f"{self._spread(tables, boards, floors, _falling(chances, boards))} "
            f"Panels: the {'recommended, then the ' * bool(chosen)}smallest gains first. "
            "A participant sends a submission that is truly better than the one before, by the "
            f"gain on the axis ({unit}; logarithmic from {self.in_unit(smallest, tables)} on, "
            "linear below). Solid line, with its 95 % band: how often it is accepted as the new "
            "best. Dashed line: how often the participant also sees a better score at once (on a "
            "digest, at its next update); where it lies on the solid one, whatever is accepted "
            "also shows. Line and band have the colour of the kind of leaderboard. At a gain of 0 "
            f"acceptance is luck.{self.units(tables)}"
        )
        return Picture(figure, caption)

    def by_floor(
        self, tables: Mapping[str, Any], boards: Sequence[Mechanism], floors: pd.Series
    ) -> list[Mechanism]:
        """The recommended board, then those on which the smallest gains show."""
        chosen = self.chosen(tables, boards)
        floor = floors.fillna(np.inf)
        return sorted(boards, key=lambda board: (board != chosen, floor[board.setting]))

    def _spread(
        self,
        tables: Mapping[str, Any],
        boards: Sequence[Mechanism],
        floors: pd.Series,
        falling: Mapping[Mechanism, Sequence[float]],
    ) -> str:
        """Where the smallest and where the largest gain is needed, and where gains help little."""
        chosen = self.chosen(tables, boards)
        others = {board: floors[board.setting] for board in boards if board != chosen}
        known = {board: floor for board, floor in others.items() if floor > 0}
        shows = "a true gain shows in 4 of 5 cases"
        fewer = "a true gain shows in fewer than 4 of 5 cases, whatever its size"
        text = []
        if chosen:
            on = f"On the recommended leaderboard (bold: {chosen.title})"
            floor = floors[chosen.setting]
            least = f"{shows} if it is at least {self.in_unit(floor, tables)}"
            text.append(f"{on}, {least if floor > 0 else fewer}.")
        if chosen in falling:
            text.append(self._rarely(tables, *falling[chosen]))
        if known:
            ends = sorted({min(known, key=known.get), max(known, key=known.get)}, key=known.get)
            at = " to ".join(f"{self.in_unit(known[b], tables)} ({b.title})" for b in ends)
            need = "other leaderboards need" if len(known) > 1 else "other leaderboard needs"
            needed = f"{len(known)} {need} gains of {at} for 4 of 5 cases"
            text.append(f"{capitalised(needed if chosen else f'{shows} from {at} on')}.")
        none, also = others.keys() - known.keys(), falling.keys() - {chosen}
        if none:
            other = "others (last panels) stay" if len(none) > 1 else "other (last panel) stays"
            below = f"{len(none)} {other} below 4 of 5 cases, whatever the gain"
            alone = f"On {counted(len(none), 'leaderboard')} {fewer}"
            text.append(f"{below if chosen or known else alone}.")
        if also and chosen in falling and also == none:
            text.append("There, too, large gains show less often than small ones.")
        elif also:
            on = listed([board.title for board in falling if board in also])
            why = f" {_WHY}" if chosen not in falling else ""
            text.append(f"Large gains show less often than small ones on {on}.{why}")
        return " ".join(text)

    def _rarely(self, tables: Mapping[str, Any], small: float, large: float) -> str:
        """How often the smallest gain and the largest show on the recommended board, and why."""
        gains = self.factor(tables) * floats(tables["acceptance"]["gain"])
        least, most = (self.in_unit(gain, tables) for gain in (gains[gains > 0].min(), gains.max()))
        return (
            f"Large gains show there less often than small ones: in {_share(small)} of cases at a "
            f"gain of {least}, in {_share(large)} at {most}. {_WHY}"
        )

    def _shows_from(self, floor: float, tables: Mapping[str, Any]) -> str:
        """From which gain on a board shows it, for the title of its panel."""
        return f"shows from {self.in_unit(floor, tables)} on" if floor > 0 else "stays below 4 of 5"


def _falling(
    chances: pd.DataFrame, boards: Sequence[Mechanism]
) -> dict[Mechanism, tuple[float, float]]:
    """Boards on which large gains show less often: how often the smallest and the largest do."""
    falling = {}
    for board in boards:
        rows = rows_of(chances, board)
        seen = floats(rows["seen"])[floats(rows["gain"]) > 0]
        if board.release.reads_files and seen[-1] < seen[0] - _FALL:
            falling[board] = (seen[0], seen[-1])
    return falling


def _share(share: float) -> str:
    return percent(share) if share >= 0.01 else "less than 1 %"
