"""Metrics, mechanisms and defences as a configuration names them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import Field

from shakedown.component.entries import Choice, Entry
from shakedown.component.keys import optional
from shakedown.leaderboard.defence import DEFENCES
from shakedown.leaderboard.mechanism import MECHANISMS, Mechanism, mechanisms

METRIC = (
    "The metric; or the import path of one of your own, or of one of scikit-learn's, such as "
    "sklearn.metrics.mean_pinball_loss."
)


class DefenceEntry(Entry):
    """A defence."""

    choice: ClassVar[Choice] = Choice(DEFENCES)

    name: str
    """The defence, or the import path of your own."""


MechanismName = Annotated[str, Field(description="The mechanism, or the import path of your own.")]


class MechanismEntry(Entry):
    """A mechanism."""

    choice: ClassVar[Choice] = Choice(MECHANISMS, listed=True)

    name: MechanismName
    defences: list[DefenceEntry] = optional()
    """The rules that the organiser puts around it; by default none."""


def made(entries: Iterable[MechanismEntry] | None) -> list[Mechanism]:
    """The mechanisms of some entries; see `mechanism.mechanisms`."""
    return mechanisms([entry.given for entry in entries or ()])
