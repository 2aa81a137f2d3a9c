"""The truth of a challenge: the true response of each row, and which rows are public."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shakedown.data.censored import check_pairs
from shakedown.data.grouped import from_zero
from shakedown.data.horizons import cut, names_of
from shakedown.interface import LARGEST, Cells, InputError
from shakedown.wording import some

#: Fewest rows of the public and of the final set.
FEWEST = 3
#: Names that a response may not have: a submission's column of ids, and the two others of a long
#: file, if they are all the responses.
_IDS, _LONG = "id", {"target", "prediction"}


class RowGroups(NamedTuple):
    """Rows that belong together, by a column of the table.

    Attributes
    ----------
    name : str
        Of the column.
    codes : ndarray of int, shape (n,)
    """

    name: str
    codes: np.ndarray


class TruthSet(NamedTuple):
    """What the board scores in one set: rows, or with several responses cells whose truth is known.

    Attributes
    ----------
    at : ndarray of int, shape (m,)
        Where their predictions stand in a submission.
    y : ndarray of float, shape (m,)
    cells : Cells or None
        None with one response.
    groups : ndarray of int, shape (m,), or None
        Which belong together, from 0: cells of a row, or of a group of rows.  None: all are
        independent.
    weights : ndarray of float, shape (m,), or None
        Of the cells of times that are cut at horizons; None if all count the same.
    """

    at: np.ndarray
    y: np.ndarray
    cells: Cells | None
    groups: np.ndarray | None
    weights: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Truth:
    """The truth, in the order of its file.

    Attributes
    ----------
    ids : tuple of str, length n
    values : ndarray of float, shape (n,) or (n, q)
        With q responses, NaN where a value is missing.
    public : ndarray of bool, shape (n,)
        The rows that the board scores; the others are the final ones.
    responses : tuple of str, length q
        Names of several responses; empty for one.
    group : RowGroups or None
        None if all rows are independent.
    classes : tuple of str
        Names of the classes, which are 0, 1, ... in `values`; empty if they have none.
    censored : bool
        Whether the values are times: t for an event, and -t for a row that was censored then.
    horizons : tuple of float
        If times are cut at horizons, these; the values are then 1 for an event up to each, 0 for a
        row observed beyond it and NaN if it is not known, and `responses` are named like them.
    times : ndarray of float, shape (n,), or None
        The times that were cut, with the signs of their events.
    """

    ids: tuple[str, ...]
    values: np.ndarray
    public: np.ndarray
    responses: tuple[str, ...] = ()
    group: RowGroups | None = None
    classes: tuple[str, ...] = ()
    censored: bool = False
    horizons: tuple[float, ...] = ()
    times: np.ndarray | None = None

    @classmethod
    def of(
        cls, ids: Sequence[object], values: Sequence, public: Sequence[bool],
        responses: Sequence[str] = (), group: RowGroups | None = None,
        classes: Sequence[str] = (), censored: bool = False, all_final: bool = False,
        horizons: Sequence[float] = (),
    ) -> Truth:  # fmt: skip
        """Checked truth; with `all_final` there need not be a public row.

        With `horizons` the values are signed times, which are cut there.

        Raises
        ------
        InputError
            If ids are missing or repeated, a value is not finite or too large, a set has too few
            rows, a response cannot be scored in a set, or the sets cut a group.
        """
        names = tuple(str(name) for name in ids)
        numbers, is_public = np.asarray(values, float), np.asarray(public, bool)
        responses = tuple(map(str, responses))
        if len({len(names), len(numbers), len(is_public)}) != 1:
            raise InputError(
                f"truth: wanted as many values and sets as ids; got {len(names)} ids, "
                f"{len(numbers)} values and {len(is_public)} sets."
            )
        if "" in names:
            raise InputError(f"truth: row {names.index('') + 1} has no id. Give every row one.")
        if len(set(names)) < len(names):
            twice = sorted(name for name, count in Counter(names).items() if count > 1)
            raise InputError(f"truth: wanted each id once; repeated: {some(twice)}.")
        wrong = ~(np.abs(numbers) <= LARGEST)
        if responses:
            _check_responses(numbers, responses)
            wrong = (wrong & ~np.isnan(numbers)).any(axis=1)
        if wrong.any():
            bad = [name for name, is_wrong in zip(names, wrong, strict=True) if is_wrong]
            raise InputError(
                f"truth: wanted a number up to {LARGEST:g} in size in every row; not so in "
                f"{some(bad)}. Correct them, or leave these rows out."
            )
        scored = ~np.isnan(numbers).reshape(len(names), -1).all(axis=1)
        parts = {} if all_final and not is_public.any() else {"public": is_public}
        for part, of_part in (parts | {"final": ~is_public}).items():
            if (count := int((of_part & scored).sum())) < FEWEST:
                raise InputError(
                    f"truth: wanted at least {FEWEST} {part} rows; got {count}. Mark each row as "
                    "public or final."
                )
            if responses:
                _check_scored(numbers[of_part], responses, part)
            if censored:
                check_pairs(numbers[of_part], f"truth, {part} rows")
        if group is not None:
            check_uncut(names, is_public, group)
        truth = cls(names, numbers, is_public, responses, group, tuple(classes), censored)
        return truth._cut(tuple(map(float, horizons))) if horizons else truth

    def _cut(self, horizons: tuple[float, ...]) -> Truth:
        """The same truth, whose times are cut at horizons."""
        labels, responses = cut(self.values, horizons).labels.T, names_of(horizons)
        for part, of_part in (("public", self.public), ("final", ~self.public)):
            if of_part.any():
                _check_scored(labels[of_part], responses, part)
        return replace(
            self, values=labels, responses=responses, censored=False, horizons=horizons,
            times=self.values,
        )  # fmt: skip

    @property
    def content(self) -> bytes:
        """All of it, as stored; of times that are cut, these and the horizons."""
        numbers = self.values if self.times is None else self.times
        fields: dict = {
            "ids": self.ids,
            "values": np.where(np.isnan(numbers), None, numbers.astype(object)).tolist(),
            "public": [bool(v) for v in self.public],
        }
        if self.horizons:
            fields["horizons"] = self.horizons
        elif self.responses:
            fields["responses"] = self.responses
        if self.group is not None:
            fields["group"] = {"name": self.group.name, "codes": self.group.codes.tolist()}
        if self.classes:
            fields["classes"] = self.classes
        if self.censored:
            fields["censored"] = True
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def stored(cls, content: bytes) -> Truth:
        """The truth of `content`."""
        fields = json.loads(content)
        group = fields.get("group")
        truth = cls(
            tuple(fields["ids"]), np.array(fields["values"], float), np.array(fields["public"]),
            tuple(fields.get("responses", ())),
            None if group is None else RowGroups(group["name"], np.array(group["codes"], int)),
            tuple(fields.get("classes", ())), fields.get("censored", False),
        )  # fmt: skip
        horizons = tuple(map(float, fields.get("horizons", ())))
        return truth._cut(horizons) if horizons else truth

    @cached_property
    def weights(self) -> np.ndarray | None:
        """Of all cells, shape (n, q), if times are cut at horizons."""
        return cut(self.times, self.horizons).weights.T if self.horizons else None

    @cached_property
    def place(self) -> dict[str, int]:
        """The position of each id."""
        return {name: k for k, name in enumerate(self.ids)}

    @property
    def asked(self) -> int:
        """How many predictions a submission has: one for each row and response, row by row.

        Those whose true value is missing are asked for, too: which ones these are is secret.
        """
        return len(self.ids) * max(len(self.responses), 1)

    @property
    def is_alike(self) -> bool:
        """Whether cells of a row, or rows of a group, belong together."""
        return bool(self.responses) or self.group is not None

    def part(self, public: bool) -> TruthSet:
        """The public or the final set."""
        rows, q = np.flatnonzero(self.public == public), len(self.responses)
        of_row, at, cells = np.arange(len(rows)), rows, None
        if q:
            of_row, response = np.nonzero(~np.isnan(self.values[rows]))
            at = rows[of_row] * q + response
            cells = Cells(self.responses, response, from_zero(of_row))
        groups = None
        if self.group is not None:
            groups = from_zero(self.group.codes[rows[of_row]])
        elif cells is not None:
            groups = cells.rows
        y = np.ascontiguousarray(self.values.ravel()[at])
        weights = None if self.weights is None else self.weights.ravel()[at]
        return TruthSet(at, y, cells, groups, weights)


def _check_responses(values: np.ndarray, responses: tuple[str, ...]) -> None:
    """Check names of several responses, and the shape of their values."""
    if values.ndim != 2 or values.shape[1] != len(responses):
        raise InputError(
            f"truth: wanted a value of each of {len(responses)} responses for each id; got an "
            f"array of shape {values.shape}."
        )
    if len(set(responses)) < len(responses) or "" in responses:
        raise InputError(f"truth: wanted each response named once; got {some(responses)}.")
    lower = {name.lower() for name in responses}
    if lower == _LONG or _IDS in lower:
        taken = " and ".join(f"'{name}'" for name in responses if name.lower() in {*_LONG, _IDS})
        raise InputError(
            f"truth: responses are called {taken}, which name other columns of a submission. "
            "Rename them."
        )


def _check_scored(values: np.ndarray, responses: tuple[str, ...], part: str) -> None:
    """Check that each response differs between the rows of a set, shape (m, q)."""
    for name, column in zip(responses, values.T, strict=True):
        given = column[~np.isnan(column)]
        if len(given) < 2 or given.min() == given.max():
            got = f"{given[0]:g} in all of them" if len(given) else "no value there"
            raise InputError(
                f"truth: the response '{name}' wanted two or more different values in the {part} "
                f"rows; it has {got}. Leave the response out, or choose other {part} rows."
            )


def check_uncut(ids: Sequence[str], sets: np.ndarray, group: RowGroups) -> None:
    """Check that all rows of a group are in one set; `sets` has shape (n,).

    Raises
    ------
    InputError
        If a group is cut.
    """
    pairs = np.unique(np.column_stack([group.codes, from_zero(sets)]), axis=0)
    codes, counts = np.unique(pairs[:, 0], return_counts=True)
    if len(cut := codes[counts > 1]):
        rows = [ids[k] for k in np.flatnonzero(group.codes == cut[0])]
        raise InputError(
            f"truth: wanted the rows of each group of '{group.name}' in one set; "
            f"{len(cut):,} of them are cut, such as rows {some(rows)}. Move them to one set: the "
            "public rows of a group tell much about its final ones."
        )


def sha256(content: bytes) -> str:
    """The SHA-256 of a content, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
