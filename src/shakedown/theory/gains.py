r"""How much an attacker can gain from a number of nats: upper bounds, and their inverses.

The *gain* is how much better the public score of the final file is than that of the best honest
one, in units of the score.  The best honest file predicts the expected response given everything
the attacker knew before the challenge; the attacker predicts the final rows with it.  So the gain
is -Delta, apart from the sampling error of that single honest file.

Each bound depends on the board only through what it can show: its nats, and where that helps, the
transcripts level by level (`shakedown.theory.transcripts`).  Each has

- `mean(nats, rows)`: the expected gain is at most this.  It also holds for the mutual information
  of a noisy board;
- `high(nats, rows, delta)`: with probability 1 - delta the gain is at most this.  It needs a count;
- `budget(gain, rows, delta)`: the most nats for which the one (`delta` None) or the other is at
  most `gain`;
- `bound(told, rows, delta)` and `keeps(told, rows, gain, delta)`: the sharpest bound that applies
  to a board, and whether it keeps a gain.

Derivations are in ``docs/proofs/squared_error.md`` and ``docs/proofs/other_metrics.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, inf, lgamma, log, log1p, pi, sqrt
from typing import ClassVar

from shakedown.leaderboard.degrees import charged_gain
from shakedown.theory.caps import LEAST, mean_cosine_squared
from shakedown.theory.checks import checked
from shakedown.theory.halfspaces import largest_exceeded, ln_upper, squared_mean
from shakedown.theory.searches import boundary, most_nats
from shakedown.theory.transcripts import Transcripts
from shakedown.theory.worst_radius import normal_chance, normal_mean


class GainBound:
    """A bound of the gain.

    Attributes
    ----------
    is_exact : bool
        Whether it is a theorem under its conditions, or an approximation.
    is_of_quantiles : bool
        Whether `high` holds of a standardised response, too.
    conditions : str
        One sentence for readers.
    """

    is_exact: ClassVar[bool] = True
    is_of_quantiles: ClassVar[bool] = True
    conditions: str

    def mean(self, nats: float, rows: int) -> float:
        """Upper bound of the expected gain, in units of the score."""
        raise NotImplementedError

    def high(self, nats: float, rows: int, delta: float = 0.05) -> float:
        """The gain that is exceeded with a probability of at most delta, in units of the score."""
        raise NotImplementedError

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        """The most nats for which `mean`, or with `delta` `high`, is at most `gain`.

        Below 0 if even a board that shows nothing does not keep it: one file fixed beforehand
        gains more by chance.
        """
        raise NotImplementedError

    def bound(self, told: Transcripts | float, rows: int, delta: float | None = None) -> float:
        """The sharpest bound of the mean gain, or of the gain that is exceeded with chance delta.

        Parameters
        ----------
        told : Transcripts or float
            What a board can show; for one that cannot be counted, the nats of its information.
        rows : int
        delta : float, optional
            None for the mean.
        """
        if isinstance(told, Transcripts):
            return self.counted(told, rows, delta)
        return self.mean(told, rows) if delta is None else self.high(told, rows, delta)

    def counted(self, told: Transcripts, rows: int, delta: float | None = None) -> float:
        """`bound` of a board whose transcripts are counted; by default from its nats alone."""
        nats = told.nats
        return self.mean(nats, rows) if delta is None else self.high(nats, rows, delta)

    def charged(self, degrees: float, rows: int, delta: float | None = None) -> float:
        """`bound` of a metered board, by the degrees of freedom that it charges at most.

        Infinite where nothing is proved.
        """
        return inf

    def keeps(
        self, told: Transcripts | float, rows: int, gain: float, delta: float | None = None
    ) -> bool:
        """Whether `bound` is at most `gain`."""
        return self.bound(told, rows, delta) <= gain

    def count_budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        """As `budget`, for transcripts that are counted: the most ln N, whatever the levels."""
        return self.budget(gain, rows, delta)


@dataclass(frozen=True)
class SquaredError(GainBound):
    """The mean squared error.

    y = f + e on the public rows: f is the expected response given all that the attacker knew, e is
    independent noise with variance s^2.  Nothing is assumed of the submissions: they may be of any
    size.  With other noise the bound fails: an attacker who learns from a few nats which row is an
    outlier gains its whole loss.

    Parameters
    ----------
    variance : float
        s^2, the public MSE of the best honest file: at most the variance of the response, and that
        if no honest model exists.
    gaussian : bool
        Whether e is Gaussian.  Otherwise it is sub-Gaussian with variance proxy s^2, such as a
        quarter of the squared range of a bounded response.

    Notes
    -----
    For one fixed file with v = prediction - f the gain is (2<e, v> - |v|^2)/n
    <= (<e, v>/|v|)_+^2 / n, whatever the scale of v.  So P(gain > d) <= N Q(sqrt(n d) / s) for
    Gaussian e, with Q the upper tail of a normal number, and N exp(-n d / 2 s^2) for sub-Gaussian.

    `mean` is the rate-distortion function of a Gaussian source: from I nats e can be reconstructed
    no better than with a mean squared error of s^2 exp(-2 I / n).  For sub-Gaussian e it is 2 s^2
    I / n: |E[e | T]|^2 is at most 2 s^2 times the divergence of e given T from e.

    For Gaussian e and N transcripts, the mean is at most s^2 J(1/N) / n (`halfspaces`), and as e is
    uniform on a sphere given its length, at most s^2 A^2(1/N) (`caps`); with levels, see
    `worst_radius`.  The smallest holds.

    If the mean and length of the public responses are known too, as of a standardised response, see
    `shakedown.theory.standardised`.
    """

    variance: float
    gaussian: bool = True

    @property
    def conditions(self) -> str:
        return (
            "Given all that the participant knows, the public responses are independent and "
            f"{'Gaussian' if self.gaussian else 'sub-Gaussian'} with variance {self.variance:g}."
        )

    def __post_init__(self) -> None:
        checked("constant", variance=self.variance)

    def mean(self, nats: float, rows: int) -> float:
        _check(nats, rows)
        if not self.gaussian:
            return 2.0 * self.variance * nats / rows
        return -self.variance * expm1(-2.0 * nats / rows)  # s^2 (1 - exp(-2 I / n))

    def high(self, nats: float, rows: int, delta: float = 0.05) -> float:
        _check(nats, rows)
        checked("chance", delta=delta)
        if not self.gaussian:
            return 2.0 * self.variance * (nats - log(delta)) / rows  # N exp(-n d / 2 s^2) = delta
        return self.variance * largest_exceeded(nats, delta) ** 2 / rows  # N Q(sqrt(n d)/s) = delta

    def charged(self, degrees: float, rows: int, delta: float | None = None) -> float:
        # Meters of boards begin with the variance 1; with c it would read c times as much at most.
        degrees = max(self.variance, 1.0) * degrees
        return charged_gain(degrees, rows, delta, self.variance) if self.gaussian else inf

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        checked("constant", gain=gain)
        checked("count", rows=rows)
        share = gain / self.variance
        if delta is not None:
            chance = -rows * share / 2.0 if not self.gaussian else ln_upper(sqrt(rows * share))
            return _ln(delta) - chance
        if not self.gaussian:
            return rows * share / 2.0
        return -rows / 2.0 * log1p(-share) if share < 1.0 else inf

    def counted(self, told: Transcripts, rows: int, delta: float | None = None) -> float:
        simple = super().counted(told, rows, delta)
        if not self.gaussian:
            return simple
        if delta is None:
            simple = min(simple, self._mean_of_counts(told.nats, rows))
            if not told.up_to or rows < LEAST:
                return simple
            return min(simple, normal_mean(told, rows, self.variance))
        if not told.up_to or rows < LEAST or simple == 0.0:
            return simple
        return boundary(lambda gain: self.keeps(told, rows, gain, delta), 0.0, simple, 1e-3)

    def keeps(self, told, rows, gain, delta=None) -> bool:
        simple = Transcripts(told.nats) if isinstance(told, Transcripts) else told
        if self.bound(simple, rows, delta) <= gain:
            return True
        if simple is told or not told.up_to or not self.gaussian or rows < LEAST:
            return False
        if delta is None:
            return normal_mean(told, rows, self.variance, gain) <= gain
        return normal_chance(told, rows, self.variance, gain, enough=delta) <= delta

    def count_budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        least = self.budget(gain, rows, delta)
        if delta is not None or not self.gaussian or least == inf:
            return least
        return most_nats(lambda nats: self._mean_of_counts(nats, rows) <= gain, least)

    def _mean_of_counts(self, nats: float, rows: int) -> float:
        """The mean gain from a number of transcripts: half-spaces, and caps of the sphere."""
        most = squared_mean(nats) / rows
        if rows >= LEAST:
            most = min(most, float(mean_cosine_squared(-nats, rows)))
        return self.variance * most


@dataclass(frozen=True)
class UnequalSquaredError(SquaredError):
    """The mean squared error if the variance of a row's noise is unequal, and at most s^2.

    `mean` and `high` of `SquaredError` hold: of a fixed file <e, v> / |v| has at most the variance
    s^2, and the rate-distortion function of unequal normal variables is at most that of equal ones.
    Half-spaces, spheres and levels are left out: they are for equal variances.  On a standardised
    response `high` is false (counterexamples are in ``docs/proofs/assumptions.md``).
    """

    is_of_quantiles: ClassVar[bool] = False

    def counted(self, told: Transcripts, rows: int, delta: float | None = None) -> float:
        return GainBound.counted(self, told, rows, delta)

    def keeps(self, told, rows, gain, delta=None) -> bool:
        return GainBound.keeps(self, told, rows, gain, delta)

    def count_budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        return self.budget(gain, rows, delta)


@dataclass(frozen=True)
class RootSquaredError(GainBound):
    """The root mean squared error, under the conditions of `SquaredError` with Gaussian noise.

    Parameters
    ----------
    variance : float
        s^2, as in `SquaredError`: the squared public RMSE of the best honest file.

    Notes
    -----
    With Euclidean norms the gain is (|e| - |e - v|) / sqrt n, and E|e| / sqrt n = s a_n, with a_n
    slightly below 1.  Given E|e - v| = m, the density proportional to exp(-n |x| / m) has the
    largest entropy, and that of e - v is at least h(e) - I.  So E|e - v| / sqrt n
    >= s c_n exp(-I / n), where c_n is below 1 by about 1 / 3n.

    With probability 1 - delta/2 each, the squares satisfy `SquaredError.high`, and |e|^2 / n
    >= s^2 (1 - 2 sqrt(ln(2/delta) / n)) (Laurent & Massart 2000, lemma 1).  Given its length e is
    uniform on a sphere, which bounds the chance of a gain directly (`worst_radius`), also with
    levels.  The smaller of the two holds.

    If the mean and length of the public responses are known too, `mean` holds for counts without a
    model from `LEAST_ROWS` rows, while it is at most `LARGEST`; see
    ``docs/proofs/squared_error.md``.
    """

    #: For responses of known mean and length.
    LEAST_ROWS: ClassVar[int] = 10
    LARGEST: ClassVar[float] = 0.4

    variance: float

    @property
    def conditions(self) -> str:
        return (
            f"{SquaredError(self.variance).conditions} With fewer than {self.LEAST_ROWS} rows, or "
            f"for gains beyond {self.LARGEST * sqrt(self.variance):g}, their mean and length must "
            "not be known, as those of a standardised response are."
        )

    def __post_init__(self) -> None:
        checked("constant", variance=self.variance)

    def mean(self, nats: float, rows: int) -> float:
        _check(nats, rows)
        honest, left = _mean_norm(rows), exp(_ln_least_norm(rows) - nats / rows)
        return sqrt(self.variance) * (honest - left)

    def high(self, nats: float, rows: int, delta: float = 0.05) -> float:
        checked("chance", delta=delta)
        squares = SquaredError(self.variance).high(nats, rows, delta / 2.0)
        least = self._least_square(rows, delta)
        return sqrt(least) - sqrt(least - squares) if squares < least else sqrt(squares)

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        checked("constant", gain=gain)
        checked("count", rows=rows)
        if delta is None:
            left = _mean_norm(rows) - gain / sqrt(self.variance)
            return rows * (_ln_least_norm(rows) - log(left)) if left > 0.0 else inf
        checked("chance", delta=delta)
        root = sqrt(self._least_square(rows, delta))
        squares = gain * (2.0 * root - gain) if gain < root else gain**2
        return SquaredError(self.variance).budget(squares, rows, delta / 2.0)

    def counted(self, told: Transcripts, rows: int, delta: float | None = None) -> float:
        simple = super().counted(told, rows, delta)
        if delta is None or rows < LEAST or simple == 0.0:
            return simple
        return boundary(lambda gain: self.keeps(told, rows, gain, delta), 0.0, simple, 1e-3)

    def keeps(self, told, rows, gain, delta=None) -> bool:
        simple = told.nats if isinstance(told, Transcripts) else told
        if self.bound(simple, rows, delta) <= gain:
            return True
        if simple is told or delta is None or rows < LEAST:
            return False
        squares = told.squared()
        return normal_chance(squares, rows, self.variance, gain, True, delta) <= delta

    def _least_square(self, rows: int, delta: float) -> float:
        """What the squared public RMSE of the honest file exceeds, but for delta/2."""
        return self.variance * max(0.0, 1.0 - 2.0 * sqrt(log(2.0 / delta) / rows))


def _mean_norm(rows: int) -> float:
    """a_n: the mean length of n standard normal numbers, divided by sqrt n."""
    return sqrt(2.0 / rows) * exp(lgamma((rows + 1) / 2.0) - lgamma(rows / 2.0))


def _ln_least_norm(rows: int) -> float:
    """ln c_n: the entropy of n standard normal numbers is that of the density at E|x| = c_n sqrt n.

    The density exp(-n |x| / m) has the entropy ln S_n + ln Gamma(n) + n ln(m / n) + n, where S_n is
    the surface of the unit sphere.
    """
    surface = log(2.0) + rows / 2.0 * log(pi) - lgamma(rows / 2.0)
    per_row = 0.5 * log(2.0 * pi) + 0.5 - (surface + lgamma(rows)) / rows
    return per_row + 0.5 * log(rows) - 1.0


def _ln(delta: float) -> float:
    checked("chance", delta=delta)
    return log(delta)


def _check(nats: float, rows: int) -> None:
    checked("amount", nats=nats)
    checked("count", rows=rows)
