"""The papers' bounds: against their own examples, each other, SciPy and literal counts."""

from itertools import product
from math import exp, inf, log, log2, sqrt

import numpy as np
import pytest
from scipy import optimize, stats

from shakedown.interface import InputError
from shakedown.theory import guarantees as g

DELTAS = (0.01, 0.05, 0.3)


# Fixed submissions


def test_the_union_bound_lies_above_the_exact_chance():
    """One fixed submission: its number of mistakes is binomial."""
    for n, error in product((20, 101, 1000), (0.03, 0.1, 0.25)):
        mistakes = stats.binom(n, 0.5)
        away = mistakes.pmf(np.arange(n + 1))[np.abs(np.arange(n + 1) / n - 0.5) > error].sum()
        assert away <= g.union_probability(error, 1, n)


def test_the_union_bound_is_equation_2():
    assert g.union_probability(0.1, 3, 300) == pytest.approx(6 * exp(-6), rel=1e-12)
    assert g.union_probability(0.01, 3, 300) == 1.0


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("k", [1, 50, 10**6])
def test_the_union_bound_and_its_inverses(delta, k):
    assert g.union_probability(g.union_error(delta, k, 777), k, 777) == pytest.approx(delta)
    n = g.union_samples(0.07, delta, k)
    assert g.union_probability(0.07, k, n) <= delta < g.union_probability(0.07, k, n - 1)


# The Ladder


def test_the_ladder_bound_is_theorem_3_1():
    epsilon, eta, t, n = 0.1, 0.1, 100, 10_000
    assert g.ladder_probability(epsilon, eta, t, n) == pytest.approx(
        exp(-2 * epsilon**2 * n + (1 / eta + 2) * log(4 * t / eta) + 1), rel=1e-12
    )
    bits = (1 / eta + 2) * log2(4 * t / eta)
    assert g.ladder_probability(epsilon, eta, t, n, binary=True) == pytest.approx(
        exp(-2 * epsilon**2 * n + bits + 1), rel=1e-12
    )
    assert g.ladder_proof_probability(epsilon, eta, t, n) == pytest.approx(
        2 ** (bits + 1) * exp(-2 * epsilon**2 * n), rel=1e-9
    )


@pytest.mark.parametrize("eta", [0.001, 0.01, 0.13, 0.5, 1.0])
@pytest.mark.parametrize("t", [1, 7, 10**5])
def test_both_readings_of_the_log_are_valid_and_the_natural_one_is_sharper(eta, t):
    """Each lies above what the proof counts; both papers' bounds, at 1e-6 by the proof."""
    bits = (1 / eta + 2) * log2(4 * t / eta)
    n = 10**5
    epsilon = sqrt(((bits + 1) * log(2) + log(1e6)) / (2 * n))
    proof = g.ladder_proof_probability(epsilon, eta, t, n)
    assert proof == pytest.approx(1e-6, rel=1e-6)
    natural = g.ladder_probability(epsilon, eta, t, n)
    assert natural == pytest.approx(proof * exp(1 - log(2)), rel=1e-6)
    assert natural < g.ladder_probability(epsilon, eta, t, n, binary=True)

    bits = (3 / eta + 1) * log2(2 * t)
    n = int(2 / eta**2 * ((bits + 1) * log(2) + log(1e6)))
    proof = exp((bits + 1) * log(2) - eta**2 * n / 2)
    natural = g.simplified_ladder_probability(eta, t, n, accounts=3)
    assert natural == pytest.approx(proof * exp(1 - log(2)), rel=1e-6)
    assert natural < g.simplified_ladder_probability(eta, t, n, accounts=3, binary=True)


def shown_sequences(eta, t):
    """All sequences that a Ladder can show for losses in [0, 1]: [B] Algorithm 1, any n."""
    losses = np.linspace(0, 1, 241)
    sequences = {()}
    for _ in range(t):
        after = set()
        for shown in sequences:
            best = shown[-1] if shown else inf
            lower = losses[losses < best - eta - 1e-12]
            steps = set(np.rint(np.round(lower / eta, 9)))
            after |= {(*shown, round(s * eta, 9)) for s in steps}
            if len(lower) < len(losses):
                after.add((*shown, best))
        sequences = after
    return sequences


@pytest.mark.parametrize("eta", [1.0, 0.6, 0.5, 0.37, 0.3, 0.25, 0.2])
def test_the_tree_has_no_more_nodes_than_the_proof_allows(eta):
    """[B] Claim 3.2, counted: a node is a submission's number and what was shown before it."""
    for t in (1, 3, 5):
        nodes = sum(len(shown_sequences(eta, depth)) for depth in range(t))
        assert nodes <= (4 * t / eta) ** (1 / eta + 2)
        assert g._log_nodes(eta, t) == pytest.approx(log((4 * t / eta) ** (1 / eta + 2)))


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("k", "n"), [(1, 50), (400, 4000), (10**5, 20_000), (10**4, 10**7)])
def test_the_best_step_is_that_of_a_dense_grid(delta, k, n):
    best = g.best_ladder_step(delta, k, n)
    grid = np.geomspace(1e-4, 1, 4001)
    errors = [g.ladder_error(eta, delta, k, n) for eta in grid]
    assert best.error <= min(errors) * (1 + 1e-12)
    assert best.error == pytest.approx(min(errors), rel=1e-5)
    assert best.error == g.ladder_error(best.eta, delta, k, n)
    epsilon = best.error - best.eta
    assert g.ladder_probability(epsilon, best.eta, k, n) == pytest.approx(delta)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("error", [0.02, 0.1, 0.6])
def test_the_ladders_samples_are_the_fewest(delta, error):
    n = g.ladder_samples(error, delta, 1000)
    assert g.best_ladder_step(delta, 1000, n).error <= error
    assert g.best_ladder_step(delta, 1000, n - 1).error > error


def test_the_ladders_error_falls_with_the_cube_root_of_the_rows():
    """[B] Theorem 3.1: O((log(kn) / n)^(1/3)), so this ratio settles."""
    ratios = [
        g.best_ladder_step(0.05, 1000, n).error / (log(1000 * n) / n) ** (1 / 3)
        for n in (10**6, 10**9, 10**12)
    ]
    assert max(ratios) / min(ratios) < 1.15


def test_the_minimax_rate_asks_for_a_constant():
    assert g.minimax_rate(400, 4000, constant=1.0) == pytest.approx(sqrt(log(400) / 4000))
    assert g.minimax_rate(1, 10, constant=1.0) == 0.0
    with pytest.raises(TypeError, match="constant"):
        g.minimax_rate(400, 4000)


# The Simplified Ladder


def test_the_simplified_ladder_bound_is_equation_1():
    eta, k, n, accounts = 0.1, 100, 60_000, 4
    assert g.simplified_ladder_probability(eta, k, n, accounts=accounts) == pytest.approx(
        exp(-(eta**2) * n / 2 + (accounts / eta + 1) * log(2 * k) + 1), rel=1e-9
    )


def test_samples_of_the_papers_examples():
    """[Z] section 3: 10^3 rows for .1 and 10^6 for .01, "up to logs"; with the constants more.

    The leading term is 2 M ln(2k) / eta^3; the paper's 10^3 and 10^6 are 1 / eta^3.
    """
    for k in (100, 1000, 10**5):
        coarse, fine = (g.simplified_ladder_samples(eta, 0.05, k) for eta in (0.1, 0.01))
        for rows, eta in ((coarse, 0.1), (fine, 0.01)):
            leading = 2 * log(2 * k) / eta**3
            # What is left are the terms 1 + (1 + ln 1/delta) / ln 2k, each times eta.
            assert rows / leading == pytest.approx(
                1 + eta * (1 + (1 + log(20)) / log(2 * k)), rel=1e-3
            )
        assert 800 < fine / coarse < 1000
    assert g.simplified_ladder_samples(0.1, 0.05, 1000) == 17_522
    assert g.simplified_ladder_samples(0.01, 0.05, 1000) == 15_433_738


@pytest.mark.parametrize("accounts", [1, 2, 30])
@pytest.mark.parametrize("delta", DELTAS)
def test_samples_and_steps_of_the_simplified_ladder_invert_its_bound(accounts, delta):
    chance = g.simplified_ladder_probability
    n = g.simplified_ladder_samples(0.05, delta, 500, accounts=accounts)
    assert chance(0.05, 500, n, accounts=accounts) <= delta
    assert chance(0.05, 500, n - 1, accounts=accounts) > delta
    assert g.best_display_step(delta, 500, n, accounts=accounts) <= 0.05
    assert g.best_display_step(delta, 500, n - 1, accounts=accounts) > 0.05


@pytest.mark.parametrize("accounts", [1, 2, 1000])
@pytest.mark.parametrize(("k", "n"), [(1, 200), (1, 10**6), (1000, 10**5), (10**5, 20_000_000)])
def test_the_smallest_step_is_the_root_that_scipy_finds(accounts, k, n):
    for delta in (*DELTAS, 1e-300):

        def exponent(eta, delta=delta):
            bits = (accounts / eta + 1) * log(2 * k) + 1
            return -(eta**2) * n / 2 + bits - log(delta)

        step = g.best_display_step(delta, k, n, accounts=accounts)
        if exponent(1.0) > 0:
            assert step == inf
        else:
            assert step == pytest.approx(optimize.brentq(exponent, 1e-6, 1.0), rel=1e-9)


def test_the_smallest_step_grows_with_the_cube_root_of_the_accounts():
    single, many = (g.best_display_step(0.05, 1000, 10**9, accounts=m) for m in (1, 1000))
    assert many / single == pytest.approx(10, rel=0.02)
    assert single == pytest.approx((2 * log(2000) / 10**9) ** (1 / 3), rel=0.02)


def histories(eta, k):
    """How many different histories one account can have in k submissions: [Z] Algorithm 2."""
    top = int(np.rint(1 / eta))
    shown = {()}
    for _ in range(k):
        shown = {(*s, max(s[-1] if s else 0, score)) for s in shown for score in range(top + 1)}
    return len(shown)


@pytest.mark.parametrize("eta", [1.0, 0.6, 0.5, 0.37, 0.25])
def test_no_more_histories_than_the_error_counts(eta):
    """One account: k submissions, each with a history, are within (2k)^(steps + 1)."""
    for k in (1, 2, 4):
        counted = sum(histories(eta, i) for i in range(k))
        assert counted <= (2 * k) ** (max(1 / eta, np.rint(1 / eta)) + 1)


def test_a_step_is_counted_where_rounding_to_the_nearest_shows_one_more():
    """Of .6 there are 1.67 steps, and the scores 0, .6 and 1.2: two steps."""
    n, log_histories = 500, (2 + 1) * log(2 * 40)
    epsilon = sqrt((log_histories + log(2) - log(0.05)) / (2 * n))
    assert g.simplified_ladder_error(0.6, 0.05, 40, n) == pytest.approx(epsilon + 0.3, rel=1e-12)
    log_histories = (1 / 0.7 + 1) * log(2 * 40)  # 1.43 steps, of which 0, .7 are shown
    epsilon = sqrt((log_histories + log(2) - log(0.05)) / (2 * n))
    assert g.simplified_ladder_error(0.7, 0.05, 40, n) == pytest.approx(epsilon + 0.35, rel=1e-12)


@pytest.mark.parametrize("accounts", [1, 3])
def test_the_error_of_any_step_agrees_with_the_theorem_where_that_speaks(accounts):
    delta, k, n = 0.05, 300, 10**6
    eta = g.best_display_step(delta, k, n, accounts=accounts)
    for step in (1 / np.floor(1 / eta), 0.5):  # 1/step whole
        error = g.simplified_ladder_error(step, delta, k, n, accounts=accounts)
        assert step / 2 < error <= step
    below = 1 / np.ceil(1.3 / eta)
    assert g.simplified_ladder_probability(below, k, n, accounts=accounts) > delta
    epsilon = g.simplified_ladder_error(below, delta, k, n, accounts=accounts) - below / 2
    log_chance = (accounts / below + 1) * log(2 * k) + log(2) - 2 * epsilon**2 * n
    assert log_chance == pytest.approx(log(delta))


# All of them


def test_bounds_grow_with_submissions_and_accounts_and_fall_with_rows():
    ks, ns = [1, 2, 10, 1000, 10**6], [100, 1000, 10**4, 10**6]
    of_k = {
        "union": [g.union_error(0.05, k, 5000) for k in ks],
        "ladder": [g.ladder_error(0.1, 0.05, k, 5000) for k in ks],
        "best step": [g.best_ladder_step(0.05, k, 5000).error for k in ks],
        "simplified": [g.simplified_ladder_error(0.1, 0.05, k, 5000) for k in ks],
        "display": [g.best_display_step(0.05, k, 10**5) for k in ks],
        "accounts": [g.best_display_step(0.05, 9, 10**6, accounts=m) for m in (1, 2, 9)],
        "samples": [g.simplified_ladder_samples(0.1, 0.05, k) for k in ks],
        "rate": [g.minimax_rate(k, 5000, constant=1) for k in ks],
        "chance": [g.ladder_probability(0.1, 0.1, k, 7000) for k in ks[:4]],
    }
    of_n = {
        "union": [g.union_error(0.05, 10, n) for n in ns],
        "ladder": [g.ladder_error(0.1, 0.05, 10, n) for n in ns],
        "best step": [g.best_ladder_step(0.05, 10, n).error for n in ns],
        "simplified": [g.simplified_ladder_error(0.1, 0.05, 10, n) for n in ns],
        "display": [g.best_display_step(0.05, 10, n) for n in ns[1:]],
    }
    for name, values in of_k.items():
        assert (np.diff(values) > 0).all(), name
    for name, values in of_n.items():
        assert (np.diff(values) < 0).all(), name


@pytest.mark.parametrize("eta", [0, -0.1, 1.1, np.nan, True, "0.1"])
def test_a_step_outside_its_range_is_refused(eta):
    for refuse in (
        lambda: g.ladder_probability(0.1, eta, 5, 100),
        lambda: g.ladder_proof_probability(0.1, eta, 5, 100),
        lambda: g.ladder_error(eta, 0.05, 5, 100),
        lambda: g.simplified_ladder_probability(eta, 5, 100),
        lambda: g.simplified_ladder_error(eta, 0.05, 5, 100),
        lambda: g.simplified_ladder_samples(eta, 0.05, 5),
    ):
        with pytest.raises(InputError, match="`eta` must be a step above 0 and at most 1.*; got"):
            refuse()


@pytest.mark.parametrize(
    ("refuse", "said"),
    [
        (lambda: g.union_probability(0.1, 5, 0), "`n` must be a whole number of 1 or more"),
        (lambda: g.union_probability(0.1, 2.5, 10), "`k` must be a whole number"),
        (lambda: g.union_probability(0.0, 5, 10), "`error` must be an error above 0"),
        (lambda: g.union_probability(inf, 5, 10), "`error` must be an error above 0"),
        (lambda: g.union_error(1.0, 5, 10), "`delta` must be a probability between 0 and 1"),
        (lambda: g.union_error(0.1, 0, 10), "`k` must be a whole number"),
        (lambda: g.union_error(0.1, 5, 0), "`n` must be a whole number"),
        (lambda: g.union_samples(0.1, 0.0, 5), "`delta` must be a probability"),
        (lambda: g.ladder_probability(0.1, 0.1, 0, 10), "`submissions` must be a whole number"),
        (lambda: g.ladder_probability(-0.1, 0.1, 5, 10), "`epsilon` must be an error above 0"),
        (lambda: g.ladder_error(0.1, 2, 5, 10), "`delta` must be a probability"),
        (lambda: g.best_ladder_step(0.05, 5, -1), "`n` must be a whole number"),
        (lambda: g.ladder_samples(1.5, 0.05, 5), "`error` must be an error above 0 and at most 1"),
        (lambda: g.minimax_rate(5, 10, constant=0), "`constant` must be a number above 0"),
        (lambda: g.simplified_ladder_probability(0.1, 5, 10, accounts=0), "`accounts` must be a"),
        (lambda: g.best_display_step(0.05, 0, 10), "`k` must be a whole number"),
        (lambda: g.simplified_ladder_samples(0.1, -1, 5), "`delta` must be a probability"),
    ],
)
def test_what_theory_does_not_take_is_refused(refuse, said):
    with pytest.raises(InputError, match=said):
        refuse()
