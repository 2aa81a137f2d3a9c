"""Boards that show little, which a dry run offers beside the usual ones."""

from __future__ import annotations

import numpy as np

from shakedown.data.censored import risk_score
from shakedown.data.scaling import standardised
from shakedown.data.several import standardised_by
from shakedown.data.weights import on_table
from shakedown.interface import Challenge
from shakedown.metrics import Metric
from shakedown.metrics.classes import CLASSED
from shakedown.theory.metric_bounds import gain_bound, is_squared_of_labels
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
    span: tuple[float, float] | None = None,
) -> list[dict]:
    """Boards that show little, and are proved to keep the overfit within the tolerated one.

    If nothing is proved of the metric, or with so many rows of a correlation or the Brier score:
    two digests.

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
    span : tuple of float, optional
        As `span_of` returns it.

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
    if is_squared_of_labels(metric):  # the bound needs hundreds of rows
        is_bounded = False
    if boards or (is_bounded and not metric.larger_is_better):
        return boards
    # About half of what there is to gain.
    eta, floor = -2.0 * threshold, 0.5 if metric.larger_is_better else 0.4
    if span is not None:
        constant, perfect = span
        floor = 0.5 * (constant + perfect)
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


def span_of(challenge: Challenge, metric: Metric) -> tuple[float, float] | None:
    """The scores of a constant prediction, where a digest begins, and of a perfect one.

    None for metrics of numbers: from 0 to 1 for a correlation, and from about 1 to 0 for a loss.
    """
    y, cells = challenge.y, challenge.cells
    if challenge.censored:
        perfect = risk_score(y)
    elif metric.response in CLASSED and metric.formula is None:
        y = standardised(y[None])[0] if cells is None else standardised_by(y, cells.responses)
        perfect = y
    else:
        return None
    files = np.array([np.zeros(len(y)), perfect])
    constant, best = map(float, on_table(metric, challenge).score(y, files))
    return (constant, best) if np.isfinite([constant, best]).all() else None
