r"""How wrong a leaderboard can be at worst: the papers' bounds of the leaderboard error.

Losses lie in [0, 1]; the n public rows are independent draws; R_S(f) is the loss of a submission f
on them and R_D(f) its true loss.  The leaderboard error of the scores R_1, ..., R_k shown is

    lberr = max over t <= k of | min over i <= t of R_D(f_i)  -  R_t |     ([B] Definition 2.1).

Each bound comes as a probability, as the error that it leaves with probability 1 - delta, and as
the public rows that an error takes.  A probability of 1, or an error of 1 and more, says nothing.

Which logarithm.  [B] count bits and [Z] says that his log is binary, and both put that log into a
natural exponential.  The bound is read here with *natural* logarithms, which is valid and sharper:
2^B with B = a log2(b) is b^a = exp(a ln b), so the count 2 * 2^B of the proofs is
exp(a ln b + ln 2), and the printed "+ 1" covers ln 2 = .693.  Binary logarithms are valid as well,
as log2(b) >= ln(b) for b >= 1, but need 1 / ln 2 = 1.44 times the public rows for the same step.

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


# Submissions that were fixed before any score was shown


def union_probability(error: float, k: int, n: int) -> float:
    """Chance that the loss of any of k submissions is off by more than `error`, at most.

    Parameters
    ----------
    error : float
        epsilon, in units of the loss; above 0.
    k : int
        Submissions, fixed independently of the public rows: none of them a consequence of a score.
    n : int
        Public rows.

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
    """The error that `union_probability` leaves with probability 1 - delta."""
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
    """Chance that the Ladder's error exceeds epsilon + eta, at most: [B] Theorem 3.1 as printed.

    Parameters
    ----------
    epsilon : float
        What is allowed for chance, in units of the loss; above 0.
    eta : float
        Step of the Ladder ([B] Algorithm 1), in units of the loss; in (0, 1].
    t : int
        Submissions, each of them chosen with whatever was shown before.
    n : int
        Public rows.
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
    The theorem is on one t, but its proof bounds the deviation of all functions in the tree of
    depth t at once, so that with t = k it bounds the leaderboard error, the largest over all t.

    The proof puts the number of values that can be shown at 1/eta rounded up.  There may be one
    more, round(1/eta) + 1, but no more than the 2/eta that its count leaves room for.
    """
    _check_ladder(eta, t)
    checked("error", epsilon=epsilon)
    checked("count", n=n)
    log_nodes = _log_nodes(eta, t) / (_BITS if binary else 1.0)
    return _chance(-2.0 * epsilon**2 * n + log_nodes + 1.0)  # Theorem 3.1


def ladder_proof_probability(epsilon: float, eta: float, t: int, n: int) -> float:
    """The same with the constant of the proof, 2^(B + 1) exp(-2 eps^2 n): a little smaller.

    The second line of the proof's last display, before 2 2^B is put below exp(B + 1).
    """
    _check_ladder(eta, t)
    checked("error", epsilon=epsilon)
    checked("count", n=n)
    return _chance(-2.0 * epsilon**2 * n + _log_nodes(eta, t) + _BITS)


def ladder_error(eta: float, delta: float, k: int, n: int) -> float:
    """The leaderboard error of a Ladder of step eta, with probability 1 - delta at most.

    That is epsilon + eta, with the epsilon at which [B] Theorem 3.1 is delta; in units of the loss.
    """
    _check_ladder(eta, k)
    checked("chance", delta=delta)
    checked("count", n=n)
    return sqrt((_log_nodes(eta, k) + 1.0 - log(delta)) / (2.0 * n)) + eta


class Step(NamedTuple):
    """A step eta, and the leaderboard error that is left with it; in units of the loss."""

    eta: float
    error: float


def best_ladder_step(delta: float, k: int, n: int) -> Step:
    """The step with which `ladder_error` is smallest: of the order (log(kn) / n)^(1/3).

    Notes
    -----
    The error is a convex function of the step: 1/eta + 2 and log(4k/eta) are log-convex, hence also
    their product, its sum with a constant and the root of that.  So the minimum found is the one.
    """
    checked("chance", delta=delta)
    checked("count", k=k, n=n)
    found = _smallest(lambda eta: ladder_error(eta, delta, k, n), 1.0)
    return Step(found, ladder_error(found, delta, k, n))


def ladder_samples(error: float, delta: float, k: int) -> int:
    """The fewest public rows with which a Ladder of the best step has at most this error.

    Parameters
    ----------
    error : float
        epsilon + eta, in units of the loss; above 0 and at most 1.
    delta : float
        Chance of a larger error, in (0, 1).
    k : int
        Submissions.

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
    """A rate below which no leaderboard can be, whatever it does: [B] Theorem 3.3.

    Parameters
    ----------
    k : int
        Submissions, fixed beforehand.
    n : int
        Public rows.
    constant : float
        The paper proves the rate, ``sqrt(log k / n)`` up to a constant that it does not give.
        With 1 this is the rate, to compare growth with, and *not* a bound.

    Returns
    -------
    float
        ``constant * sqrt(ln(k) / n)``, of the expected leaderboard error in the worst case; in
        units of the loss.

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
    """Chance that the Simplified Ladder's error exceeds its step, at most: [Z] equation 1.

    Parameters
    ----------
    eta : float
        Step of what is shown ([Z] Algorithm 2), in units of the loss; in (0, 1].
    k : int
        Submissions of all the participant's accounts together, chosen with whatever was shown.
    n : int
        Public rows.
    accounts : int
        M, accounts of the participant.
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
    [Z] scores are accuracies, of which larger is better; with losses everything is mirrored.

    The proof allows a board floor(1/eta) steps.  Rounded to the nearest multiple a perfect score
    takes round(1/eta) of them, one more where 1/eta has a fraction above one half, and there the
    proof has a gap.  `simplified_ladder_error` counts them all.
    """
    checked("step", eta=eta)
    checked("count", k=k, n=n, accounts=accounts)
    log_histories = (accounts / eta + 1.0) * log(2.0 * k) / (_BITS if binary else 1.0)
    return _chance(-(eta**2) * n / 2.0 + log_histories + 1.0)  # [Z] (1)


def simplified_ladder_error(
    eta: float, delta: float, k: int, n: int, *, accounts: int = 1
) -> float:
    """The error of a Simplified Ladder of *any* step, with probability 1 - delta at most.

    [Z] equation 1 says something of a step that is large enough, and nothing of a smaller one.  Its
    proof says more: all losses are off by at most epsilon, but for 2 (2k)^(M/eta + 1)
    exp(-2 epsilon^2 n), and what is shown is off by eta/2 besides.  The paper sets epsilon = eta/2;
    here epsilon is whatever delta leaves, and the error is epsilon + eta/2.

    Parameters
    ----------
    eta, k, n, accounts
        As for `simplified_ladder_probability`.
    delta : float
        Chance of a larger error, in (0, 1).

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
    """eta*: the smallest step for which [Z] equation 1 is at most delta; inf where none is.

    It is the root of eta^3 - p eta - q, with p = 2 (ln 2k + 1 + ln 1/delta) / n and
    q = 2 M ln(2k) / n; the leading term is the cube root of q, that is of 2 M ln(2k) / n.
    """
    checked("chance", delta=delta)
    checked("count", k=k, n=n, accounts=accounts)
    p = 2.0 * (log(2.0 * k) + 1.0 - log(delta)) / n
    q = 2.0 * accounts * log(2.0 * k) / n
    # The one positive root (Descartes), by Viète's formulas: three real roots or one.
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
        Chance of an error above eta, in (0, 1).

    Raises
    ------
    InputError
        If a number is out of its range.

    Notes
    -----
    [Z] gives the order M log(k) / eta^3: "10^3 samples" for .1, "10^6" for .01 (section 3).  With
    the constants it is more: for k = 1,000, M = 1 and delta = .05 these are 17,522 and 15,433,738.
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
    """exp(exponent), as a probability."""
    return exp(min(exponent, 0.0))


def _smallest(of, upper: float) -> float:
    """Where a convex function is smallest, between 0 and `upper`."""
    found = minimize_scalar(
        lambda x: of(exp(x)), bounds=(log(upper) - 30.0, log(upper)), method="bounded",
        options={"xatol": 1e-9},
    )  # fmt: skip
    return exp(found.x)


def _whole(rows: float) -> int:
    return max(1, ceil(rows))
