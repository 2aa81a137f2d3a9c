"""Boards that show little, which a dry run offers beside the usual ones."""

from __future__ import annotations

import numpy as np

from shakedown.data.scaling import standardised
from shakedown.dryrun.published import CLASSED
from shakedown.interface import Challenge
from shakedown.metrics import Metric
from shakedown.theory.metric_bounds import gain_bound
from shakedown.theory.proved import digests_within, ladder_step_within


def coarse_boards(
    metric: Metric,
    threshold: float,
    n_public: int,
    submissions: int,
    accounts: int = 1,
    start: float | None = None,
    row_variance: float = 1.0,
    quantile: float | None = None,
    constant: float | None = None,
) -> list[dict]:
    """Boards that show little: those that are proved to keep the overfit within the tolerated.

    Two digests if nothing is proved of the metric, or of a correlation with so many rows.

    Parameters
    ----------
    metric, threshold, n_public
        As in `default_mechanisms`.
    submissions : int
        Number of submissions that each account shall have.
    accounts : int
        Accounts that may work together.
    start, row_variance : float, optional
        As in `theory.proved.proved_submissions`.
    quantile : float, optional
        The share of attackers that may overfit more; None for a proof on average alone.
    constant : float, optional
        As `constant_score` returns it.

    Returns
    -------
    list of dict
        Entries of a configuration: digests, and a General Ladder with a baseline start.
    """
    if not metric.scores_constants:
        return []  # a digest begins with a constant prediction
    given = n_public, threshold, submissions
    shared = {"metric": metric, "accounts": accounts, "quantile": quantile}
    shared |= {"start": start, "row_variance": row_variance}
    boards = [{"name": "digest", **digest} for digest in digests_within(*given, **shared)]
    if (eta := ladder_step_within(*given, **shared)) is not None:
        boards.append({"name": "general_ladder", "eta": eta, "defences": [{"name": "baseline"}]})
    is_bounded = gain_bound(metric, row_variance) is not None
    if boards or (is_bounded and not metric.larger_is_better):
        return boards
    # About half of what there is to gain.
    eta, floor = -2.0 * threshold, 0.5 if metric.larger_is_better else 0.4
    if constant is not None:
        floor = 0.5 * (constant + (1.0 if metric.larger_is_better else 0.0))
        eta = min(eta, abs(floor - constant))
    return [
        {
            "name": "digest",
            "eta": eta,
            "floor": floor,
            "updates": updates,
            "every": max(1, submissions // updates),
        }
        for updates in (5, 10)
    ]


def constant_score(challenge: Challenge, metric: Metric) -> float | None:
    """The score of the mean of the response, where a digest of a metric of classes begins.

    The same of equal risks, for censored times.  None for metrics of numbers: 0 for a correlation,
    and about 1 for a loss.
    """
    if challenge.censored:
        return float(metric.score(challenge.y, np.zeros((1, len(challenge.y))))[0])
    if metric.response not in CLASSED or metric.formula is not None or challenge.cells is not None:
        return None
    y = standardised(challenge.y[None])[0]
    score = float(metric.score(y, np.zeros((1, len(y))))[0])
    return score if np.isfinite(score) else 0.0
