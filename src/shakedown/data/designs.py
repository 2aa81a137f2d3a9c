"""Designs: how replicates split a challenge, see `splits`, and their names.

Two designs are those of [C]: *permuted* keeps the sets and permutes the response within each, so
that every gain is overfit; *splits* draws new random sets and keeps the response.  The third,
*labels*, is for labels 0 and 1 without use of features, as in [B] and [Z]: it draws new public and
final labels, or permutes those of a table within each set, and does not scale.
"""

from __future__ import annotations

from typing import NamedTuple

SCALED = ("permuted", "splits")
LABELS = "labels"


class Design(NamedTuple):
    """The label of a design, and a sentence about it."""

    label: str
    sentence: str


#: By name.
DESIGNS = {
    "permuted": Design(
        "permuted response",
        "The response is permuted within each set: nothing can be learned, every gain is overfit.",
    ),
    "splits": Design(
        "random splits",
        "Each replicate draws its sets at random; the response keeps its signal.",
    ),
    LABELS: Design(
        "labels as they are",
        "Each replicate draws public and final labels, 0 or 1, or permutes those of a table within "
        "each set. For an attack that uses features it keeps each row's label, and draws new sets "
        "with the same number of each label. Labels are not scaled.",
    ),
}


def design_label(design: str) -> str:
    """The name of a design for readers."""
    return DESIGNS[design].label if design in DESIGNS else design.replace("_", " ")
