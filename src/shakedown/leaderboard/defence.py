"""Defences, which are rules that an organiser adds to a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from shakedown.component import Component, Registry
from shakedown.interface import InputError

if TYPE_CHECKING:
    import numpy as np

    from shakedown.leaderboard.board import Incumbent, Scorer
    from shakedown.leaderboard.disclosure import Disclosure


class Defence(Component):
    """A rule that can be added to any mechanism.

    Derive from it, declare the parameters, and override the methods that it changes.
    """

    kind: ClassVar[str] = "defence"

    def start(self, best: Incumbent, scorer: Scorer) -> Incumbent:
        """The incumbent of a new board; by default `best`, the one without this defence."""
        return best

    def limit(self, standing: np.ndarray, best: Incumbent, *, chain: bool) -> np.ndarray:
        """The submission in force after each of a batch, given the gate's decision `standing`.

        Parameters are as in `gates.Gate.decide`.  By default the decision stands.
        """
        return standing

    def disclosure(self, shown: Disclosure) -> Disclosure:
        """What the board can show with it; `shown` is what it can show without."""
        return shown


DEFENCES = Registry(Defence, "shakedown.leaderboard.defences")


def defences(entries: Iterable[Mapping[str, Any]]) -> tuple[Defence, ...]:
    """The defences of a mechanism's entry in a configuration, in their order.

    Raises
    ------
    InputError
        If one is unknown or listed twice, or a parameter is missing, unknown or out of range.
    """
    found: dict[str, Defence] = {}
    for entry in entries:
        parameters = {key: value for key, value in entry.items() if key != "name"}
        one = DEFENCES.make(entry["name"], **parameters)
        if one.name in found:
            raise InputError(f"defence '{one.name}' is listed twice. Remove one.")
        found[one.name] = one
    return tuple(found.values())
