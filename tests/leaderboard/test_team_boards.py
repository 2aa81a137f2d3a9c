"""Leaderboards of many teams: the literal ones of [B] section 2.1, ties, random streams."""

import dataclasses
from functools import cached_property, partial

import numpy as np
import pytest

from shakedown.leaderboard import team_boards
from shakedown.leaderboard.gates import Margin
from shakedown.leaderboard.mechanism import Mechanism, mechanism
from shakedown.leaderboard.releases import Rounded
from shakedown.leaderboard.scorer import ScoredSubmissions, Scorer
from shakedown.leaderboard.state import BoardState
from shakedown.leaderboard.team_boards import RankBoards, TeamBoards
from shakedown.metrics import find
from shakedown.seeding import stream
from tests.reference import mechanisms as literal
from tests.reference.standings import PerRank, PerTeam

RNG = partial(stream, 11)
WAYS = {"per_team": (TeamBoards, PerTeam), "per_rank": (RankBoards, PerRank)}
# Name, settings, the literal one.
LOSSES = [
    ("full_disclosure", {}, literal.FullDisclosure),
    ("kaggle", {}, literal.KaggleReference),
    ("general_ladder", {"eta": 0.1}, literal.GeneralLadder),
    ("simplified_ladder", {"eta": 0.1}, literal.SimplifiedLadder),
    ("parameter_free_ladder", {}, literal.ParameterFreeLadder),
    ("ladder", {"alpha": 0.3}, literal.Ladder),
]


def log(seed, m=60, n=14, teams=5):
    """Submissions that improve, and are alike within a team; every tenth stands twice."""
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    team = rng.integers(teams, size=m)
    style = rng.standard_normal((teams, n))
    noise = 1.5 * 0.985 ** np.arange(m)[:, None] * rng.standard_normal((m, n))
    predictions = y + 0.7 * style[team] * rng.uniform(0.2, 1.2, (m, 1)) + noise
    predictions[9::10] = predictions[8::10]
    return y, predictions, np.array([f"team {k}" for k in team])


def replayed(way, make, metric, predictions, teams):
    """What the literal leaderboard does, submission by submission."""
    board = WAYS[way][1](make, larger_is_better=find(metric).larger_is_better)
    literally = {k: [] for k in ("released", "accepted", "in_force", "on_board", "place", "teams")}
    for t, (team, prediction) in enumerate(zip(teams, predictions, strict=True)):
        shown, accepted = board.submit(team, t, prediction)
        in_force, number = board.entries[team]
        for key, value in (
            ("released", shown), ("accepted", accepted), ("in_force", in_force),
            ("on_board", number), ("place", board.place(team)), ("teams", len(board.entries)),
        ):  # fmt: skip
            literally[key].append(value)
    return literally


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "settings", "twin"), LOSSES, ids=[e[0] for e in LOSSES])
@pytest.mark.parametrize("metric", ["mse", "rmse", "mae"])
@pytest.mark.parametrize("seed", range(3))
def test_every_submission_meets_what_the_literal_leaderboard_does(
    way, name, settings, twin, metric, seed
):
    y, predictions, teams = log(seed)
    history = WAYS[way][0](find(metric), y, predictions, teams, RNG).play(
        mechanism(name, **settings)
    )
    literally = replayed(way, lambda: twin(y, metric, **settings), metric, predictions, teams)
    for key in ("accepted", "in_force", "place", "teams"):
        assert getattr(history, key).tolist() == literally[key], key
    for key in ("released", "on_board"):
        np.testing.assert_allclose(getattr(history, key), literally[key], rtol=1e-12, err_msg=key)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("metric", ["pearson", "spearman", "ccc"])
def test_larger_is_better_for_a_correlation(way, metric):
    y, predictions, teams = log(5)
    boards = WAYS[way][0](find(metric), y, predictions, teams, RNG)
    for name, settings, twin in LOSSES[:4]:
        history = boards.play(mechanism(name, **settings))
        literally = replayed(
            way, lambda twin=twin, s=settings: twin(y, metric, **s), metric, predictions, teams
        )
        assert history.place.tolist() == literally["place"]
        assert history.in_force.tolist() == literally["in_force"]
        np.testing.assert_allclose(history.released, literally["released"], rtol=1e-10)


@pytest.mark.parametrize("odds", [0.05, 1.0, 5.67, 1e9])
@pytest.mark.parametrize("metric", ["mse", "ccc"])
def test_posterior_odds_are_asked_rank_by_rank(odds, metric, monkeypatch):
    """The shortcut leaves out only what the gate would refuse under the same weights."""
    monkeypatch.setattr(team_boards, "_RANKS_AT_ONCE", 6)
    y, predictions, teams = log(2, m=80, teams=20)
    # The same submission again, by another team: a tie in every replication.
    predictions[40:50] = predictions[30:40]
    test = mechanism("bayesboot_ladder", posterior_odds=odds, draws=50)
    history = RankBoards(find(metric), y, predictions, teams, RNG).play(test)
    scorer = Scorer(find(metric), y)
    batch = scorer.judge(predictions)

    def accepts(entry, t):
        single = ScoredSubmissions(batch.rows[t : t + 1], batch.risks[t : t + 1])
        best = BoardState(batch.rows[entry], float(batch.risks[entry]))
        rng = RNG("rank gate", test.gate_id, t)
        return test.gate.decide(single, best, scorer.metric, scorer.y, chain=False, rng=rng)[0] == 0

    ranks = []
    for t, team in enumerate(teams):
        own = [r for r, entry in enumerate(ranks) if teams[entry] == team]
        above = ranks[: own[0] + 1] if own else ranks
        rank = next((r for r, entry in enumerate(above) if accepts(entry, t)), None)
        if rank is None and not own:
            rank = len(ranks)
        if rank is not None:
            ranks = [*ranks[:rank], t, *(e for e in ranks[rank:] if teams[e] != team)]
        entry = next(e for e in ranks if teams[e] == team)
        assert (history.in_force[t], history.place[t]) == (entry, ranks.index(entry) + 1)
        assert history.teams[t] == len(ranks)


def test_what_is_shown_has_no_part_in_who_stands_where():
    y, predictions, teams = log(3)
    boards = RankBoards(find("mse"), y, predictions, teams, RNG)
    by_odds = [
        boards.play(mechanism("bayesboot_ladder", posterior_odds=1.0, draws=30)),
        *(
            boards.play(mechanism("bayesboot_ladderboot", posterior_odds=1.0, draws=30, b=b))
            for b in (3, 4000)
        ),
    ]
    for other in by_odds[1:]:
        np.testing.assert_array_equal(other.in_force, by_odds[0].in_force)
        np.testing.assert_array_equal(other.place, by_odds[0].place)
    # The mean of 4,000 replications is the score in force: six standard errors never miss.
    losses = (predictions - y) ** 2
    actual = losses.mean(axis=1)[by_odds[2].in_force]
    error = losses.std(axis=1)[by_odds[2].in_force] / np.sqrt(len(y) * 4000)
    assert (np.abs(by_odds[2].released - actual) < 6 * error).all()
    assert len(np.unique(by_odds[2].released)) == len(teams)  # drawn anew each time


@pytest.mark.parametrize(
    "mechanism",
    [
        *(mechanism(name, **settings) for name, settings, _ in LOSSES),
        mechanism("constant_board"),
    ],
    ids=lambda m: m.name,
)
def test_a_team_alone_sees_the_same_either_way(mechanism):
    y, predictions, _ = log(4)
    alone = np.full(len(predictions), "us")
    histories = [
        way(find("mse"), y, predictions, alone, RNG).play(mechanism)
        for way in (TeamBoards, RankBoards)
    ]
    for key in ("released", "accepted", "in_force", "on_board", "place", "teams"):
        np.testing.assert_array_equal(*(getattr(history, key) for history in histories))
    assert set(histories[0].place) == {1}


def test_a_team_sees_the_same_whoever_else_takes_part():
    y, predictions, teams = log(6)
    ours = teams == "team 2"
    for name, settings in (
        ("ladderboot", {"alpha": 0.3, "b": 5}),
        ("bayesboot_ladderboot", {"posterior_odds": 1.0, "draws": 30, "b": 5}),
    ):
        noisy = mechanism(name, **settings)
        among = TeamBoards(find("mse"), y, predictions, teams, RNG).play(noisy)
        alone = TeamBoards(find("mse"), y, predictions[ours], teams[ours], RNG).play(noisy)
        np.testing.assert_array_equal(among.released[ours], alone.released)
        np.testing.assert_array_equal(among.accepted[ours], alone.accepted)


def test_teams_draw_their_own_random_numbers():
    y, predictions, _ = log(6, m=40)
    twins = np.repeat(predictions[:20], 2, axis=0)
    teams = np.tile(["a", "b"], 20)
    noisy = mechanism("ladderboot", alpha=0.3, b=5)
    history = TeamBoards(find("mse"), y, twins, teams, RNG).play(noisy)
    assert history.accepted[::2].tolist() == history.accepted[1::2].tolist()
    assert (history.released[::2] != history.released[1::2]).all()


def test_a_board_that_shows_nothing_puts_all_in_the_first_place():
    y, predictions, teams = log(7)
    history = TeamBoards(find("mse"), y, predictions, teams, RNG).play(mechanism("constant_board"))
    assert set(history.place) == {1}
    assert history.in_force.tolist() == list(range(len(teams)))  # the latest one counts


def test_equal_numbers_share_the_better_place_and_ranks_keep_the_earlier_one_above():
    y = np.zeros(4)
    predictions = np.array([[1.0] * 4, [2.0] * 4, [1.0] * 4, [3.0] * 4, [0.5] * 4])
    teams = np.array(["a", "b", "c", "d", "d"])
    play = mechanism("full_disclosure")
    shared = TeamBoards(find("mse"), y, predictions, teams, RNG).play(play)
    assert shared.place.tolist() == [1, 2, 1, 4, 1]
    ranked = RankBoards(find("mse"), y, predictions, teams, RNG).play(play)
    assert ranked.place.tolist() == [1, 2, 2, 4, 1]


def test_a_margin_keeps_a_newcomer_below_those_whom_it_hardly_beats():
    """Ladder of step 1: .9 better than the first is not enough, 1.9 better than the second is."""
    y = np.zeros(4)
    predictions = np.sqrt(np.array([[5.0] * 4, [6.0] * 4, [4.1] * 4, [2.0] * 4]))
    teams = np.array(["a", "b", "c", "b"])
    history = RankBoards(find("mse"), y, predictions, teams, RNG).play(
        mechanism("general_ladder", eta=1.0)
    )
    assert history.place.tolist() == [1, 2, 2, 1]
    assert history.released.tolist() == [5.0, 6.0, 4.0, 2.0]
    assert history.teams.tolist() == [1, 2, 3, 3]


def test_an_instance_for_each_rank_does_not_stop_new_accounts():
    """A new team comes last, on an empty instance, and is shown its own number as on a new board.

    So whoever submits each file under another name sees every score; with one name almost none.
    """
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 400).astype(float)
    labels = rng.integers(0, 2, (60, 400)).astype(float)
    losses = np.mean(labels != y, axis=1)
    ladder = mechanism("general_ladder", eta=0.01)
    metric = find("zero_one")
    new = RankBoards(metric, y, labels, np.arange(60).astype(str), RNG).play(ladder)
    assert np.abs(new.released - losses).max() <= 0.005 + 1e-9
    same = RankBoards(metric, y, labels, np.array(["a"] * 60), RNG).play(ladder)
    assert len(set(same.released)) < 10


@dataclasses.dataclass(frozen=True)
class Reluctant(Margin):
    """A gate that is called as ours, and asks for ten times as much."""

    def decide(self, batch, best, metric, y, **given):
        return Margin(10 * self.margin, self.step).decide(batch, best, metric, y, **given)


class ReluctantLadder(Mechanism):
    name = "reluctant_ladder"
    label = "Reluctant Ladder"

    @cached_property
    def gate(self):
        return Reluctant(0.1, 0.1)

    @cached_property
    def release(self):
        return Rounded(0.1)


def test_gates_that_are_called_alike_decide_each_for_itself():
    y, predictions, teams = log(3)
    shared = RankBoards(find("mse"), y, predictions, teams, RNG)
    ours, own = (
        shared.play(board) for board in (mechanism("general_ladder", eta=0.1), ReluctantLadder())
    )
    alone = RankBoards(find("mse"), y, predictions, teams, RNG).play(ReluctantLadder())
    np.testing.assert_array_equal(own.in_force, alone.in_force)
    assert (own.in_force != ours.in_force).any()


class Wavering(Margin):
    """A gate of its own that asks for a random margin."""

    draws_weights = True

    def decide(self, batch, best, metric, y, *, chain, rng):
        margin = Margin(self.margin * rng.random(), self.step)
        return margin.decide(batch, best, metric, y, chain=chain, rng=None)


class WaveringLadder(ReluctantLadder):
    name = "wavering_ladder"
    label = "Wavering Ladder"

    @cached_property
    def gate(self):
        return Wavering(0.1, 0.0)


def test_a_random_gate_of_your_own_ranks_too():
    y, predictions, teams = log(3)
    history = RankBoards(find("mse"), y, predictions, teams, RNG).play(WaveringLadder())
    assert history.accepted.any()
    assert history.place.min() == 1
