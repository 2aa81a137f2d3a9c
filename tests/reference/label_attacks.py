"""The attacks of [B] and [Z] on labels 0 and 1, one submission after another."""

from __future__ import annotations

import numpy as np
from scipy import stats


def majority(votes, n):
    """ "maj", label by label; a tie is a 0 ([Z]: 1 only if the mean is above .5)."""
    if not votes:
        return np.zeros(n)
    return np.array([1.0 if np.mean([v[i] for v in votes]) > 0.5 else 0.0 for i in range(n)])


def boosting(us, submit, *, n):
    """[B] section 5, steps 1 to 4; `us` are u_1, ..., u_k over all rows, n of them public."""
    kept = []
    for u in us:
        if round(submit(u[:n]), 9) <= 0.5:  # step 3: I = {i : l_i <= 1/2}
            kept.append(u)
    return majority(kept, len(us[0]))  # step 4


def mirrored_boosting(us, open_board, *, n, same_board=True):
    """[Z] section 2.1: "if its accuracy is higher than 0.5 then we keep v = u, otherwise 1 - u"."""
    vs = []
    board = open_board()
    for u in us:
        loss = board.submit(u[:n])
        vs.append(u if round(1 - loss, 9) > 0.5 else 1 - u)
        if not same_board:  # section 6: "a brand-new account for each submission"
            board = open_board()
    return majority(vs, len(us[0]))


def lowering_boosting(us, submit, *, n):
    """[B] section 5.1: "vectors that successfully lowered the score"."""
    kept, lowest = [], np.inf
    for u in us:
        shown = submit(u[:n])
        if shown < lowest:
            kept.append(u)
            lowest = shown
    return majority(kept, len(us[0]))


def swapping(first, submit, rng, submissions):
    """[Z] section 3: "a first submission containing half 1 and half 0. Then switch the place of a 1
    and a 0 in each submission".  A switch that lowered the score stays, and is not undone.
    """
    u = first.copy()
    lowest = submit(u)
    settled = set()
    made = 1
    while made < submissions:
        open_places = [i for i in range(len(u)) if i not in settled]
        ones = rng.permutation([i for i in open_places if u[i] == 1])
        zeros = rng.permutation([i for i in open_places if u[i] == 0])
        if not min(len(ones), len(zeros)):
            break
        for i, j in zip(ones, zeros, strict=False):
            if made == submissions:
                break
            v = u.copy()
            v[i], v[j] = u[j], u[i]
            shown = submit(v)
            made += 1
            if shown < lowest:
                u, lowest = v, shown
                settled |= {i, j}
    return u, made


def flipping(first, submit, order):
    """[Z] section 2.2 on a board of scores: "repeats this step by flipping another component [...]
    until it is higher [...] or all components have been flipped once".
    """
    u = first.copy()
    lowest = submit(u)
    for i in order:
        v = u.copy()
        v[i] = 1 - v[i]
        shown = submit(v)
        if shown < lowest:
            u, lowest = v, shown
    return u


class RankedAccounts:
    """[Z] section 2.2: shows nothing but ranks, by the best score that an account ever achieved."""

    def __init__(self, y, names, step=None):
        self.y = y
        self.step = step
        self.mistakes = dict.fromkeys(names, np.inf)

    def submit(self, name, u):
        mistakes = float(np.sum(u != self.y))
        if self.step is not None:  # the loss to a multiple of the step, halves to the even one
            mistakes = round(round(mistakes / len(self.y) / self.step, 9)) * self.step
        self.mistakes[name] = min(self.mistakes[name], mistakes)
        return {a: 1 + sum(m < mine for m in self.mistakes.values())
                for a, mine in self.mistakes.items()}  # fmt: skip


def two_accounts(first, board, order):
    """[Z] section 2.2, accounts A and B."""
    leader, follower = "A", "B"
    u = first.copy()
    board.submit(leader, u)
    submissions = 1
    for i in order:  # "flips an unchanged component"
        v = u.copy()
        v[i] = 1 - v[i]
        ranks = board.submit(follower, v)
        submissions += 1
        if ranks[follower] < ranks[leader]:  # "it must move A's rank [...] higher than b_1"
            u = v
            leader, follower = follower, leader  # "the hacker switches to the account B"
    return u, submissions


def detecting_family(n, submit):
    """Lindström's sets: the labels from the scores of zeros and of one list for each set."""

    def subsets(a):
        elements = sorted(a)
        return [
            frozenset(e for i, e in enumerate(elements) if k >> i & 1)
            for k in range(2 ** len(elements))
        ]

    files, rows = [], []
    while len(rows) < n:
        number = len(files) + 1
        a = frozenset(i for i in range(20) if number >> i & 1)
        files.append(a)
        rows += [(a, j) for j in range(len(a))]
    rows = rows[:n]
    ones = round(n * submit(np.zeros(n)))
    sums = {}
    for b in files:
        chosen = [a & b in [s for s in subsets(a) if len(s) % 2][: 2**j] for a, j in rows]
        wrong = round(n * submit(np.array(chosen, dtype=float)))
        sums[b] = (ones + sum(chosen) - wrong) // 2
    x = {}
    for a in files[::-1]:
        total = 0
        for b in subsets(a)[1:]:
            rest = sums[b]
            for row in x:
                odd = [s for s in subsets(row[0]) if len(s) % 2]
                rest -= x[row] * (row[0] & b in odd[: 2 ** row[1]])
            total += rest if len(b) % 2 else -rest
        for j in range(len(a)):
            if (a, j) in rows:
                x[a, j] = total // 2**j % 2
    return np.array([x[row] for row in rows], dtype=float)


def resubmission(first, submit, rng, submissions, *, guess, critical, margin, replications):
    """Flip labels of the best file, and submit it until the average tells whether it was accepted.

    `first`: the honest labels; `guess`: the loss that is expected of them.  Returns the labels it
    would end with after each submission.
    """
    n = len(first)
    level = stats.norm(guess, np.sqrt(0.25 / n))
    base, ends = first, []

    def noise():
        loss = np.clip(level.mean(), 1 / n, 1 - 1 / n)
        return np.sqrt(loss * (1 - loss) / n / replications)

    def gains_of(size):
        """(0 and the probability of it), and each gain with which a file passes."""
        wrong = min(max(round(level.mean() * n), 1), n - 1)
        out = {}
        for right in range(size + 1):
            gain = 2 * right - size
            passes = gain >= max(1, n * margin) - 1e-6 and gain > critical * np.sqrt(size) + 1e-6
            chance = stats.hypergeom.pmf(right, n, wrong, size)
            out[gain * passes] = out.get(gain * passes, 0.0) + chance
        return out

    def learned(scores, gains):
        """Probability of each gain, and the level after."""
        error, known = noise() ** 2 / len(scores), level.var()
        likely = {
            g: p * stats.norm.pdf(np.mean(scores), level.mean() - g / n, np.sqrt(error + known))
            for g, p in gains.items()
        }
        total = sum(likely.values())
        parts = []
        for g, p in likely.items():
            prior = level.mean() - g / n
            mean = (prior / known + np.mean(scores) / error) / (1 / known + 1 / error)
            parts.append((p / total, mean))
        mean = sum(p * m for p, m in parts)
        var = 1 / (1 / known + 1 / error) + sum(p * (m - mean) ** 2 for p, m in parts)
        accepted = sum(p for g, p in likely.items() if g) / total
        return accepted, stats.norm(np.clip(mean, 0, 1), np.sqrt(var))

    def rate(size):
        gains = gains_of(size)
        passes = sum(p for g, p in gains.items() if g)
        if not passes:
            return -1.0
        labels = sum(g * p for g, p in gains.items())
        sd = float(f"{noise():.2g}")
        return labels / (1 + 3 * (sd * n * passes / labels) ** 2)

    ends.append(base)
    _, level = learned([submit(base)], {0: 1.0})
    while len(ends) < submissions:
        sizes = sorted({round(x) for x in np.geomspace(1, n // 2, 40)})
        size = max(sizes, key=rate)
        file = base.copy()
        for i in rng.choice(n, size, replace=False):
            file[i] = 1 - file[i]
        scores, gains, accepted = [], gains_of(size), 0.5
        while len(ends) < submissions and len(scores) < 64 and 0.05 < accepted < 0.95:
            ends.append(base)
            scores.append(submit(file))
            accepted, _ = learned(scores, gains)
        if accepted > 0.5:
            base = file
            ends[-1] = base
        _, level = learned(scores, gains)
    return ends


def climb_between_updates(first, submit, rng, submissions, *, every, updates, start, step, size):
    """Flip labels of the best file once before each update of a digest; a file at a time.

    `size` is the number of flips, from what is shown and how far the next level is.  Returns the
    labels it would end with after each submission.
    """
    best, shown, ends = first, start, []
    for made in range(1, submissions + 1):
        if (made - 1) % every == 0:  # an interval begins
            file = best
            if made <= every * updates and made - 1 + every <= submissions:
                levels = step * np.arange(round(1 / step) + 2)
                below = max(levels[levels < shown - 1e-7])
                file = best.copy()
                for i in rng.choice(len(best), size(shown, step=shown - below), replace=False):
                    file[i] = 1 - file[i]
        after = submit(best if made % every else file)
        ends.append(best)
        if made % every == 0:
            if after < shown:
                best = ends[-1] = file
            shown = after
    return ends


def label_posterior(
    honest, submit, rng, submissions, *, share, critical, first, start, rows, weights, target, most
):
    """A normal posterior of the labels, as -1 and 1, which learns from refused files too.

    `share` is the prior probability of an honest label; `first` the file in force at first, and
    `start` its loss, None if it must be submitted.  `rows` of the rows are flipped.  Returns the
    labels it would end with after each submission.
    """
    n = len(honest)
    h, b = 2 * honest - 1, 2 * first - 1
    m = (2 * share - 1) * h
    S = np.eye(n) * (1 - (2 * share - 1) ** 2)
    chosen = rng.permutation(n)[:rows]
    shown, ends = start, []

    def changed(D, mean, variance):
        """The posterior if <y, D> has this mean and variance."""
        w, now = S @ D, D @ S @ D
        return m + w * (mean - D @ m) / now, S - np.outer(w, w) * (1 - variance / now) / now

    def measured(D, value):
        now = D @ S @ D
        share = now / (now + 0.01)
        return changed(D, D @ m + share * (value - D @ m), 0.01 * share)

    def needed(k):
        """The least gain with which k flips pass the paired test."""
        for gain in range(k % 2 or 2, k + 1, 2):
            error = np.sqrt((k - gain**2 / n) / ((n - 1) * n))
            if gain / n > critical * error + 1e-9:
                return gain
        return None

    if start is not None:
        m, S = measured(b, n * (1 - 2 * start))
    for _ in range(submissions):
        if shown is None:
            shown = submit((b + 1) / 2)
            m, S = measured(b, n * (1 - 2 * shown))
        else:
            z = rng.standard_normal(len(chosen))
            best, flipped = 0.0, None
            for weight in weights:
                u = [-b[i] * m[i] + weight * e * np.sqrt(S[i, i])
                     for i, e in zip(chosen, z, strict=True)]  # fmt: skip
                order = chosen[np.argsort(u)[::-1]]
                for k in range(1, len(chosen) + 1):
                    if (k > most * n and flipped is not None) or needed(k) is None:
                        continue
                    D = np.zeros(n)
                    D[order[:k]] = -2 * b[order[:k]]
                    sd = np.sqrt(D @ S @ D)
                    p = stats.norm.sf(2 * needed(k) - 2, D @ m, sd)
                    if p > best * (1 + 1e-6):
                        best, flipped = p, D
                if best >= target:
                    break
            bound = 2 * needed(int(np.count_nonzero(flipped))) - 2
            new = submit((b + flipped + 1) / 2)
            if new < shown - 0.5 / n:
                m, S = measured(flipped, 2 * n * (shown - new))
                b, shown = b + flipped, new
            else:
                mean, sd = flipped @ m, np.sqrt(flipped @ S @ flipped)
                below = stats.truncnorm(-np.inf, (bound - mean) / sd, mean, sd)
                m, S = changed(flipped, below.mean(), below.var())
        end = honest.copy()
        for i in chosen:
            end[i] = float(m[i] > 0) if m[i] != 0 else honest[i]
        ends.append(end)
    return ends


def label_crowds(
    honest, submit, rng, submissions, *, share, start, step, floor, every, updates, weights,
    of_core, of_file, likely, spared,
):  # fmt: skip
    """Crowds of labels: before each update of a digest, files around a core, S a matrix.

    `share` is the prior probability of an honest label, and `start` the loss of the honest file.
    Returns the labels it would end with after each submission.
    """
    n, close = len(honest), 1e-6
    h = 2 * honest - 1
    m, S = (2 * share - 1) * h, np.eye(n) * (1 - (2 * share - 1) ** 2)
    w, variance = S @ h, h @ S @ h + 0.01
    m = m + w * (n * (1 - 2 * start) - h @ m) / variance
    S = S - np.outer(w, w) / variance
    top, varies = largest_of(every)
    updates = min(updates, submissions // every)
    shown, end, ends, files = start, honest, [], None

    def product(loss):
        """Between the product of a file with at most this loss and the next smaller one."""
        return n - 2 * np.floor(n * loss + close) - 1

    def cores():
        likeliest = np.array([h[i] if m[i] == 0 else np.sign(m[i]) for i in range(n)])
        yield likeliest
        for weight in weights:
            noise = np.sqrt(np.diag(S)) * rng.standard_normal(n)
            order = np.argsort(noise if weight == np.inf else abs(m) + weight * noise)
            for size in np.unique(np.round(np.geomspace(1, n / 2, of_core)).astype(int)):
                core = likeliest.copy()
                core[order[:size]] *= -1
                yield core

    for t in range(submissions):
        update, file = divmod(t, every)
        if file == 0:
            files = None
            below = step * np.arange(round(1 / step) + 1)
            below = below[below < shown - close]
            levels = [max(x, floor) for x in below[below > floor - step + close]]
            if update < updates and levels:
                level, left = below.max(), updates - update
                cap = min(likely, spared * len(levels) / (len(levels) + left))
                sizes = [0]
                if every > 1:
                    sizes += sorted({round(x) for x in np.geomspace(1, n / 3, of_file)})
                best, chosen = 0.0, None
                for core in cores():
                    for k in sizes:
                        # Means over all files with k random labels flipped.
                        p = k / n
                        both = 1 - 4 * p + 4 * k * (k - 1) / (n * (n - 1))
                        pairs = (core @ S @ core - np.trace(S)) * both
                        shared = (1 - 2 * p) ** 2 * (core @ S @ core)
                        own = max(np.trace(S) + pairs - shared, 0)
                        own += 4 * k * (1 - p) * np.var(core * m)
                        variance = shared + varies * own
                        q = (1 - 2 * p) * (S @ core)
                        mean = (1 - 2 * p) * (core @ m) + top * np.sqrt(own)
                        z = (product(level) - mean) / np.sqrt(variance)
                        passes = stats.norm.sf(z)
                        if not 1e-4 < passes < 1 - 1e-4:
                            continue
                        worth = q @ q / variance * stats.norm.pdf(z) ** 2 / (passes * (1 - passes))
                        worth *= np.clip(2 - passes / cap, 0, 1)
                        if worth * (1 - 1e-6) > best:
                            best, chosen = worth, (core, k)
                if chosen is not None:
                    core, k = chosen
                    files = np.array([core] * every)
                    if k:
                        drawn = rng.random((every, n))
                        for row, numbers in zip(files, drawn, strict=True):
                            row[np.argsort(numbers)[:k]] *= -1
        new = submit(honest if files is None else (files[file] + 1) / 2)
        if files is not None and file == every - 1:
            middle = files.mean(axis=0)
            whole = np.mean([f @ S @ f for f in files])
            shared = middle @ S @ middle
            if every > 1:
                others = [f @ S @ g for i, f in enumerate(files) for g in files[:i]]
                shared = max(np.mean(others), 0)
            own = max(whole - shared, 0) + np.var([f @ m for f in files])
            variance = max(shared + varies * own, middle @ S @ middle)
            mean, q = middle @ m + top * np.sqrt(own), S @ middle
            low, high = -np.inf, product(level)
            if new < shown - close:
                low, high = product(new), product(new - step)
                if new <= floor + close:
                    high = np.inf
            sd = np.sqrt(variance)
            between = stats.truncnorm((low - mean) / sd, (high - mean) / sd)
            m = m + q * between.mean() / sd
            S = S - np.outer(q, q) * (1 - between.var()) / variance
            shown = min(new, shown)
            end = np.array([honest[i] if m[i] == 0 else float(m[i] > 0) for i in range(n)])
        ends.append(end)
    return ends


def largest_of(count):
    """Mean and variance of the largest of so many standard normal numbers."""
    x = np.linspace(-8, 8, 4001)
    chance = np.diff(stats.norm.cdf(x) ** count)
    middle = (x[1:] + x[:-1]) / 2
    mean = chance @ middle
    return mean, chance @ (middle - mean) ** 2


def label_saving(
    honest, open_board, rng, submissions, *, share, first, margin, step, luck, rarest, oftenest,
    accounts=1, most=np.inf,
):  # fmt: skip
    """Level saving for labels, which are -1 and 1: the signs of s m + d z, with the least s.

    `share` is the prior probability of an honest label, and `first` the file in force on a new
    board.  Each of the accounts has as many files, the last one perhaps fewer; `most` of an
    account's files can be accepted.  Returns the labels it would end with after each submission.
    """
    n = len(honest)
    m = (2 * share - 1) * (2 * honest - 1)
    S = np.eye(n) * (1 - (2 * share - 1) ** 2)
    each = -(-submissions // accounts)
    counts = np.arange(n + 1)  # numbers of wrong labels

    def within(f, low, high):
        """The posterior if <y, f> lies between two numbers."""
        q, mean, sd = S @ f, f @ m, np.sqrt(f @ S @ f)
        z = stats.truncnorm((low - mean) / sd, (high - mean) / sd)
        return m + q * z.mean() / sd, S - np.outer(q, q) * (1 - z.var()) / sd**2

    def shown_as(score):
        """Halfway beyond the products of all files that are shown with this score."""
        able = counts[abs(counts / n - score) <= step / 2 + 1e-7 / n]
        return n - 2 * max(able) - 1, n - 2 * min(able) + 1

    ends = []
    for t in range(submissions):
        if t % each == 0:
            submit = open_board()
            shown, left = submit.start, most
            if t == 0:
                m, S = within(2 * first - 1, *shown_as(shown))
        files = min(t - t % each + each, submissions) - t
        able = counts[counts / n < shown - margin - 1e-7 / n]
        if len(able) and left > 0:
            bound = n - 2 * max(able) - 1
            z = rng.standard_normal(n)
            d = np.sqrt(np.diag(S))
            turns = np.sort([abs(d[i] * z[i] / m[i]) for i in range(n) if m[i] * z[i] < 0])
            tried = [np.sign(s * m + d * z) for s in [0, *(turns * (1 + 1e-10))]]
            reach = np.sum(abs(m)) + luck * np.sqrt(tried[0] @ S @ tried[0])
            levels = np.clip(np.floor((reach - bound) / (2 * n * max(margin, step))) + 1, 1, left)
            far = stats.norm.isf(np.clip(levels / files, rarest, oftenest))
            out = [(bound - f @ m) / np.sqrt(f @ S @ f) for f in tried]
            f = next((f for f, x in zip(tried, out, strict=True) if x <= far),
                     tried[int(np.argmin(out))])  # fmt: skip
            new = submit((f + 1) / 2)
            if new < shown - 1e-9:
                low, high = shown_as(new)
                m, S = within(f, max(bound, low), high)
                shown, left = new, left - 1
            else:
                m, S = within(f, -np.inf, bound)
        else:
            submit(np.where(m == 0, honest, m > 0))
        ends.append(np.where(m == 0, honest, m > 0).astype(float))
    return ends
