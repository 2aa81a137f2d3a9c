"""What protects the page: sessions, form tokens, limits of requests, and headers."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shakedown.live.version import versioned

#: Seconds that a session lasts.
SESSION = 12 * 3600
#: Most sessions, and most addresses or tokens that a limit remembers; the oldest go first.
MOST = 10_000
#: Most sessions of a token, so that none can end the others'.
EACH = 10
#: Longest field of a form, in bytes.  The sender names its encoding, and some decode slowly.
FIELD = 4096
#: Largest body of a request without a file, in bytes.
SMALL = 64 * 1024

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Limits:
    """Limits of the page; they are kept in memory, for each process.

    Attributes
    ----------
    requests : int
        Requests of an address in a minute.
    failures : int
        Wrong tokens of an address in a minute.
    submissions : int
        Files that a team sends in a minute.
    largest : int
        Largest file, in bytes.
    pace : float
        Submissions are answered after a multiple of so many seconds, whatever the board decided.
    patience : float
        Seconds to wait for each part of a request.
    """

    requests: int = 600
    failures: int = 10
    submissions: int = 30
    largest: int = 32 * 1024 * 1024
    pace: float = 0.5
    patience: float = 20.0


class RateLimit:
    """Allows so many events in a minute for each key, and as many at once."""

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._now = float(per_minute), now
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def _left(self, key: str) -> float:
        left, at = self._buckets.get(key, (self._most, self._now()))
        return min(self._most, left + (self._now() - at) * self._most / 60.0)

    def allows(self, key: str) -> bool:
        """Whether another event would be allowed."""
        return self._left(key) >= 1.0

    def take(self, key: str) -> bool:
        """Count an event, if it is allowed; returns whether it is."""
        left = self._left(key)
        allowed = left >= 1.0
        self._buckets[key] = (left - allowed, self._now())
        self._buckets.move_to_end(key)
        if len(self._buckets) > MOST:
            self._buckets.popitem(last=False)
        return allowed


class SignIn(NamedTuple):
    """Who has signed in: the hash of the token, and when it ends."""

    token: str
    ends: float


class Sessions:
    """Sessions in memory, by the hash of a random name that only the cookie has."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._secret = now, secrets.token_bytes(32)
        self._sessions: OrderedDict[str, SignIn] = OrderedDict()

    def start(self, token_hash: str) -> str:
        """A new session; returns its name, for the cookie."""
        own = [name for name, session in self._sessions.items() if session.token == token_hash]
        if len(own) >= EACH:
            del self._sessions[own[0]]
        name = secrets.token_urlsafe(32)
        self._sessions[_digest(name)] = SignIn(token_hash, self._now() + SESSION)
        if len(self._sessions) > MOST:
            self._sessions.popitem(last=False)
        return name

    def token_hash(self, name: str) -> str | None:
        """The hash of the token of a session; None if there is none, or it has ended."""
        session = self._sessions.get(_digest(name))
        return None if session is None or session.ends < self._now() else session.token

    def end(self, name: str) -> None:
        """End a session."""
        self._sessions.pop(_digest(name), None)

    def form_token(self, cookie: str, session: str) -> str:
        """The hidden token of a form, which belongs to a browser's cookie and its session."""
        text = f"{cookie}\n{session}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


class Gatekeeper:
    """Counts requests, bounds their size before they are read, answers HEAD, and sets headers.

    Parameters
    ----------
    app : ASGI application
    limits : Limits
    uploads : frozenset of str
        Paths to which files may be sent.
    uncounted : str
        The path that anybody may get as often as they like.
    """

    def __init__(
        self, app: ASGIApp, limits: Limits, uploads: frozenset[str], uncounted: str
    ) -> None:
        self._app, self._limits, self._uploads = app, limits, uploads
        self._uncounted = uncounted
        self._requests = RateLimit(limits.requests)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        secure = scope.get("scheme") == "https"

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [
                    (k, v) for k, v in message["headers"] if k.decode().lower() not in HEADERS
                ]
                headers += [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                if secure:
                    headers.append((b"strict-transport-security", b"max-age=31536000"))
                message = message | {"headers": headers}
            elif without_body:
                message = message | {"body": b""}
            await send(message)

        # What a GET would answer, without its body.
        if without_body := scope["method"] == "HEAD":
            scope = scope | {"method": "GET"}

        async def in_time() -> Message:
            try:
                return await asyncio.wait_for(receive(), self._limits.patience)
            except TimeoutError:
                return {"type": "http.disconnect"}

        refused = self._refused(scope)
        await (self._app if refused is None else refused)(scope, in_time, with_headers)

    def _refused(self, scope: Scope) -> JSONResponse | None:
        if scope["method"] == "GET" and scope["path"] == self._uncounted:
            return None
        headers = {key.lower(): value for key, value in scope["headers"]}
        if not self._requests.take((scope.get("client") or ("", 0))[0]):
            return _error(429, "Too many requests from this address. Wait a minute.")
        if scope["method"] == "GET":
            return None
        length = headers.get(b"content-length", b"")
        if b"transfer-encoding" in headers or not length.isdigit():
            return _error(411, "Send the length of the request (Content-Length).")
        most = self._limits.largest + SMALL if scope["path"] in self._uploads else SMALL
        if int(length) > most:
            return _error(413, f"The file is too large: at most {self._limits.largest:,} bytes.")
        # Browsers say where a form was; programs do not.
        if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
            return _error(403, "This form was sent from another site.")
        return None


def _error(status: int, message: str) -> JSONResponse:
    after = {"retry-after": "60"} if status == 429 else {}
    return JSONResponse(
        versioned({"error": message}), status, headers={"connection": "close"} | after
    )
