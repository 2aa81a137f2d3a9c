"""Connections that send nothing are given up: uvicorn itself would wait for a request for ever."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from uvicorn.protocols.http.h11_impl import H11Protocol


def protocol(patience: float, most: int) -> type[H11Protocol]:
    """A protocol of HTTP for one server.

    Parameters
    ----------
    patience : float
        Seconds until a connection must have sent the head of a request.
    most : int
        Most connections without a request; if there are more, the oldest is given up.
    """
    waiting: OrderedDict[H11Protocol, None] = OrderedDict()

    class Patient(H11Protocol):
        """Gives up who has not sent the head of a request in time."""

        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport) -> None:
            super().connection_made(transport)
            self._wait()
            self._start()

        def connection_lost(self, exc) -> None:
            self._stop()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._stop()
            elif self._timer is None:  # part of the head of a second request
                self._start()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if not self.transport.is_closing():
                self._wait()  # uvicorn's own timer ends it, if nothing comes

        def _wait(self) -> None:
            waiting[self] = None
            waiting.move_to_end(self)
            if len(waiting) > most:
                next(iter(waiting))._give_up()

        def _start(self) -> None:
            self._timer = self.loop.call_later(patience, self._give_up)

        def _stop(self) -> None:
            waiting.pop(self, None)
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _give_up(self) -> None:
            self._stop()
            self.transport.abort()

    return Patient
