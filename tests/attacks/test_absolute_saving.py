"""Level saving for the MAE: its literal twin, the moments that it rests on, how far it gets."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.absolute_saving import Belief, expansion, rows_of, shared
from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.models import LeastSquares
from shakedown.attacks.span import Span
from shakedown.interface import ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from tests.attacks.test_adversaries import Silent, holder, signs
from tests.reference import absolute_attacks as literal

BOARD = "general_ladder(eta={})+baseline"
DIGEST = "digest(eta=0.02,floor=0.3,every=10,updates=50)"


def played(setting, seed, submissions, *, n, points=None, silent=False, **options):
    """The prepared attack, its game, a board opener and the public response."""
    view, y = holder(seed, n)
    if not options.get("honest"):
        view = ParticipantData(np.empty((n, 0)), np.empty(n), np.empty((n, 0)), np.empty((7, 0)))
    points = points or [*range(1, submissions + 1)]
    name = options.pop("name", "absolute_saving")
    attack = ATTACKS.make(name, submissions=submissions, points=points, **options)
    prepared = attack.prepare(view, LeastSquares(), stream(seed, "attack"))
    scorer = Scorer(find("mae"), y)

    def session():
        return Session(scorer, of_setting(setting), partial(stream, seed))

    opened = session()
    game = prepared.play(lambda: Silent(opened.open()) if silent else opened.open())
    return prepared, game, session, y


def gains(setting, submissions=500, replicates=12, **options):
    """MAE of the final files less that of the honest one."""
    out = []
    for seed in range(replicates):
        prepared, game, _, y = played(setting, seed, submissions, points=[submissions], **options)
        end, before = game.models.public[-1], prepared.honest
        out.append(np.mean(np.abs(y - end)) - np.mean(np.abs(y - before)))
    return np.array(out)


def twin(setting, session, accounts):
    """Boards of their own for the literal attack."""
    again = session()
    boards = [again.open() for _ in range(accounts)]
    return boards[0].terms, lambda at, p: float(boards[at].submit(p[None]).released[0])


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("eta", "accounts", "honest", "most", "groups"), [
    (0.05, 1, 1, None, None), (0.1, 3, 1, None, None), (0.05, 1, 0, None, None),
    (0.05, 2, 1, 2, None), (0.05, 1, 1, None, 10),
])  # fmt: skip
def test_it_ends_with_the_literal_one(eta, accounts, honest, most, groups, seed):
    n, k = 16, 20 * accounts
    setting = BOARD.format(eta) + (f"+cap(improvements={most})" if most else "")
    prepared, game, session, _ = played(
        setting, seed, k, n=n, accounts=accounts, honest=honest, groups=groups
    )
    terms, submit = twin(setting, session, accounts)
    s, basis = signs(seed, k, n), None
    if groups:
        h = prepared.honest - prepared.honest.mean()
        basis = np.array([s[0] * (np.arange(n) % groups == g) for g in range(groups)])
        basis /= np.sqrt((basis**2).sum(axis=1, keepdims=True))
        rest = h - basis.T @ (basis @ h)
        basis = np.vstack([basis, rest / np.linalg.norm(rest)])
    expected = literal.with_margin(
        s, submit, margin=eta, start=terms.start, honest=prepared.honest,
        residual=prepared.residual, basis=basis, accounts=accounts, most=most or np.inf,
    )  # fmt: skip
    np.testing.assert_allclose(game.models.public, expected, atol=1e-7)
    assert np.ptp(game.models.public, axis=0).all()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("every", "accounts"), [(1, 1), (3, 1), (2, 2), (8, 1)])
def test_it_ends_with_the_literal_one_on_digests(every, accounts, seed):
    n, k = 16, 8 * every * accounts + 3
    setting = f"digest(eta=0.05,floor=0.4,every={every},updates=7)"
    prepared, game, session, _ = played(setting, seed, k, n=n, honest=1, accounts=accounts)
    terms, submit = twin(setting, session, accounts)
    expected = literal.on_digest(
        signs(seed, k, n), submit, step=0.05, floor=0.4, every=every, updates=7,
        start=terms.start, honest=prepared.honest, residual=prepared.residual, accounts=accounts,
    )  # fmt: skip
    np.testing.assert_allclose(game.models.public, expected, atol=1e-7)
    assert game.models.n_selected[-1] > 0


def test_the_moments_of_a_loss_by_brute_force():
    """400,000 responses of 12 rows: means, slopes, and what is left after the linear part."""
    rng = np.random.default_rng(1)
    n, count, variance = 12, 400_000, 0.7
    means, p = rng.standard_normal(n), 1.5 * rng.standard_normal(n)
    x = rng.standard_normal((count, n))
    e = np.sqrt(variance) * x
    loss, whole = np.abs(means + e - p), np.abs(means + e)
    c, rows = np.empty(n + 2), rows_of(Span(np.ones(n), n, means), variance)
    mean, rest = expansion(p, means, np.full(n, variance), rows, c)
    assert loss.sum(axis=1).mean() == pytest.approx(mean, abs=0.02)
    np.testing.assert_allclose((loss * x).mean(axis=0) / np.sqrt(variance), c[:n], atol=0.02)
    total, curved = loss.sum(axis=1), (variance * (x**2 - 1)).sum(axis=1)
    assert np.cov(total, curved)[0, 1] / curved.var() == pytest.approx(c[n], abs=0.01)
    # The rest of |y|, by a regression on x and its square.
    for i in range(n):
        design = np.column_stack([np.ones(count), x[:, i], x[:, i] ** 2])
        whole[:, i] -= design @ np.linalg.lstsq(design, whole[:, i])[0]
    covariances = (loss * whole).mean(axis=0)
    even = [shared(p[i], means[i], np.sqrt(variance), rows.absolute[i]) for i in range(n)]
    np.testing.assert_allclose(even, covariances, atol=0.003)
    assert whole.var(axis=0).sum() == pytest.approx(rows.rest, rel=0.02)
    assert sum(even) / rows.rest == pytest.approx(c[n + 1])
    left = total - e @ c[:n] - c[n] * curved - c[n + 1] * whole.sum(axis=1)
    assert left.var() == pytest.approx(rest, rel=0.02)


@pytest.mark.parametrize("honest", [0.0, 0.6])
def test_what_is_known_before_the_first_file_by_brute_force(honest):
    """Among responses around an honest file, of length root n - 1, z-scores have variance 1."""
    rng = np.random.default_rng(2)
    n, count = 100, 4000
    h = honest * rng.standard_normal(n)
    h -= h.mean()
    variance = 1.0 - honest**2
    span = Span(np.ones(n), n, h)
    belief = Belief(span, variance, None)
    belief.choose(2.0 * rng.integers(2, size=n) - 1.0, 0.7, 0.3)
    y = h + np.sqrt(variance) * rng.standard_normal((count, n))
    y -= y.mean(axis=1, keepdims=True)
    # The residuals are scaled such that the whole has its length; more than 9 in 10 can be.
    e = y - h
    a, b, c = (e**2).sum(axis=1), 2.0 * e @ h, h @ h - (n - 1)
    scale = (-b + np.sqrt(np.maximum(b * b - 4.0 * a * c, 0.0))) / (2.0 * a)
    y = h + scale[:, None] * e
    z = (np.abs(y - belief.c).sum(axis=1) - belief._mean) / np.sqrt(belief._variance)
    assert abs(z.mean()) < 0.4
    assert 0.75 < z.std() < 1.25


def test_a_narrow_interval_is_a_number():
    span = Span(np.ones(30), 30, np.zeros(30))
    belief = Belief(span, 1.0, None)
    belief.choose(2.0 * np.random.default_rng(3).integers(2, size=30) - 1.0, 0.7, 0.3)
    mean, variance, trace = belief._mean, belief._variance, np.trace(belief.S)
    told, q, before = mean + 0.3 * np.sqrt(variance), belief._q.copy(), belief.m.copy()
    belief.learn(told / 30, told / 30)
    np.testing.assert_allclose(belief.m, before + q * 0.3 / np.sqrt(variance), atol=1e-5)
    assert np.trace(belief.S) == pytest.approx(trace - q @ q / variance, abs=1e-4)


@pytest.mark.parametrize(("setting", "n", "least"), [
    (BOARD.format(0.05), 209, -0.025), (BOARD.format(0.1), 209, -0.01),
    (BOARD.format(0.05), 69, -0.07), (DIGEST, 209, -0.02), (DIGEST, 69, -0.065),
])  # fmt: skip
def test_how_far_a_holder_gets(setting, n, least):
    """The greedy climb reaches 0, 0, -.05, -.005 and -.05."""
    assert np.median(gains(setting, n=n, honest=1)) < least


def test_without_a_model_it_does_no_harm():
    assert np.median(gains(BOARD.format(0.05), n=69, submissions=200)) <= 1e-3
    assert np.median(gains(DIGEST, n=69)) < -0.02


def test_several_accounts_share_what_they_learn():
    one = gains(BOARD.format(0.1), n=69, submissions=150, honest=1)
    four = gains(BOARD.format(0.1), n=69, submissions=600, honest=1, accounts=4)
    assert np.median(four) < np.median(one) - 0.03


@pytest.mark.parametrize("setting", [BOARD.format(0.05), DIGEST])
def test_it_learns_from_the_shown_scores_alone(setting):
    games = [
        played(setting, 1, 60, n=30, honest=1, silent=silent)[1].models.public
        for silent in (False, True)
    ]
    np.testing.assert_array_equal(*games)
    assert np.ptp(games[0], axis=0).any()


def test_it_begins_with_the_score_of_zeros_where_a_board_shows_none():
    game = played("general_ladder(eta=0.05)", 1, 60, n=30, honest=1)[1]
    assert np.ptp(game.models.public, axis=0).any()
