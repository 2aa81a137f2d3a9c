"""Messages about a configuration that does not fit the schema."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from jsonschema.exceptions import ValidationError

from shakedown.component import described
from shakedown.config.schema import Validator, schema
from shakedown.interface import InputError, guess


def check_schema(config: Mapping[str, Any]) -> None:
    """Validate a configuration against the schema.

    Raises
    ------
    InputError
        For the first unknown key; if none, the first missing key; if none, the first wrong value.
    """
    errors = list(Validator(schema()).iter_errors(config))
    if not errors:
        return
    raise InputError(_message(min(errors, key=lambda error: (_rank(error), _place(error, config)))))


def key_of(path: Iterable[str | int]) -> str:
    """A place in a configuration, such as "experiments.freedman.mechanisms[0].alpha"."""
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return key.removeprefix(".")


def unknown(key: str, what: str, wanted: Iterable[str]) -> str:
    """A message that a name at a key is not known, with a guess and the known names."""
    known = sorted(wanted)
    if not known:
        return f"{key}: '{what}' is not known, as the study defines none. Define it first."
    return f"{key}: '{what}' is not known.{guess(what, known)} Known here: {', '.join(known)}."


def known(key: str, what: str, among: Iterable[str]) -> None:
    """Check that the name at a key is one of `among`.

    Raises
    ------
    InputError
        If it is not.
    """
    if what not in among:
        raise InputError(unknown(key, what, among))


@contextmanager
def placed(key: str) -> Iterator[None]:
    """Put the key before the message of an error raised within."""
    try:
        yield
    except InputError as e:
        raise InputError(f"Configuration key {key}: {e}") from e


#: Keywords of a schema about the keys of an object.
_OF_KEYS = ("additionalProperties", "required")


def _rank(error: ValidationError) -> int:
    """Unknown keys come first: a misspelt key is also a missing one."""
    if error.validator == "additionalProperties":
        return 0
    return 1 if error.validator == "required" else 2


def _place(error: ValidationError, config: Any) -> list[int]:
    """The error's position in the file; the validator yields errors in no fixed order."""
    place = []
    for part in error.absolute_path:
        place.append(part if isinstance(part, int) else list(config).index(part))
        config = config[part]
    return place


def _message(error: ValidationError) -> str:
    key = key_of(error.absolute_path)
    where = f"Configuration key {key}" if key else "Configuration"
    value, wanted = error.instance, error.validator_value
    keys = error.schema.get("properties", {})
    # An error within one alternative is more helpful than "none of the alternatives fits".
    if inside := [e for e in error.context or () if e.path or e.validator in _OF_KEYS]:
        return _message(inside[0])
    if error.validator == "component":
        return f"{where}: {error.message}"
    if error.validator == "additionalProperties":
        return unknown(where, str(next(k for k in value if k not in keys)), keys)
    if error.validator == "required":
        missing = next(name for name in wanted if name not in value)
        meaning = keys[missing].get("description", "")
        message = f"{where}: '{missing}' is missing. Meaning: {meaning}"
        if not key:
            message += " (To give only the differences from another study, use 'extends'.)"
        return message
    if "propertyNames" in error.absolute_schema_path:
        return f"{where}: the id {_shown(value)} is not allowed; wanted {described(error.schema)}."
    if error.validator in ("minItems", "minProperties"):
        return f"{where}: wanted at least one entry, got none."
    if error.validator == "uniqueItems":
        twice = next(item for item in value if value.count(item) > 1)
        return f"{where}: {_shown(twice)} is listed twice."
    return f"{where}: wanted {described(error.schema)}; got {_shown(value)}.{_hint(error)}"


def _hint(error: ValidationError) -> str:
    value = error.instance
    if isinstance(value, str) and "enum" in error.schema:
        return guess(value, error.schema["enum"])
    if isinstance(value, str) and error.validator in ("type", "anyOf"):
        try:
            number = float(value)
        except ValueError:
            return ""
        if not math.isfinite(number):
            return " Write a finite number."
        # YAML reads 1e-2 as text because it has no point.
        return f" YAML reads this as text; write {number:g} without quotes."
    return ""


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
