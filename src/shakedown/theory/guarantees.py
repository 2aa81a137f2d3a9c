r"""Bounds of the leaderboard error, from the papers.

Losses lie in [0, 1], and the n public rows are independent draws.  R_S(f) is the loss of a
submission f on these rows, and R_D(f) is its true loss.  The leaderboard error of the released
scores R_1, ..., R_k is

    lberr = max over t <= k of | min over i <= t of R_D(f_i)  -  R_t |     ([B] Definition 2.1).

Each upper bound has three forms: the probability that the error exceeds a given value, the error
that is not exceeded with probability 1 - delta, and the number of public rows that a given error
requires.  A probability of 1, or an error of 1 or more, is vacuous.

Base of the logarithms.  The proofs of [B] count bits, and [Z] defines log as the binary logarithm,
but both papers insert it into a natural exponential.  This module uses *natural* logarithms, which
are valid and give a sharper bound: 2^B with B = a log2(b) is b^a = exp(a ln b), so the factor
2 * 2^B of the proofs is exp(a ln b + ln 2), and the printed "+ 1" covers ln 2 = .693.  Binary
logarithms are valid too, because log2(b) >= ln(b) for b >= 1, but require 1 / ln 2 = 1.44 times as
many public rows for the same step.

References
----------
[B] A. Blum and M. Hardt, "The Ladder: A Reliable Leaderboard for Machine Learning Competitions",
ICML 2015.  [Z] W. Zheng, "Toward a Better Understanding of Leaderboard", 2015.
"""

from __future__ import annotations

from math import acos, acosh, ceil, cos, cosh, exp, inf, log, sqrt
from typing import NamedTuple

from scipy.optimize import minimize_scalar

from shakedown.theory.checks import checked

_BITS = log(2.0)  # nats in a bit


# Submissions that are fixed before any score is released


def union_probability(error: float, k: int, n: int) -> float:
    """Upper bound of the probability that the largest of k errors exceeds `error`.

    An error is |R_S(f) - R_D(f)| of a submission f.

    Parameters
    ----------
    error : float
        epsilon, in units of the loss; above 0.
    k : int
        Number of submissions, all fixed independently of the public rows.
    n : int
        Number of public rows.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InputError
        If a number is out of its range.

    Notes
    -----
    [B] equation 2, from Hoeffding's inequality and a union bound; [Z] equation 2.
    """
    checked("error", error=error)
    checked("count", k=k, n=n)
    return _chance(log(2.0 * k) - 2.0 * error**2 * n)  # (2): 2 k exp(-2 eps^2 n)


def union_error(delta: float, k: int, n: int) -> float:
    """The error at which `union_probability` is delta; it can exceed 1."""
    checked("chance", delta=delta)
    checked("count", k=k, n=n)
    return sqrt(log(2.0 * k / delta) / (2.0 * n))  # (2) = delta, solved for eps


def union_samples(error: float, delta: float, k: int) -> int:
    """The fewest public rows for which `union_probability` is at most delta."""
    checked("error", error=error)
    checked("chance", delta=delta)
    checked("count", k=k)
    return _whole(log(2.0 * k / delta) / (2.0 * error**2))  # (2) = delta, solved for n


# The Ladder of [B], one account


def ladder_probability(
    epsilon: float, eta: float, t: int, n: int, *, binary: bool = False
) -> float:
    """Upper bound of P(lberr > epsilon + eta) for the Ladder: [B] Theorem 3.1 as printed.

    Parameters
    ----------
    epsilon : float
        The part of the error that is due to sampling, in units of the loss; above 0.
    eta : float
        Step of the Ladder ([B] Algorithm 1), in units of the loss; in (0, 1].
    t : int
        Number of submissions; each may depend on all scores released before it.
    n : int
        Number of public rows.
    binary : bool
        Read log as the binary logarithm; see the module's notes.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InputError
        If a number is out of its range.

    Notes
    -----
    The theorem is stated for a single t.  Its proof bounds the deviations of all functions in the
    tree of depth t simultaneously, so with t = k it bounds the leaderboard error, which is the
    maximum over t.

    The proof counts ceil(1/eta) values that can be released.  Rounding to the nearest multiple can
    give one more, round(1/eta) + 1, which is still covered: the proof allows up to 2/eta values.
    """
    _check_ladder(eta, t)
    checked("error", epsilon=epsilon)
    checked("count", n=n)
    log_nodes = _log_nodes(eta, t) / (_BITS if binary else 1.0)
    return _chance(-2.0 * epsilon**2 * n + log_nodes + 1.0)  # Theorem 3.1


def ladder_proof_probability(epsilon: float, eta: float, t: int, n: int) -> float:
    """As `ladder_probability`, with the slightly smaller constant of the proof.

    It is 2^(B + 1) exp(-2 eps^2 n), from the second line of the proof's last display, before
    2^(B + 1) is bounded by exp(B + 1).
    """
    _check_ladder(eta, t)
    checked("error", epsilon=epsilon)
    checked("count", n=n)
    return _chance(-2.0 * epsilon**2 * n + _log_nodes(eta, t) + _BITS)


def ladder_error(eta: float, delta: float, k: int, n: int) -> float:
    """Upper bound of the Ladder's leaderboard error that holds with probability 1 - delta.

    It is epsilon + eta, in units of the loss, where epsilon is the value at which [B] Theorem 3.1
    gives the probability delta.
    """
    _check_ladder(eta, k)
    checked("chance", delta=delta)
    checked("count", n=n)
    return sqrt((_log_nodes(eta, k) + 1.0 - log(delta)) / (2.0 * n)) + eta


class BestStep(NamedTuple):
    """A step eta and its bound of the leaderboard error, both in units of the loss."""

    eta: float
    error: float


def best_ladder_step(delta: float, k: int, n: int) -> BestStep:
    """The step that minimises `ladder_error`; it is of the order (log(kn) / n)^(1/3).

    Notes
    -----
    The error is a convex function of the step: 1/eta + 2 and log(4k/eta) are log-convex, and so are
    their product, its sum with a constant, and the square root of that sum.  So the local minimum
    that the search finds is the global one.
    """
    checked("chance", delta=delta)
    checked("count", k=k, n=n)
    best = _smallest(lambda eta: ladder_error(eta, delta, k, n), 1.0)
    return BestStep(best, ladder_error(best, delta, k, n))


def ladder_samples(error: float, delta: float, k: int) -> int:
    """The fewest public rows for which `ladder_error` with the best step is at most `error`.

    Parameters
    ----------
    error : float
        epsilon + eta, in units of the loss; above 0 and at most 1.
    delta : float
        Probability of a larger error, in (0, 1).
    k : int
        Number of submissions.

    Raises
    ------
    InputError
        If a number is out of its range.
    """
    checked("possible_error", error=error)
    checked("chance", delta=delta)
    checked("count", k=k)

    def rows(eta):  # Theorem 3.1 = delta with eps = error - eta, solved for n
        return (_log_nodes(eta, k) + 1.0 - log(delta)) / (2.0 * (error - eta) ** 2)

    return _whole(rows(_smallest(rows, error)))


def minimax_rate(k: int, n: int, *, constant: float) -> float:
    """The minimax lower bound of the leaderboard error, up to a constant: [B] Theorem 3.3.

    Parameters
    ----------
    k : int
        Number of submissions, fixed beforehand.
    n : int
        Number of public rows.
    constant : float
        The factor before ``sqrt(log k / n)``, which the paper does not give.  With 1 the result is
        a rate for comparing growth, *not* a bound.

    Returns
    -------
    float
        ``constant * sqrt(ln(k) / n)``, in units of the loss: no mechanism has a smaller expected
        leaderboard error in the worst case.

    Raises
    ------
    InputError
        If a number is out of its range.
    """
    checked("count", k=k, n=n)
    checked("constant", constant=constant)
    return constant * sqrt(log(k) / n)


# The Simplified Ladder of [Z], several accounts


def simplified_ladder_probability(
    eta: float, k: int, n: int, *, accounts: int = 1, binary: bool = False
) -> float:
    """Upper bound of P(lberr > eta) for the Simplified Ladder of step eta: [Z] equation 1.

    Parameters
    ----------
    eta : float
        Step of the released scores ([Z] Algorithm 2), in units of the loss; in (0, 1].
    k : int
        Number of submissions over all accounts of the participant; each may depend on all scores
        released before it.
    n : int
        Number of public rows.
    accounts : int
        M, the number of the participant's accounts.
    binary : bool
        Read log as the binary logarithm; see the module's notes.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InputError
        If a number is out of its range.

    Notes
    -----
    [Z] uses accuracies, for which larger is better; here they are losses, 1 - accuracy.

    The proof counts at most floor(1/eta) steps per account.  Rounding to the nearest multiple
    allows round(1/eta) steps, one more if the fractional part of 1/eta exceeds one half, so the
    proof has a gap there.  `simplified_ladder_error` counts the larger of 1/eta and round(1/eta).
    """
    checked("step", eta=eta)
    checked("count", k=k, n=n, accounts=accounts)
    log_histories = (accounts / eta + 1.0) * log(2.0 * k) / (_BITS if binary else 1.0)
    return _chance(-(eta**2) * n / 2.0 + log_histories + 1.0)  # [Z] (1)


def simplified_ladder_error(
    eta: float, delta: float, k: int, n: int, *, accounts: int = 1
) -> float:
    """Upper bound of the Simplified Ladder's leaderboard error for *any* step.

    It holds with probability 1 - delta.  [Z] equation 1 is vacuous if the step is too small, but
    its proof gives a bound for every step: with probability at least
    1 - 2 (2k)^(M/eta + 1) exp(-2 epsilon^2 n) no loss deviates by more than epsilon, and rounding
    adds at most eta/2.  The paper sets epsilon = eta/2.  Here epsilon solves for delta, and the
    bound is epsilon + eta/2.

    Parameters
    ----------
    eta, k, n, accounts
        As for `simplified_ladder_probability`.
    delta : float
        Probability of a larger error, in (0, 1).

    Returns
    -------
    float
        In units of the loss.

    Raises
    ------
    InputError
        If a number is out of its range.
    """
    checked("step", eta=eta)
    checked("chance", delta=delta)
    checked("count", k=k, n=n, accounts=accounts)
    steps = max(1.0 / eta, round(1.0 / eta))
    log_histories = (accounts * steps + 1.0) * log(2.0 * k)
    return sqrt((log_histories + _BITS - log(delta)) / (2.0 * n)) + eta / 2.0


def best_display_step(delta: float, k: int, n: int, *, accounts: int = 1) -> float:
    """eta*: the smallest step for which [Z] equation 1 is at most delta; inf if there is none.

    It is the positive root of eta^3 - p eta - q, with p = 2 (ln 2k + 1 + ln 1/delta) / n and
    q = 2 M ln(2k) / n.  Its leading term is the cube root of q.
    """
    checked("chance", delta=delta)
    checked("count", k=k, n=n, accounts=accounts)
    p = 2.0 * (log(2.0 * k) + 1.0 - log(delta)) / n
    q = 2.0 * accounts * log(2.0 * k) / n
    # The only positive root (Descartes' rule), by Viète's formulas for one or three real roots.
    ratio = 1.5 * q / p * sqrt(3.0 / p)
    third = cosh(acosh(ratio) / 3.0) if ratio >= 1.0 else cos(acos(ratio) / 3.0)
    eta = 2.0 * sqrt(p / 3.0) * third
    return eta if eta <= 1.0 else inf


def simplified_ladder_samples(eta: float, delta: float, k: int, *, accounts: int = 1) -> int:
    """The fewest public rows for which [Z] equation 1 is at most delta.

    Parameters
    ----------
    eta, k, accounts
        As for `simplified_ladder_probability`.
    delta : float
        Probability of an error above eta, in (0, 1).

    Raises
    ------
    InputError
        If a number is out of its range.

    Notes
    -----
    [Z] gives the order M log(k) / eta^3: "10^3 samples" for eta = .1, "10^6" for .01 (section 3).
    The constants make it larger: for k = 1,000, M = 1 and delta = .05 the numbers are 17,522 and
    15,433,738.
    """
    checked("step", eta=eta)
    checked("chance", delta=delta)
    checked("count", k=k, accounts=accounts)
    exponent = (accounts / eta + 1.0) * log(2.0 * k) + 1.0 - log(delta)
    return _whole(2.0 * exponent / eta**2)  # [Z] (1) = delta, solved for n


def _log_nodes(eta: float, t: int) -> float:
    """ln |T| <= ln 2^B for B = (1/eta + 2) log2(4t/eta): [B] Claim 3.2."""
    return (1.0 / eta + 2.0) * log(4.0 * t / eta)


def _check_ladder(eta: float, t: int) -> None:
    checked("step", eta=eta)
    checked("count", submissions=t)


def _chance(exponent: float) -> float:
    """exp(exponent), at most 1."""
    return exp(min(exponent, 0.0))


def _smallest(of, upper: float) -> float:
    """The minimiser of a convex function in (0, `upper`]."""
    result = minimize_scalar(
        lambda x: of(exp(x)), bounds=(log(upper) - 30.0, log(upper)), method="bounded",
        options={"xatol": 1e-9},
    )  # fmt: skip
    return exp(result.x)


def _whole(rows: float) -> int:
    return max(1, ceil(rows))
