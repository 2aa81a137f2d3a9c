"""Places in a trace: what can be read off one replicate's submissions.

Each function takes `Submissions` and gives a number; submissions are counted from 1.
"""

from __future__ import annotations

import numpy as np

from shakedown.attacks.jumps import last_of_told
from shakedown.claims.study import Submissions


def last_jump(one: Submissions) -> float:
    """Submission at which the released score last changed; the first one comes after none."""
    return _last(np.diff(one.released, prepend=np.inf) != 0)


def last_accepted(one: Submissions) -> float:
    """Submission that last replaced the best; NaN if none did."""
    return _last(one.accepted == 1)


def found_jump(one: Submissions) -> float:
    """Submission of the last jump, by binary segmentation with the true number of jumps."""
    # The first submission on a board is accepted, but its score comes after no other.
    found = last_of_told(one.released, int(one.accepted[1:].sum()))
    return np.nan if found is None else found + 1.0


def first_pick(one: Submissions) -> float:
    """First submission whose feature the attack took; NaN if it took none."""
    taken = np.flatnonzero(one.selected == 1)
    return taken[0] + 1.0 if len(taken) else np.nan


def last_pick(one: Submissions) -> float:
    """Last submission whose feature the attack took; NaN if it took none."""
    return _last(one.selected == 1)


def longest_run(one: Submissions) -> float:
    """Most submissions in a row whose features the attack took."""
    edges = np.diff(np.concatenate([[0], one.selected == 1, [0]]).astype(int))
    return float((np.flatnonzero(edges < 0) - np.flatnonzero(edges > 0)).max(initial=0))


def jump_size(one: Submissions) -> float:
    """Mean size of the jumps in the released score; NaN for none."""
    jumps = np.abs(np.diff(one.released))
    return float(jumps[jumps > 0].mean()) if (jumps > 0).any() else np.nan


def noise(one: Submissions) -> float:
    """Mean size of the changes of the released score where the best so far stayed; NaN for none."""
    changes = np.abs(np.diff(one.released))[one.accepted[1:] == 0]
    return float(changes.mean()) if len(changes) else np.nan


def _last(marked: np.ndarray) -> float:
    places = np.flatnonzero(marked)
    return places[-1] + 1.0 if len(places) else np.nan
