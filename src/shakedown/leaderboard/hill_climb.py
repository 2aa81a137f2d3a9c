"""Many small changes of one submission of labels, judged one after another: an exact shortcut.

An attacker who changes a few labels at a time, and keeps what lowers the shown score, submits tens
of thousands of times; each time all but a few of the n losses stay the same.  Under the 0/1 loss a
margin needs only the number of mistakes, and a paired test only the numbers of labels that became
right and wrong.  So the cost of a submission is the number of its changes, not n.  The decisions
are those of `gates`, made by the same functions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shakedown.compiled import kernel
from shakedown.leaderboard.gates import ALWAYS, PAIRED, InNumbers, less, paired_margin, rounded
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.metrics import ZERO_ONE, Metric


class Rules(NamedTuple):
    """A gate and a release in numbers; the score in force is rounded to `release_step`."""

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
    """The rules of a mechanism, if the shortcut covers it; None otherwise."""
    in_numbers = getattr(mechanism.gate, "in_numbers", None)
    in_force_only = getattr(mechanism.release, "in_force_only", False)
    if metric.loss != ZERO_ONE or in_numbers is None or not in_force_only:
        return None
    return Rules(in_numbers(n), mechanism.release.step_for(n))


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
        A change is kept if its score is below this and below all scores shown so far.
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
    """The submission `last` of a climb that ended with `labels`; shape (n,)."""
    row = labels.copy()
    later = moves[last + 1 :][climbed.kept[last + 1 :]]
    undone = later if climbed.kept[last] else [*later, moves[last]]
    for positions in undone:  # changing a label twice leaves it as it was
        positions = positions[positions >= 0]
        row[positions] = 1.0 - row[positions]
    return row
