"""Whether a running board can answer: its server, and its database behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sqlalchemy.exc import SQLAlchemyError

from shakedown.interface import InputError
from shakedown.live.live_board import LiveBoard

#: Seconds for which an answer stands, and seconds until a database that is silent counts as lost.
FRESH, PATIENCE = 1.0, 5.0


class Health:
    """Looks into the database once at a time, and once in `FRESH` seconds, however many ask.

    These requests have no limit: programs that restart servers would take a refusal for a failure.

    Parameters
    ----------
    board : LiveBoard
    read : callable
        Calls a function in a thread, as `Desk.read`.
    patience : float
        Seconds.
    """

    def __init__(
        self, board: LiveBoard, read: Callable[..., Awaitable[bool]], patience: float = PATIENCE
    ) -> None:
        self._board, self._read, self._patience = board, read, patience
        self._look: asyncio.Future[bool] | None = None
        self._ended = 0.0

    async def good(self) -> bool:
        """Whether the database can be read."""
        loop = asyncio.get_running_loop()
        if self._look is None or self._look.done() and loop.time() - self._ended >= FRESH:
            self._look = asyncio.ensure_future(self._looked())
        try:
            # A request that gives up leaves its reading to the next one, so no second thread waits.
            return await asyncio.wait_for(asyncio.shield(self._look), self._patience)
        except TimeoutError:
            return False

    async def _looked(self) -> bool:
        try:
            return await self._read(self._readable)
        finally:
            self._ended = asyncio.get_running_loop().time()

    def _readable(self) -> bool:
        try:
            with self._board.reading():
                return True
        except (InputError, SQLAlchemyError):
            return False
