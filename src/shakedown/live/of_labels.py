"""A meter of labels on a running board: which truth it takes, and what its proof rests on.

It bounds how precisely each row's label is measured (docs/proofs/metered_labels.md).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from shakedown.interface import InputError
from shakedown.leaderboard.label_account import LabelAccount
from shakedown.leaderboard.label_scores import Labels
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.responses import OF_LABELS
from shakedown.live.contents import SINGLE
from shakedown.live.truth import Truth
from shakedown.metrics import Metric
from shakedown.wording import counted

_ELSE = "Choose a board that shows levels, such as a digest."


def meters_labels(mechanism: Mechanism, metric: Metric) -> bool:
    """Whether a board has a meter of labels."""
    return mechanism.release.reads_files and metric.name in OF_LABELS


def check_labels(mechanism: Mechanism, metric: Metric, truth: Truth) -> None:
    """Check that a truth has two labels in rows that are independent, as a meter of them needs.

    Raises
    ------
    InputError
        If not, or if single precision, in which files are kept, would round them.
    """
    board = f"board '{mechanism.setting}'"
    if truth.is_alike:
        of = "several responses" if truth.responses else f"rows in groups ('{truth.group.name}')"
        raise InputError(
            f"{board}: wanted one response and independent rows under the metric '{metric.name}', "
            f"because nothing is proved of labels that are alike; got {of}. {_ELSE}"
        )
    labels = np.unique(truth.values)
    number = max(len(truth.classes), len(labels))
    if number != 2:
        raise InputError(
            f"{board}: wanted a truth of two labels, such as 0 and 1, under the metric "
            f"'{metric.name}'; got {counted(number, 'value')}. Choose a metric for them, such as "
            "mse for numbers, or a board that shows levels, such as a digest."
        )
    if len(np.unique(public := truth.part(True).y)) != 2:
        raise InputError(
            f"{board}: all public labels are {public[0]:g}, so that no file is better than "
            "another. Choose other public rows."
        )
    if (labels.astype(SINGLE) != labels).any():
        raise InputError(
            f"{board}: wanted labels that single precision does not round, such as 0 and 1, as a "
            f"metered board keeps files in it; got {labels[0]!r} and {labels[1]!r}. Number them 0 "
            "and 1."
        )


def said_of_labels(mechanism: Mechanism, metric: Metric, truth: Truth) -> list[str]:
    """What participants are told of a meter of labels; empty on other boards."""
    if not meters_labels(mechanism, metric):
        return []
    public = truth.part(True).y
    terms = mechanism.release.of_labels()
    account = LabelAccount.opened(len(public), terms, metric, Labels.of(public))
    noise = account.labels.width / sqrt(account.meter.precision)
    whose = "all accounts" if mechanism.one_board else "an account"
    said = (
        f"All answers to {whose} together tell no more of a public row than one look at its label "
        f"with normal noise of the standard deviation {noise:.3g}; how much of that is used "
        "follows from the files alone."
    )
    if metric.name == "zero_one":
        said += (
            " Two classes have nothing in common, so a file is answered as a new one wherever it "
            "was not sent before, however much it is like earlier ones."
        )
    return [said]


def notes_of_labels(mechanism: Mechanism, metric: Metric) -> list[str]:
    """What the organiser of a meter of labels should know; empty on other boards."""
    if not meters_labels(mechanism, metric):
        return []
    said = "The proof takes public labels to be independent given all that participants know."
    if metric.name != "auroc":
        said += (
            " So tell nobody how many of them are 1, and draw the public rows at random, not so "
            "that each class has its share."
        )
    return [said]
