"""What is said of a board that charges for files, whose transcripts are not counted."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from shakedown.questions.leak_question import Question


def charged(question: Question, delta: float) -> dict[str, Any]:
    """The numbers of a record: degrees of freedom and both bounds; empty if nothing is proved."""
    degrees, plan, bound = question.shown.degrees, question.plan, question.bound
    if degrees is None:
        return {}
    degrees, rows = degrees * (1 if plan.shared else plan.accounts), plan.rows
    mean, high = bound.charged(degrees, rows), bound.charged(degrees, rows, delta)
    if math.isinf(mean):
        return {}
    return {
        "proved": True,
        "degrees": degrees,
        "gain_mean": mean,
        "gain_95": high,
        "conditions": bound.conditions,
    }


def in_words(question: Question, record: dict[str, Any], short: Callable[[float], str]) -> str:
    """One sentence for readers, of the record of `charged`."""
    return (
        f"All answers together tell at most {short(record['degrees'])} degrees of freedom. "
        f"Whatever is submitted, the {question.scale.public} of the final file is better than "
        f"{question.scale.honest} by at most {short(record['gain_mean'])} on average, and by at "
        f"most {short(record['gain_95'])} with a probability of 95 %. {record['conditions']} "
        "Proofs: docs/leakage.md."
    )
