r"""How much a leaderboard can reveal: the number of transcripts that it can show, in nats.

A transcript is everything that a board shows an attacker.  Fix the attacker's strategy and what it
knew before.  If the board can show at most N transcripts, the final file is one of at most N files
that were fixed before the board looked at the public responses, whatever was submitted.  ln N is
the board's leakage in nats, from which `shakedown.theory.gains` bounds the attacker's gain.

Conditions of every count:

- The attacker sees the shown scores and nothing else that depends on the public responses, such as
  acceptances (`flag_nats` counts these), the time that an evaluation takes, or ranks.
- Scores are shown on a grid between a start and a floor.  The start is the score of the mean, as
  if the organiser had submitted it first, and nothing beyond the floor is shown.  Without a start
  the first score can be any number, and no count holds.
- The start is known beforehand: that of standardised responses, or a number that the organiser
  names.
- Other teams' scores are not counted.  A team whose files the attacker knows is one more account.

A board may draw random numbers that do not depend on the public responses, such as the weights of a
Bayesian bootstrap: the counts hold for every value of them.

Derivations are in ``docs/proofs/counting.md``.
"""

from __future__ import annotations

from math import ceil, exp, floor, inf, lgamma, log, log1p

from shakedown.interface import InputError
from shakedown.leaderboard.disclosure import Disclosure
from shakedown.theory.checks import checked

#: Larger caps on improvements are ignored, which gives an upper bound.
_MOST_IMPROVEMENTS = 1000
#: Share of a step by which rounding of floats may move a score beyond a multiple.
_TIE = 1e-9


def monotone_nats(submissions: int, levels: int, *, improvements: int | None = None) -> float:
    """Leakage of a score that is shown after each submission and only falls, on a grid.

    Parameters
    ----------
    submissions : int
        k, over all accounts that share the board.
    levels : int
        L, the number of levels below the start.
    improvements : int, optional
        The board stops changing after so many visible improvements; by default it never stops.

    Returns
    -------
    float
        ln C(k + L, L): exactly the sequences of k levels that never rise.  With a cap of C
        improvements ln sum_{l <= C} C(k, l) C(L, l): when the score falls, and to which levels.
        A cap above 1,000 is ignored: the result is then an upper bound.

    Raises
    ------
    InputError
        If a number is out of its range.
    """
    checked("count_or_0", submissions=submissions, levels=levels)
    if improvements is not None:
        checked("count_or_0", improvements=improvements)
    if improvements is None or improvements >= min(submissions, levels, _MOST_IMPROVEMENTS):
        return _ln_binomial(submissions + levels, levels)
    return _ln_sum(
        _ln_binomial(submissions, i) + _ln_binomial(levels, i) for i in range(improvements + 1)
    )


def digest_nats(updates: int, levels: int, *, improvements: int | None = None) -> float:
    """Leakage of a digest: a score that only falls, on a grid, shown W times in all.

    It is `monotone_nats` with W updates instead of k submissions: ln C(W + L, L), however many
    files arrive, and for however many accounts share the digest.

    The times of the updates must not depend on the submissions, and the participant must not learn
    which submission moved the score.
    """
    return monotone_nats(updates, levels, improvements=improvements)


def grid_nats(submissions: int, levels: int) -> float:
    """Leakage of scores that rise and fall on a grid, such as Full-disclosure's, rounded to a step.

    k ln(L + 1), exact if every submission can be shown every level.  Scores worse than the start
    must be shown as the start; otherwise a bad file could reveal any amount.

    With 1,000 submissions and 10 levels it is 2,398 nats, enough for every response of thousands
    of rows; such a board has no useful bound.
    """
    checked("count_or_0", submissions=submissions, levels=levels)
    return submissions * log1p(levels)


def capped_nats(submissions: int, improvements: int, values: int) -> float:
    """Leakage of a board with at most C visible improvements, each to one of V values.

    ln sum_{l <= C} C(k, l) V^l, exact if each improvement can show each value.  A cap above 1,000
    is ignored.  If the values only fall, `monotone_nats` with `improvements` is smaller.
    """
    checked("count_or_0", submissions=submissions, improvements=improvements)
    checked("count", values=values)
    if improvements >= min(submissions, _MOST_IMPROVEMENTS):
        return submissions * log1p(values)  # (1 + V)^k
    return _ln_sum(_ln_binomial(submissions, i) + i * log(values) for i in range(improvements + 1))


def flag_nats(submissions: int, acceptances: int | None = None) -> float:
    """Leakage that is added if the board also shows which submissions were accepted.

    k ln 2, or ln sum_{l <= C} C(k, l) if at most C are accepted.  An upper bound: part of it may
    be visible in the score already (all of it, in a General Ladder's).
    """
    if acceptances is None:
        checked("count_or_0", submissions=submissions)
        return submissions * log(2.0)
    return capped_nats(submissions, acceptances, 1)


def noisy_nats(submissions: int, ratio: float) -> float:
    """Mutual information of k scores with Gaussian noise and the public responses.

    (k/2) ln(1 + rho), an upper bound.  The noise must be Gaussian, independent and fresh for each
    score.  rho is an upper bound on the mean of a ratio: the variance of the exact score, given all
    scores shown before, divided by the variance of the noise.  An attacker can increase the ratio
    by scaling files up, so the size of files must be bounded.

    This is no count of transcripts: of the bounds in `shakedown.theory.gains`, those on the mean
    hold and those with a probability do not.
    """
    checked("count_or_0", submissions=submissions)
    checked("amount", ratio=ratio)
    return submissions / 2.0 * log1p(ratio)


def levels_below(start: float, floor_: float, step: float) -> int:
    """L, the number of levels between start and floor, for scores that are multiples of a step.

    Parameters
    ----------
    start : float
        Risk at which the board starts, whether or not it is rounded to a multiple of the step.
    floor_ : float
        Lowest risk that is shown, whether or not it is a multiple of the step; below the start.
    step : float
        Above 0.  All three are in units of the score.

    Returns
    -------
    int
        At least 1.  If the start is rounded down, this is one more than the true number.

    Raises
    ------
    InputError
        If a number is out of its range.
    """
    checked("constant", step=step)
    if not -inf < floor_ < start < inf:
        raise InputError(f"the floor must be better than the start {start:g}; got {floor_:g}.")
    if max(abs(start), abs(floor_)) / step > 1e15:
        raise InputError(f"`step` must be at least 1e-15 of the scores; got {step:g}.")
    # Multiples below the start and above the floor, and the floor itself.
    return ceil(start / step - _TIE) - floor(floor_ / step + _TIE)


def board_nats(
    disclosure: Disclosure,
    *,
    submissions: int | None,
    start: float,
    floor_: float,
    accounts: int = 1,
    shared: bool = False,
    improvements: int | None = None,
    acceptance: bool = False,
) -> float | None:
    """Leakage of a board to one attacker with one or several accounts.

    Parameters
    ----------
    disclosure : Disclosure
        What the board can show.
    submissions : int or None
        k of each account; needed unless the board has a fixed number of updates.  Of these, only
        the updates that k submissions reach are counted, if they follow from submissions.
    start, floor_ : float
        Risk at which the board starts, and lowest risk that is shown, unless the board's own floor
        is higher.
    accounts : int
        G, the number of accounts that work together.
    shared : bool
        Whether these accounts share one board, which shows the best of all their submissions; it
        is so, too, if the board says it.
        Otherwise each has a board of its own, and the leakage is G times that of one: the joint
        transcript is one transcript for each board.
    improvements : int, optional
        Largest number of visible improvements of each board, unless its own cap is smaller.
    acceptance : bool
        Whether each account is also told which of its submissions were accepted; see `flag_nats`.
        `submissions` is then needed for every board.  Where the score itself falls with each
        acceptance, nothing is added; `floor_` must then be the best possible score, because
        acceptances beyond a floor are not visible in the score.

    Returns
    -------
    float or None
        None if the transcripts cannot be counted; `disclosure.reason` says why.

    Raises
    ------
    InputError
        If a number is missing or out of its range.
    """
    checked("count", accounts=accounts)
    if disclosure.step is None:
        return None
    if disclosure.floor is not None:
        floor_ = max(floor_, disclosure.floor)
    shared = shared or disclosure.shared
    levels = levels_below(start, floor_, disclosure.step)
    if disclosure.improvements is not None:
        own = disclosure.improvements
        improvements = own if improvements is None else min(improvements, own)
    shown = times_shown(disclosure, submissions, accounts if shared else 1)
    if disclosure.falls:
        nats = monotone_nats(shown, levels, improvements=improvements)
    elif improvements is None:
        nats = grid_nats(shown, levels)
    else:
        nats = capped_nats(shown, improvements, max(1, levels))  # to any other level
    if acceptance and not disclosure.shows_acceptance:
        if submissions is None:
            raise InputError("`submissions` is needed: the board tells of each if it is accepted.")
        flags = submissions * (accounts if shared else 1)
        nats += flag_nats(flags, disclosure.improvements)
    return nats if shared else accounts * nats


def times_shown(disclosure: Disclosure, submissions: int | None, accounts: int) -> int:
    """How often a board's score can change if so many accounts submit to it."""
    if submissions is None:
        if disclosure.updates is None:
            raise InputError("`submissions` is needed: the board shows a score after each.")
        return disclosure.updates
    checked("count", submissions=submissions)
    if disclosure.updates is None:
        return submissions * accounts
    if disclosure.every is None:
        return disclosure.updates
    return min(disclosure.updates, submissions * accounts // disclosure.every)


def _ln_binomial(n: int, k: int) -> float:
    """ln C(n, k) to about 1e-15 of ln n!."""
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) if 0 < k < n else 0.0


def _ln_sum(logs) -> float:
    """ln of a sum of numbers whose logarithms are given."""
    logs = list(logs)
    largest = max(logs)
    return largest + log(sum(exp(ln - largest) for ln in logs))
