"""A board of one's own is attacked like ours: what is published counts, not who wrote it."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from shakedown.attacks import estimating
from shakedown.attacks.attack import ATTACKS
from shakedown.interface import ParticipantData
from shakedown.leaderboard.defence import DEFENCES
from shakedown.leaderboard.mechanism import MECHANISMS, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.terms import Acceptance, Terms
from tests.attacks.test_adversaries import ADVERSARIES, response
from tests.own.copies import copy_of

N, MOST = 60, 24
METRIC = {name: (ATTACKS.find(name).metrics or ("mse",))[0] for name in ADVERSARIES}
ENTRIES = [
    MECHANISMS.make(name, **example).setting
    for name, kind in MECHANISMS.classes.items()
    for example in kind.examples
    if kind.shows != "ranks"
]
DEFENDED = [
    f"{board}+{DEFENCES.make(name, **example).id}"
    for name, kind in DEFENCES.classes.items()
    for example in kind.examples
    for board in ("general_ladder(eta=0.05)", "ladderboot(alpha=0.15,b=10)")
]
#: Gates whose noise is not that of the released score: other files, other draws.
RANDOM = ("bayesboot_ladder",)


def game(mechanism, name, *, seed=1, n=N, points=None, metric=None, **options):
    empty = np.empty((n, 0))
    view = ParticipantData(empty, np.empty(n), empty, np.empty((7, 0)))
    points = points or [*range(1, MOST + 1)]
    attack = ATTACKS.make(name, submissions=max(points), points=points, **options)
    scorer = Scorer(find(metric or METRIC[name]), response(seed, n), undefined_is_zero=True)
    session = Session(scorer, mechanism, partial(stream, seed))
    return attack.prepare(view, None, stream(seed, "attack")).play(session.open).models


def same(models, other):
    np.testing.assert_array_equal(models.public, other.public)
    np.testing.assert_array_equal(models.submissions, other.submissions)


@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize("setting", [*ENTRIES, *DEFENDED])
def test_a_copy_that_publishes_its_terms_is_attacked_exactly_alike(setting, name):
    ours = of_setting(setting)
    copied = copy_of(ours, "gate", "release", "defence")
    terms = [mechanism.terms(find(METRIC[name]), N) for mechanism in (ours, copied)]
    assert terms[0] == terms[1]
    assert not terms[1].silent
    same(game(ours, name), game(copied, name))


@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize("setting", [*ENTRIES, *DEFENDED])
def test_a_copy_that_publishes_nothing_is_attacked_or_said_not_to_be(setting, name):
    """Its attacker gets as far as ours, after the files that it spends to find out."""
    ours, attack = of_setting(setting), ATTACKS.find(name)
    for part in ("gate", "release", "defence"):
        if part == "defence" and not ours.defences:
            continue
        copied = copy_of(ours, part, publishes=False)
        terms = copied.terms(find(METRIC[name]), N)
        if attack.cannot_play(terms):
            assert terms.silent
            continue
        spent = estimating.files_of(terms, needs_margin=attack.needs_margin)
        models, other = game(ours, name), game(copied, name)
        np.testing.assert_array_equal(other.submissions, models.submissions + spent)
        if not spent:
            np.testing.assert_array_equal(models.public, other.public)


def test_what_can_be_seen_is_estimated_and_nothing_else():
    files = {"gate": (17, 17, 0, 0), "release": (11, 11, 8, 8)}
    boards = ("ladder(alpha=0.15)", "general_ladder(eta=0.05)", "kaggle", "constant_board")
    for part, expected in files.items():
        for setting, count in zip(boards, expected, strict=True):
            terms = copy_of(of_setting(setting), part, publishes=False).terms(find("mse"), N)
            assert not ATTACKS.find("reserve").cannot_play(terms), (setting, part)
            assert estimating.files_of(terms) == count, (setting, part)
    for around in (
        "baseline",
        "value_range",
        "clip",
        "distinct(distance=0.1)",
        "cap(improvements=3)",
    ):
        defended = copy_of(of_setting(f"ladder(alpha=0.15)+{around}"), "gate", publishes=False)
        assert ATTACKS.find("reserve").cannot_play(defended.terms(find("mse"), N)), around
        defended = copy_of(of_setting(f"ladder(alpha=0.15)+{around}"), "release", publishes=False)
        assert ATTACKS.find("linear_probe").cannot_play(defended.terms(find("mse"), N)), around
    for parts in (("gate",), ("gate", "release")):
        noisy = copy_of(of_setting("ladderboot(alpha=0.15,b=10)"), *parts, publishes=False)
        assert ATTACKS.find("scan").cannot_play(noisy.terms(find("mse"), N))
    digest = of_setting("digest(eta=0.1,floor=0.5,every=2,updates=3)")
    for part in ("gate", "release"):
        terms = copy_of(digest, part, publishes=False).terms(find("mse"), N)
        assert ATTACKS.find("between_updates").cannot_play(terms)
    assert ATTACKS.find("linear_probe").cannot_play(terms)
    # What a board begins with is seen.
    start = copy_of(of_setting("kaggle+baseline"), "defence", publishes=False)
    assert not start.terms(find("mse"), N).silent


def limit(mechanism, name, threshold, *, metric="mse", seeds=12, n=209):
    """Where the median of the public gain over seeds reaches a threshold, between two points."""
    points = sorted({int(point) for point in np.geomspace(3, 120, 14)})
    gains = []
    for seed in range(seeds):
        models, y = game(mechanism, name, seed=seed, n=n, points=points, metric=metric), None
        y = response(seed, n)
        gains.append(find(metric).score(y, models.public) - find(metric).score(y, np.zeros((1, n))))
    made, gain = np.append(0, models.submissions), np.append(0.0, np.median(gains, axis=0))
    k = int(np.argmax(np.append(gain <= threshold, True)))
    if k == len(gain):
        return np.inf
    share = (gain[k - 1] - threshold) / (gain[k - 1] - gain[k])
    return float(made[k - 1] + share * (made[k] - made[k - 1]))


GATE, RELEASE, BOTH = ("gate",), ("release",), ("gate", "release")
#: The files of an estimate, under the MSE and its root.
FILES = {GATE: (17, 21), RELEASE: (11, 11), BOTH: (25, 25)}


@pytest.mark.parametrize("name", ["staircase", "reserve"])
@pytest.mark.parametrize(("metric", "threshold"), [("mse", -0.05), ("rmse", -0.025)])
@pytest.mark.parametrize("parts", FILES)
@pytest.mark.parametrize(
    "setting",
    [
        "general_ladder(eta=0.02)",
        "simplified_ladder(eta=0.05)",
        "ladder(alpha=0.15)",
        "bayesboot_ladder(posterior_odds=5.67,draws=100)",
    ],
)
def test_silence_makes_no_board_safer(setting, parts, metric, threshold, name):
    """At most the original's limit and the files of the estimate; one more where the gate draws."""
    ours = of_setting(setting)
    silent = copy_of(ours, *parts, publishes=False)
    spent = estimating.files_of(silent.terms(find(metric), 209))
    assert spent == FILES[parts][metric == "rmse"]
    # Other draws of a gate move a median of 12 games by more than they cost.
    slack, seeds = (2.0, 24) if setting.startswith(RANDOM) else (1.0, 12)
    most = limit(ours, name, threshold, metric=metric, seeds=seeds) + spent
    if np.isfinite(most) and not (metric == "rmse" and setting.startswith(RANDOM)):
        assert limit(silent, name, threshold, metric=metric, seeds=seeds) <= most + slack


@pytest.mark.parametrize(("metric", "threshold"), [("mse", -0.05), ("rmse", -0.025)])
@pytest.mark.parametrize(
    ("setting", "name", "files"),
    [
        ("full_disclosure", "linear_probe", 8),
        ("kaggle", "linear_probe", 8),
        ("kaggle(eta=0.1)", "reserve", 8),
        ("gaussian_noise(sd=0.05)", "linear_probe", 16),
        ("ladderboot(alpha=0.15,b=10)", "staircase", 16),
        ("ladderboot(alpha=0.15,b=100)", "staircase", 16),
    ],
)
def test_a_silent_release_makes_no_board_safer(setting, name, files, metric, threshold):
    """Two more with noise, which is known to a third."""
    ours = of_setting(setting)
    silent = copy_of(ours, "release", publishes=False)
    assert estimating.files_of(silent.terms(find(metric), 209)) == files
    most = limit(ours, name, threshold, metric=metric) + files
    assert np.isfinite(most)
    slack = 2.0 if ours.is_noisy else 1.0
    assert limit(silent, name, threshold, metric=metric) <= most + slack


@pytest.mark.parametrize("name", ["linear_probe", "staircase", "reserve"])
@pytest.mark.parametrize("setting", ["general_ladder(eta=0.02)", "ladder(alpha=0.15)", "kaggle"])
def test_what_is_learnt_is_the_same_after_the_files_of_an_exact_estimate(setting, name):
    """The gate is published; so step and margin are exact, and all that follows is the same."""
    ours = of_setting(setting)
    silent = copy_of(ours, "release", publishes=False)
    spent = estimating.files_of(silent.terms(find("mse"), 209))
    for seed in range(3):
        models, other = (game(board, name, seed=seed, n=209) for board in (ours, silent))
        np.testing.assert_array_equal(other.submissions, models.submissions + spent)
        np.testing.assert_allclose(other.public, models.public, atol=1e-9)


@pytest.mark.parametrize(("metric", "files"), [("mse", 17), ("rmse", 21)])
@pytest.mark.parametrize(
    ("setting", "margin", "critical"),
    [
        ("general_ladder(eta=0.02)", 0.02, 0.0),
        ("general_ladder(eta=0.1)", 0.1, 0.0),
        ("simplified_ladder(eta=0.05)", 0.0, 0.0),
        ("parameter_free_ladder", 0.0, 1.0),
        ("ladder(alpha=0.01)", 0.0, 2.34),
    ],
)
def test_the_estimate_is_what_the_gate_does(setting, margin, critical, metric, files):
    for seed in range(5):
        scorer, sent = Scorer(find(metric), response(seed, 209)), []
        ours = of_setting(setting)
        board = Session(scorer, ours, partial(stream, seed)).open()

        def submit(file, board=board, sent=sent):
            sent.append(file)
            return float(board.submit(file[None]).released[0])

        silent = copy_of(ours, "gate", publishes=False).terms(find(metric), 209)
        signs = np.sign(np.random.default_rng(seed + 100).standard_normal((2, 209)))
        terms = estimating.estimated(silent, signs, submit, estimating.SCALE)
        assert len(sent) == files == estimating.files_of(silent)
        assert terms.acceptance.margin == pytest.approx(margin, rel=1e-9)
        assert terms.acceptance.critical == pytest.approx(critical, abs=0.16)
        assert not terms.silent
        # Nothing that follows is above what is in force.
        assert board.submit(np.zeros((1, 209))).accepted[0]


def test_the_roundest_number_between_two():
    assert estimating.roundest(0.0197, 0.0203) == 0.02
    assert estimating.roundest(0.31, 0.36) == 0.35 or estimating.roundest(0.31, 0.36) == 0.36
    assert estimating.roundest(0.8, 1.0) == 1.0
    assert 0.0123 <= estimating.roundest(0.0123, 0.01234) <= 0.01234


def test_terms_that_are_not_stated_are_unknown():
    assert Terms("mse").acceptance is None
    assert of_setting("kaggle").terms(find("mse"), 9).acceptance == Acceptance(-np.inf, 0.0)


def test_the_gate_of_the_docs_publishes_its_step():
    page = (Path(__file__).parents[2] / "docs/own_component.md").read_text("utf-8")
    block = page.partition("# by_a_step.py\n")[2].partition("```")[0]
    made = {"__name__": "by_a_step"}
    exec(block.replace("from __future__", "#"), made)
    terms = made["ByAStep"](0.25).terms(Terms("mse"), 30)
    assert terms.acceptance == Acceptance(0.25, 0.0)
    assert not terms.silent
    release = made["RoundedDown"](0.25)
    told = release.terms(terms, 30)
    assert (told.step, told.shows_best, told.acceptance) == (0.25, True, terms.acceptance)
    assert not told.silent
    batch, best = SimpleNamespace(risks=np.array([0.6, 0.3])), SimpleNamespace(risk=0.9)
    shown = release.show(batch, best, np.array([-1, 1]), find("mse"), None, None)
    assert shown.tolist() == [0.75, 0.25]


def test_a_mechanism_that_has_said_its_terms_is_still_the_same():
    ours, other = of_setting("ladder(alpha=0.15)+cap(improvements=3)"), of_setting("kaggle")
    said = of_setting(ours.setting)
    assert said.terms(find("mse"), 30) == said.terms(find("mse"), 30)
    assert said == ours != other


@pytest.mark.parametrize("parts", FILES)
@pytest.mark.parametrize("setting", ["ladder(alpha=0.15)", "general_ladder(eta=0.02)"])
def test_a_long_staircase_on_few_rows_begins_below_what_the_estimate_leaves(setting, parts):
    """Otherwise its first files, of 1,500, would not be accepted."""
    ours, points = of_setting(setting), [30, 1500]
    first = game(ours, "staircase", n=20, points=points)
    other = game(copy_of(ours, *parts, publishes=False), "staircase", n=20, points=points)
    errors = [np.mean((models.public[0] - response(1, 20)) ** 2) for models in (first, other)]
    assert errors[0] < 0.1
    assert errors[1] < 0.1
