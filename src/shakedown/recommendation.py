"""Which leaderboard to use, and how many submissions to allow: a stated rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from shakedown import recommendation_words as words
from shakedown.figures.selection import rows_of, settings_of
from shakedown.figures.style import CONTROLS, Setting
from shakedown.interface import InputError
from shakedown.outcomes import MECHANISM, STRONGEST
from shakedown.recommendation_words import RULE, safe_means, unit_words
from shakedown.snippets import snippets

__all__ = ["RULE", "recommend", "safe_means", "unit_words", "verdict"]

#: What is told of a setting.
_COUNTS = ("safe_submissions", "ci_low", "ci_high", "replicates")
_FROM_UTILITY = (
    *("resolution_floor", "seen_floor", "sequence"),
    *("rank_correlation", "rank_correlation_low", "rank_correlation_high"),
    *("mean_difference", "mean_difference_low", "mean_difference_high"),
    *("leaderboard_error", "leaderboard_error_low", "leaderboard_error_high"),
)
#: ASSUME: nobody waits for more than this many times the plays there are.
_MOST_TIMES = 100


def recommend(
    limits: pd.DataFrame,
    utility: pd.DataFrame,
    *,
    settings: Mapping[str, Any],
    threshold: float,
    unit_name: str = "",
    unit: float | None = None,
    n_public: int | None = None,
    frontier: pd.DataFrame | None = None,
) -> dict[str, Any]:
    """Choose a leaderboard by `RULE`.

    Parameters
    ----------
    limits : DataFrame
        As `shakedown.limits.safe_submissions` returns it, for one data set and metric.
    utility : DataFrame
        As `usefulness.measure.measure` returns it; a setting that it lacks counts as one that no
        gain gets over.
    settings : mapping
        The dry run's settings; read are submissions, days, quantile, largest_budget, minutes and,
        where they are there, model and precision.
    threshold : float
        The tolerated Δ, below 0, in the metric's unit; one of those in `limits`.
    unit_name : str
        What the metric is measured in, such as "squared units of the response"; see `unit_words`.
    unit : float, optional
        What a Δ of 1 on standardised data is in the metric's unit: a power of the response's
        standard deviation.
    n_public : int, optional
        Rows of the public set.
    frontier : DataFrame, optional
        As `shakedown.limits.frontier` returns it.  Without it nothing is said of the smallest
        number that was tried, of the plays that would do, and of the precision.

    Returns
    -------
    dict
        Fit for JSON.  `answer`: "safe", "undecided" (no leaderboard is safe for the wanted number
        on a cautious count, but the interval of at least one holds it), "fewer" (the wanted number
        is too many) or "none" (no number that was tried is safe); `sentence`; `advice` (what to
        do, sentences); `warnings` (what looks like a slip, sentences); `wanted`; `submissions`
        (how many to allow, for "undecided" until then; or None); `recommended` (the setting:
        mechanism, alpha, posterior_odds, eta, b, label, its limits and its usefulness; for
        "undecided" the one to use until then; or None); `likeliest` (for "undecided" the setting
        that most likely carries the wanted number; else None); `price` (what it costs, a
        sentence, or ""); `ties` (which settings cannot be told apart, or ""); `plays_needed`
        (about how many would decide; None if it cannot be told); `smallest_tried` (or None);
        `precision` (wanted and reached, shares of the threshold; reached is null where unknown);
        `safe_submissions`, `conservative` and `censored` (of the recommended setting, or None);
        `runner_ups` (all other settings, by the rule); `rule`; `rests_on`; `does_not_cover`;
        `snippets` (by platform; empty where `submissions` is None).

    Raises
    ------
    InputError
        If the tables hold nothing for the threshold, or a setting twice.
    """
    options = _options(limits, utility, threshold, frontier)
    wanted = int(settings["submissions"])
    tried = int(settings["largest_budget"])
    if frontier is not None:
        tried = int(frontier["submissions"].max())
    options.sort(key=lambda option: _order(option, wanted))
    best = options[0]
    open_ones = [o for o in options if verdict(o, wanted) == "not sure"]
    likeliest = needed = None
    if best["ci_low"] >= wanted:
        answer, submissions = "safe", wanted
    else:
        # Of what was never tried no interval can tell.
        answer = "undecided" if open_ones and wanted <= tried else "fewer"
        submissions = best["ci_low"] or None
        if answer == "undecided":
            margins = [_margin(frontier, o, wanted, threshold) for o in open_ones]
            ranks = [_likely(o, m, wanted) for o, m in zip(open_ones, margins, strict=True)]
            place = ranks.index(max(ranks))
            likeliest, needed = open_ones[place], _plays_needed(open_ones[place], margins[place])
        elif not submissions:
            answer = "none"
    chosen = best if submissions else None
    shown = likeliest or best
    others = [option for option in options if option is not chosen]
    if likeliest in others:
        others = [likeliest, *(option for option in others if option is not likeliest)]
    reached = _reached(frontier, shown, wanted, threshold)
    share = -threshold / unit if unit and words.WHOLE.get(unit_name) else None
    smallest = None if frontier is None else int(frontier["submissions"].min())
    found = {
        "answer": answer,
        "wanted": wanted,
        "submissions": submissions,
        "recommended": chosen,
        "likeliest": likeliest,
        "safe_submissions": chosen and chosen["safe_submissions"],
        "conservative": chosen and chosen["ci_low"],
        "censored": chosen and chosen["censored"],
        "plays_needed": needed,
        "smallest_tried": smallest,
        "precision": {"wanted": settings.get("precision"), "reached": reached},
        "runner_ups": others,
        "rule": RULE,
        "rests_on": {
            "threat": STRONGEST,
            "threshold": float(threshold),
            "unit": unit_name,
            "share": share,
            "tolerated": words.tolerated(threshold, unit_name, share),
            "quantile": float(settings["quantile"]),
            "replicates": shown["replicates"],
            "largest_budget": int(settings["largest_budget"]),
            "days": int(settings["days"]),
            "metric": str(settings["metric"]),
            "model": settings.get("model", "ols"),
            "words": safe_means(settings, threshold, unit_name, share),
        },
        "does_not_cover": words.not_covered(n_public, wanted, float(settings["quantile"])),
        "snippets": {},
    }
    if submissions:
        found["snippets"] = snippets(
            submissions, int(settings["days"]), best, str(settings["metric"])
        )
    chance = answer != "safe" and _too_many_at_once(options)
    return found | {
        "sentence": words.sentence(found, best, chance=chance, n_public=n_public),
        "advice": words.advice(found, options, settings, chance=chance),
        "warnings": words.warnings(threshold, unit_name, share),
        "price": words.price(shown if answer != "none" else None, options),
        "ties": words.ties(found, options),
    }


def verdict(option: Mapping[str, Any], wanted: int) -> str:
    """Whether so many submissions are safe on a setting: "yes", "no", "not sure" or "not tried"."""
    if option["ci_low"] >= wanted:
        return "yes"
    if not pd.isna(option["ci_high"]):
        return "no" if option["ci_high"] < wanted else "not sure"
    beyond = option["censored"] and option["safe_submissions"] < wanted
    return "not tried" if beyond else "not sure"


def _options(
    limits: pd.DataFrame, utility: pd.DataFrame, threshold: float, frontier: pd.DataFrame | None
) -> list[dict]:
    """What is known of each setting, fit for JSON."""
    asked = limits[
        (limits["threat"] == STRONGEST).to_numpy(bool)
        & np.isclose(limits["threshold"].to_numpy(float), threshold, rtol=1e-9, atol=0)
        & ~limits["mechanism"].isin(CONTROLS).to_numpy(bool)
    ]
    if asked.empty:
        held = ", ".join(f"{t:g}" for t in sorted(limits["threshold"].unique())) or "none"
        raise InputError(
            f"recommendation: wanted limits of threat {STRONGEST!r} at the threshold "
            f"{threshold:g}, got none; thresholds of the table: {held}."
        )
    useful = {_key(row): row for row in utility.to_dict("records")}
    options: dict[tuple, dict] = {}
    for row in asked.to_dict("records"):
        key = _key(row)
        (setting,) = settings_of(pd.DataFrame([{c: row[c] for c in MECHANISM}]))
        if key in options:
            raise InputError(
                f"recommendation: {setting.label} has two limits at the threshold {threshold:g}; "
                "wanted those of one data set and metric."
            )
        first = None
        if frontier is not None:
            curve = rows_of(frontier, setting)
            curve = curve[(curve["threat"] == STRONGEST).to_numpy(bool)]
            first = None if curve.empty else int(curve["submissions"].min())
        options[key] = {
            **{c: getattr(setting, c) for c in MECHANISM},
            "label": setting.label,
            **{c: None if pd.isna(row[c]) else int(row[c]) for c in _COUNTS},
            "censored": bool(row["censored"]),
            "smallest_tried": first,
            **{c: _plain(useful.get(key, {}).get(c)) for c in _FROM_UTILITY},
        }
    return list(options.values())


def _order(option: Mapping[str, Any], wanted: int) -> tuple:
    """Sorts by the rule: safe ones by usefulness, then the others by their cautious limit."""
    floor, difference = (
        np.inf if option[c] is None else float(f"{option[c]:.2g}")
        for c in ("seen_floor", "mean_difference")
    )
    if option["ci_low"] >= wanted:
        return 0, floor, difference, option["label"]
    best = (option["ci_low"], option["safe_submissions"])
    return 1, *(-limit for limit in best), floor, difference, option["label"]


def _likely(option: Mapping[str, Any], margin: float, wanted: int) -> tuple:
    """The larger, the likelier it carries the wanted number."""
    safe = option["safe_submissions"]
    return min(safe, wanted), margin, option["ci_low"], safe


def _too_many_at_once(options: list[dict]) -> bool:
    """Whether under most settings even the smallest number that was tried is too many."""
    held = [o for o in options if o["smallest_tried"] is not None]
    below = [o for o in held if o["safe_submissions"] < o["smallest_tried"]]
    return 2 * len(below) > len(options)


def setting_of(option: Mapping[str, Any]) -> Setting:
    """The setting of an option, for figures and for the rows of a table."""
    return Setting(**{c: option[c] for c in MECHANISM})


def at(curve: pd.DataFrame, wanted: int) -> pd.Series | None:
    """The row of a curve at a number of submissions, or the last one before it; None for none."""
    curve = curve.sort_values("submissions")
    reached = (curve["submissions"] <= wanted).to_numpy(bool)
    return curve[reached].iloc[-1] if reached.any() else None


def _margin(
    frontier: pd.DataFrame | None, option: Mapping[str, Any], wanted: int, threshold: float
) -> float:
    """How far above the threshold Δ is near the wanted number, in half widths of its interval.

    That of the kind of participant for whom it is smallest, as one is enough to be not safe;
    1 is where the plays just decide, 0 where nothing is known.
    """
    if frontier is None:
        return 0.0
    rows = rows_of(frontier, setting_of(option))
    kinds = [kind for kind in rows["threat"].astype(str).unique() if kind != STRONGEST] or [
        STRONGEST
    ]
    margins = []
    for kind in kinds:
        row = at(rows[(rows["threat"] == kind).to_numpy(bool)], wanted)
        if row is None:
            continue
        delta, low, high = (float(row[c]) for c in ("delta", "delta_low", "delta_high"))
        gap = delta - threshold
        wide = delta - low if gap > 0 else high - delta
        if wide == 0:
            margins.append(float(np.sign(gap)) * np.inf)
        else:
            margins.append(gap / wide if np.isfinite(wide) else 0.0)
    return min(margins, default=0.0)


def _plays_needed(option: Mapping[str, Any], margin: float) -> int | None:
    """About how many plays would decide, if the estimate holds: widths go as 1 / root(plays)."""
    times = 1 / margin**2 if margin else np.inf
    if not 1 < times <= _MOST_TIMES:
        return None
    return int(float(f"{np.ceil(times * option['replicates'] - 1e-6):.2g}"))


def _reached(
    frontier: pd.DataFrame | None, option: Mapping[str, Any], wanted: int, threshold: float
) -> float | None:
    """Width of the interval of Δ near the wanted number, as a share of the threshold."""
    if frontier is None:
        return None
    rows = rows_of(frontier, setting_of(option))
    row = at(rows[(rows["threat"] == STRONGEST).to_numpy(bool)], wanted)
    width = np.nan if row is None else (row["delta_high"] - row["delta_low"]) / -threshold
    return float(width) if np.isfinite(width) else None


def _key(row: Mapping[str, Any]) -> tuple:
    # To nine digits: parameters pass through files.
    return str(row["mechanism"]), *(
        None if pd.isna(row[c]) else f"{float(row[c]):.9g}" for c in MECHANISM[1:]
    )


def _plain(value: Any) -> Any:
    """A cell as JSON has it."""
    if pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value
