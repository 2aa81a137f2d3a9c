"""What attacks on the levels of a board have in common.

On a board that shows the best score so far and demands a margin, a score can fall only so often:
each accepted file uses up one level, and refused files cost nothing.  So these attacks make files
that pass rarely, and hold back what they know: each file is a share of the mean m of what is known
and one direction, along which the response has to be far out for the file to pass.

What is known is a Gaussian posterior N(m, S) of the response, in coordinates.
"""

from __future__ import annotations

from math import exp, sqrt
from typing import NamedTuple, Protocol

import numpy as np

from shakedown.attacks.adversary import Run
from shakedown.attacks.between_updates import between
from shakedown.attacks.logits import ReadsLogits
from shakedown.attacks.posterior import bounded, chance_above, product
from shakedown.compiled import kernel
from shakedown.terms import Terms

#: The least and the largest probability of passing that is planned.
RAREST, OFTENEST = 1e-6, 0.5
#: Steps of the bisections for the share, and for a normal quantile.
SHARES, QUANTILES = 18, 40
#: Lengths of the direction that are tried, in standard deviations of the response along it.
LENGTHS = np.array([0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0])
_SQRT_2_PI = sqrt(2.0 * np.pi)


class Task(NamedTuple):
    """What the next file is made for.

    `n`: public rows.  `bar`: the mean squared error below which it passes, and `step` how far the
    bar then falls.  `files`: those of the account that are left, this one included.  `most`: the
    improvements that the account is still shown.
    """

    n: int
    bar: float
    step: float
    files: int
    most: float


class Knowledge(Protocol):
    """What an attacker knows, and the files that it makes of it.

    Attributes
    ----------
    m, S : ndarray, shape (k,) and (k, k)
        The posterior, changed in place.
    c : ndarray, shape (k,)
        The file that `next` has made.
    """

    m: np.ndarray
    S: np.ndarray
    c: np.ndarray

    def next(self, t: int, task: Task) -> bool:
        """Make submission t, in coordinates; false if there is nothing left to ask."""
        ...

    def spread(self) -> np.ndarray:
        """S times the file that `next` has made, shape (k,)."""
        ...

    def file(self, coordinates: np.ndarray) -> np.ndarray:
        """The file with these coordinates, shape (n,)."""
        ...

    def passes(self) -> None:
        """Note that the file has passed, before what it tells is taken in."""
        ...

    def fails(self) -> None:
        """Note that the file has not passed."""
        ...


class PreparedByLevels(ReadsLogits):
    """An attack on levels in one replicate; derive from it and write `_known`."""

    def _known(self) -> Knowledge:
        raise NotImplementedError

    def _play(self, run: Run) -> None:
        n, k, terms = self.n, self.submissions, run.terms
        known, margin, used = self._known(), terms.acceptance.margin, 0
        daily, day = terms.improvements_per_day or (np.inf, k)
        most = np.inf if terms.improvements is None else terms.improvements
        shown, left, today = ([x] * run.accounts for x in (terms.start, most, 0))
        for t in range(k):
            at, made = t % run.accounts, t // run.accounts
            today[at] *= made % day > 0
            number, asked = shown[at], False
            if number is not None and left[at] > 0 and today[at] < daily:
                bar, then = (mean_square(number - x * margin, run.root) for x in (1.0, 2.0))
                files = (k - 1 - t) // run.accounts + 1
                asked = known.next(t, Task(n, bar, max(bar - then, 1e-9), files, left[at]))
            file = known.file(known.c) if asked else np.zeros(n)
            new = run.submit(file[None])[0]
            if number is None:  # zeros have told the score that is to be beaten
                shown[at], left[at] = new, left[at] - 1
            elif asked and new < number:
                step = 0.5 * terms.step
                self._passed(known, bar, *(mean_square(new + x, run.root) for x in (step, -step)))
                shown[at], left[at], today[at] = new, left[at] - 1, today[at] + 1
                used += 1
            elif asked:
                self._refused(known, bar)
            if run.is_point(t + 1):
                run.would_end(known.file(known.m), t + 1, used)

    def _passed(self, known: Knowledge, bar: float, worst: float, best: float) -> None:
        """Take in that the mean squared error of the file is between two numbers."""
        known.passes()
        c = known.c
        low, high = (product(self.n - 1.0, c @ c, self.n, x) for x in (min(bar, worst), best))
        between(known.m, known.S, c, known.spread(), low, high)

    def _refused(self, known: Knowledge, bar: float) -> None:
        """Take in that the mean squared error of the file is not below the bar."""
        known.fails()
        c = known.c
        bounded(known.m, known.S, c, known.spread(), product(self.n - 1.0, c @ c, self.n, bar))


def has_levels(terms: Terms) -> bool:
    """Whether a board has levels: it shows scores without noise, which fall by a margin."""
    rule = terms.acceptance
    return (
        rule is not None
        and not (terms.is_noisy or terms.replaces_always)
        and rule.margin > 0.0
        and rule.critical == 0.0
    )


def mean_square(score: float, root: bool) -> float:
    """The mean squared error of a score, at least 0."""
    score = max(score, 0.0)
    return score * score if root else score


@kernel
def quantile_above(chance):
    """x with P(Z > x) = chance, from 1e-6 to .5."""
    low, high = 0.0, 5.0
    for _ in range(QUANTILES):
        x = 0.5 * (low + high)
        if chance_above(x) > chance:
            low = x
        else:
            high = x
    return 0.5 * (low + high)


@kernel
def hazard(x):
    """The mean of a standard normal Z above x."""
    return exp(-0.5 * x * x) / _SQRT_2_PI / chance_above(x)


@kernel
def rarity(task, known, variance):
    """How far out in the tail the next file should be, in standard deviations.

    Files pass with a planned probability: the levels that are left, over the files that are left.
    (Dynamic programming finds .9 to 1.05 L / r for L levels and r files.)  The levels that can
    still be reached follow from it: what passes adds to m, as much as a normal variable has in its
    tail.  `known` is m'm, and `variance` that of the response along a direction.
    """
    x = 2.5
    for _ in range(3):  # levels and tail depend on each other
        gain, cost = variance * hazard(x) ** 2, task.n * task.step
        # How much further than `bar` all that is known reaches, with the help of one direction.
        further = known + 1.0 - task.n * (1.0 - task.bar) + variance * x * x
        levels = 1.0 + task.bar / task.step
        if gain < cost:
            levels = min(levels, 1.0 + max(further, 0.0) / (cost - gain))
        levels = min(np.floor(levels), task.most)
        x = quantile_above(min(max(levels / task.files, RAREST), OFTENEST))
    return x


@kernel
def lacks_of(task):
    """What the mean squared error of zeros, (n - 1) / n, lacks to pass, times n."""
    return task.n - 1.0 - task.n * task.bar


class Forms(NamedTuple):
    """What decides whether a file c m + a d passes: products of m and d, x'Sy as `xSy`.

    `lacks` is that of `lacks_of`.
    """

    lacks: float
    mm: float
    md: float
    mSm: float
    dSm: float
    dSd: float


@kernel
def held_back(x, forms):
    """The least share of m with which a file can pass x deviations out, and the length of d.

    All of m if even that is not enough.
    """
    share, a, off = 0.0, 0.0, np.inf
    low, high = 0.0, 1.0
    for turn in range(SHARES):
        tried = low if turn == 0 else 0.5 * (low + high)
        off, length = nearest_length(tried, forms)
        if off <= x:
            share, a, high = tried, length, tried
            if turn == 0:
                break
        else:
            low = tried
    if a == 0.0:
        share = 1.0
        a = nearest_length(share, forms)[1]
    return share, a


@kernel
def nearest_length(share, forms):
    """How far out <y, file> has to be to pass, in standard deviations, at best; and that length."""
    best, length, sd = np.inf, 0.0, sqrt(forms.dSd)
    excess = forms.lacks + share * (share - 2.0) * forms.mm
    for i in range(-1, len(LENGTHS)):
        # The first is the best one if the product of m with y is known.
        a = sqrt(max(excess, 0.0)) if i < 0 else LENGTHS[i] * sd
        if a == 0.0:
            continue
        needed = 0.5 * (excess + a * a) + (share - 1.0) * a * forms.md
        spread = share * share * forms.mSm + 2.0 * share * a * forms.dSm + a * a * forms.dSd
        x = needed / sqrt(spread)
        if x < best:
            best, length = x, a
    return best, length
