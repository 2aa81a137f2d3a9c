"""A board that judges one submission at a time, and whose state can be stored between them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from shakedown.interface import Receipt
from shakedown.leaderboard.board import Board


@dataclass(frozen=True)
class BoardState:
    """What a board remembers between two submissions, without the files.

    Attributes
    ----------
    made : int
        Number of submissions, refused ones included.
    in_force : int
        Number of the submission in force, from 1; 0 for none, or for what a defence starts with.
    judged, replaced, replaced_at, kept
        As in `scorer.Incumbent`.
    shown : float or None
        The last released score; None if there is none.
    """

    made: int = 0
    in_force: int = 0
    judged: int = 0
    replaced: int = 0
    replaced_at: tuple[int, ...] = ()
    kept: float = 0.0
    shown: float | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """Its fields, for JSON."""
        return asdict(self) | {"replaced_at": list(self.replaced_at)}


class SequentialBoard(Board):
    """A board for submissions that come one at a time.

    Each submission has random numbers of its own, named by its number.  So what is released depends
    on nothing but the seed, the submissions and their order; no generator has to be stored.
    Parameters are those of `Board`.
    """

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self._in_force = 0

    def submit_one(self, predictions: np.ndarray) -> tuple[float, bool, bool]:
        """Judge one submission.

        Parameters
        ----------
        predictions : ndarray, shape (n,)

        Returns
        -------
        released : float
        accepted, refused : bool
            Whether it is in force now, and whether a defence refused to judge it.
        """
        batch = self._scored(predictions[None])
        self._batches += 1
        self._draw_anew()
        judged = self.best.judged
        receipt: Receipt = self._submitted(batch, predictions[None])
        accepted = bool(receipt.accepted[0])
        if accepted:
            self._in_force = self._batches
        return float(receipt.released[0]), accepted, self.best.judged == judged

    def _draw_anew(self) -> None:
        """The random numbers of the next submission."""
        number, mechanism = self._batches, self.mechanism
        if self._gate_stream is not None:
            self._gate_stream = self._rng_factory("gate", mechanism.gate_id, self._number, number)
        if mechanism.is_noisy:
            axes = "release", mechanism.setting, self._number, number
            self._release_rng = self._rng_factory(*axes)

    @property
    def in_force(self) -> int:
        """Number of the submission in force, from 1; 0 for none."""
        return self._in_force

    @property
    def state(self) -> BoardState:
        """What it remembers; give it to `restore` with the files."""
        best = self.best
        return BoardState(
            self._batches, self._in_force, best.judged, best.replaced, best.replaced_at, best.kept,
            None if np.isnan(self.shown) else float(self.shown),
        )  # fmt: skip

    def restore(
        self, state: BoardState, in_force: np.ndarray | None, files: np.ndarray | None = None
    ) -> None:
        """Continue where another board stopped; this one must be new.

        Parameters
        ----------
        state : BoardState
        in_force : ndarray, shape (n,), or None
            The submission in force, if there is one.
        files : ndarray, shape (k, n), optional
            The files judged so far, if a defence `compares_files`.
        """
        if in_force is not None:
            first = self._scored(in_force[None])
            self.best = replace(self.best, row=first.rows[0].copy(), risk=float(first.risks[0]))
        self.best = replace(
            self.best, judged=state.judged, replaced=state.replaced,
            replaced_at=tuple(state.replaced_at), kept=state.kept,
        )  # fmt: skip
        self._batches, self._in_force = state.made, state.in_force
        if files is not None and len(files):
            self._files = [files]
        if state.shown is not None:
            self._shows(state.shown)

    @property
    def compares_files(self) -> bool:
        """Whether `restore` needs the files judged so far."""
        return any(rule.compares_files for rule in self.mechanism.rules)
