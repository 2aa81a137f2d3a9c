"""Counts of transcripts: against brute force on tiny boards, closed forms, and real gates."""

from dataclasses import replace
from itertools import product
from math import comb, inf, log
from types import SimpleNamespace

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.disclosure import NOTHING, Disclosure, uncounted
from shakedown.leaderboard.gates import Margin, PairedTest
from shakedown.leaderboard.ties import rounded
from shakedown.theory import leakage

#: One or two risks for each level of steps of a quarter, off the ties.
RISKS = (0.02, 0.1, 0.24, 0.3, 0.49, 0.51, 0.74, 0.8, 1.2)


def shown_by(gate, step, risks, start=1.0):
    """What a board shows after each of a sequence of risks; it starts at `start`."""
    batch, best = SimpleNamespace(risks=risks), SimpleNamespace(risk=start)
    standing = gate.decide(batch, best, None, None, chain=True, rng=None)
    return tuple(float(rounded(risks[i] if i >= 0 else start, step)) for i in standing)


def transcripts(gate, step, submissions, start=1.0):
    return {
        shown_by(gate, step, np.array(risks), start) for risks in product(RISKS, repeat=submissions)
    }


def falling(levels, shown):
    """Sequences of levels that never rise, by brute force; level 0 is the start."""
    return [
        sequence
        for sequence in product(range(levels + 1), repeat=shown)
        if all(a <= b for a, b in zip(sequence, sequence[1:], strict=False))
    ]


def improvements(sequence, start=0):
    return sum(a != b for a, b in zip((start, *sequence), sequence, strict=False))


@pytest.mark.parametrize("submissions", [1, 2, 4])
def test_a_simplified_ladder_shows_every_falling_sequence_and_no_other(submissions):
    """The count is exact: 4 levels of .25 below 1."""
    seen = transcripts(Margin(0.0, 0.25), 0.25, submissions)
    assert log(len(seen)) == pytest.approx(leakage.monotone_nats(submissions, 4), abs=1e-12)


@pytest.mark.parametrize("submissions", [2, 4])
def test_a_general_ladder_shows_no_more(submissions):
    """It skips .25 -> 0, which needs a risk below 0."""
    seen = transcripts(Margin(0.25, 0.25), 0.25, submissions)
    possible = transcripts(Margin(0.0, 0.25), 0.25, submissions)
    assert seen == {
        transcript
        for transcript in possible
        if (0.25, 0.0) not in zip(transcript, transcript[1:], strict=False)
    }


def test_without_a_start_the_first_score_can_be_anything():
    """Why the count needs one: from an empty board, each scale of the first file is a value."""
    gate = Margin(0.25, 0.25)
    shown = {shown_by(gate, 0.25, np.array([risk]), start=inf) for risk in np.arange(1.0, 500.0)}
    assert len(shown) == 499 > comb(1 + 4, 4)


@pytest.mark.parametrize(("levels", "shown"), [(1, 1), (1, 6), (3, 4), (5, 3), (0, 3), (4, 0)])
def test_the_falling_sequences_by_brute_force(levels, shown):
    sequences = falling(levels, shown)
    assert log(len(sequences)) == pytest.approx(leakage.monotone_nats(shown, levels), abs=1e-12)
    for cap in range(7):
        capped = [sequence for sequence in sequences if improvements(sequence) <= cap]
        assert log(len(capped)) == pytest.approx(
            leakage.monotone_nats(shown, levels, improvements=cap), abs=1e-12
        )


def test_a_digest_shows_the_score_of_its_updates_alone():
    """6 submissions on 3 levels, shown after the second, fourth and sixth."""
    sequences = {sequence[1::2] for sequence in falling(3, 6)}
    assert log(len(sequences)) == pytest.approx(leakage.digest_nats(3, 3), abs=1e-12)


@pytest.mark.parametrize(("shown", "values"), [(1, 1), (3, 2), (4, 3), (5, 2)])
def test_capped_improvements_by_brute_force(shown, values):
    """Each submission shows nothing new (0) or an improvement to one of the values."""
    every = list(product(range(values + 1), repeat=shown))
    for cap in range(shown + 2):
        capped = [sequence for sequence in every if sum(map(bool, sequence)) <= cap]
        assert log(len(capped)) == pytest.approx(leakage.capped_nats(shown, cap, values), abs=1e-12)
    assert leakage.flag_nats(shown) == pytest.approx(shown * log(2))
    assert leakage.flag_nats(shown, 1) == pytest.approx(log(1 + shown))
    assert leakage.grid_nats(shown, values) == pytest.approx(log(len(every)))


def test_large_counts_are_those_of_whole_numbers():
    assert leakage.monotone_nats(1000, 25) == pytest.approx(log(comb(1025, 25)), rel=1e-13)
    assert leakage.monotone_nats(10**6, 5) == pytest.approx(log(comb(10**6 + 5, 5)), rel=1e-9)
    capped = sum(comb(1000, i) * comb(300, i) for i in range(201))
    assert leakage.monotone_nats(1000, 300, improvements=200) == pytest.approx(log(capped))
    capped = sum(comb(1000, i) * 7**i for i in range(201))
    assert leakage.capped_nats(1000, 200, 7) == pytest.approx(log(capped))


def test_a_cap_that_is_too_large_to_count_is_no_cap():
    assert leakage.monotone_nats(5000, 4000, improvements=2000) == leakage.monotone_nats(5000, 4000)
    assert leakage.capped_nats(5000, 2000, 3) == leakage.grid_nats(5000, 3)


@pytest.mark.parametrize(
    ("start", "floor", "step", "levels"),
    [
        (1.0, 0.0, 0.1, 10),
        (1.0, 0.5, 0.1, 5),
        (1.0, 0.55, 0.1, 5),  # .9 .8 .7 .6 and the floor
        (0.9952, 0.0, 0.1, 10),  # shown as 1
        (1.0, 0.5, 0.02, 25),
        (0.5, 0.0, 0.02, 25),
        (208 / 209, 0.0, 1 / 209, 208),
        (0.3, 0.0, 0.1, 3),  # .3 / .1 is below 3 in floats
        (0.7, 0.6, 0.1, 1),
        (0.0, -1.0, 0.25, 4),
        (1.0, 0.9, 5.0, 1),  # the floor alone
        (0.93, 0.5, 0.1, 5),  # as a digest counts, which does not round the start
        (400.0, 200.0, 20.0, 10),
    ],
)
def test_the_levels_between_start_and_floor(start, floor, step, levels):
    assert leakage.levels_below(start, floor, step) == levels


@pytest.mark.parametrize("start", [0.97, 1.0, 1.0625, 1.125, 1.13])
def test_no_board_shows_more_levels(start):
    """From any start, a half and its neighbours among them."""
    levels = {transcript[-1] for transcript in transcripts(Margin(0.0, 0.25), 0.25, 2, start)}
    below = levels - {float(rounded(start, 0.25))}
    assert len(below) <= leakage.levels_below(start, 0.0, 0.25)


def nats(disclosure, **changes):
    given = {"submissions": 1000, "start": 1.0, "floor_": 0.5} | changes
    return leakage.board_nats(disclosure, **given)


def test_accounts_multiply_unless_they_share_a_board():
    ladder, digest = Disclosure(0.1, falls=True), Disclosure(0.1, falls=True, updates=10)
    assert nats(ladder, accounts=4) == 4 * nats(ladder)
    assert nats(digest, accounts=4) == 4 * nats(digest)
    assert nats(ladder, accounts=4, shared=True) == nats(ladder, submissions=4000)
    assert nats(digest, accounts=4, shared=True) == nats(digest)


def test_the_joint_transcripts_of_accounts_by_brute_force():
    """Two boards, 2 submissions each in any order that depends on what is shown."""
    sequences = falling(2, 2)
    assert log(len(list(product(sequences, sequences)))) == pytest.approx(
        leakage.board_nats(
            Disclosure(0.5, falls=True), submissions=2, start=1.0, floor_=0.0, accounts=2
        )
    )


def test_which_count_applies():
    assert nats(Disclosure(0.1, falls=True)) == leakage.monotone_nats(1000, 5)
    assert nats(Disclosure(0.1)) == leakage.grid_nats(1000, 5)
    assert nats(Disclosure(0.1), improvements=3) == leakage.capped_nats(1000, 3, 5)
    capped = leakage.monotone_nats(1000, 5, improvements=3)
    assert nats(Disclosure(0.1, falls=True), improvements=3) == capped
    assert nats(Disclosure(0.1, updates=7, falls=True)) == leakage.digest_nats(7, 5)
    assert nats(Disclosure(0.1, updates=7, falls=True, floor=0.7)) == leakage.digest_nats(7, 3)
    assert nats(Disclosure(0.1, updates=7, falls=True, floor=0.2)) == leakage.digest_nats(7, 5)
    assert nats(NOTHING, submissions=None) == 0.0
    assert nats(uncounted("Nobody knows.")) is None


def test_only_updates_that_the_submissions_reach_are_counted():
    digest = Disclosure(0.1, falls=True, updates=7, every=100)
    assert nats(digest, submissions=None) == leakage.digest_nats(7, 5)
    assert nats(digest, submissions=5000) == leakage.digest_nats(7, 5)
    assert nats(digest, submissions=399) == leakage.digest_nats(3, 5)
    assert nats(digest, submissions=99) == 0.0
    assert nats(digest, submissions=99, accounts=3) == 0.0
    assert nats(digest, submissions=99, accounts=3, shared=True) == leakage.digest_nats(2, 5)


def test_acceptances_are_counted_beside_the_score():
    digest = Disclosure(0.1, falls=True, updates=7, every=100)
    plain, with_flags = nats(digest), nats(digest, acceptance=True)
    assert with_flags == pytest.approx(plain + 1000 * log(2))
    assert nats(digest, acceptance=True, accounts=3) == pytest.approx(3 * with_flags)
    shared = nats(digest, acceptance=True, accounts=3, shared=True)
    assert shared == pytest.approx(plain + 3000 * log(2))
    capped = nats(replace(digest, improvements=2), acceptance=True)
    assert capped == pytest.approx(
        leakage.digest_nats(7, 5, improvements=2) + leakage.flag_nats(1000, 2)
    )
    ladder = Disclosure(0.1, falls=True, shows_acceptance=True)
    assert nats(ladder, acceptance=True) == nats(ladder)


def test_the_smaller_cap_counts():
    capped = Disclosure(0.1, falls=True, improvements=3)
    assert nats(capped) == nats(Disclosure(0.1, falls=True), improvements=3)
    assert nats(capped, improvements=2) == nats(Disclosure(0.1, falls=True), improvements=2)
    assert nats(capped, improvements=4) == nats(capped) < nats(Disclosure(0.1, falls=True))
    assert nats(Disclosure(0.1, improvements=3)) == leakage.capped_nats(1000, 3, 5)


def test_the_budget_of_known_boards():
    digest = Disclosure(0.1, falls=True, updates=10)
    assert nats(digest) == pytest.approx(log(3003))  # C(15, 5)
    for step, expected in ((0.1, 29.8), (0.05, 54.0), (0.02, 115.0)):
        assert nats(Disclosure(step, falls=True)) == pytest.approx(expected, abs=0.05)
    labels = Disclosure(0.02, falls=True, updates=10)
    assert leakage.board_nats(labels, submissions=None, start=0.5, floor_=0.0) / log(
        2
    ) == pytest.approx(27.45, abs=0.005)


def test_noisy_scores_of_orthogonal_directions():
    """k independent channels of ratio rho: the bound is exact."""
    assert leakage.noisy_nats(10, 3.0) == pytest.approx(5 * log(4.0))
    assert leakage.noisy_nats(10, 0.0) == 0.0


def test_a_ladder_falls_unless_its_test_gives_a_bonus():
    rows = 40
    assert PairedTest(0.15, rounds_best=True).only_lowers(1 / rows, rows)
    assert PairedTest(None, rounds_best=True).only_lowers(1 / rows, rows)
    assert PairedTest(0.15, rounds_best=False).only_lowers(0.3, rows)
    assert not PairedTest(0.6, rounds_best=True).only_lowers(1 / rows, rows)
    assert not PairedTest(0.15, rounds_best=True).only_lowers(0.3, rows)
    assert not Margin(-0.1, 0.1).only_lowers(0.1, rows)
    assert not Margin(0.1, 0.1).only_lowers(0.3, rows)
    assert Margin(0.1, 0.0).only_lowers(0.3, rows)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: leakage.monotone_nats(-1, 2), "`submissions` must be a whole number of 0 or more"),
        (lambda: leakage.monotone_nats(2, 2.5), "`levels` must be a whole number of 0 or more"),
        (lambda: leakage.monotone_nats(2, 2, improvements=-1), "`improvements` must be a whole"),
        (lambda: leakage.grid_nats(True, 2), "`submissions` must be a whole number of 0 or more"),
        (lambda: leakage.capped_nats(3, 2, 0), "`values` must be a whole number of 1 or more"),
        (lambda: leakage.noisy_nats(3, -1.0), "`ratio` must be a number of 0 or more; got -1.0"),
        (lambda: leakage.levels_below(1.0, 1.0, 0.1), "better than the start 1; got 1"),
        (lambda: leakage.levels_below(1.0, 0.0, 0.0), "`step` must be a number above 0; got 0.0"),
        (lambda: leakage.levels_below(1.0, 0.0, 1e-300), "`step` must be at least 1e-15"),
        (lambda: nats(Disclosure(0.1), submissions=None), "`submissions` is needed"),
        (
            lambda: nats(Disclosure(0.1, updates=2), submissions=None, acceptance=True),
            "`submissions` is needed: the board tells of each if it is accepted",
        ),
        (lambda: nats(Disclosure(0.1), submissions=0), "`submissions` must be a whole number of 1"),
        (lambda: leakage.noisy_nats(-1, 0.5), "`submissions` must be a whole number of 0"),
        (lambda: leakage.noisy_nats(3, -0.5), "`ratio` must be"),
        (lambda: nats(Disclosure(0.1), accounts=0), "`accounts` must be a whole number of 1"),
    ],
)
def test_numbers_out_of_range_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
