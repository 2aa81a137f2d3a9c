"""Composite scores, against loops with NumPy and SciPy."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import mean_pinball_loss

from shakedown.interface import Cells, InputError
from shakedown.metrics import METRICS, Metric, find
from shakedown.metrics.composite import Composite, is_composite
from tests.kinds import SINGLE, fitting

ROWS, NAMES = 12, ("mood", "att_1", "rate of change")


def cells_of(given):
    """The cells that are given, shape (rows, q), in the order of rows."""
    rows, responses = np.nonzero(given)
    return Cells(NAMES, responses, rows)


def made(seed=0, missing=0):
    """Truth, files of shape (5, n) and cells; some cells missing, and each row has two or more."""
    rng = np.random.default_rng(seed)
    given = np.ones((ROWS, len(NAMES)), bool)
    given[rng.choice(ROWS, missing, replace=False), rng.integers(0, 3, missing)] = False
    cells = cells_of(given)
    y = rng.standard_normal(len(cells.rows))
    return y, y + rng.standard_normal((5, len(y))), cells


def scores(name, y, files, cells):
    return find(name).on(cells).score(y, files)


PLAIN = {
    "pearson": lambda y, p: stats.pearsonr(y, p)[0],
    "spearman": lambda y, p: stats.spearmanr(y, p)[0],
    "kendall": lambda y, p: stats.kendalltau(y, p)[0],
    "mse": lambda y, p: np.mean((y - p) ** 2),
    "rmse": lambda y, p: np.sqrt(np.mean((y - p) ** 2)),
    "mae": lambda y, p: np.mean(np.abs(y - p)),
    "r2": lambda y, p: 1 - np.sum((y - p) ** 2) / np.sum((y - y.mean()) ** 2),
    "rae": lambda y, p: np.sum(np.abs(y - p)) / np.sum(np.abs(y - y.mean())),
    "ccc": lambda y, p: 2 * np.cov(y, p, ddof=0)[0, 1] / (
        y.var() + p.var() + (y.mean() - p.mean()) ** 2
    ),
    "cosine": lambda y, p: y @ p / np.linalg.norm(y) / np.linalg.norm(p),
    "sklearn.metrics.mean_pinball_loss": mean_pinball_loss,
}  # fmt: skip


def by(codes, formula, y, file):
    return np.mean([formula(y[codes == k], file[codes == k]) for k in np.unique(codes)])


@pytest.mark.parametrize("missing", [0, 5])
@pytest.mark.parametrize("name", PLAIN)
def test_means_over_responses_and_rows_are_those_of_loops(name, missing):
    y, files, cells = made(missing=missing)
    for words, codes in ((" by response", cells.responses), (" by row", cells.rows)):
        expected = [by(codes, PLAIN[name], y, file) for file in files]
        np.testing.assert_allclose(scores(name + words, y, files, cells), expected, rtol=1e-10)


@pytest.mark.parametrize("response", NAMES)
def test_one_response_counts_alone(response):
    y, files, cells = made(missing=4)
    own = cells.responses == NAMES.index(response)
    found = scores(f"spearman of {response}", y, files, cells)
    expected = [PLAIN["spearman"](y[own], file[own]) for file in files]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    files[:, ~own] = 1e6
    np.testing.assert_array_equal(scores(f"spearman of {response}", y, files, cells), found)


def test_responses_may_be_called_row_and_response():
    y, files, cells = made()
    for name in ("row", "response"):
        own = cells._replace(names=("a", name, "b"))
        found = scores(f"mse of {name}", y, files, own)
        np.testing.assert_allclose(found, scores("mse of att_1", y, files, cells))


def test_sums_are_weighted_and_scaled():
    y, files, cells = made(missing=3)
    name = "0.5*pearson by response + -2*mse + .25 * z(spearman of mood, 0.1, 2e-1)"
    own = cells.responses == 0
    expected = [
        0.5 * by(cells.responses, PLAIN["pearson"], y, file)
        - 2 * PLAIN["mse"](y, file)
        + 0.25 * (PLAIN["spearman"](y[own], file[own]) - 0.1) / 0.2
        for file in files
    ]
    np.testing.assert_allclose(scores(name, y, files, cells), expected, rtol=1e-10)
    assert find(name).larger_is_better


def test_one_less_the_cosine_is_a_loss():
    y, files, cells = made()
    metric = find("-1*z(cosine by row, 1, 1)")
    assert not metric.larger_is_better
    assert metric.sign == 1
    expected = [1 - by(cells.rows, PLAIN["cosine"], y, file) for file in files]
    np.testing.assert_allclose(metric.on(cells).score(y, files), expected, rtol=1e-10)


def test_a_composite_is_put_into_words():
    metric = find("0.5*pearson by response + -1*z(mse of mood, 1, 2) + -1*mae by row")
    pearson, mse, mae = (find(name).label for name in ("pearson", "mse", "mae"))
    assert metric.label == (
        f"0.5 × mean {pearson} over responses + -1 × ({mse} of mood − 1) / 2 + "
        f"-1 × mean {mae} over rows"
    )
    assert metric.degree == 0.0
    assert metric.scores_constants


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pearson by row + mse", r"larger score is better by its first .* by 'mse'.* as -1\*mse"),
        ("mse + -1*mae", r"worse by its first term, and better by '-1\*mae'"),
        ("0*mse + mae", "wanted weights other than 0 and spreads above 0; got 0 and 1 in 'mse'"),
        ("z(mse, 0, 0)", "got 1 and 0 in 'mse'"),
        ("z(mse, 0, -1)", "got 1 and -1 in 'mse'"),
        ("1e999*mse", "got inf and 1 in 'mse'"),
        ("msee by row", "metric 'msee' is not known. Did you mean 'mse'"),
        (" by row", "is not known"),
        ("mse*0.5", r"cannot read the term 'mse\*0.5'. Wanted a metric"),
        ("0.5*0.5*mse", r"cannot read the term '0.5\*mse'"),
        ("z(mse)", r"cannot read the term 'z\(mse\)'"),
        ("z(mse, 1)", "cannot read the term"),
        ("z(0.5*mse, 0, 1)", r"cannot read the term '0.5\*mse'"),
        ("mse by response by row", "cannot read the term 'mse by response by row'"),
        ("mse by row by response", "cannot read the term 'mse by row by response'"),
        ("mse + ", "is not known"),
    ],
)
def test_names_that_cannot_be_read_are_refused(name, message):
    with pytest.raises(InputError, match=message):
        find(name)


def test_a_score_needs_the_responses_that_it_names():
    _, _, cells = made()
    with pytest.raises(InputError, match="a score by row needs several responses, and there is on"):
        find("pearson by row").on(None)
    with pytest.raises(
        InputError, match=r"'mod' is none of .* 'mood', 'att_1'.* Did you mean 'mood'"
    ):
        find("pearson of mod").on(cells)
    y, files, _ = made()
    np.testing.assert_allclose(
        find("pearson by response").on(None).score(y, files), find("pearson").score(y, files)
    )


@pytest.mark.parametrize("name", ["mse", "pearson", "sklearn.metrics.mean_pinball_loss"])
def test_other_names_are_no_composites(name):
    assert not is_composite(name)
    assert not isinstance(find(name), Composite)


def test_no_name_of_a_metric_describes_a_composite():
    assert not any(map(is_composite, METRICS))
    with pytest.raises(InputError, match="Write r2"):
        find("coefficient of determination")


WEIGHTED = [name for name in PLAIN if name not in ("spearman", "kendall")]


@pytest.mark.parametrize("words", [" by response", " by row", " of mood", "", " + {}"])
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_are_repeated_rows(name, words):
    """Ranks are those of all rows, so rank correlations differ."""
    y, files, cells = made(seed=3, missing=4)
    rng, whole = np.random.default_rng(4), f"1*{name}{words}".format(f"2*{name} by response")
    counts = rng.integers(0, 3, ROWS)
    counts[:2] = 2, 3
    weights = counts[cells.rows].astype(float)
    metric, again = find(whole).on(cells), np.repeat(np.arange(ROWS), counts)
    places = [np.flatnonzero(cells.rows == row) for row in again]
    drawn = np.concatenate(places)
    new = np.repeat(np.arange(len(again)), [len(p) for p in places])
    repeated = find(whole).on(Cells(NAMES, cells.responses[drawn], new))
    for file in files:
        expected = repeated.function(y[drawn], file[drawn])
        found = metric.function(y, file, sample_weight=weights)
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("words", [" by response", " by row", " of att_1", ""])
@pytest.mark.parametrize("name", sorted(SINGLE))
def test_judge_is_the_function_and_equal_weights_change_nothing(name, words):
    y, files, cells = made(seed=5, missing=4)
    metric = find(f"1*{name}{words}").on(cells)
    y, files = fitting(find(name), y, files)
    judged = metric.sign * metric.judge(y, files)[1]
    for k, file in enumerate(files):
        for weights in (None, np.ones(len(y)), np.full(len(y), 0.3)):
            found = metric.function(y, file, sample_weight=weights)
            assert found == pytest.approx(judged[k], rel=1e-9)


@pytest.mark.parametrize("name", sorted(SINGLE))
def test_rows_of_a_single_cell_leave_a_score_to_the_others(name):
    """They have no correlation, and no error relative to their own spread."""
    given = np.ones((ROWS, 3), bool)
    given[:4, 1:] = False
    cells, rng = cells_of(given), np.random.default_rng(6)
    y = rng.standard_normal(len(cells.rows))
    files = np.where(rng.random((3, len(y))) < 0.5, y, rng.standard_normal((3, len(y))))
    metric = find(f"{name} by row")
    y, files = fitting(find(name), y, files)
    found = metric.on(cells).score(y, files)
    assert np.isfinite(found).all()
    many = cells.rows >= 4
    without = metric.on(Cells(NAMES, cells.responses[many], cells.rows[many] - 4)).score(
        y[many], files[:, many]
    )
    is_left_out = name not in ("mse", "rmse", "mae", "smape", "zero_one", "brier")
    assert np.allclose(found, without) == is_left_out
    weighted = metric.on(cells).function(y, files[0], sample_weight=np.ones(len(y)))
    assert weighted == pytest.approx(found[0])


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "cosine", "ccc"])
def test_a_prediction_that_is_constant_in_a_part_has_the_correlation_0(name):
    y, files, cells = made()
    own = cells.responses == 0
    flat = np.where(own, 0.0, files)
    found = scores(f"{name} by response", y, flat, cells)
    parts = [
        [PLAIN[name](y[cells.responses == k], file[cells.responses == k]) for k in (1, 2)]
        for file in files
    ]
    np.testing.assert_allclose(found, np.sum(parts, axis=1) / 3, rtol=1e-10)
    zeros = np.zeros((1, len(y)))
    assert scores(f"{name} by row", y, zeros, cells).tolist() == [0.0]


def test_a_sample_may_repeat_each_cell():
    """As a large one of which scores are hardly random: each copy is a row of its own."""
    y, files, cells = made(missing=3)
    for name in ("pearson by response", "mse by row", "mae of mood"):
        metric = find(name).on(cells)
        again = metric.score(np.repeat(y, 7), np.repeat(files, 7, axis=1))
        np.testing.assert_allclose(again, metric.score(y, files), rtol=1e-10)
    with pytest.raises(InputError, match=f"wanted {len(y)} cells, or a multiple; got 100"):
        find("mse by row").on(cells).score(np.zeros(100), np.zeros((1, 100)))


def test_copies_of_a_cell_belong_to_copies_of_its_row():
    """Not all copies of a row to one: the correlation of a row would be another."""
    y, files, cells = made()
    rng = np.random.default_rng(8)
    truth = np.repeat(y, 5)
    noisy = truth + rng.standard_normal((1, len(truth)))
    copies = noisy.reshape(1, -1, 5)
    parts = [find("pearson by row").on(cells).score(y, copies[:, :, k]) for k in range(5)]
    found = find("pearson by row").on(cells).score(truth, noisy)
    np.testing.assert_allclose(found, np.mean(parts, axis=0), rtol=1e-10)


def test_a_metric_on_a_set_has_the_cells_of_no_other():
    y, files, cells = made()
    metric = find("pearson by response")
    bound = metric.on(cells, np.asarray(cells.rows))
    assert metric.cells is None
    assert bound.on(None).cells is None
    other = cells._replace(names=("x", "y", "z"))
    assert bound.on(other).cells is other
    assert isinstance(bound, Metric)
    assert bound.on(cells).groups is None
