"""Composite scores that are a mean over rows are compared row by row."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import stats

from shakedown.interface import Cells
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.team_boards import TeamBoards
from shakedown.metrics import find
from shakedown.seeding import stream

ROWS, Q = 40, 6
NAMES = (
    "pearson by row", "cosine by row", "mse by row + 2*mae by row", "rmse by row",
    "z(spearman by row, 0.3, 0.2) + -1*nrmse by row", "mse by row with weight n",
)  # fmt: skip


def cells(missing=0, seed=1):
    """Cells of 40 rows and 6 responses, without some."""
    rows, responses = np.divmod(np.arange(ROWS * Q), Q)
    keep = np.ones(ROWS * Q, bool)
    keep[np.random.default_rng(seed).choice(ROWS * Q, missing, replace=False)] = False
    names = tuple(f"a{k}" for k in range(Q))
    return Cells(names, responses[keep], rows[keep])


def made(n, files=5, seed=2):
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    return y, y + rng.standard_normal((files, n)) * rng.uniform(0.5, 2.0, (files, 1))


@pytest.mark.parametrize("missing", [0, 50])
@pytest.mark.parametrize("name", NAMES)
def test_the_plain_mean_of_the_rows_is_the_score(name, missing):
    of = cells(missing)
    metric = find(name).on(of, of.rows)
    y, files = made(len(of.rows))
    rows, risks = metric.judge(y, files)
    assert rows.shape == (5, ROWS)
    assert metric.has_losses
    np.testing.assert_allclose(rows.mean(axis=1), risks, rtol=1e-12)
    scores = [metric.function(y, file) for file in files]
    np.testing.assert_allclose(metric.score(y, files), scores, rtol=1e-12)
    np.testing.assert_allclose(risks, metric.sign * np.array(scores), rtol=1e-12)


def test_the_terms_are_those_of_each_row():
    of = cells()
    y, files = made(ROWS * Q)
    rows, _ = find("pearson by row").on(of, of.rows).judge(y, files)
    wanted = [
        [-stats.pearsonr(a, b).statistic for a, b in zip(y.reshape(-1, Q), f.reshape(-1, Q))]  # noqa: B905
        for f in files
    ]
    np.testing.assert_allclose(rows, wanted, rtol=1e-10)


def test_rows_of_a_group_have_one_term():
    of = cells()
    y, files = made(ROWS * Q)
    by_row, risks = find("pearson by row").on(of, of.rows).judge(y, files)
    groups = np.minimum(of.rows // 3, 9)  # unequal: the last has 13 rows
    by_group, same = find("pearson by row").on(of, groups).judge(y, files)
    own = np.minimum(np.arange(ROWS) // 3, 9)
    wanted = [[row[own == g].sum() * 10 / ROWS for g in range(10)] for row in by_row]
    np.testing.assert_allclose(by_group, wanted, rtol=1e-12)
    np.testing.assert_allclose(same, risks)


def test_a_row_without_a_score_is_left_out():
    of = cells()
    y, files = made(ROWS * Q)
    y[:Q] = 1.0
    metric = find("pearson by row").on(of, of.rows)
    rows, risks = metric.judge(y, files)
    assert (rows[:, 0] == 0.0).all()
    pairs = [(a, b) for a, b in zip(y.reshape(-1, Q)[1:], files[0].reshape(-1, Q)[1:], strict=True)]
    assert risks[0] == pytest.approx(-np.mean([stats.pearsonr(a, b).statistic for a, b in pairs]))


@pytest.mark.parametrize("weight", [False, True])
def test_weights_within_rows(weight):
    of = cells()
    y, files = made(ROWS * Q)
    w = np.repeat(np.random.default_rng(3).gamma(1.0, size=ROWS), Q) if weight else np.ones(len(y))
    metric = find("weighted mse by row").on(of, of.rows, w)
    wanted = ((y - files) ** 2).mean(axis=1)  # within a row all weigh the same
    np.testing.assert_allclose(metric.score(y, files), wanted)


def test_a_ladder_accepts_by_a_paired_test_of_the_rows():
    of = cells()
    rng = np.random.default_rng(5)
    y = rng.standard_normal(ROWS * Q)
    files = y + rng.standard_normal((30, len(y))) * np.linspace(2.0, 1.0, 30)[:, None]
    metric = find("pearson by row").on(of, of.rows)
    board = TeamBoards(metric, y, files, np.array(["t"] * 30), partial(stream, 1, "replay"))
    played = board.play(of_setting("ladder(alpha=0.15)"))
    r = np.array([
        [stats.pearsonr(a, b).statistic for a, b in zip(y.reshape(-1, Q), f.reshape(-1, Q))]  # noqa: B905
        for f in files
    ])  # fmt: skip
    best, accepted = None, []
    for t in range(30):
        if best is None:
            accepted.append(True)
        else:
            gain = r[t] - r[best]
            p = stats.ttest_1samp(gain, 0.0, alternative="greater").pvalue
            accepted.append(p < 0.15)
        best = t if accepted[-1] else best
    assert played.accepted.tolist() == accepted
    assert 2 < sum(accepted) < 30


@pytest.mark.parametrize(("name", "is_compiled"), [
    ("pearson by row", True), ("rmse by row", True), ("spearman by row", False),
    ("cosine by row", False), ("weighted mse by row", False), ("mse by row + mae by row", False),
    ("pearson by response", False),
])  # fmt: skip
def test_dry_runs_play_less_where_a_python_function_scores_each_file(name, is_compiled):
    assert find(name).is_compiled == is_compiled


def test_simulated_rows_have_four_responses():
    metric = find("pearson by row").on_simulated(202)
    y, files = made(202)
    rows, risks = metric.judge(y, files)
    assert rows.shape == (5, 51)
    assert np.isfinite(risks).all()
