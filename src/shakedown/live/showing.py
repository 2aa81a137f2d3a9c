"""The state of a board and of a team, for the organiser's terminal."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from shakedown.interface import InputError, guess
from shakedown.live import clock
from shakedown.live.answers import LAST, shown_to
from shakedown.live.heads import last_head
from shakedown.live.live_board import LiveBoard
from shakedown.live.quotas import state_of
from shakedown.live.standings import history, made_by_team, standings
from shakedown.live.tables import BOARDS, TEAMS


def of_board(board: LiveBoard) -> dict[str, Any]:
    """What a board shows now, and the number of submissions.

    Returns
    -------
    dict
        JSON types: `board`, `state` ("before the start", "open" or "closed"), `time`, `rules`
        (sentences), `submissions`, `next_update`, `head` (of the audit log), and `teams`: `place`
        (1 leads, equal scores share it; None without a score), `team`, `score` (shown) and
        `submissions`, in order of place.
    """
    rules = board.rules
    with board.reading() as (connection, board_id, at):
        made, head = made_by_team(connection, board_id), last_head(connection, board_id)
        shown = [
            standing.fields for standing in standings(connection, board_id, rules, board.start, at)
        ]
        closed = connection.execute(
            select(BOARDS.c.closed_at).where(BOARDS.c.id == board_id)
        ).scalar_one()
    new = set(made) - {standing["team"] for standing in shown}
    shown += [{"place": None, "team": team, "score": None} for team in sorted(new)]
    return {
        "board": board.name,
        "state": state_of(rules, closed, at),
        "time": clock.text(at),
        "rules": board.sentences,
        "submissions": sum(made.values()),
        "next_update": clock.text(clock.next_update(rules.updates, at)) if rules.updates else None,
        "head": head,
        "teams": [standing | {"submissions": made[standing["team"]]} for standing in shown],
    }


def of_team(board: LiveBoard, team: str) -> dict[str, Any]:
    """What a team sees: `team`, `score` and `submissions`, the answer to each.

    Raises
    ------
    InputError
        If there is no such team.
    """
    with board.reading() as (connection, board_id, at):
        own = TEAMS.c.board_id == board_id
        names = list(connection.execute(select(TEAMS.c.name).where(own)).scalars())
        if team not in names:
            raise InputError(f"There is no team '{team}'.{guess(team, names)}")
        team_id = connection.execute(select(TEAMS.c.id).where(own, TEAMS.c.name == team)).scalar()
        answers = history(connection, board.rules, board.start, team_id, limit=LAST)
        return {
            "team": team,
            "score": shown_to(connection, board.rules, board.start, team_id, at),
            "submissions": [answer.fields for answer in reversed(answers)],
        }


def text_of_board(view: dict[str, Any]) -> str:
    """What `of_board` returns, as text."""
    lines = [f"Board '{view['board']}' is {view['state']}, {view['time']}.", *view["rules"]]
    if view["next_update"]:
        lines.append(f"Next update {view['next_update']}.")
    lines.append(f"Head of the log: {view['head']}. Keep it elsewhere, for audit --expect.")
    if not view["teams"]:
        return "\n".join([*lines, "", "No team yet."])
    table = [("place", "score", "submissions", "team")] + [
        tuple("" if standing[key] is None else str(standing[key]) for key in
              ("place", "score", "submissions", "team"))
        for standing in view["teams"]
    ]  # fmt: skip
    return "\n".join([*lines, "", *_aligned(table)])


def text_of_team(view: dict[str, Any]) -> str:
    """What `of_team` returns, as text."""
    score = "no score" if view["score"] is None else view["score"]
    lines = [f"Team '{view['team']}' sees {score}."]
    if not view["submissions"]:
        return "\n".join([*lines, "No submission yet."])
    table = [("number", "received", "shown then", "submission")] + [
        (str(answer["number"]), answer["received"], str(answer["score"]), answer["submission"])
        for answer in view["submissions"]
    ]
    return "\n".join([*lines, "", *_aligned(table)])


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows with all columns but the last right-aligned."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)]
    return [
        "  ".join([*(cell.rjust(w) for cell, w in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]
