"""A board that judges one submission at a time, and whose state can be stored between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shakedown.leaderboard.board import Board
from shakedown.leaderboard.state import renewed

if TYPE_CHECKING:
    from shakedown.leaderboard.account import Quote
    from shakedown.leaderboard.judge import Draws


@dataclass(frozen=True)
class StoredState:
    """The state of a board as it is stored, without rows and files.

    Attributes
    ----------
    made : int
        Number of submissions, refused ones included.
    in_force : int
        Number of the submission in force, from 1; 0 for none, or for what a defence starts with.
    judged, replaced, replaced_at, kept
        As in `state.BoardState`.
    shown : float or None
        The last released score; None if there is none.
    spent : float or None
        What a metered board has spent, as in a `Quote`; None on others.
    """

    made: int = 0
    in_force: int = 0
    judged: int = 0
    replaced: int = 0
    replaced_at: tuple[int, ...] = ()
    kept: float = 0.0
    shown: float | None = None
    spent: float | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """Its fields, for JSON."""
        own = asdict(self) | {"replaced_at": list(self.replaced_at)}
        if self.spent is None:
            del own["spent"]
        return own


class JudgedFile(NamedTuple):
    """What is known of a file that a board has judged, beside the file.

    Attributes
    ----------
    number : int
        Its number among the submissions, from 1.
    account : str or None
        As for `SequentialBoard.submit_one`.
    products : ndarray or None
        `SequentialBoard.products` after it.  Without them they are computed again.
    """

    number: int
    account: str | None
    products: np.ndarray | None = None


class SequentialBoard(Board):
    """A board for submissions that come one at a time.

    Each submission has random numbers of its own, named by its number.  So what is released depends
    on nothing but the seed, the submissions and their order; no generator has to be stored.
    Parameters are those of `Board`.

    Attributes
    ----------
    in_force : int
        Number of the submission in force, from 1; 0 for none.
    products : ndarray or None
        Products of the last file with those before it that a meter keeps; None without a meter.
    error : float or None
        Standard error of the score that was shown for the last file; None without a meter.
    """

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.in_force, self.products, self.error = 0, None, None

    def submit_one(
        self, predictions: np.ndarray, account: str | None = None
    ) -> tuple[float, bool, bool]:
        """Judge one submission.

        Parameters
        ----------
        predictions : ndarray, shape (n,)
        account : str, optional
            Who submits it, where several share the board.

        Returns
        -------
        released : float
        accepted, refused : bool
            Whether it is in force now, and whether a defence refused to judge it.
        """
        batch = self.scorer.judge(predictions[None])
        memory, release, metric = self.state.memory, self.mechanism.release, self.scorer.metric
        self.products = release.products(memory, metric, predictions)
        batch.products = self.products
        self._batches += 1
        self._streams = self._streams_of(self._batches, predictions)
        self.state = renewed(self.state, account=account)
        judged = self.state.judged
        receipt = self._step(batch)
        accepted = bool(receipt.accepted[0])
        if accepted:
            self.in_force = self._batches
        now = self.state.memory
        self.error = release.shown_error(memory, now, metric, predictions, self.products)
        return float(receipt.released[0]), accepted, self.state.judged == judged

    @property
    def stored(self) -> StoredState:
        """What it remembers; give it to `restore` with the files."""
        state, shown = self.state, self.shown
        return StoredState(
            self._batches, self.in_force, state.judged, state.replaced, state.replaced_at,
            state.kept, None if np.isnan(shown) else float(shown),
            self.mechanism.release.spent(state.memory),
        )  # fmt: skip

    def restore(
        self,
        stored: StoredState,
        in_force: np.ndarray | None,
        files: np.ndarray | None = None,
        judged: Sequence[JudgedFile] = (),
    ) -> None:
        """Continue where another board stopped; this one must be new.

        Parameters
        ----------
        stored : StoredState
        in_force : ndarray, shape (n,), or None
            The submission in force, if there is one.
        files : ndarray, shape (k, n), optional
            The files judged so far, if the board `needs_files`.
        judged : sequence of JudgedFile, length k
        """
        changes: dict[str, Any] = {}
        if in_force is not None:
            row, risk = self._judge.in_force(in_force)
            changes = {"row": row, "risk": risk}
        if files is not None and len(files):
            changes["files"] = (files,)
            if self.mechanism.release.reads_files:
                changes["memory"] = self._remembered(files, judged)
        if stored.shown is not None:
            changes["shown"] = self.scorer.metric.sign * stored.shown
        self.state = renewed(
            self.state, judged=stored.judged, replaced=stored.replaced,
            replaced_at=tuple(stored.replaced_at), kept=stored.kept, **changes,
        )  # fmt: skip
        self._batches, self.in_force = stored.made, stored.in_force

    def _remembered(self, files: np.ndarray, judged: Sequence[JudgedFile]) -> Any:
        """What the release remembers of judged files: they are judged again, noise and all."""
        state = self.state
        for file, known in zip(files, judged, strict=True):
            batch, state = self.scorer.judge(file[None]), renewed(state, account=known.account)
            batch.products = known.products
            _, state = self._judge.step(state, batch, self._streams_of(known.number, file))
        return state.memory

    def _streams_of(self, number: int, predictions: np.ndarray) -> Draws:
        """The random numbers of a submission, shape (n,).

        Where answers follow from files they are those of the file, too: a board that is put back to
        a backup would answer another file with this number, and the same noise taken off both.
        """
        if not self.mechanism.release.reads_files:
            return self._named_streams(number)
        content = np.ascontiguousarray(predictions, float).tobytes()
        return self._named_streams(number, blake2b(content, digest_size=16).hexdigest())

    def quote(self, predictions: np.ndarray, account: str | None = None) -> Quote | None:
        """What predictions, shape (n,), would cost and tell now; None where files have no price."""
        metric, release = self.scorer.metric, self.mechanism.release
        return release.quote(self.state.memory, metric, predictions, account)

    def known(self, files: np.ndarray) -> np.ndarray | None:
        """What the board knows of the scores of files, shape (k, n), by all answers so far."""
        metric = self.scorer.metric
        risks = self.mechanism.release.known(self.state.memory, metric, files)
        return None if risks is None else metric.sign * risks

    def errors(self, files: np.ndarray) -> np.ndarray | None:
        """The standard errors of what is `known`."""
        return self.mechanism.release.errors(self.state.memory, self.scorer.metric, files)

    @property
    def needs_files(self) -> bool:
        """Whether `restore` needs the files judged so far."""
        mechanism = self.mechanism
        compares = any(defence.compares_files for defence in mechanism.every_defence)
        return compares or mechanism.release.reads_files
