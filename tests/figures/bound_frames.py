"""Bounds beside made-up outcomes of attacks on labels, as `theory.bounds.compare` has them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from shakedown.theory.bounds import compare
from tests.figures.label_frames import FREE, FULL, GENERAL, SIMPLE, outcomes

ROWS = {"binary": 4000}
POINTS = (1, 10, 100, 1000)


def compared(mechanisms=(FULL, GENERAL, SIMPLE, FREE), **settings) -> pd.DataFrame:
    """A comparison of one experiment; settings as `label_frames.outcomes` takes them."""
    frame = outcomes(mechanisms, points=POINTS, **settings)
    error = np.abs(0.5 - frame["score_released"].astype(float))
    return compare(frame.assign(leaderboard_error=error), ROWS, delta=0.1)
