"""What a figure of a dry run is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from shakedown.attacks.attack import ANYBODY
from shakedown.component import Registry, parameter
from shakedown.dryrun.limits import at_threshold, of_threat
from shakedown.dryrun.shares import scaled, spread_of, written
from shakedown.figures.pages import PageFigure
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.metrics import Metric, find
from shakedown.wording import amount, counted

if TYPE_CHECKING:
    import pandas as pd

#: Columns of the tables that figures read.
CURVE = (
    *("metric", "setting", "threat", "submissions", "attack", "iteration_board", "quantile"),
    *("delta", "delta_low", "delta_high"),
)
LIMITS = (
    *("metric", "setting", "threat", "threshold"),
    *("safe_submissions", "ci_low", "ci_high", "censored"),
)


class DryRunFigure(PageFigure):
    """A figure of a dry run: see `pages.PageFigure`.

    Its tables are frontier, limits, utility and acceptance, each of one data set and metric, and
    the recommendation as `recommendation.recommend` returns it.
    """

    kind: ClassVar[str] = "dry-run figure"

    threat: str = parameter(ANYBODY, description="The kind of participant.")
    threshold: float | None = parameter(
        None, description="Tolerated Δ, in the metric's unit; null for the first of the limits."
    )
    submissions: int | None = parameter(
        None, description="Submissions that each participant shall have; null for none."
    )

    def metric(self, tables: Mapping[str, Any]) -> Metric:
        """The metric of the tables."""
        return find(str(tables[next(iter(self.reads))]["metric"].iloc[0]))

    def rests(self, tables: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the recommendation rests on; empty without one."""
        return (tables.get("recommendation") or {}).get("rests_on", {})

    def factor(self, tables: Mapping[str, Any]) -> float:
        """By which scores are multiplied to be in the page's one unit (`dryrun.shares`)."""
        return scaled(1.0, self.rests(tables))

    def unit(self, tables: Mapping[str, Any]) -> str:
        """What numbers of an axis are: "in % of the response’s variance", or the metric."""
        spread = spread_of(self.rests(tables))
        return f"in % of {spread}" if spread else self.metric(tables).label

    def in_unit(self, number: float, tables: Mapping[str, Any]) -> str:
        """A number that is in the page's one unit already: "1.2 %"."""
        percent = " %" if spread_of(self.rests(tables)) else ""
        return f"{amount(number, 2)}{percent}"

    def said(self, value: float, tables: Mapping[str, Any]) -> str:
        """A Δ in the metric's unit, in that of the page: "−5 %"."""
        return written(value, self.rests(tables), 3)

    def units(self, tables: Mapping[str, Any]) -> str:
        """A sentence, with a blank in front, on the unit of scores and its share of the spread.

        "" where the unit says nothing: a metric without one, or one of the spread itself.
        """
        metric, rests = self.metric(tables), self.rests(tables)
        unit = rests.get("unit", metric.unit)
        if not unit:
            return ""
        if spread := spread_of(rests):
            percent = amount(-0.01 * rests["threshold"] / rests["share"])
            return "" if percent == "0.01" else f" 1 % of {spread} is {percent} {unit}."
        return f" The {metric.label} is in {unit}."

    def curves(self, tables: Mapping[str, Any]) -> pd.DataFrame:
        """The frontier of the threat."""
        return of_threat(tables["frontier"], self.threat)

    def limits(self, tables: Mapping[str, Any]) -> tuple[pd.DataFrame, float]:
        """The limits of the threat, and the tolerated Δ that they are for."""
        limits = of_threat(tables["limits"], self.threat)
        wanted = limits["threshold"].iloc[0] if self.threshold is None else self.threshold
        return at_threshold(limits, wanted), float(wanted)

    def recommended(self, tables: Mapping[str, Any]) -> str | None:
        """The recommended setting; None if the dry run could not decide."""
        given = tables.get("recommendation") or {}
        if given.get("answer") == "undecided":
            return None
        return (given.get("recommended") or {}).get("setting")

    def chosen(self, tables: Mapping[str, Any], boards: Sequence[Mechanism]) -> Mechanism | None:
        """The recommended one among some boards; None without one."""
        recommended = self.recommended(tables)
        return next((board for board in boards if board.setting == recommended), None)

    def ordered(self, tables: Mapping[str, Any], boards: Sequence[Mechanism]) -> list[Mechanism]:
        """Boards as a reader asks for them: the recommended one, then the safest first.

        Of boards as safe as each other, that with the smaller mean overfit over the numbers of
        submissions comes first; those of unknown safety are last.
        """
        limits, _ = self.limits(tables)
        rows = limits.set_index(limits["setting"].astype(str))[["ci_low", "safe_submissions"]]
        safe = rows.astype("Float64").astype(float).fillna(-1.0).T.to_dict("list")
        recommended = self.recommended(tables)
        curves = self.curves(tables)
        delta = curves["delta"].astype(float).groupby(curves["setting"].astype(str)).mean()

        def place(board: Mechanism) -> tuple:
            low, number = safe.get(board.setting, (-1.0, -1.0))
            return board.setting != recommended, -low, -number, -delta.get(board.setting, 0.0)

        return sorted(boards, key=place)

    def in_bold(self, tables: Mapping[str, Any], boards: Sequence[Mechanism]) -> str:
        """A sentence, with a blank in front, on the name in bold; "" where none is."""
        chosen = self.chosen(tables, boards)
        return f" Bold: recommended, {chosen.title}." if chosen else ""

    def enough(self, tables: Mapping[str, Any]) -> str:
        """A sentence: on how many of the leaderboards the wanted submissions are safe.

        Without a wanted number, how many are safe on the safest one.
        """
        limits, _ = self.limits(tables)
        known = limits[limits["safe_submissions"].notna()]
        lows, boards = known["ci_low"].astype(int), counted(len(limits), "leaderboard")
        if known.empty:
            return "Nothing was attacked, so that no number of submissions is known to be safe."
        most = int(lows.max())
        best = [of_setting(str(s)).title for s in known["setting"][(lows == most).to_numpy(bool)]]
        where = best[0] if len(best) == 1 else counted(len(best), "leaderboard")
        if not self.submissions:
            return f"The most that is safe is {counted(most, 'submission')}, on {where}."
        wanted, safe = (
            counted(self.submissions, "submission"),
            int((lows >= self.submissions).sum()),
        )
        verb = "is" if self.submissions == 1 else "are"
        if safe:
            some = f"all {boards}" if safe == len(limits) else f"{safe} of {boards}"
            return f"{wanted} {verb} safe on {some}."
        nearest = f"; at most {most:,} {'is' if most == 1 else 'are'}, on {where}" if most else ""
        return f"{wanted} {verb} safe on none of {boards}{nearest}."

    def rarer(self, tables: Mapping[str, Any], does: str = "overfit") -> str:
        """How many attackers overfit more than a curve says: "1 attacker in 4 overfits"."""
        share = float(tables["frontier"]["quantile"].iloc[0])
        one = f"1 attacker in {1 / share:g} {does}s"
        return f"half of the attackers {does}" if share == 0.5 else one

    def on_usefulness(self, tables: Mapping[str, Any]) -> str:
        """A sentence on a board that is useful by its lag and not by the gains that show; or "".

        It is the recommended one, or else the one of the smallest lag, among those on which no gain
        that was tried shows.
        """
        use = tables["utility"].astype({"setting": str})
        if not {"lag", "seen_floor"} <= set(use):
            return ""
        use = use.astype({"lag": float, "seen_floor": float})
        silent = use[use["seen_floor"].isna() & use["lag"].notna()].sort_values("lag")
        if silent.empty:
            return ""
        # If the recommended one is among them, this is what readers ask about.
        is_other = (silent["setting"] != self.recommended(tables)).to_numpy()
        board = silent.iloc[is_other.argmin()]
        behind = use[use["seen_floor"].notna() & (use["lag"] > board["lag"])]
        if behind.empty:
            return ""
        title, rests = of_setting(board["setting"]).title, self.rests(tables)
        return (
            f"On {title} no gain that was tried shows at once in 4 of 5 cases. But over many "
            "submissions the best score shown trails a team’s true best by only "
            f"{written(board['lag'], rests)} (the lag), less than on "
            f"{counted(len(behind), 'leaderboard')} where gains do show."
        )


DRY_RUN_FIGURES = Registry(DryRunFigure, "shakedown.figures.dryrun")
