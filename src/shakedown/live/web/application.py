"""The application: pages for everybody and for teams, and the interface for programs."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from heapq import nsmallest
from pathlib import Path

from fastapi import APIRouter, FastAPI
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from shakedown.interface import InputError
from shakedown.live.live_board import LiveBoard
from shakedown.live.predictions import size_limit
from shakedown.live.prices import price_of
from shakedown.live.standings import PAGE
from shakedown.live.submission_file import Refused
from shakedown.live.tokens import Team
from shakedown.live.version import versioned
from shakedown.live.web import organiser
from shakedown.live.web.desk import Desk, desk_of
from shakedown.live.web.guard import HEADERS, Gatekeeper, Limits
from shakedown.live.web.visitors import Visitor, refusal

API = "/api/"
UPLOADS = frozenset({"/team", "/team/price", "/api/submissions", "/api/price"})
#: Not counted: programs that restart servers ask it every few seconds.
HEALTH = "/healthz"
STYLE = Path(__file__).with_name("style.css")

routes = APIRouter()


def app(board: LiveBoard, *, limits: Limits | None = None) -> FastAPI:
    """The page of a board, as an ASGI application.

    Parameters
    ----------
    board : LiveBoard
    limits : Limits, optional
    """
    limits = limits or Limits(largest=size_limit(board.truth))
    # No page of documentation: it would load scripts from elsewhere.
    made = FastAPI(title=board.name, docs_url=None, redoc_url=None, openapi_url=None)
    made.state.desk = Desk(board, limits)
    made.include_router(routes)
    made.include_router(organiser.routes)
    made.add_middleware(Gatekeeper, limits=limits, uploads=UPLOADS, uncounted=HEALTH)
    made.add_exception_handler(HTTPException, _http_error)
    made.add_exception_handler(InputError, _input_error)
    made.add_exception_handler(Exception, _failure)
    return made


@routes.get("/")
async def public_board(request: Request) -> Response:
    """The public board."""
    desk = desk_of(request.app)
    view = await desk.read(desk.public.view)
    visitor = await desk.visitor(request)
    own = visitor.team.name if visitor.team else None
    return desk.page(
        request, visitor, "board.html.j2", now=view.moment, rows=desk.rows(view, "rows", own),
        final=None if view.final is None else desk.rows(view, "final", own),
    )  # fmt: skip


@routes.get("/rules")
async def rules(request: Request) -> Response:
    """The rules in words."""
    desk = desk_of(request.app)
    return desk.page(
        request, await desk.visitor(request), "rules.html.j2",
        sentences=desk.board.local_sentences, prices=desk.board.rules.tells_prices,
        address=str(request.base_url).rstrip("/"),
    )  # fmt: skip


@routes.get("/style.css")
async def style() -> Response:
    return PlainTextResponse(STYLE.read_text("utf-8"), media_type="text/css")


@routes.get(HEALTH)
async def health(request: Request) -> Response:
    """Whether the board can answer; of the board itself it tells nothing."""
    if await desk_of(request.app).health.good():
        return JSONResponse(versioned({"status": "ok"}))
    return JSONResponse(versioned({"error": "The database cannot be read."}), 503)


@routes.get("/login")
async def login_page(request: Request) -> Response:
    desk = desk_of(request.app)
    return desk.page(request, await desk.visitor(request), "login.html.j2")


@routes.post("/login")
async def login(request: Request) -> Response:
    """Sign in with a token."""
    desk = desk_of(request.app)
    form = await desk.form(request)
    desk.door.check_form(await desk.visitor(request), form.get("form_token"))
    token = str(form.get("token", "")).strip()
    visitor = await desk.read(desk.door.of_token, request, token)
    response = RedirectResponse("/organiser" if visitor.organiser else "/team", 303)
    desk.door.sign_in(request, response, token)
    return response


@routes.post("/logout")
async def logout(request: Request) -> Response:
    desk = desk_of(request.app)
    form = await desk.form(request)
    desk.door.check_form(await desk.visitor(request), form.get("form_token"))
    response = RedirectResponse("/", 303)
    desk.door.sign_out(request, response)
    return response


@routes.get("/team")
async def team_page(request: Request) -> Response:
    """A team's form and its own history."""
    desk = desk_of(request.app)
    visitor, team = await desk.team(request)
    return await _team_page(desk, request, visitor, team)


@routes.post("/team")
async def submit(request: Request) -> Response:
    """Submit a file with the form."""
    desk = desk_of(request.app)
    visitor, team = await desk.team(request)
    try:
        content, key = await _uploaded(desk, request, visitor)
        # The form has a key of its own, so that a second click is not a second submission.
        answer = await desk.submit(team, content, key or None)
    except Refused as e:
        return await _team_page(desk, request, visitor, team, error=str(e))
    return RedirectResponse(f"/team?done={answer.number}", 303)


@routes.post("/team/price")
async def price(request: Request) -> Response:
    """What the form's file would cost."""
    desk = desk_of(request.app)
    visitor, team = await desk.team(request)
    try:
        content, _ = await _uploaded(desk, request, visitor)
        quote = await desk.quote(team, content)
    except InputError as e:
        return await _team_page(desk, request, visitor, team, error=str(e))
    return await _team_page(desk, request, visitor, team, price=price_of(quote))


async def _uploaded(desk: Desk, request: Request, visitor: Visitor) -> tuple[bytes, str]:
    """The content of the form's file, and the key of its submission; Refused without a file."""
    async with _closing(await desk.form(request, files=1)) as form:
        desk.door.check_form(visitor, form.get("form_token"))
        file = form.get("file")
        if not (isinstance(file, UploadFile) and file.filename):
            raise Refused("Choose a file.", "file")
        return await file.read(), str(form.get("key") or "")


@asynccontextmanager
async def _closing(form: FormData) -> AsyncIterator[FormData]:
    """Close the files of a form at the end."""
    try:
        yield form
    finally:
        await form.close()


async def _team_page(
    desk: Desk, request: Request, visitor: Visitor, team: Team, error: str = "", price: str = ""
) -> Response:
    before, done = (_number(request, name) for name in ("before", "done"))
    own = await desk.read(desk.history, team, before)
    last = own.answers[-1].number if len(own.answers) == PAGE else 1
    return desk.page(
        request, visitor, "team.html.j2", 422 if error else 200, own=own, error=error, price=price,
        done=done, prices=desk.board.rules.tells_prices,
        key=secrets.token_hex(8), ids=nsmallest(2, desk.board.truth.ids),
        rows=len(desk.board.truth.ids), responses=desk.board.truth.responses,
        older=last if last > 1 else None,
    )  # fmt: skip


@routes.post("/team/final")
async def name_final(request: Request) -> Response:
    """Name the team's final file with the form."""
    desk = desk_of(request.app)
    visitor, team = await desk.team(request)
    form = await desk.form(request)
    desk.door.check_form(visitor, form.get("form_token"))
    number = _whole(str(form.get("number", "")).strip())
    if number is None:
        said = "Give the number of one of your submissions."
        return await _team_page(desk, request, visitor, team, error=said)
    try:
        await desk.change(desk.name_final, team, number)
    except Refused as e:
        return await _team_page(desk, request, visitor, team, error=str(e))
    return RedirectResponse("/team#final", 303)


@routes.get("/api/board")
async def api_board(request: Request) -> Response:
    """The public board."""
    desk = desk_of(request.app)
    view = await desk.read(desk.public.view)
    return Response(view.json, media_type="application/json")


@routes.get("/api/history")
async def api_history(request: Request) -> dict:
    """The answers that a team has got, the latest first; `?before=51` for older ones."""
    desk = desk_of(request.app)
    team = await _api_team(desk, request)
    own = await desk.read(desk.history, team, _number(request, "before"))
    return versioned({
        "team": team.name, "made": own.made, "answers": [answer.fields for answer in own.answers],
        "left": own.left.in_all, "left_today": own.left.today,
        "state": own.now.state, "final": own.final_key,
    })  # fmt: skip


@routes.post("/api/final")
async def api_final(request: Request) -> dict:
    """Name the team's final file: the body is the key of a submission."""
    desk = desk_of(request.app)
    team = await _api_team(desk, request)
    key = (await request.body()).decode("utf-8", "replace").strip()
    number = await desk.change(desk.board.name_final, team.name, key)
    return versioned({"team": team.name, "final": key, "number": number})


@routes.post("/api/submissions")
async def api_submit(request: Request) -> dict:
    """Submit a file: the body; the header `Idempotency-Key` names it, so that it can be resent."""
    desk = desk_of(request.app)
    team = await _api_team(desk, request)
    answer = await desk.submit(team, await request.body(), request.headers.get("idempotency-key"))
    return versioned(answer.fields)


@routes.post("/api/price")
async def api_price(request: Request) -> dict:
    """What a file, the body, would cost on a metered board."""
    desk = desk_of(request.app)
    team = await _api_team(desk, request)
    quote = await desk.quote(team, await request.body())
    return versioned(quote._asdict())


async def _api_team(desk: Desk, request: Request) -> Team:
    visitor = await desk.read(desk.door.of_bearer, request)
    if visitor.team is None:
        raise refusal(403, "This is the organiser's token. Teams have tokens of their own.")
    return visitor.team


def _number(request: Request, name: str) -> int | None:
    """A whole number of the address; None if it is none."""
    return _whole(request.query_params.get(name, ""))


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _answer(request: Request, status: int, message: str, headers=None) -> Response:
    if request.url.path.startswith(API):
        return JSONResponse(versioned({"error": message}), status, headers)
    page = desk_of(request.app).page(
        request, Visitor(cookie="-"), "error.html.j2", status, message=message
    )
    page.headers.update(headers or {})
    return page


async def _http_error(request: Request, error: HTTPException) -> Response:
    message = "There is no such page." if error.status_code == 404 else str(error.detail)
    return _answer(request, error.status_code, message, error.headers)


async def _input_error(request: Request, error: InputError) -> Response:
    # Errors of the database name no address; see `database.sentence`.
    status = 503 if str(error).startswith("database: ") else 422
    return _answer(request, status, str(error))


async def _failure(request: Request, error: Exception) -> Response:
    message = "Something failed here. Send it once more with the same key; it is counted once."
    return _answer(request, 500, message, HEADERS)  # the gatekeeper does not see it
