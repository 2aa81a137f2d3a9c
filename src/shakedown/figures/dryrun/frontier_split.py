"""How far an attacker gets with a number of submissions, and with which attack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from shakedown.attacks.attack import ATTACKS, THREATS, attack_name, board_name
from shakedown.dryrun.options import at
from shakedown.dryrun.unattacked import NOT_ATTACKED
from shakedown.figures.dryrun.figure import CURVE, LIMITS, DryRunFigure
from shakedown.figures.facets import explain, panels
from shakedown.figures.kind import Picture
from shakedown.figures.selection import floats, rows_of, settings_in
from shakedown.figures.style import CHOSEN, INK, MARKERS, REFERENCE, by_order, line_colour, short
from shakedown.wording import amount, counted, signed_amount

# Of attacks, cycled; apart for every kind of eye (Okabe and Ito).
_COLOURS = ("#E69F00", "#F0E442", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
_MARKS_PER_CURVE = 8
_DELTAS = ("delta", "delta_low", "delta_high")
#: Panels end at so many times the tolerated Δ, and to show the recommended leaderboard, at more.
_DEEPEST, _DEEPEST_CHOSEN = 4.0, 8.0
#: An attack that comes so near to a line, as a share of the panel's height, gets a mark there.
_NEAR = 0.015


class FrontierSplit(DryRunFigure):
    """Δ of the attack that overfits most against submissions, a panel for each setting."""

    name: ClassVar[str] = "frontier_split"
    label: ClassVar[str] = "How far an attacker gets, and with which attack"
    sentence: ClassVar[str] = "Overfit against submissions, and the attack that overfits most."
    order: ClassVar[float] = 2
    reads = {"frontier": CURVE, "limits": LIMITS}

    def picture(self, tables):
        import seaborn as sns

        limits, threshold = self.limits(tables)
        factor, unit = self.factor(tables), self.unit(tables)
        tolerated, said = factor * threshold, self.said(threshold, tables)
        curves = self.curves(tables).sort_values("submissions")
        curves = curves.assign(**{c: factor * curves[c].astype(float) for c in _DELTAS})
        boards = self.ordered(tables, settings_in(curves))
        chosen = self.chosen(tables, boards)
        # Values far below the tolerated Δ are cut off: they are not safe in any case.
        size = abs(tolerated)
        deepest, highest = -curves["delta"].min(), curves["delta_high"].fillna(0).max()
        bottom = -np.clip(1.1 * deepest, 2 * size, _DEEPEST * size)
        if chosen:
            own = 1.1 * rows_of(curves, chosen)["delta"].min()
            bottom = min(bottom, max(own, -_DEEPEST_CHOSEN * size))
        top = np.clip(1.1 * highest, 0.35 * size, size)
        near = _NEAR * (top - bottom)
        played = reached(curves, tables["frontier"], factor, near)
        marked = pd.concat(_some(rows_of(played, board), tolerated) for board in boards)
        marked = marked[(floats(marked["delta"]) >= bottom)]
        pairs = list(zip(marked["attack"], marked["iteration_board"], strict=True))
        # The board of an attack tells nothing where it has only one.
        several = {a for a, _ in pairs if len({way(*pair) for pair in pairs if pair[0] == a}) > 1}
        marked["way"] = [way(*pair) if pair[0] in several else way(pair[0]) for pair in pairs]
        orders = [ATTACKS.find(attack).order for attack in marked["attack"]]
        names = [name for _, name in sorted(set(zip(orders, marked["way"], strict=True)))]
        marks = {name: by_order(k, MARKERS) for k, name in enumerate(names)}
        colours = {name: by_order(k, _COLOURS) for k, name in enumerate(names)}

        first, largest = int(curves["submissions"].min()), int(curves["submissions"].max())
        titles = [f"{short(board)}\n{_safe(rows_of(limits, board), first)}" for board in boards]
        keys = 0.2 * -(-len(names) // 2 + 1)  # inches, shared by the rows of panels
        height = 1.8 + keys / -(-len(boards) // 4)
        figure, axes = panels(
            titles, "Submissions", f"Overfit Δ ({unit})", across=4, height=height,
            bold=boards.index(chosen) if chosen else None,
        )  # fmt: skip
        for board, ax in zip(boards, axes, strict=True):
            rows, colour = rows_of(curves, board), line_colour(board)
            n = floats(rows["submissions"])
            # No bound: anything is possible.
            ends = (
                floats(rows[c].fillna(v)) for c, v in (("delta_low", -1e9), ("delta_high", 1e9))
            )
            ax.fill_between(n, *ends, color=colour, alpha=0.25, linewidth=0)
            ax.plot(n, floats(rows["delta"]), color=colour, linewidth=1.8)
            if len(seen := rows_of(marked, board)):
                sns.scatterplot(
                    seen, x="submissions", y="delta", hue="way", style="way", zorder=3, s=28,
                    palette=colours, markers=marks, edgecolor=INK, clip_on=False, legend=False,
                    ax=ax,
                )  # fmt: skip
            ax.axhline(tolerated, color=CHOSEN, linewidth=1.2)
            if len(rows) and rows["delta"].max() < bottom:
                ax.text(
                    0.04, 0.06, "below the panel\nfrom the start", fontsize=8, fontstyle="italic",
                    color=REFERENCE, transform=ax.transAxes,
                )  # fmt: skip
            if self.submissions:
                ax.axvline(self.submissions, color=INK, linewidth=1.2, linestyle=":")
            ax.set(xscale="log", xlabel="", ylabel="")
            ax.minorticks_off()
            ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.yaxis.set_major_formatter(lambda value, _: signed_amount(value))
        ax.set_ylim(bottom, top)
        looks = {
            name: {"marker": marks[name], "color": colours[name], "markeredgecolor": INK}
            for name in names
        }
        looks[f"tolerated Δ: {said}"] = {"color": CHOSEN, "linestyle": "-"}
        if self.submissions:
            looks[f"{self.submissions:,} submissions wanted"] = {"color": INK, "linestyle": ":"}
        explain(figure, looks, across=2)
        cut = ""
        if deepest > -bottom:
            cut = (
                " Where a line leaves its panel at the bottom, the overfit is more than "
                f"{amount(-bottom / size, 2)} times the tolerated."
            )
        caption = (
            f"{self.enough(tables)} {self._furthest(curves, tables, bottom)} Panels are ordered "
            f"by safety{', the recommended one first' if chosen else ''}. "
            f"Line: with the attack that overfits most, {self.rarer(tables, 'get')} beyond this "
            f"overfit Δ ({unit}; below 0 the public score is better than the final one). Marks "
            "name the attack that overfits most with so many submissions; where several tie, as "
            "all do at Δ = 0, one of them. An attack has the same mark whether or not it begins "
            "with an honest model. "
            "Band: 95 % interval, for any distribution of Δ. Line and band have the colour of the "
            "kind of leaderboard. Above a panel: “safe” is the largest number of submissions up to "
            "which the whole band stays above the tolerated Δ; “estimate”, given where it differs, "
            f"is the largest number up to which the line does."
            f"{_words_for(titles, first, largest)}{cut}{self.units(tables)}"
        )
        return Picture(figure, caption)

    def _furthest(self, curves: pd.DataFrame, tables: Mapping[str, Any], bottom: float) -> str:
        """How far attackers get with the wanted number, on the weakest board and on the best.

        The best is the recommended one, or else that on which they get least far.
        """
        wanted = self.submissions or int(curves["submissions"].max())
        ends = {
            board: at(own, max(wanted, int(own["submissions"].min())))
            for board in settings_in(curves)
            if len(own := rows_of(curves, board))
        }
        order = sorted(ends, key=lambda board: float(ends[board]["delta"]))

        worst, chosen = order[0], self.chosen(tables, order)
        best = chosen or order[-1]
        deltas = [float(ends[board]["delta"]) for board in (worst, best)]
        low, high = (self.in_unit(delta, tables).replace("-", "−") for delta in deltas)
        attack = attack_name(str(ends[worst]["attack"]))
        end = self.in_unit(bottom, tables).replace("-", "−")
        below = f"; off the panel, which ends at {end}" if deltas[0] < bottom else ""
        made = counted(wanted, "submission")
        name = "the recommended leaderboard (bold)" if chosen else best.title
        gets = f"{self.rarer(tables, 'get')} beyond"
        text = f"With {made}, {gets} {low} on {worst.title} (with {attack}{below})"
        rest = f", and beyond {high} on {name}" if best != worst else ""
        return f"{text}{rest}."


def _safe(limit: pd.DataFrame, first: int) -> str:
    """The safe submissions of a leaderboard, by the estimate and counted cautiously, in words.

    `first` is the fewest played.
    """
    (number,), (low,), (is_open,) = (limit[c] for c in ("safe_submissions", "ci_low", "censored"))
    if pd.isna(number):
        return NOT_ATTACKED
    if number < first:
        return f"safe: fewer than {first:,}"
    if is_open and low >= number:
        return f"safe: all {number:,.0f}"
    estimate = f"estimate {'all ' * bool(is_open)}{number:,.0f}"
    safe = f"{low:,.0f}" if low >= first else f"fewer than {first:,}"
    if estimate == f"estimate {safe}":
        return f"safe: {safe}"
    return f"safe: {safe}, " + estimate.replace(" ", "\xa0")  # on one line of a panel's title


def _words_for(titles: Sequence[str], first: int, largest: int) -> str:
    """A sentence, with a blank in front, on what titles say instead of a number; or ""."""
    meanings = {
        f"all {largest:,}": "up to the largest number tried",
        f"fewer than {first:,}": f"not even at {first:,}, the smallest number tried",
    }
    words = [
        f"“{word}”: {meaning}"
        for word, meaning in meanings.items()
        if any(word in title.replace("\xa0", " ") for title in titles)
    ]
    return f" {'; '.join(words)}." if words else ""


def reached(
    curves: pd.DataFrame, frontier: pd.DataFrame, factor: float, near: float
) -> pd.DataFrame:
    """The points of curves that an attack reached in play; the others are interpolated.

    Each has the attack that got furthest in play.  Curves of boards without attacks of their own in
    the frontier stay as they are.  `factor` is by which Δ of the curves was multiplied.  Up to
    `near` above a curve counts as reached.
    """
    parts = frontier[~frontier["threat"].astype(str).isin(THREATS)]
    at = ["setting", "submissions"]
    parts = parts.astype({"setting": str, "delta": float}).sort_values("delta", kind="stable")
    least = parts.drop_duplicates(at).set_index(at)
    keys = list(zip(curves["setting"].astype(str), curves["submissions"], strict=True))
    own = least.reindex(pd.MultiIndex.from_tuples(keys, names=at))
    alone = ~curves["setting"].astype(str).isin(set(parts["setting"])).to_numpy(bool)
    delta, played = floats(curves["delta"]), factor * floats(own["delta"])
    ways = {
        column: np.where(alone, curves[column].astype(object), own[column].astype(object))
        for column in ("attack", "iteration_board")
    }
    return curves.assign(**ways)[alone | (played <= delta + near)]


def _some(curve: pd.DataFrame, tolerated: float) -> pd.DataFrame:
    """The points of a curve that get a mark; the first beyond what is tolerated is one of them.

    They are as far apart as they can be on an axis of logarithms.
    """
    if curve.empty:
        return curve
    n = np.log(floats(curve["submissions"]))
    places = np.abs(n - np.linspace(n[0], n[-1], _MARKS_PER_CURVE)[:, None]).argmin(axis=1)
    beyond = np.flatnonzero(floats(curve["delta"]) <= tolerated)[:1]
    return curve.iloc[np.union1d(places, beyond)]


def way(attack: str, board: str | None = None) -> str:
    """An attack, with its board where it can have several, for a legend."""
    kind = ATTACKS.find(attack)
    if "iteration_board" not in kind.model_fields or pd.isna(board):
        return kind.label
    return f"{kind.label}, {board_name(board)}"
