"""All submissions of a board as a table."""

from __future__ import annotations

import pandas as pd
from sqlalchemy import Connection, select

from shakedown.live.tables import DECISIONS, RELEASES, SUBMISSIONS, TEAMS


def log_table(connection: Connection, board_id: int) -> pd.DataFrame:
    """All submissions in order; see `LiveBoard.log`."""
    query = (
        select(
            SUBMISSIONS.c.key.label("submission"), TEAMS.c.name.label("team"),
            SUBMISSIONS.c.number, SUBMISSIONS.c.received_at.label("received"),
            DECISIONS.c.accepted,
            DECISIONS.c.refused, RELEASES.c.released, DECISIONS.c.score_public,
            DECISIONS.c.score_final, SUBMISSIONS.c.content,
        )
        .join(TEAMS, TEAMS.c.id == SUBMISSIONS.c.team_id)
        .join(DECISIONS, DECISIONS.c.submission_id == SUBMISSIONS.c.id)
        .join(RELEASES, RELEASES.c.submission_id == SUBMISSIONS.c.id)
        .where(SUBMISSIONS.c.board_id == board_id)
        .order_by(SUBMISSIONS.c.id)
    )  # fmt: skip
    table = pd.DataFrame([row._asdict() for row in connection.execute(query)])
    table = table.reindex(columns=[column.name for column in query.selected_columns])
    table["received"] = pd.to_datetime(table["received"], unit="us", utc=True)
    return table.astype({"released": float})
