"""What is said of final rows, against challenges that are simulated row by row."""

from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from shakedown.final_rows.chances import CHALLENGES, FOR_TIES, Challenges
from shakedown.final_rows.of_numbers import Numbers, drawn_rows, files_like, teams_of
from shakedown.final_rows.telling_apart import rows_to_tell
from shakedown.metrics import find
from shakedown.ranking.bayes_factor import TIED, bayes_factors
from shakedown.ranking.resampled_scores import resampled_scores
from shakedown.seeding import stream

#: A false alarm in a thousand, on both sides.
REACH = NormalDist().inv_cdf(1.0 - 0.0005)


def simulated(metric, numbers, rows, challenges, axis):
    """Yield the rows and files of new challenges."""
    r = files_like(numbers, metric)
    rng = stream(7, "calibration", metric.name, axis)
    for _ in range(challenges):
        yield drawn_rows(metric, r, numbers.correlation, rows, rng=rng)


@pytest.mark.parametrize(
    ("name", "numbers", "rows", "low", "high"),
    [
        ("pearson", Numbers(10, 0.6, 0.08, 0.7), 200, 0.86, 0.92),
        ("spearman", Numbers(10, 0.6, 0.08, 0.7), 200, 0.83, 0.9),
        ("mse", Numbers(5, 0.5, 0.15, 0.5), 31, 0.7, 0.8),
        ("auroc", Numbers(20, 0.8, 0.05, 0.3), 150, 0.3, 0.6),
        ("log_loss", Numbers(6, 0.4, 0.05, 0.6), 200, 0.8, 0.9),
    ],
)
def test_the_best_team_wins_as_often_as_is_said(name, numbers, rows, low, high):
    metric = find(name)
    (teams,) = teams_of(numbers, [metric], seed=3)
    said = Challenges([teams], rng=stream(3, "challenges")).wins(rows)
    n = 2_000
    won = [
        np.argmin(metric.sign * metric.score(part.truth, part.files)) == 0
        for part in simulated(metric, numbers, rows, n, "wins")
    ]
    error = np.sqrt(said * (1.0 - said) * (1.0 / n + 1.0 / CHALLENGES))
    assert low < said < high
    assert abs(np.mean(won) - said) <= REACH * error


def test_ties_are_those_of_bayes_factors_of_a_bootstrap():
    metric, numbers, rows, n = find("mse"), Numbers(8, 0.5, 0.08, 0.6), 80, 500
    (teams,) = teams_of(numbers, [metric], seed=3)
    among, size = Challenges([teams], rng=stream(3, "challenges")).ties(rows)
    is_tied = []
    for number, part in enumerate(simulated(metric, numbers, rows, n, "ties")):
        rng = stream(3, "bootstrap", number)
        drawn = resampled_scores(metric, part.truth, part.files, draws=300, rng=rng)
        best = int(np.argmin(metric.score(part.truth, part.files)))
        is_tied.append(bayes_factors(drawn, best) <= TIED)
    is_tied = np.array(is_tied)
    sizes = is_tied.sum(axis=1)
    errors = np.sqrt(1.0 / n + 1.0 / FOR_TIES) * np.array([
        np.sqrt(among * (1.0 - among)), sizes.std(),
    ])  # fmt: skip
    assert 0.7 < among < 0.97
    assert abs(is_tied[:, 0].mean() - among) <= REACH * errors[0]
    # 300 samples blur K, which adds a little to the number of ties.
    assert abs(sizes.mean() - size) <= REACH * errors[1] + 0.05


def test_the_first_two_are_told_apart_with_the_power_that_is_said():
    gap, spread, n = 0.3, 1.0, 4_000
    rows = rows_to_tell(gap, spread)
    differences = gap + spread * stream(3, "power").standard_normal((n, rows))
    p = stats.ttest_1samp(differences, 0.0, axis=1, alternative="greater").pvalue
    assert abs((p < 0.05).mean() - 0.9) <= REACH * np.sqrt(0.09 / n)
