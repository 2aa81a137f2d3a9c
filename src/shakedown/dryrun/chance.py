"""Overfit that a leaderboard causes, without what is chance.

Some models score better on the public rows than on the final ones although their author has seen no
score.  No leaderboard is to blame for that, and with few rows chance alone can exceed every
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
from shakedown.theory.threats import from_the_honest_file

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
        With the columns widening: how many times as wide as that of the quantile of delta the
        interval of its quantile beyond chance is, the same for all replicates; by_chance: what was
        subtracted from delta; and blind: delta on the leaderboard that shows nothing, or NaN.

    Notes
    -----
    What an attack of one size gets by chance is a number: the quantile q_0 of its Δ_0 on the
    leaderboard that shows nothing, or 0 if that is above 0.  The errors of this estimate and of the
    quantile q of Δ are alike if the densities at both are, and have the correlation ρ of the events
    Δ <= q and Δ_0 <= q_0 in the same replicates (Bahadur 1966).  So the difference has a standard
    error of √(2 - 2 ρ) times that of q: none if the scores have changed no choice, √2 times if they
    have changed every one.
    """
    shows_nothing = (outcomes["setting"] == BLIND).to_numpy(bool)
    scored = outcomes[~shows_nothing].reset_index(drop=True)
    unscored = outcomes[shows_nothing]
    delta = scored["delta"].to_numpy(float, copy=True)
    widening, by_chance = np.ones(len(scored)), np.zeros(len(scored))
    blind = np.full(len(scored), np.nan)
    built = scored["score_honest"].notna().to_numpy(bool)
    if len(unscored) and not built.all():
        own = scored.loc[~built, [*_CANDIDATE, "setting", "replicate"]].assign(delta=delta[~built])
        by_chance[~built], widening[~built], blind[~built] = _by_chance(own, unscored, quantile)
        delta -= by_chance
    if built.any():
        own = scored[built]
        metric = find(str(own["metric"].iloc[0]))
        delta[built] = from_the_honest_file(own, metric)
    return scored.assign(delta=delta, widening=widening, by_chance=by_chance, blind=blind)


def _by_chance(
    scored: pd.DataFrame, unscored: pd.DataFrame, quantile: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What each row gets by chance, its widening (0 and 1 if not played blindly), and Δ there."""
    blind = unscored[[*_CANDIDATE, "replicate"]].assign(blind=unscored["delta"].to_numpy(float))
    both = scored.merge(blind, how="left", on=[*_CANDIDATE, "replicate"])
    groups = both.groupby(["setting", *_CANDIDATE], observed=True)
    by_chance = groups["blind"].transform("quantile", quantile)
    below = pd.DataFrame(
        {
            "scored": both["delta"] <= groups["delta"].transform("quantile", quantile),
            "blind": both["blind"] <= by_chance,
        }
    ).astype(float)
    below["both"] = below["scored"] * below["blind"]
    key = groups.ngroup()
    p, p_0, joint = (below[c].groupby(key).transform("mean") for c in below)
    correlation = ((joint - p * p_0) / np.sqrt(p * (1 - p) * p_0 * (1 - p_0))).clip(-1.0, 1.0)
    same = (both["delta"] == both["blind"]).groupby(key).transform("all")
    widening = np.where(same, 0.0, np.sqrt(2 - 2 * correlation))
    known = by_chance.notna() & np.isfinite(widening)
    by_chance = np.where(known, by_chance.clip(upper=0.0), 0.0)
    return by_chance, np.where(known, widening, 1.0), both["blind"].where(known).to_numpy(float)
