"""How time grows with replicates, features, rows and cores; what is spent outside the kernels."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from multiprocessing import get_context
from statistics import median
from time import perf_counter
from types import ModuleType
from unittest.mock import patch

import numpy as np
from numba.core.registry import CPUDispatcher

from shakedown.interface import Challenge
from shakedown.simulation.replicate import Experiment, play

MECHANISMS = [
    {"name": "ladder", "alpha": [0.01, 0.15, 0.5]},
    {"name": "ladderboot", "alpha": [0.01, 0.15, 0.5], "b": 100},
]
BASE = {"replicates": 20, "features": 300, "rows": 627}


def report(rounds: int) -> None:
    """Print how the time changes when one size is doubled and doubled again."""
    print("\nStep-forward attack, 5 iterations, six mechanisms; time relative to")
    print(", ".join(f"{v} {k}" for k, v in BASE.items()) + " (linear: 2.0 and 4.0)\n")
    print(f"{'doubled':12s} {'once':>8s} {'twice':>8s}")
    for name in BASE:
        times = [_median_time({**BASE, name: BASE[name] * k}, rounds) for k in (1, 2, 4)]
        print(f"{name:12s} {times[1] / times[0]:8.2f} {times[2] / times[0]:8.2f}")
    print(f"{'cores':12s}" + "".join(f" {ratio:8.2f}" for ratio in _by_cores(rounds)))
    print(f"\nShare of that run spent outside the compiled kernels: {100 * _outside():.0f} %")


def _experiment(replicates: int, features: int, rows: int) -> tuple[Experiment, range]:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((rows, 20)) @ rng.standard_normal((20, features))
    X += 3 * rng.standard_normal((rows, features))
    challenge = Challenge(
        "scaling", X, rng.standard_normal(rows), np.arange(rows), np.arange(features).astype(str)
    )
    attack = {"name": "step_forward", "iterations": 5, "board": "fresh"}
    settings = {"metric": "mse", "attack": attack, "mechanisms": MECHANISMS}
    return Experiment("e", settings, challenge, "permuted", seed=1), range(replicates)


def _median_time(size: dict, rounds: int) -> float:
    experiment, replicates = _experiment(**size)
    play(experiment, [0])
    times = []
    for _ in range(rounds):
        start = perf_counter()
        play(experiment, replicates)
        times.append(perf_counter() - start)
    return median(times)


def _by_cores(rounds: int) -> list[float]:
    """Time on 2 and 4 cores, as far as there are so many, relative to one."""
    experiment, replicates = _experiment(**BASE)
    play(experiment, [0])  # compiled by now
    times = []
    for cores in (1, 2, 4):
        if cores > len(os.sched_getaffinity(0)):
            break
        shares = [replicates[k::cores] for k in range(cores)]
        seconds = []
        for _ in range(rounds):
            start = perf_counter()
            jobs = [get_context("fork").Process(target=play, args=(experiment, s)) for s in shares]
            for job in jobs:
                job.start()
            for job in jobs:
                job.join()
            seconds.append(perf_counter() - start)
        times.append(median(seconds))
    return [time / times[0] for time in times[1:]]


def _outside() -> float:
    """Share of the time that is not spent inside compiled functions, from their own clock."""
    experiment, replicates = _experiment(**BASE)
    play(experiment, [0])  # compiled by now
    spent = 0.0

    def timed(kernel):
        def call(*args):
            nonlocal spent
            start = perf_counter()
            result = kernel(*args)
            spent += perf_counter() - start
            return result

        return call

    with ExitStack() as patches:
        for module, name, kernel in _kernels():
            patches.enter_context(patch.object(module, name, timed(kernel)))
        start = perf_counter()
        play(experiment, replicates)
        total = perf_counter() - start
    return 1.0 - spent / total


def _kernels() -> list[tuple[ModuleType, str, CPUDispatcher]]:
    """Every place of the package where a compiled function can be called from, and its name."""
    return [
        (module, name, value)
        for path, module in sys.modules.items()
        if path.startswith("shakedown.")
        for name, value in vars(module).items()
        if isinstance(value, CPUDispatcher)
    ]
