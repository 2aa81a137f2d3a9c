"""A descent: files on an account, far above any response, each better than the one before.

A new account without a score to begin with submits files A s and B s' of two vectors of signs, on
a scale far above any response.  Their scores tell <y, s> and <y, s'>, so the score of each further
file of these signs is known before it is shown.  On a board that shows the best score so far, a
file was accepted if the shown score falls.  Rounding hides less of <y, s> the larger A is, unless
the score is a root: then some files go down by odd amounts, and each tells a bit more.

- *Step.*  Files of the same signs go down by odd amounts; the shown numbers are multiples of it.
- *Margin.*  Two files of the same signs differ by almost the same number in every row, so that any
  paired test is passed.  Bisection on the fall, in equal ratios, finds the least that is accepted.
- *Critical value.*  Files of different signs, on about the scale a, differ by a fall D.  In a row
  its standard deviation is 4 a times the root of the share of rows with different signs.
  Bisection on D finds the critical value.

Every shown number tells between which two numbers <y, s> lies.  If these contradict each other, the
board does not show rounded scores of the best file.

All files stay far above the response, so the account can then begin as if it were new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import floor, inf, isfinite, log10, sqrt

import numpy as np

from shakedown.terms import Acceptance, Terms

#: Least and largest margin that is looked for, in units of the score, and the steps of the search.
LEAST, LARGEST, MARGINS = 1e-4, 1.0, 8
#: Largest critical value, and the steps of the search.
CRITICAL, CRITICALS = 6.0, 6
#: A margin below this share of the step cannot be told from 0, nor one about as large from it.
NEARLY = 0.8
#: Smaller critical values are those of no test: rounding of a root can look so.
UNLIKELY = 0.4
#: Scales of the first files, and of one that is worse than the best, in that of the descent.
FIRST, WORSE = (150.0, 100.0, 1.0), 2.0
#: Scores that differ by less, relative to them, may be ties.
TIES = 2e-12
#: How far off a step halves are still halves.
HALVES = 1e-8


class Descent:
    """An account whose best file is of known signs, and always goes down.

    Parameters
    ----------
    terms : Terms
        Of the board, with its step; if that is unknown, `learn_step` follows.
    signs : ndarray, shape (2, n)
        Signs that are independent of the response.
    submit : callable
        ``submit(file) -> released``, for files of shape (n,).
    scale : float
        Scale that the files come down to.
    """

    def __init__(
        self,
        terms: Terms,
        signs: np.ndarray,
        submit: Callable[[np.ndarray], float],
        scale: float,
        at_zero: float | None = None,
    ) -> None:
        self._signs, self._submit, self._scale = signs, submit, scale
        self._differ = float(np.mean(signs[0] != signs[1]))
        self._root, self._n = terms.metric == "rmse", signs.shape[1]
        # The mean squared error of zeros, of a response with variance 1.
        self._at_zero = (self._n - 1.0) / self._n if at_zero is None else at_zero
        # What a computer's numbers leave uncertain of a mean of n, relative to it.
        self._rounding = (16.0 + sqrt(self._n)) * float(np.finfo(float).eps)
        self._scores: list[tuple[int, float, float]] = []
        self.learn_step(terms.step)
        for k, times in enumerate(FIRST):
            self._shows(k % 2, times * scale, submit(times * scale * signs[k % 2]))

    def learn_step(self, step: float) -> None:
        """Take in that all shown scores are rounded to a multiple of `step`."""
        self._step = step
        # Between what <y, s> / n lies, for both signs.
        self._low, self._high = [-inf, -inf], [inf, inf]
        scores, self._scores = self._scores, []
        for score in scores:
            self._shows(*score)

    def fits(self) -> bool:
        """Whether all shown numbers can be rounded scores of the files in force.

        No product <y, s> / n of a standardised response is larger than 1.
        """
        products = zip(self._low, self._high, strict=True)
        return all(
            -inf < low <= high < inf and low <= 1.0 and high >= -1.0 for low, high in products
        )

    def fall(self, falls: Iterable[float]) -> np.ndarray:
        """Go down by these amounts; returns the score before the first, and that after each.

        Each is a fall from the one before, also if rounding hid that.
        """
        first = self.shown
        shown = [first]
        for fallen in np.cumsum(np.fromiter(falls, float)):
            self._passes(self._in_force, first - float(fallen))
            shown.append(self.shown)
        return np.array(shown)

    def fall_visibly(self, falls: Iterable[float]) -> None:
        """Go down by these amounts from the score that is shown."""
        for fall in falls:
            self._passes(self._in_force, self.shown - fall)

    def shows_worse(self) -> bool | None:
        """Submit a worse file: whether the board shows its score; None if it shows another."""
        k, a = self._in_force, WORSE * self._scale
        new = self._submit(a * self._signs[k])
        if new == self.shown:
            return False
        self._shows(k, a, new)
        return True if self.fits() else None

    def acceptance(self) -> Acceptance | None:
        """An estimate of when a file is accepted, from MARGINS + CRITICALS files.

        None if the largest margin, or the largest critical value, is not enough.
        """
        margin = self._margin()
        critical = self._critical(margin or 0.0)
        return None if margin is None or critical is None else Acceptance(margin, critical)

    def _shows(self, k: int, a: float, shown: float) -> None:
        """Take in that signs k on a scale are in force, and what they show."""
        self._in_force, self._a, self.shown = k, a, shown
        self._scores.append((k, a, shown))
        # Other boards show anything: nothing lies between infinity and its negative.
        ends = inf, -inf
        if isfinite(shown):
            hidden = (0.5 + HALVES) * self._step + self._rounding * abs(shown)
            means = (self._mean(shown + hidden), self._mean(shown - hidden))
            ends = tuple((self._at_zero + a * a - mean) / (2.0 * a) for mean in means)
        self._low[k], self._high[k] = max(self._low[k], ends[0]), min(self._high[k], ends[1])

    def _mean(self, score: float) -> float:
        """The mean squared error of a score."""
        return score * score if self._root else score

    def _scale_for(self, k: int, score: float) -> float:
        """The scale at which signs k have a score."""
        product = 0.5 * (self._low[k] + self._high[k])
        a = product + sqrt(max(product * product + self._mean(score) - self._at_zero, 0.0))
        return a if isfinite(a) else self._a

    def _passes(self, k: int, score: float) -> bool:
        """Submit signs k so that they have this score; whether they replace the best."""
        a = self._scale_for(k, score)
        new = self._submit(a * self._signs[k])
        accepted = new != self.shown
        if accepted:
            self._shows(k, a, new)
        return accepted

    def _margin(self) -> float | None:
        """The least fall that is accepted; 0 if it is less than rounding hides."""
        low, high = LEAST, LARGEST
        for _ in range(MARGINS):
            fall = sqrt(low * high)
            if self._passes(self._in_force, self.shown - fall):
                high = fall
            else:
                low = fall
        if high == LARGEST:
            return None
        if low <= max(LEAST, NEARLY * self._step, TIES * self.shown):
            return 0.0
        # Ladders with a margin usually round to it.
        return self._step if NEARLY * high < self._step < low / NEARLY else roundest(low, high)

    def _critical(self, margin: float) -> float | None:
        """The critical value of a paired test; 0 if there is none."""
        low, high = 0.0, CRITICAL
        for _ in range(CRITICALS):
            c = 0.5 * (low + high)
            mean = self._mean(self.shown - margin)
            # The new file has about the scale of the one in force.  Their losses differ where their
            # signs do, by 4 a y.
            error = 4.0 * self._a * sqrt(self._differ / self._n)
            score = max(mean - c * error, 0.0)
            if self._passes(1 - self._in_force, sqrt(score) if self._root else score):
                high = c
            else:
                low = c
        if high == CRITICAL:
            return None
        # What rounding hides of a mean square, in standard errors, is no test either.
        hidden = self._step * (2.0 * self.shown if self._root else 1.0) / error
        return 0.5 * (low + high) if low > max(UNLIKELY, hidden) else 0.0


def roundest(low: float, high: float) -> float:
    """The number with the fewest digits between two positive numbers."""
    for digits in range(1, 17):
        unit = 10.0 ** (floor(log10(high)) + 1 - digits)
        number = floor(high / unit) * unit
        if number >= low:
            return float(f"{number:.{digits}g}")
    return high
