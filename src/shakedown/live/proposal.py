"""What a dry run recommends, or a configuration asks, as settings of a board."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from shakedown.dryrun.answer import VERSION
from shakedown.interface import InputError, guess
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.live.truth import Truth
from shakedown.metrics import find
from shakedown.metrics.composite import Composite
from shakedown.metrics.composite_names import BY_GROUP, BY_ROW
from shakedown.reading import read, refuse_special
from shakedown.wording import counted

#: File of a dry run with its answer.
RECOMMENDATION = "recommendation.json"
#: The settings of a board, and of the table of its truth.
SETTINGS = (
    "board", "metric", "truth", "id", "response", "classes", "event", "horizons", "group",
    "split",
    "public_share", "opens", "closes", "updates", "zone", "per_team", "per_day", "in_total",
    "by_count", "seed", "name", "challenge",
)  # fmt: skip
#: Said of a recommendation that rests on no proof.
_NOT_PROVED = (
    "The safety of this leaderboard is {}, not proved: a stronger attack than those of the dry run "
    "may exist."
)
#: ASSUME: a truth whose spread differs by more than this factor is in another unit.
_ANOTHER_UNIT = 2.0


@dataclass(frozen=True)
class Proposal:
    """Settings of a board, by name, and the dry run that they come from.

    Attributes
    ----------
    settings : dict
        Some of `SETTINGS`.
    rests_on : mapping
        What the dry run's answer depends on; empty without one.
    notes : list of str
        Sentences for the organiser.
    """

    settings: dict[str, Any]
    rests_on: Mapping[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def doubts(self, truth: Truth) -> list[str]:
        """Sentences on how a truth differs from the data of the dry run."""
        messages, rests = [], self.rests_on
        number, responses = rests.get("responses") or 1, max(len(truth.responses), 1)
        unit = "row" if responses == 1 else "cell"
        rows, wanted = len(truth.part(True).y), rests.get("public_rows")
        if rests and number != responses:
            messages.append(
                f"The dry run had {counted(number, 'response')}, this board has {responses:,}: "
                "its limit is that of another challenge. Repeat the dry run with these responses."
            )
        elif wanted and rows < wanted:
            messages.append(
                f"The dry run had {counted(wanted, f'public {unit}')}, this board has {rows:,}: "
                "its limit is too high. Repeat the dry run with the official sets (--split)."
            )
        if rests.get("share") and responses == number == 1:
            size = -rests["threshold"] / rests["share"]
            own = float(np.std(truth.values, ddof=1) ** find(rests["metric"]).degree)
            if not 1 / _ANOTHER_UNIT < own / size < _ANOTHER_UNIT:
                messages.append(
                    f"The {rests['spread']} of the response is {own:.3g}, and was {size:.3g} in "
                    "the dry run. Is the truth in the same unit?"
                )
        elif (
            responses == number > 1
            and not truth.horizons
            and (rests.get("share") or _mixes_units(rests["metric"]))
        ):
            messages += _not_standardised(truth)
        return messages


def _mixes_units(name: str) -> bool:
    """Whether a score without a unit changes if each response is standardised.

    One by response does not, if its metric has no unit, as a correlation.
    """
    metric = find(name)
    if not isinstance(metric, Composite):
        return metric.degree == 0
    return any(
        term.over in ("", BY_ROW, BY_GROUP) or term.metric.degree > 0 for term in metric.terms
    )


def _not_standardised(truth: Truth) -> list[str]:
    """A sentence if the responses are in other units than in a dry run, where each has the sd 1."""
    spreads = np.nanstd(truth.values, axis=0, ddof=1)
    far = np.abs(np.log(spreads)) >= np.log(_ANOTHER_UNIT)
    if not far.any():
        return []
    at = int(np.argmax(np.abs(np.log(spreads))))
    return [
        f"The dry run standardised each response, and a board does not: the standard deviation of "
        f"'{truth.responses[at]}' is {spreads[at]:.3g}. Standardise the truth, and tell "
        "participants its units; else steps and limits are those of other scores."
    ]


def proposal(path: str | Path) -> Proposal:
    """Read what a file proposes.

    Parameters
    ----------
    path : str or Path
        The ``recommendation.json`` of a dry run or its folder, or a YAML file with some of
        `SETTINGS`.  In a YAML file, ``recommendation`` names that of a dry run, and `board` can
        also be an entry of a configuration, such as ``{name: ladder, alpha: 0.15}``.

    Raises
    ------
    InputError
        If it cannot be read, has unknown settings, or recommends no board.
    """
    path = Path(path)
    if os.path.isdir(path):
        path = path / RECOMMENDATION
    if not os.path.isfile(path):
        refuse_special(path)
        raise InputError(
            f"There is no file {path}. Wanted the {RECOMMENDATION} of a dry run, or a YAML file."
        )
    if path.suffix == ".json":
        return _recommended(path)
    return _configured(path)


def _recommended(path: Path) -> Proposal:
    try:
        given = json.loads(path.read_text("utf-8"))
        rests = given["rests_on"]
        board, metric, number = given["recommended"], rests["metric"], given["submissions"]
        setting = board and board["setting"]
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise InputError(f"{path} is not the {RECOMMENDATION} of a dry run.") from e
    if given.get("version", 1) > VERSION:
        raise InputError(
            f"{path} is of version {given['version']}, and this is the program of version "
            f"{VERSION}. Install a newer one, or name the leaderboard with --board and --metric."
        )
    said = [f"The dry run says: {given['sentence']}"] if given.get("sentence") else []
    if setting is not None and given.get("proved") is False:
        said.append(_NOT_PROVED.format(given.get("holds") or "measured"))
    if setting is None:
        raise InputError(
            f"{path} recommends no leaderboard. Name one with --board and --metric to run it "
            "nevertheless."
        )
    return Proposal({"board": setting, "metric": metric, "per_team": number}, rests, said)


def _configured(path: Path) -> Proposal:
    try:
        given = read(path)
    except (OSError, yaml.YAMLError) as e:
        reason = " ".join(str(e).split())
        raise InputError(f"{path} cannot be read as YAML: {reason}.") from e
    if not isinstance(given, dict):
        raise InputError(f"{path} has no keys; wanted some of {', '.join(SETTINGS)}.")
    base = Proposal({})
    if (source := given.pop("recommendation", None)) is not None:
        base = proposal(source)
    for key in given:
        if key not in SETTINGS:
            raise InputError(
                f"{path}: there is no setting '{key}'.{guess(key, SETTINGS)} Wanted some of "
                f"{', '.join(SETTINGS)}."
            )
    if isinstance(given.get("board"), dict):
        if "name" not in given["board"]:
            raise InputError(f"{path}: wanted a `name` in `board`, such as ladderboot.")
        given["board"] = mechanisms([given["board"]])[0].setting
    for key in ("opens", "closes"):
        given |= {key: _time(given[key])} if given.get(key) is not None else {}
    for key, what, as_text in (("updates", "times", _time), ("classes", "names", str)):
        if given.get(key) is not None:
            if not isinstance(given[key], list):
                raise InputError(f"{path}: wanted a list of {what} in `{key}`.")
            given[key] = [as_text(entry) for entry in given[key]]
    return Proposal(base.settings | given, base.rests_on, base.notes)


def _time(value: object) -> str:
    """A time as text: YAML makes dates of some texts."""
    return value.isoformat() if isinstance(value, date) else str(value)
