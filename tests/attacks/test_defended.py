"""What defences and noisy boards do to attacks that submit arbitrary numbers."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.interface import ParticipantData
from shakedown.leaderboard.mechanism import MECHANISMS, mechanisms, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.theory.leakage import noisy_nats
from tests.attacks.test_adversaries import ADVERSARIES, attacked, errors, response, signs

N = 209
QUICK = "digest(eta=0.1,floor=0.1,every=1,updates=9)"
CLOSE = {"replicates": 3, "points": [300]}
RNG = partial(stream, 7)


class Released:
    """A receipt without acceptances."""

    def __init__(self, receipt):
        self.released = receipt.released


class Blind:
    """A client whose receipts do not tell which submissions were accepted."""

    def __init__(self, client):
        self._client = client

    def submit(self, predictions, final=None):
        return Released(self._client.submit(predictions, final))

    def __getattr__(self, name):
        return getattr(self._client, name)


def boards():
    for name, mechanism in MECHANISMS.classes.items():
        for example in mechanism.examples:
            for rules in ([], [{"name": "baseline"}], [{"name": "baseline"}, {"name": "sticky"}]):
                yield from mechanisms([{"name": name, **example, "defences": rules}])


@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize("board", [board for board in boards() if board.shows != "ranks"], ids=str)
def test_no_adversary_reads_acceptances(name, board):
    kind, n = ATTACKS.classes[name], 20
    attack = kind(submissions=8)
    metric = find((kind.metrics or ("mse",))[0])
    y = response(1, n)
    empty = np.empty((n, 0))
    view = ParticipantData(empty, np.empty(n), empty, np.empty((7, 0)))
    files = []
    for blinded in (True, False):
        session = Session(Scorer(metric, y, undefined_is_zero=True), board, RNG)
        opened = (lambda s=session: Blind(s.open())) if blinded else session.open
        game = attack.prepare(view, None, stream(1, "attack")).play(opened)
        files.append(game.models.public)
    np.testing.assert_array_equal(*files)


@pytest.mark.parametrize("board", list(boards()), ids=lambda board: board.setting)
def test_what_a_client_tells_beside_scores_does_not_depend_on_the_response(board):
    published = []
    for seed in (1, 2):
        y = response(seed, 30)
        client = Session(Scorer(find("mse"), y), board, RNG).open()
        before = client.terms
        assert [name for name in dir(client) if not name.startswith("_")] == [
            "climb", "submit", "submit_each", "submit_opening", "terms"
        ]  # fmt: skip
        client.submit(y + np.random.default_rng(seed).standard_normal((20, 30)))
        assert client.terms == before
        published.append(before)
    starts = [terms.start for terms in published]
    assert replace(published[0], start=None) == replace(published[1], start=None)
    assert [terms.largest_variance for terms in published] == [None, None]
    if not board.is_noisy or board.name == "thresholdout":  # noise is not of the response
        assert starts[0] == pytest.approx(starts[1], abs=1e-12)


@pytest.mark.parametrize("defence", ["value_range", "clip"])
def test_range_refusal_and_clipping_stop_the_staircase(defence):
    free, _, _ = errors("staircase", "ladder(alpha=0.15)", submissions=300, **CLOSE)
    assert free[0] < 1e-6
    mean, _, _ = errors("staircase", f"ladder(alpha=0.15)+{defence}", submissions=300, **CLOSE)
    assert mean[0] > 0.99


def test_range_refusal_does_not_stop_the_linear_probe():
    setting = "full_disclosure+value_range"
    game, session = attacked("linear_probe", setting, 1, 209, points=[209])
    assert np.mean((game.models.public[0] - response(1, N)) ** 2) < 1e-6
    assert session.boards[0].state.judged == 209


def test_range_refusal_does_not_touch_the_reserve_attack():
    games = [
        attacked("reserve", f"ladder(alpha=0.15)+baseline{more}", 1, 150, points=[150])[0]
        for more in ("", "+value_range")
    ]
    np.testing.assert_array_equal(*(game.models.public for game in games))


def test_the_reserve_attack_takes_nothing_from_files_of_a_full_day():
    """If it did, as if they were worse than the best, its public MSE would be .41 in the end."""
    setting = "ladder(alpha=0.15)+baseline+cap_per_day(improvements=1,day=10)"
    mean, error, accepted = errors("reserve", setting, replicates=3, points=[1000])
    assert mean[0] + 4 * error[0] < 0.35
    assert max(accepted) <= 100


@pytest.mark.parametrize("name", ["reserve", "greedy_climb"])
@pytest.mark.parametrize("distance", [0.05, 0.2])
def test_attacks_step_past_refused_files(name, distance):
    setting = f"ladder(alpha=0.15)+baseline+distinct(distance={distance})"
    _, session = attacked(name, setting, 1, 150, points=[150])
    assert session.boards[0].state.judged == session.counts.submissions == 150


@pytest.mark.parametrize("sd", [0.05, 0.3])
def test_the_linear_probe_averages_noise_of_a_known_size(sd):
    """Its final file is the regression of y on noisy products, of which it knows the noise."""
    k = 150
    setting = f"gaussian_noise(sd={sd})+value_range"
    game, session = attacked("linear_probe", setting, 1, k, points=[k])
    files = np.sqrt((N - 1) / N) * signs(1, k, N)
    shown = np.concatenate([batch.receipt.released for batch in session.batches])
    values = 0.5 * (N - 1 + (files**2).sum(axis=1) - N * shown)
    spread = files @ (np.eye(N) - 1 / N)
    gain = spread.T @ np.linalg.inv(spread @ files.T + (0.5 * N * sd) ** 2 * np.eye(k))
    np.testing.assert_allclose(game.models.public[0], gain @ values, atol=1e-8)


def test_without_a_bound_on_files_noise_protects_nothing():
    mean, _, _ = errors("linear_probe", "gaussian_noise(sd=0.3)", submissions=300, **CLOSE)
    assert mean[0] < 0.01


def test_noise_that_bounds_the_gain_leaves_little():
    """The nats in docs/boards_compared.md, and a gain below what they allow."""
    for sd, nats in ((1.35, 5.2), (0.3, 96.1), (0.05, 1079.0)):
        computed = noisy_nats(1000, 4.0 / (N * sd**2))
        assert computed == pytest.approx(nats, rel=0.01)
        gain = 1.0 - np.exp(-2.0 * computed / N)
        setting = f"gaussian_noise(sd={sd})+value_range"
        mean, error, _ = errors("linear_probe", setting, replicates=4, points=[1000])
        assert (N - 1) / N - mean[0] < gain + 4 * error[0]


def test_sticky_noise_gives_the_response_away():
    """Without it the attack learns nothing; with it three fifths after 300 files."""
    setting = "ladderboot(alpha=0.15,b=10)+baseline"
    hidden, _, _ = errors("reserve", setting, submissions=300, **CLOSE)
    assert hidden[0] > 0.99
    published, error, _ = errors("reserve", f"{setting}+sticky", submissions=300, **CLOSE)
    assert published[0] + 4 * error[0] < 0.65


@pytest.mark.parametrize(("budget", "most", "least"), [(10, 0.1, 0.0), (50, 0.3, 0.1)])
def test_thresholdout_gives_away_what_its_budget_allows(budget, most, least):
    setting = f"thresholdout(budget={budget})"
    mean, _, accepted = errors("reserve", setting, submissions=300, **CLOSE)
    assert least < (N - 1) / N - mean[0] < most
    assert max(accepted) <= budget


def test_equal_files_are_a_tie_whatever_the_response():
    """A file that equals the best moves nothing, on boards that compare exact scores."""
    for seed in range(50):
        y = response(seed, 30)
        file = y + np.random.default_rng(seed).standard_normal(30)
        for setting in ("ladderboot(alpha=0.15,b=10)", QUICK):
            session = Session(Scorer(find("mse"), y), of_setting(setting), RNG)
            accepted = session.open().submit(np.stack([0.5 * y, 0.5 * y, file, 0.5 * y])).accepted
            assert accepted.tolist() == [True, False, False, False]


def test_ranks_of_equal_scores_are_shared_whoever_came_first():
    for seed in range(20):
        y = response(seed, 30)
        session = Session(Scorer(find("mse"), y), of_setting("rank_board(eta=0.01)"), RNG)
        first, second, third = (session.open() for _ in range(3))
        first.submit(0.5 * y[None])
        third.submit(0.1 * y[None])
        assert second.submit(0.5 * y[None]).released.tolist() == [1.5]
        assert first.submit(0.5 * y[None]).released.tolist() == [1.5]
