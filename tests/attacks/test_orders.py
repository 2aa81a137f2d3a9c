"""Scores of an order of rows, read as correlations: exact scales, and what attacks gain by them."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.attacks.orders import Signs, order_of, orders_of, spread_over
from shakedown.data.censored import risk_score
from shakedown.data.scaling import standardised
from shakedown.interface import ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import METRICS, find
from shakedown.metrics.classes import TIMES
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.terms import Acceptance, Schedule, Terms
from tests.attacks.test_class_search import of_classes

CLASSES = ("balanced_accuracy", "macro_f1", "f1", "mcc", "kappa")
DIGEST = "digest(eta={},floor={},every=50,updates=10)"
LADDER = "general_ladder(eta={})+baseline"


def censored(rng, n):
    """Signed times, a third of which are censored."""
    event, end = rng.exponential(size=n), 1.5 * rng.exponential(size=n)
    return np.where(event < end, event, -end)


def challenge(metric, seed, n=209, shares=(0.5, 0.5), groups=None):
    """A public response, and what a participant sees."""
    times = None
    if find(metric).response == TIMES:
        rng = np.random.default_rng(seed)
        y, times = censored(rng, n), censored(rng, 300)
        train = standardised(risk_score(times)[None])[0]
    else:
        y, train = of_classes(seed, n, shares), of_classes(seed + 99, 300, shares)
    view = ParticipantData(
        np.empty((300, 0)), train, np.empty((n, 0)), np.empty((7, 0)), groups, times=times
    )  # fmt: skip
    return y, view


def game(name, metric, setting, submissions, seed=0, **given):
    y, view = challenge(metric, seed, **given)
    scorer = Scorer(find(metric), y, undefined_is_zero=True)
    session = Session(scorer, of_setting(setting), partial(stream, seed))
    attack = ATTACKS.make(name, submissions=submissions, points=[submissions])
    return attack.prepare(view, None, stream(seed, "attack")).play(session.open), y


def gain(name, metric, setting, submissions=500, plays=7, **given):
    """Median gain of the last file on the honest one, zeros."""
    gains = []
    for seed in range(plays):
        played, y = game(name, metric, setting, submissions, seed, **given)
        ends = np.concatenate([played.models.public[-1:], played.honest.public[:1]])
        after, before = find(metric).score(y, ends)
        gains.append(find(metric).sign * (before - after))
    return np.median(gains)


def units_of(metric, *, signs=False, **given):
    y, view = challenge(metric, 3, **given)
    return y, orders_of(view, find(metric), np.random.default_rng(1), signs=signs)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.8, 0.2)])
@pytest.mark.parametrize("metric", CLASSES)
def test_a_score_of_two_classes_is_linear_in_the_correlation(metric, shares):
    y, (units, _) = units_of(metric, n=60, shares=shares)
    files = units.files(np.random.default_rng(2).standard_normal((20, 60)))
    assert (np.sort(files) == np.sort(files[0])).all()
    read = units.read(Terms(metric), files, find(metric).score(y, files))
    np.testing.assert_allclose(read, [np.corrcoef(file, y)[0, 1] for file in files], atol=1e-9)


@pytest.mark.parametrize(
    ("metric", "shares", "least"),
    [("aupr", (0.5, 0.5), 0.95), ("aupr", (0.8, 0.2), 0.85), ("kappa", (0.4, 0.3, 0.3), 0.95)],
)
def test_other_scores_are_nearly_linear(metric, shares, least):
    """The squared correlation of what is read with what it stands for, and its slope."""
    y, (units, _) = units_of(metric, shares=shares)
    numbers = np.random.default_rng(2).standard_normal((500, 209))
    marks = np.array([units.form(file) for file in numbers])
    read = units.read(Terms(metric), marks, find(metric).score(y, units.files(numbers)))
    own = np.array([np.corrcoef(file, y)[0, 1] for file in marks])
    assert np.corrcoef(read, own)[0, 1] ** 2 > least
    assert np.polyfit(own, read, 1)[0] == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("metric", ["c_index", "uno_c_index", "iauc"])
def test_scores_of_times_vary_as_correlations_do(metric):
    y, (units, _) = units_of(metric)
    numbers = np.random.default_rng(2).standard_normal((500, 209))
    read = units.read(Terms(metric), numbers, find(metric).score(y, units.files(numbers)))
    assert read.std() * np.sqrt(208) == pytest.approx(1.0, abs=0.25)
    assert abs(read.mean()) < 0.01


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.8, 0.2)])
@pytest.mark.parametrize("metric", [*CLASSES, "aupr"])
def test_the_score_of_signs_tells_their_correlation(metric, shares):
    """Exactly, whatever the number of each."""
    y, (units, _) = units_of(metric, signs=True, n=60, shares=shares)
    assert isinstance(units, Signs)
    signs = np.where(np.random.default_rng(2).random((20, 60)) < 0.4, -1.0, 1.0)
    files = units.files(signs)
    read = units.read(Terms(metric), files, find(metric).score(y, files))
    np.testing.assert_allclose(read, [np.corrcoef(file, y)[0, 1] for file in signs], atol=1e-9)
    assert units.read(Terms(metric), np.ones((1, 60)), np.ones(1)) == 0.0


def test_what_a_board_publishes_is_read_in_the_same_way():
    _, (units, _) = units_of("f1", n=60)
    origin, spread, _ = units._scale
    terms = units.seen(
        Terms(
            "f1", larger_is_better=True, begins=True, start=0.0, step=0.02,
            acceptance=Acceptance(0.03, 0.0), schedule=Schedule(2, 10, 0.8),
        )
    )  # fmt: skip
    assert terms.metric == "spearman"
    found = (terms.start, terms.step, terms.acceptance.margin, terms.schedule.floor)
    expected = (-origin / spread, 0.02 / spread, 0.03 / spread, (0.8 - origin) / spread)
    assert found == pytest.approx(expected)
    # A level that the board shows is one that the attack knows.
    steps = ((np.array([0.5, 0.52, 0.7]) - origin) / spread - terms.origin) / terms.step
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)


def test_rows_of_a_group_have_one_mark():
    codes = np.arange(60) // 3
    groups = np.arange(300), codes, np.arange(7)
    _, (units, final) = units_of("mcc", n=60, groups=groups)
    files = units.files(np.random.default_rng(1).standard_normal((4, 20)))
    assert files.shape == (4, 60)
    assert (files == files[:, codes * 3]).all()
    assert final.files(np.arange(7.0)[None]).shape == (1, 7)


def test_equal_numbers_have_no_fixed_order():
    """Otherwise rows at the end would be on top in all files of signs."""
    signs = np.where(np.random.default_rng(1).random((200, 40)) < 0.5, -1.0, 1.0)
    ranks = np.array([np.argsort(order_of(file)) for file in signs])
    assert (ranks[signs > 0].min(), ranks[signs < 0].max()) == (10, 29) or (
        np.diff(np.take_along_axis(signs, np.argsort(ranks, axis=1), axis=1), axis=1) >= 0.0
    ).all()
    assert np.abs(ranks.mean(axis=0) - 19.5).max() < 4.0
    np.testing.assert_array_equal(spread_over(np.array([0.0, 1.0, 1.0]), 6), [0, 0, 1, 1, 1, 1])


@pytest.mark.parametrize(("metric", "shares", "search"), [
    ("balanced_accuracy", (0.7, 0.3), 0.22), ("macro_f1", (0.7, 0.3), 0.29),
    ("kappa", (0.7, 0.3), 0.45), ("aupr", (0.7, 0.3), 0.33), ("kappa", (0.4, 0.3, 0.3), 0.48),
])  # fmt: skip
def test_100_exact_scores_tell_more_than_finite_differences(metric, shares, search):
    """.31, .41, .64, .54 and .68; in `search` what finite differences reach."""
    assert gain("linear_probe", metric, "full_disclosure", 100, shares=shares) > 1.2 * search


@pytest.mark.parametrize("metric", ["balanced_accuracy", "f1", "mcc", "aupr"])
def test_more_exact_scores_than_rows_tell_all_classes(metric):
    played, y = game("linear_probe", metric, "full_disclosure", 230, shares=(0.7, 0.3))
    best, zeros = find(metric).score(y, np.array([y, np.zeros(209)]))
    assert find(metric).score(y, played.models.public[-1:])[0] == pytest.approx(best)
    assert best > zeros


@pytest.mark.parametrize(("metric", "setting", "least"), [
    ("balanced_accuracy", LADDER.format(0.025), 0.13), ("mcc", LADDER.format(0.05), 0.26),
    ("kappa", LADDER.format(0.025), 0.30), ("aupr", LADDER.format(0.05), 0.13),
    ("c_index", LADDER.format(0.016), 0.18), ("iauc", LADDER.format(0.016), 0.24),
])  # fmt: skip
def test_level_saving_gets_further_than_random_search(metric, setting, least):
    """On General Ladders, without a model: .15, .28, .34, .15, .21 and .27; see docs/threats.md."""
    saved = gain("correlation_saving", metric, setting)
    assert saved > max(least, gain("random_search", metric, setting))


@pytest.mark.parametrize(("metric", "eta", "floor", "least"), [
    ("aupr", 0.05, 0.75, 0.08), ("c_index", 0.032, 0.75, 0.06), ("iauc", 0.032, 0.75, 0.08),
    ("f1", 0.05, 0.75, 0.55), ("macro_f1", 0.05, 0.75, 0.19),
])  # fmt: skip
def test_crowds_pass_levels_of_digests_that_random_search_does_not(metric, eta, floor, least):
    """.10, .08, .12, .65 and .20; random search reaches .05, .02, .05, .52 and .18."""
    setting = DIGEST.format(eta, floor)
    reached = gain("crowds", metric, setting)
    assert reached > max(least, gain("random_search", metric, setting))


def test_noise_hides_no_more_of_classes_than_of_labels():
    """Resubmission takes .18 of the accuracy of 71 labels in 500 files; here it is .19."""
    setting = "bayesboot_ladderboot(posterior_odds=3,draws=100,b=10)"
    given = {"n": 71, "shares": (0.55, 0.45), "plays": 5}
    assert gain("hypothesis_tracking", "balanced_accuracy", setting, **given) > 0.15


def test_the_same_seed_plays_the_same_files():
    ends = [game("correlation_saving", "kappa", LADDER.format(0.05), 60)[0] for _ in range(2)]
    np.testing.assert_array_equal(ends[0].models.public, ends[1].models.public)


def test_attacks_on_correlations_of_ranks_play_them_in_dry_runs():
    wanted = {"linear_probe", "hypothesis_tracking", "correlation_saving", "crowds"}
    for metric in (*CLASSES, "aupr", "c_index"):
        scope = Scope(5, 1000, 5, 30, metric=metric, wanted=100, values=2)
        names = {name for name, kind in ATTACKS.classes.items() if not kind.on_labels
                 and kind.threat == "null_adversary" and kind.for_dry_run(scope)}  # fmt: skip
        assert wanted <= names
        assert not names & {"greedy_climb", "reserve", "positional_weights"}
    assert {name for name in METRICS.classes if find(name).read_as == "spearman"} == {
        "spearman", "auroc", "aupr", "c_index", "uno_c_index", "iauc", *CLASSES,
    }  # fmt: skip
