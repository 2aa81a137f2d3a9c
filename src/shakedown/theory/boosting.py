r"""The boosting attack on a board that shows every score: closed forms.

Labels are 0 or 1 with chance 1/2 each, and so are the labels of the k submissions, n in each ([B]
section 5, [Z] section 2.1).  S, the number of agreements less that of disagreements with the
truth, is the sum of n independent signs for any truth.  A submission's loss is 1/2 - S/(2n).

The vote counts each submission with a sign that depends on its own S alone, so at any one label the
k contributions are independent and equal in distribution, and the expected loss of the majority is
a sum of binomial probabilities: exact, for every n and k.  What is shown may be rounded, as long as
it still tells which side of 1/2 a loss lies on.  On labels that the board does not score the vote
is a guess, with an expected loss of 1/2.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
from scipy import integrate, stats

from shakedown.theory.checks import checked


def plain_vote_loss(k: int, n: int) -> float:
    """Expected public loss of the majority of those submissions whose loss is 1/2 or less.

    Parameters
    ----------
    k : int
        Random submissions, about half of which vote.
    n : int
        Public labels.

    Returns
    -------
    float
        Exact; in [0, 1/2].

    Raises
    ------
    InputError
        If a number is not a whole number of 1 or more.

    Notes
    -----
    [B] section 5, steps 1-4.  A tied vote, and one without voters, is wrong with chance 1/2, as the
    label itself is random.  With many submissions and labels this is near
    `plain_vote_asymptote`.
    """
    checked("count", k=k, n=n)
    kept = _chance_kept(n)
    # E[s; S >= 0] = E|S| / (2n) for the sign s at one label
    right = 0.5 + _mean_distance(n) / (4.0 * n * kept)
    voters = np.arange(k + 1)  # (k + 1,)
    wrong = stats.binom.cdf((voters - 1) // 2, voters, right)  # fewer than half of them are right
    tied = np.where(voters % 2 == 0, stats.binom.pmf(voters // 2, voters, right), 0.0)
    return float(stats.binom.pmf(voters, k, kept) @ (wrong + tied / 2.0))


def mirrored_vote_loss(k: int, n: int) -> float:
    """Expected public loss of the majority of all submissions, each turned round if it was worse.

    [Z] section 2.1: v = u if its accuracy is above 1/2, else 1 - u.  Exact; parameters, errors and
    ties as for `plain_vote_loss`.
    """
    checked("count", k=k, n=n)
    right = 0.5 + _mean_distance(n) / (2.0 * n)  # E[s sign(S)] = E|S| / n; S = 0 adds nothing
    tied = stats.binom.pmf(k // 2, k, right) if k % 2 == 0 else 0.0
    return float(stats.binom.cdf((k - 1) // 2, k, right) + tied / 2.0)


def plain_vote_asymptote(k: float, n: float) -> float:
    r"""The limit of `plain_vote_loss`: :math:`1 - \Phi(\sqrt{2/\pi} \sqrt{k / 2n})`.

    For many labels and many submissions with k/n fixed.  A voter is right with chance
    1/2 + 1/sqrt(2 pi n), and there are k/2.  For k well below n the loss is 1/2 - sqrt(k/2n) / pi,
    the growth as sqrt(k/n) of [B] Theorem 5.1.
    """
    checked("constant", k=k, n=n)
    return float(stats.norm.sf(sqrt(2.0 / pi) * sqrt(k / (2.0 * n))))


def mirrored_vote_asymptote(k: float, n: float) -> float:
    r"""The limit of `mirrored_vote_loss`: :math:`1 - \Phi(\sqrt{2/\pi} \sqrt{k / n})`.

    As `plain_vote_asymptote` with all k for voters: for k well below n, 1/2 - sqrt(k/n) / pi.
    """
    checked("constant", k=k, n=n)
    return float(stats.norm.sf(sqrt(2.0 / pi) * sqrt(k / n)))


def largest_deviation(k: int, n: int) -> float:
    """By how much the best of k random submissions lies below 1/2, on average.

    Parameters
    ----------
    k : int
        Random submissions.
    n : int
        Public labels.

    Returns
    -------
    float
        E[1/2 - smallest loss], exact, in units of the loss; 0 for k = 1.  "The expected maximum
        deviation of the score on k random vectors" of [B] section 5.1.

    Raises
    ------
    InputError
        If a number is not a whole number of 1 or more.
    """
    checked("count", k=k, n=n)
    more_mistakes = stats.binom.sf(np.arange(n), n, 0.5)  # (n,) P(mistakes > 0, 1, ..., n - 1)
    return 0.5 - float(np.sum(more_mistakes**k)) / n  # E[min] = sum of P(min > j)


def normal_largest_deviation(k: int, n: int) -> float:
    """The same with normal losses, of standard deviation 1 / (2 sqrt n): by numeric integration."""
    checked("count", k=k, n=n)

    def above(x):  # P(largest of k > x)
        return -np.expm1(k * stats.norm.logcdf(x))

    def below(x):  # P(largest of k < -x)
        return np.exp(k * stats.norm.logcdf(-x))

    largest = integrate.quad(above, 0.0, 40.0, limit=200, points=[2.0, 4.0, 6.0, 8.0])[0]
    return float(largest - integrate.quad(below, 0.0, 40.0, limit=200)[0]) / (2.0 * sqrt(n))


def largest_deviation_asymptote(k: int, n: int) -> float:
    """The leading term for many submissions, ``sqrt(ln(k) / (2n))``: an upper end, slowly reached.

    The expected largest of k normal numbers never exceeds sqrt(2 ln k) standard deviations.
    """
    checked("count", k=k, n=n)
    return float(np.sqrt(np.log(k) / (2.0 * n)))


def _mean_distance(n: int) -> float:
    """E|S| of a sum of n random signs; near sqrt(2n / pi)."""
    odd = n - 1 + n % 2  # an odd sum is never 0, so one sign more adds as often as it takes
    return odd * stats.binom.pmf(odd // 2, odd - 1, 0.5)  # n P(the other n - 1 cancel out)


def _chance_kept(n: int) -> float:
    """P(S >= 0): 1/2, and half the chance of a draw where n is even."""
    draw = stats.binom.pmf(n // 2, n, 0.5) if n % 2 == 0 else 0.0
    return 0.5 + draw / 2.0
