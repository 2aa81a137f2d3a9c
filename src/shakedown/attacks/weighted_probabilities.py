"""Weighted probabilities: one exact log loss or Brier score reveals some forty labels.

The probability 1/2 costs the same for both labels, so unknown rows with it do not matter.  Known
rows get their labels as probabilities, and cost nothing.  In a block of m rows, the costs of the
two labels differ by w_1 > w_2 > ... > w_m, each half of the one before: the score reveals the sum
of the weights of the ones as a whole number N of w_m, whose binary digits are the labels.

- Log loss: the logit of the probability is minus the weight, and what is left is known,
  n score - (unknown rows) log 2 - sum of log(1 + exp(-w)) = sum of w x.  Probabilities are clipped,
  so no weight exceeds 34.5.
- Brier score: the probability is 1/2 and half of the weight, of which none exceeds 1.  Boards of
  probabilities refuse numbers beyond 0 and 1, which `positional_weights` sends.

On a standardised response probabilities are on its scale, so the attacker needs the number of rows
of each class.  At first it takes their shares in the training rows.  The first file has fewer
digits than a score can tell; the spare ones show whether N is whole.  If it is not, another file
tells the number of rows: the log loss of the same probability for all rows depends on it, and
so does a single response.

The digits must not drown in the errors of the score: a step hides up to n step / 2, a sum has a
rounding error, and the larger weights depend on the last digits of a probability near 0.  The
costs of the other rows are added in the order of the rows, as boards do: many equal costs are all
rounded in the same direction.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np

from shakedown.attacks.adversary import Adversary, PreparedAdversary, Run
from shakedown.attacks.areas import ones_of, share_of
from shakedown.attacks.attack import Scope
from shakedown.attacks.positional_weights import DIGITS, Book, book_of_ones
from shakedown.interface import ParticipantData
from shakedown.metrics.log_loss import SMALLEST
from shakedown.terms import Terms

#: Largest error of N, and of the score of a file when rows are counted.
ERROR, EXACT = 0.499, 1e-9
#: Digits that are left out of the first file; half of them at most.
SPARE = 6
#: Error of a probability on the scale of a standardised response, and that of a sum of n costs,
#: relative to it and to sqrt(n): some four standard deviations.
PLACE, SUM = 2.0**-51, 2.0**-53
#: The logit of the smallest probability that is not clipped, and others that are tried.
CLIPPED = float(np.log((1.0 - SMALLEST) / SMALLEST))
LOGITS = np.append(np.arange(0.5, 30.0, 0.25), CLIPPED)


class WeightedProbabilities(Adversary):
    """The attack with weighted probabilities."""

    name: ClassVar[str] = "weighted_probabilities"
    label: ClassVar[str] = "Weighted probabilities"
    phrase: ClassVar[str] = "the attack with weighted probabilities"
    sentence: ClassVar[str] = (
        "For two classes: the costs of a row's two labels differ by a power of two, so that the "
        "binary digits of each exact log loss or Brier score reveal some forty labels."
    )
    source: ClassVar[str] = "after Whitehill 2018 (arXiv 1707.01825)"
    order: ClassVar[float] = 8.7
    needs_margin: ClassVar[bool] = False
    metrics: ClassVar[tuple[str, ...]] = ("log_loss", "brier")

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        return super().for_dry_run(scope) if scope.values == 2 else {}

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return terms.shows_own_scores

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedWeightedProbabilities:
        return PreparedWeightedProbabilities(self, participant, model, rng)


class PreparedWeightedProbabilities(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        n, k = self.n, self.submissions
        if self._view.groups is not None:  # a group may have rows of both classes
            self._idle(run)
            return
        kind = LogLosses() if run.terms.metric == "log_loss" else SquaredErrors()
        x, end, used, done = np.full(n, np.nan), self.honest, 0, 0
        is_counted = is_over = False
        sizes = [ones_of(self._view.y_train, n)]
        while done < k and sizes and np.isnan(x).any():
            book = book_of_ones(sizes[0], n)
            rows, weights, spare = block_of(kind, run.terms, x, book, is_first=not used)
            if not len(rows):
                break
            file, cost = kind.file(book, x, rows, weights)
            digits = digits_of(n * float(run.submit(file[None])[0]) - cost, weights, spare)
            done += 1
            if digits is not None:
                x[rows] = digits
            if digits is not None and book.allows(x):
                end, used = book.expected(x), used + 1
            else:  # another size, or more than two values
                sizes, is_over = sizes[1:], used > 0 or (is_counted and len(sizes) == 1)
                x[:], end, used = np.nan, self.honest, 0
            run.would_end(end, done, used)
            if is_over:
                break
            if not sizes and done < k:
                sizes, is_counted, done = self._counted(run, kind), True, done + 1
                run.would_end(end, done, used)
        self._stay(run, end, done, used)

    def _counted(self, run: Run, kind: Costs) -> list[int]:
        """The sizes of the positive class that fit the score of another file, likely ones first."""
        n, y = self.n, self._view.y_train
        file = kind.counting(book_of_ones(ones_of(y, n), n), n)
        shown, sizes = float(run.submit(file[None])[0]), np.arange(1, n)
        off = np.abs(kind.scores_of_sizes(file, sizes) - shown).min(axis=0)
        found = sizes[off <= 0.5 * run.terms.step + EXACT].tolist()
        return sorted(found, key=lambda size: abs(size - share_of(y) * n))


def block_of(
    kind: Costs, terms: Terms, x: np.ndarray, book: Book, *, is_first: bool
) -> tuple[np.ndarray, np.ndarray, int]:
    """The rows that the next file asks for, their weights, and the digits that it leaves out."""
    unknown = np.flatnonzero(np.isnan(x))
    largest, digits = kind.room(terms, len(x), len(unknown), book.ones - int(np.nansum(x)), book)
    width = max(min(int(digits), DIGITS), 0)
    spare = min(SPARE, width // 2) if is_first else 0
    rows = unknown[: width - spare]
    return rows, largest * 2.0 ** -np.arange(len(rows)), spare


class Costs(Protocol):
    """A score that is a mean of costs of probabilities."""

    def room(
        self, terms: Terms, n: int, unknown: int, ones: int, book: Book
    ) -> tuple[float, float]:
        """The largest weight, and how many digits a score can tell.

        Of n rows, `unknown` are unknown, and `ones` of these have the larger value.
        """
        ...

    def file(
        self, book: Book, x: np.ndarray, rows: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, float]:
        """The file that asks for rows, shape (n,), and n times its score if all of them are 0."""
        ...

    def counting(self, book: Book, n: int) -> np.ndarray:
        """A file whose score tells the number of rows of each class, shape (n,)."""
        ...

    def scores_of_sizes(self, file: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Its scores for sizes of the larger class, shape (2, k): if the first row is 0, and 1."""
        ...


class LogLosses:
    """The log loss."""

    def room(
        self, terms: Terms, n: int, unknown: int, ones: int, book: Book
    ) -> tuple[float, float]:
        # The largest weight is exact if it is clipped, and the next one is half of it.
        exposed = np.where(LOGITS == CLIPPED, 0.5 * CLIPPED, LOGITS)
        errors = 0.5 * n * terms.step + PLACE * (uneven(unknown, ones) + 2.0 * np.exp(exposed))
        errors = errors + SUM * np.sqrt(n) * (unknown * np.log(2.0) + 2.0 * LOGITS)
        digits = np.log2(ERROR * LOGITS / errors) + 1.0
        at = int(np.argmax(digits))
        return float(LOGITS[at]), float(digits[at])

    def file(
        self, book: Book, x: np.ndarray, rows: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, float]:
        shares = np.where(np.isnan(x), 0.5, x)
        shares[rows] = np.exp(-weights) / (1.0 + np.exp(-weights))
        costs = np.where(np.isnan(x), np.log(2.0), -np.log1p(-SMALLEST))
        costs[rows] = np.log1p(np.exp(-weights)) + 0.5 * weights  # as large as on average
        return book.low + book.gap * shares, float(np.cumsum(costs)[-1] - 0.5 * weights.sum())

    def counting(self, book: Book, n: int) -> np.ndarray:
        share = 0.5 * book.ones / n + 0.35  # not 1/2
        return np.full(n, book.low + book.gap * share)

    def scores_of_sizes(self, file: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        n = len(file)
        gaps = np.sqrt(n * (n - 1.0) / (sizes * (n - sizes)))
        shares = file[0] / gaps + sizes / n
        ones, zeros = (np.log(np.clip(p, SMALLEST, 1.0 - SMALLEST)) for p in (shares, 1.0 - shares))
        scores = -(sizes * ones + (n - sizes) * zeros) / n
        return np.array([scores, scores])


class SquaredErrors:
    """The Brier score."""

    def room(
        self, terms: Terms, n: int, unknown: int, ones: int, book: Book
    ) -> tuple[float, float]:
        largest = book.gap**2
        errors = 0.5 * n * terms.step + PLACE * uneven(unknown, ones) * largest
        errors += SUM * np.sqrt(n) * largest * (unknown / 4.0 + 1.0)
        return largest, float(np.log2(ERROR * largest / errors)) + 1.0

    def file(
        self, book: Book, x: np.ndarray, rows: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, float]:
        # (1/2 - d - x)^2 is (1/2 - d)^2, and 2 d more if x is 1.
        shares = np.where(np.isnan(x), 0.5, x)
        shares[rows] = 0.5 - 0.5 * weights / book.gap**2
        costs = np.where(np.isnan(x), 0.25, 0.0)
        costs[rows] = shares[rows] ** 2
        return book.low + book.gap * shares, float(book.gap**2 * costs.sum())

    def counting(self, book: Book, n: int) -> np.ndarray:
        file = np.zeros(n)
        file[0] = book.low + book.gap
        return file

    def scores_of_sizes(self, file: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        n = len(file)
        gaps = np.sqrt(n * (n - 1.0) / (sizes * (n - sizes)))
        first = np.array([-gaps * sizes / n, gaps * (n - sizes) / n])
        return (n - 1.0 + file[0] ** 2 - 2.0 * file[0] * first) / n


def uneven(unknown: int, ones: int) -> float:
    """A bound on how many more unknown rows are of one class than of the other, about."""
    return 2.0 * (abs(unknown - 2.0 * ones) + 3.0 * np.sqrt(unknown))


def digits_of(total: float, weights: np.ndarray, spare: int) -> np.ndarray | None:
    """The digits of a sum of weights, shape (m,); None if `total` is no such sum."""
    number = total / weights[-1]
    whole = round(number) if np.isfinite(number) else -1
    if abs(number - whole) > 1.1 * ERROR / 2.0**spare or not 0 <= whole < 2 ** len(weights):
        return None
    return np.array([whole >> i & 1 for i in range(len(weights))][::-1], dtype=float)
