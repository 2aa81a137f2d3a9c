r"""Closed forms for the boosting attack on a board that releases every score.

The n labels are independent and 0 or 1 with probability 1/2; so are the labels in each of the k
submissions ([B] section 5, [Z] section 2.1).  S is the number of labels on which a submission
agrees with the truth minus the number on which it disagrees.  For any truth, S is a sum of n
independent random signs, and the loss of the submission is 1/2 - S/(2n).

The attack takes a majority vote, in which the weight of a submission depends only on its own S.  So
the k votes on any one label are independent and identically distributed, and the expected loss of
the majority is a sum of binomial probabilities, exact for every n and k.  The released scores may
be rounded, provided that they still show on which side of 1/2 a loss lies.  On labels that the
board does not score, the expected loss of the vote is 1/2.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
from scipy import integrate, stats

from shakedown.theory.checks import checked


def plain_vote_loss(k: int, n: int) -> float:
    """Expected public loss of the majority vote of the submissions with a loss of at most 1/2.

    Parameters
    ----------
    k : int
        Number of random submissions, about half of which vote.
    n : int
        Number of public labels.

    Returns
    -------
    float
        Exact; in [0, 1/2].

    Raises
    ------
    InputError
        If `k` or `n` is not a whole number of at least 1.

    Notes
    -----
    [B] section 5, steps 1-4.  A tied vote, or a vote without voters, is wrong with probability 1/2,
    because the label is random.  For large `k` and `n` the value approaches `plain_vote_asymptote`.
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
    """Expected public loss of the majority vote if submissions worse than 1/2 are inverted.

    [Z] section 2.1: a submission u votes as u if its accuracy is above 1/2, and as 1 - u otherwise.
    The value is exact; parameters, errors and ties are those of `plain_vote_loss`.
    """
    checked("count", k=k, n=n)
    right = 0.5 + _mean_distance(n) / (2.0 * n)  # E[s sign(S)] = E|S| / n; S = 0 adds nothing
    tied = stats.binom.pmf(k // 2, k, right) if k % 2 == 0 else 0.0
    return float(stats.binom.cdf((k - 1) // 2, k, right) + tied / 2.0)


def plain_vote_asymptote(k: float, n: float) -> float:
    r"""The limit of `plain_vote_loss`: :math:`1 - \Phi(\sqrt{2/\pi} \sqrt{k / 2n})`.

    The limit holds for k and n growing at a fixed ratio k/n.  About k/2 submissions vote, and each
    is right with probability 1/2 + 1/sqrt(2 pi n).  If k is much smaller than n, the loss is about
    1/2 - sqrt(k/2n) / pi, so the gain grows as sqrt(k/n), as in [B] Theorem 5.1.
    """
    checked("constant", k=k, n=n)
    return float(stats.norm.sf(sqrt(2.0 / pi) * sqrt(k / (2.0 * n))))


def mirrored_vote_asymptote(k: float, n: float) -> float:
    r"""The limit of `mirrored_vote_loss`: :math:`1 - \Phi(\sqrt{2/\pi} \sqrt{k / n})`.

    As `plain_vote_asymptote`, but all k submissions vote.  If k is much smaller than n, the loss is
    about 1/2 - sqrt(k/n) / pi.
    """
    checked("constant", k=k, n=n)
    return float(stats.norm.sf(sqrt(2.0 / pi) * sqrt(k / n)))


def largest_deviation(k: int, n: int) -> float:
    """Expected gain of the best of k random submissions over guessing.

    Parameters
    ----------
    k : int
        Number of random submissions.
    n : int
        Number of public labels.

    Returns
    -------
    float
        E[1/2 - smallest loss], exact, in units of the loss; 0 for k = 1.  It is "the expected
        maximum deviation of the score on k random vectors" of [B] section 5.1.

    Raises
    ------
    InputError
        If `k` or `n` is not a whole number of at least 1.
    """
    checked("count", k=k, n=n)
    more_mistakes = stats.binom.sf(np.arange(n), n, 0.5)  # (n,) P(mistakes > 0, 1, ..., n - 1)
    return 0.5 - float(np.sum(more_mistakes**k)) / n  # E[min] = sum of P(min > j)


def normal_largest_deviation(k: int, n: int) -> float:
    """As `largest_deviation`, for normal losses with standard deviation 1 / (2 sqrt n).

    Computed by numerical integration.
    """
    checked("count", k=k, n=n)

    def above(x):  # P(largest of k > x)
        return -np.expm1(k * stats.norm.logcdf(x))

    def below(x):  # P(largest of k < -x)
        return np.exp(k * stats.norm.logcdf(-x))

    largest = integrate.quad(above, 0.0, 40.0, limit=200, points=[2.0, 4.0, 6.0, 8.0])[0]
    return float(largest - integrate.quad(below, 0.0, 40.0, limit=200)[0]) / (2.0 * sqrt(n))


def largest_deviation_asymptote(k: int, n: int) -> float:
    """Upper bound ``sqrt(ln(k) / (2n))`` of `normal_largest_deviation`, and its leading term.

    The expected maximum of k normal variables is at most sqrt(2 ln k) standard deviations; it
    approaches this bound slowly as k grows.
    """
    checked("count", k=k, n=n)
    return float(np.sqrt(np.log(k) / (2.0 * n)))


def _mean_distance(n: int) -> float:
    """E|S| of a sum of n random signs; near sqrt(2n / pi)."""
    odd = n - 1 + n % 2  # for odd m, E|S| is the same with m and with m + 1 signs
    return odd * stats.binom.pmf(odd // 2, odd - 1, 0.5)  # m P(the other m - 1 signs sum to 0)


def _chance_kept(n: int) -> float:
    """P(S >= 0) = (1 + P(S = 0)) / 2; P(S = 0) is 0 for odd n."""
    even = stats.binom.pmf(n // 2, n, 0.5) if n % 2 == 0 else 0.0
    return 0.5 + even / 2.0
