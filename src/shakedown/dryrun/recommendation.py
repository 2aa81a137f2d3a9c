"""The answer of a dry run: which leaderboard, how many submissions, and what that rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np
import pandas as pd

from shakedown.attacks.attack import ANYBODY, ATTACKS, MODELLER, THREATS
from shakedown.dryrun.answer import OF_LABELS, SENTENCE, VERSION, WHOM
from shakedown.dryrun.choice import LeaderboardChoice, choose, strongest_at
from shakedown.dryrun.limits import of_threat
from shakedown.dryrun.options import options_of
from shakedown.dryrun.proof import would_hold
from shakedown.dryrun.snippets import snippets
from shakedown.dryrun.warnings import warnings_of
from shakedown.leaderboard.mechanism import of_setting
from shakedown.metrics import ZERO_ONE, Metric, find

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
    """Choose a leaderboard by the rule of `choice`, and say what the answer rests on.

    Parameters
    ----------
    limits : DataFrame
        As `shakedown.dryrun.limits.safe_submissions` returns it, for one data set and metric.
    utility : DataFrame
        As `usefulness.measure.measure` returns it; a setting without a row is taken to show no
        gain.
    settings : mapping
        The dry run's settings; uses metric, submissions, days, quantile, largest_budget, minutes
        and, if given, threat, model, most_replicates and precision.
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

        - holds: whether the number to allow is "proved", on average and at the quantile, or
          "measured"; against: the attacks that
          were played; rests_on.threat: the participants for whom it holds.
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
        - too_few_rows: whether even the fewest submissions tested are too many on most settings.
        - tied: if no setting is safe, labels of the settings with the same cautious limit.
        - would_hold: if no setting is safe, a digest that is proved with more public rows, see
          `proof.would_hold`; else None.
        - plays_needed: approximate number of plays that decide if the estimate is right, or None.
        - longer: the settings, such as minutes, of a dry run with so many plays (four times as many
          as now if plays_needed is None), or None.
        - fewest_tested, most_tested: the fewest and the most submissions tested, or None.
        - warnings: sentences on the data that open the answer; see `warnings.warnings_of`.
        - precision: wanted and reached width of the interval, as shares of the threshold.
        - runner_ups: all other settings, in the order of the rule; last those that are not
          attacked, whose `status` says so and whose `unplayed` names the attacks that cannot play.
        - version: of these keys, 2 since a setting has a status.
        - rests_on: the settings that the answer depends on.
        - snippets: the limits as text by platform; empty if submissions is None.

    Raises
    ------
    InputError
        If the limits have no row for the threshold, or several for one setting.
    """
    metric, asked = find(settings["metric"]), settings.get("threat", ANYBODY)
    threat = asked if (limits["threat"] == asked).any() else MODELLER
    played = against(frontier, threat)
    frontier = None if frontier is None else of_threat(frontier, threat)
    options = options_of(limits, utility, threat=threat, threshold=threshold, frontier=frontier)
    tested = None if frontier is None else frontier["submissions"]
    most = int(settings["largest_budget"] if tested is None else tested.max())
    wanted, accounts = int(settings["submissions"]), int(settings.get("accounts", 1))
    choice = choose(options, frontier, wanted, threshold, most, proof=threat != MODELLER)
    reached = choice.shown and _reached(frontier, choice.shown, wanted, threshold)
    needs_more_rows = choice.answer != "safe" and threat != MODELLER
    recommendation = {
        "version": VERSION,
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
            labels=metric.label if metric.loss == ZERO_ONE else "",
        ),
        "would_hold": would_hold(
            metric, threshold / (unit or 1.0), wanted, accounts, float(settings["quantile"])
        )
        if needs_more_rows
        else None,
        "precision": {"wanted": settings.get("precision"), "reached": reached},
        "rests_on": {
            "threat": threat,
            "accounts": accounts,
            **_tolerated(threshold, unit, metric),
            **_of_settings(settings),
            "replicates": (choice.shown or options[0])["replicates"],
            "public_rows": n_public,
        },
        "snippets": _snippets(choice, settings),
    }
    sentence = _sentence(recommendation, choice, metric)
    return {"answer": choice.answer, "sentence": sentence, **recommendation}


def _of_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a dry run on which its answer rests, as JSON types."""
    return {
        "quantile": float(settings["quantile"]),
        "largest_budget": int(settings["largest_budget"]),
        "days": int(settings["days"]),
        "metric": str(settings["metric"]),
        "model": settings.get("model", "ols"),
    }


def _tolerated(threshold: float, unit: float | None, metric: Metric) -> dict[str, Any]:
    """The tolerated Δ, its unit, and what share of the response's spread it is."""
    return {
        "threshold": float(threshold),
        "unit": metric.unit,
        "spread": metric.spread if unit else "",
        "share": -threshold / unit if unit and metric.spread else None,
    }


def _snippets(choice: LeaderboardChoice, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The limits as text by platform; empty without a number to allow."""
    if not choice.submissions:
        return {}
    board = of_setting(choice.chosen["setting"])
    return snippets(choice.submissions, int(settings["days"]), board, str(settings["metric"]))


def _sentence(recommendation: Mapping[str, Any], choice: LeaderboardChoice, metric: Metric) -> str:
    """The answer in words."""
    rests, on_labels = recommendation["rests_on"], metric.loss == ZERO_ONE
    said = SENTENCE.render(
        recommendation=recommendation,
        best=choice.chosen,
        likeliest=choice.likeliest,
        rows=rests["public_rows"],
        whom=_whom(
            rests["threat"], metric, choice.answer == "safe" and recommendation["holds"] == "proved"
        ),
        accounts=rests["accounts"],
        modelled=rests["threat"] == MODELLER,
        given=(
            "the public labels are independent"
            if on_labels
            else "the noise of the response is independent and about Gaussian"
        ),
        most=f"{100 * (1 - rests['quantile']):.3g} %",
        anybody=choice.chosen and choice.chosen["threats"].get(ANYBODY),
    )
    return said.strip()


def _whom(threat: str, metric: Metric, is_proved: bool) -> str:
    """For whom the answer holds.  On labels no model is played, but a proof covers everybody."""
    return OF_LABELS if metric.loss == ZERO_ONE and not is_proved else WHOM[threat]


def against(frontier: pd.DataFrame | None, threat: str) -> list[str]:
    """The attacks that were played for a threat, as a sentence calls them."""
    if frontier is None:
        return []
    pairs = frontier[["threat", "attack"]].astype(str).drop_duplicates().to_numpy()
    played = [(part, ATTACKS.find(attack)) for part, attack in pairs if part not in THREATS]
    asked = THREATS if threat == ANYBODY else (threat,)
    attacks = [attack for part, attack in played if attack.threat_of(part) in asked]
    return list(dict.fromkeys(attack.phrase or f"the attack {attack.label}" for attack in attacks))


def _longer(
    settings: Mapping[str, Any], choice: LeaderboardChoice, reached: float | None
) -> dict[str, Any]:
    """Settings of a dry run that decides; the number of plays grows with the minutes."""
    plays = choice.shown["replicates"]
    wanted = choice.needed or _HALVED * plays
    longer = {"minutes": ceil(settings["minutes"] * wanted / plays)}
    most, narrow = settings.get("most_replicates"), settings.get("precision")
    if most is not None and wanted > most:
        longer["most_replicates"] = wanted
    if narrow is not None and reached is not None and reached <= narrow:
        longer["precision"] = float(f"{narrow * (plays / wanted) ** 0.5:.2g}")
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
