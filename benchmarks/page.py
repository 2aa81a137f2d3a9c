"""Requests a second that the public page of a running board answers, by wall time."""

from __future__ import annotations

import tempfile
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from multiprocessing import get_context
from statistics import median
from time import perf_counter, sleep

import numpy as np

from benchmarks.board import truth_of
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.web.application import app
from shakedown.live.web.guard import Limits
from shakedown.live.web.server import Server

TEAMS, SUBMISSIONS = 1000, 20_000
PUBLIC, FINAL = 40, 40
#: Browsers at once, and how long they ask, in seconds.
BROWSERS, SPAN = 4, 5.0
#: Requests a second.
WANTED = 200
PAGES = {"/": "the page", "/api/board": "the same as JSON"}


def report(rounds: int) -> None:
    """Print the table."""
    print(f"\nThe page of a board with {TEAMS:,} teams and {SUBMISSIONS:,} submissions, SQLite,")
    print(f"one server, {BROWSERS} browsers (medians of {rounds} runs of {SPAN:.0f} s)\n")
    print(f"{'asked for':48s} {'per second':>12s} {'wanted':>8s} {'kB':>6s}")
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/board.db"
        _fill(url)
        with _served(url) as port:
            for page, name in PAGES.items():
                size = _sized(port, page)
                for busy in (False, True):
                    rate = median(_rate(url, port, page, busy) for _ in range(rounds))
                    shown = f"{name}, a submission a second" if busy else name
                    wanted = f"≥ {WANTED}"
                    print(f"{shown:48s} {rate:12.0f} {wanted:>8s} {size / 1000:6.0f}")


def _fill(url: str) -> None:
    """A board on which every team has sent its share of the submissions."""
    rng, truth = np.random.default_rng(2), truth_of(PUBLIC, FINAL)
    LiveBoard.create(url, Rules.of("full_disclosure", "mse", seed=1), truth)
    board = LiveBoard.open(url)
    for k in range(SUBMISSIONS):
        board.submit(f"team {k % TEAMS}", truth.values + rng.standard_normal(len(truth.ids)))


@contextmanager
def _served(url: str):
    """The port of a server in a process of its own."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(url, there))
    process.start()
    try:
        yield here.recv()
    finally:
        here.send("stop")
        process.join()


def _serve(url: str, pipe) -> None:
    limits = Limits(requests=10**9)  # all browsers have one address here
    with Server(app(LiveBoard.open(url), limits=limits)) as address:
        pipe.send(int(address.rpartition(":")[2]))
        pipe.recv()


def _rate(url: str, port: int, page: str, busy: bool) -> float:
    """Answers a second; `busy` if a submission a second changes the page."""
    end = perf_counter() + SPAN
    counts = [0] * BROWSERS
    browsers = [
        threading.Thread(target=_browse, args=(port, page, end, counts, k)) for k in range(BROWSERS)
    ]
    start = perf_counter()
    for browser in browsers:
        browser.start()
    if busy:
        _submit_until(url, end)
    for browser in browsers:
        browser.join()
    return sum(counts) / (perf_counter() - start)


def _browse(port: int, page: str, end: float, counts: list[int], k: int) -> None:
    connection = HTTPConnection("127.0.0.1", port)
    while perf_counter() < end:
        _ask(connection, page)
        counts[k] += 1
    connection.close()


def _sized(port: int, page: str) -> int:
    connection = HTTPConnection("127.0.0.1", port)
    size = _ask(connection, page)
    connection.close()
    return size


def _ask(connection: HTTPConnection, page: str) -> int:
    """The size of an answer, in bytes."""
    connection.request("GET", page)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{page}: wanted status 200; got {answer.status}.")
    return len(body)


def _submit_until(url: str, end: float) -> None:
    board = LiveBoard.open(url)
    rng = np.random.default_rng(3)
    while perf_counter() < end - 1.0:
        board.submit("team 0", board.truth.values + rng.standard_normal(len(board.truth.ids)))
        sleep(1.0)
