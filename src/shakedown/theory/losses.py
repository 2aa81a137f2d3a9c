r"""How much an attacker can gain in a mean of losses, and approximately in any other score.

The bounds are `shakedown.theory.gains.GainBound`s.  Derivations are in
``docs/proofs/other_metrics.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e, inf, log, log1p, pi, sqrt
from typing import ClassVar

from shakedown.leaderboard.row_precision import precise_gain, precision_within
from shakedown.theory.checks import checked
from shakedown.theory.gains import GainBound, SquaredError
from shakedown.theory.transcripts import ChargedRows


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

    The start tells how many public labels are 1, K, as that of a standardised response tells its
    mean.  The gain is measured from the best honest file of a participant who knows K.

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
        given = 2.0 * (nats - log(delta))  # N exp(-n d^2) = delta
        return sqrt(min(given, nats + _ln_starts(rows) - log(delta)) / (2.0 * rows))

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        checked("constant", gain=gain)
        checked("count", rows=rows)
        whole = BoundedLoss().budget(gain, rows)
        ln = 0.0 if delta is None else _ln(delta)
        return max(whole / 2.0, whole - _ln_starts(rows)) + ln


@dataclass(frozen=True)
class LabelSquaredError(GainBound):
    """The Brier score, on a board whose start is the score of the share of ones.

    The start tells how many public labels are 1, K.  Predictions may be of any size.

    Parameters
    ----------
    variance : float
        s^2, a quarter of the squared distance of the two labels: 1/4 for labels 0 and 1.

    Notes
    -----
    e = y - f lies in an interval as wide as the distance of the labels, so <e, v> is sub-Gaussian
    with variance proxy s^2 |v|^2 (Hoeffding), and `SquaredError` holds with sub-Gaussian noise:
    E gain <= 2 s^2 I / n and P(gain > d) <= N exp(-n d / 2 s^2).  K is a part of the transcript.
    It is one of n + 1 numbers, and as its variance is at most n / 4, its entropy is at most
    ln(2 pi e (n / 4 + 1/12)) / 2 (Cover & Thomas 2006, theorem 8.6.5 and problem 8.7).  If nothing
    else is told, nobody gains over an honest file that knows K.
    """

    variance: float
    conditions: ClassVar[str] = (
        "Given all that the participant knows, the public labels are independent; the share of "
        "each label among them is known to everybody."
    )

    def __post_init__(self) -> None:
        checked("constant", variance=self.variance)

    @property
    def _noise(self) -> SquaredError:
        return SquaredError(self.variance, gaussian=False)

    def mean(self, nats: float, rows: int) -> float:
        _check(nats, rows)
        return self._noise.mean(nats + entropy_of_ones(rows), rows) if nats else 0.0

    def high(self, nats: float, rows: int, delta: float = 0.05) -> float:
        _check(nats, rows)
        return self._noise.high(nats + log(rows + 1.0), rows, delta)

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        whole = self._noise.budget(gain, rows, delta)
        if delta is not None:
            return whole - log(rows + 1.0)
        return max(whole - entropy_of_ones(rows), 0.0)


@dataclass(frozen=True)
class RowByRow(GainBound):
    """A mean over independent labels on a metered board; see `shakedown.leaderboard.row_precision`.

    Nothing is said of what is counted, and of chances.

    Parameters
    ----------
    metric : str
        A key of `row_precision.WORTH`.
    spread : float
        What scores of labels 0 and 1 are multiplied by.
    """

    metric: str
    spread: float = 1.0
    conditions: ClassVar[str] = (
        "Given all that the participant knows, the public labels are independent; but for the "
        "AUROC nobody knows how many of them are 1."
    )

    def charged_rows(self, told: ChargedRows, delta: float | None = None) -> float:
        """As `charged`, of a board that charges rows.  Precisions of several boards add up."""
        if delta is not None:
            return inf
        precision = precision_within(self.metric, told.gain / self.spread)
        return self.spread * precise_gain(self.metric, told.boards * precision)


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


def entropy_of_ones(rows: int) -> float:
    """The most nats that the number of ones among independent labels tells."""
    return min(0.5 * log(2.0 * pi * e * (rows / 4.0 + 1.0 / 12.0)), log(rows + 1.0))


def _ln_starts(rows: int) -> float:
    """ln of the number of losses that the more frequent of two labels can have."""
    return log(rows // 2 + 1.0)


def _ln(delta: float) -> float:
    checked("chance", delta=delta)
    return log(delta)


def _check(nats: float, rows: int) -> None:
    checked("amount", nats=nats)
    checked("count", rows=rows)
