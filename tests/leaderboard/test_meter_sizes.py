"""A meter of few rows and of many: more files than rows, and as many rows as a large board has."""

from functools import partial
from hashlib import blake2b

import numpy as np
import pytest

from shakedown.dryrun.usefulness.honest import calibrated, following
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.responses import measured_by
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.sequential import SequentialBoard
from shakedown.metrics import find
from shakedown.seeding import stream

MSE, SCALES = find("mse"), (1.0, 10.0, 100.0)


def account(n, setting, seed=0):
    """A new account, the response, and a generator for files."""
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    y = (y - y.mean()) / y.std(ddof=1)
    return SequentialBoard(Scorer(MSE, y), of_setting(setting), partial(stream, 3)), y, rng


def honest(y, files, rng):
    """Files of an honest team."""
    rising = np.linspace(0.45, 0.7, files)
    return calibrated(y, following(files, len(y), 0.8, rng=rng), rising)


@pytest.mark.parametrize("setting", ["metered(gain=0.1,files=300)", "metered(gain=0.9,files=300)"])
@pytest.mark.parametrize("made", [honest, lambda y, files, rng: rng.normal(size=(files, len(y)))])
def test_more_files_than_rows_stay_finite_and_within_the_budget(setting, made):
    """300 files and a few beyond, on 20 rows: one degree of freedom, and nearly all rows."""
    board, y, rng = account(20, setting)
    budget = board.state.memory.terms.degrees
    for file in made(y, 310, rng):
        shown, _, _ = board.submit_one(file)
        meter = board.state.memory.meter
        assert np.isfinite([shown, meter.spent, board.quote(file).error]).all()
        assert meter.spent <= budget * (1.0 + 1e-12)
    assert meter.count <= 300
    rows = meter.room.files[: meter.count, :20]
    lengths = np.linalg.svd(rows, compute_uv=False) ** 2
    direct = (lengths / (1.0 + lengths)).sum()
    assert meter.spent == pytest.approx(direct, rel=1e-9)  # after 300 files, no drift
    assert direct <= budget * (1.0 + 1e-9)


def believed(K, answers):
    """The mean response in the span of files, shape (3, t) coefficients, and its log-odds."""
    coefficients, log_odds = [], []
    for scale in SCALES:
        whole = np.eye(len(K)) + scale * K
        solved = np.linalg.solve(whole, answers)
        coefficients.append(scale * solved)
        log_odds.append(-0.5 * (answers @ solved + np.linalg.slogdet(whole)[1]))
    odds = np.exp(np.array(log_odds) - max(log_odds))
    return odds @ np.array(coefficients) / odds.sum()


def test_fifty_thousand_rows_are_answered_as_by_a_plain_ridge_regression():
    n, count = 50_000, 5
    board, y, rng = account(n, "metered(gain=0.0001,files=8)")  # a budget of 4, so noise above σ₀
    files = honest(y, count, rng)
    directions, rests = measured_by(MSE, files)
    U, answers = np.empty((count, n)), np.empty(count)
    for t, file in enumerate(files):
        sd = board.state.memory.asked(directions[t])[1]
        shown, _, _ = board.submit_one(file)
        content = blake2b(file.tobytes(), digest_size=16).hexdigest()
        noise = stream(3, "release", board.mechanism.setting, 1, t + 1, content).standard_normal()
        U[t], answers[t] = directions[t] / sd, (directions[t] @ y) / sd + noise
        K = U[: t + 1] @ U[: t + 1].T
        mean = U[: t + 1].T @ believed(K, answers[: t + 1])
        assert shown == pytest.approx(rests[t] - mean @ directions[t], rel=1e-10)
        spent = np.trace(np.linalg.solve(np.eye(t + 1) + K, K))
        assert board.state.memory.meter.spent == pytest.approx(spent, rel=1e-10)
    assert spent < board.state.memory.terms.degrees
    now = rests - directions @ mean
    np.testing.assert_allclose(board.known(files), now, rtol=1e-10)
