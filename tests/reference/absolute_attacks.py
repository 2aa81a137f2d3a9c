"""Level saving for the MAE in plain Python, from its description.

`submit` takes the account and a file, and returns the score shown.  Each returns the file it would
end with after every submission.  The response is standardised: mean 0, |y|^2 = n - 1.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

SHARES = (0, 0.25, 0.5, 0.65, 0.8, 0.9, 1)
LENGTHS = (0.15, 0.3, 0.45, 0.6, 0.8, 1.1, 1.5, 2)
NODES = np.polynomial.legendre.leggauss(40)
POLYNOMIALS = (np.ones_like, lambda x: x, lambda x: x**2 - 1)


def truncated(low, high):
    """Mean and variance of a standard normal number between two bounds."""
    within = stats.norm.sf(low) - stats.norm.sf(high)
    if within < 1e-6:
        return float(np.clip(low if low > 0 else high, -4, 4)), 0.1
    cut = stats.truncnorm(low, high)
    return cut.mean(), cut.var()


def integral(function, honest, sd, ends):
    """The mean of a function of y of N(honest, sd^2), which is smooth between the ends."""
    cuts = [honest - 9 * sd, *sorted(np.clip(ends, honest - 9 * sd, honest + 9 * sd))]
    cuts.append(honest + 9 * sd)
    nodes, weights = NODES
    total = 0
    for low, high in zip(cuts, cuts[1:], strict=False):
        y = (low + high) / 2 + (high - low) / 2 * nodes
        x = (y - honest) / sd
        heights = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) / sd
        total += (high - low) / 2 * np.sum(weights * heights * function(y, x))
    return total


class Knowledge:
    """The normal posterior of the response along the rows of `basis`, and of two more numbers.

    q is the sum of v (x^2 - 1), where v x^2 is the square of a row's residual; r is the part of
    sum |y| that is no combination of 1, x and x^2.
    """

    def __init__(self, honest, residual, basis):
        k, n = basis.shape
        self.n, self.k, self.residual, self.basis = n, k, residual, basis
        self.honest = honest = basis.T @ (basis @ (honest - honest.mean()))
        self.m = np.append(basis @ honest, [0, 0])
        self.before = residual * (basis @ (np.eye(n) - 1 / n) @ basis.T)
        self.S = np.zeros((k + 2, k + 2))
        self.S[:k, :k] = self.before
        self.S[k, k] = 2 * n * residual**2
        sd = math.sqrt(residual)
        self.parts = [
            [integral(lambda y, x, f=f: np.abs(y) * f(x), h, sd, [0]) for f in POLYNOMIALS]
            for h in honest
        ]
        self.alone = sum(self.shared(i, 0) for i in range(n))
        self.S[k + 1, k + 1] = self.alone
        # y = h + e, of which sum y^2 = n - 1 = h'h + 2 h'e + sum e^2; e'e is q + (n - 1) v.
        direction = np.append(2 * basis @ honest, [1, 0])
        value = n - 1 - honest @ honest - (n - 1) * residual
        expected = direction @ self.m - 2 * honest @ honest
        q = self.S @ direction
        self.m = self.m + q * (value - expected) / (direction @ q)
        self.S = self.S - np.outer(q, q) / (direction @ q)

    def shared(self, row, p):
        """The covariance of |y - p| with the part of |y| that r has."""
        a, b, c = self.parts[row]

        def product(y, x):
            return np.abs(y - p) * (np.abs(y) - a - b * x - c / 2 * (x**2 - 1))

        return integral(product, self.honest[row], math.sqrt(self.residual), [0, p])

    def loss(self, p):
        """Mean and variance of sum |y_i - p_i|, and its covariance with what is known."""
        B, k = self.basis, self.k
        m = B.T @ self.m[:k]
        lost = np.diag(B.T @ (self.before - self.S[:k, :k]) @ B)
        v = self.residual * (1 - 1 / self.n) - lost
        sd = np.sqrt(v)
        d = (p - m) / sd
        mean = sd * (2 * stats.norm.pdf(d) + d * (2 * stats.norm.cdf(d) - 1))
        slope = 1 - 2 * stats.norm.cdf(d)
        own = sd**2 + (p - m) ** 2 - mean**2 - slope**2 * v
        # Covariances of a row's loss with v (x^2 - 1), over the variance of their sum.
        common = np.sum(2 * stats.norm.pdf(d) * sd * v)
        curved = common / np.sum(2 * v**2)
        even = sum(self.shared(i, p[i]) for i in range(self.n))
        c = np.append(B @ slope, [curved, even / self.alone])
        outside = self.residual * (slope @ slope - c[:k] @ c[:k])
        rest = np.sum(np.maximum(own, 0)) + max(outside, 0) - curved * common
        rest -= even**2 / self.alone
        q = self.S @ c
        return np.sum(mean) + c[k:] @ self.m[k:], c @ q + max(rest, 1e-9), q

    def file(self, share, length, signs):
        m, d = self.basis.T @ self.m[: self.k], self.S[: self.k, : self.k] @ signs[: self.k]
        d = self.basis.T @ d
        return share * m + length * math.sqrt(self.residual) * d / math.sqrt(np.mean(d**2))

    def best(self, tried, bar, cap):
        """The file that tells most of (share, length, signs), or else the nearest to passing."""
        worths, distances = [], []
        for one in tried:
            mean, variance, q = self.loss(self.file(*one))
            z = (mean - self.n * bar) / math.sqrt(variance)
            chance = stats.norm.sf(z)
            distances.append(z)
            worth = 0
            if 1e-4 < chance < 1 - 1e-4:
                told = q[: self.k] @ q[: self.k] / variance
                worth = told * stats.norm.pdf(z) ** 2 / (chance * (1 - chance))
            worths.append(worth * np.clip(2 - chance / cap, 0, 1))
        if max(worths) > 0:
            return tried[int(np.argmax(worths))]
        return tried[int(np.argmin(distances))]

    def learn(self, p, low, high):
        """The mean loss of p is between two numbers."""
        mean, variance, q = self.loss(p)
        sd = math.sqrt(variance)
        low, high = (self.n * low - mean) / sd, (self.n * high - mean) / sd
        shift, left = ((low + high) / 2, 0) if high - low < 1e-3 else truncated(low, high)
        self.m = self.m + q * shift / sd
        self.S = self.S - np.outer(q, q) * (1 - left) / variance

    def end(self):
        return self.basis.T @ self.m[: self.k]


def chance_of(bar, start, step, files, most=math.inf):
    """How likely a file shall pass at most."""
    levels = min(max(math.floor((bar - 0.3 * start) / step + 1e-9), 1), most)
    return min(0.5, 0.5 * levels / (levels + files))


GRID = [(share, length) for share in SHARES for length in LENGTHS]


def with_margin(
    signs, submit, *, margin, start, honest, residual, basis=None, accounts=1, most=math.inf
):
    """On boards that demand a margin and show scores in steps of it."""
    k, n = signs.shape
    known = Knowledge(honest, residual, np.eye(n) if basis is None else basis)
    known.learn(np.zeros(n), start - margin / 2, start + margin / 2)
    shown, left, kept, ends = [start] * accounts, [most] * accounts, {}, []
    for t in range(k):
        at = t % accounts
        if left[at] <= 0:
            submit(at, np.zeros(n))
            ends.append(known.end())
            continue
        bar, files = shown[at] - margin, len(range(t, k, accounts))
        grid, uses = kept.get(bar, (GRID, 20))
        if uses == 20:
            grid, uses = GRID, 0
        cap = chance_of(bar, start, margin, files, left[at])
        one = known.best([(*plan, signs[t]) for plan in grid], bar, cap)
        kept[bar] = [one[:2]], uses + 1
        p = known.file(*one)
        new = submit(at, p)
        if new < shown[at]:
            known.learn(p, new - margin / 2, min(bar, new + margin / 2))
            shown[at], left[at], kept = new, left[at] - 1, {}
        else:
            known.learn(p, bar, math.inf)
        ends.append(known.end())
    return ends


def on_digest(signs, submit, *, step, floor, every, updates, start, honest, residual, accounts=1):
    """On digests, which round scores up to a multiple of `step`, at least `floor`."""
    k, n = signs.shape
    known = Knowledge(honest, residual, np.eye(n))
    known.learn(np.zeros(n), start - step, start)
    shown, ends = [start] * accounts, []
    for t in range(k):
        at, made = t % accounts, t // accounts + 1
        update = made // every
        if made % every or update > updates or shown[at] <= floor + 1e-9:
            submit(at, np.zeros(n))
        else:
            bar = (math.ceil(shown[at] / step - 1e-6) - 1) * step
            last = min(len(range(at, k, accounts)) // every, updates)
            cap = chance_of(bar, start, step, last - update + 1)
            tried = [(*plan, signs[t]) for plan in GRID]
            p = known.file(*known.best(tried, bar, cap))
            new = submit(at, p)
            if new < shown[at] - 1e-9:
                best = -math.inf if new <= floor + 1e-9 else new - step
                known.learn(p, best, math.ceil(new / step - 1e-6) * step)
                shown[at] = new
            else:
                known.learn(p, bar, math.inf)
        ends.append(known.end())
    return ends
