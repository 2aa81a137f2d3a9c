"""Tables of a dry run, made up in the shape of real ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from shakedown.leaderboard.mechanism import mechanism, mechanisms

FULL = mechanism("full_disclosure")
LEVELS = [0.01, 0.15, 0.5]
SETTINGS = (
    FULL,
    *mechanisms([{"name": "ladder", "alpha": LEVELS}]),
    *mechanisms([{"name": "ladderboot", "alpha": LEVELS, "b": [100, 10]}]),
)
ODDS = [99.0, 5.67, 1.0]
CORRELATION = (
    FULL,
    *mechanisms([{"name": "bayesboot_ladder", "posterior_odds": ODDS}]),
    *mechanisms([{"name": "bayesboot_ladderboot", "posterior_odds": ODDS, "b": [10, 100]}]),
)
BASELINE = {"defences": [{"name": "baseline"}]}
#: Whose names are longer than a panel is wide.
DEFENDED = (
    FULL,
    *mechanisms([{"name": "ladder", "alpha": LEVELS, **BASELINE}]),
    *mechanisms([{"name": "ladderboot", "alpha": LEVELS, "b": [10, 100], **BASELINE}]),
)
GRID = (10, 20, 40, 80, 120, 200, 320, 500, 800, 1200, 2000)


def frontier(settings=SETTINGS, *, metric="mse", unit=1.0, threats=("modeller", "freedman")):
    """Δ that falls like the square root of the submissions, faster on weaker boards."""
    rows = []
    for setting in settings:
        for threat in threats:
            pace = _pace(setting) * (1.0 if threat == "modeller" else 0.4)
            for n in GRID:
                delta = -pace * np.sqrt(n) * unit
                iterations = max(1, round(n**0.3))
                attack, board = _way(n, setting)
                rows.append(
                    {"dataset": "mine", "metric": metric, "setting": setting.setting,
                     "threat": threat, "submissions": n, "attack": attack, "iteration_board": board,
                     "n_features": round(n / iterations), "point": iterations, "quantile": 0.5,
                     "delta": delta, "delta_low": 1.25 * delta - 0.004 * unit,
                     "delta_high": 0.8 * delta + 0.004 * unit, "replicates": 60}
                )  # fmt: skip
    return _typed(pd.DataFrame(rows))


def limits(curve, thresholds=(-0.05,)):
    """Limits of curves, found on a fine grid."""
    rows = []
    for _, part in curve.groupby(["setting", "threat"], sort=False, observed=True):
        n = np.append(0, part["submissions"].to_numpy(float))
        for threshold in thresholds:
            ends = [
                _crossing(n, np.append(0, part[c].to_numpy(float)), threshold)
                for c in ("delta", "delta_low", "delta_high")
            ]
            first = part.iloc[0]
            rows.append(
                {**{k: first[k] for k in ("dataset", "metric", "setting", "threat")},
                 "threshold": threshold, "quantile": 0.5,
                 "safe_submissions": ends[0] or int(n[-1]), "ci_low": ends[1] or int(n[-1]),
                 "ci_high": ends[2] or pd.NA, "censored": not ends[0], "replicates": 60}
            )  # fmt: skip
    return _typed(pd.DataFrame(rows)).astype(
        {"safe_submissions": "Int64", "ci_low": "Int64", "ci_high": "Int64", "censored": bool}
    )


def utility(settings=SETTINGS, *, metric="mse", unit=1.0):
    """Floors that are the higher the better a board protects; one that nothing gets over."""
    rows = []
    for setting in settings:
        floor = (0.0004 / _pace(setting)) * unit
        rows.append(
            {"dataset": "mine", "metric": metric, "setting": setting.setting, "sequence": "models",
             "replicates": 40, "rank_correlation": 0.8, "rank_correlation_low": 0.7,
             "rank_correlation_high": 0.9, "mean_difference": 0.1 * unit,
             "mean_difference_low": 0.08 * unit, "mean_difference_high": 0.12 * unit,
             "leaderboard_error": 0.2 * unit, "leaderboard_error_low": 0.1 * unit,
             "leaderboard_error_high": 0.3 * unit, "resolution_floor": 0.7 * floor,
             "seen_floor": np.nan if floor > 0.65 * unit else floor}
        )  # fmt: skip
    return _typed(pd.DataFrame(rows))


def served(settings=SETTINGS, *, metric="mse", unit=1.0):
    """The same with lags, which are the longer the better a board protects."""
    lags = {board.setting: (0.01 + 0.0001 / _pace(board)) * unit for board in settings}
    use = utility(settings, metric=metric, unit=unit)
    return use.assign(lag=use["setting"].astype(str).map(lags))


def acceptance(settings=SETTINGS, *, metric="mse", unit=1.0):
    """Chances that rise with the gain, the later the stricter a board is."""
    gains = np.append(0, np.geomspace(1 / 256, 0.7, 15)) * unit
    rows = []
    for setting in settings:
        half = 0.0003 / _pace(setting) * unit
        accepted = 1 / (1 + (half / np.maximum(gains, 1e-9)) ** 3)
        seen = accepted * (0.5 + 0.5 * accepted if setting.is_noisy else 1.0)
        for gain, a, s in zip(gains, accepted, seen, strict=True):
            rows.append(
                {"dataset": "mine", "metric": metric, "setting": setting.setting, "gain": gain,
                 "accepted": a, "accepted_low": max(a - 0.06, 0), "accepted_high": min(a + 0.06, 1),
                 "seen": s, "replicates": 40}
            )  # fmt: skip
    return _typed(pd.DataFrame(rows))


def _pace(setting):
    if setting == FULL:
        return 0.02
    given = setting.parameters
    level = given.get("alpha") or 1 / (1 + given["posterior_odds"])
    return 0.004 * level**0.35 * ({None: 1.0, 100: 0.45, 10: 0.2}[given.get("b")])


def _way(n, setting):
    if n < 30:
        return "best_of_many", None
    if n < 100 or setting == FULL:
        return "freedman", None
    return "step_forward", "fresh" if n < 1000 else "carried_on"


def _crossing(n, delta, threshold):
    fine = np.arange(1, n[-1] + 1)
    below = np.interp(fine, n, delta) <= threshold
    return int(fine[below.argmax()]) - 1 if below.any() else None


def _typed(frame):
    kinds = dict.fromkeys(
        ("dataset", "metric", "setting", "threat", "attack", "iteration_board"), "category"
    )
    kinds |= dict.fromkeys(("submissions", "n_features", "point"), "Int64")
    return frame.astype({c: k for c, k in kinds.items() if c in frame.columns})
