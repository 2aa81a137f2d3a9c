"""Transcripts by level: every one of small boards, and what files can be the first beyond one."""

from itertools import product
from math import exp, log

import pytest

from shakedown.leaderboard.disclosure import Disclosure
from shakedown.leaderboard.mechanism import of_setting
from shakedown.theory.leakage import board_nats
from shakedown.theory.transcripts import Transcripts, board_transcripts

USUAL = {"start": 1.0, "floor_": 0.5}


def board(**changes):
    given = {"falls": True, "starts": True, "slack": 0.0} | changes
    return Disclosure(given.pop("step", 0.1), **given)


def sequences(shown, levels, improvements=None):
    """All sequences of levels that never fall back."""
    for path in product(range(levels + 1), repeat=shown):
        moves = sum(b > a for a, b in zip((0, *path), path, strict=False))
        if list(path) == sorted(path) and (improvements is None or moves <= improvements):
            yield path


@pytest.mark.parametrize("shown", [1, 2, 4])
@pytest.mark.parametrize("improvements", [None, 1, 2])
def test_each_level_is_counted(shown, improvements):
    told = board_transcripts(
        board(), submissions=shown, improvements=improvements, start=1.0, floor_=0.7
    )
    for level, ln in enumerate(told.up_to):
        count = sum(max(path) <= level for path in sequences(shown, 3, improvements))
        assert exp(ln) == pytest.approx(count)
    assert told.up_to[-1] == told.nats
    assert told.risks == pytest.approx((0.9, 0.8, 0.7))


def test_the_smaller_of_two_caps_on_improvements_counts():
    """That of the board, and the one that is asked for."""
    given = {"submissions": 4, "start": 1.0, "floor_": 0.7}
    for own, asked in ((1, None), (1, 2), (2, 1)):
        told = board_transcripts(board(improvements=own), improvements=asked, **given)
        assert told == board_transcripts(board(), improvements=1, **given)


@pytest.mark.parametrize("shown", [1, 2, 4])
def test_each_file_that_can_be_the_first_beyond_a_level_is_counted(shown):
    """One for each update, file of it, and way to a level up to this one before it."""
    told = board_transcripts(
        board(updates=shown, every=5), submissions=5 * shown, start=1.0, floor_=0.7
    )
    for level, ln in enumerate(told.files):
        ways = sum(
            sum(max(path, default=0) <= level for path in sequences(before, 3))
            for before in range(shown)
        )
        assert exp(ln) == pytest.approx(5 * ways)


def test_updates_by_the_clock_may_have_all_files_at_once():
    told = board_transcripts(board(updates=4), submissions=20, start=1.0, floor_=0.7)
    for level, ln in enumerate(told.files):
        ways = sum(max(path) <= level for path in sequences(3, 3))
        assert exp(ln) == pytest.approx(20 * ways)


def test_accounts_with_a_board_each_multiply():
    one = board_transcripts(board(), submissions=4, **USUAL)
    three = board_transcripts(board(), submissions=4, accounts=3, **USUAL)
    assert three.nats == pytest.approx(3 * one.nats)
    assert three.up_to == pytest.approx([3 * ln for ln in one.up_to])
    before = board_transcripts(board(), submissions=3, **USUAL)
    for level, ln in enumerate(three.files):
        expected = log(3 * 4) + before.up_to[level] + 2 * one.up_to[level]
        assert ln == pytest.approx(expected)


def test_accounts_that_share_a_board_are_one():
    shared = board_transcripts(board(), submissions=4, accounts=3, shared=True, **USUAL)
    assert shared == board_transcripts(board(), submissions=12, **USUAL)
    digest = board(updates=4, every=3)
    assert board_transcripts(
        digest, submissions=4, accounts=3, shared=True, **USUAL
    ) == board_transcripts(digest, submissions=12, **USUAL)


@pytest.mark.parametrize(
    ("setting", "slack"),
    [
        ("digest(eta=0.1,floor=0.5,every=5,updates=4)", 0.0),
        ("general_ladder(eta=0.1)+baseline", 0.05),
        ("ladder(alpha=0.15)+baseline", 0.005),
        ("full_disclosure+baseline", None),
        ("ladderboot(alpha=0.15,b=10)+baseline", None),
    ],
)
def test_how_far_a_shown_score_is_from_an_exact_one(setting, slack):
    shown = of_setting(setting).disclosure(100)
    assert shown.slack == slack
    told = board_transcripts(shown, submissions=20, start=1.0, floor_=0.5)
    if slack is None:
        assert told is None
    else:
        assert told.risks[-1] == pytest.approx(0.5 + slack)
        assert told.nats == board_nats(shown, submissions=20, start=1.0, floor_=0.5)


@pytest.mark.parametrize(
    ("disclosure", "changes"),
    [
        (board(slack=None), {}),
        (board(falls=False), {}),
        (board(), {"acceptance": True}),
        (board(updates=4), {"submissions": None}),
        (board(step=1e-4), {}),  # thousands of levels
    ],
)
def test_what_is_not_known_by_level_has_nats_alone(disclosure, changes):
    given = {"submissions": 20, **USUAL} | changes
    told = board_transcripts(disclosure, **given)
    assert told == Transcripts(board_nats(disclosure, **given))


def test_roots_are_squared():
    told = board_transcripts(board(), submissions=4, **USUAL)
    assert told.squared().risks == pytest.approx([risk**2 for risk in told.risks])
    assert told.squared().files == told.files
