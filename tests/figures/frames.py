"""Tables of the contract's columns, made up in seconds and shaped like real ones."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from shakedown.leaderboard.mechanism import MECHANISMS

_STRINGS = (
    *("experiment", "dataset", "design", "metric", "attack", "iteration_board", "setting"),
    "mechanism",
    *("gate", "release", "feature"),
)
_FLOATS = (
    *("alpha", "posterior_odds", "eta", "score_public", "score_final", "delta"),
    *("score_released", "released", "leaderboard_error"),
)
_INTEGERS = (
    *("b", "replicate", "n_features", "n_selected", "point", "iterations", "submissions"),
    *("accepted", "changed", "iteration", "submission"),
)

LEVELS = (0.01, 0.15, 0.5)
REPLICATIONS = (10, 100, 1000)
LADDERS = tuple({"mechanism": "ladder", "alpha": a} for a in LEVELS)
BOOTS = tuple(
    {"mechanism": "ladderboot", "alpha": a, "b": b}
    for a, b in itertools.product(LEVELS, REPLICATIONS)
)
FULL = ({"mechanism": "full_disclosure"},)
BAYES = tuple(
    {"mechanism": m, "posterior_odds": odds} | ({"b": b} if b else {})
    for m, b in (
        ("bayesboot_ladder", None),
        *(("bayesboot_ladderboot", b) for b in REPLICATIONS),
    )
    for odds in (99.0, 5.67, 1.0)
)


def outcomes(
    mechanisms=(*FULL, *LADDERS),
    *,
    attack="freedman",
    metric="mse",
    design="permuted",
    dataset="ad_like",
    iteration_board="carried_on",
    replicates=40,
    n_features=300,
    iterations=5,
    largest_model=30,
    seed=0,
) -> pd.DataFrame:
    """Outcomes of one attack against several mechanisms."""
    rng = np.random.default_rng(seed)
    parts = []
    for mechanism in mechanisms:
        steps = np.arange(1, (largest_model if attack == "freedman" else iterations) + 1)
        strength = _strength(mechanism, attack)
        noise = rng.normal(size=(replicates, steps.size)).cumsum(axis=1) * 0.012
        gap = -strength * steps**0.75 * rng.lognormal(0, 0.25, size=(replicates, 1)) + noise
        final = 1 + 0.012 * steps + 0.02 * rng.normal(size=(replicates, steps.size)).cumsum(axis=1)
        public = final + gap
        if metric != "mse":
            public, final = (1 - public) * 0.8, (1 - final) * 0.8
        delta = public - final if metric == "mse" else final - public
        stepwise = attack == "step_forward"
        parts.append(
            pd.DataFrame(
                {
                    "experiment": attack,
                    "dataset": dataset,
                    "design": design,
                    "metric": metric,
                    "attack": attack,
                    "iteration_board": iteration_board if stepwise else None,
                    "gate": "paired_t",
                    "release": "rounded",
                    "alpha": None,
                    "posterior_odds": None,
                    "eta": None,
                    "b": None,
                    **mechanism,
                    "setting": setting_of(mechanism),
                    "replicate": np.repeat(np.arange(replicates), steps.size),
                    "n_features": n_features,
                    "n_selected": np.tile(steps, replicates),
                    "point": np.tile(steps, replicates),
                    "iterations": np.tile(steps, replicates) if stepwise else None,
                    "submissions": np.tile(
                        steps * n_features - steps * (steps - 1) // 2
                        if stepwise
                        else np.full(steps.size, n_features),
                        replicates,
                    ),
                    "accepted": 7,
                    "score_public": public.ravel(),
                    "score_final": final.ravel(),
                    "delta": delta.ravel(),
                    "score_released": public.round(2).ravel(),
                    "changed": 6,
                    "leaderboard_error": np.abs(public - 1.0).ravel(),
                }
            )
        )
    return _typed(pd.concat(parts, ignore_index=True))


def of_settings(*settings: str, metric="mse") -> pd.DataFrame:
    """Outcomes of one attack against settings, each with its id."""
    frame = outcomes(FULL, metric=metric)
    return pd.concat([frame.assign(setting=setting) for setting in settings], ignore_index=True)


def budgets(mechanisms=None, *, replicates=40) -> pd.DataFrame:
    """Outcomes of step-forward attacks over 50, 100, ... 300 features, 2 % of them iterations."""
    chosen = mechanisms or (*LADDERS, *(m for m in BOOTS if m["b"] == 100))
    return pd.concat(
        [
            outcomes(
                chosen,
                attack="step_forward",
                iteration_board="fresh",
                n_features=features,
                iterations=features // 50,
                replicates=replicates,
                seed=features,
            )
            for features in range(50, 301, 50)
        ],
        ignore_index=True,
    )


def traces(
    mechanisms=(*FULL, {"mechanism": "ladder", "alpha": 0.15}),
    *,
    attack="freedman",
    n_features=1000,
    iterations=10,
    seed=3,
) -> pd.DataFrame:
    """Traces of one replicate: a walk of true scores, passed through a crude board."""
    parts = []
    for mechanism in mechanisms:
        rng = np.random.default_rng(seed)
        base, start, level = 1.02, 1, 1.0
        for iteration in range(1, iterations + 1) if attack == "step_forward" else [None]:
            m = n_features - (iteration or 1) + 1
            walk = np.zeros(m)
            for i in range(1, m):
                walk[i] = 0.9 * walk[i - 1] + rng.normal() * 0.012
            true = base + walk + np.abs(rng.normal(size=m)) * 0.01
            released, accepted = _release(true, mechanism, rng)
            if attack == "freedman":
                selected = np.zeros(m, dtype=bool)
                selected[np.argsort(released, kind="stable")[:30]] = True
            else:
                selected = np.zeros(m, dtype=bool)
                jumps = np.flatnonzero(accepted)
                wobble = 0 if "b" not in mechanism else int(rng.integers(0, 1000 // mechanism["b"]))
                pick = min(jumps[-1] + wobble, m - 1)
                selected[pick] = True
                level = min(level, true[pick])
                base = level + 0.02
            parts.append(
                pd.DataFrame(
                    {
                        "experiment": attack,
                        "dataset": "correlated",
                        "design": "permuted",
                        "metric": "mse",
                        "attack": attack,
                        "iteration_board": "fresh",
                        "alpha": None,
                        "posterior_odds": None,
                        "eta": None,
                        "b": None,
                        **mechanism,
                        "setting": setting_of(mechanism),
                        "replicate": 0,
                        "n_features": n_features,
                        "iteration": iteration,
                        "submission": np.arange(start, start + m),
                        "feature": [f"x{i}" for i in range(m)],
                        "released": released,
                        "accepted": accepted,
                        "selected": selected,
                    }
                )
            )
            start += m
    return _typed(pd.concat(parts, ignore_index=True))


def releases(*, predictions=8, draws=400, seed=5) -> pd.DataFrame:
    """Released scores of predictions from bad to good, for three b."""
    rng = np.random.default_rng(seed)
    parts = []
    for i, quality in enumerate(np.linspace(1.64, 0.15, predictions)):
        for b in REPLICATIONS:
            sd = quality * np.sqrt(2 / 40 / b)
            parts.append(
                pd.DataFrame(
                    {
                        "dataset": "correlated",
                        "prediction": ["lasso", "knn"][i] if predictions == 2 else f"p{i + 1}",
                        "quality": quality,
                        "correlation": 0.18 + 0.74 * i / max(predictions - 1, 1),
                        "b": b,
                        "released": rng.normal(quality, sd, size=draws),
                    }
                )
            )
    return _typed(pd.concat(parts, ignore_index=True))


def setting_of(entry):
    """Id of a mechanism with its parameters."""
    parameters = {key: value for key, value in entry.items() if key != "mechanism"}
    return MECHANISMS.make(entry["mechanism"], **parameters).setting


def _strength(mechanism, attack):
    level = mechanism.get("alpha") or 1 / (1 + (mechanism.get("posterior_odds") or 1))
    if mechanism["mechanism"] in ("full_disclosure", "kaggle"):
        return 0.09
    if mechanism["mechanism"] in ("constant_board", "fresh_holdout"):
        return 0.0
    strength = (0.008 if attack == "freedman" else 0.045) * level**0.4
    return strength * (0.15 + 0.2 * np.log10(mechanism["b"])) if "b" in mechanism else strength


def _release(true, mechanism, rng):
    if mechanism["mechanism"] == "full_disclosure":
        return true, np.ones(true.size, dtype=bool)
    margin = {0.01: 0.04, 0.5: 0.0}.get(mechanism.get("alpha"), 0.015)
    released, accepted, best = np.empty(true.size), np.zeros(true.size, dtype=bool), np.inf
    for i, score in enumerate(true):
        if score < best - margin:
            best, accepted[i] = score, True
        noise = rng.normal() * 0.12 / np.sqrt(mechanism["b"]) if "b" in mechanism else 0.0
        released[i] = best + noise
    return released, accepted


def nullable(frame):
    """The same table in pandas' nullable types."""
    types = dict.fromkeys(_STRINGS, "string") | dict.fromkeys(_FLOATS, "Float64")
    return frame.astype({c: t for c, t in types.items() if c in frame.columns})


def _typed(frame):
    types = dict.fromkeys(_STRINGS, "category") | dict.fromkeys(_FLOATS, "float64")
    types |= dict.fromkeys(_INTEGERS, "Int64")
    return frame.astype({c: t for c, t in types.items() if c in frame.columns})
