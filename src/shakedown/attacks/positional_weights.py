"""Positional weights: one exact score tells some forty responses that take two values.

The response is one of two numbers a < b in each row.  Both follow from one of its entries and from
the number of rows that have the larger one: with x = 1 in n_1 rows and x = 0 in n_0, the
standardised y = a + D x has D = sqrt(n (n - 1) / (n_0 n_1)) and a = -D n_1 / n.  So the attacker
need not know more than that there are two values.

1. A file that is 0 in all rows but one tells y_1: its sign is x_1, its size n_1, and so a and b.
2. A file with the entries w, 2 w, ..., 2^(m - 1) w in m other rows, and 0 elsewhere, has the
   product <y, p> = a sum(p) + D w N with the response (see `linear_probe`), and the binary digits
   of the whole number N are the x of these rows.

The digits must not drown in the errors of the score.  Under the mean squared error a sum of n
losses, n - 1 + |p|^2 in all, has a rounding error of about 2^-53 sqrt(n) times the sum, and a
score rounded to a step hides up to n step / 2 more.  Of the powers of 2, the largest weight is the
one that leaves room for most digits.  With 209 rows, half of them 1, these are 43, so that 6 files
tell all rows; 28 if the score has five decimals, and 9 files.

The mean absolute error of a prediction p between a and b is linear in x: |p - y| is p - a or
b - p.  So there the entries are (a + b) / 2 less half of the weights, of which none exceeds D.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from shakedown.attacks.adversary import Adversary, PreparedAdversary, Run
from shakedown.attacks.attack import Scope
from shakedown.attacks.linear_probe import R2, products, scale_of
from shakedown.interface import ParticipantData
from shakedown.metrics import find
from shakedown.metrics.classes import PROBABILITIES
from shakedown.terms import Terms

#: Rounding error of a sum of n numbers, relative to their sum and to sqrt(n): some ten standard
#: deviations.
SUM = 4.0 * 2.0**-53
#: Largest error that N may have, and distance from a whole number at which it is not believed.
ERROR, REFUSED = 0.25, 0.3
#: Largest weights that are tried, and most digits of a whole number in a double.
LARGEST, DIGITS = 2.0 ** np.arange(200), 52


class PositionalWeights(Adversary):
    """The attack with positional weights."""

    name: ClassVar[str] = "positional_weights"
    label: ClassVar[str] = "Positional weights"
    phrase: ClassVar[str] = "the attack with positional weights"
    sentence: ClassVar[str] = (
        "For a response with two values: submits powers of two, and reads some forty responses off "
        "the binary digits of each exact score; ends with zeros if there are more values."
    )
    order: ClassVar[float] = 8.5
    needs_margin: ClassVar[bool] = False
    metrics: ClassVar[tuple[str, ...]] = ("mse", "rmse", "mae", "pearson", "ccc", *R2)

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        # Probabilities must not lie far beyond 0 and 1: `weighted_probabilities`.
        fits = scope.values == 2 and find(scope.metric).predicts != PROBABILITIES
        return super().for_dry_run(scope) if fits else {}

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        # Other boards show no number that is certainly a file's own.
        return terms.shows_own_scores

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedPositionalWeights:
        return PreparedPositionalWeights(self, participant, model, rng)


class PreparedPositionalWeights(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        n, k, terms = self.n, self.submissions, run.terms
        book, first = first_row(run, n)
        x = np.full(n, np.nan)
        end, used, done = self.honest, 0, 1
        if book is not None:
            x[0], used = float(first > 0.0), 1
            end = book.expected(x)
        run.would_end(end, 1, used)
        width, largest = (0, 0.0) if book is None else room(terms, n, book.gap)
        while done < k and used and width and np.isnan(x).any():
            rows = np.flatnonzero(np.isnan(x))[:width]
            weights = largest * 2.0 ** -np.arange(len(rows))
            digits = ask(run, n, book, rows, weights)
            done += 1
            if digits is not None:
                x[rows] = digits
            if digits is None or not book.allows(x):  # there are more than two values
                end, used = self.honest, 0
            else:
                end, used = book.expected(x), used + 1
            run.would_end(end, done, used)
        self._stay(run, end, done, used)


class Book(NamedTuple):
    """The two values of a standardised response.

    Attributes
    ----------
    low, gap : float
        The smaller value, and the difference of the two.
    ones : int
        Rows that have the larger value.
    """

    low: float
    gap: float
    ones: int

    def allows(self, x: np.ndarray) -> bool:
        """Whether the known digits, shape (n,), NaN if unknown, do not contradict the count."""
        left = self.ones - np.nansum(x)
        return bool(0 <= left <= np.isnan(x).sum())

    def expected(self, x: np.ndarray) -> np.ndarray:
        """Mean of the response given some digits; both of shape (n,)."""
        unknown = np.isnan(x)
        share = (self.ones - np.nansum(x)) / max(unknown.sum(), 1)
        return self.low + self.gap * np.where(unknown, share, x)


def book_of(first: float, n: int) -> Book | None:
    """The two values of a standardised response, from its first entry; None if there are more."""
    if not np.isfinite(first):  # a file that was refused
        return None
    ratio = first * first * n / (n - 1.0)  # n_1 / n_0 if x_1 = 0, n_0 / n_1 if x_1 = 1
    ones = n / (1.0 + ratio) if first > 0.0 else n * ratio / (1.0 + ratio)
    count = round(ones)
    if abs(ones - count) > REFUSED or not 0 < count < n:
        return None
    return book_of_ones(count, n)


def book_of_ones(ones: int, n: int) -> Book:
    """The two values of a standardised response, of which so many are the larger one."""
    gap = float(np.sqrt(n * (n - 1.0) / (ones * (n - ones))))
    return Book(-gap * ones / n, gap, ones)


def first_row(run: Run, n: int) -> tuple[Book | None, float]:
    """Submit a file that tells the first entry of the response, and so the two values."""
    file = np.zeros(n)
    if run.terms.metric == "mae":
        # Entries must be above all responses; <y, p> = 2 sqrt(n) y_1.
        file[:] = -scale_of(run.terms, n)
        file[0] *= -1.0
        entry = 2.0 * file[0]
    else:
        entry = LARGEST[np.argmax(LARGEST / error(run.terms, n, LARGEST**2))]
        file[0] = entry
    value, _ = products(run, file[None], run.submit(file[None]))
    first = float(value[0]) / entry
    return book_of(first, n), first


def error(terms: Terms, n: int, squares):
    """Largest error of <y, p> of a file with these squares, from its score."""
    half, sums = 0.5 * terms.step, SUM * np.sqrt(n)
    total = n - 1.0 + squares
    if terms.metric == "pearson":
        return np.sqrt((n - 1.0) * squares) * (half + sums)
    if terms.metric == "ccc":
        return 0.5 * total * (half + sums)
    hidden = (n - 1.0 if terms.metric in R2 else n) * half
    if terms.metric == "rmse":
        hidden = hidden * 2.0 * np.sqrt(total / n)
    return 0.5 * (hidden + sums * total)


def room(terms: Terms, n: int, gap: float) -> tuple[int, float]:
    """How many digits a score can tell, and the largest weight."""
    if terms.metric == "mae":
        largest = gap
        most = ERROR * gap / (0.5 * n * (terms.step + SUM * np.sqrt(n) * gap))
    else:
        rooms = ERROR * gap * LARGEST / error(terms, n, 4.0 / 3.0 * LARGEST**2)
        at = np.argmax(rooms)
        largest, most = float(LARGEST[at]), rooms[at]
    return min(int(np.log2(most)) + 1, DIGITS) if most >= 1.0 else 0, largest


def ask(run: Run, n: int, book: Book, rows: np.ndarray, weights: np.ndarray) -> np.ndarray | None:
    """Submit a file, and read the digits of these rows, shape (m,); None if there are more values.

    The weights fall by halves.
    """
    file = np.zeros(n)
    if run.terms.metric == "mae":
        file += book.low + 0.5 * book.gap
        file[rows] -= 0.5 * weights
        shown = run.submit(file[None])[0]
        # The loss of a row is half of the gap, less or plus half of its weight.
        total = n * shown - 0.5 * (n * book.gap - weights.sum())
    else:
        file[rows] = weights
        value, _ = products(run, file[None], run.submit(file[None]))
        total = (value[0] - book.low * weights.sum()) / book.gap
    number = total / weights[-1]
    whole = round(number) if np.isfinite(number) else -1
    if abs(number - whole) > REFUSED or not 0 <= whole < 2 ** len(rows):
        return None
    return np.array([whole >> i & 1 for i in range(len(rows))][::-1], dtype=float)
