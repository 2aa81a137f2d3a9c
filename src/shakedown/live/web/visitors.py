"""Who asks: anybody, a team, or the organiser."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from shakedown.live.live_board import LiveBoard
from shakedown.live.tokens import LONGEST as LONGEST_TOKEN
from shakedown.live.tokens import Team, hashed, is_organiser_hash, team_of_hash
from shakedown.live.web.guard import SESSION, Limits, RateLimit, Sessions

SESSION_COOKIE, FORM_COOKIE = "board_session", "board_form"


@dataclass(frozen=True)
class Visitor:
    """Who asks.

    Attributes
    ----------
    team : Team or None
    organiser : bool
    session, cookie : str
        Name of the session, and the browser's cookie for forms; "" without.
    """

    team: Team | None = None
    organiser: bool = False
    session: str = ""
    cookie: str = ""


class Door:
    """Signs in and out, and finds out who asks."""

    def __init__(self, board: LiveBoard, limits: Limits) -> None:
        self._board, self.sessions = board, Sessions()
        self._failures = RateLimit(limits.failures)

    def of_cookie(self, request: Request) -> Visitor:
        """Who asks with a browser."""
        name, cookie = (request.cookies.get(key, "") for key in (SESSION_COOKIE, FORM_COOKIE))
        token_hash = self.sessions.token_hash(name) if name else None
        if token_hash is None:
            return Visitor(cookie=cookie)
        team, organiser = self._owner(token_hash)
        if team is None and not organiser:  # the token was replaced
            self.sessions.end(name)
            return Visitor(cookie=cookie)
        return Visitor(team, organiser, name, cookie)

    def of_bearer(self, request: Request) -> Visitor:
        """Who asks with a program, by the header `Authorization: Bearer TOKEN`."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            raise refusal(401, "Send your token in the header `Authorization: Bearer TOKEN`.")
        return self.of_token(request, token.strip())

    def of_token(self, request: Request, token: str) -> Visitor:
        """Who has a token; 401 if nobody has it."""
        address = request.client.host if request.client else ""
        # A right token always passes: others at the same address could send wrong ones.
        if len(token) <= LONGEST_TOKEN:
            team, organiser = self._owner(hashed(token))
            if team is not None or organiser:
                return Visitor(team, organiser)
        if not self._failures.take(address):
            raise refusal(429, "Too many wrong tokens from this address. Wait a minute.")
        raise refusal(401, "This token is not known. Check that you copied all of it.")

    def _owner(self, token_hash: str) -> tuple[Team | None, bool]:
        with self._board.reading() as (connection, board_id, _):
            organiser = is_organiser_hash(connection, board_id, token_hash)
            return team_of_hash(connection, board_id, token_hash), organiser

    def sign_in(self, request: Request, response: Response, token: str) -> None:
        """Start a session; the one before ends."""
        self.sessions.end(request.cookies.get(SESSION_COOKIE, ""))
        set_cookie(request, response, SESSION_COOKIE, self.sessions.start(hashed(token)))
        set_cookie(request, response, FORM_COOKIE, secrets.token_urlsafe(24))

    def sign_out(self, request: Request, response: Response) -> None:
        """End the session."""
        self.sessions.end(request.cookies.get(SESSION_COOKIE, ""))
        response.delete_cookie(SESSION_COOKIE)

    def check_form(self, visitor: Visitor, given: object) -> None:
        """403, unless a form was made for this browser and its session."""
        wanted = self.sessions.form_token(visitor.cookie, visitor.session)
        made = isinstance(given, str) and visitor.cookie
        if not (made and hmac.compare_digest(wanted.encode(), given.encode())):
            raise refusal(403, "This form has expired. Load the page again and send it once more.")


def set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    """Set a cookie that scripts and other sites cannot use."""
    response.set_cookie(
        name, value, max_age=SESSION, httponly=True, samesite="lax",
        secure=request.url.scheme == "https",
    )  # fmt: skip


def refusal(status: int, message: str) -> HTTPException:
    """An answer with an error, to be raised."""
    return HTTPException(status, message, {"retry-after": "60"} if status == 429 else None)
