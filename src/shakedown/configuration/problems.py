"""What a schema finds wrong with a configuration, in one sentence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from shakedown.configuration.filling import fields, resolved
from shakedown.interface import InputError

_KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "object": "settings (key: value)",
    "array": "a list",
}
_BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}


def check_schema(config: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Hold a configuration against its schema.

    Raises
    ------
    InputError
        At the first key that is unknown, else the first that is missing, else the first whose
        value does not fit.
    """
    errors = list(Draft202012Validator(schema).iter_errors(config))
    if not errors:
        return
    found = [
        ((_rank(error), _place(error, config)), message)
        for error in errors
        for message in _tell(error, errors, schema)
    ]
    raise InputError(min(found, key=lambda ranked: ranked[0])[1])


def key_of(path: Iterable[str | int]) -> str:
    """A place in a configuration, such as "experiments.freedman.mechanisms[0].alpha"."""
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return key.removeprefix(".")


def unknown(key: str, what: str, wanted: Iterable[str]) -> str:
    """Says that something at a key is not known, what is, and what may have been meant."""
    known = sorted(wanted)
    close = get_close_matches(what, known, n=1)
    guess = f" Did you mean '{close[0]}'?" if close else ""
    return f"{key}: '{what}' is not known.{guess} Known here: {', '.join(known) or 'nothing'}."


def _rank(error: ValidationError) -> int:
    """Unknown keys come first: a misspelt key is also a missing one."""
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        return 0
    return 1 if error.validator == "required" else 2


def _place(error: ValidationError, config: Any) -> list[int]:
    """Where in the file the error is; the order in which a schema finds errors is not fixed."""
    place = []
    for part in error.absolute_path:
        place.append(part if isinstance(part, int) else list(config).index(part))
        config = config[part]
    return place


def _tell(
    error: ValidationError, errors: list[ValidationError], schema: Mapping[str, Any]
) -> Iterable[str]:
    """The message of an error; none if it only follows from another one."""
    key = key_of(error.absolute_path)
    where = f"Configuration key {key}" if key else "Configuration"
    value, wanted = error.instance, error.validator_value
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        node = resolved(error.schema, schema)
        known = fields(node, value, schema)
        if _undecided(node, error, errors):
            # Which keys are known depends on one that is wrong itself: judge only its misspellings.
            extra = [k for k in value if k not in known and get_close_matches(str(k), known)]
        else:
            extra = [k for k in value if k not in known]
        for name in extra[:1]:
            yield unknown(where, str(name), known)
    elif error.validator == "required":
        missing = [name for name in wanted if name not in value]
        described = fields(resolved(error.schema, schema), value, schema)
        meaning = resolved(described[missing[0]], schema).get("description", "")
        message = f"{where}: '{missing[0]}' is missing. It says: {meaning[:1].lower()}{meaning[1:]}"
        if not key:
            message += " (To give only the differences from another study, name it with 'extends'.)"
        yield message
    elif "propertyNames" in error.absolute_schema_path:
        yield f"{where}: the id {_shown(value)} cannot be used; wanted {_describe(error.schema)}."
    elif error.validator in ("minItems", "minProperties"):
        yield f"{where}: wanted at least one entry, got none."
    elif error.validator == "uniqueItems":
        twice = next(item for item in value if value.count(item) > 1)
        yield f"{where}: {_shown(twice)} is listed twice."
    elif error.validator == "anyOf" and (inner := [e for e in error.context if len(e.path) > 0]):
        yield from _tell(inner[0], errors, schema)
    else:
        described = _describe(resolved(error.schema, schema), schema)
        yield f"{where}: wanted {described}; got {_shown(value)}.{_hint(error)}"


def _undecided(
    node: Mapping[str, Any], error: ValidationError, errors: list[ValidationError]
) -> bool:
    deciding = {name for branch in node.get("allOf", []) for name in branch["if"]["required"]}
    here = list(error.absolute_path)
    wrong = [[*here, name] for name in deciding]
    return any(name not in error.instance for name in deciding) or any(
        list(other.absolute_path) in wrong for other in errors
    )


def _describe(node: Mapping[str, Any], schema: Mapping[str, Any] | None = None) -> str:
    """What a schema wants, in words."""
    if "$comment" in node:
        return node["$comment"]
    if "enum" in node:
        return f"one of {', '.join(map(str, node['enum']))}"
    if "anyOf" in node:
        one, *others = (_describe(resolved(branch, schema), schema) for branch in node["anyOf"])
        return " or ".join([one, *(f"{other} of such" for other in others)])
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    bounds = " and ".join(
        f"{word} {node[bound]}" for bound, word in _BOUNDS.items() if bound in node
    )
    words = [
        f"{_KINDS[kind]} {'of ' * bounds.startswith('at')}{bounds}".rstrip()
        if kind in ("integer", "number")
        else _KINDS[kind]
        for kind in kinds
    ]
    return " or ".join(words)


def _hint(error: ValidationError) -> str:
    value = error.instance
    if isinstance(value, str) and "enum" in error.schema:
        close = get_close_matches(value, map(str, error.schema["enum"]), n=1)
        return f" Did you mean '{close[0]}'?" if close else ""
    if isinstance(value, str) and error.validator in ("type", "anyOf"):
        try:
            number = float(value)
        except ValueError:
            return ""
        # YAML takes 1e-2 for text, for it lacks the point.
        return f" YAML reads this as text; write {number:g} without quotes."
    return ""


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
