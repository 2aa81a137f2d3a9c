"""Lin's concordance correlation coefficient."""

from __future__ import annotations

from typing import ClassVar

from shakedown.metrics.kernels import CONCORDANCE
from shakedown.metrics.metric import Metric


class Concordance(Metric):
    """Lin's concordance correlation coefficient."""

    name: ClassVar[str] = "ccc"
    label: ClassVar[str] = "Lin's CCC"
    short: ClassVar[str] = "CCC"
    axis: ClassVar[str] = "Lin's CCC (concordance\ncorrelation coefficient)"
    sentence: ClassVar[str] = (
        "Lin's concordance correlation coefficient: how close the predictions lie to the line "
        "prediction = response, from -1 to 1."
    )
    source: ClassVar[str] = "Lin (1989)"
    order: ClassVar[float] = 7
    larger_is_better: ClassVar[bool] = True
    formula: ClassVar[int] = CONCORDANCE
