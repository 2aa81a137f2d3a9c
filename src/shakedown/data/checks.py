"""Check and correct a table of numbers.

Each function checks one property of a `Draft`; it corrects the draft and adds a note, or raises.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Literal

import numpy as np

from shakedown.data.draft import Draft, warn
from shakedown.interface import LARGEST, SMALLEST_SPREAD
from shakedown.wording import counted, some

#: Smallest number of rows in total, and in each set of an official split.
MIN_ROWS = 30
MIN_ROWS_PER_SET = 10
#: Largest number of rows, of features, and of cells of a data set that is made: 8 GB.
MOST_ROWS = MOST_FEATURES = 10_000_000
MOST_CELLS = 1_000_000_000
SETS = ("train", "public", "final")
_LABELS = {**{label: label for label in SETS}, "leaderboard": "public", "test": "final"}
#: Ways to handle missing values.
Policy = Literal["error", "drop_rows", "drop_columns", "impute_median"]


def drop_blank_rows(draft: Draft, has_ids: bool) -> None:
    """Drop empty rows, which spreadsheets append."""
    blank = np.isnan(draft.y)
    if has_ids:
        blank &= draft.rows == ""
    if draft.split is not None:
        blank &= draft.split == ""
    for i in np.flatnonzero(blank):
        blank[i] = np.isnan(draft.values[:, i]).all()
    if blank.any():
        draft.keep_rows(~blank)
        draft.notes.append(f"{counted(int(blank.sum()), 'empty row')} left out.")
    if not len(draft.y):
        raise draft.source.error("the file has a header, but all rows are empty.")


def check_ids(draft: Draft, column: str) -> None:
    """Check that no id is missing or repeated.

    Raises
    ------
    InputError
        If an id is missing or repeated.
    """
    empty = np.flatnonzero(draft.rows == "")
    if len(empty):
        raise draft.source.error(
            f"column '{column}' has no id in {counted(len(empty), 'row')}, first in row "
            f"{empty[0] + 1}. Give every row an id, or set 'id' to null to number the rows."
        )
    ids, counts = np.unique(draft.rows, return_counts=True)
    repeated = ids[counts > 1]
    if len(repeated):
        raise draft.source.error(
            f"column '{column}' has {counted(len(repeated), 'id')} more than once: "
            f"{some(repeated)}. Give every row a unique id. If several rows are of one unit, such "
            "as a patient, add the column to 'ignore': a dry run then sees the groups."
        )


def check_size(draft: Draft, response: str) -> None:
    """Check that no cell is infinite or too large; missing ones are not.

    Raises
    ------
    InputError
        If a feature or the response has a value above `LARGEST`.
    """
    total, first = 0, ""
    own = [(response, draft.y)]
    if draft.responses is not None:
        own = list(zip(draft.names, draft.responses, strict=True))
    named = [*own, *zip(draft.features, draft.values, strict=True)]
    for column, values in named:
        beyond = np.flatnonzero(np.abs(values) > LARGEST)
        total += len(beyond)
        if len(beyond) and not first:
            i = beyond[0]
            first = f"column '{column}', row '{draft.rows[i]}' {too_large(values[i])}"
    if total:
        more = f" ({total:,} such cells in all)" if total > 1 else ""
        raise draft.source.error(
            f"{first}{more}. Correct it, leave it empty if missing, or use a larger unit."
        )


def too_large(value: float) -> str:
    """What is wrong with a value above `LARGEST`, or NaN, in words that follow its place."""
    what = "missing" if np.isnan(value) else "infinite" if np.isinf(value) else f"{value:g}"
    return f"is {what}; wanted at most {LARGEST:g} in size"


def too_close(values: np.ndarray, least: float = SMALLEST_SPREAD) -> str:
    """What is wrong with values that differ by less than `least`; "" for others."""
    spread = float(np.ptp(values))
    if spread >= least or spread == 0.0:
        return ""
    return (
        f"differ by {spread:g} at most; wanted at least {least:g}, or all equal. Use a smaller "
        "unit."
    )


def check_labels(draft: Draft, column: str) -> None:
    """Rename the labels of the official split to train, public and final.

    Raises
    ------
    InputError
        If a label is unknown or missing, or one of the three sets is absent.
    """
    labels = np.array([_LABELS.get(label.lower(), "") for label in draft.split])
    unknown = np.flatnonzero(labels == "")
    if len(unknown):
        kinds = sorted({str(label) for label in draft.split[unknown]})
        raise draft.source.error(
            f"column '{column}' has {counted(len(unknown), 'row')} with a label other than train, "
            f"public (or leaderboard) and final (or test): {some(kinds)}, first in row "
            f"'{draft.rows[unknown[0]]}'. Rename the labels, or remove the rows."
        )
    absent = [label for label in SETS if label not in labels]
    if absent:
        raise draft.source.error(
            f"column '{column}' has no row labelled {some(absent)}; wanted all of train, public "
            "and final. For random splits set 'split' to null."
        )
    draft.split = labels


def settle_missing(draft: Draft, policy: str, response: str) -> None:
    """Apply `policy` to missing values, and add a note.

    Parameters
    ----------
    draft : Draft
        The table; a missing response is never imputed.
    policy : str
        A `Policy`.  Medians are over the training rows if there is an official split, else over
        all rows.
    response : str
        Name of the response, for the message.

    Raises
    ------
    InputError
        If the policy is "error" and a value is missing; if a response is missing and the policy
        is not "drop_rows"; or if a column has no value.
    """
    _settle_response(draft, policy, response)
    counts = np.array([np.isnan(values).sum() for values in draft.values])
    holed = np.flatnonzero(counts)  # positions of the features with missing cells
    if not len(holed):
        return
    p, n = draft.values.shape
    total = counted(int(counts.sum()), "missing cell")
    cells = f"{total} in {len(holed):,} of {counted(p, 'feature column')}"
    if policy == "drop_columns":
        draft.keep_features(counts == 0)
        draft.notes.append(
            f"{len(holed):,} of {counted(p, 'feature column')} dropped for their {total}."
        )
        return

    if len(empty := draft.features[counts == n]):
        raise draft.source.error(
            f"{counted(len(empty), 'column')} without a single value: {some(empty)}. Add to "
            "'ignore', or set 'missing' to drop_columns."
        )
    if policy == "error":
        j = holed[0]
        i = np.flatnonzero(np.isnan(draft.values[j]))[0]
        raise draft.source.error(
            f"{cells}, first in column '{draft.features[j]}', row '{draft.rows[i]}'. Set "
            "'missing' to drop_rows, drop_columns or impute_median, or fill them in."
        )
    if policy == "drop_rows":
        keep = ~np.isnan(draft.values[holed]).any(axis=0)
        draft.keep_rows(keep)
        draft.notes.append(
            f"{counted(int((~keep).sum()), 'row')} of {n:,} with missing cells dropped ({cells})."
        )
        return

    donors = np.full(n, True) if draft.split is None else draft.split == "train"
    barren = [j for j in holed if np.isnan(draft.values[j, donors]).all()]
    if barren:
        raise draft.source.error(
            f"{counted(len(barren), 'column')} without a value, and so without a median, in the "
            f"training rows: {some(draft.features[barren])}. Add to 'ignore', or set 'missing' to "
            "drop_columns."
        )
    for j in holed:
        values = draft.values[j]  # a view: filled in place
        missing = np.isnan(values)
        values[missing] = np.median(values[donors & ~missing])
    among = "all rows" if draft.split is None else "the training rows"
    draft.notes.append(f"{cells} filled with the column's median over {among}.")


def _settle_response(draft: Draft, policy: str, response: str) -> None:
    absent = np.isnan(draft.y)
    if not absent.any():
        return
    rows = counted(int(absent.sum()), "row")
    if policy != "drop_rows":
        raise draft.source.error(
            f"the response '{response}' is missing in {rows}: {some(draft.rows[absent])}; it is "
            "never imputed. Remove these rows, or set 'missing' to drop_rows."
        )
    draft.keep_rows(~absent)
    draft.notes.append(f"{rows} without a response dropped.")


def check_sizes(draft: Draft) -> None:
    """Check that a table is large enough to split and that its response varies.

    Raises
    ------
    InputError
        If fewer than `MIN_ROWS` rows are left, or fewer than `MIN_ROWS_PER_SET` in a set of an
        official split; or if all responses are equal, or nearly.
    """
    n = len(draft.y)
    so_far = "".join(f" ({note})" for note in draft.notes[1:])  # why there are so few
    if n < MIN_ROWS:
        raise draft.source.error(
            f"{counted(n, 'row')} left; wanted at least {MIN_ROWS}, for three sets of "
            f"{MIN_ROWS_PER_SET}.{so_far}"
        )
    for label in SETS if draft.split is not None else ():
        size = int((draft.split == label).sum())
        if size < MIN_ROWS_PER_SET:
            raise draft.source.error(
                f"{counted(size, 'row')} left in the set '{label}' of the official split; wanted "
                f"at least {MIN_ROWS_PER_SET}. For random splits set 'split' to null.{so_far}"
            )
    if draft.responses is not None:  # means of several may be equal: `several.check_responses`
        return
    if (draft.y == draft.y[0]).all():
        raise draft.source.error(
            f"the response is {draft.y[0]:g} in every row; there is nothing to predict."
        )
    if why := too_close(draft.y):
        raise draft.source.error(f"values of the response {why}")


def first_equal(vectors: Iterator[np.ndarray]) -> np.ndarray:
    """For each vector, the position of the first one that is identical.

    One pass over 128-bit digests; a collision is practically impossible.

    Parameters
    ----------
    vectors : iterator of ndarray of float
        All of the same length.

    Returns
    -------
    ndarray of int
        Its own position for a vector that differs from all before it.
    """
    seen: dict[bytes, int] = {}
    return np.array(
        [
            # Adding zero turns -0.0 into 0.0, which is equal but has other bytes.
            seen.setdefault(hashlib.blake2b(v + 0.0, digest_size=16).digest(), i)
            for i, v in enumerate(vectors)
        ],
        dtype=np.intp,
    )


def drop_idle_columns(draft: Draft) -> None:
    """Drop constant features, and those identical to an earlier one.

    Warns
    -----
    UserWarning
        If there are any; the same sentence goes to the notes.

    Raises
    ------
    InputError
        If no feature is left.
    """
    p = len(draft.features)
    constant = np.array([(row == row[0]).all() for row in draft.values], dtype=bool)
    if constant.any():
        warn(
            draft,
            f"{int(constant.sum()):,} of {counted(p, 'feature column')} dropped as constant: "
            f"{some(draft.features[constant], most=3)}.",
        )
        draft.keep_features(~constant)
    first = first_equal(iter(draft.values))
    repeats = first != np.arange(len(first))
    if repeats.any():
        j = int(np.flatnonzero(repeats)[0])
        warn(
            draft,
            f"{int(repeats.sum()):,} of {counted(p, 'feature column')} dropped as identical to an "
            f"earlier one, the first being '{draft.features[j]}' = "
            f"'{draft.features[first[j]]}'.",
        )
        draft.keep_features(~repeats)
    if not len(draft.features):
        raise draft.source.error(
            "no feature is left after dropping; wanted at least one column that varies and has "
            "no missing values."
        )


def note_split_like(draft: Draft, columns: list[str]) -> None:
    """Note the features that are named like an official split."""
    for column in columns:
        warn(
            draft,
            f"Column '{column}' is used as a feature. If it says which set a row belongs to, name "
            "it as 'split', with the labels train, public and final; or add it to 'ignore'.",
        )


def note_repeated_rows(draft: Draft) -> None:
    """Note how many rows have the same features as an earlier row; they are kept."""
    first = first_equal(_columns(draft.values))
    repeats = np.flatnonzero(first != np.arange(len(first)))
    if not len(repeats):
        return
    pairs = [f"{draft.rows[i]} = {draft.rows[first[i]]}" for i in repeats]
    note = (
        f"{counted(len(repeats), 'row')} with the same features as an earlier row, kept: "
        f"{some(pairs, most=3)}; a copy in another set reveals the response"
    )
    if draft.split is not None:
        across = int((draft.split[repeats] != draft.split[first[repeats]]).sum())
        note += f" ({across:,} of them in a different set)"
    draft.notes.append(note + ".")


def _columns(values: np.ndarray, block: int = 256) -> Iterator[np.ndarray]:
    """Yield the columns as contiguous vectors, copying block by block."""
    for start in range(0, values.shape[1], block):
        yield from np.ascontiguousarray(values[:, start : start + block].T)
