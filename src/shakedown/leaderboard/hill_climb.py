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
from shakedown.leaderboard.gates import ALWAYS, PAIRED, InNumbers, paired_margin
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.state import BoardState
from shakedown.leaderboard.ties import less, rounded
from shakedown.metrics import ZERO_ONE, Metric


class Numbers(NamedTuple):
    """The numbers that define a gate and a release, which rounds to `release_step`."""

    gate: InNumbers
    release_step: float


class Climbed(NamedTuple):
    """The result of a climb of m submissions.

    `shown`, shape (m,): released scores.  `kept`, `accepted`, bool, shape (m,): whether the change
    was kept, and whether the submission replaced the best.  `ones`, int, shape (m,): its number of
    labels 1.
    """

    shown: np.ndarray
    kept: np.ndarray
    accepted: np.ndarray
    ones: np.ndarray


def numbers_of(mechanism: Mechanism, metric: Metric, n: int) -> Numbers | None:
    """The numbers of a mechanism; None if `climb` does not support it."""
    release, judged = mechanism.release, any(defence.judges for defence in mechanism.every_defence)
    gate = mechanism.gate.in_numbers(n)
    if metric.loss != ZERO_ONE or gate is None or not release.in_force_only or judged:
        return None
    return Numbers(gate, release.step_for(n))


def is_in_step(numbers: Numbers, state: BoardState, wrong: np.ndarray, lowest: float) -> bool:
    """Whether `climb` decides like the board.

    `climb` compares with the current labels, of which `wrong` is as there.  For a paired test they
    must be the submission in force, and an accepted change must be kept: it is, if it lowers the
    shown score.
    """
    if numbers.gate.kind != PAIRED:
        return True
    lowers = numbers.gate.critical >= 0.0 and numbers.release_step == 1.0 / len(wrong)
    return lowers and state.shown == lowest and np.array_equal(state.row, wrong)


@kernel
def climb(labels, wrong, moves, lowest, best_risk, numbers):
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
    numbers : Numbers

    Returns
    -------
    Climbed
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
        margin = numbers.gate.margin
        if numbers.gate.kind == PAIRED:
            mean = risk - best_risk
            # Differences of losses are -1, 0 and 1.
            margin = paired_margin(numbers.gate.critical, better + worse - n * mean * mean, n)
        best = rounded(best_risk, numbers.gate.step)
        accepted[t] = numbers.gate.kind == ALWAYS or less(risk, best - margin)
        if accepted[t]:
            best_risk = risk
        shown[t] = rounded(best_risk, numbers.release_step)
        if shown[t] < lowest:
            lowest, mistakes, count, kept[t] = shown[t], changed, ones[t], True
            for k in range(size):
                i = moves[t, k]
                if i >= 0:
                    labels[i] = 1.0 - labels[i]
                    wrong[i] = not wrong[i]
    return Climbed(shown, kept, accepted, ones)


def row_after(labels: np.ndarray, moves: np.ndarray, climbed: Climbed, last: int) -> np.ndarray:
    """Submission `last` of a climb that ended with `labels`; shape (n,)."""
    row = labels.copy()
    later = moves[last + 1 :][climbed.kept[last + 1 :]]
    undone = later if climbed.kept[last] else [*later, moves[last]]
    for positions in undone:  # a second change restores a label
        positions = positions[positions >= 0]
        row[positions] = 1.0 - row[positions]
    return row
