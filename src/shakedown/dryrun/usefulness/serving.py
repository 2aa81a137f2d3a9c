"""How well the boards of a dry run serve honest participants: the tables that readers see."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from shakedown.dryrun.plan import entries, in_own_unit
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.thresholds import thresholds, unit
from shakedown.dryrun.usefulness.measure import measure
from shakedown.dryrun.usefulness.teams import Participation
from shakedown.interface import Challenge
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.leaderboard.settings import with_parameters
from shakedown.metrics import find


def parts(settings: DryRunEntry) -> int:
    """How often `serve` calls its `progress`."""
    return 2 * settings.honest_replicates


def serve(
    challenge: Challenge,
    settings: DryRunEntry,
    *,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure how well each board of a dry run serves honest participants.

    Parameters
    ----------
    challenge : Challenge
    settings : DryRunEntry
        Uses metric, mechanisms, thresholds, submissions, accounts, row_variance,
        group_correlation and honest_replicates.
    seed : int
        The study's.
    progress : callable
        Called with 1, 2, ..., `parts`.

    Returns
    -------
    utility, acceptance : DataFrame
        As `measure.measure` returns them, in the metric's own unit and with the parameters of the
        settings.
    """
    metric = find(settings.metric)
    utility, acceptance = measure(
        challenge,
        metric,
        mechanisms(entries(challenge, settings)),
        Participation(settings.submissions, threshold=thresholds(challenge, settings)[0]),
        replicates=settings.honest_replicates,
        seed=seed,
        unit=unit(challenge, metric),
        progress=progress,
    )
    utility, acceptance = (
        with_parameters(in_own_unit(table, challenge, metric)) for table in (utility, acceptance)
    )
    return utility, acceptance
