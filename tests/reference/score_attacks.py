"""The attacks that need nothing but scores in plain Python, from their descriptions.

`submit` takes a file and returns the score shown.  Each returns the file it would end with after
every submission.
"""

from __future__ import annotations

import numpy as np

LENGTHS = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32]


class Turns:
    """Each sixth file takes a length in turn, and so does any file if no length is worth more."""

    def __init__(self):
        self.worth, self.tried = [None] * 6, 0

    def next(self):
        untried = [i for i in range(6) if self.worth[i] is None]
        if self.tried % 6 == 5 or not (untried or any(self.worth)):
            i = self.tried // 6 % 6
        else:
            i = untried[0] if untried else max(range(6), key=lambda i: (self.worth[i], -i))
        self.tried += 1
        return i

    def gained(self, i, gain):
        old = self.worth[i]
        self.worth[i] = gain if old is None else 0.9 * old + 0.1 * gain


def random_search(signs, submit, honest, *, larger, digest=None, start=None):
    """Random steps of six lengths, kept if better."""
    turns, sign = Turns(), -1 if larger else 1
    best, ends, level = honest, [], None
    if digest and not np.any(honest):
        level = sign * start
    for t, s in enumerate(signs):
        if digest and ((t + 1) % digest[0] or t + 1 > digest[0] * digest[1]):
            submit(np.zeros(len(s)))
        elif level is None:
            level = sign * submit(best)
        else:
            i = turns.next()
            file = best + LENGTHS[i] * s
            score = sign * submit(file)
            turns.gained(i, max(level - score, 0))
            if score < level:
                best, level = file, score
        ends.append(best)
    return ends


def noisy_search(signs, submit, honest, *, larger, kept):
    """The same with noise.  `kept`: what is shown is always a score of the best file.

    A file is sent until the mean of its scores is 2.5 standard errors better than that of the best,
    or no more than half of one, or it was sent 24 times; the honest file 12 times.  If it is
    better, twice as many new scores, at least 6, must say so too.  The noise is that among the
    scores of files that were kept.  If refused files show the best one, their scores are the best
    one's, and the best file is the one from which on the scores are lower most significantly.
    """
    turns, sign = Turns(), -1 if larger else 1
    best, ends, within = honest, [], []
    of_best, tried, i = [], [], None  # scores of the best; (file, its length, scores) since then
    scores, confirming = [], 0
    t = 0
    while t < len(signs):
        if len(of_best) < 12 and not within and not tried:
            of_best.append(sign * submit(best))
            ends.append(best)
            t += 1
            continue
        if not scores and not confirming:
            i = turns.next()
            tried.append((best + LENGTHS[i] * signs[t], i, []))
        file, _, all_scores = tried[-1]
        scores.append(sign * submit(file))
        all_scores.append(scores[-1])
        ends.append(best)
        t += 1
        known = of_best + [x for _, _, xs in tried[:-1] for x in xs] if kept else of_best
        parts = [*within, np.array(known)]
        squares = sum(((x - x.mean()) ** 2).sum() for x in parts)
        sd = np.sqrt(squares / sum(len(x) - 1 for x in parts))
        gain = np.mean(known) - np.mean(scores)
        z = gain / (sd * np.sqrt(1 / len(scores) + 1 / len(known)))
        if confirming:
            if len(scores) < max(2 * confirming, 6):
                continue
        elif z >= 2.5:
            confirming, scores = len(scores), []
            continue
        elif z > 0.5 and len(scores) < 24:
            continue
        better, confirming = z >= 2.5, 0
        if better and kept:
            runs = [of_best, *(xs for _, _, xs in tried)]

            def clear(k, runs=runs):
                before, after = sum(runs[:k], []), sum(runs[k:], [])
                width = np.sqrt(1 / len(before) + 1 / len(after))
                return (np.mean(before) - np.mean(after)) / width

            k = max(range(1, len(runs)), key=clear)
            before = sum(runs[:k], [])
            within.append(np.array(before))
            best, i, _ = tried[k - 1]
            of_best, tried = sum(runs[k:], []), []
            gain = np.mean(before) - np.mean(of_best)
        elif better:
            within.append(np.array(of_best))
            best, of_best, tried = file, scores, []
        turns.gained(i, max(gain, 0) if better else 0)
        scores = []
        ends[-1] = best
    return ends


def finite_differences(signs, submit, honest, *, larger, size=0.5):
    """Pairs about the honest file; the shortest gradient with their slopes; where it is flat."""
    k, n = signs.shape
    sign = -1 if larger else 1
    at = sign * submit(honest)
    slopes, bends, ends, above = [], [], [honest], None
    for t in range(1, k):
        s = signs[(t - 1) // 2]
        if t % 2:
            above = sign * submit(honest + size * s) if t + 1 < k else sign * submit(honest)
        else:
            below = sign * submit(honest - size * s)
            slopes.append((above - below) / (2 * size))
            bends.append((above + below - 2 * at) / size**2)
        if not slopes:
            ends.append(honest)
            continue
        gradient = np.linalg.pinv(signs[: len(slopes)], rcond=1e-9) @ np.array(slopes)
        rms = np.sqrt(np.mean(gradient**2))
        bend = np.mean(bends)
        far = min(n / bend * rms, 1.0) if bend > 0 else 1.0
        ends.append(honest - far * gradient / rms)
    return ends
