"""The attacks on the levels of a board in plain Python, from their descriptions.

`submit` takes the account and a file, and returns the score shown.  Each returns the file it would
end with after every submission.  The response is standardised: mean 0, |y|^2 = n - 1.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats
from scipy.special import ndtr, ndtri


def mean_square(score, root):
    return max(score, 0) ** 2 if root else max(score, 0)


def far_out(n, known, variance, bar, step, files, most):
    """How many standard deviations out a file should have to be: levels left / files left."""
    x = 2.5
    for _ in range(3):
        tail = variance * (stats.norm.pdf(x) / ndtr(-x)) ** 2
        reserve = known - (n * (1 - bar) - 1) + variance * x**2
        levels = 1 + bar / step
        if tail < n * step:
            levels = min(levels, 1 + max(reserve, 0) / (n * step - tail))
        levels = min(math.floor(levels), most)
        x = -ndtri(min(max(levels / files, 1e-6), 0.5))
    return x


def longest(m, S, d, share, lacks):
    """How far out <y, share m + a d> has to be with the best length a, and that length."""
    sd = math.sqrt(d @ S @ d)
    excess = lacks + share * (share - 2) * (m @ m)
    lengths = [r * sd for r in (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)]
    if excess > 0:
        lengths.insert(0, math.sqrt(excess))
    tried = []
    for a in lengths:
        p = share * m + a * d
        # 2 <y, p> - |p|^2 must be what zeros lack; p's mean product is <m, p>.
        tried.append(((lacks + p @ p) / 2 - m @ p) / math.sqrt(p @ S @ p))
    best = int(np.argmin(tried))
    return tried[best], lengths[best]


def held_back(m, S, d, x, lacks):
    """The least share with which a file passes x standard deviations out."""
    if longest(m, S, d, 0.0, lacks)[0] <= x:
        return 0.0, longest(m, S, d, 0.0, lacks)[1]
    low, high = 0.0, 1.0
    for _ in range(17):
        middle = (low + high) / 2
        low, high = (low, middle) if longest(m, S, d, middle, lacks)[0] <= x else (middle, high)
    return high, longest(m, S, d, high, lacks)[1]


def truncated(m, S, p, low, high):
    """The moments of y given that <y, p> is between two numbers."""
    w = S @ p
    sd = math.sqrt(p @ w)
    cut = stats.truncnorm((low - m @ p) / sd, (high - m @ p) / sd)
    return m + w * cut.mean() / sd, S - np.outer(w, w) * (1 - cut.var()) / sd**2


def by_levels(
    k, n, submit, next_file, passes, fails, state, *, margin, step, start, accounts, root, most
):
    """Play k files; `state` holds m and S, in the rows of `state["basis"]`, orthonormal."""
    shown, left, ends = [start] * accounts, [most] * accounts, []
    for t in range(k):
        at = t % accounts
        number, p, bar = shown[at], None, None
        if number is not None and left[at] > 0:
            bar = mean_square(number - margin, root)
            further = max(bar - mean_square(number - 2 * margin, root), 1e-9)
            files = len(range(t, k, accounts))
            p = next_file(t, bar, further, files, left[at])
        new = submit(at, np.zeros(n) if p is None else p @ state["basis"])
        if number is None:
            shown[at], left[at] = new, left[at] - 1
        elif p is not None:

            def product(x, p=p):
                return (n - 1 + p @ p - n * x) / 2

            if new < number:
                passes()
                worst, best = mean_square(new + step / 2, root), mean_square(new - step / 2, root)
                low, high = product(min(bar, worst)), product(best)
                shown[at], left[at] = new, left[at] - 1
            else:
                fails()
                low, high = -math.inf, product(bar)
            state["m"], state["S"] = truncated(state["m"], state["S"], p, low, high)
        ends.append(state["m"] @ state["basis"])
    return ends


def level_saving(
    signs, submit, *, margin, step, start, honest, residual=1.0, accounts=1, root=False,
    most=math.inf,
):  # fmt: skip
    """A share of what is known, and a random direction."""
    k, n = signs.shape
    state = {
        "m": np.zeros(n) + honest, "S": residual * (np.eye(n) - 1 / n), "basis": np.eye(n)
    }  # fmt: skip

    def next_file(t, bar, further, files, left):
        m, S = state["m"], state["S"]
        d = S @ signs[t]
        d = d / math.sqrt(d @ d)
        x = far_out(n, m @ m, d @ S @ d, bar, further, files, left)
        share, a = held_back(m, S, d, x, n - 1 - n * bar)
        return share * m + a * d

    def nothing():
        pass

    return by_levels(
        k, n, submit, next_file, nothing, nothing, state, margin=margin, step=step, start=start,
        accounts=accounts, root=root, most=most,
    )  # fmt: skip


def coordinate_probing(
    rows, k, submit, *, margin, step, start, honest, residual=1.0, accounts=1, root=False,
    most=math.inf,
):  # fmt: skip
    """A share of what is known, and one row, up or down; `rows` is the order of the rows."""
    n = len(honest)
    basis = list(np.eye(n)[rows])
    rest = honest * (1 - sum(basis)) if len(rows) < n else np.zeros(n)
    length = math.sqrt(rest @ rest)
    basis.append(rest / length if length else rest)
    basis = np.array(basis)
    state = {"m": basis @ honest, "S": residual * np.eye(len(basis)), "basis": basis}
    questions = [(row, sign) for row in range(len(rows)) for sign in (1, -1)]
    asked, turn, found = dict.fromkeys(questions, math.inf), 0, set()
    alone = now = None

    def next_file(t, bar, further, files, left):
        nonlocal turn, alone, now
        m, S, lacks = state["m"], state["S"], n - 1 - n * bar
        if alone is None:
            alone = math.sqrt(max(lacks, 0))
        wanted = alone
        if turn >= len(questions):
            x = far_out(n, m @ m, residual, bar, further, files, left)
            wanted = x * math.sqrt(residual)
        for _ in questions:
            row, sign = questions[turn % len(questions)]
            turn += 1
            if wanted < 0.97 * asked[row, sign]:
                d = sign * np.eye(len(m))[row]
                share, a = held_back(m, S, d, wanted / math.sqrt(S[row, row]), lacks)
                p = share * m + a * d
                # The distance s (y_i - m_i) at which p passes if all else is as expected.
                now = (row, sign, ((lacks + p @ p) / 2 - p @ m) / a)
                return p
        return None

    def passes():
        row, _, distance = now
        if row not in found:
            state["S"][row, row] = max(state["S"][row, row], distance**2)
        found.add(row)
        asked[row, 1] = asked[row, -1] = math.inf

    def fails():
        row, sign, distance = now
        asked[row, sign] = distance

    return by_levels(
        k, n, submit, next_file, passes, fails, state, margin=margin, step=step, start=start,
        accounts=accounts, root=root, most=most,
    )  # fmt: skip


def correlation_saving(
    signs, submit, *, margin, step, start, honest, residual=1.0, accounts=1, ranks=False,
    most=math.inf, daily=math.inf, day=math.inf, nearest=0.0, small=1e-6,
):  # fmt: skip
    """The same for correlations: files of length 1, each a share of what is known, and a direction.

    Files are submitted a little smaller than the response, by `small`.
    """
    k, n = signs.shape
    R = math.sqrt(n - 1)
    m = honest - honest.mean()
    S = residual * (np.eye(n) - 1 / n)
    shown, left, today, ends = [start] * accounts, [most] * accounts, [0] * accounts, []

    def tail(bar, known, variance, files, most):
        x = 2.2
        for _ in range(2):
            worth = variance * (stats.norm.pdf(x) / ndtr(-x)) ** 2
            levels = 0
            while levels < files and bar + levels * margin < 1 - 1e-9:
                level = max(bar + levels * margin, 0)
                if (level * R) ** 2 > known + x**2 * variance + levels * worth:
                    break
                levels += 1
            levels = min(max(levels, 1), most)
            x = -ndtri(min(max(levels / files, 1e-6), 0.5))
        return x

    for t in range(k):
        at = t % accounts
        if t // accounts % day == 0:
            today[at] = 0
        bar = -1 if shown[at] is None else shown[at] + margin
        length = math.sqrt(m @ m)
        known = m / length if length > 1e-9 else np.zeros(n)
        d = S @ (signs[t] - signs[t].mean())
        d = d - known * (known @ d)
        d = d / math.sqrt(d @ d)
        x = tail(bar, length**2, d @ S @ d, len(range(t, k, accounts)), left[at])
        tried = []
        for c in np.arange(26) / 25 if length > 1e-9 else [0.0]:
            if math.sqrt(1 - c**2) < nearest:
                continue
            f = c * known + math.sqrt(1 - c**2) * d
            tried.append(((R * bar - f @ m) / math.sqrt(f @ S @ f), f))
        f = next((f for z, f in tried if z <= x), min(tried, key=lambda pair: pair[0])[1])
        file = R * (1 - small) * f
        if ranks:
            file = np.round(file, 6)
            f = stats.rankdata(file) - (n + 1) / 2
            f = f / math.sqrt(f @ f)
        new = submit(at, file)
        if left[at] > 0 and today[at] < daily:
            low, high = -math.inf, R * bar
            if shown[at] is None or new > shown[at]:
                low, high = max(R * bar, R * (new - step / 2)), R * (new + step / 2)
                shown[at], left[at], today[at] = new, left[at] - 1, today[at] + 1
            m, S = truncated(m, S, f, low, high)
        ends.append(m)
    return ends
