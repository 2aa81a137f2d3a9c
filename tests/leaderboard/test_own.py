"""Components of one's own: plain classes, and classes that derive from ours."""

from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.defences.baseline import Baseline
from shakedown.leaderboard.defences.clip import Clip
from shakedown.leaderboard.gates import Always, Gate, Margin
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.mechanisms.full_disclosure import FullDisclosure
from shakedown.leaderboard.mechanisms.general_ladder import GeneralLadder
from shakedown.leaderboard.own import completed
from shakedown.leaderboard.releases import Exact, Release, Rounded
from shakedown.metrics import find
from shakedown.terms import Acceptance, Terms
from shakedown.theory.proved import proved_submissions


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
@pytest.mark.parametrize("is_mixin", [False, True])
def test_a_mechanism_has_complete_parts(kind, is_mixin):
    members = {"gate": kind(lambda self: Any()), "release": kind(lambda self: Any())}
    named = {"__module__": __name__, "name": "own"}
    if is_mixin:
        own = type("Own", (type("Parts", (), members), Mechanism), named)()
    else:
        own = type("Own", (Mechanism,), named | members)()
    assert isinstance(own.gate, Gate)
    assert isinstance(own.release, Release)
    assert own.gate is own.gate
    assert not own.replaces_always


def test_a_class_with_slots_is_refused_with_the_cure():
    class Tight:
        __slots__ = ()

    with pytest.raises(InputError, match=r"Tight: wanted a gate that derives from .*class Tight"):
        completed(Tight(), Gate)


class Everything(Margin):
    """Accepts whatever is submitted, and derives from a gate that does not."""

    def decide(self, batch, best, metric, y, *, chain, rng):
        return np.arange(len(batch.risks))


class Bare(Rounded):
    """Shows exact scores, and derives from a release that rounds."""

    def show(self, batch, best, standing, metric, y, rng):
        return np.where(standing >= 0, batch.risks[standing], best.risk)


class Loose(Clip):
    """Caps nothing, and derives from a defence that does."""

    def rescore(self, batch, scorer):
        return batch


class Open(GeneralLadder):
    """Derives from the General Ladder, and shows everything."""

    @cached_property
    def gate(self):
        return Everything(self.eta, self.eta)

    @cached_property
    def release(self):
        return Bare(self.eta)


def test_what_does_something_else_does_not_say_what_ours_says():
    gate, release, ours = Everything(0.2, 0.2), Bare(0.2), Rounded(0.2)
    assert gate.terms(Terms("mse"), 30).silent == ("gate",)
    assert gate.in_numbers(30) is None
    assert not gate.only_lowers(0.2, 30)
    assert release.terms(Terms("mse"), 30).silent == ("release",)
    assert not release.in_force_only
    assert release.disclosure(gate, 30, 1).step is None
    # A sentence of theirs about the other part stays.
    assert not ours.disclosure(gate, 30, 1).falls
    assert ours.disclosure(Margin(0.2, 0.2), 30, 1).falls
    assert Loose(times=2.0).terms(Terms("mse"), None).silent == ("defence",)
    assert (Open.guarantee, GeneralLadder.guarantee) == ("", "ladder")
    assert not Open(eta=0.2).disclosure(30).shows_acceptance
    assert Open(eta=0.2).terms(find("mse"), 30).silent == ("gate", "release")


def test_what_shows_everything_is_not_proved_because_it_derives_from_ours():
    """Before, its proved limit was the largest number that is asked for."""
    ours, own = (kind(eta=0.2).defended([Baseline()]) for kind in (GeneralLadder, Open))
    assert proved_submissions(ours, "mse", 5000, -0.2, most=99) == 99
    assert proved_submissions(own, "mse", 5000, -0.2, most=99) is None


def test_what_says_it_itself_is_believed():
    class Stated(Everything):
        def terms(self, terms, n):
            return replace(terms, acceptance=Acceptance(0.5, 0.0))

    class Only(Margin):
        """Does the same, and says something else."""

        def terms(self, terms, n):
            return replace(terms, acceptance=Acceptance(0.7, 0.0))

    class Named(Margin):
        """Does the same under another name."""

    for gate, margin in ((Stated, 0.5), (Only, 0.7), (Named, 0.2)):
        terms = gate(0.2, 0.2).terms(Terms("mse"), 30)
        assert (terms.acceptance.margin, terms.silent) == (margin, ())
    assert Only(0.2, 0.2).in_numbers(30) == Margin(0.2, 0.2).in_numbers(30)
    assert Stated(0.2, 0.2).in_numbers(30) is None


def test_a_plain_class_speaks_for_itself_too():
    class Plain(Any):
        def terms(self, terms, n):
            return replace(terms, acceptance=Acceptance(0.5, 0.0))

    class Other(Plain):
        def decide(self, batch, best, metric, y, *, chain, rng):
            return np.full(len(batch.risks), -1)

    assert not completed(Plain(), Gate).terms(Terms("mse"), 30).silent
    assert completed(Other(), Gate).terms(Terms("mse"), 30).silent == ("gate",)


def test_what_is_called_exact_need_not_show_everything():
    class Hidden(Exact):
        def show(self, batch, best, standing, metric, y, rng):
            return np.zeros(len(standing))

    class Called(GeneralLadder):
        @cached_property
        def gate(self):
            return Always()

        @cached_property
        def release(self):
            return Hidden()

    assert Hidden().name == "exact"
    assert not Called(eta=0.2).shows_all
    assert FullDisclosure().shows_all


@pytest.mark.parametrize("returned", [None, Terms("mse", step=np.nan), Terms("mse", step=-0.1)])
def test_what_is_no_terms_is_refused_with_the_cure(returned):
    class Wrong(Margin):
        def terms(self, terms, n):
            return returned

    class Board(GeneralLadder):
        @cached_property
        def gate(self):
            return Wrong(self.eta, self.eta)

    with pytest.raises(InputError, match=r"Wrong: wanted its method .* `replace\(terms"):
        Board(eta=0.2).terms(find("mse"), 30)
