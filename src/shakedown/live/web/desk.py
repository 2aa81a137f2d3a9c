"""What all routes share: the board, who asks, and how a page is written."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from fastapi import FastAPI
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse

from shakedown.live import clock
from shakedown.live.answers import Answer
from shakedown.live.live_board import LiveBoard
from shakedown.live.standings import StandingsRow, history, made, standings
from shakedown.live.tokens import Team
from shakedown.live.web.guard import FIELD, Limits, RateLimit
from shakedown.live.web.visitors import FORM_COOKIE, Door, Visitor, refusal, set_cookie

#: Longest name that a program may give a submission.
LONGEST_KEY = 100
#: Readers of the database at once; its pool has room for more.
READERS = 8


class Desk:
    """The board behind the page.

    Parameters
    ----------
    board : LiveBoard
    limits : Limits
    """

    def __init__(self, board: LiveBoard, limits: Limits) -> None:
        self.board, self.limits, self.door = board, limits, Door(board, limits)
        #: The last audit: when it was, and what it found.
        self.audited: tuple[str, list[str]] | None = None
        self._files = RateLimit(limits.submissions)
        self._turn, self._readers = asyncio.Lock(), asyncio.Semaphore(READERS)
        self._pages = Environment(
            loader=PackageLoader("shakedown.live.web", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._pages.filters |= {"score": shown_score, "decimals": decimals_of}

    async def read(self, function, *args) -> Any:
        """Call something that reads the database, in a thread."""
        async with self._readers:
            return await run_in_threadpool(function, *args)

    async def change(self, function, *args) -> Any:
        """Call something that changes the board, one after another."""
        async with self._turn:
            return await run_in_threadpool(function, *args)

    async def form(self, request: Request, files: int = 0) -> FormData:
        """The form of a request, with so many files at most; 400 if it cannot be read.

        The sender names the encoding of a form, and Python has some that no text is in.
        """
        try:
            return await request.form(max_files=files, max_fields=10, max_part_size=FIELD)
        except (UnicodeError, LookupError, ValueError) as e:
            raise refusal(400, "The form cannot be read. Send it as UTF-8.") from e

    async def visitor(self, request: Request) -> Visitor:
        """Who asks with a browser."""
        return await self.read(self.door.of_cookie, request)

    async def team(self, request: Request) -> tuple[Visitor, Team]:
        """The team that asks with a browser; 403 for others."""
        visitor = await self.visitor(request)
        if visitor.team is None:
            raise refusal(403, "Sign in with your team's token to see this page.")
        return visitor, visitor.team

    async def organiser(self, request: Request) -> Visitor:
        """The organiser, who asks with a browser; 403 for others."""
        visitor = await self.visitor(request)
        if not visitor.organiser:
            raise refusal(403, "Sign in with the organiser's token to see this page.")
        return visitor

    def page(
        self, request: Request, visitor: Visitor, template: str, status: int = 200, **parts: Any
    ) -> HTMLResponse:
        """A page; all that is put in is escaped."""
        cookie = visitor.cookie or secrets.token_urlsafe(24)
        text = self._pages.get_template(template).render(
            board=self.board.name, metric=self.board.rules.judged_by, visitor=visitor,
            form_token=self.door.sessions.form_token(cookie, visitor.session), **parts,
        )  # fmt: skip
        response = HTMLResponse(text, status)
        if not visitor.cookie:
            set_cookie(request, response, FORM_COOKIE, cookie)
        return response

    def standings(self) -> tuple[list[StandingsRow], str | None]:
        """The public board, and when it changes, if it has a clock."""
        rules = self.board.rules
        with self.board.reading() as (connection, board_id, at):
            rows = standings(connection, board_id, rules, self.board.start, at)
        return rows, clock.text(clock.next_update(rules.updates, at)) if rules.updates else None

    def history(self, team: Team, before: int | None) -> tuple[list[Answer], int]:
        """A team's answers, and how many submissions it has made."""
        with self.board.reading() as (connection, _, _):
            answers = history(connection, self.board.rules, self.board.start, team.id, before)
            return answers, made(connection, team.id)

    async def submit(self, team: Team, content: bytes, key: str | None) -> Answer:
        """Submit a team's file; answers after a multiple of the pace, whatever happens."""
        if not self._files.take(str(team.id)):
            raise refusal(
                429, "Too many files in a minute. Wait a minute; the file was not counted."
            )
        if key is not None and not (0 < len(key) <= LONGEST_KEY and key.isprintable()):
            raise refusal(
                422, f"The key of a submission has 1 to {LONGEST_KEY} printable characters."
            )
        loop = asyncio.get_running_loop()
        began = loop.time()
        own = None if key is None else key.strip()
        try:
            return await self.change(self.board.submit, team.name, content, own)
        finally:
            if pace := self.limits.pace:
                await asyncio.sleep(pace - (loop.time() - began) % pace)


def shown_score(score: float | None, decimals: int | None = None) -> str:
    """A score on a page, with so many decimals."""
    if score is None:
        return "–"
    text = f"{score:.6g}" if decimals is None else f"{score:.{decimals}f}"
    return text.replace("-", "−")


def decimals_of(scores: list[float | None]) -> int | None:
    """The decimals that show all scores as they are; None if one is too large or small for that."""
    texts = [f"{score:.6g}" for score in scores if score is not None]
    if any("e" in text for text in texts):
        return None
    return max((len(text.partition(".")[2]) for text in texts), default=None)


def desk_of(app: FastAPI) -> Desk:
    """The desk of an application."""
    return app.state.desk
