"""The tables of a dry run that tell how many submissions are safe, from what was played."""

from __future__ import annotations

import pandas as pd

from shakedown.data.splits import set_sizes
from shakedown.dryrun.assumptions import why_unproved
from shakedown.dryrun.bootstrap import upper_ends
from shakedown.dryrun.frontier import frontier
from shakedown.dryrun.limits import safe_submissions
from shakedown.dryrun.noise import findings_for, noise_factor
from shakedown.dryrun.plan import baseline_score, in_own_unit
from shakedown.dryrun.proof import at_least_proved, with_proofs
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.thresholds import tolerated, unit
from shakedown.dryrun.unattacked import (
    attacked_only,
    is_deaf,
    is_idle,
    unattacked,
    with_unattacked,
)
from shakedown.interface import Challenge
from shakedown.leaderboard.settings import with_parameters
from shakedown.metrics import find


def estimate(
    challenge: Challenge, played: pd.DataFrame, settings: DryRunEntry, *, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Estimate how many submissions are safe, and how an attacker would spend them best.

    Parameters
    ----------
    challenge : Challenge
    played : DataFrame
        The outcomes of all jobs, see `playing.play_share`.
    settings : DryRunEntry
        Uses metric, thresholds, quantile, submissions, accounts, row_variance and
        group_correlation.
    seed : int
        The study's.

    Returns
    -------
    limits, frontier : DataFrame
        As `limits.safe_submissions` and `frontier.frontier` return them, with proofs and boards
        that are not attacked, in the metric's own unit and with the parameters of the settings.
    """
    metric = find(settings.metric)
    how = {
        "quantile": settings.quantile,
        "unit": unit(challenge, metric),
        "also": [settings.submissions],
        "accounts": settings.accounts,
    }
    n_public, thresholds = set_sizes(challenge)["public"], tolerated(challenge, settings)
    found = findings_for(challenge, settings)
    idle, deaf = is_idle(played, n_public), is_deaf(played, n_public)
    missing, played = unattacked(played, idle, deaf), played[~(idle | deaf)]
    curve = attacked_only(frontier(played, **how), missing)
    upper = upper_ends(played, thresholds, **how, seed=seed)
    limits = safe_submissions(curve, thresholds, upper)
    limits = with_proofs(
        with_unattacked(limits, missing, thresholds, settings.quantile, n_public),
        n_public=n_public,
        unit=unit(challenge, metric),
        accounts=settings.accounts,
        quantile=settings.quantile,
        start=baseline_score(challenge, metric),
        row_variance=noise_factor(challenge, settings),
        why_unproved=why_unproved(found),
    )
    if len(curve):
        limits = at_least_proved(limits, int(curve["submissions"].max()))
    limits, curve = (
        with_parameters(in_own_unit(table, challenge, metric)) for table in (limits, curve)
    )
    return limits, curve
