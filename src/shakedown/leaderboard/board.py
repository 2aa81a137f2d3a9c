"""The leaderboard of one participant, and the scorer that holds the public response."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from shakedown.interface import InputError, Receipt
from shakedown.leaderboard import hill_climb
from shakedown.leaderboard.gates import PAIRED, Gate, check
from shakedown.leaderboard.hill_climb import Climb
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.metrics import ZERO_ONE, Metric


@dataclass(frozen=True, eq=False)
class ScoredSubmissions:
    """Scored submissions.

    Attributes
    ----------
    rows : ndarray, shape (m, n)
        The metric's terms for each public row.
    risks : ndarray, shape (m,)
    before : int or ndarray of int, shape (m,)
        Number of submissions that the participant's board has judged before each.
    """

    rows: np.ndarray
    risks: np.ndarray
    before: int | np.ndarray = 0


@dataclass(frozen=True, eq=False)
class Incumbent:
    """The submission in force: its row, shape (n,), and its risk, infinite if there is none.

    `judged` is the number of submissions that the board has judged so far, `shown` the risk that it
    showed last, NaN if it has shown none, and `replaced` the number of its replacements.
    """

    row: np.ndarray
    risk: float
    judged: int = 0
    shown: float = np.nan
    replaced: int = 0


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


class Scorer:
    """Holds the public response and scores submissions, for all boards of one replicate.

    Parameters
    ----------
    metric : Metric
    y : ndarray, shape (n,)
        The public response.
    opening : ndarray, shape (m, n), optional
        The first submissions on every board, which depend on no released score.  They are scored
        once, and each gate decides on them once, for any number of mechanisms.
    undefined_is_zero : bool
        Whether the correlation of a constant prediction is 0, as in simulations.  Otherwise such a
        submission is refused.

    Attributes
    ----------
    opening : ScoredSubmissions or None
        The scored opening.
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
        self.opening = None if opening is None else self.judge(opening, np.arange(len(opening)))
        self._on_opening: dict[tuple, np.ndarray] = {}

    def judge(self, predictions: np.ndarray, before: int | np.ndarray = 0) -> ScoredSubmissions:
        """Score submissions.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)
        before : int or ndarray of int, shape (m,)
            As in `ScoredSubmissions`; by default each is the first on its board.

        Raises
        ------
        InputError
            If the shape is wrong or a score is undefined (a missing or infinite prediction, a
            constant one under a correlation).
        """
        if predictions.ndim != 2 or predictions.shape[1] != len(self.y) or not len(predictions):
            raise InputError(
                f"submissions: wanted predictions of shape (1 or more, {len(self.y)}), one column "
                f"per public row; got {predictions.shape}."
            )
        # Ranks, 0/1 losses and functions can have a finite score for predictions that are not
        # finite; for all other metrics the score is then not finite either.
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
        return ScoredSubmissions(rows, risks, before)

    def _refusal(self, submission: int, kind: str) -> str:
        return (
            f"submission {submission + 1} of this batch has no {self.metric.name}: its predictions "
            f"are {kind}. Submit finite predictions that differ between rows."
        )

    def decide(
        self, gate: Gate, batch: ScoredSubmissions, best: Incumbent, rng, *, chain: bool = True
    ) -> np.ndarray:
        """The submission in force after each of the batch; see `gates`."""
        return gate.decide(batch, best, self.metric, self.y, chain=chain, rng=rng)

    def start(self, mechanism: Mechanism) -> Incumbent:
        """What is in force on a new board."""
        best = Incumbent(np.zeros(len(self.y)), np.inf)
        for defence in mechanism.rules:
            best = defence.start(best, self)
        return best

    def decide_opening(self, mechanism: Mechanism, number: int, rng: Callable) -> np.ndarray:
        """The submission in force after each of the opening, on a new board.

        Boards with the same `number`, gate and defences use the same random numbers (`rng()`
        returns the generator), so the decisions are computed once for all of them.
        """
        key = mechanism.gate, mechanism.rules, number
        if key not in self._on_opening:
            start = self.start(mechanism)
            self._on_opening[key] = self.decide(mechanism.gate, self.opening, start, rng())
        return self._on_opening[key]


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

    Attributes
    ----------
    counts : Counts
    best : Incumbent
        The submission in force.
    shown : float
        The last released score; NaN before the first submission, unless a defence starts it.
    """

    def __init__(
        self,
        scorer: Scorer,
        mechanism: Mechanism,
        rng_factory: Callable[..., np.random.Generator],
        number: int = 1,
        counts: Counts | None = None,
    ) -> None:
        check(mechanism.gate, scorer.metric)
        self.scorer = scorer
        self.mechanism = mechanism
        self.counts = Counts() if counts is None else counts
        self.best = scorer.start(mechanism)
        self.shown = np.nan
        self._rng_factory = rng_factory
        self._number = number
        self._batches = 0
        self._release_rng = (
            rng_factory("release", mechanism.setting, number) if mechanism.is_noisy else None
        )
        if np.isfinite(self.best.risk):
            none = ScoredSubmissions(self.best.row[None], np.array([self.best.risk]))
            self._shows(self._show(none, np.array([-1]), self.best, self._release_rng)[0])

    def submit(self, predictions: np.ndarray) -> Receipt:
        """Judge submissions in order, and release a score after each.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)
        """
        batch = self.scorer.judge(predictions, self.best.judged + np.arange(len(predictions)))
        self._batches += 1
        return self._take(batch, self._decided(batch, self.best, self._gate_rng()))

    def submit_opening(self) -> Receipt:
        """Submit the scorer's opening; it must come first.

        Raises
        ------
        InputError
            If there is no opening, or the board has already judged submissions.
        """
        if self.scorer.opening is None or self._batches:
            got = "none" if self.scorer.opening is None else "one after other submissions"
            raise InputError(
                "opening: wanted one that the attack has prepared, as the first batch of a board; "
                f"got {got}. Give the attack an `opening`, and use `submit` for later batches."
            )
        self._batches += 1
        standing = self.scorer.decide_opening(self.mechanism, self._number, self._gate_rng)
        return self._take(self.scorer.opening, self._limited(standing, self.best))

    def _decided(
        self, batch: ScoredSubmissions, best: Incumbent, rng, *, chain: bool = True
    ) -> np.ndarray:
        """The submission in force after each of a batch, by the gate and the defences."""
        standing = self.scorer.decide(self.mechanism.gate, batch, best, rng, chain=chain)
        return self._limited(standing, best, chain=chain)

    def _limited(self, standing: np.ndarray, best: Incumbent, *, chain: bool = True) -> np.ndarray:
        for rule in self.mechanism.rules:
            standing = rule.limit(standing, best, chain=chain)
        return standing

    def _take(self, batch: ScoredSubmissions, standing: np.ndarray) -> Receipt:
        """Release the scores of a batch, and update the submission in force."""
        shown = self._show(batch, standing, self.best, self._release_rng)
        last, judged = standing[-1], self.best.judged + len(standing)
        if last >= 0:
            row, risk = batch.rows[last].copy(), float(batch.risks[last])
            self.best = replace(self.best, row=row, risk=risk, judged=judged)
        else:
            self.best = replace(self.best, judged=judged)
        receipt = Receipt(shown, standing == np.arange(len(standing)))
        self._count(receipt)
        return receipt

    def submit_each(self, predictions: np.ndarray) -> Receipt:
        """Judge submissions, each as the first of a new account.

        The result is that of m new boards.  This board must be new; it counts the submissions of
        all of them.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)
        """
        batch = self.scorer.judge(predictions)
        self._batches += 1
        standing = self._decided(batch, self.best, self._gate_rng(), chain=False)
        shown, accepted = self._show(batch, standing, self.best, self._release_rng), standing >= 0
        changed = np.count_nonzero(shown != self.shown)
        self.counts.add(len(shown), int(accepted.sum()), changed)
        return Receipt(shown, accepted)

    def climb(self, labels: np.ndarray, moves: np.ndarray, lowest: float) -> Climb:
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
        Climb
        """
        scorer, best = self.scorer, self.best
        rules = hill_climb.rules_of(self.mechanism, scorer.metric, len(labels))
        wrong = labels != scorer.y
        if rules is not None and rules.gate.kind == PAIRED:
            # `hill_climb.climb` compares with the current labels.  So these must be the submission
            # in force, and an accepted change must be kept: it is, if it lowers the shown score.
            in_step = self.shown == lowest and np.array_equal(best.row, wrong)
            lowers = rules.gate.critical >= 0.0 and rules.release_step == 1.0 / len(labels)
            rules = rules if in_step and lowers else None
        if rules is None:
            return self._climb_one_by_one(labels, moves, lowest)
        climbed = hill_climb.climb(labels, wrong, moves, lowest, best.risk, rules)
        self._batches += 1
        self.best = replace(best, judged=best.judged + len(moves))
        if len(last := np.flatnonzero(climbed.accepted)):
            row = hill_climb.row_after(labels, moves, climbed, int(last[-1])) != scorer.y
            self.best = replace(self.best, row=row.astype(float), risk=float(row.mean()))
        self._count(Receipt(climbed.shown, climbed.accepted))
        return climbed

    def _climb_one_by_one(self, labels, moves, lowest) -> Climb:
        """`climb` for any mechanism, one submission at a time."""
        m = len(moves)
        climbed = Climb(np.empty(m), np.zeros(m, bool), np.zeros(m, bool), np.empty(m, int))
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

    def _count(self, receipt: Receipt) -> None:
        shown, accepted = receipt
        changed = np.count_nonzero(shown[1:] != shown[:-1]) + (shown[0] != self.shown)
        self.counts.add(len(shown), int(accepted.sum()), int(changed))
        self.best = replace(self.best, replaced=self.best.replaced + int(accepted.sum()))
        self._shows(shown[-1])

    def _shows(self, score: float) -> None:
        self.shown = score
        self.best = replace(self.best, shown=self.scorer.metric.sign * score)

    def preview(self, predictions: np.ndarray, best: Incumbent | None = None) -> np.ndarray:
        """The released score of each prediction if it were submitted next; the board is unchanged.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)
        best : Incumbent, optional
            The submission in force and the number of submissions before; by default those of the
            board.

        Returns
        -------
        ndarray, shape (m,)
        """
        best = best or self.best
        batch = self.scorer.judge(predictions, best.judged)
        rng = self._rng_factory("preview", self.mechanism.setting, self._number, self._batches)
        return self._show(batch, self._decided(batch, best, rng, chain=False), best, rng)

    def _gate_rng(self):
        if not self.mechanism.gate.draws_weights:
            return None
        return self._rng_factory("gate", self.mechanism.gate_id, self._number, self._batches)

    def _show(
        self, batch: ScoredSubmissions, standing: np.ndarray, best: Incumbent, rng
    ) -> np.ndarray:
        metric, y = self.scorer.metric, self.scorer.y
        return metric.sign * self.mechanism.release.show(batch, best, standing, metric, y, rng)
