"""The leaderboard of one participant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shakedown.compiled import kernel
from shakedown.interface import InputError, Receipt
from shakedown.leaderboard import hill_climb
from shakedown.leaderboard.gates import PAIRED, check
from shakedown.leaderboard.hill_climb import Climb
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import Counts, Incumbent, ScoredSubmissions, Scorer, renewed


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
        for rule in mechanism.rules:
            rule.check(scorer.metric)
        self.scorer = scorer
        self.mechanism = mechanism
        self.counts = Counts() if counts is None else counts
        self.best = scorer.start(mechanism)
        self.shown = np.nan
        self._rng_factory = rng_factory
        self._number = number
        self._batches = 0
        gate = mechanism.gate
        one_by_one = getattr(gate, "one_by_one", False)  # your own may lack it
        self._one_by_one = one_by_one or any(rule.one_by_one for rule in mechanism.rules)
        self._refusing = mechanism.refusing
        self._files: list[np.ndarray] = []
        self._gate_stream = None
        if one_by_one:
            self._gate_stream = rng_factory("gate", mechanism.gate_id, number)
            self.best = renewed(self.best, kept=gate.draw(self._gate_stream))
        self._release_rng = (
            rng_factory("release", mechanism.setting, number) if mechanism.is_noisy else None
        )
        if self.best.risk < np.inf:
            none = ScoredSubmissions(self.best.row[None], np.array([self.best.risk]))
            self._shows(self._show(none, np.array([-1]), self.best, self._release_rng)[0])

    def submit(self, predictions: np.ndarray) -> Receipt:
        """Judge submissions in order, and release a score after each.

        A refused file counts as a submission.  It is not judged, and the last score is shown again.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)
        """
        batch = self._scored(predictions)
        self._batches += 1
        return self._submitted(batch, predictions)

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
        opening = self.scorer.rescored(self.mechanism, opening)
        if self._batches > 1 or self._refusing or self._one_by_one:
            return self._submitted(renewed(opening), self.scorer.opening_files)
        standing = self.scorer.decide_opening(self.mechanism, self._number, self._gate_rng)
        return self._take(opening, self._limited(standing, self.best))

    def _scored(self, predictions: np.ndarray) -> ScoredSubmissions:
        return self.scorer.rescored(self.mechanism, self.scorer.judge(predictions))

    def _submitted(self, batch: ScoredSubmissions, files: np.ndarray) -> Receipt:
        """Judge the files of a batch that are not refused."""
        if not self._refusing:
            return self._judged(batch)
        refused, before = self._refused(files), self.shown
        kept = np.flatnonzero(~refused)
        self.counts.submissions += len(files) - len(kept)
        if any(rule.compares_files for rule in self._refusing):
            self._files.append(files[kept])
        judged = self._judged(batch.part(kept)) if len(kept) else Receipt(np.empty(0), kept)
        accepted = np.zeros(len(files), bool)
        accepted[kept] = judged.accepted
        # Entry 0 is what was shown before.
        return Receipt(np.append(before, judged.released)[np.cumsum(~refused)], accepted)

    def _refused(
        self, files: np.ndarray, judged: int | None = None, *, chain: bool = True
    ) -> np.ndarray:
        """Which files, shape (m, n), a board that has judged so many (by default all) refuses."""
        refused = np.zeros(len(files), bool)
        if not self._refusing:
            return refused
        earlier = np.concatenate([files[:0], *self._files])[:judged]
        for rule in self._refusing:
            left = np.flatnonzero(~refused)
            refused[left] = rule.refuse(files[left], earlier, self.scorer, chain=chain)
        return refused

    def _judged(self, batch: ScoredSubmissions) -> Receipt:
        """Decide on a batch of this board alone, and release its scores."""
        judged, rng = self.best.judged, self._gate_rng()
        batch.before = np.arange(judged, judged + len(batch.risks))
        if not self._one_by_one:
            return self._take(batch, self._decided(batch, self.best, rng))
        receipts = []
        for t in range(len(batch.risks)):
            one = batch.part(slice(t, t + 1))
            receipts.append(self._take(one, self._decided(one, self.best, rng)))
        return Receipt(*map(np.concatenate, zip(*receipts, strict=True)))

    def _decided(
        self, batch: ScoredSubmissions, best: Incumbent, rng, *, chain: bool = True
    ) -> np.ndarray:
        """The submission in force after each of a batch, by the gate and the defences."""
        scorer, gate = self.scorer, self.mechanism.gate
        standing = gate.decide(batch, best, scorer.metric, scorer.y, chain=chain, rng=rng)
        return self._limited(standing, best, chain=chain)

    def _limited(self, standing: np.ndarray, best: Incumbent, *, chain: bool = True) -> np.ndarray:
        for rule in self.mechanism.rules:
            standing = rule.limit(standing, best, chain=chain)
        return standing

    def _take(self, batch: ScoredSubmissions, standing: np.ndarray) -> Receipt:
        """Release the scores of a batch, and update the submission in force."""
        shown = self._show(batch, standing, self.best, self._release_rng)
        last, changes = standing[-1], {}
        if last >= 0:
            changes = {"row": batch.rows[last].copy(), "risk": float(batch.risks[last])}
            if self._one_by_one:
                at = (*self.best.replaced_at, self.best.judged)
                changes |= {"replaced_at": at, "kept": self._drawn()}
        return Receipt(shown, self._count(standing, shown, changes))

    def _drawn(self) -> float:
        return 0.0 if self._gate_stream is None else self.mechanism.gate.draw(self._gate_stream)

    def submit_each(self, predictions: np.ndarray) -> Receipt:
        """Judge submissions, each as the first of a new account.

        The result is that of m new boards.  This board must be new; it counts the submissions of
        all of them.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)
        """
        batch = self._scored(predictions)
        self._batches += 1
        standing = self._decided_each(batch, self._gate_rng())
        refused = self._refused(predictions, chain=False)
        standing[refused] = -1
        shown, accepted = self._show(batch, standing, self.best, self._release_rng), standing >= 0
        shown[refused] = self.shown
        changed = np.count_nonzero((shown != self.shown) & ~refused)
        self.counts.add(len(shown), int(accepted.sum()), changed)
        return Receipt(shown, accepted)

    def _decided_each(self, batch: ScoredSubmissions, rng) -> np.ndarray:
        """As `_decided`, each on a new board."""
        if self._gate_stream is None:
            return self._decided(batch, self.best, rng, chain=False)
        standing = np.empty(len(batch.risks), int)
        for t in range(len(standing)):
            new = renewed(self.best, kept=self._drawn())
            decided = self._decided(batch.part(slice(t, t + 1)), new, rng, chain=False)
            standing[t] = t if decided[0] == 0 else -1
        return standing

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
        changes = {}
        if len(last := np.flatnonzero(climbed.accepted)):
            row = hill_climb.row_after(labels, moves, climbed, int(last[-1])) != scorer.y
            changes = {"row": row.astype(float), "risk": float(row.mean())}
        standing = np.where(climbed.accepted, np.arange(len(moves)), -1)
        self._count(standing, climbed.shown, changes)
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

    def _count(self, standing: np.ndarray, shown: np.ndarray, changes: dict) -> np.ndarray:
        """Count a batch, and say which of it replaced the best; shape (m,).

        `changes` are those of the submission in force, if it was replaced.
        """
        accepted, count, changed = _tally(standing, shown, self.shown)
        self.counts.add(len(shown), count, changed)
        best = self.best
        changes |= {"judged": best.judged + len(shown), "replaced": best.replaced + count}
        self._shows(float(shown[-1]), **changes)
        return accepted

    def _shows(self, score: float, **changes) -> None:
        self.shown = score
        self.best = renewed(self.best, shown=self.scorer.metric.sign * score, **changes)

    def preview(
        self,
        predictions: np.ndarray,
        best: Incumbent | None = None,
        scored: ScoredSubmissions | None = None,
    ) -> np.ndarray:
        """The released score of each prediction if it were submitted next; the board is unchanged.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)
        best : Incumbent, optional
            The submission in force and the number of submissions before; by default those of the
            board.
        scored : ScoredSubmissions, optional
            The predictions as the scorer has judged them, if it has; its `before` is changed.

        Returns
        -------
        ndarray, shape (m,)
        """
        best = best or self.best
        scored = scored or self.scorer.judge(predictions)
        scored.before = best.judged
        batch = self.scorer.rescored(self.mechanism, scored)
        rng = None
        if self.mechanism.is_random:
            rng = self._rng_factory("preview", self.mechanism.setting, self._number, self._batches)
        shown = self._show(batch, self._decided(batch, best, rng, chain=False), best, rng)
        if self._refusing:
            refused = self._refused(predictions, best.judged, chain=False)
            shown[refused] = self.scorer.metric.sign * best.shown
        return shown

    def _gate_rng(self):
        if self._gate_stream is not None:
            return self._gate_stream
        if not self.mechanism.gate.draws_weights:
            return None
        return self._rng_factory("gate", self.mechanism.gate_id, self._number, self._batches)

    def _show(
        self, batch: ScoredSubmissions, standing: np.ndarray, best: Incumbent, rng
    ) -> np.ndarray:
        metric, y = self.scorer.metric, self.scorer.y
        risks = self.mechanism.release.show(batch, best, standing, metric, y, rng)
        if self.mechanism.is_noisy:
            for rule in self.mechanism.rules:
                risks = rule.reuse(risks, standing, best)
        return metric.sign * risks


@kernel
def _tally(standing, shown, before):
    """Which of a batch replaced the best, from the submission in force after each; their number;
    and the number of scores that differ from the one shown before."""
    accepted = np.empty(len(shown), np.bool_)
    count = changed = 0
    for t in range(len(shown)):
        accepted[t] = standing[t] == t
        count += accepted[t]
        changed += shown[t] != before
        before = shown[t]
    return accepted, count, changed
