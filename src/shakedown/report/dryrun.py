"""The dry run's page: the answer first, then what it rests on; one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from shakedown.figures.selection import Setting, rows_of, settings_of
from shakedown.interface import InputError
from shakedown.outcomes import STRONGEST
from shakedown.recommendation import at, setting_of
from shakedown.report.dryrun_rows import answer, delta, delta_interval, firm, how, interval, limit
from shakedown.report.dryrun_words import (
    LEADERBOARDS,
    PARAMETERS,
    PARTICIPANTS,
    REASONS,
    WHY,
    WORDS,
)
from shakedown.report.page import FigureCard, environment
from shakedown.report.pictures import picture
from shakedown.snippets import per_day
from shakedown.wording import amount, attack_name, counted, metric_name

#: The figures that have a place on the page.
FIGURES = ("safe_limits", "frontier_split", "protection", "acceptance")

# Leaderboards of the answer that are seen at once.
_FIRST = 5

_MISSING = "–"


@dataclass(frozen=True, eq=False)
class DryRunContent:
    """All that the page holds.  Neither a response nor a feature is among it.

    Attributes
    ----------
    study, dataset : str
    seed : int
    n_features : int
    sizes : mapping of str to int
        Rows of the sets "train", "public" and "final".
    settings : mapping
        The dry run's settings, complete; see the schema.
    recommendation : mapping
        As `recommendation.recommend` returns it, also after a file.
    limits : DataFrame
        As `limits.safe_submissions` returns it.
    frontier : DataFrame
        As `limits.frontier` returns it.
    figures : mapping of str to FigureCard
        By their names in `FIGURES`; those that are missing are left out.
    narrow : mapping of str to FigureCard
        Some of the same, laid out for phones, which see these instead.
    notes : sequence of str
        What was done to the table; `Challenge.notes`.
    lanes : sequence of mapping
        How each lane stopped: lane, replicates, seconds, reason ("narrow", "time" or "most").
    versions : mapping of str to str
        Package (and Python) to version.
    config_text : str
        The complete configuration.
    """

    study: str
    dataset: str
    seed: int
    n_features: int
    sizes: Mapping[str, int]
    settings: Mapping[str, Any]
    recommendation: Mapping[str, Any]
    limits: pd.DataFrame
    frontier: pd.DataFrame
    figures: Mapping[str, FigureCard] = field(default_factory=dict)
    narrow: Mapping[str, FigureCard] = field(default_factory=dict)
    notes: Sequence[str] = ()
    lanes: Sequence[Mapping[str, Any]] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    config_text: str = ""


def render_dryrun(content: DryRunContent) -> str:
    """The page as HTML.

    The same content gives the same bytes.

    Parameters
    ----------
    content : DryRunContent

    Returns
    -------
    str

    Raises
    ------
    InputError
        If a figure has no place on the page, or its file is missing or damaged.
    """
    if unknown := sorted({*content.figures, *content.narrow} - set(FIGURES)):
        raise InputError(
            f"the dry run's page has no place for the figures {unknown}; wanted some of "
            f"{list(FIGURES)}."
        )
    found = content.recommendation
    chosen = found["recommended"]
    options = [*([chosen] if chosen else []), *found["runner_ups"]]
    first, others = _split(options)
    rests = found["rests_on"]
    shown = found["likeliest"] or chosen or options[0]
    allowed = found["submissions"]
    return environment().get_template("dryrun.html.j2").render(
        content=content,
        found=found,
        chosen=chosen,
        shown=shown,
        metric=metric_name(str(content.settings["metric"])),
        basis=f"From {counted(int(rests['replicates']), 'play')}; tolerated: {rests['tolerated']}.",
        precision=_precision(found["precision"]),
        rows=sum(content.sizes.values()),
        first=[answer(option, found) for option in first],
        others=[answer(option, found) for option in others],
        daily=per_day(allowed, int(rests["days"])) if allowed else None,
        noise=any(option["sequence"] == "noise" for option in options),
        what=LEADERBOARDS,
        ways=_ways(content, shown),
        further=_further(content),
        sure=_sure(content, options),
        stopped=_stopped(content.lanes),
        counted_wanted=counted(found["wanted"], "submission"),
        in_time=any(lane["reason"] == "time" for lane in content.lanes),
        data=[(note, _why(note)) for note in content.notes],
        words=[(word, _marked(meaning)) for word, meaning in _words(content)],
        sentence=firm(found["sentence"]),
        advice=[_marked(sentence) for sentence in found["advice"]],
        warnings=[_marked(sentence) for sentence in found["warnings"]],
        price=firm(found["price"]),
        ties=firm(found["ties"]),
        not_covered=[_marked(sentence) for sentence in found["does_not_cover"]],
        pictures={
            name: picture(content.figures, content.narrow, name, n)
            for n, name in enumerate(FIGURES)
        },
    )  # fmt: skip


def _split(options: list[dict]) -> tuple[list[dict], list[dict]]:
    """Those seen at once, among them what platforms do, and the others."""
    first = options[:_FIRST]
    usual = [o for o in options[_FIRST:] if o["mechanism"] == "full_disclosure"]
    if usual:
        first = [*first[:-1], usual[0]]
    return first, [option for option in options if option not in first]


def _at(curve: pd.DataFrame, wanted: int) -> pd.Series | None:
    """The row of a curve at the wanted number of submissions, or the nearest that there is."""
    row = at(curve, wanted)
    if row is None and len(curve):
        return curve.sort_values("submissions").iloc[0]
    return row


def _ways(content: DryRunContent, option: Mapping[str, Any]) -> list[dict[str, str]]:
    """Each kind of participant against one leaderboard: what it does, and how far it gets."""
    setting, found = setting_of(option), content.recommendation
    tolerated, tried = found["rests_on"]["threshold"], int(content.frontier["submissions"].max())
    curves = rows_of(content.frontier, setting)
    limits = _at_threshold(rows_of(content.limits, setting), tolerated)
    told = []
    kinds = [*PARTICIPANTS, *sorted(set(curves["threat"].astype(str)) - set(PARTICIPANTS))]
    for threat in kinds:
        own = curves[(curves["threat"] == threat).to_numpy(bool)]
        row = _at(own, found["wanted"])
        held = limits[(limits["threat"] == threat).to_numpy(bool)]
        if row is None or held.empty:
            continue
        name, does = PARTICIPANTS.get(threat, (attack_name(threat), ""))
        first = int(own["submissions"].min())
        ends = {"last": int(own["submissions"].max()), "tried": tried}
        cells = {c: None if pd.isna(v) else v for c, v in held.iloc[0].items()}
        told.append(
            {
                "name": name,
                "does": does,
                "how": how(row),
                "submissions": f"{int(row['submissions']):,}",
                "delta": delta(row["delta"], tolerated),
                "interval": delta_interval(row, tolerated),
                "safe": limit(cells, first, **ends),
                "safe_interval": interval(cells, first, **ends),
            }
        )
    return told


def _at_threshold(limits: pd.DataFrame, threshold: float) -> pd.DataFrame:
    return limits[np.isclose(limits["threshold"].to_numpy(float), threshold, rtol=1e-9, atol=0)]


def _further(content: DryRunContent) -> list[dict[str, Any]]:
    """The limits at the other thresholds, leaderboard by leaderboard."""
    first = content.recommendation["rests_on"]["threshold"]
    worst = content.limits[(content.limits["threat"] == STRONGEST).to_numpy(bool)]
    curves = content.frontier[(content.frontier["threat"] == STRONGEST).to_numpy(bool)]
    told = []
    for threshold in sorted(set(worst["threshold"]), reverse=True):
        part = _at_threshold(worst, threshold)
        if np.isclose(threshold, first, rtol=1e-9, atol=0):
            continue
        rows = []
        for setting in settings_of(part):
            row = rows_of(part, setting).iloc[0]
            tried = rows_of(curves, setting)["submissions"]
            least = None if tried.empty else int(tried.min())
            rows.append(
                {
                    "label": firm(setting.label),
                    "safe": limit(row, least),
                    "interval": interval(row, least),
                }
            )
        unit = content.recommendation["rests_on"]["unit"]
        told.append({"tolerated": f"{amount(-threshold)} {unit}".strip(), "rows": rows})
    return told


def _sure(content: DryRunContent, options: list[dict]) -> list[dict[str, str]]:
    """Per leaderboard: replicates, Δ at the wanted number, and how wide its interval is."""
    found = content.recommendation
    tolerated = found["rests_on"]["threshold"]
    worst = content.frontier[(content.frontier["threat"] == STRONGEST).to_numpy(bool)]
    told = []
    for option in options:
        row = _at(rows_of(worst, setting_of(option)), found["wanted"])
        if row is None:
            continue
        width = (row["delta_high"] - row["delta_low"]) / -tolerated
        told.append(
            {
                "label": firm(option["label"]),
                "replicates": f"{int(row['replicates']):,}",
                "submissions": f"{int(row['submissions']):,}",
                "delta": delta(row["delta"], tolerated),
                "interval": delta_interval(row, tolerated),
                "width": _MISSING if pd.isna(width) else f"{100 * width:,.0f} %",
            }
        )
    return told


def _precision(precision: Mapping[str, Any]) -> str:
    """That the plays ended before the interval was as narrow as wanted; else ""."""
    wanted, reached = precision["wanted"], precision["reached"]
    if wanted is None or (reached is not None and reached <= wanted):
        return ""
    got = "too few plays for any" if reached is None else f"reached {100 * reached:,.0f} %"
    return f"Precision: interval wanted ≤ {100 * wanted:.3g} % of what is tolerated, {got}."


def _stopped(lanes: Sequence[Mapping[str, Any]]) -> str:
    """Why the plays ended, in a sentence."""
    if not lanes:
        return ""
    parts = [
        f"{counted(int(lane['replicates']), 'replicate')} in {lane['seconds']:,.0f} s, until "
        f"{REASONS.get(lane['reason'], str(lane['reason']))}"
        for lane in lanes
    ]
    if len(parts) == 1:
        return f"One job played {parts[0]}."
    total = counted(sum(int(lane["replicates"]) for lane in lanes), "replicate")
    return f"{len(lanes)} jobs beside each other played {total} in all: {'; '.join(parts)}."


def _marked(sentence: str) -> Markup:
    """A sentence in which keys of the configuration stand between backticks."""
    parts = firm(sentence).split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if n % 2 else part for n, part in enumerate(parts)
    )


def _why(note: str) -> str:
    return " ".join(why for words, why in WHY if words in note)


def _words(content: DryRunContent) -> list[tuple[str, str]]:
    settings = settings_of(content.limits)
    names = dict.fromkeys(setting.mechanism for setting in settings)
    boards = [(Setting(name).label, LEADERBOARDS[name]) for name in names if name in LEADERBOARDS]
    used = [
        words
        for parameter, words in PARAMETERS.items()
        if any(getattr(setting, parameter) is not None for setting in settings)
    ]
    return [*WORDS, *boards, *used]
