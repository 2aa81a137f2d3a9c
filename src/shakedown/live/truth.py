"""The truth of a challenge: the true response of each row, and which rows are public."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shakedown.interface import LARGEST, InputError
from shakedown.wording import some

#: Fewest rows of the public and of the final set.
FEWEST = 3


@dataclass(frozen=True, eq=False)
class Truth:
    """The truth, in the order of its file.

    Attributes
    ----------
    ids : tuple of str, length n
    values : ndarray of float, shape (n,)
    public : ndarray of bool, shape (n,)
        The rows that the board scores; the others are the final ones.
    """

    ids: tuple[str, ...]
    values: np.ndarray
    public: np.ndarray

    @classmethod
    def of(cls, ids: Sequence[object], values: Sequence[float], public: Sequence[bool]) -> Truth:
        """Checked truth.

        Raises
        ------
        InputError
            If ids are missing or repeated, a value is not finite or too large, or a set has too few
            rows.
        """
        names = tuple(str(name) for name in ids)
        numbers, is_public = np.asarray(values, float), np.asarray(public, bool)
        if len({len(names), len(numbers), len(is_public)}) != 1:
            raise InputError(
                f"truth: wanted as many values and sets as ids; got {len(names)} ids, "
                f"{len(numbers)} values and {len(is_public)} sets."
            )
        if "" in names:
            raise InputError(f"truth: row {names.index('') + 1} has no id. Give every row one.")
        if len(set(names)) < len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise InputError(f"truth: wanted each id once; repeated: {some(twice)}.")
        if bad := [n for n, v in zip(names, numbers, strict=True) if not abs(v) <= LARGEST]:
            raise InputError(
                f"truth: wanted a number up to {LARGEST:g} in size in every row; not so in "
                f"{some(bad)}. Correct them, or leave these rows out."
            )
        for part, count in (("public", is_public.sum()), ("final", (~is_public).sum())):
            if count < FEWEST:
                raise InputError(
                    f"truth: wanted at least {FEWEST} {part} rows; got {count}. Mark each row as "
                    "public or final."
                )
        return cls(names, numbers, is_public)

    @property
    def content(self) -> bytes:
        """All of it, as stored."""
        fields = {
            "ids": self.ids,
            "values": [float(v) for v in self.values],
            "public": [bool(v) for v in self.public],
        }
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def stored(cls, content: bytes) -> Truth:
        """The truth of `content`."""
        fields = json.loads(content)
        return cls(tuple(fields["ids"]), np.array(fields["values"]), np.array(fields["public"]))

    @cached_property
    def place(self) -> dict[str, int]:
        """The position of each id."""
        return {name: k for k, name in enumerate(self.ids)}


def sha256(content: bytes) -> str:
    """The SHA-256 of a content, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
