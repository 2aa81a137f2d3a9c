"""Scores in which rows have weights, against scikit-learn, NumPy and SciPy."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

from shakedown.interface import Cells, InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.posterior_odds import PosteriorOdds
from shakedown.leaderboard.releases import Bootstrap
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.state import BoardState
from shakedown.metrics import find
from shakedown.metrics.composite import Composite
from shakedown.seeding import stream
from tests.kinds import SINGLE, fitting

N = 40


def made(seed=1, m=5, tied=False):
    rng = np.random.default_rng(seed)
    y, files = rng.standard_normal(N), rng.standard_normal((m, N))
    y, files = (np.round(y, 1), np.round(files, 1)) if tied else (y, y + files)
    w = rng.integers(0, 4, N) * 0.5
    return y, files, w


def pearson(y, p, w):
    return np.cov(y, p, aweights=w, ddof=0)[0, 1] / np.sqrt(
        np.cov(y, aweights=w, ddof=0) * np.cov(p, aweights=w, ddof=0)
    )


def ccc(y, p, w):
    a, b = np.average(y, weights=w), np.average(p, weights=w)
    cov = np.cov(y, p, aweights=w, ddof=0)
    return 2 * cov[0, 1] / (cov[0, 0] + cov[1, 1] + (a - b) ** 2)


def spearman(y, p, w):
    kept = w > 0
    return pearson(stats.rankdata(y[kept]), stats.rankdata(p[kept]), w[kept])


WEIGHTED = {
    "mse": lambda y, p, w: sk.mean_squared_error(y, p, sample_weight=w),
    "rmse": lambda y, p, w: sk.mean_squared_error(y, p, sample_weight=w) ** 0.5,
    "mae": lambda y, p, w: sk.mean_absolute_error(y, p, sample_weight=w),
    "r2": lambda y, p, w: sk.r2_score(y, p, sample_weight=w),
    "pearson": pearson,
    "ccc": ccc,
    "spearman": spearman,
    "cosine": lambda y, p, w: (w * y) @ p / np.sqrt((w * y) @ y * ((w * p) @ p)),
    "sklearn.metrics.mean_pinball_loss": lambda y, p, w: sk.mean_pinball_loss(
        y, p, sample_weight=w
    ),
}


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("name", WEIGHTED)
def test_weighted_scores_are_those_of_others(name, tied):
    y, files, w = made(tied=tied)
    metric = find(f"weighted {name}").on(None, None, w)
    expected = [WEIGHTED[name](y, file, w) for file in files]
    np.testing.assert_allclose(metric.score(y, files), expected, rtol=1e-10)
    np.testing.assert_allclose([metric.function(y, p) for p in files], expected, rtol=1e-10)
    # Only the ratios of weights count.
    again = find(f"weighted {name}").on(None, None, 7.0 * w).score(y, files)
    np.testing.assert_allclose(again, expected, rtol=1e-10)


@pytest.mark.parametrize("words", ["", " by group", " by group with weight n"])
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_within_groups(name, words):
    y, files, w = made(seed=2)
    w += 0.5
    codes = np.arange(N) % 5
    codes[:7] = 0
    found = find(f"weighted {name}{words}").on(None, codes, w).score(y, files)
    parts = [codes == g for g in range(5)] if words else [codes >= 0]
    sizes = [own.sum() if words.endswith("n") else 1 for own in parts]
    expected = [
        np.average([WEIGHTED[name](y[o], file[o], w[o]) for o in parts], weights=sizes)
        for file in files
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("name", sorted({*SINGLE} - {"zero_one"}))
def test_rows_with_the_weight_0_are_not_there(name):
    y, files, w = made(seed=3)
    y, files = fitting(find(name), y, files)
    whole = find(f"weighted {name}").on(None, None, w)
    kept = w > 0
    part = find(f"weighted {name}").on(None, None, w[kept])
    expected = part.score(y[kept], files[:, kept])
    np.testing.assert_allclose(whole.score(y, files), expected, rtol=1e-12)
    ones = find(f"weighted {name}").on(None, None, np.ones(N)).score(y, files)
    np.testing.assert_allclose(ones, find(name).score(y, files), rtol=1e-10)
    strange = files.copy()
    strange[:, ~kept] = 1e5
    np.testing.assert_allclose(whole.score(y, strange), expected, rtol=1e-6)


def test_a_row_weighs_in_each_of_its_cells():
    rng = np.random.default_rng(4)
    rows, responses = np.repeat(np.arange(20), 2), np.tile([0, 1], 20)
    cells = Cells(("a", "b"), responses, rows)
    y = rng.standard_normal(40)
    files, w = y + rng.standard_normal((3, 40)), rng.random(20)[rows]
    for name in ("pearson", "mse"):
        found = find(f"weighted {name} by response").on(cells, None, w).score(y, files)
        parts = [responses == k for k in (0, 1)]
        expected = [np.mean([WEIGHTED[name](y[o], p[o], w[o]) for o in parts]) for p in files]
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    found = find("weighted 2*pearson of b + -1*mse").on(cells, None, w).score(y, files)
    own = parts[1]
    expected = [2 * pearson(y[own], p[own], w[own]) - WEIGHTED["mse"](y, p, w) for p in files]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("name", ["pearson", "rmse", "spearman", "r2", "kendall"])
def test_a_bootstrap_multiplies_the_weights(name):
    y, files, w = made(seed=5)
    if name == "spearman":  # ranks are those of all rows that count
        w += 0.5
    counts = np.random.default_rng(6).multinomial(N, np.full(N, 1 / N)).astype(float)
    metric = find(f"weighted {name}").on(None, None, w)
    for file in files:
        found = metric.function(y, file, sample_weight=counts)
        if name == "kendall":
            expected = find(name).function(y, file, sample_weight=counts * w)
        elif name == "spearman":
            ranks = stats.rankdata(y), stats.rankdata(file)
            expected = pearson(*ranks, counts * w)
        else:
            expected = WEIGHTED[name](y, file, counts * w)
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["mse", "rmse", "mae"])
def test_the_plain_mean_of_the_terms_is_the_score(name):
    """So gates and releases of the papers play with weights as without."""
    y, files, w = made(seed=7, m=30)
    metric = find(f"weighted {name}").on(None, None, w)
    assert metric.has_losses
    assert metric.root == (name == "rmse")
    rows, risks = metric.judge(y, files)
    means = risks**2 if metric.root else risks
    np.testing.assert_allclose(rows.mean(axis=1), means, rtol=1e-12)
    losses = np.abs(files - y) if name == "mae" else (files - y) ** 2
    np.testing.assert_allclose(rows, N * losses * w / w.sum(), rtol=1e-12)
    for setting in ("ladder(alpha=0.15)", "ladderboot(alpha=0.15,b=10)+baseline"):
        board = Board(Scorer(metric, y), of_setting(setting), partial(stream, 1))
        receipt = board.submit(files)
        assert receipt.accepted.any()
        assert np.isfinite(receipt.released).all()


@pytest.mark.parametrize("name", ["pearson", "ccc", "kendall", "mse"])
def test_noisy_gates_and_releases_play(name):
    y, files, w = made(seed=8, m=12)
    metric = find(f"weighted {name}").on(None, np.arange(N) // 4, w)
    scorer = Scorer(metric, y)
    batch, best = scorer.judge(files), BoardState(scorer.no_row, np.inf)
    rng = np.random.default_rng(1)
    standing = PosteriorOdds(1.0, 40).decide(batch, best, metric, scorer.y, chain=True, rng=rng)
    assert standing[0] == 0
    shown = Bootstrap(30).show(batch, best, standing, metric, scorer.y, rng)
    assert np.abs(shown - batch.risks[standing]).max() < 0.6


def test_constant_predictions_have_the_correlation_0():
    y, _, w = made()
    flat = np.full((2, N), 0.1)
    flat[1, w == 0] = 3.0
    for name in ("pearson", "ccc", "spearman", "kendall", "cosine"):
        found = find(f"weighted {name}").on(None, None, w).score(y, flat)
        if name != "cosine":
            assert found.tolist() == [0.0, 0.0]
        assert np.isfinite(found).all()


def test_a_weighted_score_needs_weights():
    y, files, w = made()
    for name in ("weighted mse", "weighted pearson", "weighted 0.5*mse + mae"):
        metric = find(name)
        assert isinstance(metric, Composite)
        with pytest.raises(InputError, match="needs a weight for each row, and there is none"):
            metric.on(None)
        with pytest.raises(InputError, match="needs a weight for each row"):
            metric.score(y, files)
        assert np.isfinite(metric.on_simulated(N).score(y, files)).all()
        bound = metric.on(None, None, w)
        assert bound.on(None, None, w) is bound
        assert metric.weights is None
    plain = find("pearson by response")
    assert plain.on(None, None, w) is plain
    assert find("mse").on(None, None, w) is find("mse")


@pytest.mark.parametrize("name", ["weighted weighted mse", "0.5*weighted mse", "weighted "])
def test_names_that_cannot_be_read(name):
    with pytest.raises(InputError, match="cannot read the term|is not known"):
        find(name)


def test_units_and_words():
    assert (find("weighted mse").label, find("weighted mse").degree) == ("weighted MSE", 2.0)
    assert find("weighted rmse").degree == 1.0
    assert find("weighted mse by response").degree == 0.0
    found = find("weighted 0.5*pearson + 2*ccc by group with weight n").label
    assert found == (
        "0.5 × weighted Pearson correlation + 2 × mean weighted Lin's CCC over groups with weight n"
    )


def test_a_constant_truth_has_the_correlation_0():
    """Its weighted mean is rounded, also of a large one."""
    _, files, w = made()
    for name in ("pearson", "ccc"):
        metric = find(f"weighted {name}").on(None, None, w / 3)
        for value in 1e6 * np.random.default_rng(9).random(20):
            assert metric.score(np.full(N, value), files).tolist() == [0.0] * len(files)
