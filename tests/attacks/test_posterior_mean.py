"""The posterior mean: on metered boards, with noise of one size, and on exact scores."""

import numpy as np
import pytest

from tests.attacks.test_adversaries import attacked, response
from tests.near import is_near


def gains(setting, seeds, submissions, *, n=209, metric="mse", attack="posterior_mean", **options):
    """Gains over a constant file, and the games' sessions."""
    found, sessions = [], []
    for seed in seeds:
        game, session = attacked(
            attack, setting, seed, submissions, n=n, metric=metric, points=[submissions], **options
        )
        y, file = response(seed, n), game.models.public[-1]
        if metric == "mse":
            found.append((n - 1) / n - np.mean((y - file) ** 2))
        else:
            found.append(session.scorer.metric.score(y, file[None])[0])
        sessions.append(session)
    return np.array(found), sessions


@pytest.mark.parametrize(("n", "files"), [(50, 30), (209, 60)])
@pytest.mark.parametrize("chance", ["", ",chance=0.25"])
def test_on_a_metered_board_it_gains_what_is_charged(n, files, chance):
    """D / n of a response of known length; the board keeps back one degree of freedom for it."""
    setting = f"metered(gain=0.2,files={files}{chance},sd=1e-4)"
    found, sessions = gains(setting, range(60), files, n=n)
    spent = np.array([session.boards[0].state.memory.meter.spent for session in sessions])
    assert (spent > 0.9 * sessions[0].terms.metering.degrees).all()
    assert is_near(found, spent.mean() / n)


def test_accounts_have_meters_of_their_own():
    alone, _ = gains("metered(gain=0.03,files=25)", range(40), 25)
    four, sessions = gains("metered(gain=0.03,files=25)", range(40), 100, accounts=4)
    assert len(sessions[0].boards) == 4
    assert is_near(four, 4 * alone.mean(), 5.0)
    shared, sessions = gains("metered(gain=0.03,files=100)+one_board", range(40), 100, accounts=4)
    assert len(sessions[0].boards) == 1
    assert is_near(shared, alone.mean(), 5.0)


@pytest.mark.parametrize("metric", ["pearson", "ccc"])
def test_correlations_stay_within_what_is_tolerated(metric):
    found, sessions = gains("metered(gain=0.3,files=40)", range(40), 40, metric=metric)
    degrees = sessions[0].terms.metering.degrees
    assert degrees == pytest.approx(0.09 * 208 - 1.0)
    assert 0.24 < found.mean() < 0.3
    assert is_near(found, np.sqrt(degrees / 208), 5.0)


def test_exact_scores_of_k_files_are_worth_k_nths():
    found, _ = gains("full_disclosure", range(40), 30)
    assert is_near(found, 30 / 209)


def test_with_noise_of_one_size_it_is_as_good_as_the_linear_probe():
    ours, _ = gains("gaussian_noise(sd=0.05)", range(20), 120)
    theirs, _ = gains("gaussian_noise(sd=0.05)", range(20), 120, attack="linear_probe")
    assert ours.mean() > theirs.mean() - 0.01


def test_files_beyond_those_that_are_answered_tell_nothing():
    found, _ = gains("metered(gain=0.1,files=20)", range(5), 20)
    later, _ = gains("metered(gain=0.1,files=20)", range(5), 60)
    # The signs of the first files differ with the number of files; the gains do not on average.
    assert abs(found.mean() - later.mean()) < 0.06
    game, session = attacked("posterior_mean", "metered(gain=0.1,files=20)", 1, 60, points=[20, 60])
    np.testing.assert_allclose(game.models.public[0], game.models.public[1], atol=1e-12)
    assert game.models.n_selected.tolist() == [20, 20]
