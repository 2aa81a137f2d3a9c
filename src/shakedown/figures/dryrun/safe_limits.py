"""How many submissions are safe, board by board."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from shakedown.dryrun.shares import spread_of
from shakedown.dryrun.unattacked import NOT_ATTACKED
from shakedown.figures.dryrun.figure import CURVE, LIMITS, DryRunFigure
from shakedown.figures.facets import explain, name_rows
from shakedown.figures.kind import Picture
from shakedown.figures.selection import settings_in
from shakedown.figures.style import INK, PAGE_WIDTH, REFERENCE, line_colour
from shakedown.wording import capitalised

#: How far beyond the largest number an arrow stands, as a factor.
_BEYOND = 1.25

#: Bars whose ends are nearer to each other than this factor lie behind their mark.
_SHORT = 1.1

#: What the interval says about the wanted number of submissions, and how that is marked.
_MARKS = {"safe": "o", "not sure": "D", "too many": "X"}


class SafeLimits(DryRunFigure):
    """The number of safe submissions with its interval, a row for each setting."""

    name: ClassVar[str] = "safe_limits"
    label: ClassVar[str] = "How many submissions are safe"
    sentence: ClassVar[str] = "Safe submissions on every leaderboard, with their 95 % intervals."
    order: ClassVar[float] = 1
    reads = {"frontier": CURVE, "limits": LIMITS}

    def picture(self, tables):
        import seaborn as sns
        from matplotlib.figure import Figure

        limits, tolerated = self.limits(tables)
        curves = self.curves(tables)
        first, last = int(curves["submissions"].min()), int(curves["submissions"].max())
        # Attacks of another kind, which a limit rests on as well, may have gone further.
        furthest = limits["safe_submissions"].max()
        last = last if pd.isna(furthest) else max(last, int(furthest))
        boards = self.ordered(tables, settings_in(limits))
        rows = limits.set_index(limits["setting"].astype(str)).loc[
            [board.setting for board in boards]
        ]
        rows = rows[["safe_submissions", "ci_low", "ci_high", "censored"]].astype("Float64")
        rows = rows.astype(float).assign(row=range(len(rows)), end=rows["ci_high"].fillna(last))
        rows["verdict"] = [self._verdict(row) for row in rows.itertuples()]
        # Below the first number that was played nothing is known.
        none = rows["ci_high"] < first
        rows.loc[none, ["safe_submissions", "ci_low", "end"]] = 0.0

        attacked = rows[rows["safe_submissions"].notna()]
        figure = Figure(figsize=(PAGE_WIDTH, 1.3 + 0.28 * len(rows)), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.06)  # a name in bold may be wider than laid out
        ax = figure.subplots()
        colours = [line_colour(boards[int(row)]) for row in attacked["row"]]
        # The arrow of an open end stands beyond the largest mark.
        open_ = attacked["ci_high"].isna()
        ends = attacked["end"].mask(open_, _BEYOND * attacked["end"])
        ax.hlines(attacked["row"], attacked["ci_low"], ends, colors=colours, linewidth=4)
        ax.scatter(ends[open_], attacked["row"][open_], marker=">", c=INK, s=45, zorder=2.5)
        sns.scatterplot(
            attacked, x="safe_submissions", y="row", style="verdict", markers=_MARKS, color=INK,
            s=60, zorder=3, legend=False, ax=ax, clip_on=False,
        )  # fmt: skip
        # Small numbers get room, and 0 has a place.
        ax.set_xscale("symlog", linthresh=10, linscale=0.5)
        ax.set(
            xlim=(0, 1.6 * max(last, self.submissions or 0)), xlabel="Submissions per participant"
        )
        ax.xaxis.set_major_formatter("{x:,.0f}")
        name_rows(ax, boards, self.chosen(tables, boards))
        if none.any():
            ax.tick_params(axis="y", pad=7)  # marks at 0 reach into the names
        numbers = ax.secondary_yaxis("right")
        numbers.set_yticks(rows["row"], [_numbers(row, first, last) for row in rows.itertuples()])
        numbers.tick_params(length=0)
        numbers.set_ylabel("Estimate (95 % interval)", rotation=0, ha="left", va="bottom")
        numbers.yaxis.set_label_coords(1.01, 1.0)
        if self.submissions:
            ax.axvline(self.submissions, color=INK, linewidth=1.2, linestyle=":", zorder=1.5)
            explain(figure, {
                f"{self.submissions:,} submissions: {word}": {"marker": mark, "color": INK}
                for word, mark in _MARKS.items() if word in set(attacked["verdict"])
            } | {
                "95 % interval": {"color": REFERENCE, "linestyle": "-", "linewidth": 4},
                f"{self.submissions:,} wanted": {"color": INK, "linestyle": ":", "linewidth": 1.2},
            })  # fmt: skip
        share = float(curves["quantile"].iloc[0])
        stay = (
            "the median attacker still stays"
            if share == 0.5
            else f"all but {100 * share:g} % of attackers still stay"
        )
        spread = spread_of(self.rests(tables))
        of = f" of {spread}" if spread else ""
        first_row = "Rows are ordered"
        if self.chosen(tables, boards):
            first_row = "The recommended one is first; the other rows are ordered"
        text = (
            f"{self.enough(tables)}{self._rest(attacked)} Mark: the estimated largest number of "
            f"submissions with which {stay} within the tolerated overfit (Δ above "
            f"{self.said(tolerated, tables)}{of}, for the {self.metric(tables).label}). Bar: the "
            "95 % interval of this number, in the colour of the kind of leaderboard; numbers up to "
            f"its lower end are called safe. {first_row} by the lower end of the bar."
        )
        if self.submissions:
            text += (
                f" The {self.submissions:,} wanted are safe where the whole bar lies right of the "
                "dotted line, and too many where all of it lies left."
            )
        if ((ends > 0) & (ends < _SHORT * attacked["ci_low"])).any():
            text += " Where no bar is seen, it is shorter than the mark."
        if ((ends > 0) & (ends == attacked["ci_low"])).any():
            text += " Where it is one number, the overfit jumps there beyond the tolerated."
        if none.any() or (attacked["ci_low"] < first).any():
            text += (
                f" At 0 (mark or end of a bar): too many from the smallest number tried, {first:,}."
            )
        if open_.any():
            text += f" An arrow, “all”: no more than {last:,} were tested."
        if len(attacked) < len(rows):
            text += (
                " Not attacked: a part of the leaderboard publishes no terms, so that some attacks "
                "cannot play on it."
            )
        text += f"{self.units(tables)}{self.in_bold(tables, boards)}"
        return Picture(figure, text)

    def _rest(self, attacked: pd.DataFrame) -> str:
        """A sentence, with a blank in front, on leaderboards on which the wanted are not safe."""
        found = attacked["verdict"].value_counts()
        many, unsure = (int(found.get(word, 0)) for word in ("too many", "not sure"))
        if not self.submissions or not many + unsure:
            return ""
        verb = "is" if self.submissions == 1 else "are"
        of_all = "all " * (many == len(attacked))
        said = [f"{self.submissions:,} {verb} too many on {of_all}{many}"] * bool(many)
        said += [f"on {unsure} it is not sure, and simulating more attackers would tell"] * bool(
            unsure
        )
        text = "; ".join(said)
        return f" {capitalised(text)}."

    def _verdict(self, row) -> str:
        if row.ci_low >= (self.submissions or 0):
            return "safe"
        return "too many" if row.ci_high < self.submissions else "not sure"


def _numbers(row, first: int, last: int) -> str:
    """The number and its interval; below the first number that was played nothing is known."""
    if pd.isna(row.safe_submissions):
        return NOT_ATTACKED
    safe, low, high = (f"{value:,.0f}" for value in (row.safe_submissions, row.ci_low, row.ci_high))
    if row.safe_submissions < first:
        safe = f"fewer than {first:,}"
        if row.ci_high < first:
            return safe
    if pd.isna(row.ci_high):
        high = "all"
    if row.censored:
        safe = f"all {last:,}"
    if row.censored and row.ci_low >= last:
        return safe
    return f"{safe} ({low} to {high})"
