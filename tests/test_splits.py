"""Designs: sets, scaling, permutation, feature subsets."""

import numpy as np
import pytest

from shakedown.interface import Challenge, InputError
from shakedown.splits import Dealer, _random_sets, official_sizes, set_sizes, standardised


def challenge(n=95, p=12, seed=0, split=None, **kwargs):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * 10.0 ** rng.integers(-3, 5, p) + 7
    names = np.array([f"x{j}" for j in range(p)])
    values = {"X": X, "y": rng.gamma(2, 50, n), **kwargs}
    return Challenge("c", values["X"], values["y"], np.arange(n).astype(str), names, split)


def views(deal):
    return deal.view.X_train, deal.view.X_public, deal.view.X_final


@pytest.mark.parametrize("design", ["permuted", "splits"])
@pytest.mark.parametrize("n", [95, 96, 97])
def test_sets_differ_by_at_most_one_and_are_scaled(design, n):
    deal = Dealer(challenge(n), design, seed=1).deal(0)
    sizes = [len(X) for X in views(deal)]
    assert sum(sizes) == n
    assert max(sizes) - min(sizes) <= 1
    for X in (*views(deal), deal.view.y_train[:, None], deal.y_public[:, None]):
        np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-10)
        np.testing.assert_allclose(X.std(axis=0, ddof=1), 1)
    # So the intercept-only model has MSE (n - 1) / n.
    assert np.mean(deal.y_public**2) == pytest.approx(1 - 1 / sizes[1])


def test_permuted_keeps_sets_and_features_and_permutes_within_sets():
    dealer = Dealer(challenge(), "permuted", seed=1, n_features=5)
    a, b = dealer.deal(0), dealer.deal(1)
    for one, two in zip(views(a), views(b), strict=True):
        np.testing.assert_array_equal(one, two)
    for one, two in ((a.y_public, b.y_public), (a.y_final, b.y_final)):
        assert not np.array_equal(one, two)
        np.testing.assert_allclose(np.sort(one), np.sort(two), atol=1e-12)
    np.testing.assert_allclose(np.sort(a.view.y_train), np.sort(b.view.y_train), atol=1e-12)


def test_splits_draw_other_rows_and_keep_the_response_with_them():
    c = challenge()
    signal = Challenge("c", c.X, c.X[:, 3] * 2.0, c.rows, c.features)
    dealer = Dealer(signal, "splits", seed=1)
    a, b = dealer.deal(0), dealer.deal(1)
    assert not np.array_equal(np.sort(a.view.X_train[:, 0]), np.sort(b.view.X_train[:, 0]))
    for deal in (a, b):
        column = np.flatnonzero(deal.features == 3)[0]
        np.testing.assert_allclose(deal.view.X_public[:, column], deal.y_public, atol=1e-9)
        np.testing.assert_allclose(deal.view.X_final[:, column], deal.y_final, atol=1e-9)


def test_an_official_split_is_used_where_the_response_is_permuted():
    split = np.array(["train"] * 50 + ["public"] * 20 + ["final"] * 25)
    c = challenge(split=split)
    deal = Dealer(c, "permuted", seed=1).deal(0)
    assert [len(X) for X in views(deal)] == [50, 20, 25]
    expected = standardised(c.X[:50].T)[deal.features].T
    np.testing.assert_allclose(deal.view.X_train, expected)


def test_a_replicate_is_the_same_whatever_was_dealt_before():
    one, other = (Dealer(challenge(), "splits", seed=3, per_replicate=True) for _ in range(2))
    one.deal(0), one.deal(1)
    a, b = one.deal(2), other.deal(2)
    np.testing.assert_array_equal(a.view.X_train, b.view.X_train)
    np.testing.assert_array_equal(a.y_public, b.y_public)


def test_random_sets_have_the_sizes_that_are_asked_for():
    split = np.array(["train"] * 50 + ["public"] * 20 + ["final"] * 25)
    rng = np.random.default_rng(5)
    c = challenge(split=rng.permutation(split), X=np.arange(95.0)[:, None], y=np.arange(95.0))
    assert official_sizes(c) == (50, 20, 25)
    assert official_sizes(challenge()) is None
    dealer = Dealer(c, "splits", seed=1, sizes=official_sizes(c))
    a, b = dealer.deal(0), dealer.deal(1)
    for deal in (a, b):
        assert [len(X) for X in views(deal)] == [50, 20, 25]
    assert not np.array_equal(a.y_public, b.y_public)
    # Equal sizes are what they are without any.
    plain, thirds = (Dealer(c, "splits", seed=1, sizes=s).deal(0) for s in (None, (32, 32, 31)))
    np.testing.assert_array_equal(plain.y_final, thirds.y_final)
    np.testing.assert_array_equal(plain.view.X_train, thirds.view.X_train)
    few = Dealer(c, "splits", seed=1, sizes=(10, 10, 12)).deal(0)
    assert [len(X) for X in views(few)] == [10, 10, 12]
    drawn = np.concatenate(_random_sets(95, rng, (50, 20, 25)))
    assert sorted(drawn) == list(range(95))  # no row is in two sets


@pytest.mark.parametrize(
    ("design", "sizes", "message"),
    [
        ("permuted", (30, 30, 30), r"sizes of random sets, \[30, 30, 30\], go with .* 'splits'"),
        ("splits", (50, 20, 26), r"at least 10 each and at most 95 in all; got \[50, 20, 26\]"),
        ("splits", (50, 9, 20), r"got \[50, 9, 20\]"),
        ("splits", (50, 20), r"three sets \['train', 'public', 'final'\].* got \[50, 20\]"),
    ],
)
def test_sizes_that_cannot_be_are_refused(design, sizes, message):
    with pytest.raises(InputError, match=message):
        Dealer(challenge(), design, seed=1, sizes=sizes)


def test_feature_subsets_are_random_and_per_study_or_replicate():
    study = Dealer(challenge(), "splits", seed=1, n_features=5)
    assert study.deal(0).features.tolist() == study.deal(1).features.tolist()
    each = Dealer(challenge(), "splits", seed=1, n_features=5, per_replicate=True)
    assert each.deal(0).features.tolist() != each.deal(1).features.tolist()
    assert len(set(each.deal(0).features)) == 5
    fixed = Dealer(challenge(), "permuted", seed=1, n_features=5, per_replicate=True)
    assert fixed.deal(0).features.tolist() == each.deal(0).features.tolist()
    assert fixed.deal(1).features.tolist() == each.deal(1).features.tolist()
    assert all(np.all(np.diff(each.deal(r).features) > 0) for r in range(5))  # by column
    more = Dealer(challenge(), "splits", seed=1, n_features=99)
    assert sorted(more.deal(0).features) == list(range(12))


def test_data_sets_of_another_name_meet_other_luck():
    c = challenge()
    other = Challenge("d", c.X, c.y, c.rows, c.features)
    a, b = (Dealer(x, "permuted", seed=1, n_features=6) for x in (c, other))
    assert a.deal(0).features.tolist() != b.deal(0).features.tolist()
    assert not np.allclose(np.sort(a.deal(0).y_public), np.sort(b.deal(0).y_public))


def test_a_feature_that_is_constant_within_a_set_gives_way_to_the_next():
    c = challenge()
    X = c.X.copy()
    X[:, 4] = 0.0
    X[7, 4] = 1.0  # varies in one set only
    dealer = Dealer(challenge(X=X), "permuted", seed=1)
    deal = dealer.deal(0)
    assert 4 not in deal.features
    assert len(deal.features) == 11
    assert all(np.isfinite(x).all() for x in views(deal))
    # A subset without it has the size that was asked for, in whatever place the feature came.
    X[:, [1, 8]] = 3.0
    for seed in range(10):
        for wanted in (4, 9):
            some = Dealer(challenge(X=X), "permuted", seed=seed, n_features=wanted).deal(0)
            assert len(set(some.features) - {1, 4, 8}) == wanted == len(some.features)


def test_every_feature_is_one_stretch_of_memory():
    for X in views(Dealer(challenge(), "splits", seed=1).deal(0)):
        assert X.T.flags.c_contiguous


def test_ten_rows_in_each_set_are_enough():
    assert len(Dealer(challenge(n=30), "permuted", seed=1).deal(0).y_public) == 10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 26}, r"data set 'c', .* set: wanted at least 10 rows, got [89]"),
        ({"y": np.ones(95)}, "data set 'c', train set: its response is constant"),
        ({"X": np.ones((95, 12))}, "wanted at least 1 feature that varies.*got none"),
    ],
)
def test_data_that_cannot_be_dealt_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        Dealer(challenge(**change), "permuted", seed=1).deal(0)


def test_an_unknown_design_is_refused():
    with pytest.raises(InputError, match=r"design 'random': wanted one of \['permuted'"):
        Dealer(challenge(), "random", seed=1)


@pytest.mark.parametrize("n", [35, 36, 37])
def test_set_sizes_are_the_official_ones_or_those_of_random_thirds(n):
    c = challenge(n)
    dealt = Dealer(c, "permuted", seed=1).deal(0)
    sizes = [len(X) for X in views(dealt)]
    assert list(set_sizes(c).values()) == sizes
    official = np.repeat(["public", "train", "final"], [10, 14, n - 24])
    assert set_sizes(challenge(n, split=official)) == {"train": 14, "public": 10, "final": n - 24}
