"""Which mechanisms a test can play under which metric."""

import pytest

from shakedown.interface import InputError


def skip_unless_it_takes(mechanism, metric):
    try:
        mechanism.check(metric)
    except InputError as error:
        pytest.skip(str(error))
