"""The answer of a dry run: which leaderboard, how many submissions, and what that rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from pydantic_core import to_jsonable_python

from shakedown.attacks.adversary import Adversary
from shakedown.attacks.attack import ANYBODY, ATTACKS, MODELLER, THREATS, Attack
from shakedown.dryrun.answer import VERSION, answered
from shakedown.dryrun.assumptions import why_unproved
from shakedown.dryrun.choice import LeaderboardChoice, choose, strongest_at
from shakedown.dryrun.limits import of_threat
from shakedown.dryrun.options import options_of
from shakedown.dryrun.proof import would_hold
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.snippets import snippets
from shakedown.dryrun.thresholds import sized
from shakedown.dryrun.warnings import too_fine_to_tell, warnings_of
from shakedown.dryrun.who_wins import who_wins
from shakedown.leaderboard.mechanism import of_setting
from shakedown.metrics import Metric, find
from shakedown.wording import PUBLIC_CELL, PUBLIC_ROW

#: Factor of the minutes if the number of plays needed is unknown: it halves the intervals.
_HALVED = 4


def recommend(
    limits: pd.DataFrame,
    utility: pd.DataFrame,
    *,
    settings: DryRunEntry,
    threshold: float,
    unit: float | None = None,
    n_public: int | None = None,
    frontier: pd.DataFrame | None = None,
    leaks: Sequence[str] = (),
    n_features: int | None = None,
    found: Sequence[Mapping[str, Any]] = (),
    standard_error: float | None = None,
    noise_factor: float | None = None,
    responses: int = 1,
    group: str = "",
    final_rows: pd.DataFrame | None = None,
) -> dict[str, Any]:
    """Choose a leaderboard by the rule of `choice`, and say what the answer rests on.

    Parameters
    ----------
    limits : DataFrame
        As `shakedown.dryrun.limits.safe_submissions` returns it, for one data set and metric.
    utility : DataFrame
        As `usefulness.measure.measure` returns it; a setting without a row is taken to show no
        gain.
    settings : DryRunEntry
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
    found : sequence of mapping
        Assumptions that visibly fail, as `assumptions.findings` returns them.
    standard_error : float, optional
        Of one public score, as `resolution.standard_error` returns it.
    noise_factor : float, optional
        As `noise.noise_factor` returns it; by default the largest variance of a row.
    responses : int
        Of each row; with several, rows here are cells.
    group : str
        The column of groups; "" if rows are independent.
    final_rows : DataFrame, optional
        As `final_rows.of_dryrun.final_rows` returns it.

    Returns
    -------
    dict
        Values are JSON types.

        - assumptions: those that visibly fail and concern the answer, with the number that each
          changes; of modellers, whose response is shuffled, only dependent rows.
        - unproved: which of them withhold what would be proved, in words; "" if none does.
        - holds: whether the number to allow is "proved", on average and at the quantile, "proved on
          average" alone, or "measured"; proved: whether it is the first; proved_boards: on how many
          leaderboards the wanted number is; instead: if the answer is "safe", setting, label, lag,
          rank_correlation and holds of the most useful safe leaderboard that is proved if the
          recommended one is not, and the other way round, or None; against: the attacks that
          were played; rests_on.threat: the participants for whom it holds.
        - answer: "safe", "undecided" (all cautious limits are below the wanted number, but at least
          one interval includes it), "fewer" (the wanted number is too large) or "none" (no number
          tested is safe); headline, meaning, exact: the answer in words, as `answer.answered`
          returns it; sentence: all of it, after what was found and before what is too fine.
        - wanted: the wanted number; submissions: the number to allow (until more plays decide, if
          undecided), or None.
        - recommended: setting, mechanism, parameters, label, limits and usefulness of the
          leaderboard to use (until more plays decide, if undecided), or None; safe_submissions,
          conservative and censored: its estimate, its cautious limit and whether this is the
          largest number tested.
        - likeliest: if undecided, the setting for which the wanted number is most likely safe.
        - leaning: if undecided, "safe" if the estimate for the likeliest setting is at least the
          wanted number, "unsafe" if it is smaller; else None.
        - too_few_rows: whether even the fewest submissions tested are too many on most settings.
        - tied: if no setting is safe, labels of the settings with the same cautious limit.
        - would_hold: if no setting is safe, a digest that is proved with more public rows, see
          `proof.would_hold`; else None.
        - plays_needed: approximate number of plays that decide if the estimate is right, or None.
        - longer: the settings, such as minutes, of a dry run with so many plays (four times as many
          as now if plays_needed is None), or None.
        - fewest_tested, most_tested: the fewest and the most submissions tested, or None.
        - warnings: sentences on the data that open the answer; see `warnings.warnings_of`.
        - too_fine: a sentence if the public rows cannot resolve what is tolerated, which also ends
          the key sentence; see `warnings.too_fine_to_tell`.
        - precision: wanted and reached width of the interval, as shares of the threshold.
        - runner_ups: all other settings, in the order of the rule; last those that are not
          attacked, whose `status` says so and whose `unplayed` names the attacks that cannot play.
        - who_wins: how likely the best team wins, which differences count, and what another split
          would give; None if `final_rows` is.  See `who_wins.who_wins`.
        - version: of these keys: 3 since there is who_wins, 2 since a setting has a status.
        - rests_on: the settings that the answer depends on.
        - snippets: the limits as text by platform; empty if submissions is None.

    Raises
    ------
    InputError
        If the limits have no row for the threshold, or several for one setting.
    """
    metric, asked = find(settings.metric), settings.threat
    threat = asked if (limits["threat"] == asked).any() else MODELLER
    played = against(frontier, threat)
    scores_alone = threat != MODELLER and needs_scores_alone(frontier, metric)
    frontier = None if frontier is None else of_threat(frontier, threat)
    options = options_of(limits, utility, threat=threat, threshold=threshold, frontier=frontier)
    tested = None if frontier is None else frontier["submissions"]
    most = settings.largest_budget if tested is None else int(tested.max())
    wanted, accounts = settings.submissions, settings.accounts
    proof = threat != MODELLER and settings.require == "proved"
    choice = choose(options, frontier, wanted, threshold, most, proof=proof)
    reached = choice.shown and _reached(frontier, choice.shown, wanted, threshold)
    row_variance, unproved = settings.row_variance, why_unproved(found)
    factor = row_variance if noise_factor is None else noise_factor
    resting = sized(threshold, unit, metric, responses)
    of_rows = PUBLIC_CELL if responses > 1 else PUBLIC_ROW
    needs_more_rows = not unproved and choice.answer != "safe" and threat != MODELLER
    recommendation = {
        "version": VERSION,
        "assumptions": concerning(found, threat),
        "unproved": unproved,
        **choice.described(wanted),
        "against": played,
        "longer": _longer(settings, choice, reached) if choice.is_open else None,
        "fewest_tested": None if tested is None else int(tested.min()),
        "most_tested": None if tested is None else most,
        "warnings": warnings_of(
            utility,
            leaks=leaks,
            n_features=n_features,
            most=most if tested is not None and most < wanted else None,
            unread=metric.label if threat != asked else "",
            scores_alone=metric.label if scores_alone else "",
            is_probed=metric.reads_signs,
        ),
        "too_fine": too_fine_to_tell(resting, standard_error, n_public, of_rows),
        "would_hold": would_hold(
            *(metric, threshold / (unit or 1.0), wanted, accounts, settings.quantile),
            row_variance=factor,
        )
        if needs_more_rows
        else None,
        "precision": {"wanted": settings.precision, "reached": reached},
        "rests_on": {
            "threat": threat,
            "accounts": accounts,
            "row_variance": row_variance,
            "group": group,
            "noise_factor": factor,
            **resting,
            **_of_settings(settings),
            "replicates": (choice.shown or options[0])["replicates"],
            "public_rows": n_public,
        },
        "who_wins": who_wins(
            final_rows,
            unit=resting["unit"],
            share=1.0 / unit if unit and metric.spread else None,
            spread=f"the {metric.spread}",
        ),
        "snippets": _snippets(choice, settings, group, responses),
    }
    said = answered(recommendation, choice, metric, of_rows=of_rows)
    found = [finding["sentence"] for finding in recommendation["assumptions"]]
    before, after = [*found, *recommendation["warnings"]], [recommendation["too_fine"]]
    whole = [*before, said["headline"], said["meaning"], *after, said["exact"]]
    said |= {"sentence": " ".join(filter(None, whole))}
    return {"answer": choice.answer, **said, **recommendation}


def concerning(found: Sequence[Mapping[str, Any]], threat: str) -> list[dict[str, Any]]:
    """The findings that concern a threat: shuffled responses keep the distribution of the noise."""
    return [dict(f) for f in found if threat != MODELLER or not f["is_of_noise"]]


def _of_settings(settings: DryRunEntry) -> dict[str, Any]:
    """The settings of a dry run on which its answer rests, as JSON types."""
    return {
        "quantile": settings.quantile,
        "largest_budget": settings.largest_budget,
        "days": settings.days,
        "metric": settings.metric,
        "model": to_jsonable_python(settings.model, by_alias=True),
    }


def _snippets(
    choice: LeaderboardChoice, settings: DryRunEntry, group: str, responses: int
) -> dict[str, Any]:
    """The limits as text by platform; empty without a number to allow."""
    if not choice.submissions:
        return {}
    board = of_setting(choice.chosen["setting"])
    return snippets(
        *(choice.submissions, settings.days, board, settings.metric),
        is_grouped=bool(group) or responses > 1,
        is_several=responses > 1,
    )


def against(frontier: pd.DataFrame | None, threat: str) -> list[str]:
    """The attacks that were played for a threat, as a sentence calls them."""
    if frontier is None:
        return []
    asked = THREATS if threat == ANYBODY else (threat,)
    attacks = [attack for part, attack in _played(frontier) if attack.threat_of(part) in asked]
    return list(dict.fromkeys(attack.phrase or f"the attack {attack.label}" for attack in attacks))


def needs_scores_alone(frontier: pd.DataFrame | None, metric: Metric) -> bool:
    """Whether adversaries were played, and all of them need nothing of a metric but its scores.

    That which sends signs does not count where it alone can read the metric.
    """
    if frontier is None:
        return False
    adversaries = [
        attack for part, attack in _played(frontier)
        if attack.threat_of(part) not in (None, MODELLER)
    ]  # fmt: skip
    return bool(adversaries) and all(
        issubclass(attack, Adversary)
        and (not attack.metrics or (attack.sends_signs and metric.reads_signs))
        for attack in adversaries
    )


def _played(frontier: pd.DataFrame) -> list[tuple[str, type[Attack]]]:
    """The experiments that were played, and their attacks."""
    pairs = frontier[["threat", "attack"]].astype(str).drop_duplicates().to_numpy()
    return [(part, ATTACKS.find(attack)) for part, attack in pairs if part not in THREATS]


def _longer(
    settings: DryRunEntry, choice: LeaderboardChoice, reached: float | None
) -> dict[str, Any]:
    """Settings of a dry run that decides; the number of plays grows with the minutes."""
    plays = choice.shown["replicates"]
    wanted = choice.needed or _HALVED * plays
    longer = {"minutes": ceil(settings.minutes * wanted / plays)}
    if wanted > settings.most_replicates:
        longer["most_replicates"] = wanted
    if reached is not None and reached <= settings.precision:
        longer["precision"] = float(f"{settings.precision * (plays / wanted) ** 0.5:.2g}")
    return longer


def _reached(
    frontier: pd.DataFrame | None, option: Mapping[str, Any], wanted: int, threshold: float
) -> float | None:
    """Width of the interval of Δ near the wanted number, as a share of the threshold."""
    if frontier is None:
        return None
    row = strongest_at(frontier, option["setting"], wanted)
    width = np.nan if row is None else (row["delta_high"] - row["delta_low"]) / -threshold
    return float(width) if np.isfinite(width) else None
