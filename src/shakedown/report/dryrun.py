"""The dry run's page: the answer first, then what it rests on; one HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from shakedown.attacks.attack import ATTACKS
from shakedown.data.splits import set_sizes
from shakedown.dryrun.answer import given
from shakedown.dryrun.limits import at_threshold, is_same, of_threat
from shakedown.dryrun.options import at, is_attacked, is_proved, leaning, rows_of, verdict
from shakedown.dryrun.published import follows, shows_it
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.snippets import per_day
from shakedown.dryrun.tolerance import answers
from shakedown.figures.dryrun.figure import DRY_RUN_FIGURES
from shakedown.figures.pages import titles_of
from shakedown.interface import Challenge
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.naming import in_words, name_of
from shakedown.leaderboard.settings import settings_in
from shakedown.metrics import ZERO_ONE, find
from shakedown.metrics.classes import NUMBERS
from shakedown.provenance import versions
from shakedown.report.dryrun_rows import (
    DeltaScale,
    asked_of,
    folded,
    interval,
    limit,
    percent,
    proved,
    proved_rank,
    sorting,
    tolerating,
)
from shakedown.report.dryrun_ways import PARTICIPANTS, near, ways
from shakedown.report.glossary import explained
from shakedown.report.pictures import figure_cards
from shakedown.report.templates import PageContent, firm, rendered
from shakedown.theory.metric_bounds import gain_bound
from shakedown.wording import amount, counted, listed, signed

#: The figures that have a place on the page.
FIGURES = tuple(DRY_RUN_FIGURES)

PACKAGES = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "matplotlib")

# Leaderboards of the answer that are seen at once.
_FIRST = 5
#: Public rows on which it is seen why a leaderboard is not attacked.
ROWS = 100


@dataclass(frozen=True, eq=False, kw_only=True)
class DryRunContent(PageContent):
    """All that the page shows; it holds no response and no feature.

    Attributes
    ----------
    dataset : str
    n_features : int
    sizes : mapping of str to int
        Rows of the sets "train", "public" and "final".
    settings : DryRunEntry
    recommendation : mapping
        As `recommendation.recommend` returns it, also after a file.
    limits, frontier : DataFrame
        As `limits.safe_submissions` and `frontier.frontier` return them.
    notes : sequence of str
        What was done to the table; `Challenge.notes`.
    jobs : sequence of mapping
        How each job stopped: replicates, seconds, reason ("narrow", "time" or "most").
    config_path : str
        The file with the configuration.
    longer : str
        The command for a dry run with the settings that the recommendation calls `longer`; "" if
        these must be written into the configuration first.
    """

    dataset: str
    n_features: int
    sizes: Mapping[str, int]
    settings: DryRunEntry
    recommendation: Mapping[str, Any]
    limits: pd.DataFrame
    frontier: pd.DataFrame
    notes: Sequence[str] = ()
    jobs: Sequence[Mapping[str, Any]] = ()
    config_path: str = "config/dryrun.yaml"
    longer: str = ""
    planner: str = ""


def content_of(
    challenge: Challenge,
    config: Mapping[str, Any],
    *,
    recommendation: Mapping[str, Any],
    limits: pd.DataFrame,
    frontier: pd.DataFrame,
    svgs: Iterable[str | Path],
    jobs: Iterable[Mapping[str, Any]],
    longer: str,
    command: str = "",
    config_path: str = "",
    planner: str = "",
) -> DryRunContent:
    """The content of a page from the results of a dry run.

    Parameters
    ----------
    challenge : Challenge
    config : mapping
        The complete configuration.
    recommendation, limits, frontier, longer, config_path, planner
        As in `DryRunContent`.
    svgs, command
        As in `pictures.figure_cards`.
    jobs : iterable of mapping
        How each job stopped, in their order.
    """
    return DryRunContent(
        study=config["study"],
        dataset=challenge.name,
        seed=config["seed"],
        n_features=len(challenge.features),
        sizes=set_sizes(challenge),
        settings=DryRunEntry(**config["dryrun"]),
        recommendation=recommendation,
        limits=limits,
        frontier=frontier,
        figures=figure_cards(svgs, titles_of(DRY_RUN_FIGURES), command),
        notes=challenge.notes,
        jobs=[{"job": number, **stopped} for number, stopped in enumerate(jobs)],
        config_path=config_path,
        longer=longer,
        planner=planner,
        versions=versions(PACKAGES),
        config_text=yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
    )


def render_dryrun(content: DryRunContent) -> str:
    """The page as HTML.

    The same content gives the same bytes.

    Raises
    ------
    InputError
        If a figure has no place on the page, or its file is missing.
    """
    recommendation = content.recommendation
    rests, chosen = recommendation["rests_on"], recommendation["recommended"]
    keys = "threshold", "unit", "share", "spread", "responses"
    scale = DeltaScale(*(rests[key] for key in keys))
    options = [*([chosen] if chosen else []), *recommendation["runner_ups"]]
    shown = recommendation["likeliest"] or options[0]  # which is attacked, if any is
    told = chosen or shown  # which the answer names for now
    first = _first(options)
    worst = of_threat(content.frontier, rests["threat"])
    allowed = recommendation["submissions"] or recommendation["wanted"]
    risk = at(rows_of(worst, options[0]["setting"]), allowed)
    metric = find(content.settings.metric)
    return rendered(
        "dryrun.html.j2",
        content,
        recommendation=recommendation,
        rests=rests,
        scale=scale,
        percent=percent,
        number=amount,
        per_day=per_day,
        chosen=chosen,
        shown=shown,
        told=told,
        called=lambda option: name_of(of_setting(option["setting"])),
        words_for=lambda option: in_words(of_setting(option["setting"])),
        all_tested=any(option["censored"] for option in options),
        does=of_setting(told["setting"]).explained(scale.setting),
        built_in=bool(chosen) and of_setting(chosen["setting"]).shows_all,
        metric=metric,
        of_labels=metric.loss == ZERO_ONE,
        of_numbers=metric.response == NUMBERS,
        given=given(metric, rests) if gain_bound(metric, rests["noise_factor"]) else "",
        risk=None if risk is None else scale.overfit(risk),
        allowed=allowed,
        unsure=any(verdict(option, recommendation["wanted"]) == "not sure" for option in options),
        first=[_answer(option, recommendation, scale) for option in first],
        others=[
            _answer(option, recommendation, scale) for option in options if option not in first
        ],
        by_simulation=any(option["sequence"] == "noise" for option in options),
        ways=ways(content, shown, scale),
        threats=_threats(options),
        participants=PARTICIPANTS,
        further=_further(content, scale),
        tolerating=tolerating(
            answers(worst, options, wanted=recommendation["wanted"], threshold=scale.tolerated),
            recommendation["wanted"],
            scale,
        ),
        sure=_sure(worst, options, recommendation["wanted"], scale),
        words=explained([*settings_in(content.limits), metric]),
        pictures=content.placed(FIGURES),
    )


def _first(options: list[dict]) -> list[dict]:
    """The leaderboards that are seen at once, among them what platforms do."""
    usual = [o for o in options[_FIRST:] if of_setting(o["setting"]).shows_all]
    return [*options[: _FIRST - 1], usual[0]] if usual else options[:_FIRST]


def _answer(
    option: Mapping[str, Any], recommendation: Mapping[str, Any], scale: DeltaScale
) -> dict[str, str]:
    """A row of the answer's table."""
    floor, order = option["seen_floor"], option["rank_correlation"]
    enough = verdict(option, recommendation["wanted"])
    unsure = enough == "not sure"
    badge = {"safe": "recommended", "undecided": "until more plays decide"}
    badges = [
        *(["the most promising"] if option == recommendation["likeliest"] else []),
        *(
            [badge.get(recommendation["answer"], "the safest")]
            if option is recommendation["recommended"]
            else []
        ),
    ]
    return {
        "label": firm(option["label"]),
        "badges": ", ".join(badges),
        "class": "chosen" if badges else "",
        "fold": folded(option),
        "open": bool(badges),
        "safe": limit(option),
        **sorting(option, "safe"),
        "interval": interval(option),
        "why": _why(option, recommendation["rests_on"]["metric"]),
        "enough": f"{enough}, leaning {leaning(option, recommendation['wanted'])}"
        if unsure
        else enough,
        "how": "proved" if enough == "yes" and is_proved(option, recommendation["wanted"]) else "",
        **asked_of(option, recommendation["wanted"]),
        "enough_class": {"yes": "yes", "no": "no"}.get(enough, "unsure"),
        "floor_sort": "" if floor is None else floor,
        "floor": "none that was tested" if floor is None else scale.cell(floor),
        "off": scale.cell(option["mean_difference"]),
        "lag": scale.cell(option["lag"]),
        "rank": "–" if order is None else signed(order),
    }


def _why(option: Mapping[str, Any], metric: str) -> str:
    """What a leaderboard does not publish, and what follows, in words; "" if it says all."""
    terms = of_setting(option["setting"]).terms(find(metric), 2)
    silent = list(dict.fromkeys(terms.silent))
    if files := option["estimating"]:
        said = (
            f"{firm(option['label'])} does not publish what its {listed(silent)} "
            f"{'does' if len(silent) == 1 else 'do'}: attacks spend "
            f"{counted(files, 'file')} to find out"
        )
        if is_attacked(option):
            return f"{said}, which are among the safe submissions."
        return f"{said}. Then they reach nothing, which proves nothing: it is not attacked."
    if is_attacked(option):
        return ""
    kinds = [ATTACKS.find(name) for name in option["unplayed"].split(", ")]
    names = [kind.label for kind in kinds]
    if not follows(option["setting"], metric, ROWS):
        return (
            f"{firm(option['label'])} is not attacked: on a simulated response it does not show a "
            f"better file as better, and without that {listed(names)} cannot play."
        )
    if not silent and shows_it(option["setting"], metric, ROWS, on_labels=kinds[0].on_labels):
        return (
            f"{firm(option['label'])} is not attacked: no attack is made for what it shows. "
            f"{listed(names)} would learn nothing."
        )
    if not silent:
        return (
            f"{firm(option['label'])} is not attacked: on a simulated response it shows other "
            f"numbers than it publishes, and {listed(names)} believe what it publishes. Correct "
            "the method `terms` of its release to have it attacked."
        )
    return (
        f"{firm(option['label'])} is not attacked: its {listed(silent)} "
        f"{'publishes' if len(silent) == 1 else 'publish'} no terms, and without them "
        f"{listed(names)} cannot play. Write the method `terms` to have it attacked."
    )


def _threats(options: list[dict]) -> list[dict[str, str]]:
    """Safe submissions of each kind of participant, leaderboard by leaderboard.

    Not all of them play on each: fitted models do not on a metered one.
    """
    rows = []
    nobody = {
        cell: text
        for option in options
        for threat in option["threats"]
        for cell, text in ((threat, "–"), (f"{threat}_interval", ""))
    }
    for option in options:
        cells = {**nobody, "label": firm(option["label"]), "proved": proved(option)}
        cells["fold"] = folded(option)
        cells["proved_sort"] = proved_rank(option)
        for threat, own in option["threats"].items():
            own = own | {"fewest_tested": option["fewest_tested"]}
            cells |= {threat: limit(own), f"{threat}_interval": interval(own)}
            cells |= sorting(own, threat)
        rows.append(cells)
    return rows


def _further(content: DryRunContent, scale: DeltaScale) -> list[dict[str, Any]]:
    """The limits at the other thresholds, leaderboard by leaderboard."""
    threat = content.recommendation["rests_on"]["threat"]
    worst, curves = of_threat(content.limits, threat), of_threat(content.frontier, threat)
    fewest = curves.groupby("setting", observed=True)["submissions"].min()
    parts = []
    for threshold in sorted(set(worst["threshold"]), reverse=True):
        if is_same(threshold, scale.tolerated):
            continue
        rows = []
        for row in at_threshold(worst, threshold).to_dict("records"):
            cells = row | {"fewest_tested": fewest.get(row["setting"])}
            label = firm(of_setting(row["setting"]).title)
            safe = {"safe": limit(cells), "interval": interval(cells)}
            rows.append({"label": label, **safe, **sorting(cells, "safe")})
        parts.append({"tolerated": scale.threshold(threshold), "rows": rows})
    return parts


def _sure(
    worst: pd.DataFrame, options: list[dict], wanted: int, scale: DeltaScale
) -> list[dict[str, Any]]:
    """Per leaderboard: plays, Δ near the wanted number, and how wide its interval is."""
    rows = []
    for option in options:
        curve = rows_of(worst, option["setting"])
        if len(curve):
            row = near(curve, wanted)
            width = percent((row["delta_high"] - row["delta_low"]) / -scale.tolerated)
            cells = {"label": firm(option["label"]), "plays": int(row["replicates"])}
            rows.append(cells | {"width": width} | scale.overfit(row, scale.cell))
    return rows
