"""What a metered board costs: CPU time of a file and memory of an account, by rows and files."""

from __future__ import annotations

import tempfile
import tracemalloc
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

from benchmarks.board import truth_of
from shakedown.dryrun.usefulness.honest import calibrated, following
from shakedown.leaderboard.mechanism import mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.sequential import SequentialBoard
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.metrics import find
from shakedown.seeding import stream

ROWS, FILES = (20, 209, 5_000, 10_000, 50_000), (100, 300, 1_000)
#: The last files of an account, whose times are averaged: one alone is shorter than the clock's
#: step and what else the machine does.
LAST = 10
#: Correlations with the response of the first and the last file, and of errors that follow.
RISING, FOLLOW = (0.45, 0.7), 0.8
#: Public and final rows of the running board, and files.
RUNNING = 10_000, 10_000, 100


def report(rounds: int) -> None:
    """Print both parts; each account is played once, a minute in all."""
    print("\nAn honest team's account on a metered board (τ = .05 on average), one core")
    print("(ms of CPU per file; MB that the board keeps, and of float32 files with their Gram)\n")
    print(
        f"{'rows':>8s} {'files':>6s} {'mean, ms':>10s} {'last, ms':>10s} {'all, s':>8s} "
        f"{'kept, MB':>10s} {'least, MB':>10s} {'budget':>8s} {'spent':>8s}"
    )
    _played(209, 3)  # compiled by now
    for n in ROWS:
        for k in FILES:
            times, kept, budget, spent = _played(n, k)
            least = 4 * n * k + 8 * k * k
            print(
                f"{n:8,d} {k:6,d} {1e3 * sum(times) / k:10.2f} {1e3 * median(times[-LAST:]):10.2f} "
                f"{sum(times):8.2f} {kept / 1e6:10.1f} {least / 1e6:10.1f} {budget:8.2f} "
                f"{spent:8.2f}",
                flush=True,
            )
    each, restored, stored = _running()
    public, final, files = RUNNING
    print(
        f"\nA running board, {public:,} public and {final:,} final rows, SQLite: "
        f"{1e3 * each:.1f} ms of CPU per file of {files},\n{restored:.3f} s for an account of "
        f"{files} files that is not in memory, {stored / 1e6:.1f} MB of database."
    )


def _played(n: int, files: int) -> tuple[list[float], int, float, float]:
    """CPU seconds of each file, bytes that the board keeps, its budget, and what is spent."""
    rng = np.random.default_rng(1)
    y = rng.standard_normal(n)
    y = (y - y.mean()) / y.std(ddof=1)
    # Of 20 rows, .05 of the variance is nothing; twice as much is a degree of freedom.
    metered = mechanism("metered", gain=max(0.05, 2.0 / n), files=files)
    scorer = Scorer(find("mse"), y)
    errors, rising = following(files, n, FOLLOW, rng=rng), np.linspace(*RISING, files)
    tracemalloc.start()
    board, times = SequentialBoard(scorer, metered, partial(stream, 1)), []
    for error, r in zip(errors, rising, strict=True):
        (file,) = calibrated(y, error, np.array([r]))  # one at a time, to save memory
        start = process_time()
        shown, _, _ = board.submit_one(file)
        times.append(process_time() - start)
        if not np.isfinite(shown):
            raise ArithmeticError(f"{n} rows, {files} files: wanted a finite score; got {shown}")
    account = board.state.memory
    budget, spent = account.terms.degrees, account.meter.spent
    if spent > budget * (1.0 + 1e-9):
        raise ArithmeticError(f"{n} rows, {files} files: spent {spent} of {budget}")
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return times, kept, budget, spent


def _running() -> tuple[float, float, int]:
    """CPU seconds of a file, those to go on from the database, and bytes of the database."""
    public, final, files = RUNNING
    truth = truth_of(public, final)
    rng = np.random.default_rng(1)
    errors = following(files, public + final, FOLLOW, rng=rng)
    sent = calibrated(truth.values, errors, np.linspace(*RISING, files))
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/board.db"
        rules = Rules.of(f"metered(gain=0.05,files={files})", "mse", seed=1)
        LiveBoard.create(url, rules, truth)
        board = LiveBoard.open(url)
        board.submit("another", sent[0])  # statements are made by now
        start = process_time()
        for file in sent:
            board.submit("a", file)
        each, board = (process_time() - start) / files, LiveBoard.open(url)
        start = process_time()
        board.quote("a", sent[0])
        restored = process_time() - start
        return each, restored, sum(path.stat().st_size for path in Path(folder).iterdir())
