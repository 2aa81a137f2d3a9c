"""What all routes share: the board, who asks, and how a page is written."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import floor, log10
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse

from shakedown.interface import InputError
from shakedown.live import clock
from shakedown.live.answers import Answer
from shakedown.live.live_board import LiveBoard
from shakedown.live.prices import TeamMeter
from shakedown.live.quotas import Left, left_to
from shakedown.live.standings import final_number, history, key_of, made
from shakedown.live.submission_file import Refused
from shakedown.live.tokens import Team
from shakedown.live.web.guard import FIELD, Limits, RateLimit
from shakedown.live.web.health import Health
from shakedown.live.web.public import Moment, PublicBoard, PublicView, moment_of
from shakedown.live.web.visitors import (
    FORM_COOKIE,
    SESSION_COOKIE,
    Door,
    Visitor,
    refusal,
    set_cookie,
)
from shakedown.wording import counted

if TYPE_CHECKING:
    from shakedown.leaderboard.account import Quote

#: Blanks of the width of a digit, and of a point.
DIGIT, POINT = "\u2007", "\u2008"
#: Longest name that a program may give a submission.
LONGEST_KEY = 100
#: Readers of the database at once; its pool has room for more.
READERS = 8


@dataclass(frozen=True)
class TeamView:
    """What a team may see of its own.

    Attributes
    ----------
    answers : list of Answer
        The latest first.
    made : int
        How many submissions it has made.
    left : Left
    now : Moment
    final, final_key : int and str, or None
        Number and key of the submission that it has named as its final one.
    meter : TeamMeter or None
        On a metered board.
    """

    answers: list[Answer]
    made: int
    left: Left
    now: Moment
    final: int | None
    final_key: str | None
    meter: TeamMeter | None

    @property
    def left_said(self) -> str:
        """What is left, in words."""
        left = self.left
        if left.none_of_all:
            return "All teams together have made all their submissions."
        if left.in_all is not None:
            today = "" if left.today is None else f", {left.today:,} of them today"
            return f"You have {counted(left.in_all, 'submission')} left{today}."
        if left.today is not None:
            return f"You have {counted(left.today, 'submission')} left today."
        return "You have no limit of submissions."


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
        self.public, self.health = PublicBoard(board), Health(board, self.read)
        self._files = RateLimit(limits.submissions)
        self._turn, self._readers = asyncio.Lock(), asyncio.Semaphore(READERS)
        self._pages = Environment(
            loader=PackageLoader("shakedown.live.web", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        local = partial(clock.local, name=board.rules.zone)
        self._pages.filters |= {
            "score": shown_score, "measured": shown_measured, "decimals": decimals_of,
            "local": local,
        }  # fmt: skip

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
        if SESSION_COOKIE not in request.cookies:  # nobody whom the database knows
            return self.door.of_cookie(request)
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
            zone=self.board.rules.zone,
            form_token=self.door.sessions.form_token(cookie, visitor.session), **parts,
        )  # fmt: skip
        response = HTMLResponse(text, status)
        if not visitor.cookie:
            set_cookie(request, response, FORM_COOKIE, cookie)
        return response

    def rows(self, view: PublicView, table: str, own: str | None) -> Markup:
        """The rows of a table of the public board, that of a team marked; written once."""
        shown: Sequence[Any] = (view.rows if table == "rows" else view.final) or ()
        if table not in view.written:
            write = self._pages.get_template("rows.html.j2").module.standing  # type: ignore[attr-defined]
            decimals = decimals_of([row.score for row in shown])
            view.written[table] = {row.team: str(write(row, decimals)) for row in shown}
        written = view.written[table]
        if own in written:
            written = written | {own: written[own].replace("<tr>", '<tr class="own">', 1)}
        return Markup("\n".join(written.values()))

    def history(self, team: Team, before: int | None) -> TeamView:
        """What a team may see of its own."""
        board = self.board
        with board.reading() as (connection, board_id, at):
            number, key = final_number(connection, team.id) or (None, None)
            answers = history(connection, board.rules, board.start, team.id, before)
            return TeamView(
                answers=answers,
                made=made(connection, team.id),
                left=left_to(connection, board_id, board.rules, team.name, at),
                now=moment_of(board, connection, board_id, at),
                final=number,
                final_key=key,
                meter=board.meter(connection, team.name, [answer.number for answer in answers]),
            )

    def name_final(self, team: Team, number: int) -> None:
        """Name a team's final file by the number of a submission.

        Raises
        ------
        Refused
            As `LiveBoard.name_final`.
        """
        with self.board.reading() as (connection, _, _):
            key = key_of(connection, team.id, number)
        if key is None:
            raise Refused(f"You have no submission {number}. No final file was named.", "final")
        self.board.name_final(team.name, key)

    async def quote(self, team: Team, content: bytes) -> Quote:
        """What a team's file would cost."""
        self._take_turn(team)
        if self.board.rules.is_metered and not self.board.rules.tells_prices:
            raise InputError(
                "This board has no prices: all teams share its meter, and prices would tell you "
                "what others have sent."
            )
        quote = await self.read(self.board.quote, team.name, content)
        if quote is None:
            raise InputError("This board has no prices: only a metered board charges for files.")
        return quote

    def _take_turn(self, team: Team) -> None:
        """Count one of the team's files of this minute; 429 if it has no more."""
        if not self._files.take(str(team.id)):
            raise refusal(
                429, "Too many files in a minute. Wait a minute; the file was not counted."
            )

    async def submit(self, team: Team, content: bytes, key: str | None) -> Answer:
        """Submit a team's file; answers after a multiple of the pace, whatever happens."""
        self._take_turn(team)
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
    """A score on a page, as it is, and with the width of so many decimals.

    Blanks as wide as digits, and as a point, stand in for decimals that it does not have: zeros
    would look as if the board had shown them.
    """
    if score is None:
        return "–"
    text = f"{score:.6g}"
    if decimals:
        whole, point, places = text.partition(".")
        text = whole + (point or POINT) + places + DIGIT * (decimals - len(places))
    return text.replace("-", "−")


def shown_measured(score: float | None, error: float | None, decimals: int | None = None) -> str:
    """A score with its standard error, both to two digits of the error; without one, the score."""
    if not error or score is None:
        return shown_score(score, decimals)
    places = max(1 - floor(log10(error)), 0)
    return f"{score:,.{places}f} ± {error:,.{places}f}".replace("-", "−")


def decimals_of(scores: Sequence[float | None]) -> int | None:
    """The most decimals of the scores; None if one is too large or small for decimals."""
    texts = [f"{score:.6g}" for score in scores if score is not None]
    if any("e" in text for text in texts):
        return None
    return max((len(text.partition(".")[2]) for text in texts), default=None)


def desk_of(app: FastAPI) -> Desk:
    """The desk of an application."""
    return app.state.desk
