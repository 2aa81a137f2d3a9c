"""The leaderboard of one participant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shakedown.interface import InputError
from shakedown.leaderboard.hill_climb import Climbed
from shakedown.leaderboard.judge import Draws, Judge
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import ScoredSubmissions, Scorer
from shakedown.leaderboard.state import BoardState, renewed
from shakedown.terms import Receipt


@dataclass
class Counts:
    """Numbers of submissions.

    Attributes
    ----------
    submissions, accepted, changed : int
        Numbers of all submissions so far, of those that replaced the best, and of those that
        changed the released score.  The last two can differ: a mechanism that compares with a best
        that is rounded up can accept the same submission twice.
    """

    submissions: int = 0
    accepted: int = 0
    changed: int = 0

    def add(self, submissions: int, accepted: int, changed: int) -> None:
        """Add numbers."""
        self.submissions += submissions
        self.accepted += accepted
        self.changed += changed

    def copy(self) -> Counts:
        """The present numbers, which do not change any more."""
        return renewed(self)


class Board:
    """The leaderboard of one participant.

    Parameters
    ----------
    scorer : Scorer
    mechanism : Mechanism
    rng_factory : callable
        ``rng_factory(*axes) -> Generator``: named streams of random numbers.  The name of a gate's
        stream does not contain the release, so mechanisms with the same gate decide alike.
    number : int
        Number of this board among the participant's boards (1, 2, ...); part of the stream names.
    counts : Counts, optional
        Counters, which the boards of one participant share.
    judge : Judge, optional
        That of other boards with this scorer and mechanism; it is made if it is not given.

    Attributes
    ----------
    counts : Counts
    state : BoardState

    Examples
    --------
    A board that shows a score only if the file is better than the best so far by a step:

    >>> import numpy as np
    >>> import shakedown
    >>> y = np.array([0.2, 1.4, 2.5, 0.1, 1.9, 2.2])
    >>> board = shakedown.Board(
    ...     shakedown.Scorer(shakedown.find_metric("rmse"), y),
    ...     shakedown.mechanism("general_ladder", eta=0.25),
    ...     lambda *axes: shakedown.stream(1, *axes),
    ... )
    >>> receipt = board.submit(np.array([y + 1.0, y + 0.9, y + 0.4]))
    >>> receipt.released
    array([1. , 1. , 0.5])
    >>> receipt.accepted
    array([ True, False,  True])
    """

    def __init__(
        self,
        scorer: Scorer,
        mechanism: Mechanism,
        rng_factory: Callable[..., np.random.Generator],
        number: int = 1,
        counts: Counts | None = None,
        judge: Judge | None = None,
    ) -> None:
        self.scorer, self.mechanism = scorer, mechanism
        self.counts = Counts() if counts is None else counts
        self._judge = Judge(mechanism, scorer) if judge is None else judge
        # Other gates draw nothing, or from one stream.
        self._draws_batches = mechanism.gate.draws_weights and not mechanism.gate.one_by_one
        self._rng_factory, self._number, self._batches = rng_factory, number, 0
        self._streams = self._named_streams()
        self.state: BoardState = self._judge.start(self._streams)

    def _named_streams(self, *axes: int | str) -> Draws:
        """The board's random numbers: those of a gate with one stream, and of the release."""
        mechanism, gate, release = self.mechanism, None, None
        if mechanism.gate.one_by_one:
            gate = self._rng_factory("gate", mechanism.gate_id, self._number, *axes)
        if mechanism.is_noisy:
            release = self._rng_factory("release", mechanism.setting, self._number, *axes)
        return Draws(gate, release)

    @property
    def shown(self) -> float:
        """The last released score; NaN before the first submission, unless a defence starts it."""
        return self.scorer.metric.sign * self.state.shown

    def submit(self, predictions: np.ndarray) -> Receipt:
        """Judge submissions in order, and release a score after each.

        A refused file counts as a submission.  It is not judged, and the last score is shown again.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)
        """
        batch = self.scorer.judge(predictions)
        self._batches += 1
        return self._step(batch)

    def submit_opening(self) -> Receipt:
        """Submit the scorer's opening; it must come first, unless accounts share the board.

        Raises
        ------
        InputError
            If there is no opening, or the board has already judged submissions.
        """
        opening, late = self.scorer.opening, self._batches and not self.mechanism.one_board
        if opening is None or late:
            got = "none" if opening is None else "one after other submissions"
            raise InputError(
                "opening: wanted one that the attack has prepared, as the first batch of a board; "
                f"got {got}. Give the attack an `opening`, and use `submit` for later batches."
            )
        self._batches += 1
        standing = None
        if self._batches == 1:
            standing = self._judge.decide_opening(self.state, self._number, self._gate_rng)
        return self._step(opening, standing)

    def _step(self, batch: ScoredSubmissions, standing: np.ndarray | None = None) -> Receipt:
        draws = self._streams
        if standing is None and self._draws_batches:
            draws = self._draws()
        receipt, after = self._judge.step(self.state, batch, draws, standing=standing)
        self._take(after, len(receipt.released))
        return receipt

    def _take(self, after: BoardState, submissions: int) -> None:
        """Go on from the state after so many submissions."""
        before, self.state = self.state, after
        replaced = after.replaced - before.replaced
        self.counts.add(submissions, replaced, after.changed - before.changed)

    def submit_each(self, predictions: np.ndarray) -> Receipt:
        """Judge submissions, each as the first of a new account.

        The result is that of m new boards.  This board must be new; it counts the submissions of
        all of them.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)
        """
        batch, gate = self.scorer.judge(predictions), self.mechanism.gate
        self._batches += 1
        draws, parts = self._draws(), [batch]
        if gate.one_by_one:  # each board draws its own number
            parts = [batch.part(slice(t, t + 1)) for t in range(len(predictions))]
        receipts = []
        for part in parts:
            new = self.state
            if gate.one_by_one:
                new = renewed(new, kept=gate.draw(draws.gate))
            receipts.append(self._judge.step(new, part, draws, chain=False)[0])
        shown, accepted = map(np.concatenate, zip(*receipts, strict=True))
        # A board that has shown nothing shows nothing new for a refused file.
        changed = np.count_nonzero((shown != self.shown) & ~np.isnan(shown))
        self.counts.add(len(shown), int(accepted.sum()), changed)
        return Receipt(shown, accepted)

    def climb(self, labels: np.ndarray, moves: np.ndarray, lowest: float) -> Climbed:
        """Judge small changes of one submission of labels, one after another.

        Submission t is `labels` with the labels at moves[t] flipped.  The change is kept if the
        score released after it is below `lowest` and below all scores released in this climb.  The
        participant sees the same as with single submissions.

        Parameters
        ----------
        labels : ndarray, shape (n,)
            0 and 1; changed in place to the labels at the end of the climb.
        moves : ndarray of int, shape (m, size)
            Positions, all different within a row; -1 for none.
        lowest : float
            The lowest score released to the participant so far, or infinity.

        Returns
        -------
        Climbed
        """
        result = self._judge.climb(self.state, labels, moves, lowest)
        if result is None:
            return self._climb_one_by_one(labels, moves, lowest)
        climbed, after = result
        self._batches += 1
        self._take(after, len(moves))
        return climbed

    def _climb_one_by_one(self, labels, moves, lowest) -> Climbed:
        """`climb` for any mechanism, one submission at a time."""
        m = len(moves)
        climbed = Climbed(np.empty(m), np.zeros(m, bool), np.zeros(m, bool), np.empty(m, int))
        for t, positions in enumerate(moves):
            positions = positions[positions >= 0]
            changed = labels.copy()
            changed[positions] = 1.0 - changed[positions]
            (climbed.shown[t],), (climbed.accepted[t],) = self.submit(changed[None])
            climbed.ones[t] = np.count_nonzero(changed)
            if climbed.shown[t] < lowest:
                lowest, climbed.kept[t] = climbed.shown[t], True
                labels[:] = changed
        return climbed

    def preview(self, batch: ScoredSubmissions, state: BoardState | None = None) -> np.ndarray:
        """The released score of each submission if it were the next one; the board is unchanged.

        Parameters
        ----------
        batch : ScoredSubmissions
            m submissions, as the scorer judges them.
        state : BoardState, optional
            The state before; by default the board's.

        Returns
        -------
        ndarray, shape (m,)
        """
        rng = None
        if self.mechanism.is_random:
            rng = self._rng_factory("preview", self.mechanism.setting, self._number, self._batches)
        state = self.state if state is None else state
        return self._judge.step(state, batch, Draws(rng, rng), chain=False)[0].released

    def _draws(self) -> Draws:
        """The random numbers for a batch."""
        if not self._draws_batches:
            return self._streams
        return Draws(self._gate_rng(), self._streams.release)

    def _gate_rng(self) -> np.random.Generator | None:
        """Those of the gate."""
        if not self._draws_batches:
            return self._streams.gate
        return self._rng_factory("gate", self.mechanism.gate_id, self._number, self._batches)
