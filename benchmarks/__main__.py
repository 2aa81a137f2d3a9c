"""Prints µs per submission of the twins and of the engine, and their ratio, from one run.

The twins are the literal transcriptions in ``tests/reference``: statsmodels' OLS for every
submission, NumPy resampling in a loop, ruptures' built-in cost.  Both sides play the same game (the
same data, attack and mechanism) in turn, several times over; the median of the ratios is printed.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # one core, before anything loads a BLAS

import argparse
from functools import partial
from statistics import median
from time import perf_counter

import numpy as np

from benchmarks import board, metered, page, replay, scaling
from benchmarks.games import GAMES, Benchmark, data

ROUNDS = 5


def main() -> None:
    """Run the benchmarks and print their tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="pairs of runs per row")
    parts = {
        "twins": twins,
        "scaling": scaling.report,
        "replay": replay.report,
        "board": board.report,
        "page": page.report,
        "metered": metered.report,
    }
    parser.add_argument("--only", choices=list(parts), help="one part")
    options = parser.parse_args()
    for part in [options.only] if options.only else parts:
        parts[part](options.rounds)


def twins(rounds: int) -> None:
    """Print the table of ratios."""
    view, y_public = data(n=209, p=300, seed=1)
    print("\nEngine against plain twins, one core, n = 209 public rows, p = 300 features")
    print(f"(medians of {rounds} pairs run in turn; µs per submission)\n")
    print(f"{'game':58s} {'twin':>10s} {'engine':>9s} {'ratio':>8s} {'wanted':>8s}")
    for game in GAMES:
        plain, fast = measured(game, view, y_public, rounds)
        ratio = median(a / b for a, b in zip(plain, fast, strict=True))
        wanted = f"≥ {game.wanted}" if game.wanted else ""
        print(
            f"{game.name:58s} {median(plain):10.1f} {median(fast):9.2f} {ratio:8.0f} {wanted:>8s}"
        )


def measured(game: Benchmark, view, y_public, rounds: int):
    """µs per submission of twin and engine, in `rounds` pairs."""
    fast = partial(game.engine, view, y_public)
    fast(0)  # compiled by now
    pairs = []
    for k in range(rounds):
        start = perf_counter()
        submissions = game.twin(view, y_public, k)
        plain_time = (perf_counter() - start) / submissions
        repeats = 200  # a study plays as many one after another
        start = perf_counter()
        submissions = sum(fast(k * repeats + r) for r in range(repeats))
        pairs.append((plain_time * 1e6, (perf_counter() - start) / submissions * 1e6))
    return np.transpose(pairs)


if __name__ == "__main__":
    main()
