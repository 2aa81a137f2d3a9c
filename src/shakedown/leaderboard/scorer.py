"""The scorer, which holds the public response, and what it says of submissions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from shakedown.compiled import kernel
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.metrics import ZERO_ONE, Metric

T = TypeVar("T")


def renewed(record: T, **changes) -> T:
    """As `dataclasses.replace`, in a sixth of the time: boards renew a record with every batch."""
    new = object.__new__(type(record))
    new.__dict__.update(record.__dict__, **changes)
    return new


@dataclass(eq=False)
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

    def part(self, at: np.ndarray | slice) -> ScoredSubmissions:
        """Some of them, shape (q,), with the numbers of submissions before that they have here."""
        before = self.before if np.ndim(self.before) == 0 else self.before[at]
        return renewed(self, rows=self.rows[at], risks=self.risks[at], before=before)


@dataclass(frozen=True, eq=False)
class Incumbent:
    """The submission in force: its row, shape (n,), and its risk, infinite if there is none.

    `judged` is the number of submissions that the board has judged so far, `shown` the risk that it
    showed last, NaN if it has shown none, and `replaced` the number of its replacements.  On a
    board that judges one submission at a time, `replaced_at` has the values of `judged` at which
    they happened, and `kept` is the number that the gate has drawn (`gates.Gate.draw`).
    """

    row: np.ndarray
    risk: float
    judged: int = 0
    shown: float = np.nan
    replaced: int = 0
    replaced_at: tuple[int, ...] = ()
    kept: float = 0.0


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
        """The numbers of now."""
        return Counts(self.submissions, self.accepted, self.changed)


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
    keeps_files : bool
        Whether the opening is kept as it was given.  Only defences that refuse files need it.
    undefined_is_zero : bool
        Whether the correlation of a constant prediction is 0, as in simulations.  Otherwise such a
        submission is refused.

    Attributes
    ----------
    response, y : ndarray, shape (n,)
        The public response, and as the metric uses it (its ranks, for Spearman).
    opening : ScoredSubmissions or None
        The scored opening.
    opening_files : ndarray or None
        The opening as it was given, if it is kept.
    """

    def __init__(
        self,
        metric: Metric,
        y: np.ndarray,
        opening: np.ndarray | None = None,
        *,
        keeps_files: bool = True,
        undefined_is_zero: bool = False,
    ) -> None:
        self.metric = metric
        self.response, self.y = y, metric.prepare(y)
        self._undefined_is_zero = undefined_is_zero and metric.larger_is_better
        self.opening_files = opening if keeps_files else None
        self.opening = None if opening is None else self.judge(opening, np.arange(len(opening)))
        self._on_opening: dict[tuple, np.ndarray] = {}
        self._nothing = Incumbent(np.zeros(len(self.y)), np.inf)

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
        if not _all_finite(risks):
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

    def start(self, mechanism: Mechanism) -> Incumbent:
        """What is in force on a new board."""
        best = self._nothing
        for defence in mechanism.rules:
            best = defence.start(best, self)
        if best.risk == np.inf:
            return best
        first = ScoredSubmissions(best.row[None], np.array([best.risk]))
        first = self.rescored(mechanism, first)
        return renewed(best, row=first.rows[0], risk=float(first.risks[0]))

    def rescored(self, mechanism: Mechanism, batch: ScoredSubmissions) -> ScoredSubmissions:
        """Submissions as the mechanism's defences score them."""
        for defence in mechanism.rules:
            batch = defence.rescore(batch, self)
        return batch

    def decide_opening(self, mechanism: Mechanism, number: int, rng: Callable) -> np.ndarray:
        """The submission in force after each of the opening, on a new board.

        Boards with the same `number`, gate and defences use the same random numbers (`rng()`
        returns the generator), so the decisions are computed once for all of them.
        """
        gate = mechanism.gate
        key = gate, mechanism.rules, number
        standing = self._on_opening.get(key)
        if standing is None:
            start, opening = self.start(mechanism), self.rescored(mechanism, self.opening)
            standing = gate.decide(opening, start, self.metric, self.y, chain=True, rng=rng())
            self._on_opening[key] = standing
        return standing


@kernel
def _all_finite(values):
    """Whether all values are finite."""
    finite = 0
    for value in values:
        finite += np.isfinite(value)
    return finite == len(values)
