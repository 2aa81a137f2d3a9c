"""The attacks on labels against literal twins, closed forms, and what must not matter to them."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import stats

from shakedown.attacks import enumeration
from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.boosting import Boosting
from shakedown.attacks.enumeration import Enumeration, best_size
from shakedown.attacks.on_labels import checked_points, fair_labels
from shakedown.attacks.two_accounts import TwoAccounts
from shakedown.interface import InputError, ParticipantData
from shakedown.leaderboard.mechanism import mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from tests.attacks.test_attacks import accepted, released
from tests.reference import label_attacks as literal
from tests.reference.mechanisms import (
    FullDisclosure,
    GeneralLadder,
    KaggleReference,
    Ladder,
    ParameterFreeLadder,
    SimplifiedLadder,
)

TWINS = {
    "full_disclosure": (FullDisclosure, {}),
    "kaggle": (KaggleReference, {}),
    "general_ladder": (GeneralLadder, {"eta": 0.05}),
    "simplified_ladder": (SimplifiedLadder, {"eta": 0.05}),
    "parameter_free_ladder": (ParameterFreeLadder, {}),
    "ladder": (Ladder, {"alpha": 0.3}),
}


def view(n=60, n_final=40):
    return ParticipantData(np.empty((0, 0)), np.empty(0), np.empty((n, 0)), np.empty((n_final, 0)))


def labels(seed, n=60):
    return np.random.default_rng(seed).integers(0, 2, n).astype(float)


def session(y, name, **settings):
    return Session(Scorer(find("zero_one"), y), mechanism(name, **settings), partial(stream, 3))


def twin(y, name):
    kind, settings = TWINS[name]
    return kind(y, "zero_one", **settings)


def made(kind, seed, **options):
    return kind(**options).prepare(view(), None, stream(seed))


def random_lists(seed, k, n=100):
    return fair_labels(stream(seed), k, n).astype(float)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("keep", ["better_half", "mirrored", "lowered"])
@pytest.mark.parametrize("name", TWINS)
def test_boosting_ends_with_the_labels_of_the_literal_one(name, keep, seed):
    y, k = labels(seed), 50
    us = random_lists(seed, k)
    board = session(y, name, **TWINS[name][1])
    game = made(Boosting, seed, submissions=k, keep=keep, points=[1, 7, 20]).play(board.open)
    for at, stop in enumerate([1, 7, 20, 50]):
        other = twin(y, name)
        if keep == "better_half":
            expected = literal.boosting(us[:stop], other.submit, n=60)
        elif keep == "mirrored":
            expected = literal.mirrored_boosting(us[:stop], lambda b=other: b, n=60)
        else:
            expected = literal.lowering_boosting(us[:stop], other.submit, n=60)
        np.testing.assert_array_equal(game.models.public[at], expected[:60])
        np.testing.assert_array_equal(game.models.final[at], expected[60:])
    np.testing.assert_allclose(np.concatenate(released(board)), other.released, rtol=1e-14)
    assert game.models.submissions.tolist() == [1, 7, 20, 50]


@pytest.mark.parametrize("name", ["general_ladder", "parameter_free_ladder"])
def test_a_new_account_for_each_submission_sees_every_score(name):
    y, k = labels(1), 40
    us = random_lists(1, k)
    board = session(y, name, **TWINS[name][1])
    game = made(Boosting, 1, submissions=k, keep="mirrored", accounts="many").play(board.open)
    expected = literal.mirrored_boosting(us, lambda: twin(y, name), n=60, same_board=False)
    np.testing.assert_array_equal(game.models.public[-1], expected[:60])
    np.testing.assert_allclose(
        np.concatenate(released(board)), [twin(y, name).submit(u[:60]) for u in us], rtol=1e-14
    )
    assert board.counts.accepted == board.counts.changed == k


def honest_vote(y_train, us, submit, keep):
    """The labels after each submission and the votes so far; the first is the honest file."""
    n = us.shape[1]
    ones, m = np.sum(y_train), len(y_train)
    label = float(ones > m - ones)
    prior = np.log((ones + 1) / (m - ones + 1))  # log odds of a 1, with one more row of each
    shown = [submit(np.full(n, label))]
    votes, history = [np.zeros(n)], []
    for u in us:
        if history:
            loss = submit(u)
            weight = (1 if loss < 0.5 else -1) if keep == "mirrored" else loss < min(shown)
            votes.append(weight * (2.0 * u - 1.0))
            shown.append(loss)
        odds = 2.0 * np.sqrt(2.0 / (np.pi * n)) * np.sum(votes, axis=0) + prior
        labels = np.where(np.abs(odds) < 1e-12, label, odds > 0.0)
        history.append((labels, sum(vote.any() for vote in votes), label))
    return history


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("y_train", [(), (0,) * 7 + (1,) * 4, (0,) * 4 + (1,) * 7], ids=len)
@pytest.mark.parametrize(
    ("keep", "name"),
    [("mirrored", "full_disclosure"), ("lowered", "full_disclosure"), ("lowered", "ladder")],
)
def test_a_vote_must_outweigh_the_training_rows(keep, name, y_train, seed):
    y, k, points = labels(seed), 40, [1, 7, 40]
    us = random_lists(seed, k)[:, :60]
    rows = replace(view(), y_train=np.array(y_train, float))
    attack = Boosting(submissions=k, keep=keep, honest=True, points=points)
    game = attack.prepare(rows, None, stream(seed)).play(session(y, name, **TWINS[name][1]).open)
    expected = honest_vote(y_train, us, twin(y, name).submit, keep)
    for at, point in enumerate(points):
        labelled, voters, label = expected[point - 1]
        np.testing.assert_array_equal(game.models.public[at], labelled)
        assert game.models.n_selected[at] == voters
        assert (game.models.final[at] == label).all()
    np.testing.assert_array_equal(game.honest.public[0], expected[0][0])


@pytest.mark.parametrize(("keep", "name"), [
    ("mirrored", "ladder"), ("mirrored", "constant_board"), ("lowered", "constant_board"),
])  # fmt: skip
def test_scores_of_other_files_and_scores_that_never_change_are_no_votes(keep, name):
    settings = TWINS[name][1] if name in TWINS else {}
    attack = made(Boosting, 1, submissions=40, keep=keep, honest=True, points=[9])
    models = attack.play(session(labels(1), name, **settings).open).models
    assert (models.public == 0.0).all()
    assert models.n_selected.tolist() == [0, 0]


def test_voters_are_counted():
    y = labels(2)
    every = made(Boosting, 2, submissions=30, keep="mirrored")
    assert every.play(session(y, "full_disclosure").open).models.n_selected[-1] == 30
    half = made(Boosting, 2, submissions=30)
    shown = session(y, "full_disclosure")
    votes = half.play(shown.open).models.n_selected[-1]
    assert votes == (np.concatenate(released(shown)) <= 0.5).sum()
    assert 5 < votes < 25


@pytest.mark.parametrize(("keep", "share"), [("mirrored", 1.0), ("better_half", 0.5)])
def test_the_vote_gains_what_the_normal_approximation_says(keep, share):
    """Each of k share voters is right on a label with chance 1/2 + sqrt(2 / pi) / (2 sqrt(n))."""
    n, k, plays = 400, 100, 60
    attack = Boosting(submissions=k, keep=keep, points=[k])
    rows = ParticipantData(*[np.empty((0, 0))] * 2, np.empty((n, 0)), np.empty((9, 0)))
    losses = []
    for seed in range(plays):
        y = labels(seed, n)
        game = attack.prepare(rows, None, stream(seed, keep)).play(
            session(y, "full_disclosure").open
        )
        losses.append(np.mean(game.models.public[-1] != y))
    expected = stats.norm.sf(np.sqrt(2 / np.pi) * np.sqrt(share * k / n))
    # Ties of the vote go to 0, wrong half of the time; the approximation is good to some .01.
    error = stats.sem(losses) * stats.norm.isf(1e-6 / 2)
    assert abs(np.mean(losses) - expected) < error + 0.012


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("seed", range(4))
def test_swaps_are_those_of_the_literal_attack(name, seed):
    y = labels(seed)
    attack = made(Enumeration, seed, submissions=80, move="swap", points=[5, 30])
    board = session(y, name, **TWINS[name][1])
    game = attack.play(board.open)
    rng = stream(seed)
    first = rng.permutation(np.arange(60) % 2).astype(float)
    rng.integers(0, 2, 40)  # the final labels
    other = twin(y, name)
    expected, made_in_all = literal.swapping(first, other.submit, rng, 80)
    np.testing.assert_array_equal(game.models.public[-1], expected)
    np.testing.assert_allclose(np.concatenate(released(board)), other.released, rtol=1e-14)
    np.testing.assert_array_equal(np.concatenate(accepted(board)), other.accepted)
    assert board.counts.accepted == sum(other.accepted)
    assert game.models.submissions.tolist() == [5, 30, made_in_all]


@pytest.mark.parametrize("name", TWINS)
def test_single_flips_are_those_of_the_literal_attack(name):
    y = labels(9)
    attack = made(Enumeration, 9, submissions=100)
    board = session(y, name, **TWINS[name][1])
    game = attack.play(board.open)
    rng = stream(9)
    first = rng.integers(0, 2, 60).astype(float)
    rng.integers(0, 2, 40)
    other = twin(y, name)
    expected = literal.flipping(first, other.submit, rng.permutation(60))
    np.testing.assert_array_equal(game.models.public[-1], expected)
    np.testing.assert_allclose(np.concatenate(released(board)), other.released, rtol=1e-14)
    assert game.models.submissions[-1] == 61  # every label once
    assert np.concatenate(game.submitted).tolist() == list(range(61))


def test_single_flips_solve_a_board_that_shows_every_score():
    y = labels(3)
    game = made(Enumeration, 3, submissions=61).play(session(y, "full_disclosure").open)
    np.testing.assert_array_equal(game.models.public[-1], y)


def test_swaps_break_the_parameter_free_ladder_and_flips_do_not():
    """One label more is exactly one standard error, which is not below: no flip is accepted."""
    y = labels(4)
    flips = session(y, "parameter_free_ladder")
    made(Enumeration, 4, submissions=61).play(flips.open)
    assert flips.counts.accepted == 1
    swaps = session(y, "parameter_free_ladder")
    game = made(Enumeration, 4, submissions=4000, move="swap").play(swaps.open)
    assert np.mean(game.models.public[-1] != y) < 0.1


def test_larger_changes_are_all_made_and_none_twice_in_a_round():
    y = labels(5)
    seen = []
    board = session(y, "general_ladder", eta=0.05)

    def spying():
        opened = board.open()
        real = opened.climb
        opened.climb = lambda labels, moves, lowest: (
            seen.append(moves),
            real(labels, moves, lowest),
        )[1]
        return opened

    made(Enumeration, 5, submissions=13, size=5, points=[13]).play(spying)
    assert [len(moves) for moves in seen] == [12]
    assert sorted(seen[0].ravel()) == list(range(60))


@pytest.mark.parametrize(("most", "kept"), [(0, 0), (300, 5), (2**24, 50)])
def test_the_orders_that_are_kept_for_other_plays_change_nothing(monkeypatch, most, kept):
    monkeypatch.setattr(enumeration, "MOST_KEPT", most)
    y, options = labels(4), {"submissions": 200, "size": None}
    shared = made(Enumeration, 5, **options)
    for name, eta in [
        ("general_ladder", 0.01),
        ("general_ladder", 0.2),
        ("simplified_ladder", 0.05),
    ]:
        alone = made(Enumeration, 5, **options).play(session(y, name, eta=eta).open)
        again = shared.play(session(y, name, eta=eta).open)
        np.testing.assert_array_equal(again.models.public, alone.models.public)
    assert len(shared._kept) == kept


@pytest.mark.parametrize("loss", [0.5, 0.45, 0.3])
@pytest.mark.parametrize("step", [1.0, 10.0])
def test_the_tuned_size_has_the_best_chance_of_a_step(loss, step):
    """Of m flipped labels Bin(m, loss) become right; more right than wrong by `step` is wanted."""
    n = 1000
    wanted = np.arange(1, n // 4 + 1)
    chances = stats.binom.sf(np.ceil((wanted + step) / 2) - 1, wanted, loss)
    size = best_size(loss, step, n)
    # Right less wrong has the parity of m, so every other size is a little worse.
    assert chances[size - 1 : size + 1].max() > 0.9 * chances.max()


@pytest.mark.parametrize("step", [None, 0.1])
def test_two_accounts_are_those_of_the_literal_attack(step):
    y = labels(6)
    board = session(y, "rank_board", **({} if step is None else {"eta": step}))
    game = made(TwoAccounts, 6, points=[2, 30]).play(board.open)
    rng = stream(6)
    first = rng.integers(0, 2, 60).astype(float)
    rng.integers(0, 2, 40)
    other = literal.RankedAccounts(y, "AB", step)
    expected, submissions = literal.two_accounts(first, other, rng.permutation(60))
    np.testing.assert_array_equal(game.models.public[-1], expected)
    assert game.models.submissions.tolist() == [2, 30, submissions] == [2, 30, 61]
    assert len(board.boards) == 2
    if step is None:
        np.testing.assert_array_equal(expected, y)  # "getting all answers right"
    else:
        assert np.mean(expected != y) > 0.3


def test_ranks_are_shown_and_no_score():
    y = labels(7)
    board = session(y, "rank_board")
    first, second = board.open(), board.open()
    assert first.submit(y[None]).released.tolist() == [1.0]
    assert second.submit(1 - y[None]).released.tolist() == [2.0]
    assert second.submit(y[None]).released.tolist() == [1.5]  # the two cannot be told apart
    wrong = np.array([y, y])
    wrong[:, 0] = 1 - y[0]
    assert first.submit(wrong).released.tolist() == [1.5, 1.5]  # it keeps its best


def test_nothing_else_shows_the_scores_behind_the_ranks():
    y = labels(7)
    board = session(y, "rank_board")
    client = board.open()
    with pytest.raises(InputError, match="shows ranks, and `submit_each` is for boards that show"):
        client.submit_each(y[None])
    with pytest.raises(InputError, match="shows ranks, and `climb` is for boards that show scores"):
        client.climb(y.copy(), np.array([[0]]), np.inf)
    assert not board.batches


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("boosting", {"submissions": 5, "keep": "best"}, "`keep` must be one of"),
        ("boosting", {"submissions": 5, "accounts": "two"}, "`accounts` must be one of"),
        ("boosting", {"submissions": 5, "keep": "lowered", "accounts": "many"}, "Use keep: mirror"),
        (
            "boosting",
            {"submissions": 0},
            "`submissions` must be a whole number of at least 1 and at most",
        ),
        ("boosting", {"submissions": 5, "points": [6]}, "from 1 to 5, got \\[6\\]"),
        ("enumeration", {"submissions": 5, "move": "turn"}, "`move` must be one of"),
        ("enumeration", {"submissions": 5, "size": 0}, "`size` must be a whole number .* got 0"),
        ("enumeration", {"submissions": 5, "points": [6]}, "from 1 to 5, got \\[6\\]"),
    ],
)
def test_impossible_options_are_refused(name, options, message):
    with pytest.raises(InputError, match=f"attack '{name}': .*{message}"):
        ATTACKS.make(name, **options)


def test_a_point_beyond_the_last_label_is_refused():
    with pytest.raises(InputError, match="numbers of submissions from 1 to 61, got \\[70\\]"):
        made(TwoAccounts, 1, points=[70])


def test_points_grow_and_end_with_the_last_submission():
    assert checked_points(None, 1) == [1]
    points = checked_points(None, 1000)
    assert (points[0], points[-1]) == (1, 1000)
    assert len(points) > 20
    assert (np.diff(points) > 0).all()
    assert checked_points([9, 3, 3], 10) == [3, 9, 10]


def test_a_batch_knows_the_lowest_score_of_all_before():
    """Where the game is looked at, and so how it is cut into batches, does not change the votes."""
    for seed in range(20):
        board = session(labels(seed), "full_disclosure")
        games = [
            made(Boosting, seed, submissions=20, keep="lowered", points=points).play(board.open)
            for points in ([20], [1, 2, 3, 5, 8, 20])
        ]
        whole, cut = (game.models for game in games)
        np.testing.assert_array_equal(whole.public[-1], cut.public[-1])
        assert whole.n_selected[-1] == cut.n_selected[-1]


def test_the_climb_counts_the_moves_that_it_kept():
    y = labels(3)
    board = session(y, "full_disclosure")
    game = made(Enumeration, 3, submissions=80, move="swap", points=[5, 30, 80]).play(board.open)
    kept = game.models.n_selected
    assert kept.shape == (3,)
    assert 0 <= kept[0] < kept[1] <= kept[2] <= 80
