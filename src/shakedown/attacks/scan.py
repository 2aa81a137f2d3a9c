"""The scan, on boards that show the best score so far after a test, with fresh noise each time.

Nobody is told which file has replaced the best, but the level of the scores falls when one does.
The attacker keeps hypotheses about it (see `hypotheses`), and a Gaussian posterior N(m, S) of the
response.  With b the file that is most probably in force, each file is b + share (m - b) + a d, as
in the reserve attack, but

- the length a of the random direction is such that the level falls by several standard deviations
  of the noise if the file passes, so that it can be seen;
- the fewer files are left for the fall that is still possible, the larger are this number and the
  probability with which a file should pass: the level of an account can only fall once;
- while it is unclear whether the last file has passed, zeros are submitted, again and again: they
  cannot pass, and each time shows the level with new noise.  Such repeated submissions average
  the noise out; they are worth it for a suspicious file only.  Where repeated files are refused,
  random signs, which cannot pass either, do the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from shakedown.attacks.adversary import PreparedAdversary, Run
from shakedown.attacks.grouped import GroupedHolder, groups_parameter, usual_groups
from shakedown.attacks.hypotheses import (
    MOST,
    Fates,
    Hypotheses,
    dot,
    fates,
    hazard,
    in_force,
    likeliest,
    mean_shift,
    new_account,
    read,
)
from shakedown.attacks.posterior import both_times, chance_above, times
from shakedown.attacks.span import Span, expand, spreads
from shakedown.compiled import kernel
from shakedown.interface import ParticipantData
from shakedown.terms import Terms

#: With r the fall that is possible, in standard deviations of a score, per file that is left:
#: factor and power of r, least and most of
JUMP = (5.0, 0.25, 1.0, 6.0)  # the fall of a file that passes, in standard deviations of a score
TARGET = (0.25, 0.4, 0.03, 0.5)  # the probability with which a file should pass
DOUBT = (0.15, 0.4, 0.007, 0.4)  # the probability from which it is unclear whether a file passed
#: Unless this is the probability of the file in force, a file should pass with at least CLEARING.
SETTLED, CLEARING = 0.6, 0.1
#: Of several accounts, one with so many files or fewer leaves it unsettled which of them passed.
FEW = 30.0
#: Most repetitions after a file.
REPEATS = 12
#: Steps of the search for the length, and for the share: powers of 1/2, then halvings.
LENGTHS, COARSE, FINE = 14, 10, 5


class Scan(GroupedHolder):
    """The scan."""

    name: ClassVar[str] = "scan"
    label: ClassVar[str] = "Scan"
    phrase: ClassVar[str] = "the scan"
    sentence: ClassVar[str] = (
        "On a board with noisy scores, submits files that would move the level of the scores "
        "visibly, finds out which of them did, and repeats a file where one more look at the level "
        "is worth it."
    )
    order: ClassVar[float] = 12
    files_for_a_number: ClassVar[int] = 8

    groups: int | None = groups_parameter("six for ten submissions, at least 400")

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        # Made for boards with fresh noise of a known size only.
        fresh = terms.is_noisy and terms.replications and not terms.tells_replacement
        return bool(fresh) and terms.acceptance is not None and not terms.replaces_always

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedScan:
        return PreparedScan(self, participant, model, rng)


class Improving(NamedTuple):
    """What the boards publish of improvements: when a file is one, and how many there can be.

    `left` is of an account, `daily` of `day` submissions; `noise` is the variance of a shown score
    over its square.  `begins` is whether a new board shows a score.
    """

    margin: float
    critical: float
    left: float
    daily: float
    day: int
    noise: float
    begins: bool


@dataclass
class ScanAccount:
    """An account: the hypotheses about its file in force, and its last files.

    `last` is the number of its last file that may have passed, `repeats` how many have shown the
    level since, `score` what it was shown last.
    """

    hypotheses: Hypotheses
    last: int = 0
    repeats: int = 0
    score: float = np.nan

    def is_unclear(self, doubt: float) -> bool:
        """Whether one more look at the level may tell if the last file has passed."""
        passed = in_force(self.hypotheses, self.last)
        return bool(self.last) and doubt < passed < 1.0 - doubt and self.repeats < REPEATS


class PreparedScan(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        state = Scanning(self, run)
        for t in range(self.submissions):
            shown = run.submit(state.next_file(t)[None])[0]
            state.take_in(shown, t)
            if run.is_point(t + 1):
                run.would_end(state.span.file(state.m), t + 1, state.used)

    def improving(self, run: Run) -> Improving:
        """What the boards of a run publish of improvements."""
        terms = run.terms
        left = np.inf if terms.improvements is None else terms.improvements
        # Without a score to begin with, zeros are the first improvement.
        begins = terms.start is not None
        daily, day = terms.improvements_per_day or (np.inf, self.submissions)
        noise = 2.0 / (terms.replications * self.n)  # of normal residuals
        margin = max(terms.acceptance.margin, 0.0)
        critical = terms.acceptance.critical
        return Improving(
            margin, critical, float(left - (not begins)), float(daily), day, noise, begins
        )


class Scanning:
    """What the attack knows while it is played, and its next file.

    Attributes
    ----------
    span : Span
    m, S : ndarray, shape (k,) and (k, k)
        The posterior of the response, in coordinates.
    c : ndarray, shape (k,)
        The last file, in coordinates.
    used : int
        Files so far that may have passed.
    """

    def __init__(self, attack: PreparedScan, run: Run) -> None:
        self._attack, self._root, n = attack, run.root, attack.n
        groups = attack.attack.groups or usual_groups(attack.submissions)
        self.span = span = Span(attack.signs(0, 1)[0], min(n, groups), attack.honest)
        self.m, self.S, self.used = span.honest.copy(), span.prior(attack.residual), 0
        self._improving, each = attack.improving(run), -(-attack.submissions // run.accounts)
        most, level = MOST if each > 4 else 2**each, (n - 1.0) / n
        self._each = each
        self._accounts = [
            ScanAccount(new_account(most, span.size, level, self._improving.noise))
            for _ in range(run.accounts)
        ]
        # What one account leaves open, the others have to reckon with.
        self._unsettled = min(1.0, FEW / each) if run.accounts > 1 else 0.0
        self._refuses = False  # whether the board refuses repeated files
        self._looks = False  # whether the last file only looks at the level
        self._fate: Fates | None = None
        self.c, self._file, self._variances = np.empty(span.size), np.empty(n), np.empty(n)

    def next_file(self, t: int) -> np.ndarray:
        """File t = 0, 1, ..., shape (n,)."""
        attack, span, improving = self._attack, self.span, self._improving
        turn, place = divmod(t, len(self._accounts))
        account, first = self._accounts[place], turn == 0
        hypotheses, c, m, S = account.hypotheses, self.c, self.m, self.S
        if turn % improving.day == 0:
            hypotheses.today[:] = int(first and not improving.begins)
        c[:] = 0.0
        of_rows = span.group, span.weight, span.extra
        spreads(S, span.ones, attack.residual, *of_rows, self._variances)
        # The files of this account that are left include this one.
        jump, target, doubt = plans(hypotheses, m, attack.n, self._each - turn)
        self._looks = account.is_unclear(doubt) or (first and not improving.begins)
        if self._looks:
            account.repeats += 1
            if self._refuses:
                c[:] = attack.signs(t, t + 1, span.size)[0]
        else:
            account.repeats, account.last = 0, t + 1
            z, rule = attack.signs(t, t + 1, span.size)[0], (improving.margin, improving.critical)
            aim(hypotheses, m, S, z, attack.n, jump, target, *rule, c)
            self.used += 1
        expand(c, *of_rows, self._file)
        self._fate = fates(
            hypotheses, c, m, S, self._variances, *of_rows, improving.margin, improving.critical,
            -np.inf if self._looks else improving.left, improving.daily,
        )  # fmt: skip
        return self._file

    def take_in(self, shown: float, t: int) -> None:
        """Take in the score that is shown after file t."""
        account = self._accounts[t % len(self._accounts)]
        if shown == account.score:  # the board refused the file
            self._refuses |= self._looks
            return
        score, m, S = shown * shown if self._root else shown, self.m, self.S
        read(account.hypotheses, self._fate, self.c, t + 1, score, self._unsettled, m, S)
        account.score = shown


@kernel
def _by_rate(rate, factor, power, least, most):
    return min(max(factor * rate**power, least), most)


@kernel
def plans(hypotheses, m, n, following):
    """How far the level should fall, how probably, and from which probability a file is in doubt.

    Parameters
    ----------
    hypotheses : Hypotheses
    m : ndarray, shape (k,)
    n : int
        Public rows.
    following : int
        Files left on the account.
    """
    h = likeliest(hypotheses)[0]
    common = np.empty(len(m))
    mean_shift(hypotheses, common)
    reserve = 0.0
    for i in range(len(m)):
        u = m[i] + hypotheses.shift[h, i] - common[i] - hypotheses.best[h, i]
        reserve += u * u
    sd = sqrt(hypotheses.noise[0]) * max(hypotheses.level[h], 1e-12)
    rate = reserve / n / sd / following
    return (
        _by_rate(rate, JUMP[0], JUMP[1], JUMP[2], JUMP[3]) * sd,
        _by_rate(rate, TARGET[0], TARGET[1], TARGET[2], TARGET[3]),
        _by_rate(rate, DOUBT[0], DOUBT[1], DOUBT[2], DOUBT[3]),
    )


@kernel
def _expected(share, a, products, level, n, margin, critical):
    """P(a file passes), and the expected fall of the level if it does.

    `products` are those of the reserve u and the direction d: u'u, u'd, u'Su, u'Sd and d'Sd; |d| is
    1.  The standard error is that of residuals with the same spread in every row.
    """
    uu, ud, uSu, uSd, dSd = products
    expected = share * uu + a * ud
    squares = share * share * uu + 2.0 * share * a * ud + a * a
    sd = sqrt(max(share * share * uSu + 2.0 * share * a * uSd + a * a * dSd, 1e-300))
    z = (0.5 * (squares + n * margin) + critical * sqrt(squares * level) - expected) / sd
    return chance_above(z), (2.0 * (expected + sd * hazard(z)) - squares) / n


@kernel
def _least_share(a, products, level, n, margin, critical, target):
    """The least share with which a file passes with probability `target`; -1 if none does."""
    if _expected(0.0, a, products, level, n, margin, critical)[0] >= target:
        return 0.0
    low = 0.0
    for turn in range(COARSE):
        high = 2.0 ** (turn + 1 - COARSE)
        if _expected(high, a, products, level, n, margin, critical)[0] >= target:
            for _ in range(FINE):
                middle = 0.5 * (low + high)
                if _expected(middle, a, products, level, n, margin, critical)[0] >= target:
                    high = middle
                else:
                    low = middle
            return high
        low = high
    return -1.0


@kernel
def aim(hypotheses, m, S, z, n, jump, target, margin, critical, c):
    """The next file, in coordinates, into `c`, shape (k,).

    It is the longest that passes with probability `target`, with its least share, and then lowers
    the level by no more than `jump`.

    Parameters
    ----------
    hypotheses : Hypotheses
    m, S : ndarray, shape (k,) and (k, k)
        The posterior.
    z : ndarray, shape (k,)
        Random signs.
    n : int
        Public rows.
    jump : float
        In units of the mean squared error.
    target, margin, critical : float
    """
    k = len(m)
    h, probable = likeliest(hypotheses)
    if probable <= SETTLED:
        target = max(target, CLEARING)
    common, u, d = np.empty(k), np.empty(k), np.empty(k)
    mean_shift(hypotheses, common)
    for i in range(k):
        u[i] = m[i] + hypotheses.shift[h, i] - common[i] - hypotheses.best[h, i]
    Su, Sd = np.empty(k), np.empty(k)
    both_times(S, u, z, Su, d)
    length = sqrt(max(dot(d, d), 1e-300))
    for i in range(k):
        d[i] /= length
    times(S, d, Sd)
    products = dot(u, u), dot(u, d), dot(u, Su), dot(u, Sd), dot(d, Sd)
    level = max(hypotheses.level[h], 1e-12)
    a, low, high = sqrt(level), 0.0, -1.0
    share, scale = 1.0, 0.0
    for _ in range(LENGTHS):
        least = _least_share(a, products, level, n, margin, critical, target)
        fits = least >= 0.0
        if fits:
            fits = _expected(least, a, products, level, n, margin, critical)[1] <= jump
        if fits:
            low, share, scale = a, least, a
        else:
            high = a
        if high < 0.0:
            a *= 1.7
        elif low == 0.0:
            a /= 1.7
        else:
            a = 0.5 * (low + high)
    if scale == 0.0:
        scale = a
    for i in range(k):
        c[i] = hypotheses.best[h, i] + share * u[i] + scale * d[i]
