"""The attack on digests: its literal twin, how far it gets, and what no attack can exceed."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks import between_updates as engine
from shakedown.attacks.adversary import Run
from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.models import LeastSquares
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.terms import Schedule
from shakedown.theory.gains import SquaredError
from shakedown.theory.leakage import digest_nats, levels_below
from tests.attacks.test_adversaries import attacked, holder, signs
from tests.reference import number_attacks as literal

DIGEST = "digest(eta={},floor=0.5,every={},updates={})"


def game(setting, seed, submissions, *, n=209, holds=True, metric="mse", points=None, **options):
    """The prepared attack, its game, its session and the public response."""
    view, y = holder(seed, n)
    points = points or [*range(1, submissions + 1)]
    honest = {"honest": 1} if holds else {}
    attack = ATTACKS.make(
        "between_updates", submissions=submissions, points=points, **honest, **options
    )
    prepared = attack.prepare(view, LeastSquares(), stream(seed, "attack"))
    session = Session(Scorer(find(metric), y), of_setting(setting), partial(stream, seed))
    return prepared, prepared.play(session.open), session, y


def gains(setting, submissions, replicates=20, **options):
    """Public MSE of the final file less that of the honest one."""
    differences = []
    for seed in range(replicates):
        prepared, played, _, y = game(setting, seed, submissions, points=[1], **options)
        end = played.models.public[-1]
        differences.append(((end - y) ** 2).mean() - ((prepared.honest - y) ** 2).mean())
    return np.array(differences)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("eta", "metric", "accounts", "holds"), [
    (0.1, "mse", 1, True), (0.1, "mse", 3, True), (0.2, "mse", 2, False), (0.1, "rmse", 2, True),
])  # fmt: skip
def test_it_ends_with_the_literal_one(eta, metric, accounts, holds, seed):
    n, k = 24, 9 * accounts
    setting = DIGEST.format(eta, 2, 3)
    prepared, played, _, y = game(
        setting, seed, k, n=n, holds=holds, metric=metric, accounts=accounts
    )
    again = Session(Scorer(find(metric), y), of_setting(setting), partial(stream, seed))
    boards = [again.open() for _ in range(accounts)]
    expected = literal.between_updates(
        signs(seed, k, n), lambda account, file: boards[account].submit(file[None]).released[0],
        start=boards[0].terms.start, step=eta, every=2, updates=3, floor=0.5,
        lengths=engine.LENGTHS, cuts=engine.CUTS, shares=engine.SHARES, accounts=accounts,
        honest=prepared.honest, residual=prepared.residual, root=metric == "rmse",
    )  # fmt: skip
    np.testing.assert_allclose(played.models.public, expected, atol=1e-6)
    assert np.abs(played.models.public[-1] - prepared.honest).max() > 0.01
    assert played.models.n_selected[-1] <= 3 * accounts


def test_levels_are_what_a_digest_shows():
    for floor, shown, limits in [
        (0.7, [0.9, 0.8, 0.7], [0.9, 0.8, 0.7]),
        (0.75, [0.9, 0.8, 0.75], [0.9, 0.8, 0.7]),
    ]:
        levels = engine.levels(0.995, 0.1, Schedule(1, 1, floor), False)
        np.testing.assert_allclose(levels, (shown, limits))
        setting = f"digest(eta=0.1,floor={floor},every=1,updates=9)"
        session = Session(Scorer(find("mse"), holder(1, 50)[1]), of_setting(setting), None)
        y, board = holder(1, 50)[1], session.open()
        # Shrunken copies of the response, just above and below each limit.
        predicted = [
            board.submit(y[None] * (1 - np.sqrt((limit + error) * 50 / 49))).released[0]
            for limit in limits
            for error in (1e-6, -1e-6)
        ]
        np.testing.assert_allclose(predicted[1::2], shown)
        np.testing.assert_allclose(predicted[2::2], shown[:-1])


@pytest.mark.parametrize(("low", "high"), [(-0.3, 0.4), (1.0, np.inf), (-np.inf, 0.2), (2.0, 2.1)])
def test_it_takes_in_an_interval_as_a_sample_does(low, high):
    rng = np.random.default_rng(4)
    root = rng.standard_normal((3, 3))
    S, m, p = root @ root.T, rng.standard_normal(3), np.array([0.5, -0.2, 0.3])
    sample = m + rng.standard_normal((2_000_000, 3)) @ root.T
    product = sample @ p
    sample = sample[(low < product) & (product < high)]
    engine.between(m, S, p, S @ p, low, high)
    error = 5 / np.sqrt(len(sample))  # five standard errors: once in a million
    assert np.abs(m - sample.mean(axis=0)).max() < error * np.abs(root).sum()
    np.testing.assert_allclose(S, np.cov(sample.T), atol=2 * error * np.abs(root).sum() ** 2)


@pytest.mark.parametrize(("eta", "updates", "accounts", "known"), [
    (0.1, 10, 1, -0.005), (0.1, 10, 3, -0.035), (0.1, 10, 10, -0.15), (0.05, 10, 10, -0.20),
    (0.05, 5, 10, -0.10),
])  # fmt: skip
def test_a_holder_gets_further_with_more_accounts(eta, updates, accounts, known):
    """Twenty replicates; the mean lies some three standard errors beyond what is asked."""
    gained = gains(DIGEST.format(eta, 3, updates), 3 * updates * accounts, accounts=accounts)
    assert gained.mean() < known


@pytest.mark.parametrize("eta", [0.05, 0.1])
def test_it_stays_within_the_proved_gain(eta):
    """The mean of 20 is above the bound by three standard errors at most once in 700."""
    for updates in (4, 10):
        gained = gains(DIGEST.format(eta, 3, updates), 3 * updates)
        nats = digest_nats(updates, levels_below(208 / 209, 0.5, eta))
        bound = SquaredError(0.6).mean(nats, 209)
        assert gained.mean() > -bound - 3 * gained.std(ddof=1) / np.sqrt(20)


@pytest.mark.parametrize("points", [[1], [4, 7, 20]])
def test_waiting_accounts_get_as_far_as_if_each_file_went_alone(points, monkeypatch):
    """That of an account goes with its others, and the boards cannot tell."""
    options = {"n": 24, "accounts": 3, "points": points}
    waiting = game(DIGEST.format(0.1, 2, 3), 5, 26, **options)[1:3]
    monkeypatch.setattr(Run, "wait", lambda run, count: run.submit(np.zeros((count, 24))))
    expected = game(DIGEST.format(0.1, 2, 3), 5, 26, **options)[1:3]
    np.testing.assert_array_equal(waiting[0].models.public, expected[0].models.public)
    assert len(waiting[1].batches) < len(expected[1].batches) == 26
    standings = [session.standing(played) for played, session in (waiting, expected)]
    for ours, theirs in zip(*standings, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    boards = [[board.counts for board in session.boards] for _, session in (waiting, expected)]
    assert boards[0] == boards[1]
    judged = [
        [board.state.judged for board in session.boards] for _, session in (waiting, expected)
    ]
    assert judged[0] == judged[1] == [9, 9, 8]


def test_files_after_the_last_update_are_zeros():
    _, played, session, _ = game(DIGEST.format(0.1, 2, 2), 1, 30, accounts=2, points=[1, 29])
    assert session.counts.submissions == 30
    assert played.models.n_selected.max() == 4
    assert played.models.submissions.tolist() == [1, 29, 30]


@pytest.mark.parametrize("setting", ["ladder(alpha=0.15)+baseline", "full_disclosure"])
def test_it_is_made_for_digests_only(setting):
    played, session = attacked("between_updates", setting, 1, 30, n=30)
    assert (played.models.public == 0.0).all()
    assert session.counts.submissions == 30


def test_groups_of_many_rows_make_it_weaker_not_wrong():
    gained = [
        gains(DIGEST.format(0.05, 3, 10), 300, 8, n=450, accounts=10, groups=groups).mean()
        for groups in (100, None)
    ]
    assert gained[1] < gained[0] < -0.05


def test_what_is_left_out_of_a_search_cannot_be_better():
    """Bounds of what a file is worth, on 300 boards and beliefs."""
    rng = np.random.default_rng(8)
    for _ in range(300):
        limits = np.sort(rng.uniform(0.2, 1.0, rng.integers(1, 40)))[::-1].copy()
        later, passed = rng.uniform(0.0, 3.0, len(limits) + 1), int(rng.integers(len(limits) + 1))
        most = np.maximum.accumulate(later[::-1])[::-1].copy()
        belief = rng.uniform(0.2, 1.5), rng.exponential(0.1) + 1e-3, limits, passed
        expected, bound = engine.expected(*belief, later), engine.at_most(*belief, most)
        assert expected[0] <= bound[0]
        assert expected[1] <= bound[1]


@pytest.mark.parametrize("levels", [3, 60])
def test_the_file_is_the_best_of_all_shares_and_lengths(levels):
    rng, n, k, left = np.random.default_rng(5), 80, 6, 0.8
    root = rng.standard_normal((k, k))
    m, S, z = rng.standard_normal(k), root @ root.T, rng.choice([-1.0, 1.0], k)
    limits = np.linspace(0.98, 0.4, levels)
    later, c, w = np.linspace(20.0, 0.0, levels + 1), np.empty(k), np.empty(k)
    engine.propose(m, S, z, limits, 1, later, left, n, c, w)
    d = S @ z / np.linalg.norm(S @ z)
    worth = []
    for length in engine.LENGTHS * np.sqrt(left):
        for share in engine.SHARES:
            p = share * m + length * d
            spread, mean = p @ S @ p, (n - 1 - 2 * p @ m + p @ p) / n
            gain, value = engine.expected(mean, 2 * np.sqrt(spread) / n, limits, 1, later)
            worth.append((gain * (S @ p) @ (S @ p) / spread + left * value, *p))
    np.testing.assert_allclose(c, max(worth)[1:], rtol=1e-9)
    np.testing.assert_allclose(w, S @ c, rtol=1e-9)
