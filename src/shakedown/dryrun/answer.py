"""The answer of a dry run in words."""

from __future__ import annotations

from jinja2 import Environment

#: Of the keys of a recommendation's file: 2 since leaderboards have a status.
VERSION = 2
#: For whom a limit holds, by the threat: what follows a number of submissions in a sentence.
WHOM = {
    "adversary": ", whoever submits",
    "modeller": " if all submit fitted models",
    "null_adversary": " against arbitrary numbers",
    "holder": " against arbitrary numbers on top of an honest model",
}
#: The same where only arbitrary labels are played, unless it is proved.
OF_LABELS = " against arbitrary labels"
#: The answer in words: the page's headline, and the `sentence` of the recommendation's file.
SENTENCE = Environment(autoescape=False, trim_blocks=True).from_string("""\
{% macro number(n) %}{{ "{:,}".format(n) }}{% endmacro %}
{% set wanted %}
{{ number(found.wanted) }} submission{{ "s" if found.wanted != 1 }} per participant{% endset %}
{% for warning in found.warnings %}
{{ warning }} {% endfor %}
{% if found.too_few_rows %}
With {{ "only " ~ number(rows) if rows else "so few" }} public rows, even \
{{ number(found.fewest_tested) }} submissions, the fewest tested, are too many on most \
leaderboards. {% endif %}
{% if found.answer == "safe" %}
Use {{ best.label }}: {{ wanted }} {{ "is" if found.wanted == 1 else "are" }} safe{{ whom }}.
{%- if modelled and anybody and anybody.ci_low < found.wanted %} With arbitrary numbers instead of \
predictions, {{ number(anybody.ci_low) if anybody.ci_low else "not even a few" }} are.
{%- elif not modelled and found.holds == "proved" %} This is proved: whatever \
{% if accounts == 1 %}an account submits, its{% else %}{{ number(accounts) }} accounts that work \
together submit, their{% endif %} mean overfit stays within what you tolerate, if {{ given }}.
{%- elif not modelled %} This is measured, not proved: a stronger attack than those played may \
exist.
{%- endif %}
{%- elif found.answer == "undecided" %}
Not decided yet, leaning {{ found.leaning }}: after {{ number(likeliest.replicates) }} plays no \
leaderboard is known to be safe for {{ wanted }}{{ whom }}. The most promising is \
{{ likeliest.label }}, which is safe for {% if found.leaning == "safe" %}as many{% elif \
likeliest.safe_submissions %}only {{ number(likeliest.safe_submissions) }}{% else %}none\
{% endif %} if its estimate is right.
{%- if found.plays_needed %} About {{ number(found.plays_needed) }} plays, in \
{{ found.longer.minutes }} minute{{ "s" if found.longer.minutes != 1 }}, would settle \
it.{% endif %}
{%- if best %} Until more plays decide, allow at most {{ number(found.submissions) }}\
{% if best.setting != likeliest.setting %}, on {{ best.label }}{% endif %}.{% endif %}
{% elif found.answer == "fewer" %}
No leaderboard tested is known to be safe for {{ wanted }}{{ whom }}. The safest is \
{{ best.label }}: allow at most {{ number(found.submissions) }}.
{%- else %}
No leaderboard tested is known to be safe for {{ wanted }}{{ whom }}, nor for any smaller number \
tested.
{%- endif %}
{% if found.would_hold and found.answer in ("fewer", "none") %} A digest of \
{{ found.would_hold.updates }} updates would hold with {{ number(found.would_hold.rows) }} public \
rows: that is proved, if {{ given }}.
{%- endif %}""")
