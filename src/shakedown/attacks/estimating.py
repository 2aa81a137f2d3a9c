"""What a gate that publishes nothing does, estimated from an account's own receipts.

A new account without a score to begin with submits files A s and B s' of two vectors of signs, on
a scale far above any response.  Their scores tell <y, s> and <y, s'>, so the score of each further
file of these signs is known before it is shown.  On a board that shows the best score so far, a
file was accepted if the shown score falls.  Rounding hides less of <y, s> the larger A is, unless
the score is a root: then some files go down by odd amounts, and each tells a bit more.

- *Margin.*  Two files of the same signs differ by almost the same number in every row, so that any
  paired test is passed.  Bisection on the fall, in equal ratios, finds the least that is accepted.
- *Critical value.*  Files of different signs, on about the scale a, differ by a fall D.  In a row
  its standard deviation is 4 a times the root of the share of rows with different signs.
  Bisection on D finds the critical value.

All files stay far above the response, so the account can then begin as if it were new.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import floor, log10, sqrt

import numpy as np

from shakedown.interface import Acceptance, Terms

#: Scale of the files.  The scores, about its square, must be exact to far below a margin.
SCALE = 1000.0
#: Least and largest margin that is looked for, in units of the score, and the steps of the search.
LEAST, LARGEST, MARGINS = 1e-4, 1.0, 8
#: Largest critical value, and the steps of the search.
CRITICAL, CRITICALS = 6.0, 6
#: A margin below this share of the step cannot be told from 0, nor one about as large from it.
NEARLY = 0.8
#: Smaller critical values are those of no test: rounding of a root can look so.
UNLIKELY = 0.4
#: Scales of the first files, in `SCALE`, and falls of those that follow if the score is a root.
FIRST, ODD = (150.0, 100.0, 1.0), (1.37, 0.61, 1.13, 0.83)


def files_of(terms: Terms) -> int:
    """How many files `estimated` takes."""
    if not (is_needed(terms) and is_possible(terms)):
        return 0  # nothing is unknown, or an attack cannot play
    return len(FIRST) + len(ODD) * (terms.metric == "rmse") + MARGINS + CRITICALS


def is_needed(terms: Terms) -> bool:
    """Whether the gate says nothing, and it matters to those who see the score in force."""
    return "gate" in terms.silent and terms.shows_best and not terms.replaces_always


def is_possible(terms: Terms) -> bool:
    """Whether `estimated` can be used: nothing else on the board is unknown, or in its way."""
    free = (terms.improvements, terms.improvements_per_day, terms.largest_variance,
            terms.largest_loss, terms.schedule)  # fmt: skip
    bare = all(one is None for one in free) and not (terms.begins or terms.nearest)
    plain = bare and not terms.is_noisy
    return terms.silent == ("gate",) and plain and terms.metric in ("mse", "rmse")


def estimated(
    terms: Terms, signs: np.ndarray, submit: Callable[[np.ndarray], float], scale: float
) -> Terms:
    """The terms of a board with an estimate of when it accepts a file.

    Parameters
    ----------
    terms : Terms
        What it publishes; `is_possible` holds.
    signs : ndarray, shape (2, n)
        Signs that are independent of the response.
    submit : callable
        ``submit(file) -> released``, for `files_of(terms)` files of shape (n,).
    scale : float
        Scale of the files: `SCALE`, or more to stay above what follows.
    """
    one = _Ladder(terms, signs, submit, scale)
    margin = one.margin()
    return replace(terms, acceptance=Acceptance(margin, one.critical(margin)), silent=())


class _Ladder:
    """A board whose best file is of known signs, and always goes down."""

    def __init__(self, terms, signs, submit, scale) -> None:
        self._signs, self._submit, self._step = signs, submit, terms.step
        self._differ = float(np.mean(signs[0] != signs[1]))
        self._root, self._n = terms.metric == "rmse", signs.shape[1]
        # Between what <y, s> / n lies, for both signs.
        self._low, self._high = np.full(2, -np.inf), np.full(2, np.inf)
        for k, times in enumerate(FIRST):
            self._shows(k % 2, times * scale, submit(times * scale * signs[k % 2]))
        for fall in ODD * self._root:
            self._passes(self._in_force, self.shown - fall)

    def _shows(self, k: int, a: float, shown: float) -> None:
        """Take in that signs k on a scale are in force, and what they show."""
        self._in_force, self._a, self.shown = k, a, shown
        ends = np.array([shown + 0.5 * self._step, shown - 0.5 * self._step])
        mean = ends**2 if self._root else ends
        low, high = (self._at_zero + a * a - mean) / (2.0 * a)
        self._low[k], self._high[k] = max(self._low[k], low), min(self._high[k], high)

    @property
    def _at_zero(self) -> float:
        """The mean squared error of zeros, of a response with variance 1."""
        return (self._n - 1.0) / self._n

    def _scale_for(self, k: int, score: float) -> float:
        """The scale at which signs k have a score."""
        mean = score * score if self._root else score
        product = 0.5 * (self._low[k] + self._high[k])
        return product + sqrt(max(product**2 + mean - self._at_zero, 0.0))

    def _passes(self, k: int, score: float) -> bool:
        """Submit signs k so that they have this score; whether they replace the best."""
        a = self._scale_for(k, score)
        new = self._submit(a * self._signs[k])
        accepted = new != self.shown
        if accepted:
            self._shows(k, a, new)
        return accepted

    def margin(self) -> float:
        """The least fall that is accepted; 0 if it is less than rounding hides."""
        low, high = LEAST, LARGEST
        for _ in range(MARGINS):
            fall = sqrt(low * high)
            if self._passes(self._in_force, self.shown - fall):
                high = fall
            else:
                low = fall
        if low <= max(LEAST, NEARLY * self._step):
            return 0.0
        # Ladders with a margin usually round to it.
        return self._step if NEARLY * high < self._step < low / NEARLY else roundest(low, high)

    def critical(self, margin: float) -> float:
        """The critical value of a paired test; 0 if there is none."""
        low, high = 0.0, CRITICAL
        for _ in range(CRITICALS):
            c = 0.5 * (low + high)
            passes = self.shown - margin
            mean = passes**2 if self._root else passes
            # The new file has about the scale of the one in force.  Their losses differ where their
            # signs do, by 4 a y.
            error = 4.0 * self._a * sqrt(self._differ / self._n)
            score = mean - c * error
            if self._passes(1 - self._in_force, sqrt(score) if self._root else score):
                high = c
            else:
                low = c
        return 0.5 * (low + high) if low > UNLIKELY else 0.0


def roundest(low: float, high: float) -> float:
    """The number with the fewest digits between two positive numbers."""
    for digits in range(1, 17):
        unit = 10.0 ** (floor(log10(high)) + 1 - digits)
        number = floor(high / unit) * unit
        if number >= low:
            return float(f"{number:.{digits}g}")
    return high
