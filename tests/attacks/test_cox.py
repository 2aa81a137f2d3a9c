"""Cox regression, against statsmodels."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from statsmodels.duration.hazard_regression import PHReg

from shakedown.attacks.cox import _in_order, _loss, coefficients


def drawn(n=60, p=4, seed=0, ties=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 1.0
    died = rng.exponential(size=n) * np.exp(-X[:, 0] + 0.5 * X[:, 1])
    left = rng.exponential(size=n)
    until = np.minimum(died, left)
    until = np.ceil(4.0 * until) if ties else until
    return X, np.where(died <= left, until, -until)


@pytest.mark.parametrize("ties", [False, True])
def test_the_likelihood_and_its_derivatives_are_those_of_statsmodels(ties):
    X, times = drawn(ties=ties)
    model = PHReg(np.abs(times), X - X.mean(axis=0), status=(times > 0).astype(int), ties="breslow")
    b, events = np.array([0.3, -1.0, 2.0, 0.1]), (times > 0).sum()
    value, slopes = _loss(b, _in_order(X, times), 0.0)
    assert value == pytest.approx(-model.loglike(b) / events)
    np.testing.assert_allclose(slopes, -model.score(b) / events)


@pytest.mark.parametrize("ties", [False, True])
def test_coefficients_are_those_of_statsmodels(ties):
    X, times = drawn(ties=ties)
    model = PHReg(np.abs(times), X, status=(times > 0).astype(int), ties="breslow")
    found = coefficients(X, times, [30.0, 3.0, 1e-9])
    for penalty, own in zip((30.0, 3.0), found, strict=False):
        fit = model.fit_regularized(alpha=penalty / len(times), L1_wt=0.0)
        np.testing.assert_allclose(own, fit.params, atol=2e-4)
    np.testing.assert_allclose(found[-1], model.fit().params, atol=2e-4)


def test_derivatives_are_those_of_the_penalised_likelihood():
    X, times = drawn(n=30)
    rows, b = _in_order(X, times), np.array([0.5, -0.2, 0.0, 1.0])
    off = check_grad(lambda b: _loss(b, rows, 2.0)[0], lambda b: _loss(b, rows, 2.0)[1], b)
    assert off < 1e-6


def test_more_features_than_rows_have_coefficients_in_the_span_of_the_rows():
    X, times = drawn(n=20, p=50)
    found = coefficients(X, times, [10.0, 1.0])
    assert np.isfinite(found).all()
    span = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:19]
    np.testing.assert_allclose(found @ span.T @ span, found, atol=1e-8)


def test_without_an_event_there_are_no_coefficients():
    X, times = drawn()
    assert not coefficients(X, -np.abs(times), [1.0]).any()
    assert not coefficients(X[:0], times[:0], [1.0]).any()


def test_risks_far_apart_are_finite():
    X, times = drawn()
    value, slopes = _loss(np.full(4, 1e3), _in_order(X, times), 1.0)
    assert np.isfinite([value, *slopes]).all()
    in_order = np.linspace(9.0, -9.0, len(times))[:, None]
    assert coefficients(in_order, np.sort(np.abs(times)), [1e-3])[0, 0] > 1.0
