"""Overfit that a leaderboard causes, without the luck that every model has.

Some models score better on the public rows than on the final ones although their author has seen no
score.  No leaderboard is to blame for that, and with few rows this luck alone can exceed every
tolerated Δ.  So a dry run counts

- of a modeller, Δ less the Δ of the same attack on a leaderboard that shows nothing, with the same
  rows and the same random numbers.  It is 0 as long as the leaderboard has told nothing;
- of an attack that builds on an honest file, the Δ between the public scores of the file that it
  ends with and of the honest one.
"""

from __future__ import annotations

import pandas as pd

from shakedown.leaderboard.mechanisms.constant_board import ConstantBoard
from shakedown.metrics import find

#: The leaderboard that shows nothing.
BLIND = ConstantBoard().setting

_SAME = ["dataset", "metric", "experiment", "n_features", "point", "replicate"]


def beyond_chance(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Outcomes with Δ beyond chance, without those on the leaderboard that shows nothing.

    Parameters
    ----------
    outcomes : DataFrame
        Columns as `outcomes.COLUMNS`.  The delta of an attack that was not played on the
        leaderboard that shows nothing is left as it is.
    """
    is_blind = (outcomes["setting"] == BLIND).to_numpy(bool)
    found, blind = outcomes[~is_blind].reset_index(drop=True), outcomes[is_blind]
    delta = found["delta"].to_numpy(float, copy=True)
    built = found["score_honest"].notna().to_numpy(bool)
    if len(blind):
        luck = blind[[*_SAME, "delta"]].rename(columns={"delta": "luck"})
        own = found[_SAME].merge(luck, how="left", on=_SAME)["luck"].fillna(0.0).to_numpy(float)
        delta[~built] -= own[~built]
    if built.any():
        own = found[built]
        metric = find(str(own["metric"].iloc[0]))
        delta[built] = metric.delta(own["score_public"], own["score_honest"])
    return found.assign(delta=delta)
