"""Resubmission: its literal twin, what it takes in, and how far it gets on noisy boards."""

from functools import partial

import numpy as np
import pytest
from scipy import integrate, stats

from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.resubmission import Level, best_size, passing
from shakedown.interface import ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.terms import Acceptance, Terms
from tests.attacks.test_adversaries import Silent
from tests.reference import label_attacks as literal

N = 71


def played(setting, seed, submissions, n=N, ones=0.45, points=None, name="resubmission", **options):
    """The game, a new session, the labels and what the attack sees."""
    y = np.random.default_rng(seed).permutation(np.arange(n) < round(ones * n)).astype(float)
    train = np.r_[np.zeros(55), np.ones(45)]
    view = ParticipantData(
        np.empty((100, 0)), train, np.empty((n, 0)), np.empty((40, 0))
    )  # fmt: skip

    def session():
        return Session(Scorer(find("zero_one"), y), of_setting(setting), partial(stream, seed))

    attack = ATTACKS.make(
        name, submissions=submissions, points=points or [*range(1, submissions + 1)], **options
    )
    game = attack.prepare(view, None, stream(seed, "attack")).play(session().open)
    return game, session(), y, view


def gains(setting, submissions, replicates=30, **options):
    """Loss of the labels it ends with less that of the honest file."""
    out = []
    for seed in range(replicates):
        game, _, y, _ = played(setting, seed, submissions, points=[submissions], **options)
        out.append((game.models.public[-1] != y).mean() - (game.honest.public[0] != y).mean())
    return np.array(out)


def with_and_without_acceptance(name, setting, submissions):
    """The labels it ends with if the board also tells what it accepts, and if it does not."""
    ends = []
    for shown_by in (lambda board: board, Silent):
        _, session, _, seen = played(setting, 2, 1, name=name)
        attack = ATTACKS.make(name, submissions=submissions, points=[submissions])
        prepared = attack.prepare(seen, None, stream(2, "attack"))
        game = prepared.play(lambda session=session, shown_by=shown_by: shown_by(session.open()))
        ends.append(game.models.public)
    return ends


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("setting", ["ladderboot(alpha=0.5,b=10)", "ladderboot(alpha=0.15,b=100)"])
def test_it_ends_with_the_literal_one(setting, seed):
    k = 60
    game, again, _, view = played(setting, seed, k)
    board = again.open()
    seeds = stream(seed, "attack").integers(2**63)
    expected = literal.resubmission(
        np.zeros(N), lambda file: board.submit(file[None]).released[0],
        np.random.Generator(np.random.SFC64(int(seeds))), k, guess=46 / 102,
        critical=board.terms.acceptance.critical, margin=0.0,
        replications=board.terms.replications,
    )  # fmt: skip
    np.testing.assert_array_equal(game.models.public, expected)
    assert game.models.n_selected[-1] > 0


@pytest.mark.parametrize(("setting", "n", "submissions", "at_most"), [
    ("ladderboot(alpha=0.5,b=10)", 71, 500, -0.127),
    ("ladderboot(alpha=0.15,b=10)", 71, 500, -0.12),
    ("bayesboot_ladderboot(posterior_odds=3,draws=100,b=10)", 71, 500, -0.127),
    ("ladderboot(alpha=0.5,b=100)", 71, 500, -0.4),
    ("ladderboot(alpha=0.5,b=10)", 209, 1000, -0.06),
])  # fmt: skip
def test_it_breaks_noisy_boards(setting, n, submissions, at_most):
    """Medians measured: -.169, -.127, -.183, -.451 and -.091."""
    replicates = 8 if "bayes" in setting else 20
    gain = gains(setting, submissions, replicates, n=n)
    assert np.median(gain) < at_most
    assert np.mean(gain < -0.05) > 0.6


def test_it_does_better_than_a_climb_that_confirms_four_times():
    climbed = []
    for seed in range(20):
        game, _, y, _ = played(
            "ladderboot(alpha=0.5,b=10)", seed, 500, points=[500], name="label_climb"
        )
        climbed.append((game.models.public[-1] != y).mean() - (game.honest.public[0] != y).mean())
    assert np.median(gains("ladderboot(alpha=0.5,b=10)", 500, 20)) < np.median(climbed) - 0.05


def test_what_it_takes_in_is_bayes_rule():
    """The level and the gain by numerical integration."""
    terms = Terms("zero_one", is_noisy=True, replications=10)
    level = Level(0.4, N, terms)
    before, sd, noise = level.mean, np.sqrt(level.variance), level.noise
    scores, values, chances = np.array([0.38, 0.35, 0.36]), np.array([1.0, 3.0]), [0.2, 0.1]

    def joint(x, gain):
        return stats.norm.pdf(x, before, sd) * np.prod(stats.norm.pdf(scores, x - gain / N, noise))

    parts = []
    for gain, chance in zip((0.0, *values), (0.7, *chances), strict=True):
        whole = integrate.quad(joint, 0, 1, args=(gain,), points=[before])[0]
        first = integrate.quad(lambda x: (x - gain / N) * joint(x, gain), 0, 1)[0]  # noqa: B023
        parts.append((chance * whole, chance * first))
    total = sum(whole for whole, _ in parts)
    accepted = level.accepted(scores, values, np.array(chances))
    assert accepted == pytest.approx(1 - parts[0][0] / total, rel=1e-6)
    level.learn(scores, values, np.array(chances))
    assert level.mean == pytest.approx(sum(first for _, first in parts) / total, rel=1e-6)


def test_flips_pass_as_the_rule_says():
    """By drawing."""
    rule, rng = Acceptance(0.0, 1.0), np.random.default_rng(0)
    values, chances = passing(0.4, 9, rule, N)
    wrong = np.zeros(N)
    wrong[: round(0.4 * N)] = 1
    drawn = np.array([2 * wrong[rng.choice(N, 9, replace=False)].sum() - 9 for _ in range(20_000)])
    assert values.min() == 5  # above 1 * sqrt(9), and odd
    for value, chance in zip(values, chances, strict=True):
        assert (drawn == value).mean() == pytest.approx(chance, abs=0.012)  # 4 standard errors


def test_more_noise_asks_for_more_flips():
    rule = Acceptance(0.0, 0.0)
    sizes = [best_size(0.45, noise, rule, 209) for noise in (1e-4, 0.003, 0.01, 0.03)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


@pytest.mark.parametrize(
    "setting", ["ladder(alpha=0.5)", "digest(eta=0.02,floor=0.1,every=5,updates=4)"]
)
def test_boards_without_noise_are_left_alone(setting):
    game, _, _, _ = played(setting, 0, 20)
    assert not game.models.public.any()
