r"""How much an attacker can gain from a number of nats: upper bounds, and their inverses.

The *gain* is how much better the public score of the final file is than that of the best honest
one, in units of the score.  The best honest file predicts the expected response given everything
the attacker knew before the challenge; the attacker predicts the final rows with it.  So the gain
is -Delta, apart from the sampling error of that single honest file.

Each bound depends on the board only through its nats (`shakedown.theory.leakage`).  Each has

- `mean(nats, rows)`: the expected gain is at most this.  It also holds for the mutual information
  of a noisy board;
- `high(nats, rows, delta)`: with probability 1 - delta the gain is at most this.  It needs a count;
- `budget(gain, rows, delta)`: the most nats for which the one (`delta` None) or the other is at
  most `gain`.

Derivations are in ``docs/leakage.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, expm1, inf, lgamma, log, log1p, pi, sqrt
from typing import ClassVar

from shakedown.theory.checks import checked

#: Searches for whole numbers end here.
MANY = 10**9


class GainBound:
    """A bound of the gain.

    Attributes
    ----------
    is_exact : bool
        Whether it is a theorem under its conditions, or an approximation.
    conditions : str
        One sentence for readers.
    """

    is_exact: ClassVar[bool] = True
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

    def bound(self, nats: float, rows: int, delta: float | None = None) -> float:
        """`mean`, or with `delta` `high`."""
        return self.mean(nats, rows) if delta is None else self.high(nats, rows, delta)


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
    <= (<e, v>/|v|)_+^2 / n, whatever the scale of v, so P(gain > d) <= N exp(-n d / 2 s^2).

    The mean is the rate-distortion function of a Gaussian source: from I nats e can be
    reconstructed no better than with a mean squared error of s^2 exp(-2 I / n).  For sub-Gaussian e
    it is 2 s^2 I / n: |E[e | T]|^2 is at most 2 s^2 times the divergence of e given T from e.

    If the mean and length of the public responses are known too, as of a standardised response, e
    lies on a sphere.  `high` still holds for variance 1.  `mean` does for counts if f = 0; with a
    model 1 + 1/n - |f|^2/n takes the place of the variance, and n + 1 that of n in the exponent.
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
        return 2.0 * self.variance * (nats - log(delta)) / rows  # N exp(-n d / 2 s^2) = delta

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        checked("constant", gain=gain)
        checked("count", rows=rows)
        share = gain / self.variance
        if delta is not None:
            checked("chance", delta=delta)
            return rows * share / 2.0 + log(delta)
        if not self.gaussian:
            return rows * share / 2.0
        return -rows / 2.0 * log1p(-share) if share < 1.0 else inf


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
    >= s^2 (1 - 2 sqrt(ln(2/delta) / n)) (Laurent & Massart 2000, lemma 1).

    If the mean and length of the public responses are known too, `mean` holds for counts without a
    model from `LEAST_ROWS` rows, while it is at most `LARGEST`; see ``docs/leakage.md``.
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

    def _least_square(self, rows: int, delta: float) -> float:
        """What the squared public RMSE of the honest file exceeds, but for delta/2."""
        return self.variance * max(0.0, 1.0 - 2.0 * sqrt(log(2.0 / delta) / rows))


@dataclass(frozen=True)
class BoundedLoss(GainBound):
    """A mean of losses in [0, 1], such as 1 - accuracy, on independent public rows.

    The gain is measured from the expected loss of the best honest file, not from its public loss:
    so `high` includes the sampling error that any single file has.

    Notes
    -----
    Hoeffding: P(gain > d) <= N exp(-2 n d^2).  The public loss of a fixed file is sub-Gaussian with
    standard deviation 1/(2 sqrt n), so E gain <= sqrt(I / 2n) (Russo & Zou).
    """

    conditions: ClassVar[str] = (
        "Given all that the participant knows, the public responses are independent; each row's "
        "loss lies between 0 and 1."
    )

    def mean(self, nats: float, rows: int) -> float:
        _check(nats, rows)
        return sqrt(nats / (2.0 * rows))

    def high(self, nats: float, rows: int, delta: float = 0.05) -> float:
        _check(nats, rows)
        checked("chance", delta=delta)
        return sqrt((nats - log(delta)) / (2.0 * rows))

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        checked("constant", gain=gain)
        checked("count", rows=rows)
        return 2.0 * rows * gain**2 + (0.0 if delta is None else _ln(delta))


@dataclass(frozen=True)
class LabelLoss(GainBound):
    """The share of wrong labels on a board whose start is the loss of the more frequent label.

    The start tells the number K of public ones, as the start of a standardised response tells its
    mean; the gain is measured from the best honest file of a participant who knows it.

    Notes
    -----
    The smaller of two bounds holds.

    - The start is part of the transcript: one of at most floor(n/2) + 1 numbers.  So `BoundedLoss`
      holds with ln(floor(n/2) + 1) more nats.  (Not to know K is no gain.)
    - Given K, independent labels are negatively associated (Joag-Dev & Proschan 1983, theorem
      2.8).  The ones among the rows that a file sets to 0 are then sub-Gaussian with a quarter of
      the number of these rows, and so are those among the rows that it sets to 1.  Given K each
      tells the loss, which changes by 2/n for each of them: it is sub-Gaussian with variance proxy
      4 (n/2) / 4 n^2 = 1/(2n), twice that of independent labels, as if there were twice the nats.
    """

    conditions: ClassVar[str] = (
        "Given all that the participant knows, the public labels are independent; the share of "
        "each label among them is known to everybody."
    )

    def mean(self, nats: float, rows: int) -> float:
        _check(nats, rows)
        return BoundedLoss().mean(min(2.0 * nats, nats + _ln_starts(rows)), rows)

    def high(self, nats: float, rows: int, delta: float = 0.05) -> float:
        _check(nats, rows)
        checked("chance", delta=delta)
        return sqrt((nats - log(delta)) / rows)  # N exp(-n d^2) = delta

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        checked("constant", gain=gain)
        checked("count", rows=rows)
        if delta is not None:
            return rows * gain**2 + _ln(delta)
        whole = BoundedLoss().budget(gain, rows)
        return max(whole / 2.0, whole - _ln_starts(rows))


@dataclass(frozen=True)
class NormalScore(GainBound):
    """Any other metric, by approximation: the public score of a fixed file is taken as normal.

    Parameters
    ----------
    sd : float
        sigma_F, the sampling standard deviation of one file's public score on `sd_rows` rows, by a
        bootstrap or the delta method.  It is taken to be the same for all files, and to fall with
        the square root of the number of rows.
    sd_rows : int
        The number of rows that `sd` is for.

    Notes
    -----
    The largest of N normal deviations: sigma sqrt(2 ln N) on average, and sigma sqrt(2 ln(N/delta))
    with probability 1 - delta.  As for losses, the gain is measured from the expected score.  An
    attacker can prefer files with a larger standard deviation than honest ones have, so the result
    is an approximation and no bound.
    """

    sd: float
    sd_rows: int
    is_exact: ClassVar[bool] = False
    conditions: ClassVar[str] = (
        "An approximation: the public score of every file is taken as normal with this standard "
        "deviation."
    )

    def __post_init__(self) -> None:
        checked("constant", sd=self.sd)
        checked("count", sd_rows=self.sd_rows)

    def mean(self, nats: float, rows: int) -> float:
        _check(nats, rows)
        return self._sd(rows) * sqrt(2.0 * nats)

    def high(self, nats: float, rows: int, delta: float = 0.05) -> float:
        _check(nats, rows)
        checked("chance", delta=delta)
        return self._sd(rows) * sqrt(2.0 * (nats - log(delta)))

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        checked("constant", gain=gain)
        checked("count", rows=rows)
        return (gain / self._sd(rows)) ** 2 / 2.0 + (0.0 if delta is None else _ln(delta))

    def _sd(self, rows: int) -> float:
        return self.sd * sqrt(self.sd_rows / rows)


def fair_labels_accuracy(nats: float, rows: int) -> float:
    """Largest expected public accuracy if the labels are fair coins to the attacker.

    1 - D with h(D) = ln 2 - I/n, the rate-distortion function of fair bits; h is the entropy in
    nats of a coin with probability D.  Sharper than 1/2 + `BoundedLoss().mean`, by Pinsker's
    inequality.
    """
    _check(nats, rows)
    left = log(2.0) - nats / rows
    if left <= 0.0:
        return 1.0
    low, high = 0.0, 0.5  # h(low) <= left <= h(high)
    while high - low > 1e-15:
        middle = (low + high) / 2.0
        entropy = -middle * log(middle) - (1.0 - middle) * log1p(-middle)
        low, high = (middle, high) if entropy <= left else (low, middle)
    return 1.0 - low


def largest(holds: Callable[[int], bool]) -> int | None:
    """The largest whole number above 0 up to which something holds; 0 for none, None for no end."""
    if not holds(1):
        return 0
    if holds(MANY):
        return None
    low, high = 1, 2
    while holds(high):
        low, high = high, min(2 * high, MANY)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def smallest(holds: Callable[[int], bool]) -> int | None:
    """The smallest whole number above 0 from which something holds; None for none up to `MANY`."""
    before = largest(lambda number: not holds(number))
    return None if before is None else before + 1


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


def _ln_starts(rows: int) -> float:
    """ln of the number of losses that the more frequent of two labels can have."""
    return log(rows // 2 + 1.0)


def _ln(delta: float) -> float:
    checked("chance", delta=delta)
    return log(delta)


def _check(nats: float, rows: int) -> None:
    checked("amount", nats=nats)
    checked("count", rows=rows)
