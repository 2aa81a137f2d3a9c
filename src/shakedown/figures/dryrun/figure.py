"""What a figure of a dry run is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from shakedown.attacks.attack import ANYBODY
from shakedown.component import Registry, parameter
from shakedown.dryrun.limits import at_threshold, of_threat
from shakedown.dryrun.shares import scaled, spread_of, written
from shakedown.figures.pages import PageFigure
from shakedown.metrics import Metric, find
from shakedown.wording import amount

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

    def said(self, value: float, tables: Mapping[str, Any]) -> str:
        """A Δ in the metric's unit, in that of the page: "−5 %"."""
        return written(value, self.rests(tables), 3)

    def units(self, tables: Mapping[str, Any]) -> str:
        """A sentence, with a blank in front, on the unit of scores and its share of the spread."""
        metric, rests = self.metric(tables), self.rests(tables)
        unit = rests.get("unit", metric.unit)
        if not unit:
            return f" The {metric.label} has no unit."
        if spread := spread_of(rests):
            percent = amount(-0.01 * rests["threshold"] / rests["share"])
            return f" 1 % of {spread} is {percent} {unit}."
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
        recommendation = tables.get("recommendation")
        if (
            recommendation is None
            or recommendation["answer"] == "undecided"
            or recommendation["recommended"] is None
        ):
            return None
        return recommendation["recommended"]["setting"]


DRY_RUN_FIGURES = Registry(DryRunFigure, "shakedown.figures.dryrun")
