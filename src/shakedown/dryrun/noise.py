"""How unequal and how alike the noise of the rows may be, by what a dry run is told."""

from __future__ import annotations

from typing import Any

import numpy as np

from shakedown.data.grouped import largest_group, rows_in_one
from shakedown.data.several import cells_in_one
from shakedown.dryrun.assumptions import findings
from shakedown.dryrun.settings import DryRunEntry
from shakedown.interface import Challenge, InputError
from shakedown.metrics import find
from shakedown.theory.metric_bounds import is_squared_of_labels


def noise_factor(challenge: Challenge, settings: DryRunEntry) -> float:
    """c, so that the noise varies in no direction with more than c times the average variance.

    Rows of a group may have equal noise, so it is the size of the largest group, times the largest
    variance of a row.  With a stated correlation r within groups of m rows it is 1 + (m - 1) r, the
    largest eigenvalue of their correlations.  Of several responses the largest eigenvalue of theirs
    counts, too (docs/proofs/assumptions.md, "Stated groups" and "Several responses").

    For the Brier score it is the variance proxy of the labels' noise over their variance: a quarter
    of their squared distance.  With groups or several responses nothing is proved: it is the number
    of rows, as if all of them were alike.
    """
    if is_squared_of_labels(find(settings.metric)):
        if largest_group(challenge) > 1 or challenge.cells is not None:
            return float(len(challenge.y))
        proxy = 0.25 * np.ptp(challenge.y) ** 2 / np.var(challenge.y, ddof=1)
        return max(float(proxy), 1.0)
    of_rows = rows_in_one(largest_group(challenge), settings.group_correlation)
    return settings.row_variance * of_rows * cells_in_one(challenge)


def check_correlation(challenge: Challenge, settings: DryRunEntry) -> None:
    """Check that a stated correlation within groups has groups to hold for.

    Raises
    ------
    InputError
        If no rows belong together.
    """
    if settings.group_correlation != 1.0 and largest_group(challenge) == 1:
        raise InputError(
            f"group_correlation is {settings.group_correlation:g}, and no rows of data set "
            f"'{challenge.name}' belong together. Name the column of groups as 'group' (shakedown "
            "dryrun: --group), or leave out group_correlation."
        )


def findings_for(challenge: Challenge, settings: DryRunEntry) -> list[dict[str, Any]]:
    """Assumptions that visibly fail, as `assumptions.findings` returns them."""
    return findings(
        challenge,
        metric=settings.metric,
        row_variance=settings.row_variance,
        alike=settings.group_correlation,
    )
