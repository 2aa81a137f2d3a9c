"""One sentence on the first mistake in a configuration: where, what was wanted, what was got."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from shakedown.component import described
from shakedown.config.nodes import expanded, place_of
from shakedown.config.places import key_of, unknown
from shakedown.interface import guess

#: Kinds of pydantic's errors about a key that is not known.
_UNKNOWN = ("extra_forbidden", "invalid_key")


class Mistake(NamedTuple):
    """An error of pydantic at its place in a configuration.

    Attributes
    ----------
    kind : str
        Pydantic's name of the kind of error.
    place : tuple of str or int
        Without the steps of pydantic that are not in the configuration.
    key : object
        The unknown or missing key; else None.
    message : str
        What is wrong, if that does not follow from the schema of the place; else empty.
    one_of_several : bool
        Whether another type is accepted at this place, or around it.
    """

    kind: str
    place: tuple[str | int, ...]
    key: Any = None
    message: str = ""
    one_of_several: bool = False

    @property
    def rank(self) -> int:
        """Unknown keys come first: a misspelt key is also a missing one.

        What does not fit together comes last.
        """
        if self.kind in _UNKNOWN:
            return 0
        return 1 if self.kind == "missing" else 3 if self.kind == "value_error" else 2


def sentence(error: ValidationError, config: Mapping[str, Any], model: type[BaseModel]) -> str:
    """The first unknown key; if none, the first missing key; if none, the first wrong value.

    Parameters
    ----------
    error : ValidationError
        Of the model.
    config : mapping
        The configuration that was validated.
    model : type
    """
    mistakes = [_mistake(each, config) for each in error.errors(include_url=False)]
    rank = min(mistake.rank for mistake in mistakes)
    mistakes = [mistake for mistake in mistakes if mistake.rank == rank]
    # An error within one alternative is more helpful than "none of the alternatives fits".
    deepest = [m for m in mistakes if not (m.one_of_several and _is_around(m, mistakes))]
    # That a list is empty says more than that it is no number.
    first = min(deepest, key=lambda m: (_position(m.place, config), not m.message))
    return _sentence(first, config, model)


def _mistake(error: Mapping[str, Any], config: Any) -> Mistake:
    kind, steps, key = error["type"], list(error["loc"]), None
    if steps[-1:] == ["[key]"]:
        kind, key, steps = "wrong_id", error["input"], steps[:-2]
    elif kind in _UNKNOWN or kind == "missing":
        key = error["input"] if kind == "invalid_key" else steps[-1]
        steps.pop()
    place, one_of_several = [], False
    for step in steps:
        # Pydantic also names the alternative that it tried.
        if isinstance(config, list) and isinstance(step, int):
            place.append(step)
        elif isinstance(config, Mapping) and str(step) in map(str, config):
            place.append(next(own for own in config if own == step or str(own) == step))
        else:
            one_of_several = True
            continue
        config = config[place[-1]]
    return Mistake(kind, tuple(place), key, _message(kind, error, config), one_of_several)


def _message(kind: str, error: Mapping[str, Any], value: Any) -> str:
    """What is wrong, if that does not follow from the schema of the place."""
    if kind == "unknown_component":
        return error["ctx"]["message"]
    if kind == "value_error":  # of a component's own validator
        return str(error["ctx"]["error"])
    if kind == "too_short":
        least = error["ctx"]["min_length"]
        wanted = "one entry" if least == 1 else f"{least} entries"
        return f"wanted at least {wanted}, got {len(value) or 'none'}."
    if kind == "listed_twice":
        return f"{_shown(next(v for v in value if value.count(v) > 1))} is listed twice."
    return ""


def _is_around(mistake: Mistake, others: Iterable[Mistake]) -> bool:
    """Whether another mistake lies within the place of this one."""
    depth = len(mistake.place)
    return any(
        len(other.place) > depth and other.place[:depth] == mistake.place for other in others
    )


def _position(place: Sequence[str | int], config: Any) -> list[int]:
    """The position in the file."""
    position = []
    for part in place:
        position.append(part if isinstance(config, list) else list(config).index(part))
        config = config[part]
    return position


def _sentence(mistake: Mistake, config: Mapping[str, Any], model: type[BaseModel]) -> str:
    key = key_of(mistake.place)
    where = f"Configuration key {key}" if key else "Configuration"
    if mistake.kind == "value_error":
        return _misfit(mistake, config, model)
    if mistake.message:
        return f"{where}: {mistake.message}"
    part, value = place_of(model, config, mistake.place)
    part = expanded(part, value)
    branches = (part, *part.get("anyOf", ()))
    if mistake.kind == "wrong_id":
        names = next(branch["propertyNames"] for branch in branches if "propertyNames" in branch)
        return f"{where}: the id {_shown(mistake.key)} is not allowed; wanted {described(names)}."
    keys = next((branch["properties"] for branch in branches if "properties" in branch), {})
    if mistake.kind in _UNKNOWN:
        return unknown(where, str(mistake.key), keys)
    if mistake.kind == "missing":
        meaning = " ".join(keys[mistake.key]["description"].split())
        hint = "" if key else " (To give only the differences from another study, use 'extends'.)"
        return f"{where}: '{mistake.key}' is missing. Meaning: {meaning}{hint}"
    return f"{where}: wanted {described(part)}; got {_shown(value)}.{_hint(value, part)}"


def _misfit(mistake: Mistake, config: Mapping[str, Any], model: type[BaseModel]) -> str:
    """The message of a component's own validator, as when the component is made in Python."""
    for end in range(len(mistake.place), 0, -1):
        place = mistake.place[:end]
        part, value = place_of(model, config, place)
        entry = part.get("component")
        if entry is not None:
            component = entry.choice.registry.find(value[entry.choice.key])
            where = f"Configuration key {key_of(place)}"
            where = f"Data set {place[1]}" if place[0] == "datasets" else where
            return f"{where}: {component.kind} '{component.name}': {mistake.message}"
    return f"Configuration key {key_of(mistake.place)}: {mistake.message}"


def _hint(value: Any, part: Mapping[str, Any]) -> str:
    if not isinstance(value, str):
        return ""
    if "enum" in part:
        return guess(value, part["enum"])
    if not _kinds(part) & {"integer", "number"}:
        return ""
    try:
        number = float(value)
    except ValueError:
        return ""
    if not math.isfinite(number):
        return " Write a finite number."
    # YAML reads 1e-2 as text because it has no point.
    return f" YAML reads this as text; write {number:g} without quotes."


def _kinds(part: Mapping[str, Any]) -> set[str]:
    """The types that a schema accepts."""
    return {part.get("type", "")}.union(*map(_kinds, part.get("anyOf", ())))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
