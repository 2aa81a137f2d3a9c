"""Overfit that a leaderboard causes, without the luck that every model has.

Some models score better on the public rows than on the final ones although their author has seen no
score.  No leaderboard is to blame for that, and with few rows this luck alone can exceed every
tolerated Δ.  So a dry run counts

- of a modeller, the quantile of Δ less that of the same attack on a leaderboard that shows nothing:
  how much further, say, 1 attacker in 4 gets because of the scores;
- of an attack that builds on an honest file, the Δ between the public scores of the file that it
  ends with and of the honest one.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from shakedown.leaderboard.mechanisms.constant_board import ConstantBoard
from shakedown.metrics import find

#: The leaderboard that shows nothing.
BLIND = ConstantBoard().setting

_CANDIDATE = ["dataset", "metric", "experiment", "n_features", "point"]


def beyond_chance(outcomes: pd.DataFrame, quantile: float) -> pd.DataFrame:
    """Outcomes with Δ beyond chance, without those on the leaderboard that shows nothing.

    Parameters
    ----------
    outcomes : DataFrame
        Columns as `outcomes.COLUMNS`.  The delta of an attack that was not played on the
        leaderboard that shows nothing is left as it is.
    quantile : float
        The quantile of Δ that counts.

    Returns
    -------
    DataFrame
        With the column `widening`: how many times as wide as that of the quantile of delta the
        interval of its quantile beyond chance is; the same for all replicates.  Column luck: what
        was subtracted from delta; column untold: delta on the leaderboard that shows nothing, or
        NaN.

    Notes
    -----
    The luck of an attack of one size is a number: the quantile q_0 of its Δ_0 on the leaderboard
    that shows nothing, or 0 if that is above 0.  The errors of this estimate and of the quantile q
    of Δ are alike if the densities at both are, and have the correlation ρ of the events Δ <= q and
    Δ_0 <= q_0 in the same replicates (Bahadur 1966).  So the difference has a standard error of
    √(2 - 2 ρ) times that of q: none if the leaderboard has told nothing, √2 times if the scores
    have changed every choice.
    """
    is_blind = (outcomes["setting"] == BLIND).to_numpy(bool)
    found, blind = outcomes[~is_blind].reset_index(drop=True), outcomes[is_blind]
    delta = found["delta"].to_numpy(float, copy=True)
    widening, luck, untold = np.ones(len(found)), np.zeros(len(found)), np.full(len(found), np.nan)
    built = found["score_honest"].notna().to_numpy(bool)
    if len(blind) and not built.all():
        own = found.loc[~built, [*_CANDIDATE, "setting", "replicate"]].assign(delta=delta[~built])
        luck[~built], widening[~built], untold[~built] = _luck(own, blind, quantile)
        delta -= luck
    if built.any():
        own = found[built]
        metric = find(str(own["metric"].iloc[0]))
        delta[built] = metric.delta(own["score_public"], own["score_honest"])
    return found.assign(delta=delta, widening=widening, luck=luck, untold=untold)


def _luck(
    found: pd.DataFrame, blind: pd.DataFrame, quantile: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Luck and widening of each row, 0 and 1 if not played on the blind board, and Δ there."""
    untold = blind[[*_CANDIDATE, "replicate"]].assign(untold=blind["delta"].to_numpy(float))
    both = found.merge(untold, how="left", on=[*_CANDIDATE, "replicate"])
    groups = both.groupby(["setting", *_CANDIDATE], observed=True)
    luck = groups["untold"].transform("quantile", quantile)
    below = pd.DataFrame(
        {
            "told": both["delta"] <= groups["delta"].transform("quantile", quantile),
            "untold": both["untold"] <= luck,
        }
    ).astype(float)
    below["both"] = below["told"] * below["untold"]
    key = groups.ngroup()
    told, untold, joint = (below[c].groupby(key).transform("mean") for c in below)
    scale = np.sqrt(told * (1 - told) * untold * (1 - untold))
    correlation = ((joint - told * untold) / scale).clip(-1.0, 1.0)
    same = (both["delta"] == both["untold"]).groupby(key).transform("all")
    widening = np.where(same, 0.0, np.sqrt(2 - 2 * correlation))
    known = luck.notna() & np.isfinite(widening)
    luck = np.where(known, luck.clip(upper=0.0), 0.0)
    return luck, np.where(known, widening, 1.0), both["untold"].where(known).to_numpy(float)
