"""The judge: the one way from submitted files to released scores and a board's next state."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from shakedown.leaderboard import hill_climb
from shakedown.leaderboard.hill_climb import Climbed
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import ScoredSubmissions, Scorer
from shakedown.leaderboard.state import BoardState, renewed
from shakedown.terms import Receipt


class Draws(NamedTuple):
    """The random numbers of the gate and of the release; None where none are drawn."""

    gate: np.random.Generator | None = None
    release: np.random.Generator | None = None


class Judge:
    """Judges files for the boards of one mechanism; their states are with the boards.

    Parameters
    ----------
    mechanism : Mechanism
    scorer : Scorer

    Attributes
    ----------
    one_by_one : bool
        Whether decisions need the state after each single submission.

    Raises
    ------
    InputError
        If the gate, the release or a defence cannot be used with the metric.
    """

    def __init__(self, mechanism: Mechanism, scorer: Scorer) -> None:
        mechanism.check(scorer.metric)
        self.mechanism, self.scorer = mechanism, scorer
        self._gate, self._release = mechanism.gate, mechanism.release
        self._defences, self._refusing = mechanism.every_defence, mechanism.refusing
        self._keeps_files = any(defence.compares_files for defence in self._refusing)
        self.one_by_one = self._gate.one_by_one or any(
            defence.one_by_one for defence in self._defences
        )

    def start(self, draws: Draws) -> BoardState:
        """The state of a new board."""
        state = self._bare
        for defence in self._defences:
            state = defence.start(state, self.scorer)
        if self._gate.one_by_one:
            state = renewed(state, kept=self._gate.draw(draws.gate))
        if state.risk == np.inf:
            return state
        first = self._rescored(ScoredSubmissions(state.row[None], np.array([state.risk])))
        state = renewed(state, row=first.rows[0], risk=float(first.risks[0]))
        shown, _ = self.show(first, state, np.array([-1]), draws.release, chain=False)
        return renewed(state, shown=float(shown[0]))

    @cached_property
    def _bare(self) -> BoardState:
        """The state of a new board before its defences and its gate have changed it."""
        memory = self._release.begins_on(self.scorer.metric, self.scorer.y)
        return BoardState(self.scorer.no_row, np.inf, memory=memory)

    def step(
        self,
        state: BoardState,
        batch: ScoredSubmissions,
        draws: Draws,
        *,
        standing: np.ndarray | None = None,
        chain: bool = True,
    ) -> tuple[Receipt, BoardState]:
        """Judge m submissions, and release a score after each.

        A refused file is not judged, and the last score is shown again.

        Parameters
        ----------
        state : BoardState
            Of the board before them.
        batch : ScoredSubmissions
            As the scorer judges them; their `before` is set.
        draws : Draws
        standing : ndarray of int, shape (m,), optional
            The gate's decisions, if they are known.
        chain : bool
            Whether the files come in this order; if not, each is the next one, and the state stays.
        """
        batch = self._rescored(batch)
        refused = self._refused(state, batch.files, chain) if self._refusing else None
        if chain and (refused is not None or (self.one_by_one and len(batch.risks) > 1)):
            shown, accepted, state = self._in_parts(state, batch, draws, refused)
        else:
            shown, accepted, state = self._judged(state, batch, draws, standing, chain=chain)
            if refused is not None:
                shown, accepted = np.where(refused, state.shown, shown), accepted & ~refused
        return Receipt(self.scorer.metric.sign * shown, accepted), state

    def _judged(
        self,
        state: BoardState,
        batch: ScoredSubmissions,
        draws: Draws,
        standing: np.ndarray | None = None,
        *,
        chain: bool = True,
    ) -> tuple[np.ndarray, np.ndarray, BoardState]:
        """Judge m submissions that no defence refuses.

        Returns
        -------
        shown : ndarray, shape (m,)
            The risk shown after each.
        accepted : ndarray of bool, shape (m,)
        after : BoardState
        """
        judged = state.judged
        count = len(batch.risks)
        batch.before = np.arange(judged, judged + count) if chain and count > 1 else judged
        if standing is None:
            metric, y = self.scorer.metric, self.scorer.y
            standing = self._gate.decide(batch, state, metric, y, chain=chain, rng=draws.gate)
        for defence in self._defences:
            standing = defence.limit(standing, state, chain=chain)
        shown, memory = self.show(batch, state, standing, draws.release, chain=chain)
        if not chain:
            return shown, standing >= 0, state
        changes, last = {"memory": memory}, int(standing[-1])
        if last >= 0:
            changes |= {"row": batch.rows[last].copy(), "risk": float(batch.risks[last])}
            if self.one_by_one:
                changes["replaced_at"] = (*state.replaced_at, judged)
            if self._gate.one_by_one:
                changes["kept"] = self._gate.draw(draws.gate)
        if self._keeps_files:
            changes["files"] = (*state.files, batch.files.copy())  # the participant may reuse them
        accepted, after = state.after(standing, shown, changes)
        return shown, accepted, after

    def _in_parts(
        self, state: BoardState, batch: ScoredSubmissions, draws: Draws, refused: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, BoardState]:
        """As `_judged`, for files that are refused in part, or judged one by one."""
        m = len(batch.risks)
        judged = np.arange(m) if refused is None else np.flatnonzero(~refused)
        parts = [judged] if len(judged) else []
        if self.one_by_one:
            parts = [slice(t, t + 1) for t in judged]
        shown, accepted, before = np.empty(m), np.zeros(m, bool), state.shown
        for part in parts:
            shown[part], accepted[part], state = self._judged(state, batch.part(part), draws)
        if refused is not None:  # the last score is shown again; at first, that before the batch
            shown = np.append(before, shown[judged])[np.cumsum(~refused)]
        return shown, accepted, state

    def decide(
        self,
        batch: ScoredSubmissions,
        state: BoardState,
        rng: np.random.Generator | None,
        *,
        chain: bool,
    ) -> np.ndarray:
        """The gate's decisions on submissions, shape (m,), for `step`; see `gates.Gate.decide`."""
        metric, y = self.scorer.metric, self.scorer.y
        return self._gate.decide(self._rescored(batch), state, metric, y, chain=chain, rng=rng)

    def decide_opening(
        self, state: BoardState, number: int, rng: Callable[[], np.random.Generator | None]
    ) -> np.ndarray | None:
        """The gate's decisions on the scorer's opening, on a new board with this `number`.

        Boards with the same number, gate and defences use the same random numbers, so they are
        computed once for all of them.  None if each board has to decide by itself.
        """
        if self._refusing or self.one_by_one:
            return None
        known, key = self.scorer.decided, (self._gate, self._defences, number)
        if key not in known:
            known[key] = self.decide(self.scorer.opening, state, rng(), chain=True)
        return known[key]

    def show(
        self,
        batch: ScoredSubmissions,
        state: BoardState,
        standing: np.ndarray,
        rng: np.random.Generator | None,
        *,
        chain: bool,
    ) -> tuple[np.ndarray, Any]:
        """The released risk after each of a batch, shape (m,), and what the release remembers then.

        See `releases.Release.show_next`.
        """
        metric, y = self.scorer.metric, self.scorer.y
        risks, memory = self._release.show_next(
            state.memory, batch, state, standing, metric, y, rng, chain=chain
        )
        if self._release.is_noisy:
            for defence in self._defences:
                risks = defence.reuse(risks, standing, state)
        return risks, memory

    def climb(
        self, state: BoardState, labels: np.ndarray, moves: np.ndarray, lowest: float
    ) -> tuple[Climbed, BoardState] | None:
        """`hill_climb.climb` on a board with this state; None where it is not the same as `step`.

        Parameters are those of `Board.climb`.
        """
        numbers = hill_climb.numbers_of(self.mechanism, self.scorer.metric, len(labels))
        if numbers is None:
            return None
        wrong = labels != self.scorer.y
        if not hill_climb.is_in_step(numbers, state, wrong, lowest):
            return None
        climbed = hill_climb.climb(labels, wrong, moves, lowest, state.risk, numbers)
        changes = {}
        if len(last := np.flatnonzero(climbed.accepted)):
            labels_then = hill_climb.row_after(labels, moves, climbed, int(last[-1]))
            row = labels_then != self.scorer.y
            changes = {"row": row.astype(float), "risk": float(row.mean())}
        standing = np.where(climbed.accepted, np.arange(len(moves)), -1)
        return climbed, state.after(standing, climbed.shown, changes)[1]

    def in_force(self, file: np.ndarray) -> tuple[np.ndarray, float]:
        """The row and the risk of a file, shape (n,), as a board has them if it is in force."""
        batch = self._rescored(self.scorer.judge(file[None]))
        return batch.rows[0].copy(), float(batch.risks[0])

    def _rescored(self, batch: ScoredSubmissions) -> ScoredSubmissions:
        """Submissions as the defences score them."""
        for defence in self._defences:
            batch = defence.rescore(batch, self.scorer)
        return batch

    def _refused(self, state: BoardState, files: np.ndarray, chain: bool) -> np.ndarray:
        """Which files, shape (m, n), a defence refuses; bool, shape (m,)."""
        refused = np.zeros(len(files), bool)
        earlier = np.concatenate([files[:0], *state.files])
        for defence in self._refusing:
            left = np.flatnonzero(~refused)
            refused[left] = defence.refuse(files[left], earlier, self.scorer, chain=chain)
        return refused
