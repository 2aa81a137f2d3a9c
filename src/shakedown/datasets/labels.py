"""Recipe "labels": fair coins to be guessed, and nothing to guess them from.

The challenge of Blum & Hardt's experiment ([B] section 5.1) and of Zheng's ([Z] section 2): labels
0 and 1 that no feature tells anything of, so whatever a participant knows of them comes from the
leaderboard, and the true 0/1 loss of every submission is 1/2.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shakedown.datasets.settings import check_keys, whole
from shakedown.interface import Challenge

#: Fewest labels of a set, as in the designs.
FEWEST = 10


def check(name: str, recipe: Mapping[str, Any], *, folder: Path) -> None:
    """Refuse impossible settings; see `read`."""
    check_keys(name, recipe, required=("recipe", "public", "final"), optional=())
    for key in ("public", "final"):
        whole(name, key, recipe[key], low=FEWEST)


def read(
    name: str, recipe: Mapping[str, Any], *, rng: np.random.Generator, folder: Path
) -> Challenge:
    """Draw labels.

    Parameters
    ----------
    name : str
        The data set's id.
    recipe : mapping
        ``public`` n and ``final``: numbers of labels of the two sets, at least 10 each.
    rng : numpy.random.Generator
        Source of randomness.
    folder : Path
        Not used.

    Returns
    -------
    Challenge
        X of shape (n + n_final, 0); y of independent labels 0 and 1, each with chance 1/2; a split
        of these sizes, without a training set.  The design "labels" tosses anew in each replicate.

    Raises
    ------
    InputError
        If a setting is missing, unknown or impossible.
    """
    check(name, recipe, folder=folder)
    sizes = [recipe["public"], recipe["final"]]
    n = sum(sizes)
    return Challenge(
        name=name,
        X=np.empty((n, 0), order="F"),
        y=rng.integers(0, 2, n).astype(float),
        rows=np.array([str(i + 1) for i in range(n)]),
        features=np.empty(0, dtype="<U1"),
        split=np.repeat(["public", "final"], sizes),
        notes=(f"Drawn: {n:,} labels by the toss of a fair coin, {sizes[0]:,} of them public.",),
    )
