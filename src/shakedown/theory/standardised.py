"""Bounds of the gain on standardised responses, whatever honest model there is.

The mean and the length of a standardised response are known, so it lies on a sphere.  Given them,
a response that was normal before has a von Mises-Fisher distribution around the honest file, and is
uniform without one.  These bounds hold for every strength of the honest file, also for none.
Derivations are in ``docs/proofs/squared_error.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p, sqrt
from typing import ClassVar

from shakedown.leaderboard.degrees import LENGTH, charged_gain
from shakedown.theory.caps import ln_share
from shakedown.theory.checks import checked
from shakedown.theory.gains import GainBound, RootSquaredError, SquaredError
from shakedown.theory.halfspaces import ln_upper, log_concave_quantile
from shakedown.theory.searches import boundary, most_nats
from shakedown.theory.transcripts import Transcripts
from shakedown.theory.worst_radius import LEAST_ROWS, standardised_chance, standardised_mean

_CONDITIONS = (
    "Given all that the participant knows, the public responses were independent and Gaussian "
    "before they were standardised; their mean and variance are known."
)


@dataclass(frozen=True)
class StandardisedSquaredError(GainBound):
    """The mean squared error of a standardised response.

    Notes
    -----
    `mean` is (1 + 1/n) (1 - exp(-2 I / (n + 1))): the least divergence from the uniform
    distribution for a given mean.  `high` is that of sub-Gaussian noise of variance 1, or, with
    `LEAST_ROWS` and more, that of log-concave noise.  For transcripts see
    `worst_radius.standardised_mean` and `standardised_chance`.
    """

    conditions: ClassVar[str] = _CONDITIONS

    def mean(self, nats: float, rows: int) -> float:
        checked("amount", nats=nats)
        checked("count", rows=rows)
        return -(1.0 + 1.0 / rows) * expm1(-2.0 * nats / (rows + 1.0))

    def high(self, nats: float, rows: int, delta: float = 0.05) -> float:
        checked("amount", nats=nats)
        simple = SquaredError(1.0, gaussian=False).high(nats, rows, delta)
        if rows < LEAST_ROWS:
            return simple
        return boundary(
            lambda gain: standardised_chance(Transcripts(nats), rows, gain, False, delta) <= delta,
            0.0, simple, 1e-6,
        )  # fmt: skip

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        checked("constant", gain=gain)
        checked("count", rows=rows)
        if delta is None:
            share = gain / (1.0 + 1.0 / rows)
            return -(rows + 1.0) / 2.0 * log1p(-share) if share < 1.0 else inf
        simple = SquaredError(1.0, gaussian=False).budget(gain, rows, delta)
        if rows < LEAST_ROWS:
            return simple
        narrow = (rows - 4.0) / (rows - 1.0)
        return max(
            simple, log(delta) - ln_upper(log_concave_quantile((rows * gain * narrow) ** 0.5))
        )

    def charged(self, degrees: float, rows: int, delta: float | None = None) -> float:
        return charged_gain(degrees + LENGTH, rows, delta)

    def counted(self, told: Transcripts, rows: int, delta: float | None = None) -> float:
        simple = super().counted(told, rows, delta)
        if rows < LEAST_ROWS or simple == 0.0:
            return simple
        if delta is None:
            return min(simple, standardised_mean(told, rows))
        if not told.up_to:
            return simple
        return boundary(lambda gain: self.keeps(told, rows, gain, delta), 0.0, simple, 1e-3)

    def keeps(self, told, rows, gain, delta=None) -> bool:
        counts = isinstance(told, Transcripts)
        nats = told.nats if counts else told
        if nats <= self.budget(gain, rows, delta):
            return True
        if not counts or rows < LEAST_ROWS:
            return False
        if delta is None:
            return standardised_mean(told, rows, gain) <= gain
        return standardised_chance(told, rows, gain, False, delta) <= delta

    def count_budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        least = self.budget(gain, rows, delta)
        if rows < LEAST_ROWS or not 0.0 <= least < inf:
            return least
        return most_nats(lambda nats: self.keeps(Transcripts(nats), rows, gain, delta), least)


@dataclass(frozen=True)
class StandardisedRootSquaredError(GainBound):
    """The root mean squared error of a standardised response.

    Notes
    -----
    `mean` is that of `RootSquaredError(1)`, which holds for counts from 10 rows, while it is at
    most .4; beyond, nothing is proved, and the gain is that of full knowledge.  Both are for a
    participant without a model.  Then the response is uniform on a sphere of n - 1 dimensions, and
    a fixed file at the angle t to it has at least the RMSE r sin t, with r = sqrt((n - 1) / n) that
    of zeros: so P(gain >= g) is at most N times the share of a cap with sin t = 1 - g / r.  With a
    model it can be more (1.35 times, for a gain of .385 of 10 rows and a model of length .5);
    `worst_radius.standardised_chance` holds with any model.  The smaller of the two is used.
    """

    conditions: ClassVar[str] = f"{_CONDITIONS[:-1]}, and the participant has no model of them."

    def mean(self, nats: float, rows: int) -> float:
        known = RootSquaredError(1.0)
        gain = known.mean(nats, rows)
        return gain if rows >= known.LEAST_ROWS and gain <= known.LARGEST else 1.0

    def high(self, nats: float, rows: int, delta: float = 0.05) -> float:
        checked("amount", nats=nats)
        if rows < LEAST_ROWS:
            return 1.0
        told = Transcripts(nats)
        return boundary(lambda gain: self.keeps(told, rows, gain, delta), 0.0, 1.0, 1e-4)

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        known = RootSquaredError(1.0)
        if gain >= 1.0:
            return inf
        if rows < known.LEAST_ROWS:
            return 0.0
        if delta is None:
            return known.budget(min(gain, known.LARGEST), rows)
        return most_nats(lambda nats: self.keeps(Transcripts(nats), rows, gain, delta), 0.0)

    def counted(self, told: Transcripts, rows: int, delta: float | None = None) -> float:
        if delta is None or rows < LEAST_ROWS or not told.up_to:
            return super().counted(told, rows, delta)
        return boundary(lambda gain: self.keeps(told, rows, gain, delta), 0.0, 1.0, 1e-3)

    def keeps(self, told, rows, gain, delta=None) -> bool:
        counts = isinstance(told, Transcripts)
        nats = told.nats if counts else told
        if delta is None:
            return nats <= self.budget(gain, rows)
        if gain >= 1.0:
            return True
        if rows < LEAST_ROWS:
            return False
        if _chance_without_a_model(nats, rows, gain) <= delta:
            return True
        squares = told.squared() if counts else Transcripts(nats)
        return standardised_chance(squares, rows, gain, True, delta) <= delta


def _chance_without_a_model(nats: float, rows: int, gain: float) -> float:
    """The chance of a gain in the RMSE, at most; see `StandardisedRootSquaredError`."""
    start = sqrt((rows - 1.0) / rows)
    if gain >= start:
        return 0.0
    cosine_squared = 1.0 - (1.0 - gain / start) ** 2
    return exp(min(nats + float(ln_share(cosine_squared, rows - 1)), 0.0))
