"""Attackers of a dry run meet as many public rows as the challenge has."""

from dataclasses import replace

import numpy as np
import pytest

from shakedown.dryrun.playing import planned
from shakedown.dryrun.settings import DryRunEntry
from tests.data.test_grouped import challenge

SIZES = {"train": 100, "public": 30, "final": 50}


@pytest.mark.parametrize("metric", ["mse", "pearson"])
def test_sets_of_attackers_have_the_official_sizes(metric):
    """An adversary on random sets, too: with thirds of the rows it would gain less."""
    split = np.repeat(list(SIZES), list(SIZES.values()))
    mine = replace(challenge(groups=180, rows=1), split=split, group=None)
    settings = DryRunEntry(metric=metric, submissions=20, largest_budget=20)
    designs = set()
    for experiment in planned(mine, settings, seed=1):
        designs.add(experiment.design)
        view = experiment.splitter.split(0).view
        got = [len(X) for X in (view.X_train, view.X_public, view.X_final)]
        assert got == list(SIZES.values()), experiment.name
    assert designs == {"permuted", "splits"}
