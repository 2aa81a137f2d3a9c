"""Who wins the challenge of a dry run, with the sets as they are and with others."""

from __future__ import annotations

import numpy as np
import pandas as pd

from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.thresholds import thresholds, unit
from shakedown.final_rows import of_table
from shakedown.final_rows.chances import Challenges
from shakedown.final_rows.splits import (
    USUAL_TEAMS,
    WANTED,
    Split,
    by_rule,
    is_near,
    recommended,
    splits_of,
    table_of,
)
from shakedown.final_rows.telling_apart import rows_for_first_two
from shakedown.interface import Challenge, InputError
from shakedown.metrics import find
from shakedown.seeding import stream

#: Columns of the table: those of `splits.table_of`, and those that are the same in each row.
COLUMNS = [
    *("train", "public", "final", "played", "recommended"),
    *("best_wins", "best_tied", "tied", "difference", "rank_correlation", "bears"),
    *("unit", "teams", "wanted", "kept", "rows_wanted", "rows_first_two", "why"),
]
WHOLE = ("train", "public", "final", "teams", "rows_wanted", "rows_first_two")


def final_rows(challenge: Challenge, settings: DryRunEntry, *, seed: int) -> pd.DataFrame:
    """What each split of a dry run's rows can decide.

    Teams are honest models of the table, as in `of_table`; with the same seed they are those of the
    planner.

    Parameters
    ----------
    challenge : Challenge
    settings : DryRunEntry
        Uses metric and thresholds.
    seed : int
        The study's.

    Returns
    -------
    DataFrame
        The first row is that of the sets as they are (`played`), the others are splits by the rule
        of `splits`, in the order of their final rows.  Columns `COLUMNS`:

        - train, public, final: independent rows, or groups (`unit`).
        - played, recommended: whether the sets are so, and whether the planner would have them so;
          one row is recommended, that of the sets as they are if the planner's are about the same.
        - best_wins ... bears: see `splits.table_of`; differences are in the metric's own unit.
        - teams: how many there are.  wanted: how probably the best is to win.  kept: what share of
          the spread of their scores is no luck.
        - rows_wanted, rows_first_two: final rows with which the best wins so, and that tell the
          first two apart; missing if no number does.
        - why: why nothing else is known, "" if it is.  Then there is one row.
    """
    metric, played = find(settings.metric), Split(*of_table.sets_of(challenge))
    rows, unit_of_rows = of_table.units_of(challenge)
    same = {"unit": unit_of_rows, "teams": USUAL_TEAMS, "wanted": WANTED}
    try:
        splits = splits_of(rows, training=True)
        (worlds,) = of_table.teams_of(challenge, [metric], USUAL_TEAMS, seed=seed)
    except InputError as e:
        row = {**played._asdict(), "played": True, "recommended": False, **same, "why": str(e)}
        return _typed(pd.DataFrame([row]))
    challenges = Challenges(worlds, rng=stream(seed, "design", "challenges", metric.name))
    best = recommended(splits, challenges, WANTED)
    best = played if is_near(played, best) else best
    table = table_of(
        [played, *by_rule(splits)], worlds, challenges,
        metric=metric.name, tolerated=-thresholds(challenge, settings)[0],
    )  # fmt: skip
    table["difference"] *= unit(challenge, metric)
    table["played"] = np.arange(len(table)) == 0
    is_best = (table[list(Split._fields)] == list(best)).all(axis=1)
    table["recommended"] = is_best & ~is_best.duplicated()
    return _typed(table.assign(
        **same, kept=worlds[0].kept, rows_wanted=challenges.rows_for(WANTED),
        rows_first_two=rows_for_first_two(worlds), why="",
    ))  # fmt: skip


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    return table.reindex(columns=COLUMNS).astype(dict.fromkeys(WHOLE, "Int64"))
