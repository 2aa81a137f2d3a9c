"""The scorer, which holds the public response, and what it says of submissions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shakedown.compiled import kernel
from shakedown.interface import InputError
from shakedown.metrics import ZERO_ONE, Metric


@dataclass(eq=False)
class ScoredSubmissions:
    """Scored submissions.

    Attributes
    ----------
    rows : ndarray, shape (m, n)
        The metric's terms for each public row, or group of rows (`Metric.on`).
    risks : ndarray, shape (m,)
    before : int or ndarray of int, shape (m,)
        Number of submissions that the participant's board has judged before each.
    files : ndarray, shape (m, n), or None
        The predictions; None if they are not kept.
    products : ndarray, shape (k,), or None
        Of a file that comes alone: its products with files before it, where the release has
        computed them already (`releases.Release.products`).
    """

    rows: np.ndarray
    risks: np.ndarray
    before: int | np.ndarray = 0
    files: np.ndarray | None = None
    products: np.ndarray | None = None

    def part(self, at: np.ndarray | slice) -> ScoredSubmissions:
        """Some of them, shape (q,), with the numbers of submissions before that they have here."""
        before = self.before[at] if isinstance(self.before, np.ndarray) else self.before
        files = None if self.files is None else self.files[at]
        return ScoredSubmissions(self.rows[at], self.risks[at], before, files, self.products)


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
        Whether scored submissions keep their files.  Only defences that refuse files need them.
    undefined_is_zero : bool
        Whether the correlation of a constant prediction is 0, as in simulations.  Otherwise such a
        submission is refused.

    Attributes
    ----------
    response, y : ndarray, shape (n,)
        The public response, and as the metric uses it (its ranks, for Spearman).
    opening : ScoredSubmissions or None
        The scored opening.
    decided : dict
        What each gate has decided on the opening; see `judge.Judge.decide_opening`.
    no_row : ndarray, shape (n,)
        The row of a board on which nothing is in force.

    Examples
    --------
    >>> import numpy as np
    >>> import shakedown
    >>> y = np.array([0.2, 1.4, 2.5, 0.1, 1.9, 2.2])
    >>> files = np.array([[0.0, 1.0, 2.0, 0.0, 2.0, 2.0], y[::-1], np.full(6, 1.4)])
    >>> scorer = shakedown.Scorer(shakedown.find_metric("rmse"), y)
    >>> scored = scorer.judge(files)
    >>> scored.risks.round(2)  # the scores, as a smaller RMSE is better
    array([0.29, 1.83, 0.93])
    >>> scored.risks.argsort() + 1  # the best file first
    array([1, 3, 2])
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
        self._keeps_files = keeps_files
        self.opening = None if opening is None else self.judge(opening, np.arange(len(opening)))
        width = len(self.y)
        if metric.groups is not None and metric.has_losses:
            width = int(metric.groups.max()) + 1
        self.no_row, self.decided = np.zeros(width), {}

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
        if hides and not _all_finite(predictions.ravel()):
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
        return ScoredSubmissions(rows, risks, before, predictions if self._keeps_files else None)

    def _refusal(self, submission: int, kind: str) -> str:
        return (
            f"submission {submission + 1} of this batch has no {self.metric.name}: its predictions "
            f"are {kind}. Submit finite predictions that differ between rows."
        )


@kernel
def _all_finite(values):
    """Whether all values are finite."""
    finite = 0
    for value in values:
        finite += np.isfinite(value)
    return finite == len(values)
