"""A participant's session: the boards as the participant sees them, and a record of each batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from shakedown.interface import Game, HillClimb, InputError, Receipt
from shakedown.leaderboard.board import Board, Counts, Incumbent, Scorer
from shakedown.leaderboard.error import LeaderboardError, State, TrueRisks
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.rules import (
    improvements,
    improvements_per_day,
    largest_variance,
    nearest,
    noise_sd,
    published,
    replications,
    schedule,
    tells,
)


@dataclass(frozen=True, eq=False)
class Batch:
    """The record of a batch of m submissions.

    Attributes
    ----------
    board : Board
    receipt : Receipt
    counts : Counts
        Counters of the whole session after the batch.
    best : Incumbent
        The submission in force after the batch.
    error : State or None
        The leaderboard error after the batch; None if it is not tracked.
    """

    board: Board
    receipt: Receipt
    counts: Counts
    best: Incumbent
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
        self.counts = Counts()
        self.is_shared = any(rule.one_board for rule in mechanism.rules)
        self._error = LeaderboardError(scorer.metric.sign, shows_each=mechanism.replaces_always)
        self.published = _published(mechanism, scorer)

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
        return Board(self.scorer, self.mechanism, self._rng_factory, number, self.counts)

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
        self.batches.append(Batch(board, receipt, replace(self.counts), board.best, error))

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
        models, asked = game.models, previews and not self.mechanism.shows_ranks
        counts = [batch.counts for batch in self.batches]
        # The last batch of each point.
        last = np.searchsorted([count.submissions for count in counts], models.submissions)
        released, error = np.full((2, len(last)), np.nan)
        new_board = game.new_account and not self.is_shared
        for k in np.unique(last):
            at, batch = last == k, self.batches[k]
            points = at & (models.n_selected > 0) & asked
            if points.any():
                board, best = batch.board, batch.best
                if new_board:
                    board = self._board()
                    best = board.best
                released[points] = board.preview(models.public[points], best)
            if self.truth is not None and not points.any():
                error[at] = batch.error.largest
            elif self.truth is not None:
                risks = self.truth.of(models.public[at], lambda at=at: models.final[at])
                state = batch.error
                if new_board:
                    state = State(np.inf, np.inf, state.largest)
                errors = self._error.after_one_more(state, risks, released[at])
                error[at] = np.where(np.isnan(released[at]), state.largest, errors)
        accepted = np.array([count.accepted for count in counts])[last]
        changed = np.array([count.changed for count in counts])[last]
        return Standing(accepted, changed, released, error)

    def ranks(self, board: Board, shown: np.ndarray) -> np.ndarray:
        """The account's rank after each submission, from its scores `shown`, shape (m,).

        The leader has rank 1; tied accounts share the mean of their ranks.
        """
        others = np.array([other.shown for other in self.boards if other is not board])
        others = others[~np.isnan(others)][:, None]  # NaN: nothing submitted yet
        return 1.0 + (others < shown).sum(axis=0) + 0.5 * (others == shown).sum(axis=0)


def _published(mechanism: Mechanism, scorer: Scorer) -> dict[str, Any]:
    """What all boards of a session tell the participant, by the names of `Client`."""
    n = len(scorer.y)
    return {
        "larger_is_better": scorer.metric.larger_is_better,
        "is_noisy": mechanism.is_noisy,
        "replaces_always": mechanism.replaces_always,
        "step": mechanism.release.step_for(n),
        "metric": scorer.metric.name,
        "rule": published(mechanism, n),
        "replications": replications(mechanism),
        "improvements": improvements(mechanism),
        "improvements_per_day": improvements_per_day(mechanism),
        "largest_variance": largest_variance(mechanism, scorer),
        "nearest": nearest(mechanism, scorer),
        "noise_sd": noise_sd(mechanism),
        "tells": tells(mechanism),
        "schedule": schedule(mechanism),
    }


class Client:
    """A board as a participant sees it (`interface.LeaderboardClient`).

    It gives no access to the response.
    """

    __slots__ = (
        "climb", "improvements", "improvements_per_day", "is_noisy", "is_shared",
        "larger_is_better", "largest_variance", "metric", "nearest", "noise_sd",
        "replaces_always", "replications", "rule", "schedule", "start", "step", "submit",
        "submit_each", "submit_opening", "tells",
    )  # fmt: skip

    def __init__(self, session: Session, board: Board) -> None:
        mechanism = session.mechanism
        for name, value in session.published.items():
            setattr(self, name, value)
        self.is_shared = session.is_shared
        # A board of ranks must not reveal the score that it begins with.
        begins = mechanism.shows_scores and not np.isnan(board.shown)
        self.start = float(board.shown) if begins else None

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
