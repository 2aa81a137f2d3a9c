"""Gates and releases of one's own that are plain classes."""

from functools import cached_property

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.gates import Gate, Margin
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.own import completed
from shakedown.leaderboard.releases import Release


class Any:
    name, needs_losses, draws_weights = "any", False, False

    def decide(self, batch, best, metric, y, *, chain, rng):
        return np.arange(len(batch.risks))


def test_what_a_plain_class_lacks_is_that_of_ours():
    own = completed(Any(), Gate)
    assert isinstance(own, Gate)
    assert (own.name, own.one_by_one, own.replaces_always) == ("any", False, False)
    assert own.in_numbers(10) is None
    assert own.decide.__func__ is Any.decide
    assert type(completed(Any(), Gate)) is type(own)  # so that equal gates stay equal


def test_what_derives_from_ours_stays_as_it_is():
    gate = Margin(0.1, 0.1)
    assert completed(gate, Gate) is gate


@pytest.mark.parametrize("kind", [property, cached_property])
def test_a_mechanism_has_complete_parts(kind):
    members = {"gate": kind(lambda self: Any()), "release": kind(lambda self: Any())}
    own = type("Own", (Mechanism,), {"__module__": __name__, "name": "own", **members})()
    assert isinstance(own.gate, Gate)
    assert isinstance(own.release, Release)
    assert own.gate is own.gate
    assert not own.replaces_always


def test_a_class_with_slots_is_refused_with_the_cure():
    class Tight:
        __slots__ = ()

    with pytest.raises(InputError, match=r"Tight: wanted a gate that derives from .*class Tight"):
        completed(Tight(), Gate)
