r"""A meter of labels: how precisely each row has been measured, at most.

A board measures <r_t, y> of labels y that are 0 or 1, with normal noise sigma_t, and lets

    pi_i = sum_t (r_ti / sigma_t)^2

exceed B for no row i.  The sum follows from the files alone, so it may be shown to everybody.  What
it bounds is in `row_precision`; proofs are in docs/proofs/metered_labels.md.

A file's score is rest - <u, y>, u known from the file.  The board does not ask for all of u again
if it resembles earlier files: with u = sum_j c_j r_j + r it measures r alone, and shows
sum_j c_j a_j + a, the a being answers.  This estimate has no bias.  Its variance is
sum_j c_j^2 sigma_j^2 + sigma^2, and sigma^2 follows from the largest r_i^2 relative to what is left
of B in row i.  The weights c make the sum small (`LabelMeter.question`).  So a repeated file is
averaged with its earlier answer, and one that differs little in each row costs little.  Files of 0
and 1 differ in a row by all or nothing, so those are asked about as if they were new.

Its sums are in `label_sums`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from shakedown.leaderboard.label_sums import best_weights, combined, most_spent, noise_of, read
from shakedown.leaderboard.meter_sums import padded, products
from shakedown.leaderboard.state import renewed

#: The latest answers that a question takes into account, and those that are kept.  Weights take a
#: time that grows with the cube of their number, and all teams of a running board would wait.
LATEST, KEPT = 256, 1024


@dataclass(frozen=True)
class Question:
    """What a board asks about a file.

    Attributes
    ----------
    weights : ndarray, shape (k,)
        c, of the k latest answers.
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

    @property
    def is_asked(self) -> bool:
        """Whether something is measured."""
        return self.sd < inf


@dataclass(frozen=True)
class LabelMeter:
    """The latest measurements, and the precision of each row by all.  It does not change.

    Attributes
    ----------
    precision : float
        B, the most of a row.
    directions : ndarray, shape (count, width)
        Of the n rows, with zeros behind; see `meter_sums.padded`.
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
        directions = padded(np.empty((0, n)))
        return cls(precision, directions, np.empty((0, 0)), np.empty(0), np.empty(0), np.zeros(n))

    @property
    def count(self) -> int:
        """Number of measurements that are kept."""
        return len(self.answers)

    @property
    def spent(self) -> float:
        """The largest share of B that is spent in a row."""
        return float(self.of_rows.max(initial=0.0)) / self.precision

    def spent_after(self, question: Question) -> float:
        """`spent` once this was asked."""
        if not question.is_asked:
            return self.spent
        most = most_spent(self.of_rows, question.rest, question.sd)
        return min(most, self.precision) / self.precision

    def question(
        self, u: np.ndarray, due: float, least: float, weights: np.ndarray | None = None
    ) -> Question:
        """What to ask about a file.

        Parameters
        ----------
        u : ndarray, shape (n,)
        due : float
            The share of B that may be spent in each row by then; above 0.
        least : float
            The smallest standard deviation of the noise.
        weights : ndarray, shape (k,), optional
            Those of the question, if they are known.

        Notes
        -----
        c minimises max(sigma_0^2, max_i r_i^2 / left_i) + sum_j c_j^2 sigma_j^2 among ridge
        regressions of u on the `LATEST` directions, with the variances of the answers as weights of
        the penalty, and no weights at all.  It depends on files alone.
        """
        left = np.maximum(due * self.precision - self.of_rows, 0.0)  # shape (n,)
        first = max(self.count - LATEST, 0)
        (wide,), directions = padded(u[None]), self.directions[first:]
        variances, known = self.variances[first:], self.products[first:, first:]
        if weights is None or len(weights) != len(variances):
            known = np.ascontiguousarray(known)
            weights = best_weights(wide, directions, known, variances, left, least)
        rest = np.empty(len(wide))
        sd, error = noise_of(wide, weights, directions, variances, left, least, rest)
        return Question(weights, rest[: len(u)], sd, error)

    def combined(self, question: Question) -> float:
        """What earlier answers say of a file that is asked about."""
        return combined(question.weights, self.answers[self.count - len(question.weights) :])

    def after(self, question: Question, answer: float) -> LabelMeter:
        """The meter after an answer: <r, y> and the noise."""
        rest, variance = question.rest, question.sd**2
        (wide,), first = padded(rest[None]), max(self.count + 1 - KEPT, 0)
        count = self.count - first
        known = np.zeros((count + 1, count + 1))
        known[:count, :count] = self.products[first:, first:]
        directions = np.concatenate([self.directions[first:], wide[None]])
        products(directions, wide, len(wide), known[count])
        known[:, count] = known[count]
        spent = self.of_rows + rest * rest / variance
        return renewed(
            self,
            directions=directions,
            products=known,
            variances=np.append(self.variances[first:], variance),
            answers=np.append(self.answers[first:], answer),
            of_rows=np.minimum(spent, self.precision),  # beyond it by rounding at most
        )

    def estimates(self, files: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """<u, y> of files by all answers, and its standard deviation, if nothing more is asked.

        Parameters
        ----------
        files : ndarray, shape (m, n)

        Returns
        -------
        means, sds : ndarray, shape (m,)

        Notes
        -----
        Labels count as normal around a half, with the variance of a fair one times 1, 10 or 100,
        as likely as the answers make it: files of models know much of them, and would be taken for
        random ones with the first alone.
        """
        means, sds = np.empty(len(files)), np.empty(len(files))
        add = np.add.reduce
        read(
            padded(files), add(files, axis=1), self.directions, add(self.directions, axis=1),
            self.products, self.variances, self.answers, means, sds,
        )  # fmt: skip
        return means, sds
