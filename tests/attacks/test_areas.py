"""Areas under the ROC curve, read as Spearman's correlations."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.areas import areas_of
from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.interface import ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.terms import Acceptance, Schedule, Terms
from tests.attacks.test_positional_weights import two_values

AUROC, SPEARMAN = find("auroc"), find("spearman")


def view_of(n, share, groups=None):
    y, empty = two_values(99, 300, share), np.empty((n, 0))
    return ParticipantData(np.empty((300, 0)), y, empty, np.empty((7, 0)), groups)


def played(name, metric, setting, submissions, seed, n=209, share=0.5, accounts=1):
    """The area of the file that an attack ends with, whatever the metric of the board."""
    y = two_values(seed, n, share)
    given = {"submissions": submissions, "points": [submissions], "accounts": accounts}
    scorer = Scorer(find(metric), y, undefined_is_zero=True)
    session = Session(scorer, of_setting(setting), partial(stream, seed))
    attack = ATTACKS.make(name, **given).prepare(view_of(n, share), None, stream(seed, "attack"))
    return AUROC.score(y, attack.play(session.open).models.public[-1:])[0]


@pytest.mark.parametrize("share", [0.5, 0.2])
@pytest.mark.parametrize("ties", [False, True])
def test_an_area_is_a_multiple_of_the_correlation_of_ranks(share, ties):
    """Exactly, of each file; a constant has none."""
    rng, y = np.random.default_rng(1), two_values(1, 60, share)
    files = rng.integers(0, 4, (20, 60)) * 1.0 if ties else rng.standard_normal((20, 60))
    units, _ = areas_of(view_of(60, share), signs=False)
    own = Terms("auroc", larger_is_better=True, replaces_always=True)
    read = units.read(own, files, AUROC.score(y, files))
    np.testing.assert_allclose(read, SPEARMAN.score(y, files), atol=1e-12)
    assert units.read(own, np.ones((1, 60)), np.array([0.5]))[0] == 0.0


@pytest.mark.parametrize("signs", [False, True])
def test_elsewhere_all_files_count_as_those_that_the_attack_sends(signs):
    rng, y = np.random.default_rng(1), two_values(1, 60, 0.3)
    files = rng.permuted(np.tile(np.arange(60.0), (20, 1)), axis=1)
    files = files % 2.0 if signs else files
    units, _ = areas_of(view_of(60, 0.3), signs=signs)
    best = Terms("auroc", larger_is_better=True)
    read = units.read(best, files, AUROC.score(y, files))
    np.testing.assert_allclose(read, SPEARMAN.score(y, files), atol=1e-12)
    factor = 15.0 if signs else np.sqrt((60**2 - 1) / 12.0)
    assert units.score(best) == pytest.approx(np.sqrt(18 * 42) / factor)


def test_what_a_board_publishes_is_read_in_the_same_way():
    units, _ = areas_of(view_of(60, 0.5), signs=False)
    c = 1.0 / units.score(Terms("auroc"))
    terms = units.seen(
        Terms(
            "auroc", larger_is_better=True, begins=True, start=0.5, step=0.02, noise_sd=0.01,
            acceptance=Acceptance(0.03, 1.5, 0.04), schedule=Schedule(2, 10, 0.75),
        )
    )  # fmt: skip
    assert (terms.metric, terms.start, terms.replications) == ("spearman", 0.0, 0)
    found = (terms.step, terms.noise_sd, terms.schedule.floor, terms.origin, *terms.acceptance)
    expected = (0.02 / c, 0.01 / c, 0.25 / c, -0.5 / c, 0.03 / c, 1.5, 0.04 / c)
    assert found == pytest.approx(expected)
    assert terms.schedule[:2] == (2, 10)
    assert units.seen(Terms("auroc")).start is None


def test_groups_share_a_number():
    """Its ties are those of the groups, which are the same in all files without others."""
    codes = np.arange(60) // 3
    view = view_of(60, 0.5, (np.arange(300), codes, np.arange(7)))
    units, _ = areas_of(view, signs=False)
    y, numbers = two_values(1, 60), np.random.default_rng(1).standard_normal((5, 20))
    files = units.files(numbers)
    read = units.read(Terms("auroc"), files, AUROC.score(y, files))
    np.testing.assert_allclose(read, SPEARMAN.score(y, files), atol=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.2])
@pytest.mark.parametrize(("name", "files"), [("linear_probe", 100), ("greedy_climb", 150)])
def test_exact_areas_tell_as_much_as_exact_correlations(name, files, share):
    """Of the same files, so that the ends hardly differ: .91 and .79 of balanced classes."""
    same = partial(played, name, setting="full_disclosure", submissions=files, share=share)
    pairs = np.array([[same(metric=m, seed=k) for m in ("auroc", "spearman")] for k in range(4)])
    assert np.abs(pairs[:, 0] - pairs[:, 1]).max() < 0.03
    assert pairs[:, 0].mean() > (0.85 if name == "linear_probe" else 0.7)


def test_more_exact_areas_than_rows_tell_all_classes():
    assert played("linear_probe", "auroc", "full_disclosure", 215, 1) == 1.0


@pytest.mark.parametrize(("name", "setting", "least"), [
    ("greedy_climb", "general_ladder(eta={})+baseline", 0.6),
    ("hypothesis_tracking", "general_ladder(eta={})+baseline", 0.6),
    ("correlation_saving", "general_ladder(eta={})+baseline", 0.6),
    ("greedy_climb", "digest(eta={},floor={},every=10,updates=30)", 0.58),
    ("crowds", "digest(eta={},floor={},every=30,updates=10)", 0.55),
])  # fmt: skip
@pytest.mark.parametrize("eta", [0.02, 0.03])
def test_boards_with_levels_are_attacked_as_well(name, setting, least, eta):
    """As boards of correlations with the same levels; of steps of .03, 1/2 is no multiple."""
    factor = np.sqrt((209**2 - 1) / 12.0 / (105 * 104))
    areas = setting.format(eta, 0.8)
    ranks = setting.format(round(eta / factor, 5), round(0.3 / factor, 5))
    found = np.array(
        [
            np.median([played(name, m, s, 300, k) for k in range(7)])
            for m, s in (("auroc", areas), ("spearman", ranks))
        ]
    )
    assert found[0] > least
    assert abs(found[0] - found[1]) < 0.03


def test_attacks_on_correlations_of_ranks_play_it_in_dry_runs():
    scope = Scope(5, 1000, 5, 30, metric="auroc", wanted=100, values=2)
    names = {name for name, kind in ATTACKS.classes.items() if not kind.on_labels
             and kind.threat == "null_adversary" and kind.for_dry_run(scope)}  # fmt: skip
    assert {"linear_probe", "greedy_climb", "hypothesis_tracking", "correlation_saving",
            "crowds", "random_search"} <= names  # fmt: skip
    assert not names & {"reserve", "posterior_mean", "positional_weights"}
