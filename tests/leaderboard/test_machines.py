"""The noise of releases does not depend on the machine."""

import os
import platform
import subprocess
import sys
from functools import partial
from hashlib import sha256

import numpy as np
import pytest

from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.releases import Bootstrap
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.sequential import SequentialBoard
from shakedown.leaderboard.state import BoardState
from shakedown.metrics import find
from shakedown.seeding import stream


def released(metric: str) -> list[str]:
    """Five released scores, to the last bit."""
    rng = np.random.default_rng(1)
    y, rows = rng.standard_normal(61), rng.standard_normal((3, 61))
    scorer = Scorer(find(metric), y)
    batch, best = scorer.judge(rows), BoardState(np.zeros(61), np.inf)
    standing = np.array([0, 0, 1, 2, 2])
    shown = Bootstrap(13).show(batch, best, standing, scorer.metric, scorer.y, rng)
    return [float(score).hex() for score in shown]


def metered(metric: str) -> list[str]:
    """What a metered board of labels releases and keeps, to the last bit."""
    rng = np.random.default_rng(1)
    y = (rng.random(301) < 0.4).astype(float)
    board = of_setting("metered(gain=0.05,files=12)")
    own, shown = SequentialBoard(Scorer(find(metric), y), board, partial(stream, 3)), []
    for _ in range(12):
        file = 0.3 * y + 0.7 * rng.random(301)
        released, _, _ = own.submit_one(np.round(file) if metric == "zero_one" else file)
        shown += [released, own.error, own.stored.spent]
    meter = own.state.memory.meter
    kept = [meter.directions, meter.products, meter.variances, meter.answers, meter.of_rows]
    digests = [sha256(np.ascontiguousarray(part)).hexdigest() for part in kept]
    return [*(float(number).hex() for number in shown), *digests]


#: Other kernels of NumPy and of the linear algebra.
OTHERS = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 X86_V3 AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX "
    "AVX512_CNL AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Prescott",
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of x86 processors")
@pytest.mark.parametrize("kernels", [{}, pytest.param("haswell", marks=pytest.mark.full)])
def test_a_meter_of_labels_does_not_depend_on_kernels_of_a_machine(kernels, tmp_path):
    metrics = ("zero_one", "brier", "log_loss", "auroc")
    if kernels:
        kernels = {
            "NUMBA_CPU_NAME": kernels, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(tmp_path)
        }  # fmt: skip
    there = subprocess.run(
        [sys.executable, "-c",
         f"from {__name__} import metered\nfor m in {metrics}: print(*metered(m))"],
        env=os.environ | OTHERS | kernels, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert there.stdout.split() == [number for metric in metrics for number in metered(metric)]


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
