"""The organiser's pages: teams, leak, alerts, log, audit, and the button that closes the board."""

from __future__ import annotations

import json
from functools import partial

from fastapi import APIRouter
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from shakedown.interface import InputError
from shakedown.live import clock
from shakedown.live.alerts import alerts_of
from shakedown.live.database import sound
from shakedown.live.heads import last_head
from shakedown.live.leak import leak_of
from shakedown.live.tables import AUDIT, TEAMS
from shakedown.live.tokens import HasToken
from shakedown.live.web.desk import Desk, desk_of
from shakedown.live.web.public import moment_of
from shakedown.live.web.visitors import Visitor

#: Entries of the log on a page.
ENTRIES = 100
#: What the log shows of an event; no score, no decision and no hash of a token.
SHOWN = ("team", "key", "reason")

routes = APIRouter(prefix="/organiser")


@routes.get("")
async def overview(request: Request) -> Response:
    """State, leak and teams."""
    desk = desk_of(request.app)
    return await _overview(desk, request, await desk.organiser(request))


async def _overview(
    desk: Desk, request: Request, visitor: Visitor, status: int = 200, **said: str
) -> Response:
    leak, teams, head, now = await desk.read(_state, desk)
    said = {"token": "", "team": "", "error": "", "again": ""} | said
    return desk.page(
        request, visitor, "organiser.html.j2", status, leak=leak, teams=teams, head=head, now=now,
        audited=desk.audited, **said,
    )  # fmt: skip


def _state(desk: Desk):
    board = desk.board
    with board.reading() as (connection, board_id, at):
        query = select(TEAMS.c.name, TEAMS.c.registered_at, TEAMS.c.token.is_not(None).label("has"))
        rows = connection.execute(query.where(TEAMS.c.board_id == board_id)).all()
        leak = leak_of(connection, board_id, board.rules, len(board.truth.part(True).y),
                       board.start, at, not board.truth.is_alike)  # fmt: skip
        teams = [(row.name, clock.text(row.registered_at), bool(row.has)) for row in rows]
        now = moment_of(board, connection, board_id, at)
        return leak, sorted(teams), last_head(connection, board_id), now


@routes.get("/alerts")
async def alerts(request: Request) -> Response:
    """Signs of probing."""
    desk = desk_of(request.app)
    visitor = await desk.organiser(request)
    raised = await desk.read(_alerts, desk)
    return desk.page(request, visitor, "alerts.html.j2", alerts=raised)


def _alerts(desk: Desk):
    board = desk.board
    metered = board.truth.part(True).at if board.rules.is_metered else None
    with board.reading() as (connection, board_id, _):
        several = max(len(board.truth.responses), 1)
        return alerts_of(connection, board_id, board.rules, metered, several)


@routes.get("/log")
async def log(request: Request) -> Response:
    """The events of the audit log, the latest first, without scores and decisions."""
    desk = desk_of(request.app)
    visitor = await desk.organiser(request)
    text = request.query_params.get("before", "")
    before = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
    rows = await desk.read(_entries, desk, before)
    older = rows[-1]["number"] if len(rows) == ENTRIES else None
    return desk.page(request, visitor, "log.html.j2", entries=rows, older=older)


def _entries(desk: Desk, before: int | None) -> list[dict]:
    with desk.board.reading() as (connection, board_id, _):
        query = select(AUDIT.c.number, AUDIT.c.at, AUDIT.c.kind, AUDIT.c.payload)
        query = query.where(AUDIT.c.board_id == board_id)
        if before is not None:
            query = query.where(AUDIT.c.number < before)
        rows = connection.execute(query.order_by(AUDIT.c.number.desc()).limit(ENTRIES)).all()
    entries = []
    for row in rows:
        with sound(f"entry {row.number} of the audit log"):
            payload = json.loads(row.payload)
            shown = {name: payload.get(name) or "" for name in SHOWN}
        entries.append({"number": row.number, "at": clock.text(row.at), "kind": row.kind} | shown)
    return entries


async def _posted(request: Request) -> tuple[Desk, Visitor, dict]:
    """The organiser's form, checked."""
    desk = desk_of(request.app)
    visitor = await desk.organiser(request)
    form = await desk.form(request)
    desk.door.check_form(visitor, form.get("form_token"))
    return desk, visitor, dict(form)


@routes.post("/teams")
async def register(request: Request) -> Response:
    """Register a team, and show its token once."""
    desk, visitor, form = await _posted(request)
    name = str(form.get("team", "")).strip()
    try:
        # A token that would end is asked for first.
        renew = form.get("again") == "yes"
        token = await desk.change(partial(desk.board.register, name, renew=renew))
    except HasToken as e:
        return await _overview(desk, request, visitor, 409, again=name, error=str(e))
    except InputError as e:
        return await _overview(desk, request, visitor, 422, error=str(e))
    return await _overview(desk, request, visitor, team=name, token=token)


@routes.post("/audit")
async def audit(request: Request) -> Response:
    """Rebuild the board from its log, and compare."""
    desk, _, _ = await _posted(request)
    desk.audited = await desk.read(_audited, desk)
    return RedirectResponse("/organiser#audit", 303)


def _audited(desk: Desk) -> tuple[str, list[str]]:
    with desk.board.reading() as (_, _, at):
        return clock.text(at), desk.board.audit()


@routes.post("/publish")
async def publish(request: Request) -> Response:
    """Show everybody the final table."""
    desk, visitor, form = await _posted(request)
    if form.get("sure") != "yes":
        error = "The final table is still secret. Tick the box to publish it."
        return await _overview(desk, request, visitor, 422, error=error)
    await desk.change(desk.board.publish)
    return RedirectResponse("/organiser", 303)


@routes.post("/close")
async def close(request: Request) -> Response:
    """Close the board."""
    desk, visitor, form = await _posted(request)
    if form.get("sure") != "yes":
        error = "The board is still open. Tick the box to close it."
        return await _overview(desk, request, visitor, 422, error=error)
    await desk.change(desk.board.close)
    return RedirectResponse("/organiser", 303)
