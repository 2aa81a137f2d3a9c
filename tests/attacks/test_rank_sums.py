"""Rank sums: areas that are told apart, and labels that are known after few files."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.attacks.rank_sums import OFFSETS, block_of, labels_of, ranked, sizes_of
from shakedown.interface import Challenge, ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.replicate import Experiment, play
from shakedown.simulation.session import Session
from tests.attacks.test_positional_weights import two_values


def area(labels, file):
    """The share of pairs in the right order; equal scores count half."""
    pairs = [
        (file[i], file[j]) for i, x in enumerate(labels) for j, z in enumerate(labels) if x > z
    ]
    return sum((p > q) + 0.5 * (p == q) for p, q in pairs) / len(pairs)


def attacked(y, setting, submissions, share=0.5, groups=None, attack="rank_sums", metric="auroc"):
    """The public files after every submission, standardised training labels, and the board."""
    n, train = len(y), two_values(7, 300, share)
    view = ParticipantData(
        np.empty((300, 0)), train, np.empty((n, 0)), np.empty((7, 0)), groups
    )  # fmt: skip
    every = {"submissions": submissions, "points": [*range(1, submissions + 1)]}
    session = Session(
        Scorer(find(metric), y, undefined_is_zero=True), of_setting(setting), partial(stream, 1)
    )
    made = ATTACKS.make(attack, **every).prepare(view, None, stream(1, "attack"))
    return made.play(session.open).models, session.open()


def standardised(labels):
    x = np.array(labels, float)
    return (x - x.mean()) / x.std(ddof=1)


def files_needed(models, y):
    """Submissions after which the ends are the response for good."""
    wrong = np.flatnonzero(np.abs(models.public - y).max(axis=1) > 1e-9)
    return (
        len(models.public) if len(wrong) == len(models.public) else int(wrong.max(initial=-1)) + 2
    )


@pytest.mark.parametrize("m", range(2, len(OFFSETS) + 1))
def test_sums_of_equally_many_offsets_are_distinct(m):
    """By definition, of all pairs of subsets."""
    sums = {}
    for chosen in product([0, 1], repeat=m):
        sums.setdefault(sum(chosen), []).append(int(np.dot(chosen, OFFSETS[:m])))
    assert all(len(set(some)) == len(some) for some in sums.values())


@pytest.mark.parametrize("n", [5, 8])
def test_every_response_of_few_rows_is_found(n):
    """Whatever the labels are; and what it claims to know is right after every file."""
    for labels in product([0, 1], repeat=n):
        if len(set(labels)) == 2:
            y = standardised(labels)
            models, _ = attacked(y, "full_disclosure", 5)
            np.testing.assert_allclose(models.public[-1], y, atol=1e-9)
            known = np.isclose(models.public[:, :, None], np.unique(y)).any(axis=2)
            np.testing.assert_allclose(
                models.public[known], np.tile(y, (5, 1))[known], atol=1e-9
            )  # fmt: skip


def test_all_labels_of_a_block_have_an_area_of_their_own():
    """By the definition of the area: 12 rows, 4 of them known, and a block of the others."""
    rng, x = np.random.default_rng(1), np.full(12, np.nan)
    x[:4] = [1, 0, 1, 0]
    block = block_of(8, 4, 1e-6)
    rows = 4 + np.arange(len(block.offsets))
    file = ranked(x, rows, block)
    assert len(rows) == 4
    assert file.max() == 1.0
    seen = {}
    for labels in product([0, 1], repeat=4):
        rest = rng.permutation([0, 0, 1, 1])
        y = np.r_[x[:4], labels, rest]
        ones = int(y.sum())
        shown = area(y, file)
        np.testing.assert_array_equal(labels_of(shown, file, x, rows, ones, 0.0), labels)
        assert seen.setdefault((ones, round(shown, 9)), labels) == labels
        assert labels_of(shown + 0.3 / (ones * (12 - ones)), file, x, rows, ones, 0.0) is None


@pytest.mark.parametrize("share", [0.5, 0.3, 0.05])
def test_27_files_tell_209_labels(share):
    for seed in range(5):
        y = two_values(seed, share=share)
        models, _ = attacked(y, "full_disclosure", 30, share)
        assert files_needed(models, y) <= 27
        assert models.n_selected[-1] <= 27


def test_every_file_tells_more_rows():
    y = two_values(1)
    models, _ = attacked(y, "full_disclosure", 12)
    right = (abs(models.public - y) < 1e-9).sum(axis=1)
    np.testing.assert_array_equal(right, [1, 5, 10, 16, 22, 29, 36, 43, 51, 59, 67, 75])
    areas = find("auroc").score(y, models.public)
    # Unknown rows are ranked between the known ones of both classes.
    a = right / 209
    np.testing.assert_allclose(areas, 0.5 + a - a**2 / 2, atol=0.03)


@pytest.mark.parametrize(("eta", "most"), [(1e-5, 27), (1e-4, 36), (1e-3, 64)])
def test_rounding_takes_more_files(eta, most):
    for seed in range(4):
        y = two_values(seed)
        models, _ = attacked(y, f"kaggle(eta={eta})", most)
        np.testing.assert_allclose(models.public[-1], y, atol=1e-9)


@pytest.mark.parametrize("eta", [0.01, 0.2])
def test_what_rounding_hides_is_not_guessed(eta):
    y = two_values(1)
    models, _ = attacked(y, f"kaggle(eta={eta})", 30)
    known = np.abs(models.public) > 0.8
    assert (np.sign(models.public[known]) == np.sign(np.tile(y, (30, 1))[known])).all()


def test_the_share_of_the_training_rows_decides_between_sizes_of_one_rounded_area():
    shown = np.round(0.5 + 0.5 / 104, 4)
    assert sizes_of(shown, 209, 1e-4, 0.5)[:2] == [104, 105]
    assert sizes_of(shown, 209, 1e-4, 0.51)[0] == 105
    assert sizes_of(0.5 - 0.5 / 60, 209, 0.0, 0.5) == [149]
    assert sizes_of(0.5, 209, 0.1, 0.5) == []
    assert sizes_of(0.7123, 209, 0.0, 0.5) == []
    assert sizes_of(np.nan, 209, 0.0, 0.5) == []


def test_scores_that_fit_no_labels_end_it(monkeypatch):
    """Such as those of another file."""
    y, real = two_values(1, 60), Scorer.judge

    def late(self, predictions, before=0):
        return real(self, np.roll(predictions, 1, axis=1), before)

    monkeypatch.setattr(Scorer, "judge", late)
    models, _ = attacked(y, "full_disclosure", 12)
    right = np.roll(y, -1)
    # A response whose rows are in another order is one like any other.
    np.testing.assert_allclose(models.public[-1], right, atol=1e-9)

    def other(self, predictions, before=0):
        return real(self, np.sqrt(np.abs(predictions - 0.4)), before)

    monkeypatch.setattr(Scorer, "judge", other)
    models, _ = attacked(y, "full_disclosure", 12)
    assert (models.public[-1] == 0.0).all()
    assert models.n_selected[-1] == 0


@pytest.mark.parametrize("setting", [
    "general_ladder(eta=0.05)", "digest(eta=0.1,floor=0.9,every=2,updates=10)",
    "gaussian_noise(sd=0.01)",
])  # fmt: skip
def test_it_ends_with_zeros_where_a_score_may_not_be_the_files_own(setting):
    models, _ = attacked(two_values(2), setting, 12)
    assert (models.public == 0.0).all()


def test_it_ends_with_zeros_where_rows_belong_together():
    codes = np.arange(60) // 2
    models, _ = attacked(
        two_values(2, 60), "full_disclosure", 6, groups=(np.arange(300), codes, np.arange(7))
    )
    assert (models.public == 0.0).all()


def test_a_study_of_two_classes_can_play_it():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((180, 2)), rng.integers(0, 2, 180) * 3.0 + 5.0
    made = Challenge("two", X, y, np.arange(180), np.array(["a", "b"]))
    settings = {
        "metric": "auroc", "mechanisms": [{"name": "full_disclosure"}],
        "attack": {"name": "rank_sums", "submissions": 14, "points": [1]},
    }  # fmt: skip
    frame = play(Experiment("e", settings, made, "splits", seed=1), [0, 1])
    np.testing.assert_allclose(frame["score_public"].iloc[[1, 3]], 1.0)
    np.testing.assert_allclose(frame["delta"].iloc[[1, 3]], -0.5)


def test_dry_runs_play_it_where_the_response_has_two_values():
    kind = ATTACKS.find("rank_sums")
    for values, metric, played in ((2, "auroc", ["rank_sums"]), (2, "mse", []), (0, "auroc", [])):
        scope = Scope(5, 1000, 5, 30, metric=metric, wanted=100, values=values)
        assert list(kind.for_dry_run(scope)) == played
