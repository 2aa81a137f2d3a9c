"""A response with few distinct values, of which one exact score tells many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from shakedown.dryrun.assumptions.check import Check
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.dryrun.assumptions.sample import Sample
from shakedown.interface import Challenge
from shakedown.wording import counted

#: Bits of the responses that a score in double precision holds (of its 53).
BITS = 46
#: Fewest responses in one score that are worth a word.
MANY = 8
#: With at most so many values the noise of a response is nothing like normal.
FEW = 10


class FewValues(Check):
    """Responses on a coarse grid."""

    name: ClassVar[str] = "few_values"
    label: ClassVar[str] = "Few distinct values"
    sentence: ClassVar[str] = (
        "The steps of the grid on which the responses lie: a file with powers of their number as "
        "predictions gets a score from which several responses can be read."
    )
    order: ClassVar[float] = 6
    is_of_noise: ClassVar[bool] = True

    def look(self, sample: Sample) -> Finding | None:
        told, what, values = 0, "", np.empty(0)
        for name, own in _responses(sample.challenge):
            steps = steps_of(grid := np.unique(own))
            if steps is not None and (tells := int(BITS / np.log2(steps + 1))) > told:
                told, what, values = tells, name, grid
        few, told = 0 < len(values) <= FEW, min(sample.public_rows, told)
        if told < MANY and not few:
            return None
        return Finding(
            sentence=(
                f"{what} has {counted(len(values), 'distinct value')}: on a leaderboard "
                f"that shows exact scores one file can tell {told:,} public responses, where "
                "the attacks played learn one."
            ),
            cure=(
                "Round scores, or show few of them."
                + (
                    " With so few values the noise is not normal, and nothing is called proved; "
                    "for labels 0 and 1 take the metric zero_one, whose bound assumes no "
                    "distribution."
                    if few
                    else ""
                )
            ),
            quantity="public responses that one exact score tells",
            assumed=1,
            found=told,
            statistic="distinct values of the response",
            value=len(values),
            p_value=None,
            withholds=few,
        )


def _responses(challenge: Challenge) -> Iterator[tuple[str, np.ndarray]]:
    """What each response is called, and its values."""
    if challenge.cells is None:
        yield "The response", challenge.y
        return
    for k, name in enumerate(challenge.cells.names):
        yield f"The response '{name}'", challenge.y[challenge.cells.responses == k]


def steps_of(values: np.ndarray) -> int | None:
    """Steps between the smallest and the largest value of a grid; None if they lie on none.

    Parameters
    ----------
    values : ndarray of float
        Distinct values in order.
    """
    if len(values) < 2:
        return None
    places = (values - values[0]) / np.diff(values).min()
    if places[-1] > 2.0**BITS or np.abs(places - np.round(places)).max() > 1e-6 * places[-1]:
        return None
    return int(np.round(places[-1]))
