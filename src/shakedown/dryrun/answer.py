"""The answer of a dry run in words."""

from __future__ import annotations

from jinja2 import Environment

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
#: The answer in words: the page's headline, and the `sentence` of the recommendation's file.
SENTENCE = Environment(autoescape=False, trim_blocks=True).from_string("""\
{% macro number(n) %}{{ "{:,}".format(n) }}{% endmacro %}
{% set wanted %}
{{ number(recommendation.wanted) }} submission{{ "s" if recommendation.wanted != 1 }} \
per participant{% endset %}
{% for warning in recommendation.warnings %}
{{ warning }} {% endfor %}
{% if recommendation.too_few_rows %}
With {{ "only " ~ number(rows) if rows else "so few" }} {{ of_rows }}, even \
{{ number(recommendation.fewest_tested) }} submissions, the fewest tested, are too many on most \
leaderboards. {% endif %}
{% if best and not modelled and not recommendation.proved_boards %}
Nothing is proved\
{% if recommendation.unproved %} of data with {{ recommendation.unproved }}\
{% elif of_metric %} of the {{ of_metric }}\
{% else %} here for {{ wanted }}{% endif %}: what follows is measured. {% endif %}
{% if recommendation.answer == "safe" %}
Use {{ best.label }}: {{ wanted }} {{ "is" if recommendation.wanted == 1 else "are" }} \
safe{{ whom }}.
{%- if modelled and anybody and anybody.ci_low < recommendation.wanted %} With arbitrary \
{{ arbitrary }} instead of predictions, \
{{ number(anybody.ci_low) if anybody.ci_low else "not even a few" }} are.
{%- elif not modelled and recommendation.holds == "proved" %} This is proved: whatever \
{% if accounts == 1 %}an account submits, its{% else %}{{ number(accounts) }} accounts that work \
together submit, their{% endif %} overfit stays within what you tolerate, on average \
and for {{ most }} of those who try, if {{ given }}.
{%- elif not modelled %} This is measured, not proved\
{% if recommendation.holds == "proved on average" %}, except on average{% endif %}: a stronger \
attack than those played may exist{% if recommendation.unproved %}, and nothing is called proved \
of data with \
{{ recommendation.unproved }}{% endif %}.
{%- endif %}
{%- if not modelled and recommendation.instead %}
{% set other = recommendation.instead %} The most useful leaderboard that is \
{% if other.holds == "proved" %}proved{% else %}safe without a proof{% endif %} is \
{{ other.label }}\
{% if other.lag is not none and best.lag is not none %}: its lag is {{ lag(other) }} instead of \
{{ lag(best) ~ unit }}{% endif %}.
{%- if other.holds == "proved on average" %} It is proved only on average.
{%- elif other.holds == "measured" %} It is measured: a stronger attack may exist.
{%- endif %}
{%- endif %}
{%- elif recommendation.answer == "undecided" %}
Not decided yet, leaning {{ recommendation.leaning }}: after {{ number(likeliest.replicates) }} \
plays no leaderboard is known to be safe for {{ wanted }}{{ whom }}. The most promising is \
{{ likeliest.label }}, which is safe for {% if recommendation.leaning == "safe" %}as many{% elif \
likeliest.safe_submissions %}only {{ number(likeliest.safe_submissions) }}{% else %}none\
{% endif %} if its estimate is right.
{%- if recommendation.plays_needed %} About {{ number(recommendation.plays_needed) }} plays, in \
{{ recommendation.longer.minutes }} minute{{ "s" if recommendation.longer.minutes != 1 }}, would \
settle it.{% endif %}
{%- if best %} Until more plays decide, allow at most {{ number(recommendation.submissions) }}\
{% if best.setting != likeliest.setting %}, on {{ best.label }}{% endif %}.{% endif %}
{% elif recommendation.answer == "fewer" %}
No leaderboard tested is known to be safe for {{ wanted }}{{ whom }}. The safest is \
{{ best.label }}: allow at most {{ number(recommendation.submissions) }}.
{%- else %}
No leaderboard tested is known to be safe for {{ wanted }}{{ whom }}, nor for any smaller number \
tested.
{%- endif %}
{% if recommendation.would_hold and recommendation.answer in ("fewer", "none") %} A digest of \
{{ recommendation.would_hold.updates }} updates would hold with \
{{ number(recommendation.would_hold.rows) }} public rows: that is proved, if {{ given }}.
{%- endif %}""")
