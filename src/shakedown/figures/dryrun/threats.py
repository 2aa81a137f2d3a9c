"""Who can overfit which leaderboard: attacks and leaderboards of a dry run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from shakedown.attacks.attack import ATTACKS, THREATS
from shakedown.dryrun.shares import scaled, spread_of
from shakedown.figures.dryrun.figure import CURVE, LIMITS, DryRunFigure
from shakedown.figures.kind import Picture
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.settings import settings_in
from shakedown.wording import amount, counted, short, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Characters of a line of a leaderboard's name, above a column and beside a row of many cells.
_LINE, _LONG_LINE = 24, 34
#: Boards stand in columns where there are fewer than so many for each attack.
_MUCH_FEWER = 0.8
#: Points, of a number of four characters in a cell of many columns.
_SMALLEST = 6.5
# A Δ that is smaller than this, as a share of the tolerated one, is said to be 0.
_NOTHING = 1e-4


class DryRunThreats(DryRunFigure):
    """Δ of every attack on every leaderboard, at the wanted number of submissions."""

    name: ClassVar[str] = "threat_map"
    label: ClassVar[str] = "Attacks and leaderboards"
    sentence: ClassVar[str] = "How far every attack overfits every leaderboard."
    order: ClassVar[float] = 0.5
    reads = {"frontier": CURVE, "limits": LIMITS}

    def picture(self, tables):
        from shakedown.figures.heat import SMALL, WIDE, draw_heat

        limits, tolerated = self.limits(tables)
        table = reached(tables["frontier"], self.submissions)
        boards = [mechanism.setting for mechanism in settings_in(limits)]
        table = table.reindex(boards).rename(index=lambda id: of_setting(id).title)
        rests = self.rests(tables)
        words, unit = signed, self.units(tables)
        if rests.get("share"):
            whole = -rests["threshold"] / rests["share"]
            words = partial(_percent, whole=whole)
            unit += f" Cells are in % of {spread_of(rests)}."
        # Beyond eight times what is tolerated, no further shades are needed.
        drawn, slanted, sides = table.clip(upper=0.0), 40.0, ("Leaderboard", "Attack")
        is_wide = len(table.columns) > WIDE
        if is_turned := is_wide and len(table) < _MUCH_FEWER * len(table.columns):
            # Columns of many attacks have no room for their numbers.
            line = _LINE if len(table) <= WIDE else _LONG_LINE
            drawn, sides = drawn.T.rename(columns=partial(_in_lines, line=line)), sides[::-1]
        elif is_wide:
            words = words if rests.get("share") else short
            drawn = drawn.rename(index=partial(_in_lines, line=_LONG_LINE))
        slanted = 90.0 if is_wide else slanted
        figure = draw_heat(drawn, lowest=8 * tolerated, words=words, slanted=slanted, sides=sides)
        (ax,) = figure.axes
        # Above the names of rows, where it costs the cells no width.
        ax.set_ylabel(sides[0], rotation=0, ha="right", va="bottom")
        ax.yaxis.set_label_coords(-0.02, 1.01)
        for number in ax.texts if is_wide and not is_turned else ():
            number.set_fontsize(_SMALLEST if len(number.get_text()) > 3 else SMALL)
        for label in ax.get_yticklabels():
            label.set(fontsize=8, linespacing=0.95)
        self._tell(ax, tables, is_turned)
        by = "by leaderboard (columns) and attack (rows)"
        by = by if is_turned else "by attack (columns) and leaderboard (rows)"
        at = f" after {counted(self.submissions, 'submission')}" if self.submissions else ""
        share = float(tables["frontier"]["quantile"].iloc[0])
        attackers = "the median attacker" if share == 0.5 else f"1 attacker in {1 / share:g}"
        text = (
            f"Overfit Δ of the {self.metric(tables).label}{at}, or as many as the attack can make, "
            f"{by}; {attackers} overfits more. Tolerated: {self.said(tolerated, tables)}.{unit} "
            "Darker: further below 0. Chance does not count: attacks with arbitrary numbers are "
            "counted from their honest file, the others from the same attack without any score. "
            "Holder: on top of an honest model."
            f"{' Empty: not attacked.' * bool(table.isna().any(axis=None))}"
        )
        return Picture(figure, text)

    def _tell(self, ax: Axes, tables: Mapping[str, Any], is_turned: bool) -> None:
        """Put what each cell says into the figure."""
        from shakedown.figures.cells import Cell

        limits, tolerated = self.limits(tables)
        names, boards = _names(tables["frontier"]), [m.setting for m in settings_in(limits)]
        rests = self.rests(tables)
        unit = rests.get("unit", self.metric(tables).unit) or ""
        has_shares = bool(rests.get("share"))
        for row in ends(tables["frontier"], self.submissions).to_dict("records"):
            at = [row[column] for column in ("delta", "delta_low", "delta_high")]
            delta, *interval = (_size(value, tolerated) for value in at)
            shares = [
                f"{_size(scaled(value, rests), scaled(tolerated, rests))}\u00a0%"
                for value in at
                if has_shares
            ]
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
            place = boards.index(row["setting"]), list(names).index(row["threat"])
            ax.add_patch(Cell(*(place[::-1] if is_turned else place), lines))


def _size(value: float, tolerated: float) -> str:
    """A Δ to two digits."""
    return "0" if abs(value) < _NOTHING * -tolerated else amount(value, 2).replace("-", "−")


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
    return {part: _title(part, attacks[part]) for part in order}


def _place(part: str, attack: str) -> tuple:
    """Modellers first, then adversaries; an attack's own experiments after it."""
    kind = ATTACKS.find(attack)
    threats, threat = list(THREATS), kind.threat_of(part)
    place = threats.index(threat) if threat in threats else len(threats)
    return place, kind.order, kind.name, part


def _title(part: str, attack: str) -> str:
    kind = ATTACKS.find(attack)
    title = kind.label if part in (kind.name, attack) else part.replace("_", " ").capitalize()
    return f"{kind.label}, holder" if kind.threat_of(part) == "holder" else title


def _percent(value: float, whole: float) -> str:
    return f"{round(100 * value / whole):d}".replace("-", "−")
