"""Means of correlations over responses or rows, which adversaries read as one correlation."""

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.attacks.units import units_read
from shakedown.data.splits import Splitter
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import Streams, stream
from shakedown.simulation.session import Session
from tests.attacks.test_groups import LeastSquares
from tests.data.test_several import several

#: 200 public rows of 10 responses, and 60 of them.
MANY, FEW = {"rows": 600, "q": 10, "alike": 0.5}, {"rows": 180, "q": 10, "alike": 0.5}


def gains(attack, submissions, plays, metric="pearson by response", board="full_disclosure",
          **given):  # fmt: skip
    """Public scores of the last file; that of the honest one, zeros, is 0."""
    found = []
    for k in range(plays):
        split = Splitter(several(seed=k, **given), "permuted", seed=1).split(k)
        scorer = Scorer(split.on(find(metric), "public"), split.y_public)
        session = Session(scorer, of_setting(board), Streams(k))
        played = ATTACKS.make(attack, submissions=submissions, points=[submissions])
        game = played.prepare(split.view, LeastSquares(), stream(k, "attack")).play(session.open)
        found.append(scorer.metric.score(split.y_public, game.models.public[-1:])[0])
    return np.array(found)


@pytest.mark.parametrize("base", ["pearson", "spearman"])
@pytest.mark.parametrize("given", [{}, {"missing": 60}])
def test_a_score_is_the_spread_times_the_correlation_with_the_mean_response(base, given):
    """Exactly with the public spread, of whole rows; that of 200 training rows is near it."""
    metric = find(base)
    split = Splitter(several(seed=2, **MANY | given), "permuted", seed=1).split(0)
    units, _ = units_read(split.view, find(f"{base} by response"))
    cells, y = split.view.cells[1], split.y_public
    mean = np.zeros(cells.rows.max() + 1)
    for k in range(10):
        own = cells.responses == k
        z = metric.prepare(y[own])
        mean[cells.rows[own]] += (z - z.mean()) / z.std() * len(mean) / (10 * own.sum())
    signs = np.where(np.random.default_rng(1).random((20, len(mean))) < 0.5, -1.0, 1.0)
    scores = split.on(find(f"{base} by response"), "public").score(y, units.files(signs))
    expected = [np.corrcoef(one, mean)[0, 1] for one in signs]
    close = {"atol": 0.02} if given else {"rtol": 1e-9}
    np.testing.assert_allclose(scores / mean.std(), expected, **close)
    assert 1.0 / units.score(None) == pytest.approx(mean.std(), rel=0.1)


def test_responses_of_opposite_signs_are_sent_opposite_numbers():
    mine = several(**FEW)
    mine.y[mine.cells.responses >= 5] *= -1.0
    view = Splitter(mine, "permuted", seed=1).split(0).view
    units, _ = units_read(view, find("pearson by response"))
    table = units.files(np.ones((1, 60))).reshape(60, 10)
    assert (table[:, :5] == table[0, 0]).all()
    assert (table[:, 5:] == -table[0, 0]).all()
    assert 1.0 / units.score(None) == pytest.approx(0.74, abs=0.1)
    np.testing.assert_allclose(units.numbers(table.ravel()) / units.score(None), table[0, 0])


def test_four_exact_scores_are_worth_more_than_a_random_search():
    """.09 and .04 over 30 plays, whose standard errors are .006 each."""
    probe, search = (gains(name, 4, 30, **MANY) for name in ("linear_probe", "random_search"))
    assert probe.mean() > 0.07
    assert probe.mean() > 1.5 * search.mean()


@pytest.mark.parametrize("metric", ["pearson by response", "spearman by response"])
@pytest.mark.parametrize(
    ("attack", "board", "least"),
    [
        ("linear_probe", "full_disclosure", 0.3),
        ("posterior_mean", "full_disclosure", 0.3),
        ("correlation_saving", "general_ladder(eta=0.05)", 0.18),
        ("hypothesis_tracking", "general_ladder(eta=0.05)", 0.17),
    ],
)
def test_attacks_on_a_correlation_play(attack, board, least, metric):
    """20 files on 60 rows; the means are .39 to .42 for exact scores, and .22 to .27 else."""
    if not ATTACKS.find(attack).reads_metric(find(metric)):
        assert (attack, metric) == ("posterior_mean", "spearman by response")
        return
    assert gains(attack, 20, 6, metric=metric, board=board, **FEW).mean() > least


@pytest.mark.parametrize("base", ["pearson", "spearman", "cosine"])
@pytest.mark.parametrize("given", [{}, {"missing": 60}])
def test_a_score_by_row_is_linear_in_the_signs(base, given):
    """Rows of a file tell nothing but their signs, and the sizes are those of the direction."""
    metric = find(f"{base} by row")
    split = Splitter(several(seed=2, **MANY | given), "permuted", seed=1).split(0)
    units, own = units_read(split.view, metric)[0], split.on(metric, "public")
    rng = np.random.default_rng(1)
    n = len(units.numbers(split.y_public))
    numbers = rng.standard_normal((5, n))
    scores = own.score(split.y_public, units.files(numbers))
    np.testing.assert_allclose(
        scores, own.score(split.y_public, units.files(np.sign(numbers))), rtol=1e-9
    )
    each = own.score(split.y_public, units.files(np.eye(n)))
    np.testing.assert_allclose(scores, np.sign(numbers) @ each, atol=1e-9)
    assert 1.0 / units.score(None) == pytest.approx(np.sqrt(n) * np.sqrt(each @ each), rel=0.15)


def test_nine_exact_scores_by_row_are_worth_more_than_a_random_search():
    """.057 and .024 over 20 plays, whose standard errors are .003 and .002."""
    given = MANY | {"metric": "pearson by row"}
    probe, search = (gains(name, 9, 20, **given) for name in ("linear_probe", "random_search"))
    assert probe.mean() > 0.045
    assert probe.mean() > 1.5 * search.mean()


def test_only_what_sends_signs_reads_a_score_by_row():
    metric = find("pearson by row")
    readers = [
        name for name, kind in ATTACKS.classes.items()
        if kind.metrics and not kind.on_labels and kind.reads_metric(metric)
    ]  # fmt: skip
    assert readers == ["linear_probe"]


def test_one_response_is_read_as_its_correlation():
    """Also if it has no cells."""
    assert find("pearson by response").read_as == "pearson"
    assert find("spearman by response").read_as == "spearman"


@pytest.mark.parametrize(
    "name",
    [
        "mse by response", "ccc by response", "weighted pearson by response", "pearson by group",
        "pearson by response with weight n", "2*pearson by response", "pearson of y1",
        "z(pearson by response, 0.1, 0.2)", "pearson by response + pearson by row",
    ],
)  # fmt: skip
def test_other_scores_are_read_as_nothing_else(name):
    metric = find(name)
    assert metric.read_as == name
    assert not ATTACKS.find("linear_probe").reads_metric(metric)
    assert ATTACKS.find("random_search").reads_metric(metric)
    assert not ATTACKS.find("linear_probe").for_dry_run(
        Scope(features=4, most=20, carried=2, train_rows=60, metric=name, wanted=20)
    )


@pytest.mark.parametrize("attack", ["linear_probe", "greedy_climb", "staircase", "posterior_mean"])
@pytest.mark.parametrize("given", [{}, {"q": 1}])
def test_the_brier_score_is_read_as_the_mean_squared_error(attack, given):
    """Also of several responses, where the files are those of before."""
    brier, mse = (gains(attack, 20, 2, metric=name, **FEW | given) for name in ("brier", "mse"))
    np.testing.assert_array_equal(brier, mse)
