"""What a tolerated gain requires: each answer keeps it, and the next number does not."""

from dataclasses import replace
from math import inf, log

import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.disclosure import NOTHING, Disclosure, uncounted
from shakedown.leaderboard.mechanism import mechanism
from shakedown.theory.budget import BoardUse, needed, round_steps
from shakedown.theory.gains import SquaredError
from shakedown.theory.losses import BoundedLoss, NormalScore

MSE = SquaredError(1.0)
STEPS = round_steps(1.0)


def plan(disclosure=None, **changes):
    shown = disclosure or Disclosure(0.1, falls=True)
    given = {"rows": 209, "start": 1.0, "floor": 0.5, "submissions": 1000} | changes
    return BoardUse(lambda rows: shown, **given)


DIGEST = Disclosure(0.1, falls=True, updates=10)


def keeps(planned, bound, gain, delta):
    return bound.bound(planned.told, planned.rows, delta) <= gain


@pytest.mark.parametrize("delta", [None, 0.05])
@pytest.mark.parametrize(
    ("bound", "gain"), [(MSE, 0.15), (BoundedLoss(), 0.2), (NormalScore(0.05, 209), 0.18)]
)
@pytest.mark.parametrize("disclosure", [Disclosure(0.1, falls=True), DIGEST, Disclosure(0.25)])
def test_each_answer_is_the_last_that_keeps_the_gain(disclosure, bound, gain, delta):
    planned = plan(disclosure, submissions=20)
    answer = needed(planned, bound, gain, delta=delta, steps=STEPS)

    def last(count, change):
        return count == 0 or keeps(change(count), bound, gain, delta), not keeps(
            change(count + 1), bound, gain, delta
        )

    assert keeps(replace(planned, rows=answer.rows), bound, gain, delta)
    assert not keeps(replace(planned, rows=answer.rows - 1), bound, gain, delta)
    assert last(answer.accounts, lambda g: replace(planned, accounts=g)) == (True, True)
    if disclosure.updates is None:
        assert answer.updates is None
        assert last(answer.submissions, lambda k: replace(planned, submissions=k)) == (True, True)
    else:
        assert answer.submissions is None
        assert last(answer.updates, lambda w: planned.showing(updates=w)) == (True, True)
    kept = [step for step in STEPS if keeps(planned.showing(step=step), bound, gain, delta)]
    assert answer.step == min(kept, default=inf)
    assert answer.nats == bound.count_budget(gain, 209, delta)


def test_known_numbers_of_rows():
    """General Ladders of three steps, 1,000 submissions, a mean gain of .05."""
    rows = [needed(plan(Disclosure(eta, falls=True)), MSE, 0.05).rows for eta in (0.1, 0.05, 0.02)]
    assert rows == [1086, 2021, 4384]


def test_accounts_that_share_a_digest_are_one():
    assert needed(plan(DIGEST, shared=True), MSE, 0.08).accounts == inf
    assert needed(plan(DIGEST), MSE, 0.08).accounts == 1


def test_noisy_scores_of_several_accounts_add_up():
    assert plan(noise=0.5, submissions=100).nats == pytest.approx(50 * log(1.5))
    assert plan(noise=0.5, submissions=100, accounts=3).nats == pytest.approx(150 * log(1.5))


def test_a_board_that_shows_nothing_needs_nothing():
    answer = needed(plan(NOTHING), MSE, 0.05)
    assert (answer.rows, answer.accounts, answer.step) == (1, inf, None)


def test_what_cannot_be_counted_has_no_answer():
    assert needed(plan(uncounted("Nobody knows.")), MSE, 0.05) is None


def test_nothing_helps_against_a_gain_that_is_chance():
    """Of one fixed file, with probability 95 %, 209 rows allow a gain of .03."""
    answer = needed(plan(DIGEST), MSE, 0.01, delta=0.05, steps=STEPS)
    assert (answer.updates, answer.accounts, answer.step) == (0, 0, inf)
    assert answer.nats < 0
    assert answer.rows > 1500


def test_a_ladder_with_more_rows_has_more_levels():
    """Its step is 1/n: the rows that are needed are found with it."""
    ladder = mechanism("ladder", alpha=0.15)
    use = BoardUse(ladder.disclosure, rows=209, start=1.0, floor=0.0, submissions=100)
    rows = needed(use, MSE, 0.05).rows
    assert replace(use, rows=rows).nats > 2 * use.nats
    assert keeps(replace(use, rows=rows), MSE, 0.05, None)
    assert not keeps(replace(use, rows=rows - 1), MSE, 0.05, None)


def test_the_offered_steps_are_round():
    assert round_steps(1.0) == [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
    assert round_steps(0.5)[-1] == 0.5
    assert round_steps(400.0)[-3:] == [50.0, 100.0, 200.0]


def test_a_gain_of_nothing_is_refused():
    with pytest.raises(InputError, match="`gain` must be a number above 0; got 0.0"):
        needed(plan(), MSE, 0.0)


def test_more_updates_than_the_files_reach_come_more_often():
    """All that is asked is how many updates keep the gain, not how many are reached."""
    digest = Disclosure(0.1, falls=True, updates=10, every=100, slack=0.0)
    use = plan(digest)
    most = needed(use, MSE, 0.05).updates
    assert 10 < most < inf
    assert keeps(use.showing(updates=most, every=1000 // most), MSE, 0.05, None)
    assert not keeps(use.showing(updates=most + 1, every=1000 // (most + 1)), MSE, 0.05, None)
    # Fewer come as often as planned; accounts that share a board reach more.
    assert use.updated(5).disclosure(209).every == 100
    assert replace(use, accounts=2, shared=True).updated(20).disclosure(209).every == 100
    assert replace(use, accounts=2).updated(20).disclosure(209).every == 50
    assert use.updated(5000).disclosure(209).every == 1
    assert plan(digest, submissions=None).updated(5000).disclosure(209).every == 100
