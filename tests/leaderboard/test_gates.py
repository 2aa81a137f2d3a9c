"""The compiled gates against literal transcriptions of the papers, decision by decision."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from shakedown.interface import InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.bootstrap.bits import draw_exponentials, side_by_side
from shakedown.leaderboard.bootstrap.sums import blank_weights, terms_of, terms_of_response
from shakedown.leaderboard.gates import (
    Always,
    Margin,
    PairedTest,
)
from shakedown.leaderboard.mechanism import mechanism
from shakedown.leaderboard.posterior_odds import PosteriorOdds, _favoured
from shakedown.leaderboard.scorer import ScoredSubmissions, Scorer
from shakedown.leaderboard.state import BoardState
from shakedown.leaderboard.stopping import bounds
from shakedown.metrics import MEAN_LOSS, find
from shakedown.seeding import stream
from tests.reference import mechanisms as literal
from tests.reference.bayes import prob_better_mean_loss

LOSSES = ("mse", "rmse", "mae", "zero_one")
CORRELATIONS = ("pearson", "spearman", "ccc")


def game(seed, metric, m=40, n=15):
    """Submissions that slowly get better, so that some are accepted; shape (m, n), (n,)."""
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    noise = rng.standard_normal((m, n)) * np.linspace(2.0, 0.5, m)[:, None]
    predictions = y + noise
    if metric == "zero_one":
        y, predictions = (y > 0).astype(float), (predictions > 0).astype(float)
    return predictions, y


def board(y, metric, name, **settings):
    return Board(Scorer(find(metric), y), mechanism(name, **settings), partial(stream, 1))


EXACT = [
    ("full_disclosure", {}, literal.FullDisclosure, {}),
    ("kaggle", {}, literal.KaggleReference, {}),
    ("general_ladder", {"eta": 0.05}, literal.GeneralLadder, {"eta": 0.05}),
    ("simplified_ladder", {"eta": 0.05}, literal.SimplifiedLadder, {"eta": 0.05}),
    ("parameter_free_ladder", {}, literal.ParameterFreeLadder, {}),
    ("ladder", {"alpha": 0.01}, literal.Ladder, {"alpha": 0.01}),
    ("ladder", {"alpha": 0.15}, literal.Ladder, {"alpha": 0.15}),
    ("ladder", {"alpha": 0.5}, literal.Ladder, {"alpha": 0.5}),
]


# A paired t-test needs a mean of losses, or its root.
GAMES = [
    (metric, *row)
    for metric in LOSSES + CORRELATIONS
    for row in EXACT
    if metric in LOSSES or row[0] not in ("ladder", "parameter_free_ladder")
]


def assert_same(metric, name, settings, twin, twin_settings, seed):
    """A mechanism decides and shows what a class of the kind in `tests.reference` does."""
    predictions, y = game(seed, metric)
    ours = board(y, metric, name, **settings)
    theirs = twin(y, metric, **twin_settings)
    released, accepted = ours.submit(predictions)
    for prediction in predictions:
        theirs.submit(prediction)
    assert accepted.tolist() == theirs.accepted
    np.testing.assert_allclose(released, theirs.released, rtol=0, atol=1e-12)
    assert ours.counts.accepted == sum(theirs.accepted)


@pytest.mark.parametrize(("metric", "name", "settings", "twin", "twin_settings"), GAMES)
@pytest.mark.parametrize("seed", range(2))
def test_same_decisions_and_same_scores(metric, name, settings, twin, twin_settings, seed):
    assert_same(metric, name, settings, twin, twin_settings, seed)


@pytest.mark.parametrize("alpha", [0.01, 0.15, 0.5, 0.9])  # above 1/2 worse ones may pass
@pytest.mark.parametrize("metric", LOSSES)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("name", "settings", "twin"),
    [
        ("ladderboot", {"b": 3}, literal.LadderBoot),
        ("adaptive_ladderboot", {"b": 8, "halving": 5}, literal.AdaptiveLadderBoot),
    ],
)
def test_ladderboot_decides_as_printed(metric, alpha, seed, name, settings, twin):
    predictions, y = game(seed, metric)
    ours = board(y, metric, name, alpha=alpha, **settings)
    theirs = twin(y, metric, alpha, **settings, rng=np.random.default_rng(seed))
    accepted = ours.submit(predictions).accepted
    for prediction in predictions:
        theirs.submit(prediction)
    assert accepted.tolist() == theirs.accepted


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("ladderboot", {"alpha": 0.15, "b": 1}),
        ("bayesboot_ladder", {"posterior_odds": 1.0, "draws": 40}),
    ],
)
def test_where_nothing_is_rounded_a_root_changes_no_decision(name, settings):
    for seed in range(5):
        predictions, y = game(seed, "mse")
        boards = [board(y, metric, name, **settings) for metric in ("mse", "rmse")]
        np.testing.assert_array_equal(*(board.submit(predictions).accepted for board in boards))
        assert 1 < boards[0].counts.accepted < len(predictions)


def test_a_best_that_was_rounded_up_is_squared_under_a_root():
    y = np.zeros(4)
    roots = np.sqrt([1.3225, 1.57, 1.5])  # the first is shown as 1.25 = sqrt(1.5625)
    for ours in (board(y, "rmse", "ladder", alpha=0.15), board(y, "rmse", "parameter_free_ladder")):
        released, accepted = ours.submit(np.full((3, 4), roots[:, None]))
        assert accepted.tolist() == [True, False, True]
        assert released.tolist() == [1.25, 1.25, 1.25]


@pytest.mark.parametrize("alpha", [0.01, 0.15, 0.5])
def test_the_unrounded_test_is_scipys_paired_t_test(alpha):
    rng = np.random.default_rng(3)
    y = rng.standard_normal(30)
    for _ in range(200):
        pair = y + rng.standard_normal((2, 30)) * [[1.0], [0.8]]
        ours = board(y, "mse", "ladderboot", alpha=alpha, b=1)
        accepted = ours.submit(pair).accepted
        losses = (pair - y) ** 2
        p = stats.ttest_rel(losses[1], losses[0], alternative="less").pvalue
        assert accepted[1] == (p < alpha)


def test_the_critical_value_is_the_upper_quantile():
    gate = PairedTest(0.01, rounds_best=False)
    assert gate.critical(210) == pytest.approx(stats.t.ppf(0.99, 209), rel=1e-12)
    assert PairedTest(0.5, rounds_best=False).critical(210) == pytest.approx(0.0, abs=1e-12)
    assert PairedTest(None, rounds_best=True).critical(210) == 1.0
    # A tiny level keeps its digits.
    tiny = PairedTest(1e-17, rounds_best=False).critical(60)
    assert tiny == pytest.approx(stats.t.isf(1e-17, 59), rel=1e-9)


def test_one_changed_row_is_a_tie_and_never_accepted():
    # t = -1 exactly in real arithmetic, whatever the row and the size of the change.
    rng = np.random.default_rng(8)
    n = 16  # 1/n is exact, so is the rounded score of the first submission
    for _ in range(300):
        losses = np.round(rng.uniform(0, 4, n), 1)
        losses += (np.round(losses.sum()) - losses.sum()) / n  # mean a multiple of 1/n
        better = losses.copy()
        better[rng.integers(n)] -= rng.uniform(0.01, 0.05)
        gate = PairedTest(None, rounds_best=False)
        standing = gate.decide(
            ScoredSubmissions(better[None], better.mean(keepdims=True)),
            BoardState(losses, losses.mean()), find("mse"), np.zeros(n), chain=True, rng=None,
        )  # fmt: skip
        assert standing.tolist() == [-1]


def test_equal_scores_are_no_improvement():
    predictions, y = game(0, "mse", m=1)
    twice = np.vstack([predictions, predictions])
    ours = board(y, "mse", "ladderboot", alpha=0.5, b=2)
    assert ours.submit(twice).accepted.tolist() == [True, False]


def test_a_best_that_was_rounded_up_lets_the_same_file_in_again():
    y = np.zeros(4)
    prediction = np.full((1, 4), np.sqrt(0.2))  # MSE .2, shown as .25
    ours = board(y, "mse", "ladder", alpha=0.15)
    assert ours.submit(np.vstack([prediction, prediction])).accepted.tolist() == [True, True]
    assert (ours.counts.accepted, ours.counts.changed) == (2, 1)


def dirichlet_weights(seed, draws, n):
    """What a gate draws with this seed, up to a factor for each row; shape (draws, n)."""
    states = side_by_side(np.random.default_rng(seed))
    weights = np.empty((draws, len(blank_weights(n))))
    for row in weights:
        draw_exponentials(states, row)
    return weights[:, :n]


@pytest.mark.parametrize("metric", LOSSES + CORRELATIONS)
@pytest.mark.parametrize("odds", [99.0, 5.67, 1.0])
@pytest.mark.parametrize(("seed", "draws"), [(0, 60), (1, 400)])
def test_stopping_early_changes_no_decision(metric, odds, seed, draws):
    """Fed the same weights, the engine decides as all B replications do.

    Chance of a false alarm below 1e-10.
    """
    predictions, y = game(seed, metric, m=25)
    n = len(y)

    weights = (dirichlet_weights([seed, t], draws, n) for t in range(1, len(predictions)))
    theirs = literal.BayesBootLadder(y, metric, odds, draws, weights=weights)
    gate, scorer = PosteriorOdds(odds, draws), Scorer(find(metric), y)
    best, accepted = BoardState(np.zeros(n), np.inf), []
    for t, prediction in enumerate(predictions):
        theirs.submit(prediction)
        batch = scorer.judge(prediction[None])
        rng = np.random.default_rng([seed, t])
        standing = gate.decide(batch, best, scorer.metric, scorer.y, chain=True, rng=rng)
        accepted.append(standing[0] == 0)
        if accepted[-1]:
            best = BoardState(batch.rows[0], batch.risks[0])
    assert accepted == theirs.accepted


def test_a_test_stops_once_the_rest_cannot_change_it():
    """One that always wins takes `needed` draws; one that never does, one more than may be lost."""
    y, draws, needed = np.zeros(7), 20, 16
    response, best = terms_of_response(y), terms_of(np.ones(7), y, MEAN_LOSS)
    for risk, made in ((0.5, needed), (2.0, draws - needed + 1)):
        states, other = (side_by_side(np.random.default_rng(1)) for _ in range(2))
        candidates = terms_of(np.full(7, risk), y, MEAN_LOSS)[None]
        decided = bounds(draws, needed)
        won = _favoured(response, candidates, best, MEAN_LOSS, decided, states)
        assert won[0] == (made == needed)
        for _ in range(made):
            draw_exponentials(other, blank_weights(7))
        np.testing.assert_array_equal(states, other)


@pytest.mark.parametrize("metric", [*LOSSES, *CORRELATIONS, "sklearn.metrics.mean_squared_error"])
@pytest.mark.parametrize("odds", [5.67, 1.0])
def test_without_a_chain_all_meet_the_same_weights(metric, odds):
    """Each is decided as if it were the next one, with all B replications."""
    draws, seed = 60, 9
    predictions, y = game(7, metric)
    gate, scorer = PosteriorOdds(odds, draws), Scorer(find(metric), y)
    batch = scorer.judge(predictions)
    rng = np.random.default_rng(seed)
    together = gate.decide(
        batch,
        BoardState(batch.rows[5], batch.risks[5]),
        scorer.metric,
        scorer.y,
        chain=False,
        rng=rng,
    )
    weights = dirichlet_weights(seed, draws, len(y))
    alone = []
    for prediction in predictions:
        name = "mse" if "mean_squared" in metric else metric
        next_one = literal.BayesBootLadder(y, name, odds, draws, weights=[weights])
        next_one.submit(predictions[5])
        next_one.submit(prediction)
        alone.append(next_one.accepted[1])
    assert (together >= 0).tolist() == alone
    assert 0 < sum(alone) < len(alone)


@pytest.mark.parametrize("metric", ["mse", "ccc", "sklearn.metrics.mean_squared_error"])
def test_in_a_chain_every_submission_meets_fresh_weights(metric):
    """A file that is favoured every other time is accepted sooner or later.

    Chance of a false alarm below 10 x .62^60 = 4e-12; with the same weights for all .3^10 passes.
    """
    rng = np.random.default_rng(6)
    scorer = Scorer(find(metric), rng.standard_normal(40))
    first = 0.5 * scorer.y + rng.standard_normal((1, 40))
    second = first + 0.5 * rng.standard_normal((200, 40))
    risks = scorer.judge(second).risks
    second = second[np.argmin(abs(risks - scorer.judge(first).risks))]
    batch = scorer.judge(np.vstack([first] + [second] * 60))
    accepted = []
    for seed in range(10):
        standing = PosteriorOdds(1.0, 1).decide(
            batch, BoardState(np.zeros(40), np.inf), scorer.metric, scorer.y, chain=True,
            rng=np.random.default_rng(seed),
        )  # fmt: skip
        accepted.append(standing[-1] > 0)
    assert all(accepted)


@pytest.mark.parametrize("odds", [99.0, 5.67, 1.0])
def test_posterior_odds_agree_with_the_exact_probability(odds):
    """P(H1) has a closed form for a mean loss; decisions away from the threshold are certain."""
    rng = np.random.default_rng(5)
    n, draws = 40, 1000
    y = np.zeros(n)
    gate, threshold = PosteriorOdds(odds, draws), odds / (1 + odds)
    certain = 0
    for _ in range(60):
        best, new = rng.uniform(0, 1, n), rng.uniform(0, 1, n) - rng.uniform(0, 0.3)
        p = prob_better_mean_loss(new - best)
        # Beyond 5 standard errors: a wrong decision has probability below 6e-7 each.
        if abs(p - threshold) < 5 * np.sqrt(threshold * (1 - threshold) / draws) + 1 / draws:
            continue
        certain += 1
        batch = ScoredSubmissions(new[None], new.mean(keepdims=True))
        best_so_far = BoardState(best, best.mean())
        standing = gate.decide(batch, best_so_far, find("mse"), y, chain=True, rng=rng)
        assert (standing[0] == 0) == (p > threshold)
    assert certain > 20


@pytest.mark.parametrize(
    ("odds", "draws", "needed"), [(99, 1000, 990), (1, 1000, 500), (5.67, 1000, 851), (1, 1, 1)]
)
def test_replications_needed(odds, draws, needed):
    k = np.arange(draws + 1)
    assert PosteriorOdds(odds, draws).needed() == needed
    assert k[k >= odds * (draws - k) - 1e-9 * draws][0] == needed


@pytest.mark.parametrize("odds", [1.0, 5.67, 99.0, 1e30])
def test_posterior_odds_publish_the_paired_test_that_they_are_about(odds):
    terms = mechanism("bayesboot_ladder", posterior_odds=odds).terms(find("mse"), 50)
    level = min(odds / (1 + odds), 1 - 2.0**-53)  # of the largest odds, the largest below 1
    assert terms.acceptance == (0.0, pytest.approx(stats.norm.ppf(level)), 0.0)


def test_at_least_one_replication_must_be_in_favour():
    assert PosteriorOdds(1e-12, 1000).needed() == 1


@pytest.mark.parametrize("metric", ["pearson", "ccc"])
def test_an_offset_of_the_predictions_costs_no_digits(metric):
    """The same prediction, shifted where the metric does not feel it, is a tie."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        # In steps of 2^-20, so that the offset itself is added without rounding.
        y, noise = np.round(rng.standard_normal((2, 40)) * 2**20) / 2**20
        y = y + (2.0**20 if metric == "ccc" else 0)
        p = y + noise
        copy = 2 * p + 2.0**20 if metric == "pearson" else p.copy()
        ours = board(y, metric, "bayesboot_ladder", posterior_odds=0.01)
        assert ours.submit(np.vstack([p, copy])).accepted.tolist() == [True, False]


def test_an_affine_copy_of_the_best_is_no_improvement_under_pearson():
    predictions, y = game(1, "pearson", m=1, n=25)
    copies = np.vstack([predictions] + [c * predictions + d for c, d in ((2, 1), (0.1, -3))])
    ours = board(y, "pearson", "bayesboot_ladder", posterior_odds=0.01)
    assert ours.submit(copies).accepted.tolist() == [True, False, False]


def test_any_scikit_learn_metric_meets_the_same_gate():
    """Mean squared error by import path decides as the built-in one: same weights, same result."""
    predictions, y = game(2, "mse", m=12)
    answers = []
    for name in ("mse", "sklearn.metrics.mean_squared_error"):
        metric = find(name)
        scorer = Scorer(metric, y)
        batch = scorer.judge(predictions)
        gate = PosteriorOdds(1.0, 100)
        best = BoardState(np.zeros(len(y)), np.inf)
        rng = np.random.default_rng(4)
        answers.append(gate.decide(batch, best, metric, scorer.y, chain=True, rng=rng).tolist())
    assert answers[0] == answers[1]


def test_without_a_chain_each_is_held_against_the_same_best():
    predictions, y = game(4, "mse", m=30)
    for gate in (Margin(0.0, 0.0), PairedTest(0.5, rounds_best=False), PosteriorOdds(1.0, 200)):
        scorer = Scorer(find("mse"), y)
        batch = scorer.judge(predictions)
        best = BoardState(batch.rows[10], batch.risks[10])
        rng = np.random.default_rng(1)
        together = gate.decide(batch, best, find("mse"), y, chain=False, rng=rng)
        assert set((together - np.arange(30))[together >= 0]) == {0}
        better = batch.risks < batch.risks[10] - 0.3  # clear cases
        assert (together[better] >= 0).all()
        assert together[10] == -1


def test_always_replaces():
    batch = ScoredSubmissions(np.zeros((3, 2)), np.array([3.0, 1.0, 2.0]))
    standing = Always().decide(
        batch, BoardState(np.zeros(2), np.inf), find("mse"), np.zeros(2), chain=True, rng=None
    )
    assert standing.tolist() == [0, 1, 2]


def test_a_t_test_of_a_correlation_is_refused():
    with pytest.raises(InputError, match="'pearson' is not a mean of losses.*bayesboot_ladder"):
        PairedTest(0.1, rounds_best=True).check(find("pearson"))
