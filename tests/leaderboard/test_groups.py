"""Boards of rows that belong together compare, and draw, groups."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from scipy.stats import chi2, rankdata

from shakedown.interface import Cells
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.bootstrap.bits import (
    draw_exponentials,
    draw_indices,
    refused_below,
    room_for_indices,
    side_by_side,
)
from shakedown.leaderboard.bootstrap.sums import blank_weights
from shakedown.leaderboard.gates import PairedTest
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.posterior_odds import PosteriorOdds
from shakedown.leaderboard.releases import Bootstrap
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.state import BoardState
from shakedown.leaderboard.stopping import bounds
from shakedown.metrics import find
from shakedown.metrics.kernels import grouped
from shakedown.seeding import stream

#: A correct board fails one of the tests of variances with this probability.
FALSE_ALARM = 1e-6
GROUPS, SIZE = 20, 4
CODES = np.repeat(np.arange(GROUPS), SIZE)


@dataclass
class GroupMeans:
    """A truth of the groups' zeros, and files whose squared errors are the groups' mean losses."""

    y: np.ndarray
    files: np.ndarray


def game(seed=0, m=60, alike=0.95):
    """Files that slowly get better, with errors that are alike within groups."""
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(len(CODES))
    own, shared = rng.standard_normal((m, len(CODES))), rng.standard_normal((m, GROUPS))
    errors = np.sqrt(alike) * shared[:, CODES] + np.sqrt(1 - alike) * own
    return y, y + np.linspace(1.6, 0.6, m)[:, None] * errors


def of_groups(y, files, loss="mse"):
    errors = (files - y) ** 2 if loss == "mse" else np.abs(files - y)
    means = errors.reshape(len(files), GROUPS, SIZE).mean(axis=2)
    return GroupMeans(np.zeros(GROUPS), np.sqrt(means) if loss == "mse" else means)


def board(metric, y, setting):
    return Board(Scorer(metric, y), of_setting(setting), partial(stream, 1))


LADDERBOOT = "ladderboot(alpha=0.15,b=10)"
BAYES = "bayesboot_ladder(posterior_odds=1,draws=50)"
BOTH = "bayesboot_ladderboot(posterior_odds=1,b=10,draws=50)"


@pytest.mark.parametrize("metric", ["mse", "mae"])
@pytest.mark.parametrize("setting", [LADDERBOOT, BAYES, BOTH])
def test_boards_decide_as_on_one_row_for_each_group(setting, metric):
    """With equal groups, whose mean losses are then the losses of rows: the same random numbers."""
    y, files = game()
    means = of_groups(y, files, metric)
    many = board(find(metric).on(None, CODES), y, setting)
    few = board(find(metric), means.y, setting)
    receipts = many.submit(files), few.submit(means.files)
    assert 2 < receipts[0].accepted.sum() < 50
    np.testing.assert_array_equal(receipts[0].accepted, receipts[1].accepted)
    # Of rows, the best is rounded to a multiple of 1 / rows.
    step = 0.0 if "boot_ladderboot" in setting or setting == LADDERBOOT else 1.0 / GROUPS
    assert np.abs(receipts[0].released - receipts[1].released).max() <= 0.51 * step * 1.25 + 1e-9


@pytest.mark.parametrize("alpha", [None, 0.15, 0.01])
@pytest.mark.parametrize("metric", ["mse", "rmse"])
def test_the_paired_test_is_that_of_group_means(metric, alpha):
    y, files = game(seed=2)
    gate, scorer = PairedTest(alpha, rounds_best=False), Scorer(find(metric).on(None, CODES), y)
    batch = scorer.judge(files)
    assert batch.rows.shape == (len(files), GROUPS)
    best = BoardState(scorer.no_row, np.inf)
    standing = gate.decide(batch, best, scorer.metric, scorer.y, chain=True, rng=None)
    losses, last, expected = ((files - y) ** 2).reshape(-1, GROUPS, SIZE).mean(axis=2), -1, []
    for t, own in enumerate(losses):
        if last >= 0:
            d = own - losses[last]
            critical = gate.critical(GROUPS)
            passes = own.mean() < losses[last].mean() - critical * d.std(ddof=1) / GROUPS**0.5
        if last < 0 or passes:
            last = t
        expected.append(last)
    assert standing.tolist() == expected
    assert len(set(expected)) >= 2


def test_fewer_files_pass_where_rows_are_alike():
    """A test of rows takes 80 alike rows for 80, and is fooled more often."""
    accepted = {}
    for name, codes in (("rows", None), ("groups", CODES)):
        total = 0
        for seed in range(40):
            rng = np.random.default_rng(seed)
            y = np.zeros(len(CODES))
            files = 1.0 + 0.5 * rng.standard_normal((2, GROUPS))[:, CODES]  # equally good
            receipt = board(find("mse").on(None, codes), y, "ladderboot(alpha=0.05,b=1)").submit(
                files
            )
            total += receipt.accepted[1]
        accepted[name] = total
    assert accepted["groups"] <= 8  # 2 are expected; more than 8 in 1 of 3,000 runs
    assert accepted["rows"] > accepted["groups"]


def test_unequal_groups_count_by_their_rows():
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(5), [1, 2, 3, 5, 9])
    losses = rng.random((4, 20))
    found = grouped(losses, codes, 5)
    expected = [[row[codes == g].sum() * 5 / 20 for g in range(5)] for row in losses]
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(found.mean(axis=1), losses.mean(axis=1))


@pytest.mark.parametrize("metric", ["mse", "rmse", "mae"])
@pytest.mark.parametrize("dirichlet", [False, True])
def test_a_bootstrap_varies_as_that_of_group_means(metric, dirichlet):
    """The variance of the bootstrap mean of b samples: that of groups, by a chi-square test."""
    y, files = game(seed=4, m=1)
    on_groups = find(metric).on(None, CODES)
    rows, risks = on_groups.judge(y, files)
    b, repeats = 4, 4000

    def shown(metric, rows, risks, y):
        scored = Scorer(metric, y)
        batch = type(scored.judge(np.ones((1, len(y)))))(rows, risks)
        best, rng = BoardState(np.zeros(rows.shape[1]), np.inf), np.random.default_rng(1)
        release = Bootstrap(b, dirichlet=dirichlet)
        return release.show(batch, best, np.zeros(repeats, np.int64), metric, y, rng)

    found = shown(on_groups, rows, risks, y)
    if metric == "rmse":
        losses = ((files[0] - y) ** 2).reshape(GROUPS, SIZE).mean(axis=1)
        rng = np.random.default_rng(2)
        draws = rng.integers(0, GROUPS, (repeats, b, GROUPS))
        weights = rng.dirichlet(np.ones(GROUPS), (repeats, b)) if dirichlet else None
        means = weights @ losses if dirichlet else losses[draws].mean(axis=2)
        expected = np.sqrt(means).mean(axis=1)
        ratio = found.var(ddof=1) / expected.var(ddof=1)
        assert 0.8 < ratio < 1.25  # a false alarm in 10^9 of two variances of 4,000 values each
        return
    errors = (files[0] - y) ** 2 if metric == "mse" else np.abs(files[0] - y)
    losses = errors.reshape(GROUPS, SIZE).mean(axis=1)
    variance = losses.var() / ((GROUPS + 1) if dirichlet else GROUPS) / b
    assert losses.var() / GROUPS > 2.0 * errors.var() / len(errors)  # rows would vary far less
    statistic = repeats * found.var() / variance
    # Means of samples are nearly normal; twice the spread of chi-square allows for what is not.
    low, high = (chi2.isf(p, repeats) for p in (1 - FALSE_ALARM / 2, FALSE_ALARM / 2))
    assert repeats - 2 * (repeats - low) < statistic < repeats + 2 * (high - repeats)


def test_a_function_draws_groups_whole():
    """Each weight is that of a group: the score of a sample is that of its groups."""
    seen = []

    class Noted:
        def __call__(self, y, row, sample_weight=None):
            if sample_weight is not None:
                seen.append(sample_weight.copy())
            return float(np.average((y - row) ** 2, weights=sample_weight))

    from shakedown.metrics import of_function

    y, files = game(seed=5, m=6)
    metric = of_function("my.squared_loss", Noted())
    for codes in (CODES, None):
        seen.clear()
        on = metric.on(None, codes)
        for setting in (BAYES, BOTH):
            board(on, y, setting).submit(files)
        assert len(seen) > 20
        for weights in seen:
            whole = weights.reshape(GROUPS, SIZE)
            assert (np.ptp(whole, axis=1) == 0.0).all() == (codes is not None)
    scored = Scorer(metric.on(None, CODES), y)
    batch, best = scored.judge(files), BoardState(scored.no_row, np.inf)
    seen.clear()
    Bootstrap(300).show(batch, best, np.array([0]), scored.metric, y, np.random.default_rng(1))
    counts = np.array(seen)[:, ::SIZE]
    assert (counts.sum(axis=1) == GROUPS).all()  # as many groups as there are


@pytest.mark.parametrize(
    ("setting", "metric"),
    [(LADDERBOOT, "mse"), (BAYES, "mae"), (BAYES, "sklearn.metrics.mean_pinball_loss")],
)
def test_groups_of_one_row_change_nothing(setting, metric):
    y, files = game(m=25)
    alone = find(metric).on(None, np.arange(len(y)))
    receipts = [board(m, y, setting).submit(files) for m in (find(metric), alone)]
    np.testing.assert_array_equal(receipts[0].accepted, receipts[1].accepted)
    np.testing.assert_allclose(receipts[0].released, receipts[1].released, rtol=1e-12)


def test_without_groups_a_metric_is_itself():
    for name in ("mse", "pearson", "sklearn.metrics.mean_pinball_loss"):
        metric = find(name)
        assert metric.on(None) is metric
        assert metric.on(None, None) is metric
    bound = find("mse").on(None, CODES)
    assert bound.on(None).groups is None
    assert find("mse").groups is None
    with pytest.raises(ValueError, match="groups are those of another set"):
        bound.judge(np.zeros(7), np.zeros((1, 7)))


def test_a_composite_score_draws_rows_of_cells():
    names = ("a", "b", "c", "d")
    cells = Cells(names, np.tile(np.arange(SIZE), GROUPS), CODES)
    y, files = game(seed=6, m=30)
    metric = find("pearson by response").on(cells, CODES)
    receipt = board(metric, y, BAYES).submit(files)
    assert 1 < receipt.accepted.sum() < 30
    gate = PosteriorOdds(odds=1.0, draws=50)
    gate.check(metric)


def test_zeros_that_a_board_begins_with_have_a_row_for_each_group():
    y, files = game(m=10)
    y = (y - y.mean()) / y.std(ddof=1)
    for setting in (f"{LADDERBOOT}+baseline", f"{BAYES}+baseline"):
        opened = board(find("mse").on(None, CODES), y, setting)
        assert len(opened.state.row) == GROUPS
        worse = y + 3.0
        assert not opened.submit(worse[None]).accepted.any()
        assert opened.submit(0.5 * y[None]).accepted.all()
        assert np.isfinite(opened.submit(files).released).all()


UNEQUAL = np.random.default_rng(9).permutation(np.repeat(np.arange(12), [1, 2, 3, 9, 4, 6] * 2))
CORRELATIONS = ("pearson", "spearman", "ccc")


def correlated(seed=0, m=25, shift=0.0):
    """Files that slowly get better, with responses and errors that groups share in part."""
    rng = np.random.default_rng(seed)
    n, groups = len(UNEQUAL), int(UNEQUAL.max()) + 1
    y = rng.standard_normal(groups)[UNEQUAL] + 0.5 * rng.standard_normal(n)
    errors = rng.standard_normal((m, groups))[:, UNEQUAL] + 0.5 * rng.standard_normal((m, n))
    return y + shift, y + shift + np.linspace(2.0, 0.5, m)[:, None] * errors


def risk_of_rows(name, y, row, weights):
    """Minus the weighted correlation of rows, written out."""
    if name == "spearman":
        y, row = rankdata(y), rankdata(row)
    mean_y, mean_p = np.average(y, weights=weights), np.average(row, weights=weights)
    a, b = y - mean_y, row - mean_p
    aa, bb, ab = (np.average(values, weights=weights) for values in (a * a, b * b, a * b))
    if name == "ccc":
        return -2.0 * ab / (aa + bb + (mean_y - mean_p) ** 2)
    return -ab / np.sqrt(aa * bb)


@pytest.mark.parametrize("shift", [0.0, 1e4])
@pytest.mark.parametrize("name", CORRELATIONS)
def test_odds_of_a_correlation_weigh_groups(name, shift):
    """Against a loop over the same weights, with one for all rows of a group."""
    y, files = correlated(seed=1, shift=shift)
    scorer = Scorer(find(name).on(None, UNEQUAL), y)
    batch, draws = scorer.judge(files), 40
    gate = PosteriorOdds(odds=2.0, draws=draws)
    best, rng = BoardState(scorer.no_row, np.inf), np.random.default_rng(3)
    found = gate.decide(batch, best, scorer.metric, scorer.y, chain=True, rng=rng)
    states, expected, last = side_by_side(np.random.default_rng(3)), [0], 0
    decided = bounds(draws, gate.needed())
    weights = blank_weights(int(UNEQUAL.max()) + 1)
    for t in range(1, len(files)):
        wins = made = 0
        while True:
            draw_exponentials(states, weights)
            made, of_rows = made + 1, weights[UNEQUAL]
            old, new = (risk_of_rows(name, y, files[k], of_rows) for k in (last, t))
            wins += new < old - 1e-12
            if wins >= decided[made, 1] or wins <= decided[made, 0]:
                break
        last = t if wins >= decided[made, 1] else last
        expected.append(last)
    assert found.tolist() == expected
    assert 2 < len(set(expected)) < len(files)


@pytest.mark.parametrize("shift", [0.0, 1e4])
@pytest.mark.parametrize("b", [1, 3, 25])
@pytest.mark.parametrize("name", CORRELATIONS)
def test_a_bootstrap_of_a_correlation_draws_groups(name, b, shift):
    """Against a loop over the same groups, each with all of its rows."""
    y, files = correlated(seed=2, m=4, shift=shift)
    scorer = Scorer(find(name).on(None, UNEQUAL), y)
    batch, best = scorer.judge(files), BoardState(scorer.no_row, np.inf)
    standing, groups = np.array([0, 2, 2, 3, 1]), int(UNEQUAL.max()) + 1
    rng = np.random.default_rng(4)
    found = Bootstrap(b).show(batch, best, standing, scorer.metric, scorer.y, rng)
    states = side_by_side(np.random.default_rng(4))
    indices = room_for_indices(groups * min(b, 10), groups)
    refused, at_once, expected = refused_below(groups, indices), len(indices) // groups, []
    for file in files[standing]:
        risks = []
        while len(risks) < b:
            draw_indices(states, groups, refused, indices)
            for r in range(min(at_once, b - len(risks))):
                counts = np.bincount(indices[r * groups : (r + 1) * groups], minlength=groups)
                risks.append(risk_of_rows(name, y, file, counts[UNEQUAL]))
        expected.append(np.mean(risks))
    np.testing.assert_allclose(found, expected, rtol=1e-7)
    rng = np.random.default_rng(5)
    found = Bootstrap(b, dirichlet=True).show(batch, best, standing, scorer.metric, scorer.y, rng)
    states, weights = side_by_side(np.random.default_rng(5)), blank_weights(groups)
    for shown, file in zip(found, files[standing], strict=True):
        risks = []
        for _ in range(b):
            draw_exponentials(states, weights)
            risks.append(risk_of_rows(name, y, file, weights[UNEQUAL]))
        assert shown == pytest.approx(np.mean(risks), rel=1e-7)


@pytest.mark.parametrize("setting", [BAYES, BOTH])
@pytest.mark.parametrize("name", CORRELATIONS)
def test_equal_rows_of_a_group_are_one_row(setting, name):
    """With equal groups, whose rows are equal: the same random numbers, and the same scores."""
    rng = np.random.default_rng(6)
    y = rng.standard_normal(GROUPS)
    files = y + np.linspace(2.0, 0.5, 40)[:, None] * rng.standard_normal((40, GROUPS))
    many = board(find(name).on(None, CODES), y[CODES], setting)
    few = board(find(name), y, setting)
    receipts = many.submit(files[:, CODES]), few.submit(files)
    assert 2 < receipts[1].accepted.sum() < 38
    np.testing.assert_array_equal(receipts[0].accepted, receipts[1].accepted)
    step = 0.0 if setting == BOTH else 1.0 / GROUPS  # of rows, a multiple of 1 / rows
    assert np.abs(receipts[0].released - receipts[1].released).max() <= 0.51 * step * 1.25 + 1e-9


@pytest.mark.parametrize("name", CORRELATIONS)
def test_a_correlation_varies_more_if_rows_are_alike(name):
    """A bootstrap of single rows takes alike rows for independent ones."""
    y, files = correlated(seed=7, m=1)
    best, spread = BoardState(np.zeros(len(y)), np.inf), {}
    for codes in (None, UNEQUAL):
        scorer = Scorer(find(name).on(None, codes), y)
        shown = Bootstrap(4).show(
            scorer.judge(files), best, np.zeros(2000, np.int64), scorer.metric, scorer.y,
            np.random.default_rng(8),
        )  # fmt: skip
        spread[codes is None] = shown.std()
    assert spread[False] > 1.4 * spread[True]


@pytest.mark.parametrize("setting", [BAYES, BOTH, f"{BOTH}+baseline"])
@pytest.mark.parametrize("name", CORRELATIONS)
def test_groups_of_one_row_change_no_correlation(setting, name):
    y, files = game(m=25)
    alone = find(name).on(None, np.arange(len(y)))
    receipts = [board(m, y, setting).submit(files) for m in (find(name), alone)]
    np.testing.assert_array_equal(receipts[0].accepted, receipts[1].accepted)
    np.testing.assert_allclose(receipts[0].released, receipts[1].released, rtol=1e-12)
