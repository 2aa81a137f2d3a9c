"""Many small changes of one submission of labels, judged one after another: an exact shortcut.

An attacker who changes a few labels at a time and keeps what lowers the shown score submits tens of
thousands of times, and each time all but a few of the n losses are as before.  Under the 0/1 loss
the number of mistakes is all that a margin needs, and the numbers of labels that became right and
wrong are all that a paired test needs.  So a submission costs as much as it changes, and not n.
The decisions are those of `gates`, made by the same functions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shakedown.compiled import kernel
from shakedown.leaderboard.catalogue import Mechanism
from shakedown.leaderboard.gates import less, paired_margin, rounded
from shakedown.metrics import ZERO_ONE, Metric

ALWAYS, MARGIN, PAIRED = 0, 1, 2
_GATES = {"always": ALWAYS, "margin": MARGIN, "paired_t_test": PAIRED}


class Rules(NamedTuple):
    """A gate and a release in numbers.

    `gate` is one of ALWAYS, MARGIN, PAIRED; `margin` that of MARGIN; `critical` the value that
    PAIRED multiplies a standard error with; `gate_step` what the gate rounds the best to;
    `release_step` what the release rounds the score in force to (0: not at all).
    """

    gate: int
    margin: float
    critical: float
    gate_step: float
    release_step: float


class Climb(NamedTuple):
    """What came of a climb of m submissions.

    `shown`, shape (m,): released scores.  `kept`, `accepted`, bool, shape (m,): which changes stay,
    and which submissions replaced the best.  `ones`, int, shape (m,): labels 1 of each submission.
    """

    shown: np.ndarray
    kept: np.ndarray
    accepted: np.ndarray
    ones: np.ndarray


def rules_of(mechanism: Mechanism, metric: Metric, n: int) -> Rules | None:
    """The rules of a mechanism that the shortcut knows; None for others."""
    gate, release = mechanism.gate, mechanism.release
    known = gate.name in _GATES and release.name in ("exact", "rounded")
    if metric.loss != ZERO_ONE or not known:
        return None
    release_step = release.step_for(n)
    if gate.name == "always":
        return Rules(ALWAYS, 0.0, 0.0, 0.0, release_step)
    if gate.name == "margin":
        return Rules(MARGIN, gate.margin, 0.0, gate.step, release_step)
    return Rules(PAIRED, 0.0, gate.critical(n), 1.0 / n if gate.rounds_best else 0.0, release_step)


@kernel
def climb(labels, wrong, moves, lowest, best_risk, rules):
    """Submit `labels` with those of moves[t] changed, for t = 0, 1, ..., each on top of those kept.

    Parameters
    ----------
    labels : ndarray, shape (n,)
        Labels 0 and 1; changed in place to what the climb ends with.
    wrong : ndarray of bool, shape (n,)
        Where they differ from the response; changed in place too.
    moves : ndarray of int, shape (m, size)
        Positions, all different within a row; -1 for none.
    lowest : float
        A change is kept if it is shown a score below this and below all shown after it.
    best_risk : float
        Risk in force before.  A paired test takes `labels` to be the submission in force.
    rules : Rules

    Returns
    -------
    Climb
    """
    n = len(labels)
    m, size = moves.shape
    shown, ones = np.empty(m), np.empty(m, np.int64)
    kept, accepted = np.zeros(m, np.bool_), np.zeros(m, np.bool_)
    mistakes, count = 0, 0
    for i in range(n):
        mistakes += wrong[i]
        count += labels[i] == 1.0
    for t in range(m):
        better = worse = up = 0
        for k in range(size):
            i = moves[t, k]
            if i >= 0:
                better += wrong[i]
                worse += not wrong[i]
                up += 1 if labels[i] == 0.0 else -1
        changed = mistakes + worse - better
        risk = changed / n
        ones[t] = count + up
        margin = rules.margin
        if rules.gate == PAIRED:
            mean = risk - best_risk
            # Differences of losses are -1, 0 and 1.
            margin = paired_margin(rules.critical, better + worse - n * mean * mean, n)
        best = rounded(best_risk, rules.gate_step)
        accepted[t] = rules.gate == ALWAYS or less(risk, best - margin)
        if accepted[t]:
            best_risk = risk
        shown[t] = rounded(best_risk, rules.release_step)
        if shown[t] < lowest:
            lowest, mistakes, count, kept[t] = shown[t], changed, ones[t], True
            for k in range(size):
                i = moves[t, k]
                if i >= 0:
                    labels[i] = 1.0 - labels[i]
                    wrong[i] = not wrong[i]
    return Climb(shown, kept, accepted, ones)


def row_after(labels: np.ndarray, moves: np.ndarray, climbed: Climb, last: int) -> np.ndarray:
    """The submission `last` of a climb that ended with `labels`; shape (n,)."""
    row = labels.copy()
    later = moves[last + 1 :][climbed.kept[last + 1 :]]
    undone = later if climbed.kept[last] else [*later, moves[last]]
    for positions in undone:  # to change a label twice is to leave it
        positions = positions[positions >= 0]
        row[positions] = 1.0 - row[positions]
    return row
