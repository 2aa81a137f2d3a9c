"""A meter where cells are alike: several responses of a row, or rows of a group.

A meter takes its n cells for independent, of one variance.  If their noise varies in no direction
with more than c times that, files gain c² times the `gain` on average at most
(docs/proofs/metered.md); nothing is proved of a share of the attackers, nor of correlations.
"""

from __future__ import annotations

import numpy as np

from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.responses import FEWEST_VALUES
from shakedown.live.contents import check_precision
from shakedown.live.truth import Truth
from shakedown.metrics import Metric
from shakedown.wording import amount

#: The metric of which something is proved, and the least budget, as in a dry run.
_METRIC, _LEAST_DEGREES = "mse", 1.0


def check_alike(mechanism: Mechanism, metric: Metric, truth: Truth) -> None:
    """Check that a metered board can run where cells are alike.

    Raises
    ------
    InputError
        If nothing is proved of it, it could answer nothing, or files of a response could tell of
        many rows, or would be rounded too much.
    """
    if not truth.is_alike:
        return
    public, setting, alike = truth.part(True), mechanism.setting, _alike(truth)
    if metric.name != _METRIC or mechanism.parameters.get("chance") is not None:
        raise InputError(
            f"board '{setting}': wanted the metric {_METRIC} and no `chance`, because {alike} are "
            "alike, and a meter then bounds what they gain in MSE and on average only; got "
            f"{metric.name}. Take the board of a dry run of this table, or one that shows levels, "
            "such as a digest."
        )
    for k, name in enumerate(truth.responses):
        own = public.y[public.cells.responses == k]
        if (values := len(np.unique(own))) < FEWEST_VALUES:
            raise InputError(
                f"board '{setting}': wanted public values of the response '{name}' of "
                f"{FEWEST_VALUES} kinds or more; got {values}. With so few, one answer can tell of "
                "many rows. Leave it out, or choose a board that shows levels, such as a digest."
            )
        check_precision(own)
    degrees = mechanism.disclosure(len(public.y), metric.sign).degrees or 0.0
    if degrees < _LEAST_DEGREES:
        raise InputError(
            f"board '{setting}': wanted a `gain` that is worth {_LEAST_DEGREES:g} degree of "
            f"freedom or more; got {degrees:.2g}. It is in the unit of the score: the share that "
            f"you tolerate, times the variance of all public cells together, {np.var(public.y):.3g}"
            "."
        )


def noise_factor(truth: Truth) -> float:
    """c, estimated on all rows, times the size of the largest group; at least 1.

    The noise varies in no direction more than the responses do: by the largest eigenvalue of their
    covariances, over the rows where both are given, in variances of the public cells.
    """
    largest = 1 if truth.group is None else int(np.bincount(truth.group.codes).max())
    if not truth.responses:
        return float(largest)
    centred = truth.values - np.nanmean(truth.values, axis=0)
    given = np.isfinite(centred)
    filled = np.where(given, centred, 0.0)
    covariances = filled.T @ filled / np.maximum(given.T.astype(float) @ given, 1.0)
    eigenvalue = float(np.linalg.eigvalsh(covariances)[-1])
    return max(eigenvalue / float(np.var(truth.part(True).y, ddof=1)), 1.0) * largest


def notes_of(mechanism: Mechanism, truth: Truth) -> list[str]:
    """What the organiser of a metered board should know; empty where cells are independent."""
    if not (mechanism.release.reads_files and truth.is_alike):
        return []
    gain, c = float(mechanism.parameters["gain"]), noise_factor(truth)
    if c <= 1.0:
        return []
    return [
        f"The meter takes all predictions for independent. But {_alike(truth)} are alike, and vary "
        f"in some direction up to {c:.3g} times as much as on average. So a participant gains at "
        f"most {amount(gain * c * c)} on average, and not {amount(gain)}."
    ]


def said_of_meter(mechanism: Mechanism, truth: Truth) -> list[str]:
    """What participants are told; how alike the cells are is a secret."""
    if not (mechanism.release.reads_files and truth.is_alike):
        return []
    return [
        f"The meter takes all predictions for independent. But {_alike(truth)} are alike, so that "
        "more can be gained than it says; the organiser knows how much."
    ]


def _alike(truth: Truth) -> str:
    several = ["cells of a row"] if truth.responses else []
    grouped = [] if truth.group is None else [f"rows of a group ('{truth.group.name}')"]
    return " and ".join([*several, *grouped])
