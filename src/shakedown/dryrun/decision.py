"""The recommendation of a dry run, from its tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from shakedown.data.several import grouping_column
from shakedown.data.splits import set_sizes
from shakedown.dryrun.noise import findings_for, noise_factor
from shakedown.dryrun.recommendation import recommend
from shakedown.dryrun.resolution import standard_error
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.thresholds import tolerated, unit
from shakedown.interface import Challenge
from shakedown.metrics import find


def decide(
    challenge: Challenge,
    settings: DryRunEntry,
    *,
    limits: pd.DataFrame,
    frontier: pd.DataFrame,
    utility: pd.DataFrame,
    final_rows: pd.DataFrame | None = None,
) -> dict[str, Any]:
    """Recommend a leaderboard and a number of submissions.

    Parameters
    ----------
    challenge : Challenge
    settings : DryRunEntry
    limits, frontier, utility : DataFrame
        As `estimation.estimate` and `usefulness.serving.serve` make them, after a file.
    final_rows : DataFrame, optional
        As `final_rows.of_dryrun.final_rows` makes it, after a file.

    Returns
    -------
    dict
        As `recommendation.recommend` returns it.
    """
    metric = find(settings.metric)
    return recommend(
        limits,
        utility,
        settings=settings,
        threshold=tolerated(challenge, settings)[0],
        unit=unit(challenge, metric),
        n_public=set_sizes(challenge)["public"],
        frontier=frontier,
        leaks=challenge.leaks,
        n_features=len(challenge.features),
        found=findings_for(challenge, settings),
        noise_factor=noise_factor(challenge, settings),
        group=grouping_column(challenge),
        responses=1 if challenge.cells is None else len(challenge.cells.names),
        standard_error=standard_error(challenge, metric),
        final_rows=final_rows,
    )


def written(recommendation: Mapping[str, Any]) -> str:
    """The text of ``recommendation.json``."""
    return f"{json.dumps(recommendation, indent=2, ensure_ascii=False, allow_nan=False)}\n"


def printed(recommendation: Mapping[str, Any]) -> str:
    """The answer as a terminal shows it: the recommendation, and who wins."""
    who = recommendation["who_wins"]
    lines = [who[key] for key in ("wins", "difference", "split", "why")]
    return "\n".join([recommendation["sentence"], *filter(None, lines)])
