"""Whether a mean that is measured is as expected."""

from dataclasses import fields
from math import sqrt

import numpy as np


def is_near(found, expected, deviations=4.0):
    """False alarms: 1 in 16,000."""
    error = found.std(ddof=1) / sqrt(len(found))
    return abs(found.mean() - expected) < deviations * error


def assert_equal_challenges(a, b):
    """That two challenges are equal, part by part and bit by bit."""
    for field in fields(a):
        _assert_equal(getattr(a, field.name), getattr(b, field.name), field.name)


def _assert_equal(a, b, name):
    assert type(a) is type(b), name
    if isinstance(a, tuple):
        assert len(a) == len(b), name
        for own, other in zip(a, b, strict=True):
            _assert_equal(own, other, name)
    elif isinstance(a, np.ndarray):
        assert a.dtype.kind == b.dtype.kind, name
        np.testing.assert_array_equal(a, b, err_msg=name)
    else:
        assert a == b, name
