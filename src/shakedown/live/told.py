"""What participants are told of the truth: its kind, several responses, rows in groups."""

from __future__ import annotations

from shakedown.live.truth import Truth
from shakedown.metrics import Metric
from shakedown.metrics.classes import CLASSES, PROBABILITIES, RISKS, SCORES
from shakedown.metrics.composite import is_composite
from shakedown.wording import counted


def said_of(truth: Truth, metric: Metric) -> list[str]:
    """What a file predicts, the rules on several responses, and on groups; often nothing."""
    said = of_predictions(truth, metric)
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


def of_predictions(truth: Truth, metric: Metric) -> list[str]:
    """What a prediction of a class or of a censored time is; empty for numbers."""
    names = truth.classes
    last = names[-1] if names else "the larger class"
    said = {
        PROBABILITIES: f"A prediction is the probability of {last}, from 0 to 1.",
        SCORES: f"A prediction is a score, larger where {last} is more likely.",
        CLASSES: "A prediction is a class.",
        RISKS: (
            "The response is the time until an event; some rows were censored before theirs. A "
            "prediction is a risk: of two rows, the one with the larger risk is predicted to have "
            "its event first."
        ),
    }.get(metric.predicts)
    if truth.horizons:
        return [
            "The response is the time until an event; some rows were censored before theirs. A "
            "prediction is the probability of an event up to the time that its column names, from "
            "0 to 1."
        ]
    if names:
        listed = ", ".join(f"{name} ({k})" for k, name in enumerate(names))
        how = "" if truth.responses else ", by name or number"
        said = f"The classes are {listed}{how}.{f' {said}' if said else ''}"
    return [said] if said else []


def score_of(metric: Metric) -> str:
    """The score of several responses, in a sentence."""
    if is_composite(metric.name):
        return f"{metric.sentence} Predictions that are all equal have the correlation 0."
    return f"The score is the {metric.label} of all cells together."
