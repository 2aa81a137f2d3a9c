"""Cells of the dry run's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from shakedown.dryrun.options import is_attacked, is_proved, leaning, verdict
from shakedown.dryrun.proof import MOST
from shakedown.dryrun.shares import is_nothing, percentage, spread_of, written
from shakedown.dryrun.unattacked import NOT_ATTACKED
from shakedown.leaderboard.mechanism import of_setting
from shakedown.report.templates import firm
from shakedown.wording import amount

_MISSING = "–"
_SAFEST = ("proved", "measured", "not sure", "not tested", "no")


def limit(row: Mapping[str, Any], last: int | None = None) -> str:
    """The estimate of a limit; `last` is the number of models that a participant has, if these are
    fewer.

    Below the fewest submissions tested nothing is known, so the text gives no number.
    """
    if pd.isna(row["safe_submissions"]):
        return NOT_ATTACKED
    safe, fewest = row["safe_submissions"], row["fewest_tested"]
    if fewest is not None and safe < fewest:
        return f"fewer than {fewest:,}"
    if not row["censored"]:
        return f"{safe:,}"
    return f"all it can make: {safe:,}" if last else f"all {safe:,} tested"


def interval(row: Mapping[str, Any], last: int | None = None) -> str:
    """The interval of a limit; arguments as those of `limit`.

    One that is open at both ends tells nothing, and one that holds all that was tested tells
    nothing new.
    """
    low, high, fewest = row["ci_low"], row["ci_high"], row["fewest_tested"]
    if pd.isna(row["safe_submissions"]):
        return ""
    if not pd.isna(high):
        below = fewest is not None and high < fewest
        return f"fewer than {fewest:,}" if below else f"{low:,} to {int(high):,}"
    if not last and not low:
        return "unknown"
    return "" if row["censored"] and low >= row["safe_submissions"] else f"{low:,} to all"


def rank(row: Mapping[str, Any]) -> str:
    """What the text of a limit is sorted by: "fewer than 8" before 8, "all 8 tested" after it.

    "" stands for the end, where nothing is known.
    """
    if pd.isna(row["safe_submissions"]):
        return ""
    safe, fewest = row["safe_submissions"], row["fewest_tested"]
    if fewest is not None and safe < fewest:
        return f"{fewest - 0.5}"
    return f"{safe + 0.5 * bool(row['censored'])}"


def folded(row: Mapping[str, Any], last: int | None = None) -> str:
    """What a folded card shows below its name; arguments as those of `limit`."""
    return f"Safe submissions: {limit(row, last)}"


def sorting(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    """By what a cell with a limit is sorted: by `rank`, and equal ones by the cautious limit."""
    low = row["ci_low"]
    return {f"{key}_sort": rank(row), f"{key}_then": "" if pd.isna(low) else low}


def percent(share: float | None) -> str:
    """A share in per cent, to two digits."""
    if share is None or pd.isna(share):
        return _MISSING
    return firm(percentage(100 * share))


def proved(option: Mapping[str, Any]) -> str:
    """The number that is proved, and those on average and at the quantile if they differ."""

    def words(submissions: int | None) -> str:
        if submissions is None:
            return "withheld" if option["unproved"] else "–"
        return "any number" if submissions >= MOST else f"{submissions:,}"

    mean, quantile = (words(option.get(key)) for key in ("proved_mean", "proved_quantile"))
    both = words(option["proved_submissions"])
    if mean == quantile:
        return both
    return f"{both} (mean: {mean}, quantile: {quantile})"


def proved_rank(option: Mapping[str, Any]) -> str:
    """What the text of `proved` is sorted by, as `rank`."""
    both = option["proved_submissions"]
    return "" if both is None else str(both)


def asked_of(option: Mapping[str, Any], wanted: int) -> dict[str, Any]:
    """By what a leaderboard is filtered, and by what "enough?" is sorted: the safest first."""
    enough = verdict(option, wanted)
    words = {"yes": "proved" if is_proved(option, wanted) else "measured"}
    place = _SAFEST.index(words.get(enough, enough)) if is_attacked(option) else ""
    if enough == "not sure":
        place += 0.5 * (leaning(option, wanted) == "unsafe")
    return {
        "enough_sort": place,
        "facets": {
            f"Enough for {wanted:,}?": words.get(enough, enough),
            "Leaderboard": of_setting(option["setting"]).label,
        },
    }


@dataclass(frozen=True)
class DeltaScale:
    """How a page writes scores and Δ: in one unit.

    Attributes
    ----------
    tolerated : float
        The tolerated Δ, below 0, in the metric's unit.
    unit : str
        The metric's; "" for none.
    share : float or None
        What share of the response's spread, such as its variance, is tolerated; None where the
        metric has no unit.
    spread : str
        What it is a share of, such as "variance".
    responses : int
        How many there are.
    """

    tolerated: float
    unit: str
    share: float | None
    spread: str = ""
    responses: int = 1

    @property
    def _rests(self) -> dict[str, Any]:
        return {"threshold": self.tolerated, "share": self.share}

    @property
    def whole(self) -> str:
        """What shares are taken of, such as "the response’s variance"; "" without one."""
        return spread_of(vars(self))

    def plain(self, value: float) -> str:
        """A tolerated Δ in the metric's unit, such as "10.1 squared units of the response"."""
        return f"{amount(-value)} {self.unit}".strip()

    def threshold(self, value: float) -> str:
        """A tolerated Δ in the page's unit, such as "5 % of the response’s variance"."""
        if not self.share:
            return self.plain(value)
        return f"{percent(value / self.tolerated * self.share)} of {self.whole}"

    def size(self, value: float | None) -> str:
        """A score or a Δ in the page's unit: its share of the spread, or the metric's without."""
        if value is None or pd.isna(value):
            return _MISSING
        return firm(written(value, self._rests))

    def cell(self, value: float | None) -> str:
        """`size` in a table, whose reader may choose between unit and share."""
        text = self.size(value)
        if text == _MISSING:
            return text
        begins = Markup('<data value="{:g}"').format(value)
        if self.share:
            units = written(value, {})
            begins += Markup(' data-units="{}" data-shares="{}"').format(units, text)
        return begins + Markup(">{}</data>").format(text)

    def setting(self, value: float) -> str:
        """A parameter of a leaderboard, as `size` but with its sign and to three digits."""
        return self.size(value) if self.share else amount(value)

    def overfit(
        self, row: Mapping[str, Any], write: Callable[[float], str] | None = None
    ) -> dict[str, Any]:
        """A row of a frontier: submissions, Δ and its interval; a Δ of next to nothing is 0.

        `write` says how a number is written, by default as `size`; for a table, `cell`.
        """
        write = write or self.size
        delta, *ends = (
            "0" if is_nothing(row[c], self.tolerated) else write(row[c])
            for c in ("delta", "delta_low", "delta_high")
        )
        known = _MISSING not in ends
        return {
            "submissions": int(row["submissions"]),
            "delta": delta,
            "delta_interval": Markup(" to ").join(ends)
            if known
            else "too few plays for an interval",
        }


def tolerating(
    answers: Sequence[Mapping[str, Any]], wanted: int, scale: DeltaScale
) -> list[dict[str, str]]:
    """Rows of `tolerance.answers`: what there would be at several tolerated Δ."""
    rows = []
    for answer in answers:
        times, safe = answer["times"], answer["submissions"]
        tested = f"all {safe:,} tested" if safe == answer["most_tested"] else f"{safe:,}"
        enough = "enough for" if answer["enough"] else "fewer than"
        rows.append(
            {
                "tolerated": scale.cell(-answer["threshold"]),
                "times": "as now" if times == 1 else f"{times:g} times as much",
                "label": firm(answer["label"]) if safe else _MISSING,
                "safe": tested if safe else "none that was tested",
                "safe_sort": safe + 0.5 * (safe == answer["most_tested"]) if safe else "",
                "enough": f"{enough} {wanted:,}" if safe else "",
                "lag": scale.cell(answer["lag"]) if safe else _MISSING,
            }
        )
    return rows
