"""The scan: its literal twin, its hypotheses, and cases whose success is known."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks import hypotheses
from shakedown.attacks import scan as engine
from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.models import LeastSquares
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from tests.attacks.test_adversaries import attacked, holder, response, signs
from tests.reference import number_attacks as literal

BOOT = "ladderboot(alpha=0.15,b={})"
CONSTANTS = {
    "by_jump": engine.JUMP, "by_target": engine.TARGET, "by_doubt": engine.DOUBT,
    "settled": engine.SETTLED, "clearing": engine.CLEARING, "repeats": engine.REPEATS,
    "most": hypotheses.MOST, "rare": hypotheses.RARE, "dropped": hypotheses.DROPPED,
    "memory": hypotheses.MEMORY, "far": hypotheses.FAR, "few": engine.FEW,
}  # fmt: skip


def game(setting, seed, submissions, *, n=209, holds=False, metric="mse", points=None, **options):
    """The prepared attack, its game, its session and the public response."""
    view, y = holder(seed, n)
    points = points or [*range(1, submissions + 1)]
    honest = {"honest": 1} if holds else {}
    attack = ATTACKS.make("scan", submissions=submissions, points=points, **honest, **options)
    prepared = attack.prepare(view, LeastSquares(), stream(seed, "attack"))
    session = Session(Scorer(find(metric), y), of_setting(setting), partial(stream, seed))
    return prepared, prepared.play(session.open), session, y


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("metric", ["mse", "rmse"])
@pytest.mark.parametrize(("setting", "accounts", "holds"), [
    (BOOT.format(10) + "+baseline", 1, True),
    (BOOT.format(100) + "+baseline", 1, False),
    (BOOT.format(100), 1, True),
    (BOOT.format(10) + "+baseline", 7, True),
    (BOOT.format(30), 3, False),
    ("bayesboot_ladderboot(posterior_odds=3.0,b=10,draws=100)+baseline", 1, True),
])  # fmt: skip
def test_it_ends_with_the_literal_one(setting, accounts, holds, metric, seed):
    """The twin submits to boards that draw the same noise."""
    n, k = 40, 70
    prepared, played, session, y = game(
        setting, seed, k, n=n, holds=holds, metric=metric, accounts=accounts
    )
    again = Session(Scorer(find(metric), y), of_setting(setting), partial(stream, seed))
    boards = [again.open() for _ in range(accounts)]

    def submit(account, file):
        shown = boards[account].submit(file[None]).released[0]
        return shown**2 if metric == "rmse" else shown

    rule = of_setting(setting).terms(find("mse"), n).acceptance
    expected = literal.scan(
        signs(seed, k, n), submit, critical=rule.critical, margin=rule.margin,
        noise=2.0 / (boards[0].terms.replications * n), begins=boards[0].terms.start is not None,
        honest=prepared.honest, residual=prepared.residual, accounts=accounts, **CONSTANTS,
    )  # fmt: skip
    np.testing.assert_allclose(played.models.public, expected, atol=1e-6)
    assert session.counts.accepted == again.counts.accepted
    assert accounts > 1 or played.models.n_selected[-1] < k - 3  # some files were repeated


@pytest.mark.parametrize(("setting", "accounts", "submissions", "holds", "known"), [
    (BOOT.format(10) + "+baseline", 1, 1000, True, -0.06),
    (BOOT.format(10) + "+baseline", 10, 1000, True, -0.29),
    (BOOT.format(100) + "+baseline", 1, 3000, False, -0.38),
    (BOOT.format(100) + "+baseline", 1, 3000, True, -0.32),
])  # fmt: skip
def test_it_gets_past_noise(setting, accounts, submissions, holds, known):
    """Gain over the honest file of 209 rows: at least a prototype's, by two standard errors."""
    gains = []
    replicates = 8 if submissions < 3000 else 4
    for seed in range(replicates):
        prepared, played, _, y = game(
            setting, seed, submissions, holds=holds, points=[1], accounts=accounts
        )
        honest = ((prepared.honest - y) ** 2).mean()
        gains.append(((played.models.public[-1] - y) ** 2).mean() - honest)
    assert np.mean(gains) < known - 2 * np.std(gains, ddof=1) / np.sqrt(replicates)
    assert np.mean(gains) > (-0.6 if holds else -1.0)


def test_its_hypotheses_are_as_probable_as_they_say(monkeypatch):
    """Over 20 games, the file in force is right as often as its probability says, up to .1."""
    stated, right, accepted = [], [], []
    real = engine.read

    def read(record, *given):
        real(record, *given)
        h, probability = hypotheses.likeliest(record)
        stated[-1].append(probability)
        losses = (y - record.best[h]) ** 2
        right[-1].append(np.allclose(losses, session.boards[0].state.row))

    monkeypatch.setattr(engine, "read", read)
    for seed in range(20):
        stated.append([])
        right.append([])
        y = response(seed, 209)
        view = holder(seed, 209)[0]
        attack = ATTACKS.make("scan", submissions=300, points=[1])
        board = of_setting(BOOT.format(100) + "+baseline")
        session = Session(Scorer(find("mse"), y), board, partial(stream, seed))
        attack.prepare(view, None, stream(seed, "attack")).play(session.open)
        accepted.append(session.counts.accepted)
    print(
        "GAP",
        np.mean(stated),
        np.mean(right),
        np.std(np.mean(stated, axis=1) - np.mean(right, axis=1)),
        accepted,
    )
    assert np.mean(accepted) > 4
    gap = np.mean(stated, axis=1) - np.mean(right, axis=1)
    assert abs(gap.mean()) < 0.1
    assert 0.5 < np.mean(right) < 0.99


def test_noise_that_grows_is_noticed():
    """A board that draws ever fewer replications."""
    setting = "adaptive_ladderboot(alpha=0.15,b=100,halving=30)+baseline"
    _, played, session, y = game(setting, 1, 300, points=[300])
    assert np.isfinite(played.models.public).all()
    assert ((played.models.public - y) ** 2).mean() < 1.1


@pytest.mark.parametrize("setting", ["ladder(alpha=0.15)+baseline", "full_disclosure"])
def test_it_is_made_for_noise_only(setting):
    played, session = attacked("scan", setting, 1, 30, n=30)
    assert (played.models.public == 0.0).all()
    assert session.counts.submissions == 30


def test_a_cap_ends_what_can_pass():
    played, session = attacked(
        "scan", BOOT.format(100) + "+baseline+cap(improvements=2)", 1, 400, n=209, points=[1]
    )
    assert session.counts.accepted == 2
    assert played.models.n_selected[-1] > 10


def test_groups_of_many_rows_make_it_weaker_not_wrong():
    for groups in (50, None):
        _, played, _, y = game(
            BOOT.format(100) + "+baseline", 2, 300, n=450, points=[1], groups=groups, holds=True
        )
        errors = ((played.models.public - y) ** 2).mean(axis=1)
        assert errors[-1] < errors[0] - 0.01


def test_refusing_repeated_files_does_not_stop_it():
    gains = []
    for seed in range(4):
        prepared, played, session, y = game(
            BOOT.format(100) + "+baseline+distinct", seed, 300, holds=True, points=[1]
        )
        honest = ((prepared.honest - y) ** 2).mean()
        gains.append(((played.models.public[-1] - y) ** 2).mean() - honest)
        shown = np.concatenate([batch.receipt.released for batch in session.batches])
        assert np.count_nonzero(shown[1:] == shown[:-1]) < 3
    assert np.mean(gains) < -0.08


def test_it_counts_what_may_pass_on_a_day():
    """After a file has passed, no hypothesis says that another has on the same day."""
    played, session = attacked(
        "scan", BOOT.format(100) + "+baseline+cap_per_day(improvements=1,day=100)", 3, 300,
        points=[1],
    )  # fmt: skip
    accepted = np.concatenate([batch.receipt.accepted for batch in session.batches])
    assert accepted.reshape(3, 100).sum(axis=1).max() == 1
    assert np.isfinite(played.models.public).all()
