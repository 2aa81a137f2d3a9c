"""One feature at a time against statsmodels' OLS on all of them."""

from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm

from shakedown.attacks.least_squares import (
    candidate_predictions,
    carried,
    extend,
    larger_fit,
    nested_predictions,
    subset_predictions,
)
from shakedown.data.scaling import standardised


def data(seed, n=40, m=30, p=8):
    rng = np.random.default_rng(seed)
    mix = rng.standard_normal((p, p))
    train = standardised(mix @ rng.standard_normal((p, n)))
    public = standardised(mix @ rng.standard_normal((p, m)))
    return train, public, standardised(rng.standard_normal((1, n)))[0]


def ols(train, y, public, columns):
    design = sm.add_constant(train[columns].T, has_constant="add")
    fit = sm.OLS(y, design).fit()
    return fit.predict(sm.add_constant(public[columns].T, has_constant="add"))


def on(rows, base, step):
    """`carried` into new memory; in place and in two blocks it gives the same bits."""
    fresh, own = np.full(rows[:-1].shape, np.nan), rows.copy()
    pivot, p = rows[step.chosen].copy(), len(fresh)
    new_base = larger_fit(base, step, pivot)
    predictions = carried(rows, pivot, new_base, step, fresh, 0, p)
    parts = [(0, p // 2), (p // 2, p)]
    in_place = [carried(own, pivot, new_base, step, own[:-1], *part) for part in parts]
    np.testing.assert_array_equal(np.concatenate(in_place), predictions)
    np.testing.assert_array_equal(own[:-1], fresh)
    return predictions, fresh, new_base


def extended(rows, residual, chosen):
    """`extend` into new memory; in place it gives the same bits."""
    own = rows.copy()
    step, fresh, left = extend(rows, residual, chosen)
    assert not np.shares_memory(fresh, rows)
    same, in_place, also_left = extend(own, residual, chosen, in_place=True)
    assert np.shares_memory(in_place, own)
    for a, b in zip((*step, fresh, left), (*same, in_place, also_left), strict=True):
        np.testing.assert_array_equal(a, b)
    return step, fresh, left


def test_candidates_are_least_squares_fits_through_many_steps():
    train, public, y = data(1)
    rows, residual, moved, base = train, y, public, np.zeros(30)
    remaining, selected = list(range(8)), []
    predictions = candidate_predictions(rows, moved, residual, base)
    for taken in (5, 0, 3, 3, 1):
        expected = [ols(train, y, public, [*selected, j]) for j in remaining]
        np.testing.assert_allclose(predictions, expected, atol=1e-10)
        selected.append(remaining.pop(taken))
        step, rows, residual = extended(rows, residual, taken)
        predictions, moved, base = on(moved, base, step)
    assert rows.shape == (3, 40)
    once_more = candidate_predictions(rows, moved, residual, base)
    np.testing.assert_allclose(predictions, once_more, atol=1e-12)


def test_the_start_is_left_as_it_was():
    train, public, y = data(2)
    kept = [a.copy() for a in (train, public, y)]
    step, _, _ = extend(train, y, 2)
    on(public, np.zeros(30), step)
    nested_predictions(train, y, public, public, np.arange(len(train)))
    for before, after in zip(kept, (train, public, y), strict=True):
        np.testing.assert_array_equal(before, after)


def test_nested_models_of_nearly_collinear_features_are_projections():
    # Against NumPy's QR.  With a condition number of 3e5, errors must not grow as its square.
    rng = np.random.default_rng(8)
    train, y = rng.standard_normal((8, 40)), standardised(rng.standard_normal((1, 40)))[0]
    train[1::2] = train[::2] + 1e-5 * train[1::2]
    train = standardised(train)
    fitted = nested_predictions(train, y, train, train, np.arange(8))[0]
    for k in range(1, 9):
        q = np.linalg.qr(train[:k].T)[0]
        np.testing.assert_allclose(fitted[k - 1], q @ (q.T @ y), atol=1e-9)


def test_nested_models_are_least_squares_fits():
    train, public, y = data(3)
    ours_public, ours_final = nested_predictions(train, y, public, train, np.arange(len(train)))
    for k in range(1, 9):
        np.testing.assert_allclose(ours_public[k - 1], ols(train, y, public, range(k)), atol=1e-10)
        np.testing.assert_allclose(ours_final[k - 1], ols(train, y, train, range(k)), atol=1e-10)


def test_a_copy_of_a_selected_feature_adds_nothing():
    train, public, y = data(4)
    train[1], public[1] = 2 * train[0], 2 * public[0]
    step, _, _ = extend(train, y, 0)
    predictions, _, base = on(public, np.zeros(30), step)
    np.testing.assert_allclose(predictions[0], base)
    both, _ = nested_predictions(train, y, public, public, np.arange(2))
    np.testing.assert_allclose(both[0], both[1])


def test_models_on_sets_are_least_squares_fits():
    train, public, y = data(7)
    sets = [[4], [7, 0, 2], list(range(8))]
    padded = np.array([[*s, *[-1] * (8 - len(s))] for s in sets])
    ours = subset_predictions(train, y, public, padded, np.array([1, 3, 8]))
    for t, columns in enumerate(sets):
        np.testing.assert_allclose(ours[t], ols(train, y, public, columns), atol=1e-10)


def test_a_repeated_feature_changes_no_model_on_a_set():
    train, public, y = data(8)
    train, public = (np.concatenate([X, X[2:3]]) for X in (train, public))
    sets = np.array([[2, 5, 8], [2, 5, -1]])
    twice, once = subset_predictions(train, y, public, sets, np.array([3, 2]))
    np.testing.assert_allclose(twice, once, atol=1e-9)


def exact_predictions(train, y, public, columns):
    """Least squares in exact arithmetic, by the normal equations; columns have mean 0, nearly."""
    a = [[Fraction(float(v)) for v in train[j]] for j in columns]
    right = [sum(u * Fraction(float(w)) for u, w in zip(row, y, strict=True)) for row in a]
    left = [[sum(u * v for u, v in zip(row, other, strict=True)) for other in a] for row in a]
    for k in range(len(a)):
        for i in range(len(a)):
            if i != k:
                share = left[i][k] / left[k][k]
                left[i] = [u - share * v for u, v in zip(left[i], left[k], strict=True)]
                right[i] -= share * right[k]
    slopes = [right[k] / left[k][k] for k in range(len(a))]
    used = public[columns]
    return np.array(
        [
            float(sum(s * Fraction(float(row[i])) for s, row in zip(slopes, used, strict=True)))
            for i in range(public.shape[1])
        ]
    )


@pytest.mark.parametrize("distance", [1e-1, 1e-3, 1e-5, 3e-6, 3e-7, 1e-8, 1e-11, 1e-15])
def test_nearly_collinear_features_are_fitted_or_left_out(distance):
    train, public, y = data(5, n=10, m=10, p=4)
    noise = np.random.default_rng(6).standard_normal((2, 10))
    train[2] = standardised((train[0] - train[1] + distance * noise[0])[None])[0]
    public[2] = standardised((public[0] - public[1] + distance * noise[1])[None])[0]
    nested, _ = nested_predictions(train, y, public, public, np.arange(len(train)))
    columns = [0, 1, 2, 3] if distance > 2e-6 else [0, 1, 3]
    predictions = [nested[3]]
    predictions.append(subset_predictions(train, y, public, np.arange(4)[None], np.array([4]))[0])
    rows, residual, moved, base = train, y, public, np.zeros(10)
    for _ in range(3):
        step, rows, residual = extend(rows, residual, 0)
        _, moved, base = on(moved, base, step)
    predictions.append(candidate_predictions(rows, moved, residual, base)[0])
    expected = exact_predictions(train, y, public, columns)
    for predicted in predictions:
        np.testing.assert_allclose(
            predicted, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max()
        )


def test_nested_models_have_the_same_bits_wherever_their_arrays_lie():
    for n, k in [(3, 3), (7, 8), (33, 12), (209, 30)]:
        rng = np.random.default_rng(n)
        rows = rng.standard_normal((k, n))
        y = rng.standard_normal(n)
        bits = set()
        for shift in [*range(9), 500, 10_001]:
            memory = np.zeros(shift + k * n + n)
            moved = memory[shift : shift + k * n].reshape(k, n)
            moved[:] = rows
            response = memory[shift + k * n :][:n]
            response[:] = y
            nested = nested_predictions(moved, response, moved, moved, np.arange(k))
            bits.add(b"".join(array.tobytes() for array in nested))
        assert len(bits) == 1
