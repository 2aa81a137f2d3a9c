"""The attacks that need nothing but scores in plain Python, from their descriptions.

`submit` takes a file and returns the score shown.  Each returns the file it would end with after
every submission.
"""

from __future__ import annotations

import numpy as np


def random_search(signs, submit, honest, *, larger, digest=None, start=None):
    """Random steps of six lengths, kept if better; each sixth file takes a length in turn."""
    lengths = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32]
    worth, tried = [None] * 6, 0
    best, shown, ends = honest, start if digest and not np.any(honest) else None, []
    for t, s in enumerate(signs):
        if digest and ((t + 1) % digest[0] or t + 1 > digest[0] * digest[1]):
            submit(np.zeros(len(s)))
        elif shown is None:
            shown = submit(best)
        else:
            untried = [i for i in range(6) if worth[i] is None]
            if tried % 6 == 5:
                i = tried // 6 % 6
            elif untried:
                i = untried[0]
            else:
                i = max(range(6), key=lambda j: (worth[j], -j))
            tried += 1
            new = submit(best + lengths[i] * s)
            gain = new - shown if larger else shown - new
            worth[i] = max(gain, 0) if worth[i] is None else 0.9 * worth[i] + 0.1 * max(gain, 0)
            if gain > 0:
                best, shown = best + lengths[i] * s, new
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
