"""Outcomes of attacks on labels, made up in the shapes that Blum & Hardt and Zheng draw."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.figures.frames import _typed, setting_of

FULL = {"mechanism": "full_disclosure"}
KAGGLE = {"mechanism": "kaggle", "eta": 1e-5}
FREE = {"mechanism": "parameter_free_ladder"}
GENERAL = {"mechanism": "general_ladder", "eta": 0.01}
SIMPLE = {"mechanism": "simplified_ladder", "eta": 0.01}
RANKS = {"mechanism": "rank_board"}
POINTS = (10, 20, 50, 100, 200, 300, 400, 500)


def _gain(mechanism, k, n, attack):
    """How far the public loss falls below 1/2 on average."""
    if attack == "two_accounts":
        return np.minimum(0.5 * k / n, 0.5)
    if attack == "enumeration":
        return 0.4 * np.minimum(k / n, 1.0)
    if mechanism["mechanism"] in ("full_disclosure", "kaggle"):
        return 0.3 * np.sqrt(k / n)
    return 0.35 * np.sqrt(np.log(k) / n)


def outcomes(
    mechanisms=(KAGGLE, FREE),
    *,
    attack="boosting",
    experiment=None,
    dataset="binary",
    rows=4000,
    final=8000,
    points=POINTS,
    replicates=30,
    seed=0,
) -> pd.DataFrame:
    """One row per replicate, mechanism and point."""
    rng = np.random.default_rng(seed)
    k = np.array(points)
    parts = []
    for mechanism in mechanisms:
        gain = _gain(mechanism, k, rows, attack)
        noise = rng.standard_normal((replicates, k.size)).cumsum(axis=1)
        public = np.clip(0.5 - gain + noise * 0.05 / np.sqrt(rows * k.size), 0, 1)
        public = np.round(public * rows) / rows
        luck = rng.standard_normal((replicates, k.size)) * 0.5 / np.sqrt(final)
        score_final = np.round((0.5 + luck) * final) / final
        eta = mechanism.get("eta", 1 / rows)
        released = np.round(public / eta) * eta
        scored = mechanism["mechanism"] != "rank_board"
        parts.append(
            pd.DataFrame(
                {
                    "experiment": experiment or attack,
                    "dataset": dataset,
                    "design": "labels",
                    "metric": "zero_one",
                    "attack": attack,
                    "iteration_board": None,
                    "gate": "margin",
                    "release": "rounded",
                    "alpha": None,
                    "posterior_odds": None,
                    "eta": None,
                    "b": None,
                    **mechanism,
                    "setting": setting_of(mechanism),
                    "replicate": np.repeat(np.arange(replicates), k.size),
                    "n_features": None,
                    "n_selected": np.tile(k // 2, replicates),
                    "point": np.tile(np.arange(1, k.size + 1), replicates),
                    "iterations": np.tile(np.arange(1, k.size + 1), replicates),
                    "submissions": np.tile(k, replicates),
                    "accepted": 7,
                    "score_public": public.ravel(),
                    "score_final": score_final.ravel(),
                    "delta": (public - score_final).ravel(),
                    "score_released": released.ravel() if scored else None,
                    "changed": 6,
                    "leaderboard_error": np.maximum.accumulate(
                        np.abs(0.5 - released), axis=1
                    ).ravel()
                    if scored
                    else None,
                }
            )
        )
    return _typed(pd.concat(parts, ignore_index=True))


def zheng_1() -> pd.DataFrame:
    """Boosting on two boards, boosting with many accounts, and enumeration."""
    small = {"rows": 1000, "final": 1000, "dataset": "fair_labels_1000"}
    return pd.concat(
        [
            outcomes((FULL, GENERAL), experiment="boosting", **small),
            outcomes((GENERAL,), experiment="many_accounts", **small).assign(
                score_released=lambda f: f["score_released"] - 0.1
            ),
            outcomes((FREE,), attack="enumeration", experiment="swaps", **small),
        ],
        ignore_index=True,
    )


def zheng_2() -> pd.DataFrame:
    """Enumeration on two sizes of boards."""
    fine = {"mechanism": "general_ladder", "eta": 0.001}
    return pd.concat(
        [
            outcomes((GENERAL,), attack="enumeration", experiment="small", rows=1000,
                     dataset="fair_labels_1000"),
            outcomes((fine,), attack="enumeration", experiment="large", rows=20000,
                     dataset="fair_labels_20000", points=tuple(20 * p for p in POINTS)),
        ],
        ignore_index=True,
    )  # fmt: skip
