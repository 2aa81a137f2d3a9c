"""Designs: how replicates split a challenge, see `splits`, and their names.

Two designs are those of [C]: *permuted* keeps the sets and permutes the response within each, so
that every gain is overfit; *splits* draws new random sets and keeps the response.  Two more are for
labels 0 and 1, which they do not scale.  *labels*, as in [B] and [Z], is for attacks that guess
them: it draws new public and final labels, or permutes those of a table within each set.
*permuted_labels* is for attacks that fit models: as *permuted*, with labels.
"""

from __future__ import annotations

from typing import NamedTuple

SCALED = ("permuted", "splits")
LABELS, PERMUTED_LABELS = "labels", "permuted_labels"
#: Those of labels 0 and 1.
OF_LABELS = (LABELS, PERMUTED_LABELS)


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
    PERMUTED_LABELS: Design(
        "permuted labels",
        "Labels 0 and 1 are permuted within each set and not scaled: models can learn nothing, "
        "every gain is overfit.",
    ),
}


#: What a design does to the signal, for captions; labels are guessed, not learned.
SIGNAL = {
    "permuted": "no signal: all gain is overfit",
    "splits": "signal kept",
    PERMUTED_LABELS: "no signal: all gain is overfit",
}


def design_label(design: str) -> str:
    """The name of a design for readers."""
    return DESIGNS[design].label if design in DESIGNS else design.replace("_", " ")


def design_phrase(design: str) -> str:
    """The name of a design, and in brackets what it does to the signal."""
    aside = SIGNAL.get(design)
    return f"{design_label(design)} ({aside})" if aside else design_label(design)
