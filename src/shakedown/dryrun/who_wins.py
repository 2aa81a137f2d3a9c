"""Who wins, and how large the sets should be: three sentences of a dry run's answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from shakedown.wording import amount, chance, counted

#: The power of the test with which a difference is found, as `final_rows` computes it.
POWER = 0.9
#: Where less of the spread of scores is no luck, no model is known to be the best one.
NOTHING = 0.005
SPLIT = ("train", "public", "final")
_RECORDED = (*SPLIT, "best_wins", "best_tied", "tied", "difference", "rank_correlation", "bears")


def who_wins(
    table: pd.DataFrame | None, *, unit: str = "", share: float | None = None, spread: str = ""
) -> dict[str, Any] | None:
    """The part of a recommendation on the final rows, as JSON types; None without a table.

    Parameters
    ----------
    table : DataFrame or None
        As `final_rows.of_dryrun.final_rows` returns it, also after a file.
    unit : str
        Of the metric, "" for none.
    share : float, optional
        What share of the response's spread a score of 1 is.
    spread : str
        The response's, such as "variance".

    Returns
    -------
    dict or None
        - wins, difference, split: sentences on how likely the best team wins with the sets as they
          are, on the smallest difference of final scores that counts, and on other sets.
        - why: why nothing is known, "" if it is; the sentences are then empty.
        - enough: whether a split has the best win as often as is `wanted`; is_played: whether the
          sets as they are are those that the planner recommends.
        - played, recommended: rows and numbers of both splits, or None.
        - rows_wanted, rows_first_two: final rows that would do, or None.
        - teams, unit: how many teams there are, and whether rows or groups are counted.
    """
    if table is None:
        return None
    first = table.iloc[0]
    same = {
        "unit": str(first["unit"]),
        "teams": int(first["teams"]),
        "wanted": float(first["wanted"]),
    }
    if isinstance(first["why"], str) and first["why"]:
        said = {"wins": "", "difference": "", "split": "", "why": first["why"]}
        played = {key: int(first[key]) for key in SPLIT}
        nothing = dict.fromkeys(("recommended", "rows_wanted", "rows_first_two"))
        return said | same | {"enough": False, "is_played": False, "played": played, **nothing}
    best = table[table["recommended"].to_numpy(bool)].iloc[0]
    record = same | {
        "enough": bool(best["best_wins"] >= first["wanted"]),
        "is_played": bool(best["played"]),
        "played": _numbers(first),
        "recommended": _numbers(best),
        "rows_wanted": _whole(first["rows_wanted"]),
        "rows_first_two": _whole(first["rows_first_two"]),
    }
    size = f"{amount(first['difference'], 2)} {unit}".rstrip()
    if share:
        size = f"{amount(100 * share * first['difference'], 2)} % of {spread} ({size})"
    is_luck = first["kept"] < NOTHING
    return {
        "wins": _wins(record, is_luck),
        "difference": _difference(record, size),
        "split": "" if is_luck else _split(record),
        "why": "",
        **record,
    }


def _wins(record: Mapping[str, Any], is_luck: bool) -> str:
    played, teams = record["played"], record["teams"]
    final = counted(played["final"], f"final {record['unit']}")
    if is_luck:
        return (
            f"With {final} luck decides: no honest model of this table is known to be better than "
            "another one."
        )
    return (
        f"With the sets as they are ({final}) the best of {teams} teams wins with a probability of "
        f"{chance(played['best_wins'])}."
    )


def _difference(record: Mapping[str, Any], size: str) -> str:
    final = counted(record["played"]["final"], f"final {record['unit']}")
    return (
        f"Two top teams must differ by {size} for {final} to tell them apart with a "
        f"probability of {POWER:g}; smaller differences of final scores may be luck."
    )


def _split(record: Mapping[str, Any]) -> str:
    """What another split would give."""
    unit, played, best = record["unit"], record["played"], record["recommended"]
    rows = sum(played[key] for key in SPLIT)
    if record["is_played"] and record["enough"]:
        return "`shakedown design` recommends about the same sets."
    if record["enough"]:
        fewer = "Fewer final" if best["final"] < played["final"] else "More final"
        return (
            f"{fewer} {unit}s {'would do' if best['final'] < played['final'] else 'are needed'}: "
            f"with {best['final']:,} final, {best['public']:,} public and {best['train']:,} for "
            f"training the best wins with a probability of {chance(best['best_wins'])}."
        )
    more = record["rows_wanted"]
    cure = f"no number of final {unit}s is known to be enough" if more is None else (
        f"{more:,} final {unit}s would reach {record['wanted']:g}"
    )  # fmt: skip
    two = record["rows_first_two"]
    apart = "" if two is None else (
        f" {played['final']:,} final {unit}s cannot tell the first two apart; {two:,} would, with "
        f"a probability of {POWER:g}."
    )  # fmt: skip
    return (
        f"No split of {rows:,} {unit}s is enough: with {best['final']:,} of them final the best "
        f"wins with a probability of {chance(best['best_wins'])}; {cure}.{apart}"
    )


def _numbers(row: pd.Series) -> dict[str, Any]:
    """Rows and numbers of a split, as JSON types."""
    own = {key: None if pd.isna(row[key]) else row[key] for key in _RECORDED}
    return {k: v.item() if isinstance(v, np.generic) else v for k, v in own.items()}


def _whole(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)
