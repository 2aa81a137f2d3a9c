"""Honest models of censored times."""

import numpy as np
import pytest

from shakedown.attacks.cox import coefficients
from shakedown.data.censored import risk_score
from shakedown.data.splits import Splitter
from shakedown.dryrun.usefulness import honest
from shakedown.dryrun.usefulness.models.hazards import PENALTIES, Hazards
from shakedown.dryrun.usefulness.models.linear import Linear, paths
from shakedown.interface import Challenge
from shakedown.metrics import find


def challenge(n=201, p=8, effect=0.7, censored=1.0, seed=0):
    """Times of which three features tell; `censored` is the rate at which rows leave."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    died = rng.exponential(size=n) * np.exp(-effect * X[:, :3].sum(axis=1))
    left = rng.exponential(size=n) / censored
    y = np.where(died <= left, died, -left)
    rows, features = np.arange(n).astype(str), np.array([f"x{j}" for j in range(p)])
    return Challenge("times", X, y, rows, features, censored=True)


def splits(c, replicates, name="c_index"):
    splitter = Splitter(c, "splits", seed=1, metric=find(name))
    return [splitter.split(r) for r in range(replicates)]


def fitted(X, times, targets):
    return Hazards().fitted(X, times, targets, rng=np.random.default_rng(0))


def test_models_are_cox_regressions_and_lassos_of_martingale_residuals():
    c = challenge(n=80)
    X, targets = c.X[:60], c.X[60:]
    ((files,), used) = fitted(X, c.y[:60], targets)
    cox = coefficients(X, c.y[:60], 8 * np.array(PENALTIES))
    np.testing.assert_allclose(files[:5], cox @ targets.T)
    lassos = paths(X, risk_score(c.y[:60]))[0][5:]
    np.testing.assert_allclose(files[5:], lassos @ targets.T)
    assert used[:5].tolist() == [8] * 5
    assert (np.diff(used[5:]) >= 0).all()


@pytest.mark.parametrize("rows", [0, 1, 3, 20])
def test_without_an_event_all_risks_are_equal(rows):
    c = challenge(n=40)
    ((files,), used) = fitted(c.X[:rows], -np.abs(c.y[:rows]), c.X[20:])
    assert files.shape == (10, 20)
    assert not files.any()
    assert not used.any()


@pytest.mark.parametrize("name", ["c_index", "uno_c_index", "iauc"])
def test_the_last_models_are_better_than_a_guess(name):
    """Of nothing, all 10 would be above 1/2 with a chance of 1e-3."""
    metric = find(name)
    for split in splits(challenge(), 10, name):
        models = honest.models(split.view, metric, rng=np.random.default_rng(0))
        assert models.final.shape == (30, len(split.y_final))
        assert metric.score(split.y_final, models.final[-1:])[0] > 0.5


def test_cox_regressions_are_no_worse_than_linear_models():
    """Of late events, whose residuals are far below those of others, a regression on these tells
    less.  The mean difference of 20 sets would be 3 standard errors below 0 once in 300 times."""
    metric, ours = find("c_index"), []
    for split in splits(challenge(effect=1.5, censored=0.05), 20):
        view, rng = split.view, np.random.default_rng(0)
        linear, _ = Linear().fitted(view.X_train, view.y_train, view.X_final, rng=rng)
        hazards, _ = fitted(view.X_train, view.times, view.X_final)
        scores = metric.score(split.y_final, np.vstack([linear[0, 2:3], hazards[0, 2:3]]))
        ours.append(scores[1] - scores[0])
    assert np.mean(ours) > -3.0 * np.std(ours, ddof=1) / np.sqrt(20)
    assert np.mean(ours) > 0.0


def test_a_tenth_of_events_gives_thirty_files():
    for split in splits(challenge(censored=15.0), 5):
        models = honest.models(split.view, find("c_index"), rng=np.random.default_rng(0))
        assert np.isfinite(models.public).all()
        assert (split.view.times > 0).mean() < 0.2


def test_of_thousands_of_features_the_most_promising_take_part():
    c = challenge(n=90, p=1000, effect=2.0)
    kind = Hazards()
    kept = kind.promising(c.X, c.y)
    assert len(kept) == 500
    assert {0, 1, 2} <= set(kept)
    correlations = np.abs(np.corrcoef(c.X.T, risk_score(c.y))[-1, :-1])
    np.testing.assert_array_equal(np.argsort(kind.worth(c.X, c.y)), np.argsort(correlations))
    (split,) = splits(c, 1)
    first, same = (
        honest.models(split.view, find("c_index"), rng=np.random.default_rng(3)) for _ in range(2)
    )
    np.testing.assert_array_equal(first.public, same.public)
    assert first.n_selected.max() == 500
