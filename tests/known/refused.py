"""Share of honest files that a refusal of near-identical files refuses.

``python -m tests.known.refused`` prints the table in docs/boards_compared.md (about a minute).

Data as `ad_like` of the default study: 209 public rows, 2,150 features, R² = .4.  A team submits
the models of a forward selection on its training set, with 1 to 30 features, or 30 ridge and lasso
models in the order of their validation scores (`dryrun.usefulness.honest`).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from shakedown import data
from shakedown.attacks.models import LeastSquares
from shakedown.data.splits import Splitter
from shakedown.dryrun.usefulness import honest
from shakedown.interface import ParticipantData
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream

RECIPE = {
    "recipe": "simulated",
    "rows": 628,
    "features": 2150,
    "correlation": {"structure": "factor", "factors": 20, "share": 0.7},
    "signal": {"r2": 0.4, "features": 200},
}
DISTANCES = (0.0, 0.02, 0.05, 0.1, 0.2)
MODELS, REPLICATES, SEED = 30, 20, 1
TEAMS = ("forward selection", "ridge and lasso")


def forward(view: ParticipantData) -> np.ndarray:
    """Features in the order of a forward selection by least squares; shape (MODELS,)."""
    X, left = view.X_train.copy(), view.y_train.copy()
    chosen: list[int] = []
    for _ in range(MODELS):
        norms = np.sqrt((X**2).sum(axis=0))
        gains = np.where(norms > 1e-8, np.abs(left @ X) / np.maximum(norms, 1e-8), -1.0)
        gains[chosen] = -1.0
        chosen.append(int(gains.argmax()))
        unit = X[:, chosen[-1]] / norms[chosen[-1]]
        left = left - unit * (unit @ left)
        X -= np.outer(unit, unit @ X)
    return np.array(chosen)


def files(team: str, view: ParticipantData, replicate: int) -> np.ndarray:
    """What a team submits; shape (MODELS, n_public)."""
    if team == TEAMS[0]:
        return LeastSquares().nested(view, forward(view))[0]
    return honest.models(view, find("mse"), rng=stream(SEED, "team", replicate)).public


def refused(replicates: int = REPLICATES) -> dict[str, list[float]]:
    """Mean share of files refused by team, for each of the distances."""
    challenge = data.read("ad_like", RECIPE, seed=SEED)
    splitter = Splitter(challenge, "splits", seed=SEED)
    refusals = {team: np.zeros((replicates, len(DISTANCES))) for team in TEAMS}
    for replicate in range(replicates):
        split = splitter.split(replicate + 1)
        for team in TEAMS:
            submitted = files(team, split.view, replicate)
            for k, distance in enumerate(DISTANCES):
                mechanism = of_setting(f"full_disclosure+distinct(distance={distance})")
                board = Board(Scorer(find("mse"), split.y_public), mechanism, partial(stream, SEED))
                board.submit(submitted)
                refusals[team][replicate, k] = 1.0 - board.counts.accepted / len(submitted)
    return {team: shares.mean(axis=0).tolist() for team, shares in refusals.items()}


if __name__ == "__main__":
    print("distance", *DISTANCES, sep="\t")
    for team, shares in refused().items():
        print(team, *(f"{share:.3f}" for share in shares), sep="\t")
