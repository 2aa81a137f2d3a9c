"""Teams from a table: honest linear models on random splits, as teams may well submit them.

Each of some random splits has 30 models (`dryrun.usefulness.honest`).  Teams are drawn from them;
if there are more teams than models, the others send a mean of two models with random weights.
Sets have the sizes of the official split if there is one, or thirds.  Each is standardised on its
own, so public and final rows are scored separately.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shakedown.data import drawn_split
from shakedown.data.drawing import thirds
from shakedown.data.splits import SETS, Split, Splitter, official_sizes
from shakedown.dryrun.usefulness import honest
from shakedown.dryrun.usefulness.judged_by import judging
from shakedown.final_rows.teams import Measured, Part, Teams, measured, without_luck
from shakedown.interface import Challenge
from shakedown.metrics import Metric
from shakedown.seeding import stream

#: Random splits, and draws of teams in each.
SPLITS, DRAWS = 3, 5
#: Cells of features in a split; larger tables play with some of their features.
CELLS = 5_000_000


def teams_of(
    challenge: Challenge,
    metrics: Sequence[Metric],
    teams: int,
    *,
    seed: int,
    tell: Callable[[], object] = lambda: None,
) -> list[list[Teams]]:
    """Teams under each metric, as many worlds as splits and draws; models are for the first.

    `tell` is called after each of the `SPLITS`, under each metric.

    Raises
    ------
    InputError
        If the table cannot be split.
    """
    n, p = challenge.X.shape
    splitter = Splitter(
        challenge, "splits", seed=seed, n_features=min(p, max(1, CELLS // n)),
        sizes=official_sizes(challenge), metric=metrics[0],
    )  # fmt: skip
    pools: list[list[Measured]] = [[] for _ in metrics]
    chosen: list[list[np.ndarray]] = []
    for number, split in enumerate(honest.usable_splits(splitter, SPLITS)):
        files = _files(split, metrics[0], teams, stream(seed, "design", "models", number))
        draws = DRAWS if teams < len(files[0]) else 1
        rng = stream(seed, "design", "teams", number)
        chosen.append([rng.permutation(len(files[0]))[:teams] for _ in range(draws)])
        for metric, own_pools in zip(metrics, pools, strict=True):
            parts = [
                Part(split.on(judging(metric), name), y, own)
                for name, y, own in zip(
                    ("public", "final"), (split.y_public, split.y_final), files, strict=True
                )
            ]
            rng = stream(seed, "design", "rows", metric.name, number)
            own_pools.append(measured(parts, metric, rng=rng))
            tell()
    return [
        [
            pool.only(teams)
            for pool, draws in zip(without_luck(metric, own), chosen, strict=True)
            for teams in draws
        ]
        for metric, own in zip(metrics, pools, strict=True)
    ]


def units_of(challenge: Challenge) -> tuple[int, str]:
    """How many independent rows, or groups, there are to split, and which of both they are."""
    units, cells = int(drawn_split.units_of(challenge).max()) + 1, challenge.cells
    rows = len(challenge.y) if cells is None else len(np.unique(cells.rows))
    return units, "row" if units == rows else "group"


def sets_of(challenge: Challenge) -> tuple[int, int, int]:
    """Independent rows, or groups, of the train, public and final sets: official ones, or thirds.

    Thirds are as near to these as groups allow.
    """
    if challenge.split is None:
        return tuple(thirds(units_of(challenge)[0]))
    units = drawn_split.units_of(challenge)
    return tuple(len(np.unique(units[challenge.split == name])) for name in SETS)


def _files(split: Split, metric: Metric, teams: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Different files on the public and the final rows, at least as many as teams."""
    models = honest.models(split.view, metric, rng=rng)
    both = np.hstack([models.public, models.final])
    _, first = np.unique(both, axis=0, return_index=True)
    both = both[np.sort(first)]
    varies = np.ptp(both, axis=1) > 0.0
    both = both[varies] if varies.sum() > 1 else both
    more = max(0, teams - len(both))
    if more:
        pairs = rng.integers(len(both), size=(2, more))
        weights = rng.random((more, 1))
        both = np.vstack([both, weights * both[pairs[0]] + (1.0 - weights) * both[pairs[1]]])
    ends = models.public.shape[1]
    return [np.ascontiguousarray(both[:, :ends]), np.ascontiguousarray(both[:, ends:])]
