"""What it costs that rows are in the groups that the configuration names."""

from __future__ import annotations

from shakedown.data.grouped import largest_group, rows_in_one
from shakedown.data.several import cells_in_one
from shakedown.data.splits import set_sizes
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.interface import Challenge


def stated_groups(challenge: Challenge, alike: float, *, by_group: bool = True) -> Finding:
    """What groups of rows cost.

    Parameters
    ----------
    challenge : Challenge
        With groups.
    alike : float
        The largest correlation of the noise of two rows of a group.
    by_group : bool
        Whether attackers send one number for each group, and not for each row.
    """
    largest, public = largest_group(challenge), set_sizes(challenge)["public"]
    count = int(public / rows_in_one(largest, alike) / cells_in_one(challenge))
    sentence = (
        f"By '{challenge.group.name}', several rows belong together: proofs count {count:,} of "
        f"{public:,} public rows, and attackers send one number for each "
        f"{'group' if by_group else 'row'}."
    )
    cure = "More groups raise the limits, more rows of each group do not."
    if challenge.cells is not None:
        together = f", and by '{challenge.group.name}' several rows belong together"
        sentence = (
            f"The {len(challenge.cells.names)} responses of a row are correlated"
            f"{together if largest > 1 else ''}: proofs count {count:,} of {public:,} public "
            "cells, and attackers send numbers for the directions in which responses vary most."
        )
        cure = "More rows raise the limits; more responses do so if they tell something new."
    return Finding(
        sentence=sentence,
        cure=cure,
        quantity="rows that count" if challenge.cells is None else "cells that count",
        assumed=public,
        found=count,
        statistic="rows of the largest group" if challenge.cells is None else "responses",
        value=float(largest if challenge.cells is None else len(challenge.cells.names)),
        p_value=None,
        withholds=False,
    )
