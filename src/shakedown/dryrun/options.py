"""The leaderboards that a dry run can recommend: their limits, their usefulness, their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from shakedown.attacks.attack import THREATS
from shakedown.dryrun.limits import is_same, of_threat
from shakedown.dryrun.unattacked import MEASURED, NOT_ATTACKED
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting

_COUNTS = ("safe_submissions", "ci_low", "ci_high", "replicates", "proved_submissions")
_PROVED = ("proved_mean", "proved_quantile")
_STATUS = {"status": MEASURED, "unplayed": "", "estimating": 0, "unproved": ""}
_FROM_UTILITY = (
    *("resolution_floor", "seen_floor", "sequence"),
    *("rank_correlation", "rank_correlation_low", "rank_correlation_high"),
    *("mean_difference", "mean_difference_low", "mean_difference_high"),
    *("leaderboard_error", "leaderboard_error_low", "leaderboard_error_high"),
    *("lag", "lag_low", "lag_high", "climb_cost", "climb_cost_low", "climb_cost_high"),
    *("answered", "answer_error"),
)


def options_of(
    limits: pd.DataFrame,
    utility: pd.DataFrame,
    *,
    threat: str,
    threshold: float,
    frontier: pd.DataFrame | None,
) -> list[dict]:
    """Limits and usefulness of each setting, with values of JSON types.

    Settings that are not attacked have no limit; their `status` says so.

    Parameters
    ----------
    limits, utility, threshold
        As in `recommendation.recommend`.
    threat : str
        The threat that decides; the limits of all threats stand under `threats`.
    frontier : DataFrame or None
        Only the rows of this threat.
    """
    table = limits[is_same(limits["threshold"], threshold)]
    table = table[
        ~table["setting"].map(lambda setting: of_setting(setting).is_control).astype(bool)
    ]
    asked = of_threat(table, threat)
    if asked.empty:
        known = ", ".join(f"{t:g}" for t in sorted(limits["threshold"].unique())) or "none"
        raise InputError(
            f"recommendation: wanted limits of threat {threat!r} at the threshold "
            f"{threshold:g}, got none; thresholds of the table: {known}."
        )
    if (twice := asked["setting"].duplicated()).any():
        raise InputError(
            f"recommendation: wanted one limit per leaderboard at the threshold {threshold:g}; "
            f"{of_setting(asked['setting'][twice].iloc[0]).title} has several. Select one data set "
            "and metric."
        )
    known = asked.set_index("setting").reindex(columns=[*_COUNTS, *_PROVED, "censored", *_STATUS])
    for name, usual in _STATUS.items():
        known[name] = known[name].astype(object).fillna(usual)
    known = known.astype(dict.fromkeys((*_COUNTS, *_PROVED), "Int64")).join(
        utility.set_index("setting").reindex(columns=_FROM_UTILITY)
    )
    if frontier is not None:
        fewest = frontier.groupby("setting", observed=True)["submissions"].min()
        known["fewest_tested"] = fewest.astype("Int64")
    options = []
    for row in known.reset_index().to_dict("records"):
        mechanism = of_setting(row["setting"])
        options.append(
            {
                "setting": row["setting"],
                "mechanism": mechanism.name,
                "parameters": mechanism.parameters,
                "label": mechanism.title,
                "fewest_tested": None,
                **{column: _plain(value) for column, value in row.items()},
                "threats": _by_threat(rows_of(table, row["setting"])),
            }
        )
    return options


def _by_threat(limits: pd.DataFrame) -> dict[str, dict]:
    """The limits of one setting for each kind of participant."""
    counts = [*_COUNTS[:3], "censored"]
    kinds = limits[limits["threat"].astype(str).isin(THREATS)]
    return {
        str(row["threat"]): {column: _plain(row[column]) for column in counts}
        for row in kinds.to_dict("records")
    }


def order(option: Mapping[str, Any], wanted: int, *, proof: bool) -> tuple:
    """Sort key of the rule: safe settings by usefulness, then the others by cautious limit.

    The most useful one has the smallest lag, then keeps the order best.

    With `proof`, settings for which the wanted number is proved come first.
    """
    lag, rank, *others = (
        np.inf if option[column] is None else float(f"{sign * option[column]:.2g}")
        for column, sign in (
            *(("lag", 1.0), ("rank_correlation", -1.0)),
            *(("seen_floor", 1.0), ("mean_difference", 1.0)),
        )
    )
    useful = [lag, rank, *others]
    if option["ci_low"] >= wanted:
        measured = proof and not is_proved(option, wanted)
        return 0, measured, *useful, option["label"]
    best = (option["ci_low"], option["safe_submissions"])
    return 1, *(-limit for limit in best), *useful, option["label"]


def is_attacked(option: Mapping[str, Any]) -> bool:
    """Whether all attacks of the threat could play on a setting, so that it has a limit."""
    return option["status"] == MEASURED


def is_proved(option: Mapping[str, Any], wanted: int) -> bool:
    """Whether the overfit is proved to be tolerated, on average and for all but a quantile."""
    return (option["proved_submissions"] or 0) >= wanted


def held(option: Mapping[str, Any], wanted: int) -> str:
    """What the safety of a number of submissions rests on: proved, proved on average, measured."""
    if is_proved(option, wanted):
        return "proved"
    return "proved on average" if (option["proved_mean"] or 0) >= wanted else "measured"


def brings(option: Mapping[str, Any], submissions: int) -> int:
    """How many new scores so many submissions bring a team at most."""
    scores = of_setting(option["setting"]).scores_within(submissions)
    return submissions if scores is None else scores


def likely(option: Mapping[str, Any], margin: float, wanted: int) -> tuple:
    """Sort key: larger if the wanted number is more likely to be safe."""
    safe = option["safe_submissions"]
    return min(safe, wanted), margin, option["ci_low"], safe


def too_many_at_once(options: list[dict]) -> bool:
    """Whether on most settings even the fewest submissions tested are too many."""
    tested = [o for o in options if o["fewest_tested"] is not None]
    below = [o for o in tested if o["safe_submissions"] < o["fewest_tested"]]
    return 2 * len(below) > len(options)


def verdict(option: Mapping[str, Any], wanted: int) -> str:
    """Whether the wanted number is safe on a setting.

    "yes", "no", "not sure", "not tested" or "not attacked".
    """
    if not is_attacked(option):
        return NOT_ATTACKED
    if option["ci_low"] >= wanted:
        return "yes"
    if not pd.isna(option["ci_high"]):
        return "no" if option["ci_high"] < wanted else "not sure"
    beyond = option["censored"] and option["safe_submissions"] < wanted
    return "not tested" if beyond else "not sure"


def leaning(option: Mapping[str, Any], wanted: int) -> str:
    """On which side of the wanted number the estimate of a limit lies: "safe" or "unsafe"."""
    return "safe" if option["safe_submissions"] >= wanted else "unsafe"


def rows_of(table: pd.DataFrame, setting: str) -> pd.DataFrame:
    """The rows of a setting."""
    return table[(table["setting"] == setting).to_numpy(bool)]


def at(curve: pd.DataFrame, wanted: int) -> pd.Series | None:
    """The row of a curve with the most submissions up to `wanted`; None if there is none."""
    curve = curve.sort_values("submissions")
    reached = (curve["submissions"] <= wanted).to_numpy(bool)
    return curve[reached].iloc[-1] if reached.any() else None


def _plain(value: Any) -> Any:
    """A cell as a JSON type."""
    if pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value
