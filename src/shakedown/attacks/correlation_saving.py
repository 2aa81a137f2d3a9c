"""Level saving for correlations, on boards that show the best score and demand a margin.

A correlation can pass so few levels that each has to be spent on a file that tells much.  With m
the mean of what is known, each file is

    f = c m / |m| + sqrt(1 - c^2) d

with a fresh random direction d of length 1 in which the response still varies.  With R the length
of the response it passes if <y, f> exceeds R (shown + margin), exactly, since the board compares
with the number that it shows.  The share c is the least with which a file passes as rarely as is
planned: the levels that can still be reached, over the files that are left.  So a file passes only
if <y, d> is far out in its tail, and most of what is known is held back.

A file that passes lies within half a step of the shown score, one that does not lies below the bar.
The moments of a truncated normal variable update the posterior N(m, S) of the response.

Under Spearman's coefficient a file counts by its ranks; under Lin's it has the response's own
spread, so that its coefficient is a correlation; but what a holder ends with keeps its own length,
since another one is better without any secret.  `level_saving` does the same for mean squares.
"""

from __future__ import annotations

from math import sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from shakedown.attacks.adversary import PreparedAdversary, Run
from shakedown.attacks.by_levels import OFTENEST, RAREST, has_levels, hazard, quantile_above
from shakedown.attacks.crowds import bounded_by, to_length
from shakedown.attacks.greedy_climb import scaled
from shakedown.attacks.grouped import FEWEST, GroupedHolder, groups_parameter
from shakedown.attacks.hypotheses import dot
from shakedown.attacks.linear_probe import DECIMALS
from shakedown.attacks.posterior import KNOWN, add, learn, times
from shakedown.attacks.reserve import FURTHER
from shakedown.attacks.span import Span
from shakedown.compiled import kernel
from shakedown.interface import ParticipantData
from shakedown.terms import Terms

#: Shares of what is known that are tried.
SHARES = np.linspace(0.0, 1.0, 26)
#: How far out in its tail a file is first taken to be, and how often that is made better.
FIRST, TURNS = 2.2, 2
#: By how much files are smaller than the response, and the length that counts as none.
SMALLER, NONE = 1e-6, 1e-9
#: No file has a correlation of 1 with a response that is not known.
HIGHEST = 1.0 - NONE


class CorrelationSaving(GroupedHolder):
    """Level saving for correlations."""

    name: ClassVar[str] = "correlation_saving"
    label: ClassVar[str] = "Level saving for correlations"
    phrase: ClassVar[str] = "level saving for correlations"
    sentence: ClassVar[str] = (
        "Where a correlation must improve by a margin, holds back what it knows, so that only a "
        "file with an extreme random direction passes, and spends each level of the score on one."
    )
    order: ClassVar[float] = 13.8
    metrics: ClassVar[tuple[str, ...]] = ("pearson", "spearman", "ccc")

    groups: int | None = groups_parameter("400")

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return has_levels(terms)

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedCorrelationSaving:
        return PreparedCorrelationSaving(self, participant, model, rng)


class Aim(NamedTuple):
    """What the next file is made for.

    `root`: length of the response.  `bar`: the correlation above which it passes, and `margin` how
    far the bar rises with each file that does.  `files`: those of the account that are left, this
    one included.  `most`: the improvements that the account is still shown.
    """

    root: float
    bar: float
    margin: float
    files: int
    most: float


class PreparedCorrelationSaving(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        k, terms = self.submissions, run.terms
        belief, root, used = Belief(self, run), sqrt(self.n - 1.0), 0
        margin, half = terms.acceptance.margin, max(0.5 * terms.step, NONE)
        daily, day = terms.improvements_per_day or (np.inf, k)
        most = np.inf if terms.improvements is None else float(terms.improvements)
        shown, left, today = ([x] * run.accounts for x in (terms.start, most, 0))
        for t in range(k):
            at, made = t % run.accounts, t // run.accounts
            today[at] *= made % day > 0
            number = shown[at]
            # The first file on a board that begins with nothing passes: no correlation is lower.
            bar = -1.0 if number is None else number + margin
            aim = Aim(root, bar, margin, (k - 1 - t) // run.accounts + 1, left[at])
            new = run.submit(belief.next(t, aim)[None])[0]
            if left[at] > 0 and today[at] < daily:
                if number is None or new > number:
                    belief.learn(root * max(bar, new - half), root * (new + half))
                    shown[at], left[at], today[at] = new, left[at] - 1, today[at] + 1
                    used += 1
                else:
                    belief.learn(-np.inf, root * bar)
            if run.is_point(t + 1):
                run.would_end(belief.end(), t + 1, used)


class Belief:
    """The posterior N(m, S) of the response, in coordinates, and the files made of it."""

    def __init__(self, attack: PreparedCorrelationSaving, run: Run) -> None:
        terms = run.terms
        n, honest = attack.n, attack.honest - attack.honest.mean()
        groups = min(n, attack.attack.groups or FEWEST)
        self._attack, self._span = attack, Span(attack.signs(0, 1)[0], groups, honest)
        self._m, self._S = self._span.honest.copy(), self._span.prior(attack.residual)
        self._form = run.form if terms.metric == "spearman" else None
        self._whole = terms.metric == "ccc"
        self._holds, self._scale = bool(honest.any()), sqrt(n - 1.0) * (1.0 - SMALLER)
        # Files that are nearer to each other may be refused as repetitions.
        self._shares = SHARES[np.sqrt(1.0 - SHARES**2) >= FURTHER * terms.nearest]
        self._c = np.empty(self._span.size)

    def next(self, t: int, aim: Aim) -> np.ndarray:
        """Submission t, shape (n,)."""
        signs = self._attack.signs(t, t + 1, self._span.size)[0]
        if np.ptp(signs) == 0.0:  # of few rows
            signs[0] = -signs[0]
        propose(self._m, self._S, signs, self._span.ones, aim, self._shares, self._c)
        file = self._scale * self._span.file(self._c)
        if self._form is not None:  # all that the board reads
            file = np.round(file, DECIMALS)  # equal ones have equal ranks
            ranks = self._form(file)
            self._c = self._span.coordinates(to_length(ranks - ranks.mean()))
        return file

    def learn(self, low: float, high: float) -> None:
        """Take in that the product of the response with the last file is between two numbers."""
        c, w = self._c, np.empty(len(self._c))
        times(self._S, c, w)
        # Nothing is known of the part of a file that the coordinates cannot express.
        variance = float(c @ w) + self._attack.residual * max(1.0 - float(c @ c), 0.0)
        if variance > KNOWN:
            gain, loss = bounded_by(float(c @ self._m), variance, low, high)
            learn(self._m, self._S, w, gain, loss)

    def end(self) -> np.ndarray:
        """The mean of the response, shape (n,)."""
        file = self._span.file(self._m)
        return scaled(file, self._whole and not self._holds and bool(file.any()))


@kernel
def how_far(aim, known, variance):
    """How far out in its tail the next file should be, in standard deviations.

    A level can be reached if all that is known, `known` in squares, and one direction this far out
    reach it; what passes adds to the first.  `variance` is that of the response along a direction.
    """
    x = FIRST
    for _ in range(TURNS):  # levels and tail depend on each other
        gain, levels, level = variance * hazard(x) ** 2, 0.0, aim.bar
        reach = known + variance * x * x
        while level < HIGHEST and levels < aim.files:
            if (max(level, 0.0) * aim.root) ** 2 > reach:
                break
            levels, level, reach = levels + 1.0, level + aim.margin, reach + gain
        levels = min(max(levels, 1.0), aim.most)
        x = quantile_above(min(max(levels / aim.files, RAREST), OFTENEST))
    return x


@kernel
def propose(m, S, signs, ones, aim, shares, c):
    """The next file, in coordinates and of length 1, into `c`, shape (k,).

    Parameters
    ----------
    m, S : ndarray, shape (k,) and (k, k)
        The posterior.
    signs : ndarray, shape (k,)
        Random signs; they change.
    ones : ndarray, shape (k,)
        The constant, in coordinates.
    aim : Aim
    shares : ndarray
        Those of m that are tried, from the least.
    c : ndarray, shape (k,)
    """
    d, Sm, Sd = np.empty(len(m)), np.empty(len(m)), np.empty(len(m))
    add(signs, -dot(ones, signs) / max(dot(ones, ones), 1e-300), ones)
    times(S, signs, d)
    length = sqrt(dot(m, m))
    holds = length > NONE
    if holds:
        add(d, -dot(m, d) / length**2, m)
    unit = sqrt(dot(d, d))
    d /= max(unit, 1e-300)
    times(S, d, Sd)
    dSd = mSm = mSd = 0.0
    if unit > 0.0:
        dSd = dot(d, Sd)
    if holds:
        times(S, m, Sm)
        mSm, mSd = dot(m, Sm) / length**2, dot(m, Sd) / length
    x = how_far(aim, length * length, dSd)
    share, nearest = 0.0, np.inf
    for tried in shares:
        rest = sqrt(1.0 - tried * tried)
        spread = tried * tried * mSm + 2.0 * tried * rest * mSd + rest * rest * dSd
        z = (aim.root * aim.bar - tried * length) / sqrt(max(spread, 1e-300))
        if z < nearest:
            share, nearest = tried, z
        if z <= x or not holds:
            break
    c[:] = 0.0
    add(c, sqrt(1.0 - share * share), d)
    if holds:
        add(c, share / length, m)
