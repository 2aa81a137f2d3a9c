"""The bounds against boards that are played: labels are random, so every true loss is 1/2.

A bound that leaves an error with probability 1 - delta may be broken in a share delta of the plays.
"""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.theory import guarantees as g

#: Chance that a test fails although the bound holds with equality, each.
FALSE_ALARM = 1e-6
DELTA, PLAYS = 0.3, 60


def holds(errors, bound, delta=DELTA):
    """Whether the errors of independent plays exceed the bound no more often than it allows."""
    return np.sum(errors > bound) <= stats.binom.isf(FALSE_ALARM, len(errors), delta)


def majority(submissions, rng):
    votes = (2 * submissions - 1).sum(axis=0)
    return np.where(votes == 0, rng.integers(0, 2, len(votes)), votes > 0).astype(float)


class SimulatedParticipant:
    """Plays one or several accounts, and keeps what [B] Definition 2.1 needs."""

    def __init__(self, board, *, n, accounts, seed):
        self.rng = np.random.default_rng(seed)
        scorer = Scorer(find("zero_one"), self.rng.integers(0, 2, n).astype(float))
        self.boards = [
            Board(scorer, mechanism(**board), partial(stream, seed), number)
            for number in range(1, accounts + 1)
        ]
        self.n, self.worst, self.shown = n, 0.0, [np.inf] * accounts

    def submit(self, labels, account=0):
        """Whether the account now shows less than before."""
        score = self.boards[account].submit(labels[None]).released[0]
        better, self.shown[account] = score < self.shown[account], score
        self.worst = max(self.worst, abs(0.5 - score))
        return better

    def random(self, k):
        return self.rng.integers(0, 2, (k, self.n)).astype(float)

    def guess(self, k):
        """Labels that do not depend on what is shown."""
        for i, labels in enumerate(self.random(k)):
            self.submit(labels, i % len(self.boards))
        return self.worst

    def adapt(self, k):
        """[B] section 5.1: vote with whatever lowered the score; then change what was best."""
        accounts, kept = len(self.boards), []
        for i, labels in enumerate(self.random(k // 2)):
            if self.submit(labels, i % accounts):
                kept.append(labels)
        best = majority(np.array(kept), self.rng)
        self.submit(best)
        for i in range(k - k // 2 - 1):
            changed = np.where(self.rng.random(self.n) < 0.1, 1 - best, best)
            if self.submit(changed, i % accounts):
                best = changed
        return self.worst


def errors(board, how, *, n, k, accounts=1):
    return np.array(
        [
            getattr(SimulatedParticipant(board, n=n, accounts=accounts, seed=seed), how)(k)
            for seed in range(PLAYS)
        ]
    )


@pytest.mark.parametrize("how", ["guess", "adapt"])
@pytest.mark.parametrize("eta", [0.01, 0.1])
def test_no_ladder_breaks_theorem_3_1(how, eta):
    n, k = 2000, 80
    observed = errors({"name": "general_ladder", "eta": eta}, how, n=n, k=k)
    bound = g.ladder_error(eta, DELTA, k, n)
    assert holds(observed, bound)
    if eta == 0.01:  # with a coarse step nearly all that is shown is 1/2 itself
        assert not holds(observed, bound / 40)  # far from tight, but the test can fail


@pytest.mark.parametrize("how", ["guess", "adapt"])
@pytest.mark.parametrize(("eta", "accounts"), [(0.1, 1), (0.01, 1), (0.1, 4)])
def test_no_simplified_ladder_breaks_the_bound_for_several_accounts(how, eta, accounts):
    n, k = 2000, 80
    board = {"name": "simplified_ladder", "eta": eta}
    observed = errors(board, how, n=n, k=k, accounts=accounts)
    bound = g.simplified_ladder_error(eta, DELTA, k, n, accounts=accounts)
    assert holds(observed, bound)
    if eta == 0.01:
        assert not holds(observed, bound / 25)


def test_the_smallest_step_that_theory_allows_is_kept():
    """[Z]: with the step eta* what is shown is true to eta*, with probability 1 - delta."""
    n, k = 20_000, 60
    eta = g.best_display_step(DELTA, k, n)
    assert holds(errors({"name": "simplified_ladder", "eta": eta}, "adapt", n=n, k=k), eta)


def test_the_union_bound_holds_for_fixed_submissions_and_falls_with_the_vote():
    """[B] section 2: "we may no longer apply Hoeffding's bound" where a choice follows a score."""
    n, k = 500, 200
    fixed = errors({"name": "full_disclosure"}, "guess", n=n, k=k)
    bound = g.union_error(DELTA, k, n)
    assert holds(fixed, bound)
    assert not holds(fixed, 0.7 * bound)  # nearly tight
    votes = []
    for seed in range(PLAYS):
        player = SimulatedParticipant({"name": "full_disclosure"}, n=n, accounts=1, seed=seed)
        tried = player.random(k)
        losses = np.array([player.boards[0].submit(labels[None]).released[0] for labels in tried])
        player.submit(majority(tried[losses <= 0.5], player.rng))  # [B] section 5, steps 1-4
        votes.append(player.worst)
    assert not holds(np.array(votes), g.union_error(DELTA, k + 1, n))
