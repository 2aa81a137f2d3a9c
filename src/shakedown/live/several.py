"""What participants are told of several responses, and of rows that belong together."""

from __future__ import annotations

from shakedown.live.truth import Truth
from shakedown.metrics import Metric
from shakedown.metrics.composite import is_composite
from shakedown.wording import counted


def said_of(truth: Truth, metric: Metric) -> list[str]:
    """The rules on several responses and groups, a sentence or more each; empty without them."""
    said = []
    if q := len(truth.responses):
        said += [
            f"{counted(len(truth.ids), 'row')} x {q:,} responses: {truth.asked:,} cells. A file is "
            f"wide, a CSV file with the column id and one for each of the {q:,} responses, or "
            f"long, with the columns id, target and prediction. It has all {truth.asked:,} cells.",
            f"{score_of(metric)} Responses stay in their own units: nothing is standardised. "
            "Cells without a true value are ignored, and which ones these are is not told.",
        ]
    if truth.group is not None:
        said.append(
            f"Rows with the same '{truth.group.name}' belong together: all are public, or all "
            "final."
        )
    return said


def score_of(metric: Metric) -> str:
    """The score of several responses, in a sentence."""
    if is_composite(metric.name):
        return f"{metric.sentence} Predictions that are all equal have the correlation 0."
    return f"The score is the {metric.label} of all cells together."
