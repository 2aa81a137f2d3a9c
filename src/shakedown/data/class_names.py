"""Responses that are written as names of classes."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

import numpy as np

from shakedown.data.draft import Draft
from shakedown.interface import InputError
from shakedown.metrics.classes import MOST_CLASSES
from shakedown.tables.cells import MISSING, number_in
from shakedown.tables.policy import Source
from shakedown.wording import counted, some

#: Most different cells of a column that may name classes.
_FEW = 10


def check_classes(classes: Sequence[str]) -> None:
    """Check the names of classes, in their order.

    Raises
    ------
    InputError
        If there are too few or too many, or one is named twice.
    """
    if not 2 <= len(classes) <= MOST_CLASSES or len(set(classes)) < len(classes):
        raise InputError(
            f"classes: wanted 2 to {MOST_CLASSES} different names in their order, the positive "
            f"class last, such as control, case; got {some(classes)}."
        )


def check_names(classes: Sequence[str], key: str) -> None:
    """Check that no name of a class is another number than its place.

    A cell with it could mean either.

    Raises
    ------
    InputError
        If one is; `key` is that of the classes.
    """
    for place, name in enumerate(classes):
        if number_in(name) not in (None, float(place)):
            raise InputError(
                f"{key}: '{name}' is a number, and would count as {place:g}. Leave 'classes' out: "
                "metrics take the values of the truth for its classes."
            )


def codes_of(
    texts: Sequence[str], classes: Sequence[str], source: Source, column: str
) -> np.ndarray:
    """The number of each cell's class, from 0, and NaN for a missing cell; shape (n,).

    Numbers are equal however they are written, such as 1 and 1.0.

    Raises
    ------
    InputError
        If a cell is none of the classes.
    """
    place: dict[str, float] = {name: float(k) for k, name in enumerate(classes)}
    numbers = {value: k for name, k in place.items() if (value := number_in(name)) is not None}
    codes = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        code = place.get(text, numbers.get(number_in(text)))
        if code is not None:
            codes[row] = code
        elif text.lower() not in MISSING:
            raise source.error(
                f"column '{column}', row {row + 1}: '{text[:40]}' is none of the classes "
                f"{some(classes)}. Correct the cell, leave it empty if missing, or add it to "
                "'classes'."
            )
    return codes


def like_classes(texts: Sequence[str]) -> str:
    """A sentence on listing the classes that texts may name; "" if there are too many of them."""
    names = list(dict.fromkeys(text for text in texts if text.lower() not in MISSING))
    if not 2 <= len(names) <= _FEW:
        return ""
    return (
        f" If it names {len(names)} classes, list them in their order as 'classes', "
        f"the positive one last (shakedown dryrun: --classes {shlex.quote(','.join(names))}), and "
        "name a metric of classes, such as auroc."
    )


def note_classes(draft: Draft, classes: Sequence[str], named: Mapping[str, np.ndarray]) -> None:
    """Note which number stands for which class, and how many rows have it.

    Parameters
    ----------
    draft : Draft
    classes : sequence of str
    named : mapping of str to ndarray
        The codes of each response.

    Raises
    ------
    InputError
        If a class has no row.
    """
    for response, codes in named.items():
        counts = [int(np.sum(codes == k)) for k in range(len(classes))]
        if absent := [name for name, rows in zip(classes, counts, strict=True) if not rows]:
            raise draft.source.error(
                f"column '{response}': no row has the class {some(absent)}. Remove it from "
                "'classes', or correct its spelling."
            )
        parts = (
            f"{k} = {name} ({counted(rows, 'row')})"
            for k, (name, rows) in enumerate(zip(classes, counts, strict=True))
        )
        draft.notes.append(f"Classes of '{response}': {', '.join(parts)}.")
