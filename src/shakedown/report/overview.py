"""The key results at a glance: one line for each question, with the boards that tell most."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from shakedown.figures.selection import settings_of
from shakedown.figures.style import CONTROLS
from shakedown.report.results import QUESTION, is_permuted
from shakedown.report.tables import Table, short_attack, table
from shakedown.wording import board_name, counted, design_name, metric_name, signed

#: The settings that stand for a mechanism: the middle ones of the paper's figures [C].
TYPICAL = {"alpha": 0.15, "posterior_odds": 5.67, "b": 100}


# A Δ of less is the rounding of sums: sets that should score alike may differ in the last bits.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Answer:
    """What one board did: Δ, interval and name; a bar in % of the longest of its question."""

    delta: str
    interval: str
    board: str
    bar: float
    below: bool


@dataclass(frozen=True)
class Question:
    """One line of the overview.

    Attributes
    ----------
    where, how : str
        Data set and design; attack, metric and sizes.
    answers : list of Answer or None
        One for each of `COLUMNS`.
    every : Table
        All boards of the question, controls included.
    control : str
        What a board that shows nothing has already, where that is not nothing; else empty.
    """

    where: str
    how: str
    answers: list[Answer | None]
    every: Table
    control: str = ""


def overview(key: pd.DataFrame) -> list[Question]:
    """Questions, those with a permuted response first, then the strongest overfit first.

    Parameters
    ----------
    key : DataFrame
        See `key_results`.

    Raises
    ------
    InputError
        If a mechanism is not known.
    """
    if key.empty:
        return []
    found = []
    for _, group in key.groupby(list(QUESTION), observed=True, dropna=False, sort=False):
        boards = group[~group["mechanism"].isin(CONTROLS)]
        boards = group if boards.empty else boards
        rows = [pick(boards) for pick in COLUMNS.values()]
        worst = boards["median_delta"].min()
        found.append(((not is_permuted(boards["design"].iloc[0]), worst), group, rows))
    found.sort(key=lambda entry: entry[0])
    return [
        Question(
            where=f"{group['dataset'].iloc[0]}, {design_name(str(group['design'].iloc[0]))}",
            how=_how(group),
            answers=_answers(rows),
            every=table(group.drop(columns=list(QUESTION)), bar="median_delta"),
            control=_control(group),
        )
        for _, group, rows in found
    ]


def _most(boards: pd.DataFrame) -> pd.Series:
    return boards.iloc[boards["median_delta"].argmin()]


def _least(boards: pd.DataFrame) -> pd.Series:
    return boards.iloc[boards["median_delta"].abs().argmin()]


def _typical(*mechanisms: str) -> Callable[[pd.DataFrame], pd.Series | None]:
    """Picks the board whose settings are nearest to `TYPICAL`; None if there is no such board."""

    def pick(boards: pd.DataFrame) -> pd.Series | None:
        rows = boards[boards["mechanism"].isin(mechanisms)]
        if rows.empty:
            return None
        far = sum(
            (rows[name].astype(float) / value).map(_distance) for name, value in TYPICAL.items()
        )
        return rows.iloc[far.argmin()]

    return pick


def _distance(ratio: float) -> float:
    # Levels and sizes are spaced by factors.  A parameter that a mechanism lacks does not count.
    return 0.0 if math.isnan(ratio) else abs(math.log(ratio)) if ratio > 0 else math.inf


#: The boards of an overview: what a column says, and how its board is found.
COLUMNS: dict[str, Callable[[pd.DataFrame], pd.Series | None]] = {
    "Most overfit": _most,
    "Every score shown": _typical("full_disclosure"),
    "Ladder": _typical("ladder", "bayesboot_ladder"),
    "Ladder with bootstrap noise": _typical("ladderboot", "bayesboot_ladderboot"),
    "Nearest to zero": _least,
}


def _how(group: pd.DataFrame) -> str:
    first = group.iloc[0]
    words = [short_attack(str(first["attack"])), metric_name(str(first["metric"]))]
    if not pd.isna(first["board"]):
        words.append(board_name(str(first["board"])))
    words.append(counted(int(group["submissions"].max()), "submission"))
    words.append(counted(int(group["replicates"].max()), "replicate"))
    return f"{', '.join(words)} ({first['experiment']})"


def _control(group: pd.DataFrame) -> str:
    """Says that the constant board has a Δ, where the interval of that leaves out zero.

    Nothing is learned from such a board: its Δ is how far the public and the final set differ for a
    model that was chosen blindly.
    """
    rows = group[group["mechanism"] == "constant_board"]
    if rows.empty:
        return ""
    row = rows.iloc[0]
    low, high = float(row["delta_low"]), float(row["delta_high"])
    if not (low > _ROUNDING or high < -_ROUNDING):  # nor where there is no interval
        return ""
    why = ", as all replicates share one split" * is_permuted(str(row["design"]))
    return (
        f"The constant board already has {signed(row['median_delta'], 3)} here: nothing was "
        f"learned from it, but the public and the final set differ{why}."
    )


def _answers(rows: list[pd.Series | None]) -> list[Answer | None]:
    # Bars compare the boards of one question: data sets and metrics have Δ of their own sizes.
    longest = max(abs(float(row["median_delta"])) for row in rows if row is not None)
    return [None if row is None else _answer(row, longest) for row in rows]


def _answer(row: pd.Series, longest: float) -> Answer:
    (setting,) = settings_of(pd.DataFrame([row]))
    delta = float(row["median_delta"])
    known = not pd.isna(row["delta_low"])
    return Answer(
        delta=signed(delta, 3),
        interval=f"{signed(row['delta_low'], 3)} to {signed(row['delta_high'], 3)}" * known,
        board=setting.label.replace(" = ", "\u00a0=\u00a0").replace("≥ ", "≥\u00a0"),
        bar=round(100 * abs(delta) / longest, 1) if longest else 0.0,
        below=delta < 0,
    )
