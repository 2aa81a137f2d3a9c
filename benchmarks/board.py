"""Submissions a second that a running board takes, in one process and in eight at once."""

from __future__ import annotations

import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median
from time import perf_counter

import numpy as np

from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.truth import Truth

PUBLIC, FINAL = 1000, 1000
BOARD = "ladderboot(alpha=0.15,b=100)"
SUBMISSIONS = 400
#: Submissions a second.
WANTED = 200


def report(rounds: int) -> None:
    """Print the table."""
    print(f"\nA running board, {BOARD}, {PUBLIC:,} public and {FINAL:,} final rows, SQLite")
    print(f"(medians of {rounds} runs of {SUBMISSIONS} submissions; all are on the disk)\n")
    print(f"{'clients':32s} {'per second':>12s} {'wanted':>8s}")
    for clients in (1, 8):
        rates = [_rate(clients) for _ in range(rounds)]
        wanted = f"≥ {WANTED}"
        print(f"{clients:<32d} {median(rates):12.0f} {wanted:>8s}")


def truth_of(public: int, final: int) -> Truth:
    """Normal responses of so many public and final rows."""
    rows = public + final
    y = np.random.default_rng(1).standard_normal(rows)
    return Truth.of([f"row {k}" for k in range(rows)], y, np.arange(rows) < public)


def _rate(clients: int) -> float:
    truth = truth_of(PUBLIC, FINAL)
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/board.db"
        LiveBoard.create(url, Rules.of(BOARD, "mse", seed=1), truth)
        each = SUBMISSIONS // clients
        if clients == 1:
            start, end = _submit(url, 0, each)
            return each / (end - start)
        context = get_context("spawn")
        together = context.Barrier(clients)  # else the first ones would be alone for a while
        with ProcessPoolExecutor(clients, context, _wait_for, (together,)) as pool:
            jobs = [pool.submit(_submit, url, k, each) for k in range(clients)]
            spans = [job.result() for job in jobs]
        return each * clients / (max(end for _, end in spans) - min(start for start, _ in spans))


def _wait_for(together) -> None:
    """Sets what all clients wait for before they begin."""
    global _TOGETHER
    _TOGETHER = together


_TOGETHER = None


def _submit(url: str, client: int, number: int) -> tuple[float, float]:
    """When the first and the last of a client's submissions were made, after one that compiles."""
    board = LiveBoard.open(url)
    rng = np.random.default_rng(client)
    files = board.truth.values + rng.standard_normal((number + 1, len(board.truth.ids)))
    board.submit(f"team {client}", files[-1])
    if _TOGETHER is not None:
        _TOGETHER.wait()
    start = perf_counter()
    for file in files[:-1]:
        board.submit(f"team {client}", file)
    return start, perf_counter()
