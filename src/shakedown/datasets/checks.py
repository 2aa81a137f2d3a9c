"""What a table of numbers must be like, and what is done about it where it is not.

Each function does one thing to a `Draft`, says so in its notes, or raises.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from shakedown.datasets.layout import Source, some

#: Fewest rows in all, and in each set of an official split.
MIN_ROWS = 30
MIN_ROWS_PER_SET = 10
SETS = ("train", "public", "final")
_LABELS = {**{label: label for label in SETS}, "leaderboard": "public", "test": "final"}
#: What can be done about missing values.
POLICIES = ("error", "drop_rows", "drop_columns", "impute_median")


@dataclass
class Draft:
    """A table on its way to become a challenge.

    Attributes
    ----------
    source : Source
    values : ndarray of float, shape (p, n), C order
        A row for each feature: so that a feature is contiguous.
    y : ndarray of float, shape (n,)
    rows : ndarray of str, shape (n,)
        Ids; numbers from 1 where the table has none.
    features : ndarray of str, shape (p,)
    split : ndarray of str, shape (n,), or None
    notes : list of str
    """

    source: Source
    values: np.ndarray
    y: np.ndarray
    rows: np.ndarray
    features: np.ndarray
    split: np.ndarray | None
    notes: list[str] = field(default_factory=list)

    def keep_rows(self, keep: np.ndarray) -> None:
        """Keep the rows where `keep`, shape (n,), is true."""
        self.values = np.ascontiguousarray(self.values[:, keep])
        self.y, self.rows = self.y[keep], self.rows[keep]
        if self.split is not None:
            self.split = self.split[keep]

    def keep_features(self, keep: np.ndarray) -> None:
        """Keep the features where `keep`, shape (p,), is true."""
        positions = np.flatnonzero(keep)
        # In place, as the table may be large; a feature never moves over one still to move.
        for to, at in enumerate(positions):
            if to != at:
                self.values[to] = self.values[at]
        self.values = self.values[: len(positions)]
        self.features = self.features[keep]


def count(number: int, thing: str) -> str:
    """Say how many: '1 row', '2 rows'."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def drop_blank_rows(draft: Draft, ids: list[str] | None) -> None:
    """Leave out rows in which nothing stands, as spreadsheets append them."""
    blank = np.isnan(draft.y)
    if ids is not None:
        blank &= np.array([not text for text in ids])
    if draft.split is not None:
        blank &= draft.split == ""
    for i in np.flatnonzero(blank):
        blank[i] = np.isnan(draft.values[:, i]).all()
    if blank.any():
        draft.keep_rows(~blank)
        draft.notes.append(f"{count(int(blank.sum()), 'empty row')} left out.")
    if not len(draft.y):
        raise draft.source.error("has a header but no rows that hold anything.")


def check_ids(draft: Draft, column: str) -> None:
    """Refuse missing and repeated ids.

    Raises
    ------
    InputError
        If an id is missing or stands twice.
    """
    empty = np.flatnonzero(draft.rows == "")
    if len(empty):
        raise draft.source.error(
            f"column '{column}' has no id in {count(len(empty), 'row')} (row {empty[0] + 1} is "
            "the first); give every row an id, or set 'id' to null to number them."
        )
    ids, counts = np.unique(draft.rows, return_counts=True)
    repeated = ids[counts > 1]
    if len(repeated):
        raise draft.source.error(
            f"column '{column}' has {count(len(repeated), 'id')} more than once: "
            f"{some(repeated)}; every row needs its own id."
        )


def check_finite(draft: Draft, response: str) -> None:
    """Refuse infinite cells.

    Raises
    ------
    InputError
        If a feature or the response is infinite somewhere.
    """
    total, first = 0, ""
    named = [(response, draft.y), *zip(draft.features, draft.values, strict=True)]
    for column, values in named:
        infinite = np.flatnonzero(np.isinf(values))
        total += len(infinite)
        if len(infinite) and not first:
            first = f"column '{column}', row '{draft.rows[infinite[0]]}'"
    if total:
        more = f" ({total:,} such cells in all)" if total > 1 else ""
        raise draft.source.error(
            f"{first} is infinite{more}; correct it, or leave it empty if missing."
        )


def check_labels(draft: Draft, column: str) -> None:
    """Bring the labels of the official split to train, public and final.

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
            f"column '{column}' has {count(len(unknown), 'row')} with a label other than train, "
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
    """Do about missing values what `policy` says, and note it.

    Parameters
    ----------
    draft : Draft
        The table; the response may be missing as well, but is never imputed.
    policy : str
        One of `POLICIES`.  Medians are those of the training rows where there is an official
        split, of all rows else.
    response : str
        Name of the response, for the message.

    Raises
    ------
    InputError
        If the policy is "error" and a value is missing; if a response is missing and the policy
        is not "drop_rows"; or if a column has no value at all (to take the median of).
    """
    _settle_response(draft, policy, response)
    counts = np.array([np.isnan(values).sum() for values in draft.values])
    holed = np.flatnonzero(counts)  # positions of the features with missing cells
    if not len(holed):
        return
    p, n = draft.values.shape
    total = count(int(counts.sum()), "missing cell")
    cells = f"{total} in {len(holed):,} of {count(p, 'feature column')}"
    if policy == "drop_columns":
        draft.keep_features(counts == 0)
        draft.notes.append(
            f"{len(holed):,} of {count(p, 'feature column')} dropped for their {total}."
        )
        return

    empty = draft.features[counts == n]
    if len(empty):
        raise draft.source.error(
            f"{count(len(empty), 'column')} without a single value: {some(empty)}; put into "
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
            f"{count(int((~keep).sum()), 'row')} of {n:,} with missing cells dropped ({cells})."
        )
        return

    donors = np.full(n, True) if draft.split is None else draft.split == "train"
    barren = [j for j in holed if np.isnan(draft.values[j, donors]).all()]
    if barren:
        raise draft.source.error(
            f"{count(len(barren), 'column')} without a value among the training rows, so without "
            f"a median: {some(draft.features[barren])}; put into 'ignore', or set 'missing' to "
            "drop_columns."
        )
    for j in holed:
        values = draft.values[j]  # a view: filled in place
        values[np.isnan(values)] = np.nanmedian(values[donors])
    among = "all rows" if draft.split is None else "the training rows"
    draft.notes.append(f"{cells} filled with the column's median over {among}.")


def _settle_response(draft: Draft, policy: str, response: str) -> None:
    absent = np.isnan(draft.y)
    if not absent.any():
        return
    rows = count(int(absent.sum()), "row")
    if policy != "drop_rows":
        raise draft.source.error(
            f"the response '{response}' is missing in {rows}: {some(draft.rows[absent])}; it is "
            "never imputed. Remove these rows, or set 'missing' to drop_rows."
        )
    draft.keep_rows(~absent)
    draft.notes.append(f"{rows} without a response dropped.")


def check_sizes(draft: Draft) -> None:
    """Refuse tables that are too small to split, or whose response does not vary.

    Raises
    ------
    InputError
        If fewer than `MIN_ROWS` rows are left, or `MIN_ROWS_PER_SET` in one set of an official
        split; or if all responses are the same.
    """
    n = len(draft.y)
    so_far = "".join(f" ({note})" for note in draft.notes[1:])  # why there are so few
    if n < MIN_ROWS:
        raise draft.source.error(
            f"{count(n, 'row')} left; wanted at least {MIN_ROWS}, for three sets of "
            f"{MIN_ROWS_PER_SET}.{so_far}"
        )
    for label in SETS if draft.split is not None else ():
        size = int((draft.split == label).sum())
        if size < MIN_ROWS_PER_SET:
            raise draft.source.error(
                f"{count(size, 'row')} left in the set '{label}' of the official split; wanted "
                f"at least {MIN_ROWS_PER_SET}. For random splits set 'split' to null.{so_far}"
            )
    if (draft.y == draft.y[0]).all():
        raise draft.source.error(
            f"the response is {draft.y[0]:g} in every row; there is nothing to predict."
        )


def constant_columns(values: np.ndarray) -> np.ndarray:
    """Tell which features are the same in all rows.

    Parameters
    ----------
    values : ndarray of float, shape (p, n)

    Returns
    -------
    ndarray of bool, shape (p,)
    """
    return np.array([(row == row[0]).all() for row in values], dtype=bool)


def first_equal(vectors: Iterator[np.ndarray]) -> np.ndarray:
    """Tell for each vector the position of the first one that is identical to it.

    One pass, by hash: equal 128-bit digests of different vectors do not happen by chance.

    Parameters
    ----------
    vectors : iterator of ndarray of float
        All of one length.

    Returns
    -------
    ndarray of int
        Its own position where a vector is the first of its kind.
    """
    seen: dict[bytes, int] = {}
    return np.array(
        [
            # Adding zero turns -0.0 into 0.0, which is equal to it but has other bytes.
            seen.setdefault(hashlib.blake2b(v + 0.0, digest_size=16).digest(), i)
            for i, v in enumerate(vectors)
        ],
        dtype=np.intp,
    )


def drop_idle_columns(draft: Draft) -> None:
    """Leave out features that say nothing: constant ones, and repetitions of an earlier one.

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
    constant = constant_columns(draft.values)
    if constant.any():
        _warn(
            draft,
            f"{int(constant.sum()):,} of {count(p, 'feature column')} dropped as constant: "
            f"{some(draft.features[constant], most=3)}.",
        )
        draft.keep_features(~constant)
    first = first_equal(iter(draft.values))
    repeats = first != np.arange(len(first))
    if repeats.any():
        j = int(np.flatnonzero(repeats)[0])
        _warn(
            draft,
            f"{int(repeats.sum()):,} of {count(p, 'feature column')} dropped as identical to an "
            f"earlier one, the first being '{draft.features[j]}' = "
            f"'{draft.features[first[j]]}'.",
        )
        draft.keep_features(~repeats)
    if not len(draft.features):
        raise draft.source.error(
            "no feature is left after dropping; wanted at least one column that varies and has "
            "no missing cells."
        )


def note_repeated_rows(draft: Draft) -> None:
    """Say how many rows have the very features of an earlier row; they stay."""
    first = first_equal(_columns(draft.values))
    repeats = np.flatnonzero(first != np.arange(len(first)))
    if not len(repeats):
        return
    pairs = [f"{draft.rows[i]} = {draft.rows[first[i]]}" for i in repeats]
    note = (
        f"{count(len(repeats), 'row')} with the same features as an earlier row, kept: "
        f"{some(pairs, most=3)}; a twin in another set gives its response away"
    )
    if draft.split is not None:
        across = int((draft.split[repeats] != draft.split[first[repeats]]).sum())
        note += f" ({across:,} in another set than the first)"
    draft.notes.append(note + ".")


def _columns(values: np.ndarray, block: int = 256) -> Iterator[np.ndarray]:
    """Yield the columns as contiguous vectors, copying a block of them at a time."""
    for start in range(0, values.shape[1], block):
        yield from np.ascontiguousarray(values[:, start : start + block].T)


def _warn(draft: Draft, sentence: str) -> None:
    draft.notes.append(sentence)
    warnings.warn(f"Data set {draft.source.name}: {sentence}", UserWarning, stacklevel=2)
