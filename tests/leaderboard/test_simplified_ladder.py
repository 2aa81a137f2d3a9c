"""[Z] section 3: where the Simplified Ladder is the original one, and where it is not."""

from functools import partial

import numpy as np
import pytest

from shakedown.leaderboard.board import Board
from shakedown.leaderboard.gates import Margin
from shakedown.leaderboard.mechanism import mechanism
from shakedown.leaderboard.mechanisms.general_ladder import GeneralLadder
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.ties import rounded
from shakedown.metrics import find
from shakedown.seeding import stream

ETA = 0.01


def shown(mechanism, losses):
    """What a board shows for submissions of these losses, one row and mean absolute error."""
    board = Board(Scorer(find("mae"), np.zeros(1)), mechanism, partial(stream, 1))
    return board.submit(np.asarray(losses, float)[:, None]).released


def falling(seed, m=400):
    """Losses that fall slowly and noisily; never half of a step, where rounding is a convention."""
    rng = np.random.default_rng(seed)
    return 0.5 - 0.0005 * np.arange(m) + 0.02 * rng.standard_normal(m)


@pytest.mark.parametrize("seed", range(20))
def test_it_shows_the_best_rounded_score_so_far(seed):
    """ "Step 3 can be rephrased as R_t = max(R_{t-1}, [h_t]_eta)"; with losses, the minimum."""
    losses = falling(seed)
    multiples = [rounded(loss, ETA) for loss in losses]
    np.testing.assert_array_equal(
        shown(mechanism("simplified_ladder", eta=ETA), losses), np.minimum.accumulate(multiples)
    )


class HalfAStep(GeneralLadder):
    @property
    def gate(self):
        return Margin(self.eta / 2, self.eta)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_a_ladder_whose_margin_is_half_a_step(seed):
    """ "R_t can be greater than R_{t-1} if and only if h_t is higher by a margin of eta / 2"."""
    half = HalfAStep(eta=ETA)
    losses = falling(seed)
    np.testing.assert_array_equal(
        shown(mechanism("simplified_ladder", eta=ETA), losses), shown(half, losses)
    )


@pytest.mark.parametrize("seed", range(20))
def test_it_is_never_behind_the_original_one_by_more_than_it_may(seed):
    """The original one asks for a whole step, so what it shows lies at most a step above."""
    losses = falling(seed)
    gap = shown(mechanism("general_ladder", eta=ETA), losses) - shown(
        mechanism("simplified_ladder", eta=ETA), losses
    )
    assert gap.min() > -1e-9
    assert gap.max() < ETA + 1e-9


def test_a_gain_between_half_a_step_and_a_whole_one_tells_them_apart():
    losses = [0.50, 0.493]
    np.testing.assert_allclose(shown(mechanism("simplified_ladder", eta=ETA), losses), [0.5, 0.49])
    np.testing.assert_allclose(shown(mechanism("general_ladder", eta=ETA), losses), [0.5, 0.5])


def test_so_does_a_gain_of_exactly_a_step():
    """Where all scores are multiples of eta, the original one asks for two steps at a time."""
    losses = [0.50, 0.49, 0.48, 0.47]
    np.testing.assert_allclose(shown(mechanism("simplified_ladder", eta=ETA), losses), losses)
    np.testing.assert_allclose(
        shown(mechanism("general_ladder", eta=ETA), losses), [0.5, 0.5, 0.48, 0.48]
    )
