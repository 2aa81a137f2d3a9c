"""Judge many small changes of one submission of labels, fast and exactly.

An attacker who changes a few labels at a time, and keeps the changes that lower the released score,
submits tens of thousands of times, and each time only a few of the n losses change.  Under the 0/1
loss, a margin depends only on the number of mistakes, and a paired test only on the numbers of
labels that became right and wrong.  So the time of a submission is proportional to the number of
its changes, not to n.  The decisions use the functions of `gates` and are the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shakedown.compiled import kernel
from shakedown.leaderboard.defence import Defence
from shakedown.leaderboard.gates import ALWAYS, PAIRED, InNumbers, paired_margin
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.ties import less, rounded
from shakedown.metrics import ZERO_ONE, Metric


class Rules(NamedTuple):
    """The numbers that define a gate and a release, which rounds to `release_step`."""

    gate: InNumbers
    release_step: float


class Climb(NamedTuple):
    """The result of a climb of m submissions.

    `shown`, shape (m,): released scores.  `kept`, `accepted`, bool, shape (m,): whether the change
    was kept, and whether the submission replaced the best.  `ones`, int, shape (m,): its number of
    labels 1.
    """

    shown: np.ndarray
    kept: np.ndarray
    accepted: np.ndarray
    ones: np.ndarray


def rules_of(mechanism: Mechanism, metric: Metric, n: int) -> Rules | None:
    """The rules of a mechanism; None if `climb` does not support it."""
    in_numbers = getattr(mechanism.gate, "in_numbers", None)
    in_force_only = getattr(mechanism.release, "in_force_only", False)
    acts = ("limit", "refuse", "rescore")
    limited = any(
        getattr(type(rule), act) is not getattr(Defence, act)
        for rule in mechanism.rules
        for act in acts
    )
    if metric.loss != ZERO_ONE or in_numbers is None or not in_force_only or limited:
        return None
    return Rules(in_numbers(n), mechanism.release.step_for(n))


@kernel
def climb(labels, wrong, moves, lowest, best_risk, rules):
    """Submit `labels` with the labels at moves[t] changed, for t = 0, 1, ..., m - 1.

    Changes that are kept stay in the later submissions.

    Parameters
    ----------
    labels : ndarray, shape (n,)
        Labels 0 and 1; changed in place to the labels at the end of the climb.
    wrong : ndarray of bool, shape (n,)
        Whether each label differs from the response; changed in place too.
    moves : ndarray of int, shape (m, size)
        Positions, all different within a row; -1 for none.
    lowest : float
        A change is kept if its score is below this and below all scores released so far.
    best_risk : float
        Risk in force before.  A paired test assumes that `labels` is the submission in force.
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
        margin = rules.gate.margin
        if rules.gate.kind == PAIRED:
            mean = risk - best_risk
            # Differences of losses are -1, 0 and 1.
            margin = paired_margin(rules.gate.critical, better + worse - n * mean * mean, n)
        best = rounded(best_risk, rules.gate.step)
        accepted[t] = rules.gate.kind == ALWAYS or less(risk, best - margin)
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
    """Submission `last` of a climb that ended with `labels`; shape (n,)."""
    row = labels.copy()
    later = moves[last + 1 :][climbed.kept[last + 1 :]]
    undone = later if climbed.kept[last] else [*later, moves[last]]
    for positions in undone:  # a second change restores a label
        positions = positions[positions >= 0]
        row[positions] = 1.0 - row[positions]
    return row
