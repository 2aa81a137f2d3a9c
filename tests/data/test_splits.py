"""Designs: sets, scaling, permutation, feature subsets."""

import numpy as np
import pytest
from scipy import stats

from shakedown.data.drawing import sets_of
from shakedown.data.scaling import standardised
from shakedown.data.splits import (
    LabelSplitter,
    Splitter,
    official_sizes,
    set_sizes,
)
from shakedown.interface import Challenge, InputError


def challenge(n=95, p=12, seed=0, split=None, **kwargs):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * 10.0 ** rng.integers(-3, 5, p) + 7
    names = np.array([f"x{j}" for j in range(p)])
    values = {"X": X, "y": rng.gamma(2, 50, n), **kwargs}
    return Challenge("c", values["X"], values["y"], np.arange(n).astype(str), names, split)


def views(split):
    return split.view.X_train, split.view.X_public, split.view.X_final


@pytest.mark.parametrize("design", ["permuted", "splits"])
@pytest.mark.parametrize("n", [95, 96, 97])
def test_sets_differ_by_at_most_one_and_are_scaled(design, n):
    split = Splitter(challenge(n), design, seed=1).split(0)
    sizes = [len(X) for X in views(split)]
    assert sum(sizes) == n
    assert max(sizes) - min(sizes) <= 1
    for X in (*views(split), split.view.y_train[:, None], split.y_public[:, None]):
        np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-10)
        np.testing.assert_allclose(X.std(axis=0, ddof=1), 1)
    # So the intercept-only model has MSE (n - 1) / n.
    assert np.mean(split.y_public**2) == pytest.approx(1 - 1 / sizes[1])


def test_permuted_keeps_sets_and_features_and_permutes_within_sets():
    splitter = Splitter(challenge(), "permuted", seed=1, n_features=5)
    a, b = splitter.split(0), splitter.split(1)
    for first, second in zip(views(a), views(b), strict=True):
        np.testing.assert_array_equal(first, second)
    for first, second in ((a.y_public, b.y_public), (a.y_final, b.y_final)):
        assert not np.array_equal(first, second)
        np.testing.assert_allclose(np.sort(first), np.sort(second), atol=1e-12)
    np.testing.assert_allclose(np.sort(a.view.y_train), np.sort(b.view.y_train), atol=1e-12)


def test_splits_draw_other_rows_and_keep_the_response_with_them():
    c = challenge()
    signal = Challenge("c", c.X, c.X[:, 3] * 2.0, c.rows, c.features)
    splitter = Splitter(signal, "splits", seed=1)
    a, b = splitter.split(0), splitter.split(1)
    assert not np.array_equal(np.sort(a.view.X_train[:, 0]), np.sort(b.view.X_train[:, 0]))
    for split in (a, b):
        column = np.flatnonzero(split.features == 3)[0]
        np.testing.assert_allclose(split.view.X_public[:, column], split.y_public, atol=1e-9)
        np.testing.assert_allclose(split.view.X_final[:, column], split.y_final, atol=1e-9)


def test_an_official_split_is_used_where_the_response_is_permuted():
    split = np.array(["train"] * 50 + ["public"] * 20 + ["final"] * 25)
    c = challenge(split=split)
    split = Splitter(c, "permuted", seed=1).split(0)
    assert [len(X) for X in views(split)] == [50, 20, 25]
    expected = standardised(c.X[:50].T)[split.features].T
    np.testing.assert_allclose(split.view.X_train, expected)


def test_a_replicate_does_not_depend_on_those_before():
    splitter, other = (
        Splitter(challenge(), "splits", seed=3, per_replicate=True) for _ in range(2)
    )
    splitter.split(0), splitter.split(1)
    a, b = splitter.split(2), other.split(2)
    np.testing.assert_array_equal(a.view.X_train, b.view.X_train)
    np.testing.assert_array_equal(a.y_public, b.y_public)


def test_random_sets_have_the_sizes_that_are_asked_for():
    split = np.array(["train"] * 50 + ["public"] * 20 + ["final"] * 25)
    rng = np.random.default_rng(5)
    c = challenge(split=rng.permutation(split), X=np.arange(95.0)[:, None], y=np.arange(95.0))
    assert official_sizes(c) == (50, 20, 25)
    assert official_sizes(challenge()) is None
    splitter = Splitter(c, "splits", seed=1, sizes=official_sizes(c))
    a, b = splitter.split(0), splitter.split(1)
    for split in (a, b):
        assert [len(X) for X in views(split)] == [50, 20, 25]
    assert not np.array_equal(a.y_public, b.y_public)
    # Equal sizes are what they are without any.
    plain, thirds = (Splitter(c, "splits", seed=1, sizes=s).split(0) for s in (None, (32, 32, 31)))
    np.testing.assert_array_equal(plain.y_final, thirds.y_final)
    np.testing.assert_array_equal(plain.view.X_train, thirds.view.X_train)
    few = Splitter(c, "splits", seed=1, sizes=(10, 10, 12)).split(0)
    assert [len(X) for X in views(few)] == [10, 10, 12]
    drawn = np.concatenate(sets_of(challenge(95), rng, (50, 20, 25)))
    assert sorted(drawn) == list(range(95))  # no row is in two sets


@pytest.mark.parametrize(
    ("design", "sizes", "message"),
    [
        (
            "permuted",
            (30, 30, 30),
            r"only .* 'splits' has sizes of random sets; got \[30, 30, 30\]",
        ),
        ("splits", (50, 20, 26), r"at least 10 each and at most 95 in total; got \[50, 20, 26\]"),
        ("splits", (50, 9, 20), r"got \[50, 9, 20\]"),
        ("splits", (50, 20), r"three sets \['train', 'public', 'final'\].* got \[50, 20\]"),
    ],
)
def test_sizes_that_cannot_be_are_refused(design, sizes, message):
    with pytest.raises(InputError, match=message):
        Splitter(challenge(), design, seed=1, sizes=sizes)


def test_feature_subsets_are_random_and_per_study_or_replicate():
    study = Splitter(challenge(), "splits", seed=1, n_features=5)
    assert study.split(0).features.tolist() == study.split(1).features.tolist()
    each = Splitter(challenge(), "splits", seed=1, n_features=5, per_replicate=True)
    assert each.split(0).features.tolist() != each.split(1).features.tolist()
    assert len(set(each.split(0).features)) == 5
    fixed = Splitter(challenge(), "permuted", seed=1, n_features=5, per_replicate=True)
    assert fixed.split(0).features.tolist() == each.split(0).features.tolist()
    assert fixed.split(1).features.tolist() == each.split(1).features.tolist()
    assert all(np.all(np.diff(each.split(r).features) > 0) for r in range(5))  # by column
    more = Splitter(challenge(), "splits", seed=1, n_features=99)
    assert sorted(more.split(0).features) == list(range(12))


def test_data_sets_of_another_name_are_split_otherwise():
    c = challenge()
    other = Challenge("d", c.X, c.y, c.rows, c.features)
    a, b = (Splitter(x, "permuted", seed=1, n_features=6) for x in (c, other))
    assert a.split(0).features.tolist() != b.split(0).features.tolist()
    assert not np.allclose(np.sort(a.split(0).y_public), np.sort(b.split(0).y_public))


def test_a_feature_that_is_constant_within_a_set_gives_way_to_the_next():
    c = challenge()
    X = c.X.copy()
    X[:, 4] = 0.0
    X[7, 4] = 1.0  # varies in one set only
    splitter = Splitter(challenge(X=X), "permuted", seed=1)
    split = splitter.split(0)
    assert 4 not in split.features
    assert len(split.features) == 11
    assert all(np.isfinite(x).all() for x in views(split))
    # A subset without it has the size that was asked for, in any place where the feature came.
    X[:, [1, 8]] = 3.0
    for seed in range(10):
        for wanted in (4, 9):
            some = Splitter(challenge(X=X), "permuted", seed=seed, n_features=wanted).split(0)
            assert len(set(some.features) - {1, 4, 8}) == wanted == len(some.features)
            assert (np.diff(some.features) > 0).all()  # by column, and so are their values:
            whole = Splitter(challenge(X=X), "permuted", seed=seed).split(0)
            columns = np.searchsorted(whole.features, some.features)
            for ours, theirs in zip(views(some), views(whole), strict=True):
                np.testing.assert_array_equal(ours, theirs[:, columns])


def test_every_feature_is_one_stretch_of_memory():
    for X in views(Splitter(challenge(), "splits", seed=1).split(0)):
        assert X.T.flags.c_contiguous


def test_ten_rows_in_each_set_are_enough():
    assert len(Splitter(challenge(n=30), "permuted", seed=1).split(0).y_public) == 10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 26}, r"data set 'c', .* set: wanted at least 10 rows, got [89]"),
        ({"y": np.ones(95)}, "data set 'c', train set: its response is constant"),
        ({"X": np.ones((95, 12))}, "wanted at least 1 feature that varies.*got none"),
    ],
)
def test_data_that_cannot_be_split_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        Splitter(challenge(**change), "permuted", seed=1).split(0)


def test_an_unknown_design_is_refused():
    with pytest.raises(InputError, match=r"design 'random': wanted one of \['permuted'"):
        Splitter(challenge(), "random", seed=1)


@pytest.mark.parametrize("n", [35, 36, 37])
def test_set_sizes_are_the_official_ones_or_those_of_random_thirds(n):
    c = challenge(n)
    drawn = Splitter(c, "permuted", seed=1).split(0)
    sizes = [len(X) for X in views(drawn)]
    assert list(set_sizes(c).values()) == sizes
    official = np.repeat(["public", "train", "final"], [10, 14, n - 24])
    assert set_sizes(challenge(n, split=official)) == {"train": 14, "public": 10, "final": n - 24}


def test_no_public_label_is_a_final_label_too():
    """Among drawn labels, none of the public ones tells one of the final ones.

    The products of two fair signs, summed over 400 replicates, have variance 400; the bound holds
    for all 50 * 70 pairs with a false-alarm rate of 1e-6.
    """
    y, rows, sets = np.arange(120) % 2.0, np.arange(120).astype(str), ["public", "final"]
    split = np.repeat(sets, [50, 70])
    labels = Challenge("l", np.empty((120, 0)), y, rows, np.empty(0, str), split)
    drawn = [LabelSplitter(labels, seed=1).split(r) for r in range(400)]
    public, final = (
        np.array([getattr(replicate, name) for replicate in drawn]) * 2 - 1
        for name in ("y_public", "y_final")
    )
    assert (public.shape, final.shape) == ((400, 50), (400, 70))
    together = np.abs(public.T @ final)
    assert together.max() < stats.norm.isf(1e-6 / together.size / 2) * 20


def test_labels_with_features_are_drawn_into_whole_sets_with_as_many_of_each():
    """Every row is in one set, with its features; each replicate draws others."""
    y = (np.arange(95) % 3 == 0).astype(float)
    labels = challenge(y=y, X=np.arange(95.0)[:, None])
    splitter = LabelSplitter(labels, seed=1, n_features=1)
    a, b = splitter.split(0), splitter.split(1)
    fixed = LabelSplitter(labels, seed=1).split(0)
    for split in (a, b):
        drawn = split.view.y_train, split.y_public, split.y_final
        wanted = fixed.view.y_train, fixed.y_public, fixed.y_final
        assert [len(part) for part in drawn] == [len(part) for part in wanted]
        assert [part.sum() for part in drawn] == [part.sum() for part in wanted]
        assert [len(X) for X in views(split)] == [len(part) for part in wanted]
        assert sum(len(part) for part in drawn) == 95
    assert not np.array_equal(a.y_public, b.y_public)
