"""Look for assumptions that visibly fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shakedown.data.censored import risk_score
from shakedown.data.grouped import of_groups
from shakedown.data.splits import set_sizes
from shakedown.dryrun.assumptions.check import CHECKS
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.dryrun.assumptions.sample import Sample
from shakedown.dryrun.assumptions.stated import stated_groups
from shakedown.interface import Challenge
from shakedown.metrics import find
from shakedown.metrics.classes import NUMBERS
from shakedown.wording import listed


def findings(
    challenge: Challenge, *, metric: str, row_variance: float = 1.0, alike: float = 1.0
) -> list[dict[str, Any]]:
    """What is found in a data set, in the order of the checks; empty if all may hold.

    Parameters
    ----------
    challenge : Challenge
    metric : str
        A name for `metrics.find`.  For classes, for metrics that see ranks alone, and for censored
        times the distribution of the noise does not matter.  Of times, the risk scores are checked.
    row_variance : float
        The largest variance of a row's noise, as a multiple of the average.
    alike : float
        The largest correlation of the noise of two rows of a group, if the challenge has groups.
        Rows may depend on each other within groups then, and are looked at between them.

    Returns
    -------
    list of dict
        As `Finding.described` returns them, with `is_of_noise` of the check.
    """
    found, kind = [], find(metric)
    if challenge.censored:
        challenge = replace(challenge, y=risk_score(challenge.y))
    between = rows = Sample(challenge, set_sizes(challenge)["public"], row_variance)
    if challenge.group is not None:
        label = "Rows in groups" if challenge.cells is None else "Several responses"
        stated = stated_groups(challenge, alike, by_group=kind.tells_group_means)
        found.append(_described(stated, "stated_groups", label))
        means = of_groups(challenge)
        between = Sample(means, set_sizes(means)["public"], row_variance)
    needs_noise = kind.response == NUMBERS and not kind.ranks
    for name, check in CHECKS.classes.items():
        if check.is_of_noise and not needs_noise:
            continue
        if finding := check().look(rows if check.is_of_noise else between):
            found.append(_described(finding, name, check.label, check.is_of_noise))
    return found


def _described(finding: Finding, name: str, label: str, is_of_noise: bool = False) -> dict:
    return finding.described(name, label) | {"is_of_noise": is_of_noise}


def why_unproved(found: Sequence[Mapping[str, Any]]) -> str:
    """Why nothing is called proved, such as "groups of rows and heavy tails"; "" if it may be."""
    return listed([str(f["label"]).lower() for f in found if f["withholds"]])
