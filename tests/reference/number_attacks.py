"""The attacks with arbitrary numbers in plain Python, from their descriptions.

`submit` takes a file and returns the shown score.  Each returns the file it would end with after
every submission.  The response is standardised: mean 0, |y|^2 = n - 1.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def posterior_mean(files, products, variances):
    """E(y | <y, p_t> = c_t + noise) for y ~ N(0, I - 11'/n), in one solve."""
    n = len(files[0])
    P = np.array(files)  # (k, n)
    prior = np.eye(n) - 1.0 / n
    inner = P @ prior @ P.T + np.diag(variances)
    return prior @ P.T @ np.linalg.pinv(inner, rcond=1e-10, hermitian=True) @ np.array(products)


def product_from(metric, score, file):
    """<y, p> from an exact score; for Spearman, y are the standardised ranks."""
    n, squares = len(file), float(file @ file)
    if metric == "mae":
        # |p - y| = |p| - sign(p) y in every row, if |p| = M > |y|: n MAE = n M - <y, p> / M.
        M = max(abs(file))
        return M * (n * M - n * score)
    if metric == "r2":
        score = (1 - score) * (n - 1) / n
    if metric in ("pearson", "spearman"):
        centred = file - file.mean()
        return score * math.sqrt(centred @ centred) * math.sqrt(n - 1)
    if metric == "ccc":
        return score * (n - 1 + squares) / 2
    mse = score**2 if metric == "rmse" else score
    return (n - 1 + squares - n * mse) / 2


def linear_probe(signs, submit, metric="mse", step=0.0):
    """Every score is shown: k files give the mean of y given k products."""
    n = signs.shape[1]
    scale = 1.0 if metric in ("pearson", "spearman", "ccc") else max(1.0, 1e5 * step)
    if metric == "mae":
        scale = math.sqrt(n)
    files, products, ends = [], [], []
    for s in signs:
        files.append(scale * s)
        products.append(product_from(metric, submit(files[-1]), files[-1]))
        ends.append(posterior_mean(files, products, np.zeros(len(files))))
    return ends


def staircase(signs, submit, critical, margin=0.0, step=0.0, metric="mse"):
    """Scales fall to 1 by max(1.5 (c + 2.5) / sqrt(n), margin); every change is a file's score.

    Under the mean absolute error they fall to sqrt(n), by the sum of the two.
    """
    k, n = signs.shape
    fall, last = 1.5 * (critical + 2.5) / math.sqrt(n), 1.0
    fall = max(fall, margin)
    if metric == "mae":
        fall, last = 1.5 * (critical + 2.5) / math.sqrt(n) + margin, math.sqrt(n)
    files, products, variances, ends = [], [], [], []
    before = None
    for t, s in enumerate(signs):
        scale = last + fall * (k - 1 - t)
        file = scale * s
        shown = submit(file)
        product = product_from(metric, shown, file)
        if shown != before and abs(product) < 6 * scale * math.sqrt(n):
            files.append(file)
            products.append(product)
            hidden = {"mae": scale * n * step, "r2": (n - 1) * step / 2}.get(metric, n * step / 2)
            variances.append(hidden**2 / 12)
        before = shown
        ends.append(posterior_mean(files, products, variances) if files else np.zeros(n))
    return ends


def greedy_climb(signs, submit, size=1.0, honest=0.0, metric="mse", margin=0.0):
    """Small random steps around the best, at first the honest file, kept if the shown score
    improves; signs[0] is not used."""
    n = signs.shape[1]
    larger = metric in ("pearson", "spearman", "ccc", "r2")
    left = {
        "mse": lambda s: s,
        "mae": lambda s: (s / math.sqrt(2 / math.pi)) ** 2,
        "r2": lambda s: 1 - s,
        "pearson": lambda s: 1 - s**2,
        "spearman": lambda s: 1 - s**2,
        "ccc": lambda s: 1 - s / (2 - s),
    }[metric]
    best = np.zeros(n) + honest
    shown = submit(best)
    ends = [best]
    for s in signs[1:]:
        length = size * math.sqrt(left(shown))
        if metric != "mse":
            next_one = shown + margin if larger else max(shown - margin, 0)
            length = max(length, math.sqrt(n * (left(shown) - max(left(next_one), 0))))
        file = best + length / math.sqrt(n) * s
        new = submit(file)
        if (new > shown) if larger else (new < shown):
            best, shown = file, new
            if metric in ("pearson", "spearman"):
                best = best / (np.std(best) * math.sqrt(n)) * shown * math.sqrt(n - 1)
        ends.append(best)
    return ends


def reserve(
    signs, submit, *, critical, margin, step, target, size, rounding, honest=0.0, residual=1.0,
    basis=None,
):  # fmt: skip
    """The posterior N(m, S), the reserve m - b, and the least share of it that is enough.

    At first m is the honest file, and S the variance of the response about it, in the span of
    `basis`, shape (n, k), orthonormal; what lies outside stays as it is.
    """
    n = signs.shape[1]
    basis = np.eye(n) if basis is None else basis
    within = basis @ basis.T
    whole = residual * (np.eye(n) - 1.0 / n)
    first = within @ whole @ within
    m, S = np.zeros(n) + honest, first
    b = np.zeros(n)
    shown = submit(b)
    ends = [m]
    for s in signs[1:]:
        hidden = n * step / 2 / math.sqrt(12)  # what rounding hides of <y, p>
        length = math.sqrt(size**2 * shown + rounding**2 * hidden**2)
        d = S @ basis @ np.resize(s, basis.shape[1])
        d = d * length / math.sqrt(d @ d)
        u = m - b

        spread = np.diag(whole - first + S)

        def bound(v, b=b, u=u, spread=spread, shown=shown):
            """Where <y, b + v> makes the shown score fall."""
            # Differences of losses: v (v - 2 (y - b)), with y - b of mean u and covariance S.
            mean = v * (v - 2 * u)
            squares = mean**2 + 4 * v**2 * spread
            sd = math.sqrt((squares.sum() - mean.sum() ** 2 / n) / (n - 1))
            needed = min(shown - margin - critical * sd / math.sqrt(n), shown - step / 2)
            p = b + v
            return (n - 1 + p @ p - n * needed) / 2

        def passes(share, b=b, m=m, S=S, u=u, d=d, bound=bound):
            p = b + share * u + d
            z = (bound(share * u + d) - m @ p) / math.sqrt(p @ S @ p)
            return stats.norm.sf(z) >= target

        enough = [k for k in range(12) if passes(2.0 ** (k - 11))]
        share = 0.0
        if enough:
            high, low = 2.0 ** (enough[0] - 11), 2.0 ** (enough[0] - 12) if enough[0] else 0.0
            for _ in range(17 - enough[0]):
                middle = (low + high) / 2
                low, high = (low, middle) if passes(middle) else (middle, high)
            share = high
        v = share * u + d
        p = b + v
        new = submit(p)
        w, variance = S @ p, p @ S @ p
        if new < shown:
            value, noise = (n - 1 + p @ p - n * new) / 2, hidden**2
            m = m + w * (value - m @ p) / (variance + noise)
            S = S - np.outer(w, w) / (variance + noise)
            b, shown = p, new
        else:
            x = (bound(v) - m @ p) / math.sqrt(variance)
            hazard = stats.norm.pdf(x) / stats.norm.cdf(x)
            m = m - w * hazard / math.sqrt(variance)
            S = S - np.outer(w, w) * hazard * (hazard + x) / variance
        ends.append(m)
    return ends


def positional_weights(n, submit, files, *, metric, entry, width, largest):
    """Responses of two values: the first row, then `width` rows a file, by powers of 2."""
    M = math.sqrt(n)
    file = np.array([M] + (n - 1) * [-M]) if metric == "mae" else np.eye(n)[0] * entry
    # The product is 2 M y_1 - M sum(y), and the sum is 0.
    first = product_from(metric, submit(file), file) / (2 * M if metric == "mae" else entry)
    books = {}
    for ones in range(1, n):
        x = np.array(ones * [1] + (n - ones) * [0])
        y = (x - x.mean()) / x.std(ddof=1)
        books[abs(first - (y[0] if first > 0 else y[-1]))] = (ones, y[-1], y[0])
    ones, low, high = books[min(books)]
    known = {0: int(first > 0)}
    ends = []
    for t in range(files):
        if t > 0 and len(known) < n:
            rows = range(len(known), min(len(known) + width, n))
            weights = [largest / 2**k for k in range(len(rows))]
            if metric == "mae":
                # A row of this file adds p - low if y is low, and by its weight more if high.
                file = np.full(n, (low + high) / 2)
                for i, w in zip(rows, weights, strict=True):
                    file[i] = (low + high - w) / 2
                total = n * submit(file) - math.fsum(file - low)
            else:
                file = np.zeros(n)
                for i, w in zip(rows, weights, strict=True):
                    file[i] = w
                product = product_from(metric, submit(file), file)
                total = (product - low * math.fsum(weights)) / (high - low)
            for i, w in zip(rows, weights, strict=True):
                known[i] = int(total > w - weights[-1] / 2)
                total -= w * known[i]
        rest = ones - sum(known.values())
        end = np.full(n, low + (high - low) * rest / max(n - len(known), 1))
        for i, one in known.items():
            end[i] = high if one else low
        ends.append(end)
    return ends
