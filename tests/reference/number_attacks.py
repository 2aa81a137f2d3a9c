"""The attacks with arbitrary numbers in plain Python, from their descriptions.

`submit` takes a file and returns the shown score.  Each returns the file it would end with after
every submission.  The response is standardised: mean 0, |y|^2 = n - 1.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats
from scipy.special import ndtr


def density(z):
    """Of a standard normal number; `scipy.stats` takes fifty times as long for a single one."""
    return math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)


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


def linear_probe(signs, submit, metric="mse", step=0.0, honest=0.0, residual=1.0):
    """Every score is shown: k files give the mean of y given k products."""
    n = signs.shape[1]
    scale = 1.0 if metric in ("pearson", "spearman", "ccc") else max(1.0, 1e5 * step)
    if metric == "mae":
        scale = math.sqrt(n)
    files, products, ends = [], [], []
    for s in signs:
        files.append(scale * s)
        own = np.sum(files[-1] * honest)
        products.append(product_from(metric, submit(files[-1]), files[-1]) - own)
        ends.append(honest + posterior_mean(files, products, np.zeros(len(files))))
    return ends


def staircase(
    signs, submit, critical, margin=0.0, step=0.0, metric="mse", honest=0.0, residual=1.0
):
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
            products.append(product - np.sum(file * honest))
            hidden = {"mae": scale * n * step, "r2": (n - 1) * step / 2}.get(metric, n * step / 2)
            variances.append(hidden**2 / 12 / residual)
        before = shown
        gain = posterior_mean(files, products, variances) if files else np.zeros(n)
        ends.append(honest + gain)
    return ends


def greedy_climb(
    signs, submit, size=1.0, honest=0.0, metric="mse", margin=0.0, digest=None, start=None
):  # fmt: skip
    """Small random steps around the best, at first the honest file, kept if the shown score
    improves; signs[0] is not used if the honest file's own score is asked for.

    `digest`: a score is shown after every so many files, so many times.  `start`: what it then
    shows of zeros.
    """
    n = signs.shape[1]
    larger = metric in ("pearson", "spearman", "ccc", "r2")
    # Lin's coefficient of a file of mean 0 and sd 1 is its correlation.
    whole = metric == "ccc" and not np.any(honest)
    left = {
        "mse": lambda s: s,
        "mae": lambda s: (s / math.sqrt(2 / math.pi)) ** 2,
        "r2": lambda s: 1 - s,
        "pearson": lambda s: 1 - s**2,
        "spearman": lambda s: 1 - s**2,
        "ccc": lambda s: 1 - (s**2 if whole else s / (2 - s)),
    }[metric]

    def sent(file):
        return (file - file.mean()) / np.std(file, ddof=1) if whole and np.any(file) else file

    best = np.zeros(n) + honest
    shown = start if digest and not np.any(honest) else None
    ends = []
    for t, s in enumerate(signs):
        if digest and ((t + 1) % digest[0] or t + 1 > digest[0] * digest[1]):
            submit(np.zeros(n))
        elif shown is None:
            shown = submit(best)
        else:
            length = size * math.sqrt(left(shown))
            if metric != "mse":
                next_one = shown + margin if larger else max(shown - margin, 0)
                length = max(length, math.sqrt(n * (left(shown) - max(left(next_one), 0))))
            file = best + length / math.sqrt(n) * s
            new = submit(sent(file))
            if (new > shown) if larger else (new < shown):
                best, shown = file, new
                if whole or metric in ("pearson", "spearman"):
                    best = best / (np.std(best) * math.sqrt(n)) * shown * math.sqrt(n - 1)
        ends.append(sent(best))
    return ends


def reserve(
    signs, submit, *, critical, margin, step, target, size, rounding, honest=0.0, residual=1.0,
    basis=None, accounts=1, start=None,
):  # fmt: skip
    """The posterior N(m, S), the reserve m - b, and the least share of it that is enough.

    At first m is the honest file, and S the variance of the response about it, in the span of
    `basis`, shape (n, k), orthonormal; what lies outside stays as it is.  With several accounts,
    `submit` also takes the account, and `start` is the score that a new board shows, None for none.
    """
    n = signs.shape[1]
    send = submit if accounts > 1 else lambda account, file: submit(file)
    basis = np.eye(n) if basis is None else basis
    within = basis @ basis.T
    whole = residual * (np.eye(n) - 1.0 / n)
    first = within @ whole @ within
    m, S = np.zeros(n) + honest, first
    best, scores = [np.zeros(n)] * accounts, [start if accounts > 1 else None] * accounts
    ends = []
    for t, s in enumerate(signs):
        b, shown = best[t % accounts], scores[t % accounts]
        if shown is None:
            scores[t % accounts] = send(t % accounts, b)
            ends.append(m)
            continue
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
            return ndtr(-z) >= target

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
        new = send(t % accounts, p)
        w, variance = S @ p, p @ S @ p
        if new < shown:
            value, noise = (n - 1 + p @ p - n * new) / 2, hidden**2
            m = m + w * (value - m @ p) / (variance + noise)
            S = S - np.outer(w, w) / (variance + noise)
            best[t % accounts], scores[t % accounts] = p, new
        else:
            x = (bound(v) - m @ p) / math.sqrt(variance)
            hazard = density(x) / ndtr(x)
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
        for i, is_high in known.items():
            end[i] = high if is_high else low
        ends.append(end)
    return ends


def above(z):
    """Probability that a standard normal variable is above z."""
    return math.erfc(z / math.sqrt(2)) / 2


def hazard(z):
    """Mean of a standard normal variable that is above z."""
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) / above(z)


def scan(
    signs, submit, *, critical, margin, noise, begins, by_jump, by_target, by_doubt, settled,
    clearing, repeats, most, rare, dropped, memory, far, few, accounts=1, honest=0.0, residual=1.0,
):  # fmt: skip
    """Hypotheses about the files that have passed; `submit` takes the account and the file.

    A hypothesis is the list of the account's files that have passed; it is kept as its probability
    p, the number and the file in force, mean and variance of the level, and the mean of y, less the
    common one (`shift`).
    """
    k, n = signs.shape
    m = np.zeros(n) + honest
    S = residual * (np.eye(n) - 1.0 / n)
    start = {"p": 1.0, "number": 0, "b": np.zeros(n), "level": (n - 1) / n, "variance": 0.0}
    start["shift"] = np.zeros(n)
    known = [{"all": [start], "noise": noise, "last": 0, "repeats": 0} for _ in range(accounts)]
    each = math.ceil(k / accounts)
    ends = []
    for t in range(k):
        account = known[t % accounts]
        ours = account["all"]

        def probability(number, ours=ours):
            return sum(h["p"] for h in ours if h["number"] == number)

        def mean_of(h, ours=ours, m=m):
            return m + h["shift"] - sum(g["p"] * g["shift"] for g in ours)

        # The most probable file in force, and the best hypothesis that has it.
        main = max(ours, key=lambda h: (probability(h["number"]), h["p"]))
        b, u = main["b"], mean_of(main) - main["b"]
        sd = math.sqrt(account["noise"]) * main["level"]
        rate = u @ u / n / sd / (each - t // accounts)
        jump, target, doubt = (
            min(max(factor * rate**power, least), largest)
            for factor, power, least, largest in (by_jump, by_target, by_doubt)
        )
        if probability(main["number"]) <= settled:
            target = max(target, clearing)
        unclear = account["last"] > 0 and doubt < probability(account["last"]) < 1 - doubt
        idle = (unclear and account["repeats"] < repeats) or (t < accounts and not begins)
        if idle:
            account["repeats"] += 1
            file = np.zeros(n)
        else:
            account["repeats"], account["last"] = 0, t + 1
            d = S @ signs[t]
            d = d / math.sqrt(d @ d)

            def passing(share, a, u=u, d=d, level=main["level"], S=S):
                """Probability that b + v passes, and the fall of the level if it does."""
                v = share * u + a * d
                sd = math.sqrt(v @ S @ v)
                need = (v @ v + n * margin) / 2 + critical * math.sqrt(v @ v * level)
                z = (need - u @ v) / sd
                return above(z), (2 * (u @ v + sd * hazard(z)) - v @ v) / n

            def least_share(a, passing=passing, target=target):
                if passing(0.0, a)[0] >= target:
                    return 0.0
                powers = [0.0, *(2.0**e for e in range(-9, 1))]
                for low, high in zip(powers, powers[1:], strict=False):
                    if passing(high, a)[0] >= target:
                        for _ in range(5):
                            middle = (low + high) / 2
                            if passing(middle, a)[0] >= target:
                                high = middle
                            else:
                                low = middle
                        return high
                return None

            a, low, high, chosen = math.sqrt(main["level"]), 0.0, None, None
            for _ in range(14):
                share = least_share(a)
                if share is not None and passing(share, a)[1] <= jump * sd:
                    low, chosen = a, (share, a)
                else:
                    high = a
                if high is None:
                    a = 1.7 * a
                elif low == 0:
                    a = a / 1.7
                else:
                    a = (low + high) / 2
            share, a = chosen or (1.0, a)
            file = b + share * u + a * d

        score = submit(t % accounts, file)
        children, gains, surprise = [], [], []
        for h in ours:
            chance = 0.0
            v = file - h["b"]
            if not idle and probability(h["number"]) >= rare:
                w, variance = S @ v, v @ S @ v
                centre = mean_of(h)
                difference = v * (v - 2 * (centre - h["b"]))
                squares = difference**2 + 4 * v**2 * np.diag(S)
                spread = (squares.sum() - difference.sum() ** 2 / n) / (n - 1)
                need = file @ file - h["b"] @ h["b"]
                z = (need + n * (margin + critical * math.sqrt(spread / n))) / 2 - v @ centre
                z = z / math.sqrt(variance)
                chance = above(z)
            if h is main:
                aimed = (w, variance, z) if chance else None
            for passes in (False, True) if chance else (False,):
                child = dict(h)
                level, uncertain = h["level"], h["variance"]
                if passes:
                    beyond = hazard(z)
                    fall = (2 * (v @ centre + math.sqrt(variance) * beyond) - need) / n
                    level = level - fall
                    cut = max(1 + z * beyond - beyond**2, 0.01)
                    uncertain = uncertain + 4 * variance * cut / n**2
                    child["number"], child["b"] = t + 1, file
                    child["shift"] = h["shift"] + w * beyond / math.sqrt(variance)
                elif chance:
                    child["shift"] = h["shift"] - w * hazard(-z) / math.sqrt(variance)
                total = uncertain + account["noise"] * level**2
                child["p"] = h["p"] * (chance if passes else 1 - chance)
                child["p"] *= math.exp(-((score - level) ** 2) / total / 2) / math.sqrt(total)
                gain = uncertain / total
                child["level"] = level + gain * (score - level)
                child["variance"] = uncertain * (1 - gain)
                children.append(child)
                gains.append((h["number"] == main["number"] and chance > 0, passes))
                surprise.append(min(((score - level) / level) ** 2, far**2 * account["noise"]))
        whole = sum(child["p"] for child in children)
        order = sorted(range(len(children)), key=lambda i: -children[i]["p"])[:most]
        order = [i for i in order if children[i]["p"] > dropped * whole]
        kept = sum(children[i]["p"] for i in order)
        before = sum(h["p"] * h["shift"] for h in ours)
        for i in order:
            children[i]["p"] /= kept
        account["all"] = [children[i] for i in order]
        m = m + sum(h["p"] * h["shift"] for h in account["all"]) - before
        expected = sum(children[i]["p"] * surprise[i] for i in order)
        account["noise"] += (expected - account["noise"]) / memory
        if aimed is not None:
            w, variance, z = aimed
            high, low = hazard(z), hazard(-z)
            passed = sum(children[i]["p"] for i in order if gains[i] == (True, True))
            refused = sum(children[i]["p"] for i in order if gains[i] == (True, False))
            known_share = passed * high * (high - z) + refused * low * (low + z)
            mixed = passed * high - refused * low
            between = passed * high**2 + refused * low**2 - mixed**2
            open_share = min(1.0, few / each) if accounts > 1 else 0.0
            S = S - np.outer(w, w) * max(known_share - open_share * between, 0.0) / variance
        ends.append(m)
    return ends


def between_updates(
    signs, submit, *, start, step, every, updates, floor, lengths, cuts, shares, accounts=1,
    honest=0.0, residual=1.0, root=False,
):  # fmt: skip
    """Before each update, the file share m + a d whose level tells most, now and later.

    `submit` takes the account and the file, and returns the level shown.
    """
    k, n = signs.shape
    grid = [j * step for j in range(int(1 / step) + 2)]
    # What is shown up to which score.
    steps = [(max(x, floor), x) for x in grid if x < start - 1e-9 and x + step > floor + 1e-9]
    steps = sorted(steps, reverse=True)
    shown = [x for x, _ in steps]
    limits = [x**2 if root else x for _, x in steps]
    m, S = np.zeros(n) + honest, residual * (np.eye(n) - 1.0 / n)
    passed = [0] * accounts

    def slices(mean, sd, at):
        """Probability of each number of levels passed, and the mean of a standard normal then."""
        edges = [math.inf, *((x - mean) / sd for x in limits[at:]), -math.inf]
        for high, low in zip(edges, edges[1:], strict=False):
            chance = ndtr(high) - ndtr(low)
            if low >= 0:
                chance = ndtr(-low) - ndtr(-high)
            centre = density(low) - density(high)
            yield (chance, centre / chance) if chance > 1e-14 else (0.0, 0.0)

    def worth(mean, sd, at, later):
        parts = list(slices(mean, sd, at))
        return sum(p * c * c for p, c in parts), sum(
            p * v for (p, _), v in zip(parts, later[at:], strict=True)
        )

    def plan(left, many):
        table = [[0.0] * (len(limits) + 1)]
        for _ in range(many):
            row = []
            for at in range(len(limits)):
                best = 0.0
                for length in lengths[1::2]:
                    sd = 2 * length * left / n
                    for cut in cuts:
                        mean = max(limits[at] + cut * sd, left + length**2 * left / n)
                        if mean - limits[at] < 5 * sd:
                            best = max(best, sum(worth(mean, sd, at, table[-1])))
                row.append(best)
            table.append([*row, 0.0])
        return table

    ends, table, planned = [], None, math.inf
    for t in range(k):
        at, made = t % accounts, t // accounts + 1
        p = np.zeros(n)
        updated = made % every == 0 and made // every <= updates
        if updated:
            left = np.trace(S) / n
            files = len(range(at, k, accounts))
            remaining = min(files // every, updates) - made // every
            if left < 0.8 * planned:
                table, planned = plan(left, remaining), left
            d = S @ signs[t]
            d = d / math.sqrt(d @ d)
            best = -1.0
            for a in lengths * math.sqrt(left):
                for share in shares:
                    v = share * m + a * d
                    mean, w = (n - 1 - 2 * (v @ m) + v @ v) / n, S @ v
                    gain, value = worth(
                        mean, 2 * math.sqrt(v @ w) / n, passed[at], table[remaining]
                    )
                    total = gain * (w @ w) / (v @ w) + left * value
                    if total > best:
                        best, p = total, v
        number = submit(at, p)
        if updated and passed[at] < len(limits):
            before, w = passed[at], S @ p
            passed[at] = sum(number < x + 1e-9 for x in shown)

            def product(x, p=p):
                return (n - 1 + p @ p - n * x) / 2

            low = product(limits[passed[at] - 1]) if passed[at] > before else -math.inf
            high = product(limits[passed[at]]) if passed[at] < len(limits) else math.inf
            sd = math.sqrt(p @ w)
            cut = stats.truncnorm((low - m @ p) / sd, (high - m @ p) / sd)
            m = m + w * cut.mean() / sd
            S = S - np.outer(w, w) * (1 - cut.var()) / sd**2
        ends.append(m)
    return ends


def crowds(signs, submit, honest, *, residual, start, step, floor, every, updates):
    """Many files before each update of a digest of correlations; one account.

    Returns the file it would end with after each submission.
    """
    k, n = signs.shape
    centre = np.eye(n) - 1 / n
    m, S = centre @ honest, residual * centre
    told = [m] if m.any() else []
    ends, shown, crowd = [], start, None
    draws = stats.norm.ppf((np.arange(200_000) + 0.5) / 200_000)
    # The largest of J: its distribution function is the J-th power.
    chance = np.diff(np.linspace(0, 1, 200_001) ** every)
    top = chance @ draws
    spread = chance @ (draws - top) ** 2
    end = honest

    def unit(x):
        return x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-6 else 0 * x

    def unknown(x):
        x = x - x.mean()
        if told:
            x = x - np.array(told).T @ np.linalg.lstsq(np.array(told).T, x, rcond=1e-9)[0]
        return unit(x)

    def next_level():
        return (np.floor(shown / step + 1e-6) + 1) * step

    for t in range(k):
        if t % every == 0:
            crowd, most = None, 0.0
            left = updates - t // every
            levels = max(int(np.ceil((floor - next_level()) / step - 1e-6)) + 1, 0)
            if left > 0 and levels and t + every <= k:
                drawn = [unknown(s) for s in signs[t : t + every]]
                shared = drawn[0]
                own = np.array([unit(x - (x @ shared) * shared) for x in drawn])
                cap = min(0.5, 0.7 * levels / (levels + left))
                for a in [0, 0.2, 0.4, 0.6, 0.8, 0.9, 1] if m.any() else [0]:
                    for apart in [0, 0.15, 0.3, 0.45, 0.6, 0.8, 1] if every > 1 else [0]:
                        b, c = ((1 - a * a) * x for x in (1 - apart, apart))
                        core = a * unit(m) + np.sqrt(b) * shared
                        own_variance = residual * c * spread
                        variance = core @ S @ core + own_variance
                        if variance <= 0:
                            continue
                        middle = core @ m + np.sqrt(residual * c) * top
                        z = (next_level() * np.sqrt(n - 1) - middle) / np.sqrt(variance)
                        p = stats.norm.sf(z)
                        if not 1e-4 < p < 1 - 1e-4:
                            continue
                        parts = [a * unit(m), np.sqrt(b) * shared, np.sqrt(c) * own.mean(axis=0)]
                        covered = sum(np.sum((S @ part) ** 2) for part in parts) / variance
                        worth = covered * stats.norm.pdf(z) ** 2 / (p * (1 - p))
                        worth *= np.clip(2 - p / cap, 0, 1)
                        if worth > most:
                            most, crowd = worth, (core, np.sqrt(c), own)
        if crowd is None:
            submit(honest)
            ends.append(end)
            continue
        core, apart, own = crowd
        new = submit(core + apart * own[t % every])
        if (t + 1) % every == 0:
            q = S @ (core + apart * own.mean(axis=0))
            middle = core @ m + apart * np.sqrt(residual) * top
            variance = core @ S @ core + apart**2 * residual * spread
            low, high = -np.inf, next_level() * np.sqrt(n - 1)
            if new > shown + 1e-6 * step:
                low = new * np.sqrt(n - 1)
                high = np.inf if new >= floor - 1e-6 * step else (new + step) * np.sqrt(n - 1)
                shown = new
            between = stats.truncnorm(*((x - middle) / np.sqrt(variance) for x in (low, high)))
            m = m + q * between.mean() / np.sqrt(variance)
            S = S - np.outer(q, q) * (1 - between.var()) / variance
            told.append(q)
            end = m
        ends.append(end)
    return ends
