"""The noise of releases does not depend on the machine."""

import os
import platform
import subprocess
import sys

import numpy as np
import pytest

from shakedown.leaderboard.releases import Bootstrap
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.state import BoardState
from shakedown.metrics import find


def released(metric: str) -> list[str]:
    """Five released scores, to the last bit."""
    rng = np.random.default_rng(1)
    y, rows = rng.standard_normal(61), rng.standard_normal((3, 61))
    scorer = Scorer(find(metric), y)
    batch, best = scorer.judge(rows), BoardState(np.zeros(61), np.inf)
    standing = np.array([0, 0, 1, 2, 2])
    shown = Bootstrap(13).show(batch, best, standing, scorer.metric, scorer.y, rng)
    return [float(score).hex() for score in shown]


@pytest.mark.full  # compiles releases anew
@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of x86 processors")
@pytest.mark.parametrize("metric", ["mse", "rmse", "ccc", "pearson"])
def test_a_machine_without_wide_vectors_draws_the_same_noise(metric, tmp_path):
    """`haswell`: vectors of 256 bits, half as many registers, and no comparisons into masks."""
    there = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import released; print(*released({metric!r}))"],
        env=os.environ
        | {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.split() == released(metric)
