"""Which mechanisms a test can play: under which metric, and on which boards."""

import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import MECHANISMS

#: Names of the mechanisms that a running board can have.
RUNNING = [
    name for name, kind in MECHANISMS.classes.items() if not (kind.fresh or kind.shows == "ranks")
]


def skip_unless_it_takes(mechanism, metric):
    try:
        mechanism.check(metric)
    except InputError as error:
        pytest.skip(str(error))
