"""The attacks that need nothing but scores in plain Python, from their descriptions.

`submit` takes a file and returns the score shown.  Each returns the file it would end with after
every submission.
"""

from __future__ import annotations

import numpy as np


def random_search(signs, submit, honest, *, larger, digest=None, start=None, noisy=False):
    """Random steps of six lengths, kept if better; each sixth file takes a length in turn.

    With noise a file is sent until the mean of its scores is 2.5 standard errors better than that
    of the best one, or no more than half of one, or until it was sent 24 times; the honest file
    twelve times.  The noise is that among the scores of files that were kept.
    """
    lengths = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32]
    worth, tried = [None] * 6, 0
    sign = -1 if larger else 1
    best, ends, level = honest, [], []  # the scores of the best file
    file, scores, i, within = None, [], None, []
    if digest and not np.any(honest):
        level = [sign * start]
    for t, s in enumerate(signs):
        if digest and ((t + 1) % digest[0] or t + 1 > digest[0] * digest[1]):
            submit(np.zeros(len(s)))
            ends.append(best)
            continue
        if not level or (noisy and not within and len(level) < 12):
            level.append(sign * submit(best))
            if noisy and len(level) == 12:
                within.append(np.array(level))
            ends.append(best)
            continue
        if not scores:
            untried = [j for j in range(6) if worth[j] is None]
            if tried % 6 == 5:
                i = tried // 6 % 6
            elif untried:
                i = untried[0]
            else:
                i = max(range(6), key=lambda j: (worth[j], -j))
            tried += 1
            file = best + lengths[i] * s
        scores.append(sign * submit(file))
        gain = np.mean(level) - np.mean(scores)
        if noisy:
            squares = sum(((x - x.mean()) ** 2).sum() for x in within)
            sd = np.sqrt(squares / sum(len(x) - 1 for x in within))
            z = gain / (sd * np.sqrt(1 / len(scores) + 1 / len(level)))
            if 0.5 < z < 2.5 and len(scores) < 24:
                ends.append(best)
                continue
            gain = gain if z >= 2.5 else 0.0
        worth[i] = max(gain, 0) if worth[i] is None else 0.9 * worth[i] + 0.1 * max(gain, 0)
        if gain > 0:
            best, level = file, scores
            if noisy:
                within.append(np.array(scores))
        scores = []
        ends.append(best)
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
