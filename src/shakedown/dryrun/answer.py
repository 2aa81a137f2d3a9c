"""The answer of a dry run in words: what to do comes first, and parameters come last."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from jinja2 import Environment

from shakedown.attacks.attack import ANYBODY, MODELLER
from shakedown.dryrun.choice import LeaderboardChoice
from shakedown.dryrun.shares import full, spread_of, written
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.naming import exact, in_words
from shakedown.metrics import ZERO_ONE, Metric
from shakedown.theory.metric_bounds import gain_bound, is_squared_of_labels

#: Of the keys of a recommendation's file: 3 since it says who wins, 2 since leaderboards have a
#: status.
VERSION = 3
#: For whom a limit holds, by the threat: what follows a number of submissions in a sentence.
WHOM = {
    "adversary": ", whoever submits",
    "modeller": " if all submit fitted models",
    "null_adversary": " against arbitrary numbers",
    "holder": " against arbitrary numbers on top of an honest model",
}
#: The same on labels, where it is said in other words.
OF_LABELS = {
    "null_adversary": " against arbitrary labels without a model",
    "holder": " against arbitrary labels on top of an honest model",
}
_TEMPLATES = Environment(autoescape=False, trim_blocks=True)
_WORDS = """\
{% macro number(n) %}{{ "{:,}".format(n) }}{% endmacro %}
{% set wanted %}
{{ number(recommendation.wanted) }} submission{{ "s" if recommendation.wanted != 1 }} \
per participant{% endset %}
{% set are = "is" if recommendation.wanted == 1 else "are" %}
"""
#: Which leaderboard, and how many submissions.
_HEADLINE = _TEMPLATES.from_string(
    _WORDS
    + """\
{% if recommendation.answer == "safe" %}
Use {{ words(best) }}: {{ wanted }} {{ are }} safe{{ whom }}.
{%- elif recommendation.answer == "undecided" %}
Not decided yet, leaning {{ recommendation.leaning }}: {{ number(likeliest.replicates) }} plays \
cannot tell whether {{ wanted }} {{ are }} safe{{ whom }}.
{%- if best %} Until more plays decide, allow at most {{ number(recommendation.submissions) }} on \
{{ words(best) }}.{% endif %}
{% elif recommendation.answer == "fewer" %}
No leaderboard tested is known to be safe for {{ wanted }}{{ whom }}. On the safest, \
{{ words(best) }}, allow at most {{ number(recommendation.submissions) }}.
{%- else %}
No leaderboard tested is known to be safe for {{ wanted }}{{ whom }}, nor for any smaller number \
tested.
{%- endif %}"""
)
#: What that protects from, what it rests on, and what else there is.
_MEANING = _TEMPLATES.from_string(
    _WORDS
    + """\
{% set unproved %}
{% if best and not modelled and not recommendation.proved_boards %}
 Nothing is proved\
{% if recommendation.unproved %} for data with {{ recommendation.unproved }}\
{% elif of_metric %} under the {{ of_metric }}\
{% else %} here for {{ wanted }}{% endif %}.{% endif %}
{% endset %}
{% if recommendation.too_few_rows %}
With {{ "only " ~ number(rows) if rows else "so few" }} {{ of_rows }}, even \
{{ number(recommendation.fewest_tested) }} submissions, the fewest tested, are too many on most \
leaderboards. {% endif %}
{% if best and scores is not none and scores < 2 %}
With {{ number(recommendation.submissions) }} submissions a team sees \
{{ "one new score" if scores else "no new score" }} there. {% endif %}
{% if recommendation.answer == "safe" %}
{% if modelled and anybody and anybody.ci_low < recommendation.wanted %}
If participants submit arbitrary {{ arbitrary }} instead of predictions, \
{{ "only " ~ number(anybody.ci_low) if anybody.ci_low else "not even a few" }} \
{{ "is" if anybody.ci_low == 1 else "are" }} safe.
{%- elif not modelled and recommendation.holds == "proved" %}
This is proved, if {{ given }}: whatever {% if accounts == 1 %}an account submits{% else %}\
{{ number(accounts) }} accounts that work together submit{% endif %}, the public score of the last \
file is too good by at most {{ tolerated }}, on average and for {{ most }} of those who try.
{%- elif not modelled %}
This is {% if recommendation.holds == "proved on average" %}proved on average, and otherwise \
measured{% else %}measured, not proved{% endif %}: for {{ most }} of those who try, no attack that \
was played makes a public score too good by more than {{ tolerated }}. A stronger attack may \
exist.{{ unproved }}
{%- endif %}
{%- if not modelled and recommendation.instead %}
{% set other = recommendation.instead %} The most useful one that is \
{% if other.holds == "proved" %}proved{% else %}safe without a proof{% endif %} is \
{{ words(other) }}\
{% if other.lag is not none and best.lag is not none %}: the best score that teams see there \
trails their true best by {{ size(other.lag) }} instead of {{ size(best.lag) ~ of_spread }}\
{% endif %}.
{%- if other.holds == "proved on average" %} It is proved only on average.
{%- elif other.holds == "measured" %} It is measured: a stronger attack may exist.
{%- endif %}
{%- endif %}
{%- elif recommendation.answer == "undecided" %}
{% if best and best.setting == likeliest.setting %}It is also the most promising\
{% elif best and words(best) == words(likeliest) %}The most promising is the same with another \
setting\
{% else %}The most promising is {{ words(likeliest) }}{% endif %}: if its estimate is right, it is \
safe for {% if recommendation.leaning == "safe" %}all {{ number(recommendation.wanted) }}{% elif \
likeliest.safe_submissions %}only {{ number(likeliest.safe_submissions) }}{% else %}none\
{% endif %}.
{%- if recommendation.plays_needed %} About {{ number(recommendation.plays_needed) }} plays, in \
{{ recommendation.longer.minutes }} minute{{ "s" if recommendation.longer.minutes != 1 }}, would \
settle it.{% endif %}{{ unproved }}
{%- else %}{{ unproved }}
{%- endif %}
{% if recommendation.would_hold and recommendation.answer in ("fewer", "none") %} A digest of \
{{ recommendation.would_hold.updates }} updates would be safe with \
{{ number(recommendation.would_hold.rows) }} public rows. This is proved, if {{ given }}.
{%- endif %}"""
)


def answered(
    recommendation: Mapping[str, Any],
    choice: LeaderboardChoice,
    metric: Metric,
    *,
    of_rows: str,
) -> dict[str, str]:
    """The answer in words, by what it tells.

    Parameters
    ----------
    recommendation : mapping
        As `recommendation.recommend` makes it, but for the words.
    choice : LeaderboardChoice
    metric : Metric
    of_rows : str
        What is counted as public rows.

    Returns
    -------
    dict of str
        - headline: which leaderboard, how many submissions, and against whom.
        - meaning: what that protects from, what it rests on, and what else there is; or "".
        - exact: the leaderboards of both with all their parameters; or "".
    """
    rests = recommendation["rests_on"]
    size = partial(written, rests=rests)
    spread = spread_of(rests)
    parts = {
        "recommendation": recommendation,
        "best": choice.chosen,
        "likeliest": choice.likeliest,
        "scores": choice.chosen
        and of_setting(choice.chosen["setting"]).scores_within(recommendation["submissions"]),
        "words": lambda option: in_words(of_setting(option["setting"])),
        "of_metric": metric.label if gain_bound(metric, rests["noise_factor"]) is None else "",
        "size": size,
        "of_spread": f" of {spread}" if spread else f" {rests['unit']}".rstrip(),
        "tolerated": full(-rests["threshold"], rests, metric.label),
        "rows": rests["public_rows"],
        "of_rows": f"{of_rows}s",
        "whom": (WHOM | OF_LABELS if metric.loss == ZERO_ONE else WHOM)[rests["threat"]],
        "arbitrary": "labels" if metric.loss == ZERO_ONE else "numbers",
        "accounts": rests["accounts"],
        "modelled": rests["threat"] == MODELLER,
        "given": given(metric, rests),
        "most": f"{100 * (1 - rests['quantile']):.3g} %",
        "anybody": choice.chosen and choice.chosen["threats"].get(ANYBODY),
    }
    return {
        "headline": _HEADLINE.render(parts).strip(),
        "meaning": _MEANING.render(parts).strip(),
        "exact": _exact(choice, recommendation["instead"]),
    }


def _exact(choice: LeaderboardChoice, instead: Mapping[str, Any] | None) -> str:
    """The leaderboards that the words name, with all parameters."""
    named = [option for option in (choice.chosen, choice.likeliest, instead) if option]
    titles = dict.fromkeys(exact(of_setting(option["setting"])) for option in named)
    titles.pop("", None)
    if not titles:
        return ""
    return f"Exact setting{'s' if len(titles) > 1 else ''}: {'; '.join(titles)}."


def given(metric: Metric, rests: Mapping[str, Any]) -> str:
    """What a proof assumes, as a sentence says it after "if".

    Parameters
    ----------
    metric : Metric
    rests : mapping
        row_variance, group and responses, as in a recommendation's `rests_on`.
    """
    group, row_variance = rests["group"], rests["row_variance"]
    if metric.loss == ZERO_ONE or is_squared_of_labels(metric):
        between = f" between groups of rows ('{group}')" if group else ""
        return f"the public labels are independent{between}"
    varies = f", in no row with more than {row_variance:g} times the average variance"
    noise = "the noise of the response is independent and about Gaussian"
    if group or rests["responses"] > 1:
        apart = f"groups of rows ('{group}')" if group else "rows"
        noise = f"the noise of the response is about Gaussian and independent between {apart}"
    noise += varies if row_variance > 1.0 else ""
    return f"{noise}, and nobody has a model of it" if metric.root else noise
