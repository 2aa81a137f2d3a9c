"""Figures as a configuration names them."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import ConfigDict

from shakedown.component.entries import Choice, Entry
from shakedown.component.keys import OF_THESE, SOME, Counts, DistinctTexts, Texts, optional
from shakedown.figures.kind import FIGURE_KINDS
from shakedown.leaderboard.entries import MechanismName


class FigureEntry(Entry):
    """A figure; other keys than these select rows by a parameter of the mechanisms shown."""

    model_config = ConfigDict(extra="allow")

    choice: ClassVar[Choice] = Choice(FIGURE_KINDS, "kind")

    kind: str
    """The kind of figure, or the import path of your own."""
    experiment: str | Texts
    """Id of the experiment, or of the entry of release_variability; some kinds take a list."""
    dataset: str | Texts = optional()
    """Id of the data set; not for release variability."""
    design: str | DistinctTexts = optional()
    """The design; not for release variability."""
    title: str | None = None
    """Title in the report; null for the id."""
    mechanism: MechanismName | Annotated[list[MechanismName], SOME, OF_THESE] = optional()
    """The mechanisms to show; by default all."""
    setting: str | Texts = optional()
    """The settings to show, by their ids; by default all."""
    n_features: Counts = optional()
    """The numbers of attacked features to show; by default all."""
    point: Counts = optional()
    """The points of the attack to show (features of the final model, iteration, round or outcome,
    depending on the attack); by default all."""
