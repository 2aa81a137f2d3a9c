"""Precision sums: areas that are told apart, and labels that are known after few files."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.attacks.precision_sums import Plan, beliefs_of, plan_of, ranked, sums_of, told_by
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from tests.attacks.test_positional_weights import two_values
from tests.attacks.test_rank_sums import attacked as attacked_by
from tests.attacks.test_rank_sums import files_needed, standardised

attacked = partial(attacked_by, attack="precision_sums", metric="aupr")


def area(labels, file):
    """Mean over the positive rows of the precision among the rows that rank as high, or higher."""
    labels, file = np.asarray(labels), np.asarray(file)
    return np.mean([labels[file >= file[i]].mean() for i in np.flatnonzero(labels)])


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


@pytest.mark.parametrize("known", [(3, 2), (5, 0), (0, 3)])
def test_all_labels_of_a_block_have_an_area_of_their_own(known):
    """By the definition of the area, with other rows that are tied, and others at the end."""
    x = np.r_[np.ones(known[0]), np.zeros(known[1]), np.full(8, np.nan)]
    plan = Plan(4, max(known[0] - 1, 0), max(known[1] - 1, 0))
    rows = sum(known) + np.arange(4)
    file = ranked(x, rows, plan)
    assert file.max() == 1.0
    for labels in product([0, 1], repeat=4):
        for rest in ([0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]):
            y = np.r_[x[: sum(known)], labels, rest]
            if not y.any():
                continue
            ones, left = int(y.sum()), int(np.sum(labels) + np.sum(rest))
            possible, sums = sums_of(plan, 8, left)
            own = int(np.dot(labels, 2 ** np.arange(4)))
            assert possible[own]
            told = told_by(area(y, file), x, rows, plan, ones, 0.0)
            same = np.isclose(sums, sums[own], atol=1e-9) & possible
            found = int(np.dot(told[rows], 2 ** np.arange(4)))
            assert same[found]
            np.testing.assert_array_equal(told[: sum(known)], x[: sum(known)])
            assert told_by(area(y, file) + 1e-7, x, rows, plan, ones, 0.0) is None


@pytest.mark.parametrize(("ones", "others"), [(0, 1), (1, 0), (4, 3), (30, 30)])
def test_the_sums_of_a_plan_are_distinct(ones, others):
    plan = plan_of(ones, others, 100, 60, 1e-9)
    possible, sums = sums_of(plan, 100, 60 - ones)
    assert possible.all()
    assert len(np.unique(sums.round(9))) == 2**plan.size
    assert plan.size >= 4
    assert plan_of(ones, others, 100, 60, 5.0) is None


def test_the_first_file_tells_the_size_of_the_class():
    """By the definition."""
    for ones in (1, 7, 19):
        for first in (0, 1):
            y = np.r_[first, np.arange(19) < ones - first].astype(float)
            found = beliefs_of(area(y, np.arange(20) == 0), 20, 0.0, ones / 20)
            assert (ones, float(first)) == (found[0][0], found[0][1][0])
    assert len(beliefs_of(0.5, 20, 0.2, 0.5)) > 1
    assert not beliefs_of(np.nan, 20, 0.0, 0.5)


@pytest.mark.parametrize(("share", "most"), [(0.5, 18), (0.3, 19), (0.05, 29)])
def test_18_files_tell_209_labels(share, most):
    for seed in range(5):
        y = two_values(seed, share=share)
        models, _ = attacked(y, "full_disclosure", 30, share)
        assert files_needed(models, y) <= most


def test_75_files_tell_1000_labels():
    y = two_values(1, 1000)
    models, _ = attacked(y, "full_disclosure", 75)
    np.testing.assert_allclose(models.public[-1], y, atol=1e-9)


@pytest.mark.parametrize(("eta", "most"), [(1e-5, 36), (1e-4, 64)])
def test_rounding_takes_more_files(eta, most):
    for seed in range(3):
        y = two_values(seed)
        models, _ = attacked(y, f"kaggle(eta={eta})", most)
        np.testing.assert_allclose(models.public[-1], y, atol=1e-9)


@pytest.mark.parametrize("eta", [0.01, 0.2])
def test_what_rounding_hides_is_not_guessed(eta):
    y = two_values(1)
    models, _ = attacked(y, f"kaggle(eta={eta})", 30)
    known = np.abs(models.public) > 0.8
    assert (np.sign(models.public[known]) == np.sign(np.tile(y, (30, 1))[known])).all()


def test_scores_that_fit_no_labels_end_it(monkeypatch):
    y, real = two_values(1, 60), Scorer.judge
    monkeypatch.setattr(
        Scorer, "judge",
        lambda self, files, before=0: real(self, np.sqrt(np.abs(files - 0.4)), before),
    )  # fmt: skip
    models, _ = attacked(y, "full_disclosure", 12)
    assert (models.public[-1] == 0.0).all()
    assert models.n_selected[-1] == 0


@pytest.mark.parametrize("setting", ["general_ladder(eta=0.05)", "gaussian_noise(sd=0.01)"])
def test_it_ends_with_zeros_where_a_score_may_not_be_the_files_own(setting):
    models, _ = attacked(two_values(2), setting, 12)
    assert (models.public == 0.0).all()


def test_it_ends_with_zeros_where_rows_belong_together():
    groups = np.arange(300), np.arange(60) // 2, np.arange(7)
    models, _ = attacked(two_values(2, 60), "full_disclosure", 6, groups=groups)
    assert (models.public == 0.0).all()


def test_a_dry_run_of_two_classes_plays_it():
    kind = ATTACKS.find("precision_sums")
    given = {"features": 5, "most": 1000, "carried": 5, "train_rows": 30, "wanted": 100}
    assert kind.for_dry_run(Scope(metric="aupr", values=2, **given))
    assert not kind.for_dry_run(Scope(metric="aupr", values=3, **given))
    assert not kind.for_dry_run(Scope(metric="auroc", values=2, **given))
    assert kind.reads_metric(find("aupr"))
