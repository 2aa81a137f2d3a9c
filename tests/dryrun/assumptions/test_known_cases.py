"""Cases in which an answer that did not look at its assumptions was wrong.

Each compares what a participant gains from a transcript that is known in full with the bound for as
many nats.  A board that shows no more was called proved.
"""

from dataclasses import replace
from math import log

import numpy as np
import pytest
from scipy import stats

from shakedown.data.several import cells_in_one, standardised_by
from shakedown.interface import Grouping
from shakedown.metrics import find
from shakedown.theory.metric_bounds import gain_bound
from tests.data.test_several import several
from tests.dryrun.assumptions.tables import challenge, found

MANY = 4000


def gain(noise, words):
    """The mean gain of who predicts the mean of the noise given a transcript.

    noise: (draws, rows); words: the transcript of each draw, as whole numbers.
    """
    _, at = np.unique(words, return_inverse=True)
    counts = np.bincount(at)
    sums = np.zeros((len(counts), noise.shape[1]))
    np.add.at(sums, at, noise)
    told = (sums / counts[:, None])[at]
    return float(np.mean(noise**2 - (noise - told) ** 2) / np.mean(noise**2))


def signs(values):
    """The signs of columns, as one number."""
    return (values > 0) @ (1 << np.arange(values.shape[1]))


def bound(nats, rows, **given):
    return gain_bound(find("mse"), **given).mean(nats, rows)


def clustered(rng, draws, groups, size):
    """Rows of a group have the same noise."""
    return np.repeat(rng.standard_normal((draws, groups)), size, axis=1)


@pytest.mark.parametrize("kind", ["t3", "mixture"])
def test_outliers(kind):
    rng = np.random.default_rng(1)
    size = (MANY, 200)
    if kind == "t3":
        noise = rng.standard_t(3, size)
    else:
        noise = rng.standard_normal(size) * np.where(rng.random(size) < 0.02, 10.0, 1.0)
    # ln 400 nats tell which row is the largest, and its sign.
    row = np.abs(noise).argmax(axis=1)
    largest = np.abs(noise).max(axis=1)
    length = largest.mean()
    gained = float(np.mean(2.0 * length * largest - length**2) / np.sum(noise.var(axis=0)))
    assert row.max() > 190
    assert gained > 1.5 * bound(log(400), 200)
    normal = np.abs(rng.standard_normal(size)).max(axis=1)
    assert normal.mean() ** 2 / 200 < bound(log(400), 200)
    X = rng.standard_normal((200, 10))
    # t3 noise passes for normal in about 1 of 10 tables of 200 rows.
    tails = [found(challenge(X[:, 0] + draw, X)).get("heavy_tails") for draw in noise[:40]]
    seen = [finding for finding in tails if finding]
    assert len(seen) >= 30
    assert all(f["withholds"] and f["found"] > f["assumed"] for f in seen)


def test_noise_on_20_of_200_rows():
    rng = np.random.default_rng(2)
    noise = np.zeros((MANY, 200))
    noise[:, :20] = rng.standard_normal((MANY, 20)) * np.sqrt(10.0)
    gained, nats = gain(noise, signs(noise[:, :8])), 8 * log(2)
    assert gained > 4 * bound(nats, 200)
    assert gained < bound(nats, 200, row_variance=10.0)
    X = rng.standard_normal((200, 6))
    X[:, 0] = np.arange(200) < 20
    order = rng.permutation(200)
    table = challenge((noise[0] + X[:, 1])[order], X[order])
    finding = found(table)["unequal_variance"]
    assert finding["withholds"]
    assert finding["found"] == pytest.approx(10.0, abs=1.0)
    assert finding["assumed"] == 1.0
    assert finding["statistic"].startswith("largest mean square of residuals at one value of ")
    covered = found(table, row_variance=12.0)
    assert set(covered) == {"unequal_variance"}
    assert not covered["unequal_variance"]["withholds"]


def test_variance_that_grows_with_the_fitted_value():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 5))
    signal = X.sum(axis=1)
    finding = found(challenge(signal + np.exp(signal / 3) * rng.standard_normal(300), X))
    assert "the fitted value" in finding["unequal_variance"]["sentence"]
    said = "largest mean square of residuals in one range of the fitted value"
    assert finding["unequal_variance"]["statistic"] == said


@pytest.mark.parametrize("told_by", ["ignored column", "ids", "feature"])
def test_20_patients_with_8_visits_each(told_by):
    rng = np.random.default_rng(4)
    noise = clustered(rng, MANY, 20, 8)
    gained, nats = gain(noise, signs(noise[:, :64:8])), 8 * log(2)
    assert gained > 3 * bound(nats, 160)
    assert gained < bound(nats, 20)
    assert gained < bound(nats, 160, row_variance=8.0)  # as with the column stated
    order = rng.permutation(160)
    patient, X = np.repeat(np.arange(20), 8)[order], rng.standard_normal((160, 6))
    y = X[:, 0] + noise[0][order] + 0.3 * rng.standard_normal(160)
    assert not found(challenge(y, X))
    if told_by == "ignored column":
        table = challenge(y, X, groupings=[Grouping("patient", patient, True)])
    elif told_by == "ids":
        visit = np.tile(np.arange(8), 20)[order]
        table = challenge(y, X, rows=[f"P{p}_V{v}" for p, v in zip(patient, visit, strict=True)])
    else:
        table = challenge(y, np.column_stack([X, rng.permutation(20)[patient]]))
    finding = found(table)["groups"]
    assert finding["withholds"]
    assert finding["assumed"] == 160
    assert finding["found"] == 20 if told_by != "feature" else 20 <= finding["found"] < 30


def test_rows_that_occur_twice():
    rng = np.random.default_rng(5)
    noise = clustered(rng, MANY, 8, 2)
    gained, nats = gain(noise, signs(noise[:, ::2])), 8 * log(2)
    assert gained > bound(nats, 16)
    assert gained < bound(nats, 8)
    X = rng.standard_normal((150, 20))
    y = X[:, 0] + rng.standard_normal(150)
    near = X[:50] + 1e-3 * rng.standard_normal((50, 20))
    order = rng.permutation(200)
    again = np.concatenate([y, y[:50] + 0.05 * rng.standard_normal(50)])[order]
    finding = found(challenge(again, np.concatenate([X, near])[order]))["near_duplicates"]
    assert finding["withholds"]
    assert (finding["assumed"], finding["found"]) == (200, 150)


def test_a_series_in_time():
    rng = np.random.default_rng(6)
    noise = np.zeros((MANY, 160))
    noise[:, 0] = rng.standard_normal(MANY)
    for t in range(1, 160):
        noise[:, t] = 0.95 * noise[:, t - 1] + np.sqrt(1 - 0.95**2) * rng.standard_normal(MANY)
    blocks = noise.reshape(MANY, 8, 20).mean(axis=2)
    assert gain(noise, signs(blocks)) > 3 * bound(8 * log(2), 160)
    X = rng.standard_normal((160, 5))
    finding = found(challenge(X[:, 0] + noise[0], X))["serial_order"]
    assert finding["withholds"]
    assert finding["found"] < 40 < finding["assumed"] == 160


def test_a_response_with_two_values():
    rng = np.random.default_rng(7)
    n, told = 60, 40
    labels = rng.integers(0, 2, n).astype(float)
    spread = labels.std()
    y = (labels - labels.mean()) / spread
    # One file with powers of two; the length of y, and its two values, are known.
    file = np.zeros(n)
    file[:told] = 2.0 ** np.arange(told) * 2.0**-30
    score = float(find("mse").score(y, file[None])[0])
    product = (y @ y + file @ file - n * score) / 2.0
    whole = round((product * spread + labels.mean() * file.sum()) * 2.0**30)
    read = [(whole >> bit) & 1 for bit in range(told)]
    assert read == labels[:told].astype(int).tolist()  # a probe tells one of them
    finding = found(challenge(np.resize(labels, 180), rng.standard_normal((180, 5))))["few_values"]
    assert finding["withholds"]
    assert (finding["assumed"], finding["found"]) == (1, 46)


@pytest.mark.parametrize("spread", [0.05, 0.3])
def test_two_narrow_humps(spread):
    """A file with weights by powers of 2 gains .43 on a metered board with a gain of .3 then."""
    rng = np.random.default_rng(9)
    y = rng.choice([-1.0, 1.0], 209) + spread * rng.standard_normal(209)
    finding = found(challenge(y, rng.standard_normal((209, 5))))["two_humps"]
    assert finding["withholds"]
    assert finding["value"] == pytest.approx(1.0 if spread == 0.05 else 1.3, abs=0.1)
    # By the moments of the kurtosis of 209 normal numbers.
    mean, sd = 3 * 208 / 210, np.sqrt(24 * 209 * 207 * 206 / (210**2 * 212 * 214))
    z = (finding["value"] - mean) / sd
    assert finding["p_value"] == pytest.approx(float(stats.norm.cdf(z)), rel=1e-9)
    one_hump = rng.uniform(-1.0, 1.0, 209)
    assert "two_humps" not in found(challenge(one_hump, rng.standard_normal((209, 5))))


def test_whole_numbers_are_told_without_withholding_a_proof():
    rng = np.random.default_rng(8)
    finding = found(challenge(rng.binomial(40, 0.5, 300), rng.standard_normal((300, 5))))
    assert set(finding) == {"few_values"}
    assert not finding["few_values"]["withholds"]
    assert 8 <= finding["few_values"]["found"] < 15


def test_of_many_rows_those_are_compared_that_may_be_neighbours():
    rng = np.random.default_rng(9)
    X, y = rng.standard_normal((30_000, 5)), rng.standard_normal(30_000)
    X[:3000], y[:3000] = X[-3000:], y[-3000:]
    finding = found(challenge(y, X))["near_duplicates"]
    assert finding["found"] == pytest.approx(27_000, abs=300)


def of_kinds(rows, q, alike, seed):
    """Responses that go together in one way in each kind of rows, which features tell.

    Their correlations over all rows are small.
    """
    rng = np.random.default_rng(seed)
    X, W = rng.standard_normal((rows, 6)), np.random.default_rng(99).standard_normal((6, q))
    Y = np.sign(X @ W) * np.sqrt(alike) * rng.standard_normal((rows, 1))
    Y += np.sqrt(1.0 - alike) * rng.standard_normal((rows, q))
    whole = several(rows=rows, q=q)
    y = standardised_by(Y.ravel(), whole.cells.responses)
    return replace(whole, X=np.repeat(X, q, axis=0), y=y, features=np.arange(6).astype(str))


@pytest.mark.parametrize("alike", [0.5, 0.9])
def test_responses_that_go_together_in_another_way_in_each_row(alike):
    rng = np.random.default_rng(7)
    numbers, told = rng.standard_normal((MANY, 20)), 8 * log(2)
    signs_of = np.sign(rng.standard_normal((20, 10)))
    noise = (numbers[:, :, None] * signs_of).reshape(MANY, 200)
    gained = gain(noise, signs(numbers[:, :8]))
    tables = [of_kinds(90, 10, alike, seed) for seed in range(20)]
    assumed = np.mean([cells_in_one(table) for table in tables])
    assert assumed < 3.2  # of 10
    assert gained > 1.4 * bound(told, 200, row_variance=assumed)
    assert gained < bound(told, 200, row_variance=10.0)
    seen = [f for table in tables if (f := found(table).get("unequal_covariance"))]
    assert len(seen) >= 18
    for finding in seen:
        assert finding["withholds"]
        assert finding["assumed"] < finding["found"] <= 10.0


def test_one_of_several_responses_may_have_few_values():
    """Each is scaled for itself, so that all together lie on no grid."""
    whole = several(rows=90, q=4)
    assert "few_values" not in found(whole)
    one = whole.cells.responses == 2
    y = np.where(one, np.sign(whole.y), whole.y)
    table = replace(whole, y=standardised_by(y, whole.cells.responses))
    finding = found(table)["few_values"]
    assert finding["withholds"]
    assert finding["found"] == 46
    assert finding["sentence"].startswith("The response 'y2' has 2 distinct values")
