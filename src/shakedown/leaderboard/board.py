"""A participant's leaderboard, and the referee who holds the public response."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shakedown.interface import InputError
from shakedown.leaderboard import climbing
from shakedown.leaderboard.catalogue import Mechanism
from shakedown.leaderboard.climbing import Climb
from shakedown.leaderboard.gates import Gate, check
from shakedown.metrics import ZERO_ONE, Metric


@dataclass(frozen=True, eq=False)
class Batch:
    """Judged submissions: what enters the metric row by row (m, n), and the risks (m,)."""

    rows: np.ndarray
    risks: np.ndarray


@dataclass(frozen=True, eq=False)
class Best:
    """The submission in force: its row (n,) and its risk; infinite before the first one."""

    row: np.ndarray
    risk: float


class Referee:
    """Holds the public response and judges submissions; serves the boards of one replicate.

    Parameters
    ----------
    metric : Metric
    y : ndarray, shape (n,)
        The public response.
    opening : ndarray, shape (m, n), optional
        Submissions that the attack opens with on every board, before anything was released.  They
        are judged once, and each gate decides on them once, however many mechanisms play.  The
        array must not change.
    undefined_is_zero : bool
        Whether a submission that has no correlation, as its predictions are constant, scores 0
        (in a simulation) or is refused (on a real board).
    """

    def __init__(
        self,
        metric: Metric,
        y: np.ndarray,
        opening: np.ndarray | None = None,
        *,
        undefined_is_zero: bool = False,
    ) -> None:
        self.metric = metric
        self.y = metric.prepare(y)
        self._undefined_is_zero = undefined_is_zero and metric.larger_is_better
        self._opening = opening
        self._opening_batch = None if opening is None else self._judged(opening)
        self._decisions: dict[tuple[Gate, int], np.ndarray] = {}

    def judge(self, predictions: np.ndarray) -> Batch:
        """Scores of submissions.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)

        Raises
        ------
        InputError
            If the shape is wrong or a score is undefined (a missing or infinite prediction, a
            constant one under a correlation).
        """
        return self._opening_batch if predictions is self._opening else self._judged(predictions)

    def _judged(self, predictions: np.ndarray) -> Batch:
        if predictions.ndim != 2 or predictions.shape[1] != len(self.y) or not len(predictions):
            raise InputError(
                f"submissions: wanted predictions of shape (1 or more, {len(self.y)}), one column "
                f"per public row; got {predictions.shape}."
            )
        # Ranks and 0/1 losses would hide what is not finite, and a function may do anything with
        # it; the others pass it on to the score.
        metric = self.metric
        hides = metric.ranks or metric.loss == ZERO_ONE or metric.function is not None
        if hides and not np.isfinite(predictions).all():
            first = int(np.flatnonzero(~np.isfinite(predictions).all(axis=1))[0])
            raise InputError(self._refusal(first, "not finite"))
        rows, risks = self.metric.judge(self.y, predictions)
        if self._undefined_is_zero:
            spread = np.ptp(predictions, axis=1)
            risks[np.isnan(risks) & np.isfinite(spread)] = 0.0
        if not np.isfinite(risks).all():
            first = int(np.flatnonzero(~np.isfinite(risks))[0])
            constant = np.ptp(predictions[first]) == 0.0
            raise InputError(
                self._refusal(first, "constant" if constant else "not finite, or too large")
            )
        return Batch(rows, risks)

    def _refusal(self, submission: int, kind: str) -> str:
        return (
            f"submission {submission + 1} of this batch has no {self.metric.name}: its predictions "
            f"are {kind}. Submit finite predictions that differ between rows."
        )

    def decide(
        self, gate: Gate, batch: Batch, best: Best, rng, *, number: int, chain: bool = True
    ) -> np.ndarray:
        """The submission in force after each of the batch; see `gates`.

        `number` is the board's; its decisions on the opening are shared with the boards of the
        same number of other mechanisms, which meet the same luck.
        """
        shared = batch is self._opening_batch and best.risk == np.inf and chain
        if shared and (gate, number) in self._decisions:
            return self._decisions[gate, number]
        standing = gate.decide(batch, best, self.metric, self.y, chain=chain, rng=rng)
        if shared:
            self._decisions[gate, number] = standing
        return standing


class Board:
    """One participant on one leaderboard.

    Parameters
    ----------
    referee : Referee
    mechanism : Mechanism
    luck : callable
        ``luck(*axes) -> Generator``: named streams of random numbers.  A gate's stream does not
        contain the release, so mechanisms that share a gate make the same decisions.
    number : int
        Which board of this participant it is (1, 2, ...); names its streams.

    Attributes
    ----------
    submissions, accepted, changed : int
        Submissions so far; those that replaced the best; those after which another number was
        shown than before.  A mechanism that compares with a best that was rounded up can accept
        the same file twice, so the two differ.
    """

    def __init__(
        self,
        referee: Referee,
        mechanism: Mechanism,
        luck: Callable[..., np.random.Generator],
        number: int = 1,
    ) -> None:
        check(mechanism.gate, referee.metric)
        self.referee = referee
        self.mechanism = mechanism
        self.submissions = self.accepted = self.changed = 0
        self.last_accepted = np.zeros(0, bool)
        self._best = Best(np.zeros(len(referee.y)), np.inf)
        self._shown = np.nan
        self._luck = luck
        self._number = number
        self._batches = 0
        self._release_rng = luck("release", mechanism.id, number) if mechanism.is_noisy else None

    def submit(self, predictions: np.ndarray) -> np.ndarray:
        """Judge submissions in order and show a score after each.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)

        Returns
        -------
        ndarray, shape (m,)
            Released scores, in the metric's own direction.
        """
        referee = self.referee
        batch = referee.judge(predictions)
        self._batches += 1
        standing = referee.decide(
            self.mechanism.gate, batch, self._best, self._gate_rng(), number=self._number
        )
        shown = self._show(batch, standing, self._best, self._release_rng)
        if standing[-1] >= 0:
            self._best = Best(batch.rows[standing[-1]].copy(), float(batch.risks[standing[-1]]))
        self._count(shown, standing == np.arange(len(standing)))
        return shown

    def submit_each(self, predictions: np.ndarray) -> np.ndarray:
        """Judge submissions each of which is the first one of an account of its own.

        As many new boards would show the same; this one, which must be new, counts for all of them.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)

        Returns
        -------
        ndarray, shape (m,)
            Released scores, in the metric's own direction.
        """
        referee, nothing = self.referee, self._best
        batch = referee.judge(predictions)
        self._batches += 1
        standing = referee.decide(
            self.mechanism.gate, batch, nothing, self._gate_rng(), number=self._number, chain=False
        )
        shown = self._show(batch, standing, nothing, self._release_rng)
        m = len(shown)
        self.submissions, self.accepted, self.changed = (
            count + m for count in (self.submissions, self.accepted, self.changed)
        )
        self.last_accepted = np.ones(m, bool)
        return shown

    def climb(self, labels: np.ndarray, moves: np.ndarray, lowest: float) -> Climb:
        """Judge small changes of one submission of labels, one after another.

        Submission t is `labels` with those at moves[t] changed from 0 to 1 or from 1 to 0.  The
        change stays in the later ones if the score shown after it is below `lowest` and below all
        that were shown since; so it is what a participant does who submits one file at a time, and
        nothing else is told.

        Parameters
        ----------
        labels : ndarray, shape (n,)
            0 and 1; changed in place to what the climb ends with.
        moves : ndarray of int, shape (m, size)
            Positions, all different within a row; -1 for none.
        lowest : float
            The lowest score that the participant has been shown so far, or infinity.

        Returns
        -------
        Climb
        """
        referee, best = self.referee, self._best
        rules = climbing.rules_of(self.mechanism, referee.metric, len(labels))
        wrong = labels != referee.y
        if rules is not None and rules.gate == climbing.PAIRED:
            # The shortcut compares with the base, so the base must be the submission in force, and
            # whatever replaces it must be kept: it is, where it must lower the shown score.
            in_step = self._shown == lowest and np.array_equal(best.row, wrong)
            lowers = rules.critical >= 0.0 and rules.release_step == 1.0 / len(labels)
            rules = rules if in_step and lowers else None
        if rules is None:
            return self._climb_one_by_one(labels, moves, lowest)
        climbed = climbing.climb(labels, wrong, moves, lowest, best.risk, rules)
        self._batches += 1
        if len(last := np.flatnonzero(climbed.accepted)):
            row = climbing.row_after(labels, moves, climbed, int(last[-1])) != referee.y
            self._best = Best(row.astype(float), float(row.mean()))
        self._count(climbed.shown, climbed.accepted)
        return climbed

    def _climb_one_by_one(self, labels, moves, lowest) -> Climb:
        """`climb` for any mechanism, each submission by itself."""
        m = len(moves)
        climbed = Climb(np.empty(m), np.zeros(m, bool), np.zeros(m, bool), np.empty(m, int))
        for t, positions in enumerate(moves):
            positions = positions[positions >= 0]
            changed = labels.copy()
            changed[positions] = 1.0 - changed[positions]
            climbed.shown[t] = self.submit(changed[None])[0]
            climbed.accepted[t] = self.last_accepted[0]
            climbed.ones[t] = np.count_nonzero(changed)
            if climbed.shown[t] < lowest:
                lowest, climbed.kept[t] = climbed.shown[t], True
                labels[:] = changed
        self.last_accepted = climbed.accepted
        return climbed

    @property
    def shown(self) -> float:
        """The risk that stands on the board; NaN before the first submission."""
        return self._shown

    def _count(self, shown: np.ndarray, accepted: np.ndarray) -> None:
        self.submissions += len(shown)
        self.last_accepted = accepted
        self.accepted += int(accepted.sum())
        self.changed += int(np.count_nonzero(shown[1:] != shown[:-1]) + (shown[0] != self._shown))
        self._shown = shown[-1]

    @property
    def best(self) -> Best:
        """The submission in force."""
        return self._best

    def preview(self, predictions: np.ndarray, best: Best | None = None) -> np.ndarray:
        """What each of these would be shown if it were the next submission; changes nothing.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)
        best : Best, optional
            What they are held against, if not against the submission in force now.

        Returns
        -------
        ndarray, shape (m,)
        """
        best = best or self._best
        batch = self.referee.judge(predictions)
        rng = self._luck("preview", self.mechanism.id, self._number, self._batches)
        standing = self.referee.decide(
            self.mechanism.gate, batch, best, rng, number=self._number, chain=False
        )
        return self._show(batch, standing, best, rng)

    def _gate_rng(self):
        if not self.mechanism.gate.draws_weights:
            return None
        return self._luck("gate", self.mechanism.gate_id, self._number, self._batches)

    def _show(self, batch: Batch, standing: np.ndarray, best: Best, rng) -> np.ndarray:
        metric, y = self.referee.metric, self.referee.y
        return metric.sign * self.mechanism.release.show(batch, best, standing, metric, y, rng)
