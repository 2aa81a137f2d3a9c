"""Attacks on labels from several accounts, one after another."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.attacks.flipping import FlippingAttack
from shakedown.attacks.models import LeastSquares
from shakedown.interface import ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session

ATTACKS_WITH_ACCOUNTS = [
    name for name, kind in ATTACKS.classes.items() if issubclass(kind, FlippingAttack)
]
DIGEST = "digest(eta=0.05,every=10,floor=0.1,updates=5)"
LADDER = "ladder(alpha=0.15)+baseline"
NOISY = "ladderboot(alpha=0.5,b=10)"


def played(name, setting, accounts, submissions, seed=1, n=60, points=None):
    rng = np.random.default_rng(seed)
    y, y_train = ((rng.random(rows) < 0.4).astype(float) for rows in (n, 90))
    nothing = np.empty((n, 0))
    view = ParticipantData(np.empty((90, 0)), y_train, nothing, np.empty((7, 0)))
    attack = ATTACKS.make(
        name, submissions=submissions, points=points or [submissions], accounts=accounts
    )
    session = Session(Scorer(find("zero_one"), y), of_setting(setting), partial(stream, seed))
    game = attack.prepare(view, LeastSquares(), stream(seed, "attack")).play(session.open)
    honest, last = (np.mean(files[-1] != y) for files in (game.honest.public, game.models.public))
    return game, session, honest - last


def test_the_flipping_attacks_have_accounts():
    assert set(ATTACKS_WITH_ACCOUNTS) >= {"label_climb", "resubmission"}


@pytest.mark.parametrize("setting", [DIGEST, LADDER, NOISY, "full_disclosure", "constant_board"])
@pytest.mark.parametrize("name", ATTACKS_WITH_ACCOUNTS)
def test_each_account_submits_its_share(name, setting):
    points = [1, 7, 20, 41, 50]
    game, session, _ = played(name, setting, 3, 50, points=points)
    own = [0] * len(session.boards)
    for batch in session.batches:
        own[session.boards.index(batch.board)] += len(batch.receipt.released)
    assert sum(own) == 50
    assert own == [17, 17, 16] or (
        own[0] == 50 and not ATTACKS.find(name).learns_from(session.terms)
    )
    assert game.models.submissions.tolist() == points
    assert sum(len(part) for part in game.submitted) == 50
    assert len(game.models.public) == len(points)


@pytest.mark.parametrize("name", ATTACKS_WITH_ACCOUNTS)
def test_accounts_that_share_a_board_are_one(name):
    one = played(name, f"{LADDER}+one_board", 1, 40)
    many = played(name, f"{LADDER}+one_board", 4, 40)
    np.testing.assert_array_equal(one[0].models.public, many[0].models.public)
    assert len(many[1].boards) == 1


@pytest.mark.parametrize(
    ("name", "setting", "each"),
    [("label_climb", DIGEST, 50), ("label_climb", LADDER, 40), ("resubmission", NOISY, 60)],
)
def test_more_accounts_gain_more(name, setting, each):
    """Medians of 15 plays: with four accounts at least .02 more than with one."""
    one, four = (
        np.median([played(name, setting, count, count * each, seed)[2] for seed in range(15)])
        for count in (1, 4)
    )
    assert four > one + 0.02


def test_labels_never_get_worse_when_an_account_begins():
    game, session, _ = played("label_climb", LADDER, 5, 100, points=list(range(1, 101)))
    losses = (game.models.public != session.scorer.y).mean(axis=1)
    assert (np.diff(losses) <= 1e-12).all()
    assert losses[-1] < losses[0] - 0.1


def test_a_dry_run_plays_them_with_its_accounts():
    scope = Scope(
        features=4, most=100, carried=3, train_rows=60, metric="zero_one", wanted=50, accounts=3
    )
    for name in ATTACKS_WITH_ACCOUNTS:
        for entry in ATTACKS.find(name).for_dry_run(scope).values():
            assert entry["accounts"] == 3
            assert entry["submissions"] == 300
            assert 150 in entry["points"]
