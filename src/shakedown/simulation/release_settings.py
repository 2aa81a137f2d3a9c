"""The keys of predictions that are scored many times."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from shakedown.attacks.settings import RegressorEntry
from shakedown.component.keys import MOST, Id, Settings


class ReleaseVariabilityEntry(Settings):
    """Predictions of the public response in random splits; each is scored many times."""

    dataset: str
    """Id of the data set."""
    models: dict[Id, RegressorEntry] = {}
    """Regressors by name; each is fitted to the training set."""
    correlations: list[Annotated[float, Field(gt=0, le=1)]] = []
    """Predictions made from the response plus noise: their correlations with the response, above 0
    and at most 1."""
    noise: Literal["shared", "own"] = "shared"
    """Whether the predictions of `correlations` scale one noise vector (shared) or each draws its
    own (own)."""
    draws: int = Field(1, ge=1, le=MOST)
    """Number of random splits. A simulated data set is drawn again for each; a table is only split
    again."""
    b: list[Annotated[int, Field(ge=1, le=MOST)]] = Field([10, 100, 1000], min_length=1)
    """Numbers of bootstrap replications b for each released score."""
    releases: int = Field(10_000, ge=1, le=MOST)
    """Number of times that each prediction is scored in a draw."""
