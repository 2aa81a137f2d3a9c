"""Bounds of the gain: closed forms, simulated adversaries, and inverses.

The simulated adversary is given the best of N files that were fixed before the responses were
drawn: a board of ln N nats that tells as much as it can.
"""

from math import exp, log, pi, sqrt

import numpy as np
import pytest
from scipy import special, stats

from shakedown.interface import InputError
from shakedown.theory.gains import RootSquaredError, SquaredError
from shakedown.theory.leakage import noisy_nats
from shakedown.theory.losses import BoundedLoss, LabelLoss, NormalScore, fair_labels_accuracy
from shakedown.theory.searches import largest, smallest

#: Chance that a test fails although the bound holds with equality, each.
FALSE_ALARM = 1e-6
PLAYS = 4000
BOUNDS = [
    SquaredError(1.7),
    SquaredError(0.4, gaussian=False),
    RootSquaredError(1.7),
    BoundedLoss(),
    NormalScore(0.06, 80),
]


def mean_holds(gains, bound):
    error = gains.std(ddof=1) / sqrt(len(gains))
    return gains.mean() <= bound + stats.norm.isf(FALSE_ALARM) * error


def high_holds(gains, bound, delta=0.05):
    return np.sum(gains > bound) <= stats.binom.isf(FALSE_ALARM, len(gains), delta)


# Simulated adversaries


def noise(kind, rows, rng):
    """Noise of variance 1, (plays, rows)."""
    if kind == "gaussian":
        return rng.standard_normal((PLAYS, rows))
    return rng.choice([-1.0, 1.0], (PLAYS, rows))


@pytest.mark.parametrize("kind", ["gaussian", "signs"])
@pytest.mark.parametrize(
    ("rows", "files", "tight"), [(6, 3000, 0.6), (20, 50, 0.5), (50, 1000, 0.5), (50, 2, 0.2)]
)
def test_no_choice_among_fixed_files_gains_more(kind, rows, files, tight):
    """Random directions, each at the scale that gains most: the exact maximiser."""
    rng, variance = np.random.default_rng(files), 1.7
    e = sqrt(variance) * noise(kind, rows, rng)
    u = rng.standard_normal((files, rows))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    gains = np.maximum(e @ u.T, 0).max(axis=1) ** 2 / rows  # |e|^2 - |e - a u|^2 at the best a
    bound, nats = SquaredError(variance, gaussian=kind == "gaussian"), log(files)
    assert mean_holds(gains, bound.mean(nats, rows))
    assert high_holds(gains, bound.high(nats, rows))
    # They are no empty bounds: a smaller one is broken.
    assert not mean_holds(gains, tight * SquaredError(variance).mean(nats, rows))
    if nats < rows / 4:  # otherwise `high` allows more than there is to gain
        assert not high_holds(gains, tight * bound.high(nats, rows))


@pytest.mark.parametrize(
    ("rows", "files", "tight"), [(6, 3000, 0.6), (20, 50, 0.5), (50, 1000, 0.5), (209, 200, 0.4)]
)
def test_no_choice_among_fixed_files_gains_more_in_rmse(rows, files, tight):
    rng, variance = np.random.default_rng(files), 1.7
    e = sqrt(variance) * noise("gaussian", rows, rng)
    u = rng.standard_normal((files, rows))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    squares = (e**2).sum(axis=1)
    best = np.maximum(e @ u.T, 0).max(axis=1) ** 2  # |e|^2 - |e - a u|^2 at the best a
    gains = (np.sqrt(squares) - np.sqrt(squares - best)) / sqrt(rows)
    bound, nats = RootSquaredError(variance), log(files)
    assert mean_holds(gains, bound.mean(nats, rows))
    assert high_holds(gains, bound.high(nats, rows))
    assert not mean_holds(gains, tight * bound.mean(nats, rows))
    if rows > 200:  # with fewer, `high` allows for a response that is easy by chance
        assert not high_holds(gains, tight * bound.high(nats, rows))


@pytest.mark.parametrize("scale", [0.05, 0.3, 1.0])
def test_nor_do_files_of_one_size(scale):
    """Random signs times a scale: a participant who submits N files and keeps the best."""
    rng, rows, files = np.random.default_rng(3), 40, 500
    e = rng.standard_normal((PLAYS, rows))
    v = scale * rng.choice([-1.0, 1.0], (files, rows))
    gains = (2 * e @ v.T - (v**2).sum(axis=1)).max(axis=1) / rows
    bound = SquaredError(1.0)
    assert mean_holds(gains, bound.mean(log(files), rows))
    assert high_holds(gains, bound.high(log(files), rows))


@pytest.mark.parametrize("probability", [0.5, 0.8])
def test_no_choice_among_fixed_labels_gains_more(probability):
    rng, rows, files = np.random.default_rng(4), 100, 300
    labels = rng.random((PLAYS, rows)) < probability
    fixed = rng.random((files, rows)) < (0.95 if probability > 0.5 else 0.5)
    right = np.array([(labels == file).mean(axis=1) for file in fixed])
    gains = right.max(axis=0) - probability
    bound = BoundedLoss()
    assert mean_holds(gains, bound.mean(log(files), rows))
    assert high_holds(gains, bound.high(log(files), rows))
    if probability == 0.5:
        assert mean_holds(gains + 0.5, fair_labels_accuracy(log(files), rows))
        assert not mean_holds(gains, 0.75 * bound.mean(log(files), rows))
        assert not high_holds(gains, 0.75 * bound.high(log(files), rows))


@pytest.mark.parametrize(("files", "ratio"), [(20, 0.5), (100, 0.1), (400, 0.1)])
def test_noisy_scores_gain_no_more_on_average(files, ratio):
    """Scores of random files of one size with Gaussian noise, and the best guess from them.

    A score is linear in the responses: 2 <e, v> / n.  Its variance given the earlier scores is at
    most that without, which the noise has 1/ratio times.
    """
    rng, rows = np.random.default_rng(files), 60
    v = rng.choice([-1.0, 1.0], (files, rows)) / sqrt(rows)  # of length 1: variance 1
    e = noise("gaussian", rows, rng)
    shown = e @ v.T + rng.standard_normal((PLAYS, files)) / sqrt(ratio)
    guess = shown @ np.linalg.solve(v @ v.T + np.eye(files) / ratio, v)  # the posterior mean
    gains = ((e**2).sum(axis=1) - ((e - guess) ** 2).sum(axis=1)) / rows
    bound = SquaredError(1.0).mean(noisy_nats(files, ratio), rows)
    assert mean_holds(gains, bound)
    assert not mean_holds(gains, 0.6 * bound)
    roots = (np.linalg.norm(e, axis=1) - np.linalg.norm(e - guess, axis=1)) / sqrt(rows)
    assert mean_holds(roots, RootSquaredError(1.0).mean(noisy_nats(files, ratio), rows))


def test_the_largest_of_normal_scores():
    rng, files = np.random.default_rng(5), 400
    gains = 0.06 * rng.standard_normal((PLAYS, files)).max(axis=1)
    bound = NormalScore(0.06, 80)
    assert mean_holds(gains, bound.mean(log(files), 80))
    assert high_holds(gains, bound.high(log(files), 80))
    assert not mean_holds(gains, 0.8 * bound.mean(log(files), 80))


@pytest.mark.parametrize("files", [2, 30, 1000])
@pytest.mark.parametrize("share", [0.5, 0.2])
def test_the_best_of_fixed_lists_of_labels_given_the_ones(files, share):
    """The gain from the loss of the more frequent label, which the start tells."""
    rng, rows = np.random.default_rng(files), 60
    lists = rng.random((files, rows)) < share
    y = rng.permuted(np.tile(np.arange(rows) < round(share * rows), (PLAYS, 1)), axis=1)
    wrong = (y[:, None] != lists[None]).mean(axis=2)
    gains = round(share * rows) / rows - wrong.min(axis=1)
    bound = LabelLoss()
    assert mean_holds(gains, bound.mean(log(files), rows))
    assert high_holds(gains, bound.high(log(files), rows))
    if share == 0.5 and files > 2:
        assert not mean_holds(gains, 0.4 * bound.mean(log(files), rows))


def test_the_budget_for_labels_is_the_inverse():
    for rows in (60, 209, 5000, 50_000):
        for gain in (0.02, 0.05, 0.3):
            nats = LabelLoss().budget(gain, rows)
            assert LabelLoss().mean(nats, rows) == pytest.approx(gain)
            high = LabelLoss().budget(gain, rows, 0.05)
            if high > 0:
                assert LabelLoss().high(high, rows, 0.05) == pytest.approx(gain)


# Standardised responses: mean and length are known


@pytest.mark.parametrize("rows", [3, 5, 10, 50, 209, 1000])
def test_no_part_of_a_sphere_gains_more_than_its_nats(rows):
    """A share P of the sphere of n - 1 dimensions and radius sqrt(n - 1), as a cap at best.

    The mean over a cap is known: t = <y, u>/|y| has the density c (1 - t^2)^((n - 4)/2), and
    P E[t] = c q^((n - 2)/2) / (n - 2) for the cap t > tau with q = 1 - tau^2.
    """
    d, half = rows - 1, (rows - 2) / 2
    c = np.exp(special.gammaln(d / 2) - special.gammaln(half)) / sqrt(pi)
    nats = np.geomspace(1e-3, min(4.0 * rows, 600.0), 200)
    share = np.exp(-nats)
    tail = np.minimum(share, 1.0 - share)
    q = special.betaincinv(half, 0.5, 2.0 * tail)
    mean = c * np.exp(half * np.log(q) + nats) / (rows - 2)
    gains = d / rows * mean**2
    bounds = np.array([SquaredError(1.0).mean(amount, rows) for amount in nats])
    assert (gains <= bounds).all()
    assert (gains > 0.3 * bounds).any()


def cap_roots(rows, nats, points=3000):
    """The most that the RMSE gains on a cap with a share exp(-nats) of the sphere."""
    d, half = rows - 1, (rows - 2) / 2
    share = exp(-nats)
    sine = sqrt(special.betaincinv(half, 0.5, 2.0 * min(share, 1.0 - share)))
    widest = np.arcsin(sine) if share <= 0.5 else pi - np.arcsin(sine)
    angle = (np.arange(points) + 0.5) / points * widest
    weights = np.sin(angle) ** (d - 2)
    weights /= weights.sum()
    t = np.cos(angle)
    lengths = (t @ weights) * np.linspace(0.6, 1.4, 81)[:, None]
    left = np.sqrt(1.0 + lengths**2 - 2.0 * lengths * t) @ weights
    return sqrt(d / rows) * max(0.0, 1.0 - left.min())


@pytest.mark.parametrize("rows", [10, 20, 50, 209])
def test_from_ten_rows_a_standardised_root_gains_no_more(rows):
    """The tangent of the bound, where that is at most .4, lies above what every cap gains.

    So does the bound above the mean over any parts of the sphere, because it is concave.
    """
    bound = RootSquaredError(1.0)
    assert rows >= bound.LEAST_ROWS
    nats = bound.budget(bound.LARGEST, rows)
    slope = (bound.mean(nats + 1e-4, rows) - bound.mean(nats - 1e-4, rows)) / 2e-4
    for amount in np.linspace(0.01, min(3.0 * rows, 400.0), 150):
        assert cap_roots(rows, amount) <= bound.mean(nats, rows) + slope * (amount - nats)
        if amount <= nats:
            assert cap_roots(rows, amount) <= bound.mean(amount, rows)


def test_with_three_rows_a_standardised_root_gains_more():
    """Which eighth of a circle: why nothing is proved there."""
    angles = (np.arange(10_000) + 0.5) / 10_000 * pi / 8
    points = sqrt(2.0) * np.array([np.cos(angles), np.sin(angles)])
    gain = (sqrt(2.0) - np.linalg.norm(points - [[sqrt(2.0)], [0.0]], axis=0).mean()) / sqrt(3.0)
    assert gain > 1.3 * RootSquaredError(1.0).mean(log(8), 3)
    assert 2 / 3 * (np.sin(pi / 8) / (pi / 8)) ** 2 < SquaredError(1.0).mean(log(8), 3)


@pytest.mark.parametrize("dimension", [2, 3, 10, 100])
def test_a_model_changes_nothing_for_a_standardised_response(dimension):
    """docs/proofs/squared_error.md: a mean direction A costs more than -(d+2)/2 ln(1 - dA^2/(d+2)).

    With the length known, a response with a model has a von Mises-Fisher distribution.  Its
    concentration k is the derivative of its divergence from uniform, with respect to A.
    """
    d, k = dimension, np.geomspace(0.1, 5.0 * dimension, 300)
    a = special.ive(d / 2, k) / special.ive(d / 2 - 1, k)
    steeper = 1.0 / (1.0 - a * a - (d - 1.0) * a / k)
    left = 1.0 - d * a * a / (d + 2.0)
    assert (k >= (1.0 - 1e-9) * d * a / left).all()
    assert (steeper >= (1.0 - 1e-9) * d * (2.0 - left) / left**2).all()


def test_an_outlier_breaks_the_bound_of_gaussian_noise():
    """One row of 20 has all the variance: to know which takes ln 20 nats."""
    gain, nats = 1.0, log(20)
    assert gain > 3 * SquaredError(1.0).mean(nats, 20)
    proxy = 20.0 / 4.0  # a quarter of the squared range, sqrt(20)
    assert gain < SquaredError(proxy, gaussian=False).mean(nats, 20)


def test_two_labels_are_known_from_the_start_and_one_bit():
    """Why the start is counted: 00 or 11, or else 01 or 10."""
    gain = 0.5  # from one half to all right
    assert BoundedLoss().mean(log(2), 2) < gain < LabelLoss().mean(log(2), 2)
    assert fair_labels_accuracy(log(2), 2) < 1.0


# Closed forms


@pytest.mark.parametrize(
    ("bits", "distortion"), [(1, 1 - 2 / pi), (2, 0.1175), (3, 0.03454), (4, 0.009497)]
)
def test_optimal_quantisers_keep_the_bound(bits, distortion):
    """A few bits on every row, spent as well as a scalar quantiser can: Max 1960, table I."""
    rows = 30
    gain = SquaredError(1.0).mean(bits * rows * log(2), rows)
    assert gain == pytest.approx(1 - 4.0**-bits)
    assert 0.8 * gain < 1 - distortion < gain


def test_gaussian_channels_keep_the_bound_and_reach_it():
    """A noisy measurement of each of k of n rows: k/2 ln(1 + rho) nats."""
    rows, ratio = 12, 3.0
    for k in (1, 6, 12):
        gain = k / rows * ratio / (1 + ratio)  # of the posterior means
        bound = SquaredError(1.0).mean(k / 2 * log(1 + ratio), rows)
        assert gain == pytest.approx(bound) if k == rows else gain < bound


def test_the_root_of_one_row():
    """With one row the RMSE is the absolute error: Shannon's lower bound of a Gaussian source."""
    for nats in (0.0, 1.0, 3.0):
        least = 3.0 * sqrt(2 * pi * exp(1)) * exp(-nats) / (2 * exp(1))
        mean = RootSquaredError(9.0).mean(nats, 1)
        assert mean == pytest.approx(3.0 * sqrt(2 / pi) - least)


def test_with_many_rows_the_root_gains_as_the_square_does():
    for nats in (5.0, 300.0):
        squares = SquaredError(1.0).mean(nats, 10_000)
        assert RootSquaredError(1.0).mean(nats, 10_000) == pytest.approx(
            1 - sqrt(1 - squares), abs=2e-5
        )


def test_the_chance_of_an_easy_response():
    """Laurent & Massart: |e|^2 of Gaussian noise is rarely smaller."""
    for rows in (5, 50, 500):
        for delta in (0.05, 0.3):
            least = RootSquaredError(2.0)._least_square(rows, delta)
            assert stats.chi2.cdf(least / 2.0 * rows, rows) <= delta / 2


def test_an_exact_score_of_every_row_gains_everything():
    assert SquaredError(2.0).mean(1e9, 10) == pytest.approx(2.0)
    assert RootSquaredError(4.0).mean(1e9, 10) == pytest.approx(2 * stats.chi(10).mean() / sqrt(10))
    assert RootSquaredError(4.0).budget(2.0, 10) == float("inf")
    assert fair_labels_accuracy(10 * log(2), 10) == 1.0
    assert fair_labels_accuracy(1e9, 10) == 1.0


def test_nothing_shown_gains_nothing_on_average():
    assert SquaredError(2.0).mean(0.0, 10) == 0.0
    assert BoundedLoss().mean(0.0, 10) == 0.0
    assert fair_labels_accuracy(0.0, 10) == pytest.approx(0.5, abs=1e-6)
    # One fixed file: the chance of a public score that is too good.
    assert SquaredError(2.0).high(0.0, 10) == pytest.approx(0.2 * stats.norm.isf(0.05) ** 2)
    assert BoundedLoss().high(0.0, 10) == pytest.approx(sqrt(log(20) / 20))


def test_codes_keep_the_bound_of_fair_labels():
    """Hamming's (7, 4) code, and m of n labels known."""
    hamming = (1 * 7 + 7 * 6) / 8 / 7  # no or one label wrong
    assert (
        0.95 * fair_labels_accuracy(4 * log(2), 7) < hamming < fair_labels_accuracy(4 * log(2), 7)
    )
    for known in range(9):
        assert 0.5 + known / 16 <= fair_labels_accuracy(known * log(2), 8) + 1e-12


def test_pinsker_lies_above_the_rate_of_fair_labels():
    for nats in (0.1, 1.0, 10.0, 60.0):
        assert fair_labels_accuracy(nats, 100) < 0.5 + BoundedLoss().mean(nats, 100)
    distortion = 1 - fair_labels_accuracy(30.0, 100)
    entropy = stats.bernoulli(distortion).entropy()
    assert log(2) - entropy == pytest.approx(0.3)


def test_known_numbers():
    """Budgets for a mean gain of .05, and two digests."""
    budgets = [SquaredError(1.0).budget(0.05, n) for n in (50, 209, 1000, 5000)]
    assert budgets == pytest.approx([1.28, 5.36, 25.65, 128.2], rel=2e-3)
    assert SquaredError(1.0).mean(log(3003), 209) == pytest.approx(0.0738, abs=5e-5)
    assert SquaredError(1.0).mean(log(252), 209) == pytest.approx(0.0515, abs=5e-5)
    assert SquaredError(1.0).mean(10 * log(3003), 209) == pytest.approx(0.535, abs=5e-4)
    assert fair_labels_accuracy(19.03, 209) == pytest.approx(0.710, abs=5e-4)


# Shape and inverses


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: type(bound).__name__)
@pytest.mark.parametrize("delta", [None, 0.05, 0.3])
def test_a_budget_is_the_nats_of_its_gain(bound, delta):
    for nats in (2.0, 8.0, 19.5):
        gain = bound.bound(nats, 209, delta)
        assert bound.budget(gain, 209, delta) == pytest.approx(nats)
        assert bound.bound(nats * 1.01, 209, delta) > gain > bound.bound(nats, 210, delta)
    assert bound.bound(8.0, 209, 0.01) > bound.bound(8.0, 209, 0.05)


def test_a_gain_of_the_whole_variance_has_no_budget():
    assert SquaredError(0.4).budget(0.4, 209) == float("inf")
    assert SquaredError(0.4).budget(0.4, 209, 0.05) < 209 / 2 + log(209)


def test_a_budget_below_0_says_that_one_file_gains_more():
    assert SquaredError(1.0).budget(0.01, 209, 0.05) < 0
    assert SquaredError(1.0).budget(0.01, 209) > 0


def test_the_squared_error_scales_with_the_unit():
    unit, ten = SquaredError(1.0), SquaredError(100.0)
    assert ten.mean(8.0, 50) == pytest.approx(100 * unit.mean(8.0, 50))
    assert ten.high(8.0, 50) == pytest.approx(100 * unit.high(8.0, 50))
    assert unit.mean(8.0, 50) == pytest.approx(1 - exp(-0.32))


def test_only_other_metrics_are_approximate():
    assert [bound.is_exact for bound in BOUNDS] == [True, True, True, True, False]
    assert all(bound.conditions.endswith(".") for bound in BOUNDS)


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 64, 12345, 10**9 - 1])
def test_whole_numbers_are_found(limit):
    assert largest(lambda k: k <= limit) == limit
    assert smallest(lambda k: k > limit) == limit + 1


def test_whole_numbers_without_an_end():
    assert largest(lambda k: True) is None
    assert smallest(lambda k: False) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SquaredError(0.0), "`variance` must be a number above 0; got 0.0"),
        (lambda: NormalScore(-1.0, 5), "`sd` must be a number above 0; got -1.0"),
        (lambda: NormalScore(1.0, 0), "`sd_rows` must be a whole number of 1 or more"),
        (lambda: fair_labels_accuracy(-1.0, 5), "`nats` must be a number of 0 or more"),
    ]
    + [
        (lambda call=call, bound=bound: call(bound), message)
        for bound in BOUNDS
        for call, message in (
            (lambda b: b.mean(-1.0, 5), "`nats` must be a number of 0 or more; got -1.0"),
            (lambda b: b.mean(1.0, 0), "`rows` must be a whole number of 1 or more; got 0"),
            (lambda b: b.high(1.0, 5, 0.0), "`delta` must be a probability between 0 and 1"),
            (lambda b: b.budget(0.0, 5), "`gain` must be a number above 0; got 0.0"),
            (lambda b: b.budget(0.1, 0), "`rows` must be a whole number of 1 or more"),
            (lambda b: b.budget(0.1, 5, 1.0), "`delta` must be a probability between 0 and 1"),
        )
    ],
)
def test_numbers_out_of_range_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize("rows", [10, 11])
def test_the_more_frequent_label_of_ten_rows_is_on_five_to_ten_of_them(rows):
    """Six numbers, so that the start tells ln 6 nats; twice the nats are more here."""
    assert LabelLoss().mean(5.0, rows) == BoundedLoss().mean(5.0 + log(6), rows)
    assert LabelLoss().budget(0.4, rows) == max(
        BoundedLoss().budget(0.4, rows) / 2, BoundedLoss().budget(0.4, rows) - log(6)
    )
