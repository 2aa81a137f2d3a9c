"""Answers of a metered board are numbers that every response can give.

A double that is a label plus noise would tell more than a real number: most of those that one label
can give, the other cannot.  After Mironov (2012), who reads Laplace noise so.
"""

from math import floor, log2, sqrt

import numpy as np
import pytest

from shakedown.leaderboard.account import Account
from shakedown.leaderboard.grain import GRAIN, on_grid
from shakedown.leaderboard.label_account import LabelAccount
from shakedown.leaderboard.label_scores import Labels
from shakedown.leaderboard.responses import OF_LABELS
from shakedown.metrics import find
from shakedown.terms import Metering

N = 20


@pytest.mark.parametrize("metric", OF_LABELS)
def test_each_score_can_come_of_either_label(metric):
    """The noise that would give the same score had the label of a row been the other one."""
    rng = np.random.default_rng(1)
    kind, terms = find(metric), Metering(0.0, 20, 1e-9, gain=0.05)
    ones = np.arange(N) % 2 == 0
    file = np.full(N, 0.5)
    # The noise is about as large as the score, so that the score has the digits of the answer.
    apart = {"zero_one": (1, 0), "auroc": (0.9, 0.6), "brier": (3, -2), "log_loss": (0.99, 0.01)}
    file[:2] = apart[metric]
    for row in range(2):
        y = ones.astype(float)
        other = y.copy()
        # Under the AUROC the number of ones is known, so two labels change.
        changed = [0, 1] if metric == "auroc" else [row]
        other[changed] = 1.0 - y[changed]
        account = LabelAccount.opened(N, terms, kind, Labels.of(y))
        (u,), (rest,) = account.measured(file[None])
        sd = account.asked(u).sd
        for noise in rng.standard_normal(200):
            (score,), _ = account.answered(file[None], y, np.array([noise]))
            would = np.array([(rest - score - u @ other) / sd])
            (again,), _ = account.answered(file[None], other, would)
            assert again == score


def test_each_answer_can_come_of_another_response():
    """Of a board of numbers: responses in whole numbers would be read in the same way."""
    rng = np.random.default_rng(2)
    y = rng.integers(-5, 6, N).astype(float)
    other, u = y.copy(), np.zeros(N)
    other[0], u[0] = y[0] + 1.0, 0.3
    account = Account.opened(N, Metering(0.5, 10, 1e-9))
    price, sd = account.asked(u)
    for noise in rng.standard_normal(200):
        (mean,), _ = account.answered(u[None], y, np.array([noise]))
        would = np.array([(price.answer(sd, mean) - u @ other) / sd])
        (again,), _ = account.answered(u[None], other, would)
        assert again == mean


def test_the_grid_depends_on_the_noise_alone():
    for sd in (1e-150, 0.003, 0.75, 1.0, 6e5):
        step = GRAIN * 2.0 ** floor(log2(sd))
        answers = sd * np.array([0.0, 1e-12, -0.3, 2.0 / 3.0, -sqrt(5.0), 1e4])
        kept = np.array([on_grid(answer, sd) for answer in answers])
        assert np.abs(kept - answers).max() <= 0.5 * step
        np.testing.assert_array_equal(kept / step, np.rint(kept / step))
