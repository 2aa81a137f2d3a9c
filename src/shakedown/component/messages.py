"""Messages: what a schema wants, and what is wrong with a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from shakedown.component.base import Component
from shakedown.interface import guess

_BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}
_KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "object": "settings (key: value)",
    "array": "a list",
}


def described(node: Mapping[str, Any]) -> str:
    """Describe in words what a JSON schema (without references) accepts."""
    if "$comment" in node:
        return node["$comment"]
    if "const" in node:
        return str(node["const"])
    if "enum" in node:
        return f"one of {', '.join(map(str, node['enum']))}"
    if "anyOf" in node:
        first, *others = (described(branch) for branch in node["anyOf"])
        return " or ".join([first, *others])
    each = described(node["items"]) if "items" in node else ""
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    bounds = " and ".join(
        f"{word} {_bound(node[key])}" for key, word in _BOUNDS.items() if key in node
    )
    details = dict.fromkeys(("integer", "number"), f"{'of ' * bounds.startswith('at')}{bounds}")
    details["array"] = f"(each {each})" if each else ""
    return " or ".join(f"{_KINDS[kind]} {details.get(kind, '')}".rstrip() for kind in kinds)


def _bound(number: float) -> str:
    """A bound: 20000, 0.5, but 1,000,000 and not 1e+06."""
    return f"{number:,.0f}" if abs(number) >= 1e6 and number == round(number) else f"{number:g}"


def sentence(component: type[Component], error: ValidationError) -> str:
    """Turn an error of pydantic into one sentence."""
    first = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
    kind, place, got = first["type"], first["loc"], first["input"]
    what = f"{component.kind} '{component.name}'"
    if kind in ("value_error", "assertion_error"):
        return f"{what}: {first['ctx']['error']}"
    # Parameters may be nested in groups: descend to the wrong one.
    schema = component.model_json_schema()
    node, known = schema, schema["properties"]
    for depth, step in enumerate(place):
        known = node.get("properties", {})
        if isinstance(step, str) and step not in known and kind != "extra_forbidden":
            place = place[:depth]  # a branch of a union
            break
        node = known.get(step, {}) if isinstance(step, str) else _item(node)
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rpartition("/")[2]] | node
    key = ".".join(map(str, place))
    if kind == "extra_forbidden":
        if not known:
            return f"{what} has no parameters; got '{key}'. Remove it."
        return (
            f"{what} has no parameter '{key}'.{guess(place[-1], known)} It has: {', '.join(known)}."
        )
    if kind == "missing":
        meaning = f" Meaning: {node['description']}" if "description" in node else ""
        return f"{what} needs '{key}'.{meaning}"
    cure = f" Write ['{got}']." if kind == "list_type" and isinstance(got, str) else ""
    return f"{what}: `{key}` must be {described(node)}; got {got!r}.{cure}"


def _item(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a list's entries; the list may be one of several alternatives."""
    branches = (branch for branch in (node, *node.get("anyOf", ())) if "items" in branch)
    return next(branches, {}).get("items", {})
