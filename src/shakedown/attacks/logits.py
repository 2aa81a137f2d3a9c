"""Log losses, which adversaries on levels read as mean squared errors.

Let a share q of the rows be in the positive class, so that their labels are x = q + s y with
s^2 = q (1 - q) and a standardised response y.  A file of probabilities with the logits
l_0 + p / s, where l_0 is that of q, has the log loss

    H(q) + (|p|^2 / 2 - <y, p>) / n,

up to terms of third order in p, and H(q) is that of the constant q.  So it is half of the mean
squared error of p, up to a constant.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shakedown.attacks.adversary import PreparedAdversary
from shakedown.attacks.areas import ones_of, shifted
from shakedown.attacks.positional_weights import book_of_ones
from shakedown.attacks.units import Rows
from shakedown.interface import ParticipantData
from shakedown.metrics.classes import LEAST_PROBABLE
from shakedown.terms import Terms

#: What attacks on levels read.
READ = ("mse", "rmse", "log_loss")
#: What a log loss is multiplied by.
TWICE = 2.0


class Logits(Rows):
    """A number for each row, or each group of rows, that is added to a logit.

    Parameters
    ----------
    codes : ndarray of int, shape (n,), or None
        As for `Rows`.
    n, ones : int
        Rows, and those of the positive class.
    """

    def __init__(self, codes: np.ndarray | None, n: int, ones: int) -> None:
        super().__init__(codes)
        self._book, q = book_of_ones(ones, n), ones / n
        self._logit, self._sd = np.log(q / (1.0 - q)), np.sqrt(q * (1.0 - q))
        entropy = -q * np.log(q) - (1.0 - q) * np.log(1.0 - q)
        self._shift = 1.0 - 1.0 / n - TWICE * entropy

    def files(self, numbers: np.ndarray) -> np.ndarray:
        numbers = super().files(numbers)
        shares = 1.0 / (1.0 + np.exp(-self._logit - numbers / self._sd))
        # Zeros stay what they are, up to rounding.
        return np.where(numbers == 0.0, 0.0, self._book.low + self._book.gap * shares)

    def numbers(self, file: np.ndarray) -> np.ndarray:
        shares = (super().numbers(file) * self._size - self._book.low) / self._book.gap
        shares = np.clip(shares, LEAST_PROBABLE, 1.0 - LEAST_PROBABLE)
        return self._sd * (np.log(shares / (1.0 - shares)) - self._logit) / self._size

    def score(self, terms: Terms) -> float:
        return TWICE

    def read(self, terms: Terms, files: np.ndarray, shown: np.ndarray) -> np.ndarray:
        return TWICE * shown + self._shift

    def seen(self, terms: Terms) -> Terms:
        return replace(shifted(super().seen(terms), -self._shift), metric="mse")


class ReadsLogits(PreparedAdversary):
    """An adversary on squared errors that reads log losses, too."""

    def _suit(self, terms: Terms) -> None:
        super()._suit(terms)
        if terms.metric == "log_loss":
            self._use(*logits_of(self._view))


def logits_of(view: ParticipantData) -> tuple[Rows, Rows]:
    """The units of the public and of the final rows under the log loss."""
    codes = (None, None) if view.groups is None else view.groups[1:]
    rows = len(view.X_public), len(view.X_final)
    public, final = (
        Logits(own, n, ones_of(view.y_train, n)) for own, n in zip(codes, rows, strict=True)
    )
    return public, final
