"""No row is known better than from its own label: the best adaptive plans for a few rows.

Every plan of a grid of files is played to its end, with what is the best for each answer; answers
are told by the interval in which they lie, which tells no more than they do.
"""

from itertools import combinations, permutations, product
from math import inf, log, sqrt

import numpy as np
import pytest
from scipy import integrate, special, stats

from shakedown.leaderboard.row_precision import WORTH, precise_gain, precision_within


def entropy(p):
    return special.entr(p) + special.entr(1.0 - p)


def of_order(labels, order):
    """The area of one order of the rows for each of these labels."""
    right = labels[:, :, None] * (1.0 - labels[:, None]) * (order[:, None] > order)
    ones = labels.sum(axis=1)
    return right.sum(axis=(1, 2)) / (ones * (labels.shape[1] - ones))


def values_of(metric, labels):
    """The smallest risk of files, for posteriors over these labels, shape (k, labels)."""
    if metric == "auroc":
        n = labels.shape[1]
        orders = np.array(list(permutations(range(n))))
        areas = np.array([of_order(labels, order) for order in orders])
        return lambda posteriors: -(posteriors @ areas.T).max(axis=1)

    def value(posteriors):
        m = posteriors @ labels
        if metric == "zero_one":
            return np.minimum(m, 1.0 - m).mean(axis=1)
        if metric == "brier":
            return (m * (1.0 - m)).mean(axis=1)
        return entropy(m).mean(axis=1)

    return value


def files_for(n, richness):
    """Directions with a largest entry of 1: single rows, groups, differences, powers of 2."""
    entries = [-1.0, 0.0, 1.0] if richness == 0 else [-1.0, -0.5, 0.0, 0.25, 0.5, 1.0]
    files = [u for u in product(entries, repeat=n) if max(map(abs, u)) == 1.0]
    kept = {max(u, tuple(-x for x in u)) for u in files}  # the sign of a file tells nothing
    kept.add(tuple(2.0**-k for k in range(n)))
    return np.array(sorted(kept))


def best_value(labels, chance, files, shares, precision, bins, value):
    """The risk that the best adaptive plan is left with.

    File t has the share t of the precision in its largest entry, whatever was spent before.
    """

    def intervals(u, share):
        """P(interval | labels), shape (labels, bins), of the answer to one file."""
        sd = 1.0 / sqrt(share * precision)
        means = labels @ u
        low, high = means.min() - 0.8 * sd, means.max() + 0.8 * sd
        edges = np.concatenate([[-inf], np.linspace(low, high, bins - 1), [inf]])
        return np.diff(stats.norm.cdf((edges[None] - means[:, None]) / sd), axis=1)

    def left(posteriors, t):
        if t == len(shares):
            return value(posteriors)
        found = np.full(len(posteriors), inf)
        for told in tables[t]:
            joint = posteriors[:, :, None] * told[None]  # (k, labels, bins)
            of_bin = joint.sum(axis=1)
            after = np.swapaxes(joint / np.maximum(of_bin, 1e-300)[:, None], 1, 2)
            risks = left(after.reshape(-1, len(labels)), t + 1).reshape(of_bin.shape)
            found = np.minimum(found, (of_bin * risks).sum(axis=1))
        return found

    tables = [[intervals(u, share) for u in files] for share in shares]
    return float(left(chance[None], 0)[0])


def chances(labels, p):
    odds = np.where(labels > 0.0, p, 1.0 - np.array(p)).prod(axis=1)
    return odds / odds.sum()


PLANS = {
    "two rows, three files": (2, 0, (1 / 3, 1 / 3, 1 / 3), 5),
    "two rows, many files": (2, 1, (0.5, 0.5), 12),
    "three rows, two files": (3, 0, (0.3, 0.7), 8),
    "four rows, one file and another": (4, 0, (0.5, 0.5), 3),
}
LABELS = {"fair": 0.5, "rare": 0.1, "rarer": 0.05}


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("case", [*LABELS, "a model"])
@pytest.mark.parametrize("precision", [0.1, 2.0])
@pytest.mark.parametrize("metric", ["zero_one", "brier", "log_loss"])
def test_no_adaptive_plan_gains_more_than_one_label_alone(plan, case, precision, metric):
    n, richness, shares, bins = PLANS[plan]
    p = [LABELS[case]] * n if case in LABELS else [0.5, 0.3, 0.1, 0.8][:n]
    labels = np.array(list(product([0.0, 1.0], repeat=n)))
    chance, value = chances(labels, p), values_of(metric, labels)
    files = files_for(n, richness)
    left = best_value(labels, chance, files, shares, precision, bins, value)
    gain = value(chance[None])[0] - left
    bound = precise_gain(metric, precision)
    assert -1e-12 <= gain <= bound
    if case == "fair" and n == 2:
        assert gain > 0.3 * bound  # with intervals for answers, and equal shares


@pytest.mark.parametrize(("n", "ones"), [(2, 1), (3, 1), (4, 2), (4, 1)])
@pytest.mark.parametrize("p", [None, [0.5, 0.2, 0.7, 0.4]])
@pytest.mark.parametrize("precision", [0.1, 1.0])
def test_no_adaptive_plan_orders_more_pairs(n, ones, p, precision):
    """The number of ones is known; the honest file has the best order without answers."""
    labels = np.array([
        [float(i in rows) for i in range(n)] for rows in combinations(range(n), ones)
    ])  # fmt: skip
    chance = chances(labels, [0.3] * n if p is None else p[:n])
    value, files = values_of("auroc", labels), files_for(n, 0)
    shares, bins = ((0.4, 0.6), 6) if n < 4 else ((0.5, 0.5), 3)
    gain = value(chance[None])[0] - best_value(
        labels, chance, files, shares, precision, bins, value
    )
    honest = np.argsort(np.argsort(p[:n] if p else np.arange(n)))
    # Ordering by the chance of a one is the best without answers, for every pair at once.
    assert -value(chance[None])[0] == pytest.approx(chance @ of_order(labels, honest))
    assert 0.0 <= gain <= precise_gain("auroc", precision)
    if n == 2 and p is None:
        assert gain > 0.7 * precise_gain("auroc", precision)  # nearly reached by the difference


@pytest.mark.parametrize("metric", ["zero_one", "brier", "log_loss"])
@pytest.mark.parametrize("precision", [0.02, 0.3, 2.0, 9.0])
def test_one_measurement_of_a_label_is_worth_most_if_it_is_fair(metric, precision):
    """By integration over the answer, and as many probabilities as there are digits."""
    root = sqrt(precision)

    def risk(m):
        if metric == "log_loss":
            return entropy(m)
        return np.minimum(m, 1.0 - m) if metric == "zero_one" else m * (1.0 - m)

    def worth(p):
        def left(x):
            of_1, of_0 = p * stats.norm.pdf(x - root), (1.0 - p) * stats.norm.pdf(x)
            return (of_1 + of_0) * risk(of_1 / (of_1 + of_0))

        middle = 0.5 * root - log(p / (1.0 - p)) / root  # where a guess changes
        ends = sorted({-9.0, min(max(middle, -9.0), 9.0 + root), 9.0 + root})
        parts = [integrate.quad(left, *pair)[0] for pair in zip(ends, ends[1:], strict=False)]
        return float(risk(np.array(p))) - sum(parts)

    fair = worth(0.5)
    assert fair == pytest.approx(precise_gain(metric, precision), abs=1e-7)
    values = [worth(p) for p in np.linspace(0.01, 0.5, 25)]
    assert (np.diff(values) >= -1e-9).all()


def test_measuring_each_row_alone_reaches_the_bound():
    """So no smaller one holds: 400 fair labels, each with the precision B."""
    rng, precision = np.random.default_rng(1), 0.5
    y = rng.integers(0, 2, (500, 400))
    odds = precision * (y + rng.standard_normal(y.shape) / sqrt(precision) - 0.5)
    m = 1.0 / (1.0 + np.exp(-odds))
    found = {
        "zero_one": 0.5 - (y != (m > 0.5)).mean(axis=1),
        "brier": 0.25 - ((y - m) ** 2).mean(axis=1),
        "log_loss": log(2.0) + np.log(np.where(y, m, 1.0 - m)).mean(axis=1),
    }
    for metric, gains in found.items():
        error = gains.std() / sqrt(len(gains))
        assert abs(gains.mean() - precise_gain(metric, precision)) < 4.0 * error


@pytest.mark.parametrize("metric", WORTH)
def test_precisions_are_those_of_gains(metric):
    for gain in (1e-4, 0.01, *np.linspace(0.03, 0.2, 40)):
        precision = precision_within(metric, gain)
        assert float(f"{precision:.9g}") == precision  # whatever the last digits of sums are
        assert precise_gain(metric, precision) == pytest.approx(gain, rel=1e-8)
        assert precise_gain(metric, precision) <= gain
    assert precise_gain(metric, 0.0) == 0.0
    assert precision_within(metric, 0.9) == inf
    gains = [precise_gain(metric, b) for b in np.geomspace(1e-6, 1e5, 200)]
    assert (np.diff(gains) >= -1e-15).all()
