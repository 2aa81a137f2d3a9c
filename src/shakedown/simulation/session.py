"""A participant's session: the boards as the participant sees them, and a record of each batch."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property
from math import isnan
from typing import NamedTuple

import numpy as np

from shakedown.interface import Game, InputError
from shakedown.leaderboard.board import Board, Counts
from shakedown.leaderboard.error import LeaderboardError, State, TrueRisks
from shakedown.leaderboard.judge import Judge
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.state import BoardState, renewed
from shakedown.terms import HillClimb, Receipt, Terms


class Batch(NamedTuple):
    """The record of a batch of m submissions.

    Attributes
    ----------
    board : Board
    receipt : Receipt
    counts : Counts
        Counters of the whole session after the batch.
    state : BoardState
        The board's after the batch.
    error : State or None
        The leaderboard error after the batch; None if it is not tracked.
    """

    board: Board
    receipt: Receipt
    counts: Counts
    state: BoardState
    error: State | None


class Standing(NamedTuple):
    """The state of a session at q points of the attack; shape (q,) each.

    `accepted` and `changed` are as in `Counts`.  `score_released` is the released score of the
    final model if it were submitted next, and `leaderboard_error` includes this submission (NaN if
    unknown).
    """

    accepted: np.ndarray
    changed: np.ndarray
    score_released: np.ndarray
    leaderboard_error: np.ndarray


class Session:
    """Opens boards of one kind for a participant, and records every batch.

    With `truth` it also computes the leaderboard error, unless the boards show no score.  The
    participant has no access to these.  `is_shared` is whether all accounts submit to one board.
    """

    def __init__(
        self,
        scorer: Scorer,
        mechanism: Mechanism,
        rng_factory: Callable,
        truth: TrueRisks | None = None,
    ) -> None:
        self.scorer, self.mechanism, self._rng_factory = scorer, mechanism, rng_factory
        self.truth = truth if mechanism.shows_scores else None
        self.boards: list[Board] = []
        self.batches: list[Batch] = []
        self.counts, self._judge = Counts(), Judge(mechanism, scorer)
        self.is_shared = mechanism.one_board
        self._error = LeaderboardError(scorer.metric.sign, shows_each=mechanism.replaces_always)

    @cached_property
    def terms(self) -> Terms:
        """What all its boards publish."""
        return self.mechanism.terms(self.scorer.metric, len(self.scorer.y), self.scorer)

    def open(self) -> Client:
        """Open a new board, and return it as the participant sees it.

        If accounts share a board, only the first account opens one.
        """
        if self.is_shared and self.boards:
            return Client(self, self.boards[0])
        board = self._board()
        self.boards.append(board)
        return Client(self, board)

    def _board(self) -> Board:
        number = len(self.boards) + 1
        counts, judge = self.counts, self._judge
        return Board(self.scorer, self.mechanism, self._rng_factory, number, counts, judge)

    def record(
        self,
        board: Board,
        receipt: Receipt,
        risks: Callable[[TrueRisks], np.ndarray],
        *,
        new_accounts: bool = False,
    ) -> None:
        """Record a batch.

        `risks` returns the true risks of its submissions, shape (m,); `new_accounts` is whether
        each submission came from a new account.
        """
        error = None
        if self.truth is not None:
            after = self._error.after_each if new_accounts else self._error.after
            after(board, risks(self.truth), receipt.released)
            error = self._error.state(board)
        self.batches.append(Batch(board, receipt, self.counts.copy(), board.state, error))

    def standing(self, game: Game, *, previews: bool = True) -> Standing:
        """The state of the session at each of the game's final models.

        Parameters
        ----------
        game : Game
            The game played in this session.
        previews : bool
            Whether the board also scores each final model as the next submission.  If not,
            `score_released` is NaN and the error covers only the submissions.
        """
        models = game.models
        after, at = self._last_batches(models.submissions)
        released = np.full(len(at), np.nan)
        asked = models.n_selected > 0
        if previews and not self.mechanism.shows_ranks and asked.any():
            public, new_account = models.public[asked], game.new_account and not self.is_shared
            released[asked] = self._previewed(public, after, at[asked], new_account)
        accepted = np.array([batch.counts.accepted for batch in after])[at]
        changed = np.array([batch.counts.changed for batch in after])[at]
        return Standing(accepted, changed, released, self._errors(game, after, at, released))

    def _last_batches(self, submissions: np.ndarray) -> tuple[list[Batch], np.ndarray]:
        """The last batch of each point, given its number of submissions, shape (q,).

        Returns
        -------
        after : list of Batch
            The batches that end a point; a session may have thousands of others.
        at : ndarray of int, shape (q,)
            The point's batch among them.
        """
        made = [batch.counts.submissions for batch in self.batches]
        used, at = [], []
        for count in np.asarray(submissions).tolist():
            last = bisect_left(made, count)
            if not used or used[-1] != last:
                used.append(last)
            at.append(len(used) - 1)
        return [self.batches[k] for k in used], np.array(at, int)

    def _previewed(
        self, public: np.ndarray, after: list[Batch], at: np.ndarray, new_account: bool
    ) -> np.ndarray:
        """The released score of each model after its batch, or from a new account."""
        if new_account:
            return self._board().preview(self.scorer.judge(public))
        at = at.tolist()
        starts = [k for k in range(len(at)) if k == 0 or at[k] != at[k - 1]]
        # All are scored together, and those after the same batch are previewed together.
        released, scored = np.empty(len(at)), self.scorer.judge(public)
        for here in map(slice, starts, [*starts[1:], len(at)]):
            batch = after[at[here.start]]
            released[here] = batch.board.preview(scored.part(here), batch.state)
        return released

    def _errors(
        self, game: Game, after: list[Batch], at: np.ndarray, released: np.ndarray
    ) -> np.ndarray:
        """The leaderboard error with each model as the next submission; NaN if unknown."""
        if self.truth is None:
            return np.full(len(at), np.nan)
        lowest, shown, largest = np.array([batch.error for batch in after])[at].T
        asked = ~np.isnan(released)
        if not asked.any():
            return largest
        if game.new_account and not self.is_shared:
            lowest = shown = np.full(len(at), np.inf)
        models = game.models
        risks = self.truth.of(models.public, lambda: models.final)
        errors = self._error.after_one_more(State(lowest, shown, largest), risks, released)
        return np.where(asked, errors, largest)

    def ranks(self, board: Board, shown: np.ndarray) -> np.ndarray:
        """The account's rank after each submission, from its scores `shown`, shape (m,).

        The leader has rank 1; tied accounts share the mean of their ranks.
        """
        ranks = np.ones(len(shown))
        for other in self.boards:
            if other is not board:  # with NaN, before its first submission, it is nowhere
                ranks += (other.shown < shown) + 0.5 * (other.shown == shown)
        return ranks


class Client:
    """A board as a participant sees it (`terms.LeaderboardClient`).

    It gives no access to the response.
    """

    __slots__ = ("climb", "submit", "submit_each", "submit_opening", "terms")

    def __init__(self, session: Session, board: Board) -> None:
        mechanism = session.mechanism
        # A board of ranks must not reveal the score that it begins with.
        begins = mechanism.shows_scores and not isnan(board.shown)
        self.terms = renewed(session.terms, start=float(board.shown)) if begins else session.terms

        def taken(receipt: Receipt, risks: Callable) -> Receipt:
            if mechanism.shows_ranks:
                receipt = Receipt(session.ranks(board, receipt.released), receipt.accepted)
            session.record(board, receipt, risks)
            return receipt

        def submit(predictions: np.ndarray, final: Callable | None = None) -> Receipt:
            return taken(board.submit(predictions), lambda truth: truth.of(predictions, final))

        def submit_opening(final: Callable | None = None) -> Receipt:
            return taken(board.submit_opening(), lambda truth: truth.of_opening(final))

        def check_scores(call: str) -> None:
            # These calls return scores, which a board of ranks must not reveal.
            if mechanism.shows_ranks:
                raise InputError(
                    f"mechanism '{mechanism.name}' shows ranks, and `{call}` is for boards that "
                    "show scores. Use `submit`, on a board for each account."
                )

        def submit_each(predictions: np.ndarray) -> Receipt:
            check_scores("submit_each")
            if session.is_shared:
                return submit(predictions)
            receipt = board.submit_each(predictions)
            session.record(board, receipt, lambda truth: truth.of(predictions), new_accounts=True)
            return receipt

        def climb(labels: np.ndarray, moves: np.ndarray, lowest: float) -> HillClimb:
            check_scores("climb")
            climbed = board.climb(labels, moves, lowest)
            session.record(
                board,
                Receipt(climbed.shown, climbed.accepted),
                lambda truth: truth.of_labels(climbed.ones, len(labels)),
            )
            return HillClimb(climbed.shown, climbed.kept)

        self.submit, self.submit_opening = submit, submit_opening
        self.submit_each, self.climb = submit_each, climb
