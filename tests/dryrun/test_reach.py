"""What the components say of which attack plays where is what the attacks do."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.dryrun import reach
from shakedown.dryrun.plan import default_mechanisms, is_of_labels
from shakedown.interface import InputError, ParticipantData
from shakedown.leaderboard.mechanism import mechanisms, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import METRICS, find
from shakedown.metrics.classes import NUMBERS, TIMES, TWO_CLASSES
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from tests.kinds import fitting

#: Small, so that something is learnt soon.
N, SUBMISSIONS, REPLICATES = 24, 120, 4
#: Boards of the same kinds that show more than the examples: a digest has many updates.
EASIER = {
    "digest": "digest(eta=0.02,floor=0.1,every=2,updates=60)",
    "ladder": "ladder(alpha=0.5)",
    "ladderboot": "ladderboot(alpha=0.5,b=100)",
    "adaptive_ladderboot": "adaptive_ladderboot(alpha=0.5,b=64,halving=500)",
    "bayesboot_ladderboot": "bayesboot_ladderboot(posterior_odds=1,draws=20,b=40)",
    "gaussian_noise": "gaussian_noise(sd=0.01)",
    "shaky_ladder": "shaky_ladder(eta=0.01,scale=0.001)",
    "thresholdout": "thresholdout(threshold=0.01,sigma=0.001,budget=60)",
}
#: Attacks that need a response with two values.
OF_TWO_VALUES = ("positional_weights", "precision_sums", "rank_sums", "weighted_probabilities")
METRIC_NAMES = [*METRICS.classes, "sklearn.metrics.r2_score", reach.OTHER]
NAMES = [board.name for board in reach.boards()]


def board_of(name, metric):
    kind = {board.name: board for board in reach.boards()}[name]
    setting = EASIER.get(name, kind.setting)
    if metric.larger_is_better and metric.response != NUMBERS:  # whose baseline has a half
        setting = setting.replace("floor=0.1", "floor=0.9")
    if metric.function is not None:  # which is slow
        setting = setting.replace("b=40", "b=10")
    return of_setting(setting)


def ends(attack, metric, board, seed):
    """The labels or numbers that it ends with, and its honest file."""
    rng = np.random.default_rng(seed)
    if labels := is_of_labels(metric):
        y = (rng.permutation(N) < 11).astype(float)
        train = np.r_[np.zeros(6), np.ones(5)]
    else:
        y, _ = fitting(metric, *rng.standard_normal((2, N)))
        train = np.zeros(0)
        if attack.name in OF_TWO_VALUES or metric.response == TWO_CLASSES:
            y, train = np.sign(y - np.median(y)), np.arange(N) % 2 - 0.5
        elif metric.response not in (NUMBERS, TIMES):  # classes are known from the training set
            train, _ = fitting(metric, *rng.standard_normal((2, N)))
            train = (train - train.mean()) / train.std(ddof=1)
        if metric.response != TIMES:
            y = (y - y.mean()) / y.std(ddof=1)
    view = ParticipantData(
        np.empty((len(train), 0)), train, np.empty((N, 0)), np.empty((10, 0))
    )  # fmt: skip
    given = {"submissions": SUBMISSIONS, "points": [SUBMISSIONS]}
    given |= {"honest": True} if labels and "honest" in attack.model_fields else {}
    ways = [{"keep": "lowered"}, {"keep": "mirrored"}] if attack.name == "boosting" else [{}]
    for way in ways:
        one = ATTACKS.make(attack.name, **given, **way)
        scorer = Scorer(metric, y, undefined_is_zero=True)
        session = Session(scorer, board, partial(stream, seed))
        game = one.prepare(view, None, stream(seed, "attack")).play(session.open)
        yield game.models.public[-1], game.honest.public[0], y


def gain(metric, file, honest, y):
    """By how much the file is better than the honest one; a constant has no correlation."""
    before, after = (
        metric.score(y, part[None])[0] if np.ptp(part) or not metric.larger_is_better else 0.0
        for part in (honest, file)
    )
    return metric.sign * (before - after)


def takes(board, metric):
    try:
        board.check(metric)
    except InputError:
        return False
    return True


PAIRS = [
    (name, metric)
    for name in NAMES
    for metric in METRIC_NAMES
    if takes(board_of(name, find(metric)), find(metric))
]


@pytest.mark.parametrize(("name", "metric"), PAIRS)
def test_an_attack_plays_where_the_table_says_it(name, metric):
    metric = find(metric)
    board = board_of(name, metric)
    for attack in ATTACKS.classes.values():
        if attack.on_labels != is_of_labels(metric) or attack.threat in (None, reach.MODELLER):
            continue
        if not attack.reads_metric(metric):
            assert not reach.plays(attack, metric, board, N)
            continue
        games = [game for seed in range(REPLICATES) for game in ends(attack, metric, board, seed)]
        changed = any(not np.array_equal(file, honest) for file, honest, _ in games)
        assert changed == reach.plays(attack, metric, board, N), attack.name
        # What it takes for a gain is not always a loss.
        assert max(gain(metric, *game) for game in games) >= 0.0, attack.name


@pytest.mark.parametrize("metric", METRIC_NAMES)
def test_no_usual_board_is_left_without_an_adversary(metric):
    """A dry run's own boards, with and without a model."""
    metric, kinds = find(metric), {"null_adversary", "holder"}
    boards = [*mechanisms(default_mechanisms(metric, n_public=200)), *reach.boards()]
    for board in boards:
        assert not takes(board, metric) or set(reach.reach(metric, board)) == kinds, board.setting


def test_what_a_constant_board_shows_tells_nobody_anything():
    board = of_setting("constant_board")
    for attack in ATTACKS.classes.values():
        for metric in map(find, METRICS.classes):
            assert not reach.plays(attack, metric, board)


def test_the_table_names_the_attacks():
    lines = reach.table().splitlines()
    assert len(lines) == 2 + len(reach.boards())
    assert "not attacked" not in reach.table()
    digest = next(line for line in lines if line.startswith("| Digest"))
    assert f"Between updates{reach.NBSP}+" in digest
    assert "Resubmission" not in digest
    ladder = next(board for board in reach.boards() if board.name == "ladder")
    for metric in map(find, METRIC_NAMES):  # a paired test takes losses alone
        assert (reach.cell(metric, ladder) == "–") == (not takes(ladder, metric))
    assert not takes(ladder, find("pearson"))


def test_the_list_of_metrics_says_what_is_attacked_and_proved():
    lines = [line.strip("| ").split(" | ") for line in reach.metrics_table().splitlines()]
    rows = {line[0]: line[1:] for line in lines[2:]}
    assert list(rows) == [find(name).label for name in METRICS.classes]
    assert all(attacks for *_, attacks, _ in rows.values())
    assert rows["MSE"][-1] == "digests, General Ladders, metered boards"
    assert rows["Lin's CCC"][-1] == "–"  # it can be metered, and nothing is proved
    assert rows["MAE"][-1] == "–"
    assert rows["AUROC"][:2] == ["two classes", "scores"]
    assert "Rank sums" in rows["AUROC"][2]
    assert rows["AUROC"][3] == "metered boards"
    assert "Random search" not in rows["AUROC"][2]
    assert "Random search" in rows["SMAPE"][2]
