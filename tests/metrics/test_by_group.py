"""Scores by group of rows, against loops with NumPy and SciPy."""

import numpy as np
import pytest

from shakedown.interface import Cells, InputError
from shakedown.leaderboard.gates import PairedTest
from shakedown.leaderboard.releases import Bootstrap
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.state import BoardState
from shakedown.metrics import find
from shakedown.metrics.parts import Parts
from tests.kinds import SINGLE, fitting
from tests.metrics.test_composite import PLAIN

SIZES = (7, 3, 12, 2, 5, 9)
CODES = np.random.default_rng(0).permutation(np.repeat(np.arange(len(SIZES)), SIZES))
PART_WEIGHTS = {
    "": lambda n: 1.0,
    " with weight n": lambda n: n,
    " with weight sqrt(n)": lambda n: n**0.5,
    " with weight sqrt(n-1)": lambda n: (n - 1) ** 0.5,
}


def made(seed=1, m=4, tied=False):
    rng = np.random.default_rng(seed)
    y, files = rng.standard_normal(len(CODES)), rng.standard_normal((m, len(CODES)))
    return (np.round(y, 1), np.round(files, 1)) if tied else (y, y + files)


def mean_of(formula, part_weight, y, file, codes=CODES):
    parts = [codes == g for g in np.unique(codes)]
    scores = [formula(y[own], file[own]) for own in parts]
    weights = [part_weight(own.sum()) for own in parts]
    return np.dot(scores, weights) / np.sum(weights)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("words", PART_WEIGHTS)
@pytest.mark.parametrize("name", PLAIN)
def test_means_over_groups_are_those_of_loops(name, words, tied):
    y, files = made(tied=tied)
    found = find(f"{name} by group{words}").on(None, CODES).score(y, files)
    expected = [mean_of(PLAIN[name], PART_WEIGHTS[words], y, file) for file in files]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("words", PART_WEIGHTS)
@pytest.mark.parametrize("part", ["response", "row"])
def test_responses_and_rows_have_weights_by_their_cells(words, part):
    """As in a challenge of drug combinations: a response of n cell lines counts sqrt(n - 1)."""
    rng = np.random.default_rng(2)
    given = rng.random((30, 3)) < 0.7
    given[:, 0] = True
    given[:4] = True
    rows, responses = np.nonzero(given)
    cells = Cells(("a", "b", "c"), responses, rows)
    y = rng.standard_normal(len(rows))
    files = y + rng.standard_normal((3, len(rows)))
    codes = responses if part == "response" else rows
    metric = find(f"mse by {part}{words}").on(cells)
    expected = [mean_of(PLAIN["mse"], PART_WEIGHTS[words], y, file, codes) for file in files]
    np.testing.assert_allclose(metric.score(y, files), expected, rtol=1e-10)
    again = metric.score(np.repeat(y, 4), np.repeat(files, 4, axis=1))
    np.testing.assert_allclose(again, expected, rtol=1e-10)


def test_mse_of_subjects_weighs_by_the_root_of_their_rows():
    """The formula of the BEAT-PD challenge, written out."""
    y, files = made()
    found = find("mse by group with weight sqrt(n)").on(None, CODES).score(y, files)
    sizes = np.array(SIZES)
    for file, score in zip(files, found, strict=True):
        mse = np.bincount(CODES, (y - file) ** 2) / sizes
        assert score == pytest.approx((np.sqrt(sizes) * mse).sum() / np.sqrt(sizes).sum())


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "ccc", "r2", "mse"])
def test_groups_without_a_score_are_left_out(name):
    """One row, or equal true values, have no correlation, but a mean squared error."""
    y, files = made()
    y[CODES == 1] = 0.25
    alone = np.flatnonzero(CODES == 3)[0]
    codes = CODES.copy()
    codes[alone] = len(SIZES)
    found = find(f"{name} by group").on(None, codes).score(y, files)
    has_score = [g for g in np.unique(codes) if name == "mse" or np.ptp(y[codes == g]) > 0]
    assert len(has_score) == (len(SIZES) + 1 if name == "mse" else 4)
    own = [codes == g for g in has_score]
    expected = [np.mean([PLAIN[name](y[at], file[at]) for at in own]) for file in files]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    if name == "mse":  # a row alone weighs nothing
        root = find("mse by group with weight sqrt(n-1)").on(None, codes)
        files[:, alone] = 1e6
        assert (root.score(y, files) < 1e3).all()


@pytest.mark.parametrize("name", sorted({*SINGLE} - {"zero_one", "smape"}))
def test_a_drawn_group_counts_as_often_as_it_is_drawn(name):
    metric = find(f"{name} by group with weight sqrt(n)").on(None, CODES)
    y, files = fitting(metric, *made(seed=3))
    counts = np.array([2, 0, 1, 3, 0, 1])
    drawn = np.repeat(np.arange(len(SIZES)), counts)
    at = np.concatenate([np.flatnonzero(g == CODES) for g in drawn])
    codes = np.repeat(np.arange(len(drawn)), [SIZES[g] for g in drawn])
    again = find(f"{name} by group with weight sqrt(n)").on(None, codes)
    for file in files:
        found = metric.function(y, file, sample_weight=counts[CODES].astype(float))
        assert found == pytest.approx(again.function(y[at], file[at]), rel=1e-9)
        judged = metric.sign * metric.judge(y, file[None])[1][0]
        for weights in (None, np.ones(len(y)), np.full(len(y), 0.3)):
            same = metric.function(y, file, sample_weight=weights)
            assert same == pytest.approx(judged, rel=1e-9)


def test_a_sample_may_repeat_each_row():
    """Each copy is in a copy of its group."""
    y, files = made(seed=4)
    for name in ("pearson by group", "mse by group with weight sqrt(n-1)", "rmse by group"):
        metric = find(name).on(None, CODES)
        again = metric.score(np.repeat(y, 5), np.repeat(files, 5, axis=1))
        np.testing.assert_allclose(again, metric.score(y, files), rtol=1e-10)
    with pytest.raises(InputError, match=f"wanted {len(y)} cells, or a multiple; got 10"):
        find("mse by group").on(None, CODES).score(np.zeros(10), np.zeros((1, 10)))


@pytest.mark.parametrize("name", ["mse by group with weight sqrt(n)", "mae by group"])
def test_boards_compare_and_draw_groups_of_a_loss(name):
    """A group's term is what it adds to the score, times the number of groups."""
    y, files = made(seed=5)
    metric = find(name).on(None, CODES)
    assert metric.has_losses
    rows, risks = metric.judge(y, files)
    weigh = PART_WEIGHTS[name[12:]] if "weight" in name else PART_WEIGHTS[""]
    weights = np.array([weigh(n) for n in SIZES])
    base = PLAIN[name[:3]]
    for row, file in zip(rows, files, strict=True):
        scores = [base(y[g == CODES], file[g == CODES]) for g in range(len(SIZES))]
        np.testing.assert_allclose(row, len(SIZES) * weights * scores / weights.sum())
    np.testing.assert_allclose(rows.mean(axis=1), risks)
    PairedTest(0.15, rounds_best=True).check(metric)
    batch, best = Scorer(metric, y).judge(files), BoardState(rows[0], risks[0])
    shown = Bootstrap(50).show(batch, best, np.zeros(200, int), metric, y, np.random.default_rng(1))
    spread = rows[0].std() / np.sqrt(len(SIZES) * 50)
    assert abs(shown.mean() - risks[0]) < 6 * spread / np.sqrt(200)
    assert 0.7 < shown.std() / spread < 1.4


def test_other_scores_by_group_are_functions():
    for name in ("rmse by group", "pearson by group", "mse by group + mae", "2*mse by group"):
        assert not find(name).has_losses
        assert find(name).formula is None


def test_a_score_by_group_needs_groups():
    y, files = made()
    for name in ("mse by group", "pearson by group with weight n"):
        metric = find(name)
        with pytest.raises(InputError, match="a score by group needs groups of rows, and there ar"):
            metric.on(None)
        with pytest.raises(InputError, match="needs groups of rows"):
            metric.score(y, files)
        assert np.isfinite(metric.on_simulated(len(y)).score(y, files)).all()
        assert metric.on(None, CODES).on(None, CODES[::-1]).groups is not CODES


@pytest.mark.parametrize(
    ("name", "degree", "words"),
    [
        ("mse by group", 2.0, "mean MSE over groups"),
        ("rmse by group with weight sqrt(n)", 1.0, "mean RMSE over groups with weight √n"),
        ("pearson by group with weight sqrt(n - 1)", 0.0, "groups with weight √(n − 1)"),
        ("mse by group + mse", 2.0, "mean MSE over groups + MSE"),
        ("mse by group + mae", 0.0, "mean MSE over groups + MAE"),
        (
            "z(mse by group with weight n, 1, 2)",
            0.0,
            "(mean MSE over groups with weight n − 1) / 2",
        ),
        ("mse by response + mse by group", 0.0, "mean MSE over responses + mean MSE over groups"),
    ],
)
def test_units_and_words(name, degree, words):
    metric = find(name)
    assert metric.degree == degree
    assert words in metric.label


@pytest.mark.parametrize("weight", ["n+1", "log(n)", "sqrt(n-2)"])
def test_another_weight_is_refused(weight):
    with pytest.raises(InputError, match=r"wanted one of \['n', 'sqrt\(n\)', 'sqrt\(n-1\)'\]"):
        find(f"mse by group with weight {weight}")


def test_which_scores_tell_what_the_rows_of_a_group_share():
    for name in ("pearson", "spearman", "kendall", "ccc"):
        assert not find(f"{name} by group").tells_group_means
        assert find(f"{name} by group + {name}").tells_group_means
        assert find(name).tells_group_means
    for name in ("mse", "rmse", "r2", "nrmse", "cosine"):
        assert find(f"{name} by group").tells_group_means


def test_a_set_of_groups_that_do_not_count_has_the_score_0():
    y, files = made(seed=6)
    alone = np.arange(len(y))
    for name in ("mse by group with weight sqrt(n-1)", "pearson by group"):
        found = find(name).on(None, alone).score(y, files)
        assert found.tolist() == [0.0] * len(files)
        assert find(name).on(None, alone).function(y, files[0], sample_weight=np.ones(len(y))) == 0
        assert not find(name).scores_alone
    assert find("mse by group").scores_alone
    assert find("pearson").scores_alone


@pytest.mark.parametrize("name", ["mse", "pearson", "rmse"])
def test_rows_of_a_group_may_have_other_weights_in_a_sample(name):
    """A group then counts by the mean of its weights, and its own score has them."""
    y, files = made(seed=7)
    weights = np.random.default_rng(8).random(len(y))
    metric = find(f"2*{name} by group").on(None, CODES)
    base = find(f"weighted {name}")
    own = [np.flatnonzero(g == CODES) for g in range(len(SIZES))]
    scores = [base.on(None, None, weights[at]).score(y[at], files[:1, at])[0] for at in own]
    expected = 2.0 * np.average(scores, weights=[weights[at].mean() for at in own])
    assert metric.function(y, files[0], sample_weight=weights) == pytest.approx(expected)


def test_which_parts_a_sample_draws_whole():
    parts = Parts([np.array([0, 2]), np.array([1])], np.ones(2))
    assert parts.drawn(np.array([2.0, 0.0, 2.0])).tolist() == [2.0, 0.0]
    assert parts.drawn(np.array([2.0, 0.0, 1.0])) is None


def test_a_loss_of_no_number_is_none():
    y, files = made(seed=9)
    files[1, 3] = np.nan
    for name in ("rmse by group", "mse by group", "mse by group + mae"):
        found = find(name).on(None, CODES).score(y, files)
        assert np.isnan(found).tolist() == [False, True, False, False]
