"""Places in a trace: what can be read off one replicate's submissions.

Each function takes `Submissions` and gives a number, NaN for none; submissions are counted from 1.
"""

from __future__ import annotations

import numpy as np

from shakedown.attacks.jumps import last_of_known_number
from shakedown.claims.study import Submissions


def last_jump(submissions: Submissions) -> float:
    """Submission at which the released score last changed; the first one comes after none."""
    return _end(np.diff(submissions.released, prepend=np.inf) != 0)


def last_accepted(submissions: Submissions) -> float:
    """Submission that last replaced the best."""
    return _end(submissions.accepted == 1)


def found_jump(submissions: Submissions) -> float:
    """Submission of the last jump, by binary segmentation with the true number of jumps."""
    # The first submission on a board is accepted, but its score comes after no other.
    last = last_of_known_number(submissions.released, int(submissions.accepted[1:].sum()))
    return np.nan if last is None else last + 1.0


def first_pick(submissions: Submissions) -> float:
    """First submission whose feature the attack took."""
    return _end(submissions.selected == 1, at=0)


def last_pick(submissions: Submissions) -> float:
    """Last submission whose feature the attack took."""
    return _end(submissions.selected == 1)


def longest_run(submissions: Submissions) -> float:
    """Most submissions in a row whose features the attack took."""
    others = np.flatnonzero(np.concatenate([[0], submissions.selected, [0]]) != 1)
    return float(np.diff(others).max() - 1)


def jump_size(submissions: Submissions) -> float:
    """Mean size of the jumps in the released score."""
    jumps = np.abs(np.diff(submissions.released))
    return _mean(jumps[jumps > 0])


def noise(submissions: Submissions) -> float:
    """Mean size of the changes of the released score where the best so far stayed."""
    return _mean(np.abs(np.diff(submissions.released))[submissions.accepted[1:] == 0])


def _end(marked: np.ndarray, at: int = -1) -> float:
    places = np.flatnonzero(marked)
    return places[at] + 1.0 if len(places) else np.nan


def _mean(x: np.ndarray) -> float:
    return float(x.mean()) if len(x) else np.nan
