"""Which leaderboard to use, and how many submissions to allow: a stated rule, and its words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from shakedown.figures.selection import settings_of
from shakedown.figures.style import CONTROLS
from shakedown.interface import InputError
from shakedown.outcomes import MECHANISM
from shakedown.snippets import snippets
from shakedown.wording import amount, counted, metric_name

#: The participant who decides: whoever spends submissions in the way that overfits most.
THREAT = "modeller"

#: What is told of a setting.
_COUNTS = ("safe_submissions", "ci_low", "ci_high", "replicates")
_FROM_UTILITY = (
    *("resolution_floor", "seen_floor", "sequence"),
    *("rank_correlation", "rank_correlation_low", "rank_correlation_high"),
    *("mean_difference", "mean_difference_low", "mean_difference_high"),
    *("leaderboard_error", "leaderboard_error_low", "leaderboard_error_high"),
)

RULE = (
    "Of the leaderboards whose limit is at least the wanted number of submissions even when "
    "counted cautiously (the lower end of its 95 % interval), the one that shows the smallest true "
    "gains; where these agree to two digits, the one whose shown scores are closest to the final "
    "scores. If the limit of none is large enough, the one with the largest cautious limit, and of "
    "those that agree in it the one with the largest best estimate; and as many submissions as the "
    "cautious limit."
)


def recommend(
    limits: pd.DataFrame,
    utility: pd.DataFrame,
    *,
    settings: Mapping[str, Any],
    threshold: float,
    unit_name: str = "",
    n_public: int | None = None,
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
        The dry run's settings; read are submissions, days, quantile, largest_budget and minutes.
    threshold : float
        The tolerated Δ, below 0, in the metric's unit; one of those in `limits`.
    unit_name : str
        What the metric is measured in, such as "squared units of the response"; see `unit_words`.
    n_public : int, optional
        Rows of the public set.

    Returns
    -------
    dict
        Fit for JSON.  `answer`: "safe", "fewer" (the wanted number is too many) or "none" (no
        number that was tried is safe); `sentence`; `advice` (what to do, sentences); `wanted`;
        `submissions` (how many to allow; None for "none"); `recommended` (the setting: mechanism,
        alpha, posterior_odds, eta, b, label, its limits and its usefulness; None for "none");
        `safe_submissions`, `conservative` and `censored` (of the recommended setting, or None);
        `runner_ups` (all other settings, by the rule); `rule`; `rests_on`; `does_not_cover`;
        `snippets` (by platform; empty for "none").

    Raises
    ------
    InputError
        If the tables hold nothing for the threshold, or a setting twice.
    """
    options = _options(limits, utility, threshold)
    wanted = int(settings["submissions"])
    options.sort(key=lambda option: _order(option, wanted))
    best = options[0]
    if best["ci_low"] >= wanted:
        answer, submissions = "safe", wanted
    elif best["ci_low"] > 0:
        answer, submissions = "fewer", best["ci_low"]
    else:
        answer, submissions = "none", None
    chosen = None if answer == "none" else best
    found = {
        "answer": answer,
        "wanted": wanted,
        "submissions": submissions,
        "recommended": chosen,
        "safe_submissions": chosen and chosen["safe_submissions"],
        "conservative": chosen and chosen["ci_low"],
        "censored": chosen and chosen["censored"],
        "runner_ups": [option for option in options if option is not chosen],
    }
    return found | {
        "sentence": _sentence(answer, best, wanted),
        "advice": _advice(answer, options, wanted, settings),
        "rule": RULE,
        "rests_on": _rests_on(best, settings, threshold, unit_name),
        "does_not_cover": _not_covered(n_public, wanted, float(settings["quantile"])),
        "snippets": snippets(submissions, int(settings["days"])) if submissions else {},
    }


def unit_words(degree: float) -> str:
    """What a metric of a degree is measured in (`Metric.degree`); "" for one without a unit."""
    known = {0: "", 1: "units of the response", 2: "squared units of the response"}
    return known.get(degree, f"units of the response to the power of {degree:g}")


def _options(limits: pd.DataFrame, utility: pd.DataFrame, threshold: float) -> list[dict]:
    """What is known of each setting, fit for JSON."""
    asked = limits[
        (limits["threat"] == THREAT).to_numpy(bool)
        & np.isclose(limits["threshold"].to_numpy(float), threshold, rtol=1e-9, atol=0)
        & ~limits["mechanism"].isin(CONTROLS).to_numpy(bool)
    ]
    if asked.empty:
        held = ", ".join(f"{t:g}" for t in sorted(limits["threshold"].unique())) or "none"
        raise InputError(
            f"recommendation: wanted limits of threat {THREAT!r} at the threshold {threshold:g}, "
            f"got none; thresholds of the table: {held}."
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
        options[key] = {
            **{c: getattr(setting, c) for c in MECHANISM},
            "label": setting.label,
            **{c: None if pd.isna(row[c]) else int(row[c]) for c in _COUNTS},
            "censored": bool(row["censored"]),
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


def _never_crossed(option: Mapping[str, Any]) -> bool:
    """Whether even the most that was tried is safe, counted cautiously."""
    return option["censored"] and option["ci_low"] == option["safe_submissions"]


def _sentence(answer: str, best: Mapping[str, Any], wanted: int) -> str:
    label, count = best["label"], f"{counted(wanted, 'submission')} per participant"
    if answer == "none":
        return (
            f"No leaderboard that was tried can be called safe for {count}, nor for any smaller "
            "number that was tried."
        )
    if answer == "fewer":
        return (
            f"No leaderboard that was tried can be called safe for {count}. The safest is {label}: "
            f"allow {best['ci_low']:,} at most."
        )
    are = "is" if wanted == 1 else "are"
    if best["ci_low"] == wanted:
        return f"Use {label}: {count} {are} safe, even when counted cautiously."
    most = ", the most that we tried" if _never_crossed(best) else ""
    return (
        f"Use {label}: {count} {are} safe; even when counted cautiously, {best['ci_low']:,} would "
        f"be{most}."
    )


def _advice(answer: str, options: list[dict], wanted: int, settings: Mapping) -> list[str]:
    """What to do where the wanted number is not safe, or what is safe is of little use."""
    if answer == "safe":
        return _if_useless(options[0], options)
    told = []
    if _never_crossed(options[0]):
        told.append(
            f"Try more: none of the attacks made more than {options[0]['ci_low']:,} submissions. "
            f"Raise `largest_budget`, which is {settings['largest_budget']:,} now, and run again."
        )
    enough = wanted if answer == "fewer" else 1
    hopeful = max(options, key=lambda option: option["safe_submissions"])
    if hopeful["safe_submissions"] >= enough:
        told.append(
            f"Measure longer: by its best estimate {hopeful['label']} carries "
            f"{min(wanted, hopeful['safe_submissions']):,}, but the interval around it is too "
            f"wide to be sure. Raise `minutes`, which is {settings['minutes']:g} now, and run "
            "again."
        )
    if answer == "fewer":
        told.append(f"Allow {options[0]['ci_low']:,} submissions per participant in all.")
    else:
        told.append(
            "Show no scores while the challenge runs: score once at its end, or in two or three "
            "rounds that you announce."
        )
    return [
        *told,
        "Put more rows into the public set: overfit shrinks as it grows.",
        "Tolerate more overfit, if the prize can bear it: lower `thresholds` further below 0.",
    ]


def _if_useless(best: Mapping, options: list[dict]) -> list[str]:
    if best["seen_floor"] is not None:
        return []
    told = [
        "It is safe because it shows so little: no true gain that was tried shows on it reliably. "
        "More rows in the public set would make it more useful."
    ]
    useful = [o for o in options if o["seen_floor"] is not None and o["ci_low"] > 0]
    if useful:
        other = max(useful, key=lambda option: option["ci_low"])
        told.append(
            f"Allow fewer submissions on one that shows more: {other['label']} is safe for "
            f"{other['ci_low']:,}."
        )
    return told


def _rests_on(best: Mapping, settings: Mapping, threshold: float, unit_name: str) -> dict[str, Any]:
    return {
        "threat": THREAT,
        "threshold": float(threshold),
        "unit": unit_name,
        "quantile": float(settings["quantile"]),
        "replicates": best["replicates"],
        "largest_budget": int(settings["largest_budget"]),
        "days": int(settings["days"]),
        "metric": str(settings["metric"]),
        "model": settings.get("model", "ols"),
        "words": safe_means(settings, threshold, unit_name),
    }


def safe_means(settings: Mapping[str, Any], threshold: float, unit_name: str = "") -> str:
    """What "safe" says, in a sentence or two."""
    tolerated = f"{amount(-threshold)} {unit_name}".strip()
    metric, quantile = metric_name(settings["metric"]), float(settings["quantile"])
    share = "half" if quantile == 0.5 else _share(1 - quantile)
    return (
        "Safe means: where there is nothing to learn, participants who spend their submissions in "
        "the way that overfits most end, in at least "
        f"{share} of the cases, with a model whose public score ({metric}) is better than its "
        f"final one by less than {tolerated}."
    )


def _share(share: float) -> str:
    return f"{100 * share:.3g} %"


def _not_covered(n_public: int | None, wanted: int, quantile: float) -> list[str]:
    rows = "there are public rows" + (f" ({n_public:,})" if n_public else "")
    probes = (
        "Whoever submits arbitrary numbers instead of fitted models can do far better: with about "
        f"as many submissions as {rows}, the public answers can be recovered under many "
        "leaderboards. That is not covered"
    )
    if n_public and wanted > n_public:
        probes += f", and the {wanted:,} submissions that you want are more than that"
    told = [
        f"{probes}. Ask winners for the program that made their predictions.",
        "Several accounts, and teams that share scores: a limit counts all submissions of people "
        "who work together as those of one.",
        "Models of other kinds: those that attackers submit here are least-squares fits to some of "
        "the features.",
    ]
    if quantile == 0.5:
        told.append(
            "The luckiest of many participants: the limit is that of the middle one. For one that "
            "is luckier than 19 of 20, set `quantile` to 0.05."
        )
    else:
        told.append(
            f"The luckiest of many participants: the limit is that of one who is luckier than "
            f"{_share(1 - quantile)} of them."
        )
    return told


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
