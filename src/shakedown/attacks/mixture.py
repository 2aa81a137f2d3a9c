"""Hypotheses about the file in force and the response, on boards of correlations.

See `hypothesis_tracking`.  Products are in units of the rows, and R is the length of the response,
so that a file of length 1 has the correlation <y, file> / R.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np

from shakedown.attacks.hypotheses import dot, hazard
from shakedown.attacks.posterior import chance_above
from shakedown.compiled import kernel
from shakedown.terms import Terms

#: Hypotheses below this share of the most probable one are dropped.
DROPPED = 1e-3
#: Shares of what is known in the direction of a step.
SHARES = np.array([0.0, 0.25, 0.45, 0.65, 0.8, 0.9, 1.0])
#: A file shall pass with at most the first probability; beyond the second it tells nothing.
LIKELY, UNLIKELY = 0.3, 1e-5
#: Submissions that tell a gain of one standard deviation of the noise from none, about.
COST = 16.0
#: Further variance of a comparison, in squares of its bound, and of a measured product.
SOFT, ROUGH = 0.05, 1e-3
#: Expected correlations count as no larger than this.
FULL = 0.97
#: The part of a direction that counts as none.
CLOSE = 1e-6
#: Fates of a file.  Where both directions count, it may replace a better one.
UNCLEAR, REFUSED, PASSED, REPLACED = range(4)


class Rules(NamedTuple):
    """What the board publishes, in numbers.

    margin, critical : what a file must gain.
    doubt : variance of the comparison's own noise.
    noise : variance of a score, or that of one of a file without correlation.
    alike : whether it is the same for all files.
    cost : what it takes to tell a fate, see `COST`; 0 where it is told.
    root : R, the length of the response.
    """

    margin: float
    critical: float
    doubt: float
    noise: float
    alike: bool
    cost: float
    root: float


def rules_of(terms: Terms, n: int) -> Rules:
    """The rules of a board with n rows."""
    rule, b = terms.acceptance, terms.replications
    noise = 1.0 / (n * b) if b else terms.noise_sd**2 + terms.step**2 / 12.0
    cost = COST if terms.fresh_noise else 0.0
    return Rules(rule.margin, rule.critical, rule.noise**2, noise, not b, cost, sqrt(n - 1.0))


class Mixture(NamedTuple):
    """Hypotheses, the most probable first; unused ones have weight 0.

    weight : ndarray, shape (h,)
        Probabilities.
    m, S : ndarray, shape (h, k) and (h, k, k)
        The posterior of the response, in coordinates; S has no numbers above the diagonal.
    best : ndarray, shape (h, accounts, k)
        The file in force of each account; 0 is the constant that a board may begin with.
    number : ndarray of int, shape (h, accounts)
        Its number, from 1; 0 for the constant, -1 if nothing is in force.
    passed : ndarray of int, shape (h, accounts, 2)
        Files that have replaced the best, in all and today.
    """

    weight: np.ndarray
    m: np.ndarray
    S: np.ndarray
    best: np.ndarray
    number: np.ndarray
    passed: np.ndarray


def new_mixture(most: int, accounts: int, size: int, residual: float, begins: bool) -> Mixture:
    """One hypothesis, and room for others; nothing is known of the response."""
    S = np.zeros((most, size, size))
    S[:, np.arange(size), np.arange(size)] = residual
    weight = np.zeros(most)
    weight[0] = 1.0
    number = np.full((most, accounts), 0 if begins else -1)
    best, passed = np.zeros((most, accounts, size)), np.zeros((most, accounts, 2), np.int64)
    return Mixture(weight, np.zeros((most, size)), S, best, number, passed)


@kernel
def bound(rules, expected, before, product, empty):
    """The gain with which a file passes, from its expected correlation and that of b.

    `product` is <f, b>; `empty`: b is a constant, without correlation.
    """
    rf, rb = max(-FULL, min(FULL, expected)), max(-FULL, min(FULL, before))
    f, b = 1.0 - rf * rf, 1.0 - rb * rb
    variance = f * f
    if not empty:
        both = f + b - 1.0
        covariance = product * both - 0.5 * rf * rb * (both - product * product)
        variance += b * b - 2.0 * covariance
    rows = rules.root * rules.root + 1.0
    return rules.margin + rules.critical * sqrt(max(variance, 1e-12) / rows)


@kernel
def noise_at(rules, correlation):
    """Variance of a score if the file in force has this correlation."""
    if rules.alike:
        return rules.noise
    left = 1.0 - min(correlation * correlation, FULL * FULL)
    return rules.noise * left * left


@kernel
def times(S, x, out):
    """S x, into `out`; x has shape (k,), and S perhaps more coordinates."""
    for i in range(len(x)):
        row, own, total = S[i], x[i], 0.0
        for j in range(i):
            total += row[j] * x[j]
        for j in range(i):  # apart: a loop that writes may sum in another order
            out[j] += row[j] * own
        out[i] = total + row[i] * own


@kernel
def both_times(S, x, y, Sx, Sy):
    """S x and S y, into `Sx` and `Sy`, as `times`; S, which is large, is read once."""
    for i in range(len(x)):
        row, one, other, with_x, with_y = S[i], x[i], y[i], 0.0, 0.0
        for j in range(i):
            with_x += row[j] * x[j]
            with_y += row[j] * y[j]
        for j in range(i):  # apart: a loop that writes may sum in another order
            Sx[j] += row[j] * one
            Sy[j] += row[j] * other
        Sx[i], Sy[i] = with_x + row[i] * one, with_y + row[i] * other


@kernel
def next_file(m, S, b, d, rules, lengths, out):
    """The file whose fate is expected to tell most, into `out`; whether there is one.

    m, b and the direction d have shape (k,), S perhaps more coordinates; `lengths` are the steps.
    """
    k, root = len(b), rules.root
    axes, told = np.zeros((3, k)), np.zeros((3, k))  # b, w and the rest of d; S times each
    bb, bm = dot(b, b), dot(b, m)
    for i in range(k):
        axes[0, i], axes[1, i] = b[i], m[i] - bm * b[i]
    length = sqrt(dot(axes[1], axes[1]))
    knows = length > CLOSE * root
    for i in range(k):
        axes[1, i] = axes[1, i] / length if knows else 0.0
    db, dw = dot(d, b), dot(d, axes[1])
    for i in range(k):
        axes[2, i] = d[i] - db * b[i] - dw * axes[1, i]
    length = sqrt(dot(axes[2], axes[2]))
    for i in range(k):
        axes[2, i] = axes[2, i] / length if length > CLOSE else 0.0
    means, forms, squares = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    for a in range(3):
        times(S, axes[a], told[a])
        means[a] = dot(axes[a], m)
    for a in range(3):
        for c in range(3):
            forms[a, c], squares[a, c] = dot(axes[a], told[c]), dot(told[a], told[c])
    before, most = bm / root, 0.0
    noise = noise_at(rules, before)
    chosen, x = np.zeros(3), np.empty(3)
    for share in SHARES:
        if (share > 0.0 and not knows) or (share < 1.0 and length <= CLOSE):
            continue
        for step in lengths:
            size = sqrt(bb + step * step)
            x[0], x[1], x[2] = 1.0 / size, share * step / size, sqrt(1.0 - share**2) * step / size
            expected = dot(x, means)
            barrier = root * bound(rules, expected / root, before, x[0] * bb, bb == 0.0)
            x[0] -= 1.0  # the difference from b
            gain, spread, covered = dot(x, means), 0.0, 0.0
            for a in range(3):
                for c in range(3):
                    spread += x[a] * x[c] * forms[a, c]
                    covered += x[a] * x[c] * squares[a, c]
            sd = sqrt(max(spread, 1e-12))
            z = (barrier - gain) / sd
            p = chance_above(z)
            if not UNLIKELY < p < 1.0 - UNLIKELY:
                continue
            above = hazard(z)
            visible = (gain + sd * above) / root  # of a file that passes
            worth = covered / (sd * sd) * above * above * p / (1.0 - p)
            worth /= 1.0 + rules.cost * noise / (visible * visible)
            if p > LIKELY:
                worth *= ((1.0 - p) / (1.0 - LIKELY)) ** 2
            if worth > most:
                most = worth
                chosen[0], chosen[1], chosen[2] = x[0] + 1.0, x[1], x[2]
    for i in range(k):
        out[i] = chosen[0] * b[i] + chosen[1] * axes[1, i] + chosen[2] * axes[2, i]
    return most > 0.0


class Children(NamedTuple):
    """What each hypothesis becomes without the file, then with it; shape (2 h, ...).

    log : logarithm of the weight, up to a constant.
    added : what is added to m, shape (2 h, k).
    by_fate, by_score : vectors whose squares are taken from S, shape (2 h, k).
    """

    log: np.ndarray
    added: np.ndarray
    by_fate: np.ndarray
    by_score: np.ndarray


@kernel
def divide(old, k, account, f, again, fate, score, rules, limits):
    """What the score that an account is shown after file f, shape (k,), makes of each hypothesis.

    Parameters
    ----------
    old : Mixture
    k, account : int
        Coordinates in use, and the account.
    f : ndarray, shape (k,)
    again : bool
        Whether it has been submitted before, and passes no more.
    fate : int
        What is certain of its fate.
    score : float
    rules : Rules
    limits : ndarray of int, shape (2,)
        Of the files that replace the best, in all and in a day.
    """
    most, root = len(old.weight), rules.root
    children = Children(
        np.full(2 * most, -np.inf), np.zeros((2 * most, k)),
        np.zeros((2 * most, k)), np.zeros((2 * most, k)),
    )  # fmt: skip
    q, tf, tb = np.empty(k), np.zeros(k), np.empty(k)
    for h in range(most):
        if old.weight[h] == 0.0:
            continue
        m, S, b = old.m[h, :k], old.S[h], old.best[h, account, :k]
        empty, passed = old.number[h, account] < 0, old.passed[h, account]
        settled = again or passed[0] >= limits[0] or passed[1] >= limits[1]
        settled = settled and fate < PASSED
        if settled:
            times(S, b, tb)
        else:
            both_times(S, b, f, tb, tf)
        for i in range(k):
            q[i] = tf[i] - tb[i]
        fm, bm, bb = dot(f, m), dot(b, m), dot(b, b)
        barrier = root * bound(rules, fm / root, bm / root, dot(f, b), bb == 0.0)
        total = dot(f, q) - dot(b, q) + SOFT * barrier * barrier + rules.doubt * root * root
        sd = sqrt(max(total, 1e-12))
        z = (barrier - fm + bm) / sd
        for passes in range(2):
            if passes and (settled or fate == REFUSED):
                continue
            if not passes and (empty or fate > REFUSED):
                continue
            at = h + passes * most
            chance, shift, lost = 1.0, 0.0, 0.0
            if not (settled or empty or fate == REPLACED):
                chance = chance_above(z) if passes else chance_above(-z)
                tail = hazard(z) if passes else -hazard(-z)
                shift, lost = tail / sd, max(min(tail * (tail - z), 1.0), 0.0) / (sd * sd)
            c, tc = (f, tf) if passes else (b, tb)  # what is in force
            along = dot(c, q)
            level = (fm if passes else bm) + shift * along
            w = children.by_score[at]  # S c, after what the fate tells
            for i in range(k):
                w[i] = tc[i] - lost * along * q[i]
            variance = max(dot(c, w), 0.0) + noise_at(rules, level / root) * root * root + ROUGH
            shown, gap = 1.0, score * root - level
            misfit = 0.5 * (log(variance) + gap * gap / variance)
            if fate == REFUSED:  # an old number tells no more
                shown, gap, misfit = 0.0, 0.0, 0.0
            children.log[at] = log(old.weight[h] * max(chance, 1e-12)) - misfit
            for i in range(k):
                children.added[at, i] = shift * q[i] + w[i] * gap / variance
                children.by_fate[at, i] = sqrt(lost) * q[i]
                w[i] *= shown / sqrt(variance)
    return children


@kernel
def keep(old, children, k, account, f, number, new):
    """Make the most probable children the hypotheses, in `new`; `number` is that of file f."""
    most = len(old.weight)
    order = np.argsort(-children.log, kind="mergesort")
    for place in range(most):
        at = order[place]
        h = at % most
        new.weight[place] = exp(children.log[at] - children.log[order[0]])
        if not new.weight[place] > DROPPED:
            new.weight[place] = 0.0
            continue
        new.best[place], new.number[place] = old.best[h], old.number[h]
        new.passed[place] = old.passed[h]
        if at >= most:
            new.best[place, account, :k], new.number[place, account] = f, number
            new.passed[place, account] += 1
        for i in range(k):
            new.m[place, i] = old.m[h, i] + children.added[at, i]
        less(old.S[h], children.by_fate[at], children.by_score[at], new.S[place])
    whole = new.weight.sum()
    for place in range(most):
        new.weight[place] /= whole


@kernel
def less(S, u, v, out):
    """S - uu' - vv', into `out`; u and v have shape (k,), S and `out` perhaps more coordinates."""
    for i in range(len(u)):
        row, changed, a, c = S[i], out[i], u[i], v[i]
        for j in range(i + 1):
            changed[j] = row[j] - a * u[j] - c * v[j]
