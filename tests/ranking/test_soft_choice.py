"""Choosing on one half and scoring on the other: a literal twin, and what its interval covers."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown.metrics import find
from shakedown.questions.winner import winner
from shakedown.ranking.final_ranking import Rule, final_ranking
from shakedown.ranking.soft_choice import SoftChoice, soft_choice
from tests.ranking.test_rank_sets import at_least, challenge


def estimate(losses, weights, halves, temperature):
    """The estimate with weights of the rows, shape (n,), written down as it is defined."""
    of_halves = []
    for chosen_on, scored_on in halves:
        shown = [np.average(file[chosen_on], weights=weights[chosen_on]) for file in losses]
        held = [np.average(file[scored_on], weights=weights[scored_on]) for file in losses]
        powers = np.exp(-np.array(shown) / temperature)
        of_halves.append(np.sum(powers / powers.sum() * held))
    return np.mean(of_halves)


@pytest.mark.parametrize("n", [20, 21])
def test_rows_contribute_what_the_estimate_changes_with_their_weights(n):
    y, files, _, _ = challenge(1, n=n, m=4, spread=0.1)
    losses, step, splits, temperature = (files - y) ** 2, 1e-5, 3, 0.3
    rng = np.random.default_rng(5)
    orders = [rng.permutation(n) for _ in range(splits)]
    halves = [(order[: n // 2], order[n // 2 :]) for order in orders]
    found = soft_choice(
        losses, rng=np.random.default_rng(5), splits=splits, temperature=temperature, level=0.9
    )
    assert found.estimate == pytest.approx(estimate(losses, np.ones(n), halves, temperature))
    slopes = [
        (
            estimate(losses, np.ones(n) + step * row, halves, temperature)
            - estimate(losses, np.ones(n) - step * row, halves, temperature)
        )
        / (2 * step)
        for row in np.eye(n)
    ]
    half = stats.t.ppf(0.95, n - 1) * np.sqrt(np.sum(np.square(slopes)))
    assert found.high - found.estimate == pytest.approx(half, rel=1e-6)
    assert found.estimate - found.low == pytest.approx(half, rel=1e-6)


def test_equal_files_have_the_score_of_each():
    losses = np.tile(np.arange(12.0), (3, 1))
    found = soft_choice(losses, rng=np.random.default_rng(1), splits=1)
    assert found.low < 5.5 < found.high
    assert soft_choice(losses[:, :5], rng=np.random.default_rng(1)) is None
    alone = soft_choice(losses[:1], rng=np.random.default_rng(1))
    assert alone.low < alone.estimate < alone.high


def test_it_covers_its_own_target_and_not_the_winners_score():
    """And not the winner's score where teams differ, which is why that has another interval."""
    tries, fresh, own, won = 100, 30, 0, 0
    for seed in range(tries):
        y, files, true, _ = challenge(seed, spread=0.1)
        losses = (files - y) ** 2
        best = losses.mean(axis=1).argmin()
        found = soft_choice(losses, rng=np.random.default_rng([1, seed]), temperature=0.2)
        others = [rows_of(true, [seed, t]) for t in range(fresh)]
        target = np.mean([
            soft_choice(other, rng=np.random.default_rng([1, seed]), temperature=0.2).estimate
            for other in others
        ])  # fmt: skip
        own += found.low <= target <= found.high
        won += found.low <= true[best] <= found.high
    # The target is a mean of 30 estimates, so an interval of 95 % holds it in 94.6 % of cases:
    # its width grows by the root of 1 + 1/30.
    assert at_least(own, tries, 0.94)
    assert won < 0.8 * tries


def rows_of(true, seed, n=70):
    """Losses of files with these true ones on fresh rows, as `challenge` makes them."""
    rng = np.random.default_rng([12, *seed])
    c = np.sqrt(1.0 - true)[:, None]
    y, errors = rng.standard_normal(n), np.sqrt(0.5) * rng.standard_normal(n)
    errors = errors + np.sqrt(0.5) * rng.standard_normal((len(true), n))
    return (c * (c * y + np.sqrt(1.0 - c**2) * errors) - y) ** 2


def test_a_final_ranking_has_it_as_a_score_of_mean_losses():
    y, files, _, _ = challenge(3)
    names = [f"t{k}" for k in range(len(files))]
    mse, rmse, pearson = (
        final_ranking(find(name), y, files, names, seed=1, rule=Rule(draws=100))
        for name in ("mse", "rmse", "pearson")
    )
    assert isinstance(mse.soft, SoftChoice)
    np.testing.assert_allclose(np.square(rmse.soft), mse.soft)
    assert pearson.soft is None
    rows = {"id": range(len(y)), "truth": y}
    given = dict(zip(names, ({k: float(v) for k, v in enumerate(f)} for f in files), strict=True))
    asked = winner(pd.DataFrame(rows), given, metric="mse", draws=100, seed=1)
    assert asked.answer["soft_choice"] == asked.ranking.soft._asdict()
    assert "a file that is chosen softly on half of the rows" in asked.page()
