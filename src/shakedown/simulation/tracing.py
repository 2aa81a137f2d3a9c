"""All submissions of one replicate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shakedown.simulation.columns import TRACE, Columns, Named
from shakedown.simulation.replicate import Experiment

if TYPE_CHECKING:  # a job that plays needs no pandas
    import pandas as pd


def trace(experiment: Experiment, replicate: int) -> pd.DataFrame:
    """All submissions of one replicate as a frame; arguments as for `traced`."""
    return traced(experiment, replicate).frame()


def traced(experiment: Experiment, replicate: int) -> Columns:
    """All submissions of one replicate: the feature, and whether it was accepted and selected.

    Returns
    -------
    Columns
        Columns as `outcomes.TRACE`.  iteration (1, 2, ...) is null for an attack without
        iterations; submission (1, 2, ...) counts over all iterations; several features are joined
        by " + ".
    """
    columns = Columns(TRACE)
    for play in experiment.plays(replicate):
        # The same names for all plays, and not those of the split, so that each is read once.
        names, index = experiment.challenge.features, play.split.features
        if play.game.sets is not None:
            names = np.array([" + ".join(names[index[features]]) for features in play.game.sets])
            index = np.arange(len(names))
        start = 1
        for k, (tried, batch) in enumerate(
            zip(play.game.submitted, play.session.batches, strict=True)
        ):
            columns.append(
                len(tried),
                **play.described,
                iteration=None if experiment.attack.points_are_sizes else k + 1,
                submission=np.arange(start, start + len(tried)),
                feature=Named(names, index[tried]),
                released=batch.receipt.released,
                accepted=batch.receipt.accepted,
                selected=np.isin(tried, play.game.selected[k]),
            )
            start += len(tried)
    return columns
