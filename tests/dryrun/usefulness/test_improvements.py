"""Improvements of known size: true gains, and the chance that gates accept them."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from shakedown.data.scaling import standardised
from shakedown.dryrun.usefulness import improvements
from shakedown.dryrun.usefulness.improvements import Improvements
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import mechanism, mechanisms, of_setting
from shakedown.metrics import find, of_function
from shakedown.metrics.classes import NUMBERS
from shakedown.seeding import stream
from tests.dryrun.usefulness.tables import EVERY_METRIC
from tests.kinds import fitting

RNG = partial(np.random.default_rng, 7)
N = 209

#: The true score of a prediction of correlation r, whatever the distribution of the response.
CLOSED_FORM = {
    "mse": lambda r: 1 - r**2,
    "rmse": lambda r: np.sqrt(1 - r**2),
    "pearson": lambda r: r,
    "ccc": lambda r: 2 * r**2 / (1 + r**2),
    "cosine": lambda r: r,
    "nrmse": lambda r: np.sqrt(1 - r**2),
    "r2": lambda r: r**2,
    "sklearn.metrics.r2_score": lambda r: r**2,
}


@pytest.mark.parametrize("name", [name for name in EVERY_METRIC if name in CLOSED_FORM])
@pytest.mark.parametrize("y", ["normal", "skewed"])
def test_true_gains_are_those_of_the_closed_form(name, y):
    response = RNG().standard_normal(60) * 5 + 40
    if y == "skewed":
        response = np.exp(response / 5)
    r = np.linspace(0.3, 1, 20)
    gains = improvements.true_gains(find(name), response, r, rng=RNG())
    score = CLOSED_FORM[name]
    np.testing.assert_allclose(gains, np.abs(score(r) - score(r[0])), atol=1e-9)


def test_true_gains_of_an_absolute_error():
    """E|p - y| = sqrt(2 (1 - r²) / π) for a normal response; 20,000 rows, 5 standard errors."""
    y = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    r = np.array([0.3, 0.8])
    gains = improvements.true_gains(find("mae"), y, r, rng=RNG())
    expected = np.sqrt(2 / np.pi) * (np.sqrt(1 - 0.09) - np.sqrt(1 - 0.64))
    assert abs(gains[1] - expected) <= 5 / np.sqrt(20_000)


@pytest.mark.parametrize("name", EVERY_METRIC)
def test_a_better_prediction_gains_under_every_metric(name):
    y = RNG().standard_normal(90)
    metric = find(name)
    y = np.exp(y) if metric.response == NUMBERS else fitting(metric, y, y)[0]
    rising = improvements.rising(metric, y, 0.4, rng=RNG())
    assert rising.gains[0] == 0
    assert rising.r[0] == pytest.approx(0.4)
    assert np.all(np.diff(rising.gains) > 0)
    assert np.all(np.diff(rising.r) > 0)
    assert rising.r[-1] < 1
    again = improvements.true_gains(metric, y, rising.r, rng=RNG())
    np.testing.assert_allclose(again, rising.gains, atol=0.01 * rising.gains[-1])


def test_a_metric_that_prefers_the_worse_is_refused():
    turned = of_function("own_loss", find("sklearn.metrics.r2_score").function)
    with pytest.raises(InputError, match="wanted one that prefers a perfect prediction"):
        improvements.rising(turned, RNG().standard_normal(50), 0.5, rng=RNG())


def accepted(name, mechanism_, gains, *, base=0.5, replicates=60, n=N, seed=1, correlation=0.8):
    """Acceptance and seen, each of shape (replicates, pairs, m), on normal responses."""
    metric = find(name)
    table = np.random.default_rng(0).standard_normal(2000)
    r = np.linspace(base, 1, 400)
    known = improvements.true_gains(metric, table, r, rng=RNG())
    tried = Improvements(base, np.interp(gains, known, r), np.asarray(gains))
    trials = []
    for k in range(replicates):
        rng_factory = partial(stream, seed, k)
        y = standardised(rng_factory("y").standard_normal(n)[None])[0]
        by_mechanism = improvements.trials(
            metric, [mechanism_], y, tried, correlation=correlation, rng_factory=rng_factory
        )
        trials.append(by_mechanism[0])
    return np.array([a for a, _ in trials]), np.array([s for _, s in trials])


@pytest.mark.parametrize("name", ["ladder", "ladderboot"])
@pytest.mark.parametrize("alpha", [0.05, 0.15, 0.5])
@pytest.mark.parametrize("correlation", [0.8, 0.3])
def test_acceptance_is_the_power_of_the_paired_t_test(name, alpha, correlation):
    """Against the closed form for a normal response, at 1,500 pairs for each of 5 gains.

    The loss differences d = u1² - u0² of jointly normal residuals u have the variance 2 s1⁴ + 2 s0⁴
    - 4 c².  As the public response is standardised, the part of their mean that comes from y² does
    not vary.  Allowed: 4.5 standard errors (a false alarm of 7e-6 each, 5e-4 in all) and .025 for
    what the central limit leaves at n = 209 and for the best that is rounded to 1/n.
    """
    gains = np.array([0.0, 0.02, 0.05, 0.1, 0.2])
    settings = {"alpha": alpha} | ({"b": 10} if name == "ladderboot" else {})
    hits, _ = accepted("mse", mechanism(name, **settings), gains, correlation=correlation)
    r0, r1 = 0.5, np.sqrt(0.25 + gains)
    s0, s1 = 1 - r0**2, 1 - r1**2
    c = s0 * s1 + correlation * r0 * r1 * np.sqrt(s0 * s1)
    variance = 2 * s1**2 + 2 * s0**2 - 4 * c**2
    fixed = 2 * (s1**2 - s0**2) ** 2
    critical = stats.t.isf(alpha, N - 1)
    excess = gains * np.sqrt(N) - critical * np.sqrt(variance)
    power = stats.norm.cdf(excess / np.sqrt(variance - fixed))
    share = hits.mean(axis=(0, 1))
    error = np.sqrt(power * (1 - power) / hits[:, :, 0].size)
    assert hits[:, :, 0].size == 1500
    assert power[0] == pytest.approx(alpha, abs=0.01)
    np.testing.assert_array_less(np.abs(share - power), 4.5 * error + 0.025)


@pytest.mark.parametrize(("odds", "level"), [(1.0, 0.5), (5.67, 0.15)])
def test_a_bayesian_gate_accepts_nothing_as_often_as_its_odds_say(odds, level):
    """P(H1) is about uniform without a gain: 600 pairs, 4.5 standard errors and .03."""
    gate = mechanism("bayesboot_ladder", posterior_odds=odds, draws=400)
    hits, _ = accepted("pearson", gate, [0.0, 0.3])
    assert hits[:, :, 0].size == 600
    allowed = 4.5 * np.sqrt(level * (1 - level) / 600) + 0.03
    assert abs(hits[:, :, 0].mean() - level) <= allowed
    assert hits[:, :, 1].mean() > 0.99


def test_a_board_that_always_replaces_accepts_what_it_shows_to_be_better():
    """No gain: one time in two (1,500 pairs, 5 standard errors)."""
    for name in ("full_disclosure", "kaggle"):
        hits, seen = accepted("mse", mechanism(name), [0.0, 0.4])
        np.testing.assert_array_equal(hits, seen)
        assert abs(hits[:, :, 0].mean() - 0.5) < 5 * 0.5 / np.sqrt(1500)
        assert hits[:, :, 1].all()
    hits, seen = accepted("pearson", mechanism("full_disclosure"), [0.0, 0.4], replicates=4)
    np.testing.assert_array_equal(hits, seen)
    assert 0 < hits[:, :, 0].mean() < 1
    assert seen[:, :, 1].all()
    hits, _ = accepted("mse", mechanism("constant_board"), [0.0, 0.4])
    assert not hits.any()


def test_defences_count_as_on_the_board_that_runs():
    """Clipped near 0, all files have the same score; a cap of one is used up by the base.

    1,500 pairs; without a gain, one in two is seen (5 standard errors).
    """
    gains = [0.0, 0.1, 0.3]
    plain, _ = accepted("mse", of_setting("full_disclosure"), gains)
    hits, seen = accepted("mse", of_setting("full_disclosure+clip(times=0.0001)"), gains)
    np.testing.assert_array_equal(hits, seen)
    assert plain[:, :, 1].mean() > 0.9
    assert (np.abs(hits.mean(axis=(0, 1)) - 0.5) < 5 * 0.5 / np.sqrt(1500) + 0.1).all()
    _, seen = accepted("mse", of_setting("ladder(alpha=0.15)"), gains)
    assert seen[:, :, 2].mean() > 0.99
    hits, seen = accepted("mse", of_setting("ladder(alpha=0.15)+cap(improvements=1)"), gains)
    assert not hits.any()
    assert not seen.any()
    assert np.isnan(improvements.floor(np.array(gains), seen.mean(axis=(0, 1))))


def test_a_file_that_is_refused_is_not_seen():
    """The variance of a file is about r^2, so those with much to say are refused."""
    setting = "full_disclosure+value_range(variance=0.4)"
    plain, _ = accepted("mse", of_setting("full_disclosure"), [0.0, 0.05, 0.4])
    hits, _ = accepted("mse", of_setting(setting), [0.0, 0.05, 0.4])
    np.testing.assert_array_equal(hits[:, :, 0], plain[:, :, 0])
    assert plain[:, :, 2].all()
    assert not hits[:, :, 2].any()
    # A base that is refused is not in force: nothing has been shown, and nothing gets better.
    hits, _ = accepted("mse", of_setting("full_disclosure+value_range(variance=0.01)"), [0.0, 0.4])
    assert not hits.any()


@pytest.mark.parametrize("defence", ["baseline", "distinct", "cap(improvements=9)", "one_board"])
@pytest.mark.parametrize(
    "name", ["ladder(alpha=0.15)", "full_disclosure", "ladderboot(alpha=0.5,b=5)"]
)
def test_what_does_not_act_between_two_files_changes_nothing(name, defence):
    plain = accepted("mse", of_setting(name), [0.0, 0.1], replicates=5)
    defended = accepted("mse", of_setting(f"{name}+{defence}"), [0.0, 0.1], replicates=5)
    np.testing.assert_array_equal(plain[0], defended[0])
    if not of_setting(name).is_noisy:  # other numbers of the same noise
        np.testing.assert_array_equal(plain[1], defended[1])


def test_sticky_noise_shows_a_replacement_once():
    setting = "ladderboot(alpha=0.15,b=1)+sticky"
    hits, seen = accepted("mse", of_setting(setting), [0.0, 0.2], replicates=20)
    assert not (seen & ~hits).any()
    assert 0 < seen.mean() < hits.mean()
    hits, seen = accepted("mse", of_setting("thresholdout(budget=1)"), [0.0, 0.3], replicates=20)
    assert not hits.any()  # the base is the only answer


@pytest.mark.parametrize("name", ["thresholdout(budget=5)", "shaky_ladder(eta=0.05,scale=0.01)"])
def test_boards_with_noise_of_their_own_are_measured(name):
    hits, seen = accepted("mse", of_setting(name), [0.0, 0.4], replicates=10)
    assert seen[:, :, 1].mean() > 0.95
    assert hits[:, :, 0].mean() < 0.6


def test_what_is_seen_was_accepted_and_shown_to_be_better():
    gains = [0.0, 0.05, 0.3]
    ladder = mechanism("ladder", alpha=0.5)
    hits, seen = accepted("mse", ladder, gains)
    assert not (seen & ~hits).any()
    assert (hits & ~seen).any()  # both rounded to the same number
    assert seen[:, :, 2].mean() > 0.99
    exact = mechanism("general_ladder", eta=1e-6)
    a, b = accepted("mse", exact, gains)
    np.testing.assert_array_equal(a, b)
    noisy, noisy_seen = accepted("mse", mechanism("ladderboot", alpha=0.5, b=1), gains)
    # One bootstrap sample each shows a small gain that was accepted little more than half the time.
    assert 0.4 < noisy_seen[:, :, 0].sum() / noisy[:, :, 0].sum() < 0.75
    assert not (noisy_seen & ~noisy).any()


def test_a_general_ladder_accepts_what_exceeds_its_step():
    """Against full disclosure's chance: P(public gain > η), about; gains of 2 η and 0."""
    eta = 0.1
    hits, _ = accepted("mse", mechanism("general_ladder", eta=eta), [0.0, eta, 0.3])
    share = hits.mean(axis=(0, 1))
    assert share[0] < 0.1
    assert 0.35 < share[1] < 0.65
    assert share[2] > 0.98


def test_mechanisms_meet_the_same_predictions_whoever_else_plays():
    every = mechanisms(
        [
            {"name": "full_disclosure"},
            {"name": "ladder", "alpha": [0.15, 0.5]},
            {"name": "ladderboot", "alpha": 0.15, "b": [1, 10]},
            {"name": "bayesboot_ladder", "posterior_odds": 1, "draws": 50},
            {"name": "bayesboot_ladderboot", "posterior_odds": 1, "b": 5, "draws": 50},
            {"name": "bayesboot_ladder", "posterior_odds": 3, "draws": 50},
        ]
    )
    y = standardised(RNG().standard_normal((1, 60)))[0]
    tried = improvements.rising(find("mse"), y, 0.5, rng=RNG())
    named = []

    def rng_factory(*axes):
        named.append(axes)
        return stream(3, *axes)

    def play(some):
        return improvements.trials(
            find("mse"), some, y, tried, correlation=0.8, rng_factory=rng_factory
        )

    together = play(every)
    # Errors, two gates that draw, and the releases of three mechanisms that do.
    assert len(set(named)) == 1 + 2 + 3
    for mechanism_, (hits, seen) in zip(every, together, strict=True):
        ((alone, alone_seen),) = play([mechanism_])
        np.testing.assert_array_equal(hits, alone)
        np.testing.assert_array_equal(seen, alone_seen)
    np.testing.assert_array_equal(together[5][0], together[6][0])  # the same gate
    assert together[6][0].shape == (10, 16)
    assert not np.array_equal(together[2][1], together[3][1])
    other = improvements.trials(
        find("mse"), every, y, tried, correlation=0.8, rng_factory=partial(stream, 4)
    )
    assert not np.array_equal(other[0][0], together[0][0])


@pytest.mark.skipif("rmse" not in EVERY_METRIC, reason="there is no such metric")
def test_a_root_changes_no_decision_on_its_losses():
    y = standardised(RNG().standard_normal((1, 60)))[0]
    tried = improvements.rising(find("mse"), y, 0.5, rng=RNG())
    some = mechanisms([{"name": "full_disclosure"}, {"name": "ladderboot", "alpha": 0.15, "b": 5}])
    squares, roots = (
        improvements.trials(
            find(name), some, y, tried, correlation=0.8, rng_factory=partial(stream, 3)
        )
        for name in ("mse", "rmse")
    )
    for (square, _), (root, _) in zip(squares, roots, strict=True):
        np.testing.assert_array_equal(square, root)
        assert 0 < square.mean() < 1


def test_functions_meet_few_pairs_under_a_gate_that_draws():
    slow = mechanism("bayesboot_ladder", posterior_odds=1)
    assert improvements.pairs(slow.gate, find("sklearn.metrics.r2_score")) == 2
    assert improvements.pairs(slow.gate, find("ccc")) == 10
    fast = mechanism("general_ladder", eta=0.1)
    assert improvements.pairs(fast.gate, find("sklearn.metrics.r2_score")) == 25


def test_a_chance_in_one_group_has_the_exact_interval():
    from statsmodels.stats.proportion import proportion_confint

    for won in (0, 3, 20):
        hits = np.zeros((1, 20), bool)
        hits[0, :won] = True
        p, low, high = improvements.chance(hits)
        assert (p, low, high) == pytest.approx(
            (won / 20, *proportion_confint(won, 20, 0.05, "beta"))
        )


def test_pairs_of_a_replicate_that_fall_alike_count_less():
    """Coverage with groups of very different chances: of 400 intervals at 95 %, at most 31 miss
    (a false alarm of 1e-2 at exactly 5 %); taken one by one a third of them would."""
    rng = np.random.default_rng(5)
    missed = plain = 0
    for _ in range(400):
        chances = rng.beta(1.0, 1.5, 40)
        hits = rng.random((40, 25)) < chances[:, None]
        _, low, high = improvements.chance(hits)
        missed += not low <= 0.4 <= high
        _, low, high = improvements.chance(hits.reshape(1, -1))
        plain += not low <= 0.4 <= high
    assert missed <= 31
    assert plain > 100


def test_a_floor_is_where_the_chance_reaches_four_in_five():
    gains = np.array([0.0, 1.0, 2.0, 4.0])
    assert improvements.floor(gains, np.array([0.1, 0.2, 0.6, 1.0])) == pytest.approx(3.0)
    assert improvements.floor(gains, np.array([0.1, 0.9, 0.7, 1.0])) == pytest.approx(1.0)
    assert improvements.floor(gains, np.array([0.1, 0.7, 0.6, 0.95])) == pytest.approx(3.0)
    assert improvements.floor(gains, np.array([0.9, 0.9, 0.9, 1.0])) == 0.0
    assert np.isnan(improvements.floor(gains, np.array([0.1, 0.2, 0.5, 0.79])))
