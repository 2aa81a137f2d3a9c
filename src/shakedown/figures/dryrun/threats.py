"""Who can overfit which leaderboard: attacks and leaderboards of a dry run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from shakedown.attacks.attack import ATTACKS, BY_HOLDER, THREATS, title_of
from shakedown.dryrun.shares import is_nothing, spread_of, written
from shakedown.figures.dryrun.figure import CURVE, LIMITS, DryRunFigure
from shakedown.figures.kind import Picture
from shakedown.figures.style import INK
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.leaderboard.settings import settings_in
from shakedown.wording import counted, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Characters of a line of a leaderboard's name, above a column and beside a row of many cells.
_LINE, _LONG_LINE = 24, 34
#: Boards stand in columns where there are fewer than so many for each attack.
_MUCH_FEWER = 0.8
# Numbers of more columns have less room: names beside them take several lines, then two decimals
# are too many.
_WIDE, _MANY = 7, 11
# Cells of more columns have no room for the sign, which all numbers share.
_NO_SIGN = 14
# Points, of all numbers and names.
_SIZE = 8
# Between a frame and the end of its cell.
_INSET = 0.04
# Beyond so many times what is tolerated, no further shades are needed.
_DARKEST = 8
# Why cells are empty, with a blank in front.
_EMPTY = " Empty: the attack cannot play on that leaderboard, or learns nothing there."
# Around a cell of more overfit than is tolerated.
_FRAME = {"fill": False, "edgecolor": INK, "linewidth": 1.6}


class DryRunThreats(DryRunFigure):
    """Δ of every attack on every leaderboard, at the wanted number of submissions."""

    name: ClassVar[str] = "threat_map"
    label: ClassVar[str] = "Attacks and leaderboards"
    sentence: ClassVar[str] = "How far every attack overfits every leaderboard."
    order: ClassVar[float] = 0.5
    reads = {"frontier": CURVE, "limits": LIMITS}

    def picture(self, tables):
        from matplotlib.patches import Patch

        from shakedown.figures.heat import draw_heat

        limits, tolerated = self.limits(tables)
        table = reached(tables["frontier"], self.submissions)
        boards = self.ordered(tables, settings_in(limits))
        table = table.reindex([board.setting for board in boards])
        table = table.rename(index=lambda id: of_setting(id).title)
        drawn, slanted, sides = table.clip(upper=0.0), 40.0, ("Leaderboard", "Attack")
        is_wide = len(table.columns) > _WIDE
        if is_turned := is_wide and len(table) < _MUCH_FEWER * len(table.columns):
            # Columns of many attacks have no room for their numbers.
            line = _LINE if len(table) <= _MANY else _LONG_LINE
            drawn, sides = drawn.T.rename(columns=partial(_in_lines, line=line)), sides[::-1]
        elif is_wide:
            drawn = drawn.rename(index=partial(_in_lines, line=_LONG_LINE))
        words, unit = self._words(tables, is_narrow=len(drawn.columns) > _MANY)
        slanted = 90.0 if is_wide else slanted
        figure = draw_heat(
            drawn, lowest=_DARKEST * tolerated, words=words, slanted=slanted, sides=sides
        )
        # In print, names in bold are a little wider than they are laid out.
        figure.get_layout_engine().set(w_pad=0.06)
        (ax,) = figure.axes
        # Above the names of rows, where it costs the cells no width.
        ax.set_ylabel(sides[0], rotation=0, ha="right", va="bottom")
        ax.yaxis.set_label_coords(-0.02, 1.01)
        for label in ax.get_yticklabels():
            label.set(fontsize=_SIZE, linespacing=0.95)
        _frame(ax, drawn, tolerated, no_sign=len(drawn.columns) > _NO_SIGN)
        if chosen := self.chosen(tables, boards):
            names = ax.get_xticklabels() if is_turned else ax.get_yticklabels()
            names[boards.index(chosen)].set_fontweight("bold")
        said = self.said(tolerated, tables)
        figure.legend(
            [Patch(**_FRAME)], [f"more overfit than the tolerated {said}"],
            loc="outside lower center",
        )  # fmt: skip
        figure.set_figheight(figure.get_figheight() + 0.25)
        self._tell(ax, tables, boards, is_turned)
        by = "by leaderboard (columns) and attack (rows)"
        by = by if is_turned else "by attack (columns) and leaderboard (rows)"
        at = f" after {counted(self.submissions, 'submission')}" if self.submissions else ""
        holders = any(name.endswith(BY_HOLDER) for name in table)
        text = (
            f"{self._finding(table, tables, words)} Cells: overfit Δ of the "
            f"{self.metric(tables).label}{at}, or as many as the attack can make, {by}; "
            f"{self.rarer(tables)} more. What an attack gains by chance alone is subtracted."
            f"{unit}{self.units(tables)}"
            f"{' Minus signs are left out.' * (len(drawn.columns) > _NO_SIGN)} "
            f"Darker: further below 0, until {_DARKEST} times the tolerated. Framed: beyond the "
            f"tolerated {said}, before rounding."
            f"{_EMPTY * bool(table.isna().any(axis=None))} Leaderboards are in the order of safety"
            f"{', the recommended one first' if chosen else ''}: by the number of submissions up "
            "to which the 95 % intervals stay within the tolerated, not by the cells."
            f"{self.in_bold(tables, boards)}"
            f"{' Holder: the attack starts from an honest model.' * holders}"
        )
        return Picture(figure, text)

    def _words(
        self, tables: Mapping[str, Any], *, is_narrow: bool
    ) -> tuple[Callable[[float], str], str]:
        """What cells say of a Δ, and a sentence, with a blank in front, on their unit."""
        rests = self.rests(tables)
        if rests.get("share"):
            whole = -rests["threshold"] / rests["share"]
            return partial(_percent, whole=whole), f" Cells are in % of {spread_of(rests)}."
        if is_narrow:
            return partial(_percent, whole=1.0), " Cells are in hundredths."
        return signed, ""

    def _finding(
        self, table: pd.DataFrame, tables: Mapping[str, Any], words: Callable[[float], str]
    ) -> str:
        """On how many boards no attack gets beyond what is tolerated, and which gets furthest."""
        limits, tolerated = self.limits(tables)
        worst = table.min(axis=1).dropna()
        within = int((worst >= tolerated).sum())
        board = worst.idxmin()
        furthest = written(worst[board], self.rests(tables))
        safe = int((limits["ci_low"] >= (self.submissions or 0)).sum())
        tolerated = self.said(tolerated, tables)
        on = f"{within or 'none'} of {counted(len(worst), 'leaderboard')}"
        if self.submissions and safe < within:
            sure = f"Only on {safe:,}" if safe else "On none"
            found = (
                f"On {on} no attack’s estimate is beyond the tolerated {tolerated}. {sure} of "
                "these do the 95 % intervals (not shown) of all attacks stay within it as well."
            )
        else:
            do = "" if within else " do"
            found = f"On {on}{do} all attacks stay within the tolerated {tolerated}."
        cells = [words(value) for value in table.to_numpy().ravel() if value == value]
        equal = cells.count(words(worst[board]))
        where = f"{table.loc[board].idxmin()} on {board}"
        place = f", in {equal:,} cells, among them {where}" if equal > 1 else f": {where}"
        return f"{found} The furthest that an attack gets is {furthest}{place}."

    def _tell(
        self, ax: Axes, tables: Mapping[str, Any], boards: Sequence[Mechanism], is_turned: bool
    ) -> None:
        """Put what each cell says into the figure."""
        from shakedown.figures.cells import Cell

        _, tolerated = self.limits(tables)
        names, settings = _names(tables["frontier"]), [board.setting for board in boards]
        rests = self.rests(tables)
        unit = rests.get("unit", self.metric(tables).unit) or ""
        has_shares = bool(rests.get("share"))
        for row in ends(tables["frontier"], self.submissions).to_dict("records"):
            at = [row[column] for column in ("delta", "delta_low", "delta_high")]
            sizes = [0.0 if is_nothing(value, tolerated) else value for value in at]
            delta, *interval = (written(size, {}) for size in sizes)
            shares = [written(size, rests) for size in sizes if has_shares]
            known = all(map(math.isfinite, at[1:]))
            lines = [
                of_setting(row["setting"]).title,
                names[row["threat"]],
                f"Δ {delta} {unit}".strip() + (f" ({shares[0]})" if shares else ""),
                f"95 % interval {' to '.join(interval)}"
                + (f" ({' to '.join(shares[1:])})" if shares else "")
                if known
                else "too few plays for an interval",
                f"after {counted(int(row['submissions']), 'submission')}",
            ]
            place = settings.index(row["setting"]), list(names).index(row["threat"])
            ax.add_patch(Cell(*(place[::-1] if is_turned else place), lines))


def _frame(ax: Axes, drawn: pd.DataFrame, tolerated: float, *, no_sign: bool) -> None:
    """Frame what is beyond the tolerated Δ; numbers of many columns lose their sign."""
    from matplotlib.patches import Rectangle

    beyond = (drawn < tolerated).to_numpy()
    for text in list(ax.texts):  # none where nothing was played
        x, y = text.get_position()
        text.set(fontsize=_SIZE)
        if no_sign:
            text.set_text(text.get_text().removeprefix("−"))
        if beyond[int(y), int(x)]:
            corner = x - 0.5 + _INSET, y - 0.5 + _INSET
            ax.add_patch(Rectangle(corner, 1 - 2 * _INSET, 1 - 2 * _INSET, **_FRAME))


def _in_lines(title: str, line: int) -> str:
    """The name of a leaderboard in short lines, none of which ends within a parameter."""
    return fill(title.replace(" = ", "\u00a0=\u00a0"), line)


def reached(frontier: pd.DataFrame, submissions: int | None) -> pd.DataFrame:
    """Δ at the last point with no more than so many submissions; settings × attacks.

    The names of columns are those of attacks for readers.  NaN where an attack was not played.
    """
    table = ends(frontier, submissions).pivot(index="setting", columns="threat", values="delta")
    return table[list(names := _names(frontier))].rename(columns=names)


def ends(frontier: pd.DataFrame, submissions: int | None) -> pd.DataFrame:
    """The rows of `reached`: one of each setting and attack, with all columns."""
    parts = frontier[~frontier["threat"].astype(str).isin(THREATS)]
    if submissions is not None:
        fewest = parts.groupby(["setting", "threat"], observed=True)["submissions"].transform("min")
        parts = parts[(parts["submissions"] <= fewest.clip(lower=submissions)).to_numpy(bool)]
    last = parts.sort_values("submissions").drop_duplicates(["setting", "threat"], keep="last")
    floats = dict.fromkeys(("delta", "delta_low", "delta_high"), float)
    return last.astype({"setting": str, "threat": str, **floats})


def _names(frontier: pd.DataFrame) -> dict[str, str]:
    """Names of attacks for readers, by threat, in the order of the map."""
    played = frontier[["threat", "attack"]].astype(str).drop_duplicates("threat")
    attacks = dict(played[~played["threat"].isin(THREATS)].to_numpy())
    order = sorted(attacks, key=lambda part: _place(part, attacks[part]))
    return {part: title_of(attacks[part], part) for part in order}


def _place(part: str, attack: str) -> tuple:
    """Modellers first, then adversaries; an attack's own experiments after it."""
    kind = ATTACKS.find(attack)
    threats, threat = list(THREATS), kind.threat_of(part)
    place = threats.index(threat) if threat in threats else len(threats)
    return place, kind.order, kind.name, part


def _percent(value: float, whole: float) -> str:
    return f"{round(100 * value / whole):d}".replace("-", "−")
