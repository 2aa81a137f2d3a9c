"""The keys of a final model."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from shakedown.component.keys import Settings


class RegressorEntry(Settings):
    """A regressor or a classifier."""

    path: str = Field(alias="class")
    """Import path of a scikit-learn regressor, such as sklearn.linear_model.Ridge, or of a
    classifier, such as sklearn.linear_model.LogisticRegression."""
    settings: dict[Any, Any] = {}
    """Arguments of the class."""


#: A final model: ols, cox, or a regressor or classifier with or without its settings.
Model = str | RegressorEntry
