"""What a board knows between two submissions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from shakedown.compiled import kernel

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class BoardState:
    """What a board knows between two submissions; gates and releases are given it as `best`.

    Attributes
    ----------
    row : ndarray, shape (n,)
        The metric's terms of the submission in force.
    risk : float
        Its risk, infinite if there is none.
    judged : int
        Number of submissions judged so far.
    shown : float
        The risk that the board showed last; NaN if it has shown none.
    replaced : int
        Number of replacements of the best.
    replaced_at : tuple of int
        The values of `judged` at which they happened, on a board that judges one at a time.
    kept : float
        The number that such a board's gate has drawn (`gates.Gate.draw`).
    changed : int
        How often the shown risk has changed.
    files : tuple of ndarray, shape (m, n) each
        The files judged so far, on a board with a defence that `compares_files`.
    memory : object
        What the release remembers (`releases.Release.show_next`).
    account : str or None
        Who submits, where accounts that share the board are told apart.
    """

    row: np.ndarray
    risk: float
    judged: int = 0
    shown: float = np.nan
    replaced: int = 0
    replaced_at: tuple[int, ...] = ()
    kept: float = 0.0
    changed: int = 0
    files: tuple[np.ndarray, ...] = ()
    memory: Any = None
    account: str | None = None

    def after(
        self, standing: np.ndarray, shown: np.ndarray, changes: dict[str, Any]
    ) -> tuple[np.ndarray, BoardState]:
        """Which of m submissions replaced the best, bool, shape (m,), and the state after them.

        Parameters
        ----------
        standing : ndarray of int, shape (m,)
            The submission in force after each; see `gates.Gate.decide`.
        shown : ndarray, shape (m,)
            The risks shown.
        changes : dict
            Fields that follow from the submission in force and from the files.
        """
        accepted, replaced, changed = _tally(standing, shown, self.shown)
        return accepted, renewed(
            self, judged=self.judged + len(shown), replaced=self.replaced + replaced,
            changed=self.changed + changed, shown=float(shown[-1]), **changes,
        )  # fmt: skip


def renewed(record: T, **changes) -> T:
    """As `dataclasses.replace`, in a sixth of the time: boards renew a record with every batch."""
    new = object.__new__(type(record))
    new.__dict__.update(record.__dict__, **changes)
    return new


@kernel
def _tally(standing, shown, before):
    """Which of a batch replaced the best, from the submission in force after each; their number;
    and the number of shown risks that differ from the one shown before."""
    accepted = np.empty(len(shown), np.bool_)
    count = changed = 0
    for t in range(len(shown)):
        accepted[t] = standing[t] == t
        count += accepted[t]
        changed += shown[t] != before
        before = shown[t]
    return accepted, count, changed
