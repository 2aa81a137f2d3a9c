r"""A meter of labels: how precisely each row has been measured, at most.

A board measures <r_t, y> of labels y that are 0 or 1, with normal noise sigma_t, and lets

    pi_i = sum_t (r_ti / sigma_t)^2

exceed B for no row i.  The sum follows from the files alone, so it may be shown to everybody.  What
it bounds is in `row_precision`; proofs are in docs/leakage.md.

A file's score is rest - <u, y>, u known from the file.  The board does not ask for all of u again
if it resembles earlier files: with u = sum_j c_j r_j + r it measures r alone, and shows
sum_j c_j a_j + a, the a being answers.  This estimate has no bias.  Its variance is
sum_j c_j^2 sigma_j^2 + sigma^2, and sigma^2 follows from the largest r_i^2 relative to what is left
of B in row i.  The weights c make the sum small (`LabelMeter.question`).  So a repeated file is
averaged with its earlier answer, and one that differs little in each row costs little.  Files of 0
and 1 differ in a row by all or nothing, so those are asked about as if they were new.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt

import numpy as np

#: Penalties of the weights that are tried, as shares of the largest that is of use.
PENALTIES = 0.25 ** np.arange(9)
#: A square that is no more than this share of the file's is rounding.
KNOWN = 1e-24
#: Variance of a fair label, for what was not measured.
FAIR = 0.25


@dataclass(frozen=True)
class Question:
    """What a board asks about a file.

    Attributes
    ----------
    weights : ndarray, shape (count,)
        c, of the earlier answers.
    rest : ndarray, shape (n,)
        r, what is measured.
    sd : float
        Standard deviation of the answer's noise; infinite if nothing is asked.
    error : float
        That of the estimate of <u, y>; infinite if there is none without asking.
    """

    weights: np.ndarray
    rest: np.ndarray
    sd: float
    error: float


@dataclass(frozen=True)
class LabelMeter:
    """The measurements so far, and the precision of each row.  It does not change.

    Attributes
    ----------
    precision : float
        B, the most of a row.
    directions : ndarray, shape (count, n)
    products : ndarray, shape (count, count)
        Of the directions with each other.
    variances, answers : ndarray, shape (count,)
        Of the noise; and what was measured.
    of_rows : ndarray, shape (n,)
        pi, which is at most B.
    """

    precision: float
    directions: np.ndarray
    products: np.ndarray
    variances: np.ndarray
    answers: np.ndarray
    of_rows: np.ndarray

    @classmethod
    def new(cls, n: int, precision: float) -> LabelMeter:
        """The meter of a new board of n rows."""
        return cls(
            precision, np.empty((0, n)), np.empty((0, 0)), np.empty(0), np.empty(0), np.zeros(n)
        )

    @property
    def spent(self) -> float:
        """The largest share of B that is spent in a row."""
        return float(self.of_rows.max(initial=0.0)) / self.precision

    def question(self, u: np.ndarray, due: float, least: float) -> Question:
        """What to ask about a file.

        Parameters
        ----------
        u : ndarray, shape (n,)
        due : float
            The share of B that may be spent in each row by then; above 0.
        least : float
            The smallest standard deviation of the noise.

        Notes
        -----
        c minimises max(sigma_0^2, max_i r_i^2 / left_i) + sum_j c_j^2 sigma_j^2 among ridge
        regressions of u on the directions, with the variances of the answers as weights of the
        penalty, and no weights at all.  It depends on files alone.
        """
        left = np.maximum(due * self.precision - self.of_rows, 0.0)  # shape (n,)
        best = self._asked(u, np.zeros(len(self.answers)), left, least)
        if not len(self.answers):
            return best
        along = self.directions @ u
        for penalty in len(u) * float(left.mean()) * PENALTIES:
            c = np.linalg.solve(self.products + np.diag(penalty * self.variances), along)
            if (found := self._asked(u, c, left, least)).error < best.error:
                best = found
        return best

    def _asked(self, u: np.ndarray, c: np.ndarray, left: np.ndarray, least: float) -> Question:
        rest, before = u - c @ self.directions, float(c * c @ self.variances)
        squares = rest * rest
        if squares.max(initial=0.0) <= KNOWN * float(u @ u):  # an earlier file, or a constant
            return Question(c, np.zeros(len(u)), inf, sqrt(before))
        if ((squares > 0.0) & (left <= 0.0)).any():
            return Question(c, rest, inf, inf)
        needed = np.divide(squares, left, out=np.zeros(len(u)), where=squares > 0.0)
        sd = max(least, sqrt(needed.max()))
        return Question(c, rest, sd, sqrt(sd * sd + before))

    def after(self, question: Question, answer: float) -> LabelMeter:
        """The meter after an answer: <r, y> and the noise."""
        rest, variance = question.rest, question.sd**2
        along = self.directions @ rest
        corner = np.array([[float(rest @ rest)]])
        spent = self.of_rows + rest * rest / variance
        return replace(
            self,
            directions=np.concatenate([self.directions, rest[None]]),
            products=np.block([[self.products, along[:, None]], [along[None], corner]]),
            variances=np.append(self.variances, variance),
            answers=np.append(self.answers, answer),
            of_rows=np.minimum(spent, self.precision),  # beyond it by rounding at most
        )

    def estimate(self, u: np.ndarray) -> tuple[float, float]:
        """<u, y> from all answers, and its standard deviation, if nothing more is asked.

        Where nothing was measured, labels count as fair.
        """
        along = self.directions @ u
        c = np.linalg.solve(self.products + np.diag(self.variances / FAIR), along)
        rest = u - c @ self.directions
        variance = FAIR * float(rest @ rest) + float(c * c @ self.variances)
        return float(c @ self.answers + 0.5 * rest.sum()), sqrt(variance)
