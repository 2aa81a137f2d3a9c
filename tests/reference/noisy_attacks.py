"""The attack with hypotheses on boards of correlations, in plain Python.

The response is standardised: mean 0, |y|^2 = n - 1.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def unit(x):
    x = np.asarray(x) - np.mean(x)
    return x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-9 else 0 * x


def demanded(correlation, before, product, *, n, margin, critical, constant):
    """What the correlation of a file must exceed that of b by.

    The covariance of two correlations with the same variable is that of Olkin and Siotani.
    """
    r, s = np.clip([correlation, before], -0.97, 0.97)
    if constant:
        return margin + critical * (1 - r**2) / math.sqrt(n)
    covariance = product * (1 - r**2 - s**2)
    covariance -= r * s * (1 - r**2 - s**2 - product**2) / 2
    variance = (1 - r**2) ** 2 + (1 - s**2) ** 2 - 2 * covariance
    return margin + critical * math.sqrt(max(variance, 1e-12) / n)


def tracked(
    signs, submit, honest, *, residual, noise, margin, critical, begins, alike=False, told=False,
    doubt=0.0, start=None, accounts=1, left=math.inf, daily=math.inf, day=math.inf, most=8,
    certain=0.95, patience=12, likely=0.3, cost=16.0, ranks=False, largest=512,
):  # fmt: skip
    """Keep hypotheses about the file in force of each account, and learn from all its fates.

    `submit` takes the account and a file, and returns the score shown; `noise` is the variance of
    the score of a file without correlation, or of any (`alike`).  `told`: the shown number changes
    exactly when a file passes; then it is read once.  `ranks`: the board reads ranks.
    `largest`: files span no more directions than that.

    A hypothesis is a dictionary: the logarithm of its probability, m and S, and lists of the files
    in force, of their numbers and of how many have passed, in all and today.  Returns the file that
    it would end with after each submission.
    """
    k, n = signs.shape
    root = math.sqrt(n - 1)
    centre = np.eye(n) - 1 / n
    spanned = [unit(honest)] if np.any(honest) else []
    ours = [{
        "log": 0.0, "m": centre @ honest + np.zeros(n), "S": residual * centre,
        "best": [np.zeros(n)] * accounts, "number": [0 if begins else -1] * accounts,
        "passed": [0] * accounts, "today": [0] * accounts,
    }]  # fmt: skip
    files, numbers, repeats, ends = [None] * accounts, [0] * accounts, [0] * accounts, []
    shown = [start] * accounts

    def new_direction(s):
        s = unit(s)
        rest = s
        if spanned:
            base = np.array(spanned).T
            rest = s - base @ np.linalg.lstsq(base, s, rcond=None)[0]
        if np.linalg.norm(rest) < 1e-6 or len(spanned) >= largest:
            return unit(s - rest)
        spanned.append(unit(rest))
        return spanned[-1]

    def rule(f, b, m):
        return root * demanded(
            f @ m / root, b @ m / root, f @ b, n=n, margin=margin, critical=critical,
            constant=not b.any(),
        )  # fmt: skip

    def noise_of(level):
        return noise if alike else noise * (1 - min((level / root) ** 2, 0.97**2)) ** 2

    def planned(m, S, b, d):
        w = m - (m @ b) * b
        w = w / np.linalg.norm(w) if np.linalg.norm(w) > 1e-6 * root else None
        d = d - (d @ b) * b - (0 if w is None else (d @ w) * w)
        d = unit(d)
        best, most_worth = None, 0.0
        for share in [0, 0.25, 0.45, 0.65, 0.8, 0.9, 1] if w is not None else [0]:
            for step in [0.15, 0.3, 0.5, 0.8, 1.2, 2, 4, 20]:
                e = math.sqrt(1 - share**2) * d + (share * w if share else 0)
                f = (b + step * e) / math.sqrt(b @ b + step**2)
                q = S @ (f - b)
                spread, mean = (f - b) @ q, (f - b) @ m
                z = (rule(f, b, m) - mean) / math.sqrt(spread)
                p = stats.norm.sf(z)
                if not 1e-5 < p < 1 - 1e-5:
                    continue
                gain = (mean + math.sqrt(spread) * stats.norm.pdf(z) / p) / root
                worth = q @ q / spread * stats.norm.pdf(z) ** 2 / (p * (1 - p))
                worth /= 1 + (0 if told else cost * noise_of(b @ m) / gain**2)
                if p > likely:
                    worth *= ((1 - p) / (1 - likely)) ** 2
                if worth > most_worth:
                    best, most_worth = f, worth
        return best

    for t in range(k):
        at, turn = t % accounts, t // accounts
        if turn % day == 0:
            for h in ours:
                h["today"] = [0 if i == at else x for i, x in enumerate(h["today"])]
        weights = np.exp([h["log"] for h in ours])
        chance = sum(
            p for p, h in zip(weights, ours, strict=True) if h["number"][at] == numbers[at]
        )
        again = bool(numbers[at]) and 1 - certain < chance < certain and repeats[at] < patience
        repeats[at] = repeats[at] + 1 if again else 0
        if not again:
            numbers[at] = t + 1
            first, b = ours[0]["number"][at] < 0, ours[0]["best"][at]
            if first:
                file = unit(honest) if np.any(honest) else new_direction(signs[t])
            else:
                file = planned(ours[0]["m"], ours[0]["S"], b, new_direction(signs[t]))
                again = file is None
                file = b if again else file
            if ranks:
                file = unit(stats.rankdata(np.round(file * root, 6)))
                rest = file - (np.array(spanned).T @ (np.array(spanned) @ file) if spanned else 0)
                if np.linalg.norm(rest) > 1e-6 and len(spanned) < largest:
                    spanned.append(unit(rest))
                else:
                    file = unit(file - rest)
            files[at] = file
        f = files[at]
        score = submit(at, f * root)
        fate = None
        if told and shown[at] is not None and score == shown[at]:
            fate = "refused"
        elif told and shown[at] is not None:
            fate = "replaced" if score < shown[at] and margin > 0 else "passed"
        shown[at] = score
        children = []
        for h in ours:
            m, S, b = h["m"], h["S"], h["best"][at]
            q, barrier = S @ (f - b), rule(f, b, m)
            total = (f - b) @ q + 0.05 * barrier**2 + (n - 1) * doubt
            z = (barrier - (f - b) @ m) / math.sqrt(max(total, 1e-12))
            empty = h["number"][at] < 0
            settled = again or h["passed"][at] >= left or h["today"][at] >= daily
            settled = settled and fate not in ("passed", "replaced")
            possible = [] if empty or fate in ("passed", "replaced") else [False]
            possible += [] if settled or fate == "refused" else [True]
            for passes in possible:
                chance, mean, cov = 1.0, m, S
                if not (settled or empty or fate == "replaced"):
                    chance = stats.norm.sf(z if passes else -z)
                    known = stats.truncnorm(*((z, math.inf) if passes else (-math.inf, z)))
                    mean = m + q * known.mean() / math.sqrt(total)
                    cov = S - np.outer(q, q) * (1 - known.var()) / total
                in_force = f if passes else b
                w = cov @ in_force
                level = in_force @ mean
                variance = in_force @ w + (n - 1) * noise_of(level) + 1e-3
                gap = score * root - level
                log = h["log"] + math.log(max(chance, 1e-12))
                log -= (math.log(variance) + gap**2 / variance) / 2
                if fate != "refused":
                    mean, cov = mean + w * gap / variance, cov - np.outer(w, w) / variance
                child = h | {"log": log, "m": mean, "S": cov}
                if passes:
                    for name, value in [("best", f), ("number", numbers[at])]:
                        child[name] = [value if i == at else x for i, x in enumerate(h[name])]
                    for name in ["passed", "today"]:
                        child[name] = [x + (i == at) for i, x in enumerate(h[name])]
                children.append(child)
        children.sort(key=lambda h: -h["log"])
        top = children[0]["log"]
        ours = [h for h in children[:most] if h["log"] - top > math.log(1e-3)]
        whole = math.log(sum(math.exp(h["log"] - top) for h in ours)) + top
        ours = [h | {"log": h["log"] - whole} for h in ours]
        ends.append(sum(math.exp(h["log"]) * h["m"] for h in ours))
    return ends
