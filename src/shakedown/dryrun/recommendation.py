"""The rule that recommends a leaderboard and a number of submissions.

The cautious limit of a leaderboard is the lower end of the 95 % interval of its number of safe
submissions.  Among the leaderboards with a cautious limit of at least the wanted number, the rule
takes the one that shows the smallest true gains; if these are equal to two digits, it takes the one
whose released scores are closest to the final scores.  If no cautious limit is large enough, the
rule takes the leaderboard with the largest cautious limit (then the largest estimate) and allows
that number.  If the wanted number lies within the interval of a leaderboard, the answer is
"undecided".  The likeliest leaderboard is then the one with the largest estimate, capped at the
wanted number; ties go to the one that needs the fewest further plays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment

from shakedown.dryrun.concerns import concerns
from shakedown.dryrun.limits import is_same
from shakedown.dryrun.snippets import snippets
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.metrics import find
from shakedown.simulation.outcomes import STRONGEST

#: The answer in words: the page's headline, and the `sentence` of the recommendation's file.
SENTENCE = Environment(autoescape=False, trim_blocks=True).from_string("""\
{% macro number(n) %}{{ "{:,}".format(n) }}{% endmacro %}
{% set wanted %}
{{ number(found.wanted) }} submission{{ "s" if found.wanted != 1 }} per participant{% endset %}
{% for concern in found.concerns %}
{{ concern }} {% endfor %}
{% if found.chance_alone %}
With {{ "only " ~ number(rows) if rows else "so few" }} public rows, chance alone moves the public \
score away from the final one by more than you tolerate: on most leaderboards even \
{{ number(found.fewest_tested) }} submissions, the fewest tested, are too many. {% endif %}
{% if found.answer == "safe" %}
Use {{ best.label }}: {{ wanted }} {{ "is" if found.wanted == 1 else "are" }} safe.
{%- elif found.answer == "undecided" %}
Not decided yet, leaning {{ found.leaning }}: after {{ number(likeliest.replicates) }} plays no \
leaderboard is known to be safe for {{ wanted }}. The most promising is {{ likeliest.label }}, \
which is safe for {% if found.leaning == "safe" %}as many{% elif likeliest.safe_submissions %}only \
{{ number(likeliest.safe_submissions) }}{% else %}none{% endif %} if its estimate is right.
{%- if found.plays_needed %} About {{ number(found.plays_needed) }} plays, in \
{{ found.longer.minutes }} minute{{ "s" if found.longer.minutes != 1 }}, would settle \
it.{% endif %}
{%- if best %} Until more plays decide, allow at most {{ number(found.submissions) }}\
{% if best.setting != likeliest.setting %}, on {{ best.label }}{% endif %}.{% endif %}
{% elif found.answer == "fewer" %}
No leaderboard tested is known to be safe for {{ wanted }}. The safest is {{ best.label }}: allow \
at most {{ number(found.submissions) }}.
{%- else %}
No leaderboard tested is known to be safe for {{ wanted }}, nor for any smaller number tested.
{%- endif %}""")

_COUNTS = ("safe_submissions", "ci_low", "ci_high", "replicates")
_FROM_UTILITY = (
    *("resolution_floor", "seen_floor", "sequence"),
    *("rank_correlation", "rank_correlation_low", "rank_correlation_high"),
    *("mean_difference", "mean_difference_low", "mean_difference_high"),
    *("leaderboard_error", "leaderboard_error_low", "leaderboard_error_high"),
)
#: ASSUME: nobody waits for more than this many times the present number of plays.
_MOST_TIMES = 100
#: Factor of the minutes if the number of plays needed is unknown: it halves the intervals.
_HALVED = 4


def recommend(
    limits: pd.DataFrame,
    utility: pd.DataFrame,
    *,
    settings: Mapping[str, Any],
    threshold: float,
    unit: float | None = None,
    n_public: int | None = None,
    frontier: pd.DataFrame | None = None,
    leaks: Sequence[str] = (),
    n_features: int | None = None,
) -> dict[str, Any]:
    """Choose a leaderboard by the rule above.

    Parameters
    ----------
    limits : DataFrame
        As `shakedown.dryrun.limits.safe_submissions` returns it, for one data set and metric.
    utility : DataFrame
        As `usefulness.measure.measure` returns it; a setting without a row is taken to show no
        gain.
    settings : mapping
        The dry run's settings; uses metric, submissions, days, quantile, largest_budget, minutes
        and, if given, model, most_replicates and precision.
    threshold : float
        The tolerated Δ, below 0, in the metric's unit; one of those in `limits`.
    unit : float, optional
        A Δ of 1 on standardised data in the metric's unit: a power of the response's standard
        deviation, such as its variance.
    n_public : int, optional
        Rows of the public set.
    frontier : DataFrame, optional
        As `frontier.frontier` returns it.  Without it, the fewest submissions tested, the number of
        plays needed and the precision are unknown.
    leaks : sequence of str
        Features that give the response away; `Challenge.leaks`.
    n_features : int, optional

    Returns
    -------
    dict
        Values are JSON types.

        - answer: "safe", "undecided" (all cautious limits are below the wanted number, but at least
          one interval includes it), "fewer" (the wanted number is too large) or "none" (no number
          tested is safe); sentence: the answer in words.
        - wanted: the wanted number; submissions: the number to allow (until more plays decide, if
          undecided), or None.
        - recommended: setting, mechanism, parameters, label, limits and usefulness of the
          leaderboard to use (until more plays decide, if undecided), or None; safe_submissions,
          conservative and censored: its estimate, its cautious limit and whether this is the
          largest number tested.
        - likeliest: if undecided, the setting for which the wanted number is most likely safe.
        - leaning: if undecided, "safe" if the estimate for the likeliest setting is at least the
          wanted number, "unsafe" if it is smaller; else None.
        - chance_alone: whether even the fewest submissions tested are too many on most settings.
        - tied: if no setting is safe, labels of the settings with the same cautious limit.
        - plays_needed: approximate number of plays that decide if the estimate is right, or None.
        - longer: the settings, such as minutes, of a dry run with so many plays (four times as many
          as now if plays_needed is None), or None.
        - fewest_tested, most_tested: the fewest and the most submissions tested, or None.
        - concerns: sentences on the data that open the answer; see `concerns.concerns`.
        - precision: wanted and reached width of the interval, as shares of the threshold.
        - runner_ups: all other settings, in the order of the rule.
        - rests_on: the settings that the answer depends on.
        - snippets: the limits as text by platform; empty if submissions is None.

    Raises
    ------
    InputError
        If the limits have no row for the threshold, or several for one setting.
    """
    options = _options(limits, utility, threshold, frontier)
    wanted = int(settings["submissions"])
    most = int(settings["largest_budget"])
    if frontier is not None:
        tested = frontier["submissions"][(frontier["threat"] == STRONGEST).to_numpy(bool)]
        most = int(tested.max())
    options.sort(key=lambda option: _order(option, wanted))
    best = options[0]
    likeliest = needed = longer = None
    # More plays cannot decide about a number of submissions that was not tested.
    open_ones = [o for o in options if verdict(o, wanted) == "not sure" and wanted <= most]
    if best["ci_low"] >= wanted:
        answer, submissions = "safe", wanted
    else:
        submissions = best["ci_low"] or None
        answer = "fewer" if submissions else "none"
        if open_ones:
            answer = "undecided"
            margins = [_margin(frontier, o, wanted, threshold) for o in open_ones]
            ranks = [_likely(o, m, wanted) for o, m in zip(open_ones, margins, strict=True)]
            place = ranks.index(max(ranks))
            likeliest, needed = open_ones[place], _plays_needed(open_ones[place], margins[place])
    chosen = best if submissions else None
    shown = likeliest or best
    reached = _reached(frontier, shown, wanted, threshold)
    if open_ones:
        longer = _longer(settings, shown["replicates"], needed, reached)
    others = [option for option in options if option is not chosen]
    if likeliest in others:
        others = [likeliest, *(option for option in others if option is not likeliest)]
    metric, days = find(settings["metric"]), int(settings["days"])
    found = {
        "answer": answer,
        "wanted": wanted,
        "submissions": submissions,
        "recommended": chosen,
        "likeliest": likeliest,
        "leaning": likeliest and leaning(likeliest, wanted),
        "safe_submissions": chosen and chosen["safe_submissions"],
        "conservative": chosen and chosen["ci_low"],
        "censored": chosen and chosen["censored"],
        "chance_alone": answer != "safe" and _too_many_at_once(options),
        "tied": [
            o["label"]
            for o in options
            if answer in ("undecided", "fewer")
            and o["ci_low"] == shown["ci_low"]
            and o is not shown
        ],
        "plays_needed": needed,
        "longer": longer,
        "fewest_tested": None if frontier is None else int(tested.min()),
        "most_tested": None if frontier is None else most,
        "concerns": concerns(
            utility,
            leaks=leaks,
            n_features=n_features,
            most=most if frontier is not None and most < wanted else None,
        ),
        "precision": {"wanted": settings.get("precision"), "reached": reached},
        "runner_ups": others,
        "rests_on": {
            "threat": STRONGEST,
            "threshold": float(threshold),
            "unit": metric.unit,
            "spread": metric.spread if unit else "",
            "share": -threshold / unit if unit and metric.spread else None,
            "quantile": float(settings["quantile"]),
            "replicates": shown["replicates"],
            "largest_budget": int(settings["largest_budget"]),
            "days": days,
            "metric": str(settings["metric"]),
            "model": settings.get("model", "ols"),
            "public_rows": n_public,
        },
        "snippets": {},
    }
    if submissions:
        board = of_setting(best["setting"])
        found["snippets"] = snippets(submissions, days, board, str(settings["metric"]))
    said = SENTENCE.render(found=found, best=chosen, likeliest=likeliest, rows=n_public)
    return {"answer": answer, "sentence": said.strip(), **found}


def verdict(option: Mapping[str, Any], wanted: int) -> str:
    """Whether the wanted number is safe on a setting: "yes", "no", "not sure" or "not tested"."""
    if option["ci_low"] >= wanted:
        return "yes"
    if not pd.isna(option["ci_high"]):
        return "no" if option["ci_high"] < wanted else "not sure"
    beyond = option["censored"] and option["safe_submissions"] < wanted
    return "not tested" if beyond else "not sure"


def leaning(option: Mapping[str, Any], wanted: int) -> str:
    """On which side of the wanted number the estimate of a limit lies: "safe" or "unsafe"."""
    return "safe" if option["safe_submissions"] >= wanted else "unsafe"


def _options(
    limits: pd.DataFrame, utility: pd.DataFrame, threshold: float, frontier: pd.DataFrame | None
) -> list[dict]:
    """Limits and usefulness of each setting, with values of JSON types."""
    asked = limits[
        (limits["threat"] == STRONGEST).to_numpy(bool) & is_same(limits["threshold"], threshold)
    ]
    asked = asked[~asked["setting"].map(lambda held: of_setting(held).is_control).astype(bool)]
    if asked.empty:
        held = ", ".join(f"{t:g}" for t in sorted(limits["threshold"].unique())) or "none"
        raise InputError(
            f"recommendation: wanted limits of threat {STRONGEST!r} at the threshold "
            f"{threshold:g}, got none; thresholds of the table: {held}."
        )
    if (twice := asked["setting"].duplicated()).any():
        raise InputError(
            f"recommendation: wanted one limit per leaderboard at the threshold {threshold:g}; "
            f"{of_setting(asked['setting'][twice].iloc[0]).title} has several. Select one data set "
            "and metric."
        )
    known = asked.set_index("setting")[[*_COUNTS, "censored"]]
    known = known.astype(dict.fromkeys(_COUNTS, "Int64")).join(
        utility.set_index("setting").reindex(columns=_FROM_UTILITY)
    )
    if frontier is not None:
        curves = frontier[(frontier["threat"] == STRONGEST).to_numpy(bool)]
        fewest = curves.groupby("setting", observed=True)["submissions"].min()
        known["fewest_tested"] = fewest.astype("Int64")
    options = []
    for row in known.reset_index().to_dict("records"):
        one = of_setting(row["setting"])
        options.append(
            {
                "setting": row["setting"],
                "mechanism": one.name,
                "parameters": one.parameters,
                "label": one.title,
                "fewest_tested": None,
                **{column: _plain(value) for column, value in row.items()},
            }
        )
    return options


def _order(option: Mapping[str, Any], wanted: int) -> tuple:
    """Sort key of the rule: safe settings by usefulness, then the others by cautious limit."""
    floor, difference = (
        np.inf if option[c] is None else float(f"{option[c]:.2g}")
        for c in ("seen_floor", "mean_difference")
    )
    if option["ci_low"] >= wanted:
        return 0, floor, difference, option["label"]
    best = (option["ci_low"], option["safe_submissions"])
    return 1, *(-limit for limit in best), floor, difference, option["label"]


def _likely(option: Mapping[str, Any], margin: float, wanted: int) -> tuple:
    """Sort key: larger if the wanted number is more likely to be safe."""
    safe = option["safe_submissions"]
    return min(safe, wanted), margin, option["ci_low"], safe


def _too_many_at_once(options: list[dict]) -> bool:
    """Whether on most settings even the fewest submissions tested are too many."""
    held = [o for o in options if o["fewest_tested"] is not None]
    below = [o for o in held if o["safe_submissions"] < o["fewest_tested"]]
    return 2 * len(below) > len(options)


def rows_of(table: pd.DataFrame, setting: str) -> pd.DataFrame:
    """The rows of a setting."""
    return table[(table["setting"] == setting).to_numpy(bool)]


def at(curve: pd.DataFrame, wanted: int) -> pd.Series | None:
    """The row of a curve with the most submissions up to `wanted`; None if there is none."""
    curve = curve.sort_values("submissions")
    reached = (curve["submissions"] <= wanted).to_numpy(bool)
    return curve[reached].iloc[-1] if reached.any() else None


def _margin(
    frontier: pd.DataFrame | None, option: Mapping[str, Any], wanted: int, threshold: float
) -> float:
    """Distance of Δ from the threshold at the wanted number, in half widths of its interval.

    It is positive if Δ is above the threshold.  At 1 the interval just excludes the threshold.  0
    means unknown.
    """
    row = None if frontier is None else _strongest_at(frontier, option["setting"], wanted)
    if row is None:
        return 0.0
    delta, low, high = (float(row[c]) for c in ("delta", "delta_low", "delta_high"))
    gap = delta - threshold
    wide = delta - low if gap > 0 else high - delta
    if wide == 0:
        return float(np.sign(gap)) * np.inf
    return gap / wide if np.isfinite(wide) else 0.0


def _strongest_at(frontier: pd.DataFrame, setting: str, wanted: int) -> pd.Series | None:
    """The row of the strongest attacker at the wanted number of submissions."""
    rows = rows_of(frontier, setting)
    return at(rows[(rows["threat"] == STRONGEST).to_numpy(bool)], wanted)


def _plays_needed(option: Mapping[str, Any], margin: float) -> int | None:
    """Approximate number of plays that decide; the widths of intervals shrink as 1/sqrt(plays)."""
    times = 1 / margin**2 if margin else np.inf
    if not 1 < times <= _MOST_TIMES:
        return None
    return int(float(f"{np.ceil(times * option['replicates'] - 1e-6):.2g}"))


def _longer(
    settings: Mapping[str, Any], plays: int, needed: int | None, reached: float | None
) -> dict[str, Any]:
    """Settings of a dry run that decides; the number of plays grows with the minutes."""
    wanted = needed or _HALVED * plays
    found = {"minutes": ceil(settings["minutes"] * wanted / plays)}
    most, narrow = settings.get("most_replicates"), settings.get("precision")
    if most is not None and wanted > most:
        found["most_replicates"] = wanted
    if narrow is not None and reached is not None and reached <= narrow:
        found["precision"] = float(f"{narrow * (plays / wanted) ** 0.5:.2g}")
    return found


def _reached(
    frontier: pd.DataFrame | None, option: Mapping[str, Any], wanted: int, threshold: float
) -> float | None:
    """Width of the interval of Δ near the wanted number, as a share of the threshold."""
    if frontier is None:
        return None
    row = _strongest_at(frontier, option["setting"], wanted)
    width = np.nan if row is None else (row["delta_high"] - row["delta_low"]) / -threshold
    return float(width) if np.isfinite(width) else None


def _plain(value: Any) -> Any:
    """A cell as a JSON type."""
    if pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value
