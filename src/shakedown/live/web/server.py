"""Serve the page with uvicorn."""

from __future__ import annotations

import socket
import threading
import time

import uvicorn
from fastapi import FastAPI

from shakedown.interface import InputError
from shakedown.live.live_board import LiveBoard
from shakedown.live.web.application import app
from shakedown.live.web.connections import protocol
from shakedown.live.web.desk import desk_of
from shakedown.live.web.guard import Limits

#: Most connections at once, and most of them that have sent no request or wait for another.
AT_ONCE, SILENT = 200, 100
#: Seconds until a server must have started.
PATIENCE = 30.0


def serve(
    url: str,
    name: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    limits: Limits | None = None,
) -> None:
    """Serve the page of a board until Ctrl-C.

    Parameters
    ----------
    url, name
        The database, and the board in it, as in `LiveBoard.open`.
    host, port
        Where; behind a proxy, the default.
    limits : Limits, optional

    Raises
    ------
    InputError
        If there is no such board, or the port is taken.
    """
    made = app(LiveBoard.open(url, name), limits=limits)
    listener = _listener(host, port)
    print(f"Board: http://{host}:{listener.getsockname()[1]}/ (stop with Ctrl-C)", flush=True)
    _server(made).run(sockets=[listener])


class Server:
    """A server in a thread, for tests and demonstrations: ``with Server(app(board)) as url:``."""

    def __init__(self, made: FastAPI, host: str = "127.0.0.1", port: int = 0) -> None:
        self.listener, self._server = _listener(host, port), _server(made)
        self.url = f"http://{host}:{self.listener.getsockname()[1]}"
        given = {"sockets": [self.listener]}
        self._thread = threading.Thread(target=self._server.run, kwargs=given, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        end = time.monotonic() + PATIENCE
        while not self._server.started:
            if time.monotonic() > end or not self._thread.is_alive():
                raise InputError("server: it did not start.")
            time.sleep(0.01)
        return self.url

    def __exit__(self, *_) -> None:
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        self.listener.close()


def _server(made: FastAPI) -> uvicorn.Server:
    # No log of accesses: with its times one could tell what the pace hides.
    config = uvicorn.Config(
        made, log_level="warning", access_log=False, server_header=False, date_header=False,
        limit_concurrency=AT_ONCE, timeout_keep_alive=15, lifespan="off", ws="none",
        http=protocol(desk_of(made).limits.patience, SILENT),
    )  # fmt: skip
    return uvicorn.Server(config)


def _listener(host: str, port: int) -> socket.socket:
    try:
        listener = socket.create_server((host, port))
    except OSError as e:
        raise InputError(
            f"port: wanted a free one on {host}; got {port} ({e.strerror}). Choose another: --port"
        ) from e
    # Else head and body of an answer, which are sent apart, wait 40 ms for each other.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
