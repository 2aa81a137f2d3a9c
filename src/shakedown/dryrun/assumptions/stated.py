"""Rows that a column of the table groups, as the configuration says."""

from __future__ import annotations

import numpy as np

from shakedown.data.splits import set_sizes
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.interface import Challenge


def stated_groups(challenge: Challenge, alike: float) -> Finding:
    """What groups of rows cost.

    Parameters
    ----------
    challenge : Challenge
        With groups.
    alike : float
        The largest correlation of the noise of two rows of a group.
    """
    sizes = np.bincount(challenge.group.codes)
    public = set_sizes(challenge)["public"]
    count = int(public / (1.0 + (sizes.max() - 1.0) * alike))
    return Finding(
        sentence=(
            f"By '{challenge.group.name}', several rows belong together: proofs count {count:,} of "
            f"{public:,} public rows, and attackers send one number for each group."
        ),
        cure="More groups raise the limits, more rows of each group do not.",
        quantity="rows that count",
        assumed=public,
        found=count,
        statistic="rows of the largest group",
        value=float(sizes.max()),
        p_value=None,
        withholds=False,
    )
