"""Weights of rows: their column, and a metric on the cells, groups and weights of a set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shakedown.data.censored import check_metric
from shakedown.data.checks import SETS
from shakedown.data.draft import Draft
from shakedown.data.grouped import from_zero
from shakedown.data.several import part_of
from shakedown.interface import Challenge, InputError, ParticipantData
from shakedown.metrics import Metric
from shakedown.metrics.composite_names import WEIGHTED
from shakedown.metrics.row_terms import MeanOverRows
from shakedown.wording import counted


def check_weights(draft: Draft, column: str | None) -> None:
    """Check the weights of a table's rows, if it has a column of them, and note what they are.

    Raises
    ------
    InputError
        If one is missing, infinite or below 0, or all are 0.
    """
    if draft.weights is None:
        return
    wrong = np.flatnonzero(~np.isfinite(draft.weights) | (draft.weights < 0.0))
    if len(wrong):
        first = draft.weights[wrong[0]]
        got = "no value" if np.isnan(first) else f"{first:g}"
        raise draft.source.error(
            f"column '{column}' is set as 'weight', and {counted(len(wrong), 'row')} "
            f"{'has' if len(wrong) == 1 else 'have'} none there that can be used, first row "
            f"'{draft.rows[wrong[0]]}' with {got}. Wanted a finite number of 0 or more for each "
            "row: correct the cells, or remove the rows."
        )
    if not draft.weights.any():
        raise draft.source.error(
            f"column '{column}' is set as 'weight', and is 0 in every row. Wanted some above 0."
        )
    low, high = draft.weights.min(), draft.weights.max()
    draft.notes.append(f"By '{column}', rows have weights of {low:g} to {high:g}.")


def weights_of(challenge: Challenge, sets: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
    """The weights of the rows of each set, shape (n_set,); None without weights.

    Raises
    ------
    InputError
        If they are all 0 in a set.
    """
    if challenge.weights is None:
        return None
    for name, rows in zip(SETS, sets, strict=True):
        if not challenge.weights[rows].any():
            raise InputError(
                f"data set '{challenge.name}', {name} set: all weights of its rows are 0, so it "
                "has no score. Give more rows with a weight, or another split."
            )
    return tuple(challenge.weights[rows] for rows in sets)


def on_rows(
    metric: Metric, view: ParticipantData, k: int, rows: np.ndarray | None = None
) -> Metric:
    """A metric on the k-th set, or on some of its rows, by index."""
    cells, groups, weights = (
        None if of is None else of[k] for of in (view.cells, view.groups, view.weights)
    )
    if rows is not None:
        cells = None if cells is None else part_of(cells, rows)
        groups = None if groups is None else from_zero(groups[rows])
        if weights is not None:  # rows that all have the weight 0 count the same
            weights = weights[rows] if weights[rows].any() else np.ones(len(rows))
    return metric.on(cells, groups, weights)


def _weigh_nothing(metric: Metric, weights: np.ndarray | None) -> bool:
    """Whether a score is the same for all weights above 0, although they differ."""
    if weights is None or len(np.unique(weights[weights > 0.0])) < 2:
        return False
    return isinstance(metric, MeanOverRows)


def on_table(metric: Metric, challenge: Challenge) -> Metric:
    """The metric of a dry run on all rows of its table, also on a sample that repeats each row.

    Raises
    ------
    InputError
        If it needs other responses, groups, weights or events, or does not use the weights, or if
        they change nothing.
    """
    check_metric(metric, challenge)
    if challenge.weights is not None and not metric.is_weighted:
        raise InputError(
            f"metric '{metric.name}' does not use the weights of the rows of '{challenge.name}'. "
            f"Write the metric as '{WEIGHTED}{metric.name}', or name no column as 'weight'."
        )
    if _weigh_nothing(metric, challenge.weights):
        raise InputError(
            f"metric '{metric.name}': the weights of the rows of '{challenge.name}' change "
            "nothing, because all cells of a row have its weight, and a score by row is a mean of "
            "rows without weights. Name another metric, or no column as 'weight'."
        )
    codes = None if challenge.group is None else challenge.group.codes
    if codes is not None and not metric.scores_alone and np.bincount(codes).max() == 1:
        raise InputError(
            f"metric '{metric.name}': each group of '{challenge.group.name}' has one row, so none "
            "has a score. Name another column as 'group', or another metric."
        )
    # Formulas need groups on boards alone, and take no sample that repeats them.
    groups = None if metric.function is None else codes
    return metric.on(challenge.cells, groups, challenge.weights)
