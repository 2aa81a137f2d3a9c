"""Attacks with arbitrary numbers that deal their files over several accounts."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.greedy_climb import Climb, together
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from tests.attacks.test_adversaries import (
    ADVERSARIES,
    attacked,
    errors,
    held,
    response,
    rules,
    signs,
)
from tests.reference import number_attacks as literal

LADDER = "ladder(alpha=0.15)+baseline"


@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize("accounts", [1, 3, 40])
def test_files_are_dealt_over_accounts_in_turn(name, accounts):
    game, session = attacked(name, LADDER, 1, 23, n=30, accounts=accounts)
    used = min(accounts, 23)
    assert len(session.boards) == used
    assert [board.state.judged for board in session.boards] == [
        len(range(at, 23, used)) for at in range(used)
    ]
    assert session.counts.submissions == 23
    assert game.models.submissions.tolist() == [*range(1, 24)]
    if accounts > 1:
        order = [session.boards.index(batch.board) for batch in session.batches]
        assert order == [t % used for t in range(23)]


@pytest.mark.parametrize("name", ["reserve", "scan"])
def test_accounts_do_not_matter_where_they_have_one_board(name):
    setting = f"{'ladder(alpha=0.15)' if name == 'reserve' else 'ladderboot(alpha=0.15,b=10)'}"
    ends = [
        attacked(name, f"{setting}+baseline+one_board", 1, 40, n=30, accounts=accounts)[0]
        for accounts in (1, 5)
    ]
    np.testing.assert_array_equal(ends[0].models.public, ends[1].models.public)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("setting", "accounts"), [
    (LADDER, 4), (LADDER, 60), ("ladder(alpha=0.15)", 4), ("general_ladder(eta=0.05)+baseline", 6),
])  # fmt: skip
def test_the_reserve_attack_on_several_boards_ends_with_the_literal_one(setting, accounts, seed):
    n, k = 30, 60
    options = {"target": 0.4, "size": 0.5, "rounding": 1.5}
    game, session = attacked("reserve", setting, seed, k, n=n, accounts=accounts, **options)
    scorer = Scorer(find("mse"), response(seed, n), undefined_is_zero=True)
    again = Session(scorer, of_setting(setting), partial(stream, seed))
    boards = [again.open() for _ in range(accounts)]
    expected = literal.reserve(
        signs(seed, k, n), lambda at, file: boards[at].submit(file[None]).released[0],
        accounts=accounts, start=boards[0].terms.start, **rules(setting, n), **options,
    )  # fmt: skip
    np.testing.assert_allclose(game.models.public, expected, atol=1e-6)
    assert session.counts.accepted == again.counts.accepted
    assert setting.startswith("general") or session.counts.accepted > 3


@pytest.mark.parametrize("name", ["linear_probe", "staircase"])
@pytest.mark.parametrize("accounts", [10, 300])
def test_ladders_without_a_baseline_are_solved_from_any_number_of_accounts(name, accounts):
    """A new account for each file makes the linear probe work on a Ladder."""
    mean, se, _ = errors(name, "ladder(alpha=0.15)", 5, 300, points=[100, 300], accounts=accounts)
    if name == "linear_probe" and accounts == 10:  # few files are shown
        assert 0.7 < mean[1] < 0.95
    else:
        assert abs(mean[0] - 0.53) < 4 * se[0] + 0.03
        assert mean[1] < 1e-3


def test_no_file_of_the_staircase_gets_past_a_baseline_from_any_account():
    mean, _, accepted = errors("staircase", LADDER, 5, 300, points=[300], accounts=50)
    assert (accepted == 0).all()
    np.testing.assert_allclose(mean, 208 / 209)


@pytest.mark.parametrize("accounts", [10, 1000])
def test_new_accounts_give_the_reserve_back(accounts):
    """Public MSE after 209, 300 and 1,000 files; one account reaches .59, .43 and .15."""
    mean, se, _ = errors("reserve", LADDER, 5, points=[209, 300, 1000], accounts=accounts)
    assert (mean < np.array([0.4, 0.2, 0.07]) + 2 * se).all()
    left = 1 - np.array([210, 300, 1000]) / 209
    assert (mean > left).all()


def test_a_new_account_for_ten_files_breaks_a_general_ladder():
    """A holder's gain over the honest file: at least a prototype's; from one account -.05."""
    gains = []
    for seed in range(5):
        setting = "general_ladder(eta=0.1)+baseline"
        prepared, game, y = held("reserve", setting, seed, 1000, points=[1], accounts=100)
        honest = ((prepared.honest - y) ** 2).mean()
        gains.append(((game.models.public[-1] - y) ** 2).mean() - honest)
    assert np.mean(gains) < -0.48 + 2 * np.std(gains, ddof=1) / np.sqrt(5)


@pytest.mark.parametrize("metric", ["mse", "rmse"])
def test_what_several_climbs_have_added_is_combined_by_least_squares(metric):
    """The scores tell the products, so the combination is the projection of the residual."""
    rng = np.random.default_rng(1)
    n = 40
    y = response(1, n)
    honest = 0.3 * y + 0.3 * rng.standard_normal(n)
    files = honest + 0.1 * (y - honest) + 0.03 * rng.standard_normal((5, n))

    def score(file):
        mean = float(np.mean((y - file) ** 2))
        return mean**0.5 if metric == "rmse" else mean

    climbs = [Climb(file, score(honest), score(file)) for file in files]
    still = [Climb(honest), Climb(honest, score(honest), score(honest))]
    assert all(climb.shown < climb.first for climb in climbs)
    combined = together(climbs + still, honest, metric)
    added = (files - honest).T
    wanted = honest + added @ np.linalg.lstsq(added, y - honest, rcond=None)[0]
    np.testing.assert_allclose(combined, wanted, atol=1e-9)
    assert together(still, honest, metric) is honest
    assert (together(climbs[:1], honest, metric) == files[0]).all()


def test_greedy_climbs_from_several_accounts_add_up():
    mean, se, _ = errors("greedy_climb", LADDER, 5, points=[1000], accounts=10)
    assert 0.2 < mean[0] < 0.46 + 4 * se[0]
