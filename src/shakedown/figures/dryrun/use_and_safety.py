"""Use against safety: every leaderboard of a dry run as a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from shakedown.dryrun.options import at, held
from shakedown.figures.dryrun.figure import CURVE, LIMITS, DryRunFigure
from shakedown.figures.facets import explain
from shakedown.figures.kind import Picture
from shakedown.figures.naming import Naming, key_height, write_key
from shakedown.figures.selection import rows_of
from shakedown.figures.style import BAND, CHOSEN, DOT, INK, PAGE_WIDTH, short
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.settings import settings_in
from shakedown.wording import capitalised, counted, signed_amount

#: Safety by what it rests on: its mark.
_MARKS = {
    "proved": {"fillstyle": "full"},
    "proved on average": {"fillstyle": "left", "markerfacecoloralt": "white"},
    "measured": {"markerfacecolor": "white"},
}
#: The same in words of the caption.
_FILLINGS = {
    "proved": "filled: proved, whatever is submitted",
    "proved on average": "half filled: proved on average",
    "measured": "hollow: measured with the attacks played",
}
_PROOFS = ("proved_submissions", "proved_mean")
_VALUES = ("lag", "delta", "delta_low", "delta_high")
#: Lower end of the panel in tolerated Δ; what lies below is not safe in any case.  To show the
#: leaderboard of the answer, it may be lower.
_DEEPEST, _DEEPEST_RINGED = 2.5, 10.0
#: Free space beside the points, as a share of their width; at the left with room for a name.
_AROUND, _AROUND_NAME = 0.12, 0.34
#: Most characters in a line beside a point, unless a word is longer.
_NARROW = 18
#: The leaderboards of the answer, which have a ring.
_RINGED = ("recommended", "most promising", "until more plays decide")
_OPEN = _RINGED[1:]  # of an answer that is undecided
_RING = {"marker": "o", "markersize": 14, "markerfacecolor": "none", "markeredgecolor": INK}


class UseAndSafety(DryRunFigure):
    """Δ of the strongest attack against the lag of honest participants, a point for each board.

    The lag runs from right to left, so that the best leaderboards are at the upper right.
    """

    name: ClassVar[str] = "use_and_safety"
    label: ClassVar[str] = "How useful and how safe each leaderboard is"
    sentence: ClassVar[str] = "How useful and how safe every leaderboard is."
    order: ClassVar[float] = 2.5
    reads = {"limits": LIMITS, "frontier": CURVE, "utility": ("metric", "setting", "lag")}

    def picture(self, tables):
        from matplotlib.figure import Figure

        _, tolerated = self.limits(tables)
        scale, of = self.factor(tables), self.unit(tables)
        points, unknown = self._points(tables)
        points[[*_VALUES]] *= scale
        line, said = tolerated * scale, self.said(tolerated, tables)
        marked = self._marked(tables, points)
        titles = [of_setting(setting).title for setting in points["setting"]]
        others = [title for k, title in enumerate(titles) if k not in marked]

        low = key_height(others)
        figure = Figure(figsize=(PAGE_WIDTH, 4.4 + low), layout="constrained")
        figure.get_layout_engine().set(rect=(0, low / (4.4 + low), 1, 4.4 / (4.4 + low)))
        ax = figure.subplots()
        ringed = points.loc[[k for k, why in marked.items() if why in _RINGED]]
        bottom, top = self._limit(ax, points, ringed, line)
        ax.axhspan(bottom, line, color=BAND, zorder=0)
        ax.axhline(line, color=CHOSEN, linewidth=1.2, zorder=1)
        ends = {"delta_low": {-np.inf: bottom}, "delta_high": {np.inf: top}}
        points = points.replace(ends)
        # What is cut off stands at the edge.
        points["y"] = points["delta"].clip(lower=bottom + 0.025 * (top - bottom))
        points["cut"] = points["delta"] < bottom
        for k, point in enumerate(points.itertuples()):
            _draw(ax, point, ringed=marked.get(k) in _RINGED)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(lambda value, _: signed_amount(value))
        ax.set_xlabel(f"Lag of the best score shown ({of})      more useful →")
        ax.set_ylabel(f"Overfit Δ ({of})      safer →")
        explain(figure, self._looks(points, marked, said), across=3)

        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # the names are for this size
        naming = Naming(ax, points[["lag", "y"]], points[["delta_low", "delta_high"]])
        naming.keep_free(line)
        naming.say("useful and safe", top)
        naming.say("more overfit than tolerated", line)
        write_key(figure, [titles[k] for k in _named(naming, points["setting"], marked)])
        return Picture(figure, self._caption(tables, points, marked, unknown))

    def _wanted(self, tables) -> int:
        """The wanted number of submissions; without one, the largest that was tested."""
        return self.submissions or int(self.curves(tables)["submissions"].max())

    def _points(self, tables) -> tuple[pd.DataFrame, int]:
        """A row for each leaderboard that has a limit, a curve and a lag; how many lack the lag."""
        limits, _ = self.limits(tables)
        wanted, curves = self._wanted(tables), self.curves(tables)
        limits = limits[limits["safe_submissions"].notna()]
        use = tables["utility"].astype({"setting": str, "lag": float})
        lags = use.set_index("setting")["lag"]
        rows = []
        for board in settings_in(limits):
            (option,) = rows_of(limits, board).to_dict("records")
            curve = rows_of(curves, board)
            if curve.empty:
                continue
            # Where even the fewest tested are more than wanted, these.
            row = at(curve, max(wanted, int(curve["submissions"].min())))
            proofs = {c: None if pd.isna(option.get(c)) else int(option[c]) for c in _PROOFS}
            rows.append(
                {
                    "setting": board.setting,
                    "lag": lags.get(board.setting, np.nan),
                    "delta": float(row["delta"]),
                    # No bound: anything is possible.
                    "delta_low": -np.inf if pd.isna(row["delta_low"]) else row["delta_low"],
                    "delta_high": np.inf if pd.isna(row["delta_high"]) else row["delta_high"],
                    "holds": held(proofs, wanted),
                    "safe": bool(option["ci_low"] >= wanted),
                }
            )
        table = pd.DataFrame(rows, columns=["setting", *_VALUES, "holds", "safe"])
        known = table[table["lag"].notna()].reset_index(drop=True)
        return known.astype(dict.fromkeys(_VALUES, float)), len(table) - len(known)

    def _marked(self, tables, points: pd.DataFrame) -> dict[int, str]:
        """The points that are named in bold, and why."""
        settings = list(points["setting"])
        given = tables.get("recommendation") or {}
        likeliest, instead = ((given.get(key) or {}) for key in ("likeliest", "instead"))
        meanwhile = (given.get("recommended") or {}) if given.get("answer") == "undecided" else {}
        named = {
            "until more plays decide": meanwhile.get("setting"),
            "recommended": self.recommended(tables),
            "most promising": likeliest.get("setting"),
            "instead": instead.get("setting"),
        }
        return {settings.index(name): why for why, name in named.items() if name in settings}

    def _limit(
        self, ax, points: pd.DataFrame, ringed: pd.DataFrame, line: float
    ) -> tuple[float, float]:
        """Set the limits of the panel; the lower and the upper one."""
        highest = points["delta_high"].replace(np.inf, np.nan).max()
        top = np.clip(np.nan_to_num(1.1 * highest), -0.35 * line, -line)
        bottom = max(_DEEPEST * line, min(1.2 * points["delta"].min(), 1.6 * line))
        bottom = _DEEPEST * line if np.isnan(bottom) else bottom
        lowest = 1.15 * ringed["delta"].min()
        bottom = bottom if np.isnan(lowest) else min(bottom, max(lowest, _DEEPEST_RINGED * line))
        least, most = (points["lag"].min(), points["lag"].max()) if len(points) else (0.0, 1.0)
        around = _AROUND * (most - least) or 0.5 * abs(most) or 0.5
        # At the left a name in bold has no room between the interval and the axis.
        is_first = len(ringed) and ringed["lag"].max() > most - around
        left = around * _AROUND_NAME / _AROUND if is_first else around
        ax.set(xlim=(most + left, least - around), ylim=(bottom, top))
        return bottom, top

    def _looks(self, points: pd.DataFrame, marked: Mapping[int, str], tolerated: str) -> dict:
        """What the legend explains: only what is there."""
        looks: dict[str, Any] = {}
        is_alone = set(points["holds"]) == {"measured"}
        look = {"color": INK, "marker": "o", "markersize": 7.5}
        for holds, mark in _MARKS.items():
            drawn = points[points["holds"] == holds]
            # What is measured and not known to be safe is grey.
            if len(drawn) and (drawn["safe"].any() or holds != "measured"):
                looks["safe" if is_alone else f"safe: {holds}"] = look | mark
        if not (points["safe"] | points["cut"]).all():
            looks["not safe, or not sure"] = {"color": DOT, "marker": "o"} | _MARKS["measured"]
        if points["cut"].any():
            looks["far below, cut off"] = {"color": DOT, "marker": "v"} | _MARKS["measured"]
        ringed = [why for why in _RINGED if why in marked.values()]
        if ringed:  # with several, their names say which is which
            looks[ringed[0] if len(ringed) == 1 else "named in the answer"] = _RING
        looks[f"tolerated Δ: {tolerated}"] = {"color": CHOSEN, "linestyle": "-"}
        return looks

    def _caption(self, tables, points, marked: Mapping[int, str], unknown: int) -> str:
        _, tolerated = self.limits(tables)
        text = [
            f"{self.enough(tables)} {self._most_useful(tables, points)}".rstrip(),
            f"{self._why(tables, points)}Lag: by how much the best score that honest teams see "
            f"trails their true best. Overfit Δ of the {self.metric(tables).label}: that of the "
            f"strongest attack with {counted(self._wanted(tables), 'submission')}, or as many as "
            f"it can make; {self.rarer(tables)} more. Vertical lines: its 95 % interval, for any "
            "distribution of Δ. A leaderboard is safe if its whole interval stays out of the grey "
            f"area{_or_proved(points)}; {_greys(points)}"
            f"{_fillings(points)}{self.units(tables)}",
        ]
        if points["cut"].any():
            text.append("Triangles: Δ is below the panel; intervals that reach into it are drawn.")
        for k, why in marked.items():
            title, holds = of_setting(points["setting"][k]).title, points["holds"][k]
            text.append(
                f"Ring: {why}, {title}."
                if why in _RINGED
                else f"The best that is {holds}: {title}."
            )
        if unknown:
            text.append(f"{counted(unknown, 'leaderboard')} of unknown lag left out.")
        text.append(self.on_usefulness(tables))
        return " ".join(filter(None, text))

    def _why(self, tables, points: pd.DataFrame) -> str:
        """A sentence, with a blank behind, on a recommended board where none is safe; or ""."""
        recommended, (limits, _) = self.recommended(tables), self.limits(tables)
        lows = limits.set_index(limits["setting"].astype(str))["ci_low"].dropna().astype(int)
        if points["safe"].any() or recommended not in lows or len(lows) < 2:
            return ""
        most, next_ = lows[recommended], lows.drop(recommended).max()
        if most <= next_:
            return ""
        return (
            f"It is recommended because the most submissions are safe on it ({most:,} against "
            f"{next_:,}), not because it is best here. "
        )

    def _most_useful(self, tables, points: pd.DataFrame) -> str:
        """Which of the safe leaderboards has the smallest lag; "" if none is safe."""
        safe = points[points["safe"]]
        if safe.empty:
            return ""
        best = safe.loc[safe["lag"].idxmin()]
        lag, title = self.in_unit(best["lag"], tables), of_setting(best["setting"]).title
        if len(safe) == 1:
            return f"There the lag is {lag} ({title})."
        return f"Of these, {title} has the smallest lag, {lag}."


def _draw(ax, point, *, ringed: bool) -> None:
    """A leaderboard with its interval; the ring says that the answer is about it."""
    colour = INK if point.safe else DOT
    ax.vlines(point.lag, point.delta_low, point.delta_high, color=colour, linewidth=0.9)
    look = {"color": colour, "marker": "v" if point.cut else "o", "markersize": 7.5}
    ax.plot([point.lag], [point.y], **look | _MARKS[point.holds], zorder=3)
    if ringed:
        ax.plot([point.lag], [point.y], **_RING, zorder=3)


def _greys(points: pd.DataFrame) -> str:
    """What the caption says of grey marks."""
    if points["safe"].any():
        return "all are." if points["safe"].all() else "others are grey."
    return "none is, so all are grey."


def _or_proved(points: pd.DataFrame) -> str:
    """A proof holds whatever the interval, which is wide where plays are few."""
    held = points["safe"] & points["holds"].isin(["proved", "proved on average"])
    return ", or if its safety is proved" * bool(held.any())


def _fillings(points: pd.DataFrame) -> str:
    """What the caption says of fillings, with a blank in front: only of those that are drawn."""
    said = [text for holds, text in _FILLINGS.items() if (points["holds"] == holds).any()]
    if said == [_FILLINGS["measured"]]:
        return ""
    text = "; ".join(said)
    return f" {capitalised(text)}." if text else ""


def _narrow(name: str) -> str:
    """A name in lines that are short enough to stand beside a point, and end between parameters."""
    lines = (fill(line.replace(" = ", "\0=\0"), _NARROW) for line in name.splitlines())
    return "\n".join(lines).replace("\0", " ")


def _named(naming: Naming, settings: Sequence[str], marked: Mapping[int, str]) -> list[int]:
    """Name the marked points, and others by the mechanism alone where that tells them apart.

    Returns the other points in the order of their numbers.
    """
    boards = [of_setting(setting) for setting in settings]
    for k, why in marked.items():
        name = short(boards[k])
        text = _narrow(f"{why}:\n{name}" if why in _OPEN else name)
        naming.name_anyway(k, text, bold=True)
    names = [short(board).split("\n")[0] for board in boards]
    others = [k for k in range(len(names)) if k not in marked]

    def is_named(k: int) -> bool:
        # Points that cover one another share a number.
        is_one = names.count(names[k]) == 1 and naming.is_alone(k, others)
        return is_one and naming.name(k, names[k])

    return naming.number([k for k in others if not is_named(k)])
