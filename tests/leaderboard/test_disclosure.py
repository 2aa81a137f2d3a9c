"""What each mechanism says that it can show, against what it shows."""

from dataclasses import replace
from functools import partial
from itertools import product
from math import comb, exp
from typing import ClassVar

import numpy as np
import pytest

from shakedown.leaderboard.board import Board
from shakedown.leaderboard.defences.cap import Cap
from shakedown.leaderboard.disclosure import NOTHING, Disclosure
from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.mechanism import MECHANISMS, Mechanism, mechanism, of_setting
from shakedown.leaderboard.releases import Release
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.theory.leakage import board_nats
from shakedown.theory.proved import proved_nats

ROWS = 30
EVERY = [kind(**example) for kind in MECHANISMS.classes.values() for example in kind.examples]


@pytest.mark.parametrize("board", EVERY, ids=lambda board: board.id)
def test_every_mechanism_says_what_it_can_show_or_why_that_cannot_be_counted(board):
    disclosure = board.disclosure(ROWS)
    assert bool(disclosure.reason) == (disclosure.step is None)


@pytest.mark.parametrize("metric", ["mse", "rmse"])
@pytest.mark.parametrize("board", EVERY, ids=lambda board: board.id)
def test_a_board_shows_nothing_but_what_it_says(board, metric):
    """Files of all scales around a good one, so that scores rise and fall."""
    disclosure = board.disclosure(ROWS)
    if disclosure.step is None or disclosure == NOTHING:
        return
    rng = np.random.default_rng(5)
    y = rng.standard_normal(ROWS)
    scales = rng.uniform(0, 1.2, (400, 1))
    scales[:9, 0] = np.linspace(1.0, 0.4, 9)  # slowly at first, for boards with few updates
    files = y + rng.choice([-1.0, 1.0], (400, ROWS)) * scales
    files[0] = 0.0  # the start
    scorer = Scorer(find(metric), y)
    shown = Board(scorer, board, partial(stream, 3)).submit(files).released
    if disclosure.falls:  # some file so far is as good as what is shown, but for the rounding
        squares = np.minimum.accumulate(((files - y) ** 2).mean(axis=1))
        exact = np.sqrt(squares) if metric == "rmse" else squares
        if disclosure.starts:
            exact = np.minimum(exact, shown[0])  # as if it was a file's
        assert (exact <= shown + disclosure.slack + 1e-9).all()
    if disclosure.updates is not None:
        changes = np.diff(shown) != 0
        assert 0 < changes.sum() <= disclosure.updates
        shown = shown[np.argmax(changes) + 1 :]  # not the start
        assert shown.min() >= disclosure.floor
    in_steps = shown / disclosure.step
    np.testing.assert_allclose(in_steps, np.rint(in_steps), atol=1e-6)
    assert len(np.unique(shown)) > 1
    if disclosure.falls:
        assert (np.diff(shown) <= 0).all()
    elif board.replaces_always:
        assert (np.diff(shown) > 0).any()


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("general_ladder", {"eta": 0.1}, Disclosure(0.1, falls=True, shows_acceptance=True)),
        ("simplified_ladder", {"eta": 0.1}, Disclosure(0.1, falls=True)),
        ("parameter_free_ladder", {}, Disclosure(1 / ROWS, falls=True)),
        ("ladder", {"alpha": 0.15}, Disclosure(1 / ROWS, falls=True)),
        ("ladder", {"alpha": 0.6}, Disclosure(1 / ROWS)),
        ("bayesboot_ladder", {"posterior_odds": 3.0}, Disclosure(1 / ROWS)),
        ("kaggle", {"eta": 0.1}, Disclosure(0.1)),
        (
            "digest",
            {"eta": 0.1, "floor": 0.5, "every": 7, "updates": 4},
            Disclosure(0.1, falls=True, starts=True, updates=4, every=7, floor=0.5),
        ),
        ("constant_board", {}, NOTHING),
        ("fresh_holdout", {}, NOTHING),
    ],
)
def test_what_can_be_counted(name, parameters, expected):
    slack = 0.0 if name == "digest" else expected.step / 2  # the worse multiple, or the nearest
    slack = None if expected == NOTHING else slack
    assert mechanism(name, **parameters).disclosure(ROWS) == replace(expected, slack=slack)


@pytest.mark.parametrize(
    ("name", "parameters", "reason"),
    [
        ("full_disclosure", {}, "Exact scores"),
        ("rank_board", {"eta": 0.1}, "rank"),
        ("ladderboot", {"alpha": 0.15, "b": 10}, "noise"),
        ("adaptive_ladderboot", {"alpha": 0.15, "b": 10, "halving": 5}, "noise"),
        ("bayesboot_ladderboot", {"posterior_odds": 3.0, "b": 10}, "noise"),
        ("gaussian_noise", {"sd": 0.1}, "fresh noise"),
        ("shaky_ladder", {"eta": 0.1, "scale": 0.01}, "noise"),
        ("thresholdout", {"budget": 10}, "noise"),
    ],
)
def test_what_cannot_be_counted(name, parameters, reason):
    disclosure = mechanism(name, **parameters).disclosure(ROWS)
    assert disclosure.step is None
    assert reason in disclosure.reason


def test_a_baseline_gives_a_start():
    board = of_setting("ladder(alpha=0.15)+baseline")
    assert board.disclosure(ROWS) == Disclosure(1 / ROWS, falls=True, starts=True, slack=0.5 / ROWS)


def test_a_cap_limits_improvements():
    board = of_setting("general_ladder(eta=0.1)+cap(improvements=3)")
    assert board.disclosure(ROWS) == Disclosure(
        0.1, falls=True, shows_acceptance=True, improvements=3, slack=0.05
    )
    assert Cap(improvements=5).disclosure(board.disclosure(ROWS)).improvements == 3


def test_a_capped_board_shows_as_many_transcripts_as_are_counted():
    """All games of four files, of risks on either side of each level."""
    y = np.array([-1.0, -0.5, 0.1, 0.5, 0.9])
    y = (y - y.mean()) / y.std(ddof=1)
    scorer = Scorer(find("mse"), y)
    capped = of_setting("simplified_ladder(eta=0.25)+baseline+cap(improvements=2)")
    offers = y * (1 - np.sqrt(np.array([0.9, 0.74, 0.49, 0.24, 0.1]) / np.mean(y**2)))[:, None]
    transcripts = {
        tuple(Board(scorer, capped, partial(stream, 3)).submit(offers[list(chosen)]).released)
        for chosen in product(range(len(offers)), repeat=4)
    }
    counted = board_nats(capped.disclosure(len(y)), submissions=4, start=0.75, floor_=0.0)
    assert len(transcripts) == round(exp(counted)) == 1 + 4 * 3 + 6 * 3  # .5, .25 and 0 below .75


@pytest.mark.parametrize(
    ("setting", "adds"),
    [
        ("general_ladder(eta=0.25)+baseline", False),
        ("simplified_ladder(eta=0.25)+baseline", True),
        ("simplified_ladder(eta=0.25)+baseline+cap(improvements=1)", True),
        ("digest(eta=0.25,floor=0.25,every=2,updates=1)", True),
    ],
)
def test_what_acceptances_add_is_counted(setting, adds):
    """All games of three files: the transcripts without and with the acceptances."""
    y = np.array([-1.0, -0.5, 0.1, 0.5, 0.9])
    y = (y - y.mean()) / y.std(ddof=1)
    scorer, board = Scorer(find("mse"), y), of_setting(setting)
    risks = np.array([0.9, 0.74, 0.6, 0.49, 0.4, 0.24, 0.1, 0.05, 0.01])
    offers = y * (1 - np.sqrt(risks / np.mean(y**2)))[:, None]
    transcripts = set()
    for chosen in product(range(len(offers)), repeat=3):
        receipt = Board(scorer, board, partial(stream, 3)).submit(offers[list(chosen)])
        transcripts.add((tuple(receipt.released), tuple(receipt.accepted)))
    scores = {shown for shown, _ in transcripts}
    nats = partial(board_nats, board.disclosure(len(y)), submissions=3, start=0.8, floor_=0.0)
    assert len(scores) <= round(exp(nats()))
    assert len(transcripts) <= round(exp(nats(acceptance=True)))
    assert (len(transcripts) > len(scores)) is adds
    assert (nats(acceptance=True) > nats()) is adds


def test_acceptances_below_a_floor_are_not_seen_in_the_score():
    """A General Ladder whose scores are shown down to .75 only, with and without acceptances."""
    y = np.array([-1.0, -0.5, 0.1, 0.5, 0.9])
    y = (y - y.mean()) / y.std(ddof=1)
    scorer, board = Scorer(find("mse"), y), of_setting("general_ladder(eta=0.125)+baseline")
    offers = y * (1 - np.sqrt(np.array([0.6, 0.5, 0.35, 0.2, 0.1]) / np.mean(y**2)))[:, None]
    transcripts = set()
    for chosen in product(range(len(offers)), repeat=4):
        receipt = Board(scorer, board, partial(stream, 3)).submit(offers[list(chosen)])
        transcripts.add((*np.maximum(receipt.released, 0.75), *receipt.accepted))
    nats = partial(board_nats, board.disclosure(len(y)), submissions=4, start=0.8, acceptance=True)
    assert exp(nats(floor_=0.75)) < len(transcripts) <= exp(nats(floor_=0.0))


def test_what_defences_change():
    plain = of_setting("general_ladder(eta=0.1)+baseline")
    for rules in ("value_range", "distinct", "cap_per_day(improvements=1,day=9)"):
        assert of_setting(f"{plain.setting}+{rules}").disclosure(ROWS) == plain.disclosure(ROWS)
    shared = of_setting(f"{plain.setting}+one_board").disclosure(ROWS)
    assert shared == replace(plain.disclosure(ROWS), shared=True)
    for clipped in (f"{plain.setting}+clip", "general_ladder(eta=0.1)+clip+baseline"):
        disclosure = of_setting(clipped).disclosure(ROWS)
        assert disclosure.step is None
        assert "clipped score" in disclosure.reason


def test_a_floor_is_a_risk():
    digest = mechanism("digest", eta=0.1, floor=0.5, every=7, updates=4)
    assert digest.disclosure(ROWS, sign=-1).floor == -0.5


@pytest.mark.parametrize(("every", "files"), [(1, 3), (2, 4)])
def test_a_digest_shows_as_many_transcripts_as_are_counted(every, files):
    """All games of a few files, of risks on either side of each level."""
    y = np.array([-1.0, -0.5, 0.1, 0.5, 0.9])
    y = (y - y.mean()) / y.std(ddof=1)
    scorer = Scorer(find("mse"), y)
    digest = mechanism("digest", eta=0.25, floor=0.25, every=every, updates=2)
    risks = np.array([0.9, 0.7, 0.6, 0.45, 0.2, 0.1])
    offers = y * (1 - np.sqrt(risks / np.mean(y**2)))[:, None]
    transcripts = {
        tuple(Board(scorer, digest, partial(stream, 3)).submit(offers[list(chosen)]).released)
        for chosen in product(range(len(offers)), repeat=files)
    }
    nats = board_nats(digest.disclosure(len(y)), submissions=None, start=0.8, floor_=0.0)
    assert len(transcripts) == comb(2 + 3, 3) == round(exp(nats))  # .75, .5 and .25 below .8


class Plain:
    """A gate or a release that says nothing."""


def test_of_an_unknown_gate_or_release_nothing_is_assumed():
    class Own(Mechanism):
        name: ClassVar[str] = "own"
        label: ClassVar[str] = "Own"
        gate: ClassVar[Gate] = Gate()
        release: ClassVar[Release] = Release()

    assert Own().disclosure(ROWS).step is None
    for part in ("gate", "release"):
        odd = type("Odd", (Own,), {"__module__": __name__, "name": "odd", part: Plain()})
        assert odd().disclosure(ROWS).step is None
    assert not Gate().only_lowers(0.1, ROWS)


def small_games(setting, metric):
    """Transcripts of random games of four files, of any size and repeated, on six rows."""
    rng, board, seen = np.random.default_rng(7), of_setting(setting), set()
    for _ in range(600):
        y = rng.standard_normal(6)
        y = (y - y.mean()) / y.std(ddof=1)
        noise = rng.standard_normal((4, 6)) * rng.choice([0.0, 0.3, 3.0], (4, 1))
        files = y * rng.uniform(0, 1, (4, 1)) + noise
        files[2] = files[rng.integers(0, 3)]
        shown = Board(Scorer(find(metric), y), board, partial(stream, 3)).submit(files).released
        seen.add(tuple(shown.round(9)))
    return seen


@pytest.mark.parametrize("metric", ["mse", "rmse"])
@pytest.mark.parametrize(
    "setting",
    [
        "simplified_ladder(eta=0.3)+baseline",
        "general_ladder(eta=0.3)+baseline",
        "general_ladder(eta=0.3)+baseline+cap(improvements=1)",
        "simplified_ladder(eta=0.3)+baseline+cap_per_day(day=2,improvements=1)",
        "simplified_ladder(eta=0.3)+baseline+distinct(distance=0.1)",
        "simplified_ladder(eta=0.3)+baseline+value_range",
        "simplified_ladder(eta=0.3)+baseline+one_board",
        "parameter_free_ladder+baseline",
        "ladder(alpha=0.5)+baseline",
        "digest(eta=0.3,every=2,floor=0.2,updates=2)",
        "digest(eta=0.3,every=1,floor=0.2,updates=3)+cap(improvements=1)",
        "digest(eta=0.3,every=1,floor=0.2,updates=3)+distinct",
    ],
)
def test_small_games_have_no_more_transcripts_than_are_counted(setting, metric):
    assert 1 < len(small_games(setting, metric)) <= exp(proved_nats(setting, 6, 4)) * (1 + 1e-9)


@pytest.mark.parametrize("metric", ["mse", "rmse"])
def test_a_board_that_is_too_coarse_shows_its_start(metric):
    """A step beyond the range, and a floor worse than the start."""
    floored = "digest(eta=0.3,every=1,floor=1.5,updates=3)"
    assert len(small_games("general_ladder(eta=5.0)+baseline", metric)) == 1
    assert len(small_games(floored, metric)) == 1
    assert proved_nats(floored, 6, 4) == 0.0
