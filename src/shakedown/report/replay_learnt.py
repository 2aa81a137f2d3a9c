"""What the page of a replay says of how much the submissions could have learnt."""

from __future__ import annotations

from typing import Any

import pandas as pd

from shakedown.leaderboard.mechanism import of_setting
from shakedown.replay.grouping import each_board
from shakedown.replay.learnt import REASONS
from shakedown.report.templates import firm
from shakedown.wording import amount


def learnt_rows(learnt: pd.DataFrame) -> list[dict[str, Any]]:
    """A row for each board: the team that could have learnt most, and all teams together.

    Parameters
    ----------
    learnt : DataFrame
        The table of `replay.learnt`.
    """
    rows = []
    for board, part in each_board(learnt):
        is_whole = part["team"].isna().to_numpy(bool)
        whole, teams = part[is_whole].iloc[0], part[~is_whole]
        most = teams.iloc[int(teams["degrees"].fillna(-1.0).to_numpy().argmax())]
        is_known = pd.notna(whole["degrees"])
        rows.append(
            {
                "label": firm(of_setting(board["setting"]).title),
                "team": most["team"] if is_known and most["degrees"] > 0.0 else "",
                **{f"team_{key}": _amount(most[key]) for key in ("degrees", "gain")},
                **{key: _amount(whole[key]) for key in ("degrees", "gain")},
                "follows_from": REASONS[whole["follows_from"]] if is_known else "–",
            }
        )
    return rows


def _amount(value: float) -> str:
    return "–" if pd.isna(value) else amount(value)
