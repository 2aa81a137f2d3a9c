"""Each kind of participant against one leaderboard: a table of the dry run's page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from shakedown.attacks.attack import ANYBODY, ATTACKS, BY_HOLDER, HOLDS, MODELLER, THREATS, title_of
from shakedown.dryrun.limits import at_threshold
from shakedown.dryrun.options import at, rows_of
from shakedown.report.dryrun_rows import DeltaScale, folded, interval, limit, sorting

if TYPE_CHECKING:
    from shakedown.report.dryrun import DryRunContent

#: What the page calls the participants of each threat.
PARTICIPANTS = {
    MODELLER: "Modellers",
    "null_adversary": "Arbitrary numbers",
    "holder": "Holders",
    ANYBODY: "Anybody",
}
# What is said of an attack that a holder plays.
_FROM_MODEL = "It starts from an honest model."
# A participant who submits less than this share of what others submit has no more models to submit.
_NEARLY_ALL = 0.9


def near(curve: pd.DataFrame, wanted: int) -> pd.Series:
    """The row of a curve at the wanted number of submissions, or the nearest that there is."""
    row = at(curve, wanted)
    return curve.sort_values("submissions").iloc[0] if row is None else row


def ways(
    content: DryRunContent, option: Mapping[str, Any], scale: DeltaScale
) -> list[dict[str, Any]]:
    """Each kind of participant against one leaderboard: what it does, and how far it gets."""
    most = content.frontier["submissions"].max()
    curves = rows_of(content.frontier, option["setting"])
    limits = at_threshold(rows_of(content.limits, option["setting"]), scale.tolerated)
    found = []
    for threat in curves["threat"].astype(str).unique():
        own, records = _of(threat, curves), _of(threat, limits).to_dict("records")
        if not records:
            continue
        row, tested = near(own, content.recommendation["wanted"]), own["submissions"]
        board = None if pd.isna(row["iteration_board"]) else str(row["iteration_board"])
        attack = ATTACKS.find(str(row["attack"]))
        name, does = _participant(threat, own["attack"].astype(str).unique())
        cells = records[0] | {"fewest_tested": tested.min()}
        # Modellers can run out of models; files of numbers never end.
        ended = attack.threat == MODELLER and threat != ANYBODY
        last = tested.max() if ended and tested.max() < _NEARLY_ALL * most else None
        found.append(
            {
                "name": name,
                "does": does,
                "how": attack.spent(int(row["n_features"]), int(row["point"]), board),
                **scale.overfit(row, scale.cell),
                "safe": limit(cells, last),
                "fold": folded(cells, last),
                **sorting(cells, "safe"),
                "safe_interval": interval(cells, last),
            }
        )
    return found


def _participant(threat: str, attacks: Iterable[str]) -> tuple[str, str]:
    """Name of a kind of participant, and what it does, in the words of its attacks."""
    if threat in THREATS:
        does = f"{THREATS[threat].capitalize()}, by the attack that overfits most."
        return PARTICIPANTS[threat], does
    played = {attack: ATTACKS.find(attack) for attack in attacks}
    own = {
        attack: kind
        for attack, kind in played.items()
        if threat in (kind.name, f"{kind.name}{HOLDS}", *kind.recipes)
    } or played
    title = title_of(next(iter(own)), threat)
    does = [kind.recipes.get(threat, kind.sentence) for kind in own.values()]
    return title, " ".join([*does, *([_FROM_MODEL] if title.endswith(BY_HOLDER) else [])])


def _of(threat: str, table: pd.DataFrame) -> pd.DataFrame:
    return table[(table["threat"] == threat).to_numpy(bool)]
