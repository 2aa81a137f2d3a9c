"""The rule that recommends a leaderboard and a number of submissions.

The cautious limit of a leaderboard is the lower end of the 95 % interval of its number of safe
submissions, against the participants that `threat` names, and no smaller than a number that is
proved. Among the leaderboards with a cautious
limit of at least the wanted number, the rule takes the one with the smallest lag, which is how far
the shown best score trails the true one; of leaderboards that are equal to two digits, the one that
keeps the order best, then the one that shows the smallest true gains, then the one whose released
scores are closest to the final scores. Unless all participants submit fitted models, or a measured
limit is enough (`require`), leaderboards for which the wanted number is proved come first: a
measured limit holds against the attacks that were played. A leaderboard on which one of these
attacks cannot play is not attacked, and never taken. If no cautious limit is large enough, the rule
takes the leaderboard with the largest cautious limit (then the largest estimate) and allows that
number. If the wanted number lies within the interval of a leaderboard, the answer is "undecided".
The likeliest leaderboard is then the one with the largest estimate, capped at the wanted number;
ties go to the one that needs the fewest further plays. The leaderboard to use until more plays
decide must be of some use until then: one that brings a team at most one new score within its
cautious limit, as a digest can, gives way to the next one that brings more, if as much is known of
it: its limit rests on the same (proved or measured), and the wanted number has the same verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from shakedown.dryrun.options import (
    at,
    brings,
    held,
    is_attacked,
    is_proved,
    leaning,
    likely,
    order,
    rows_of,
    too_many_at_once,
    verdict,
)

#: ASSUME: nobody waits for more than this many times the present number of plays.
_MOST_TIMES = 100


@dataclass(frozen=True)
class LeaderboardChoice:
    """What the rule chooses.

    Attributes
    ----------
    attacked, unattacked : list of dict
        The leaderboards that have a limit, in the order of the rule, and the others.
    answer, submissions, likeliest, needed
        As in the recommendation; `needed` is its plays_needed.
    is_open : bool
        Whether more plays could change the answer.
    """

    attacked: list[dict]
    unattacked: list[dict]
    answer: str
    submissions: int | None
    likeliest: dict | None = None
    needed: int | None = None
    is_open: bool = False

    @property
    def chosen(self) -> dict | None:
        """The leaderboard to use, if there is a number to allow."""
        return self.attacked[0] if self.submissions else None

    @property
    def shown(self) -> dict | None:
        """The leaderboard that the answer is about; None if none is attacked."""
        return self.likeliest or (self.attacked[0] if self.attacked else None)

    @property
    def others(self) -> list[dict]:
        """All that are not chosen; the likeliest comes first, those that are not attacked last."""
        others = [option for option in self.attacked if option is not self.chosen]
        others.sort(key=lambda option: option is not self.likeliest)
        return others + self.unattacked

    @property
    def tied(self) -> list[str]:
        """Labels of those with the same cautious limit as the one shown, if none is safe."""
        if self.answer not in ("undecided", "fewer"):
            return []
        least = self.shown["ci_low"]
        same = [o for o in self.attacked if o["ci_low"] == least and o is not self.shown]
        return [option["label"] for option in same]

    def instead(self, wanted: int) -> dict[str, Any] | None:
        """The best safe leaderboard of the other kind, proved or not; None if there is none."""
        if self.answer != "safe":
            return None
        kind = is_proved(self.chosen, wanted)
        others = [
            o for o in self.attacked if o["ci_low"] >= wanted and is_proved(o, wanted) != kind
        ]
        if not others:
            return None
        best = min(others, key=lambda option: order(option, wanted, proof=False))
        named = {key: best[key] for key in ("setting", "label", "lag", "rank_correlation")}
        return named | {"holds": held(best, wanted)}

    def described(self, wanted: int) -> dict[str, Any]:
        """The entries of a recommendation that follow from the choice alone."""
        chosen, likeliest = self.chosen, self.likeliest
        holds = chosen and held(chosen, self.submissions)
        return {
            "answer": self.answer,
            "wanted": wanted,
            "submissions": self.submissions,
            "recommended": chosen,
            "likeliest": likeliest,
            "leaning": likeliest and leaning(likeliest, wanted),
            "safe_submissions": chosen and chosen["safe_submissions"],
            "conservative": chosen and chosen["ci_low"],
            "holds": holds,
            "proved": holds == "proved",
            "proved_boards": sum(is_proved(option, wanted) for option in self.attacked),
            "instead": self.instead(wanted),
            "censored": chosen and chosen["censored"],
            "too_few_rows": self.answer != "safe" and too_many_at_once(self.attacked),
            "tied": self.tied,
            "plays_needed": self.needed,
            "runner_ups": self.others,
        }


def choose(
    options: list[dict],
    frontier: pd.DataFrame | None,
    wanted: int,
    threshold: float,
    most: int,
    *,
    proof: bool,
) -> LeaderboardChoice:
    """Choose by the rule; `most` is the largest number tested, `proof` as in `options.order`."""
    unattacked = [option for option in options if not is_attacked(option)]
    attacked = [option for option in options if is_attacked(option)]
    attacked.sort(key=lambda option: order(option, wanted, proof=proof))
    # More plays cannot decide about a number of submissions that was not tested.
    unsure = [o for o in attacked if verdict(o, wanted) == "not sure" and wanted <= most]
    ends = attacked, unattacked
    least = attacked[0]["ci_low"] if attacked else 0
    if least >= wanted:
        return LeaderboardChoice(*ends, "safe", wanted, is_open=bool(unsure))
    submissions = least or None
    if not unsure:
        return LeaderboardChoice(*ends, "fewer" if submissions else "none", submissions)
    margins = [_margin(frontier, option, wanted, threshold) for option in unsure]
    ranks = [likely(o, m, wanted) for o, m in zip(unsure, margins, strict=True)]
    place = ranks.index(max(ranks))
    needed = _plays_needed(unsure[place], margins[place])
    meanwhile = _more_shown_first(attacked, wanted)
    return LeaderboardChoice(
        *(meanwhile, unattacked, "undecided", meanwhile[0]["ci_low"] or None),
        *(unsure[place], needed),
        is_open=True,
    )


def _more_shown_first(attacked: list[dict], wanted: int) -> list[dict]:
    """The leaderboards with the one to use until more plays decide in front.

    With one new score a team learns nothing of its next file, so the rule passes over such a
    leaderboard; nothing that is proved gives way to what is measured.
    """

    def known(option: Mapping[str, Any]) -> tuple[str, str]:
        return verdict(option, wanted), held(option, option["ci_low"])

    first, *others = attacked
    if brings(first, first["ci_low"]) > 1:
        return attacked
    for option in others:
        if brings(option, option["ci_low"]) > 1 and known(option) == known(first):
            return [option, *(other for other in attacked if other is not option)]
    return attacked


def _margin(
    frontier: pd.DataFrame | None, option: Mapping[str, Any], wanted: int, threshold: float
) -> float:
    """Distance of Δ from the threshold at the wanted number, in half widths of its interval.

    It is positive if Δ is above the threshold.  At 1 the interval just excludes the threshold.  0
    means unknown.
    """
    row = None if frontier is None else strongest_at(frontier, option["setting"], wanted)
    if row is None:
        return 0.0
    delta, low, high = (float(row[c]) for c in ("delta", "delta_low", "delta_high"))
    gap = delta - threshold
    wide = delta - low if gap > 0 else high - delta
    if wide == 0:
        return float(np.sign(gap)) * np.inf
    return gap / wide if np.isfinite(wide) else 0.0


def strongest_at(frontier: pd.DataFrame, setting: str, wanted: int) -> pd.Series | None:
    """The row of the strongest attacker at the wanted number of submissions."""
    return at(rows_of(frontier, setting), wanted)


def _plays_needed(option: Mapping[str, Any], margin: float) -> int | None:
    """Approximate number of plays that decide; the widths of intervals shrink as 1/sqrt(plays)."""
    times = 1 / margin**2 if margin else np.inf
    if not 1 < times <= _MOST_TIMES:
        return None
    return int(float(f"{np.ceil(times * option['replicates'] - 1e-6):.2g}"))
