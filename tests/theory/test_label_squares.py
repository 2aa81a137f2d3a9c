"""The bound of the Brier score: every transcript of a few labels, and an attacker of digests."""

from functools import partial
from itertools import product
from math import exp, log, sqrt
from pathlib import Path

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.theory.gains import SquaredError
from shakedown.theory.losses import LabelSquaredError, entropy_of_ones
from shakedown.theory.metric_bounds import gain_bound
from shakedown.theory.proved import (
    digests_within,
    ladder_step_within,
    proved_limits,
    proved_transcripts,
    rows_needed,
)

PAGE = Path(__file__).parents[2] / "docs" / "proofs" / "other_metrics.md"
#: Of each row, the probability that its label is 1.
LABELS = {
    "fair": [0.5] * 4,
    "fair, five": [0.5] * 5,
    "rare": [0.1] * 5,
    "rarer": [0.05] * 5,
    "a model": [0.5, 0.2, 0.9, 0.05, 0.6],
}


def every_label(p):
    """All labels of the rows, their probabilities, and e = y - p."""
    y = np.array(list(product([0.0, 1.0], repeat=len(p))))
    return y, np.where(y > 0.0, p, 1.0 - np.array(p)).prod(axis=1), y - np.array(p)


def squared_mean(chance, e):
    """The probability of some labels, times the squared length of their mean e."""
    weighted = chance @ e
    return float(weighted @ weighted) / chance.sum() if chance.sum() else 0.0


def most(chance, e, parts):
    """The largest sum of `squared_mean` over ways to tell so many kinds of labels apart."""
    found = 0.0
    for kinds in product(range(parts), repeat=max(len(e) - 1, 0)):  # the first is of kind 0
        kinds = np.array((0, *kinds))
        found = max(
            found, sum(squared_mean(chance[kinds == k], e[kinds == k]) for k in range(parts))
        )
    return found


@pytest.mark.parametrize("case", LABELS)
@pytest.mark.parametrize("parts", [2, 3])
def test_no_way_to_tell_labels_apart_gains_more_on_average(case, parts):
    """Every function of the labels with so many values, beside the number of ones."""
    p = LABELS[case]
    y, chance, e = every_label(p)
    ones = y.sum(axis=1)
    if parts == 3 and len(p) == 5:  # 3^9 ways for each number of ones are too many
        p = p[:4]
        y, chance, e = every_label(p)
        ones = y.sum(axis=1)
    strata = [ones == k for k in range(len(p) + 1)]
    both = sum(most(chance[own], e[own], parts) for own in strata) / len(p)
    alone = sum(squared_mean(chance[own], e[own]) for own in strata) / len(p)
    bound = LabelSquaredError(0.25)
    assert alone < both <= bound.mean(log(parts), len(p))
    assert bound.mean(0.0, len(p)) == 0.0
    if len(p) == 4:  # without the number of ones, which a start tells
        told = most(chance, e, 2) / len(p)
        assert told <= SquaredError(0.25, gaussian=False).mean(log(2), len(p))
        if case == "fair":
            assert told > 0.3 * SquaredError(0.25, gaussian=False).mean(log(2), len(p))


@pytest.mark.parametrize("case", LABELS)
@pytest.mark.parametrize("rows", [4, 8])
def test_no_last_file_exceeds_what_is_proved_but_for_the_chance(case, rows):
    """Files of many directions, each of the best length for a gain, chosen by what is told."""
    p = np.resize(LABELS[case], rows)
    y, chance, e = every_label(p)
    rng, bound = np.random.default_rng(rows), LabelSquaredError(0.25)
    ways = np.concatenate([e, rng.standard_normal((300, rows)), np.eye(rows)])
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    for gain in (0.02, 0.1, 0.3, 0.5):
        v = ways * sqrt(rows * gain)
        exceeds = 2.0 * e @ v.T - rows * gain > rows * gain - 1e-12  # shape (labels, ways)
        for parts in (1, 2, 4):
            # One of so many files for each number of ones, and the best of them is told.
            total = 0.0
            for k in range(rows + 1):
                own = y.sum(axis=1) == k
                left, reached = chance[own].copy(), 0.0
                for _ in range(parts):
                    best = (left @ exceeds[own]).argmax()
                    reached += left @ exceeds[own, best]
                    left[exceeds[own, best]] = 0.0
                total += reached
            proved = parts * (rows + 1) * exp(-2.0 * rows * gain)
            assert total <= proved
            if proved < 1.0:
                assert bound.high(log(parts), rows, proved) == pytest.approx(gain)


def test_the_number_of_ones_tells_no_more_than_is_counted():
    for rows in (1, 2, 3, 4, 8, 40, 209):
        for p in (0.5, 0.3, 0.05):
            count = np.array([1.0])
            for _ in range(rows):
                count = np.convolve(count, [1.0 - p, p])
            entropy = -(count[count > 0.0] * np.log(count[count > 0.0])).sum()
            assert entropy <= entropy_of_ones(rows)


@pytest.mark.parametrize("rows", [209, 5000])
def test_the_budget_is_the_inverse(rows):
    bound = LabelSquaredError(1.3)
    for gain in (0.06, 0.3):
        assert bound.mean(bound.budget(gain, rows), rows) == pytest.approx(gain)
        nats = bound.budget(gain, rows, 0.25)
        if nats > 0.0:
            assert bound.high(nats, rows, 0.25) == pytest.approx(gain)
    assert bound.budget(1e-6, rows) == 0.0


def test_a_variance_must_be_above_0():
    with pytest.raises(InputError, match="must be a number above 0"):
        LabelSquaredError(0.0)


def test_digests_of_many_labels_are_proved():
    """Of standardised labels; a rare class has noise of more than its variance."""
    shared = {"metric": "brier", "quantile": 0.25}
    assert digests_within(209, -0.05, 500, **shared) == []
    offers = digests_within(1000, -0.05, 500, **shared)
    for entry in offers:
        board = mechanism("digest", **entry)
        assert proved_limits(board, "brier", 1000, -0.05, 500, quantile=0.25).both == 500
        rare = proved_limits(board, "brier", 1000, -0.05, 500, quantile=0.25, row_variance=2.8)
        assert rare.both < 500
    assert len(offers) == 3
    assert ladder_step_within(5000, -0.05, 500, **shared) == 0.034
    setting = "digest(eta=0.1,every=50,floor=0.5,updates=10)"
    rows = rows_needed(setting, "brier", -0.05, 500)
    told = proved_transcripts(setting, rows, 500, metric="brier")
    assert gain_bound("brier").mean(told.nats, rows) <= 0.05
    assert gain_bound("brier").mean(told.nats, rows - 1) > 0.05


@pytest.mark.parametrize(
    ("rows", "eta", "updates"), [(500, 0.1, 10), (1000, 0.05, 20), (5000, 0.01, 80)]
)
def test_the_table_of_brier_scores_is_that_of_the_code(rows, eta, updates):
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    head = f"| {rows:,} | {updates} of {eta:g} |".replace("0.", ".")
    (line,) = [line for line in lines if line.startswith(head)]
    mean, mostly, attack, ratio = (float(cell) for cell in line.split("|")[3:-1])
    setting = f"digest(eta={eta},every={500 // updates},floor=0.5,updates={updates})"
    told, bound = proved_transcripts(setting, rows, 500, metric="brier"), gain_bound("brier")
    assert mean == pytest.approx(bound.bound(told, rows), abs=6e-5)
    assert mostly == pytest.approx(bound.bound(told, rows, 0.25), abs=6e-5)
    assert ratio == pytest.approx(mean / attack, abs=0.06)


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_an_attacker_of_a_digest_does_not_gain_more(share):
    """A random climb between updates, from the share of ones; as in `test_proved`."""
    rows, plays, updates, every = 60, 150, 10, 8
    own = share * (1.0 - share)
    board = mechanism("digest", eta=0.01 * own, floor=0.5 * own, every=every, updates=updates)
    gains = []
    for number in range(plays):
        rng = np.random.default_rng(number)
        y = (rng.permutation(rows) < share * rows).astype(float)
        running = Board(Scorer(find("brier"), y), board, partial(stream, number))
        kept, shown = np.full(rows, share), running.shown
        for _ in range(updates):
            tried = kept + 0.12 * sqrt(own) * rng.choice([-1.0, 1.0], rows)
            score = running.submit(np.repeat(tried[None], every, axis=0)).released[-1]
            kept, shown = (tried, score) if score < shown else (kept, shown)
        gains.append(own - np.mean((y - kept) ** 2))
    gains = np.array(gains)
    told = proved_transcripts(board, rows, updates * every, metric="brier", start=own)
    error = gains.std(ddof=1) / sqrt(plays)
    assert gains.mean() + 4.0 * error < LabelSquaredError(0.25).mean(told.nats, rows)
    assert gains.mean() > 4.0 * error  # it does gain
