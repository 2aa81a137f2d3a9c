"""Schemas as this package uses them: which keys an object takes, and which defaults they have."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from jsonschema import Draft202012Validator


def resolved(node: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The node with what its `$ref` points to; what stands beside the `$ref` comes first."""
    node = dict(node)
    while "$ref" in node:
        target: Any = schema
        for part in node.pop("$ref").removeprefix("#/").split("/"):
            target = target[part]
        node = {**target, **node}
    return node


def fields(node: Mapping[str, Any], value: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that an object takes, each with its schema.

    Parameters
    ----------
    node : mapping
        Schema of the object, resolved.
    value : mapping
        The object: some keys depend on others, by if and then.
    schema : mapping
        The whole schema.
    """
    found = dict(node.get("properties", {}))
    for branch in node.get("allOf", []):
        if Draft202012Validator(branch["if"]).is_valid(value):
            found |= fields(resolved(branch["then"], schema), value, schema)
    return found


def filled(value: Any, schema: Mapping[str, Any], node: Mapping[str, Any] | None = None) -> Any:
    """A copy of a valid configuration, with every default of the schema.

    Parameters
    ----------
    value : object
        The configuration, or a part of it.
    schema : mapping
        The whole schema.
    node : mapping
        Schema of that part; by default the whole.
    """
    node = resolved(schema if node is None else node, schema)
    if isinstance(value, Mapping):
        known = fields(node, value, schema)
        result = {k: deepcopy(f["default"]) for k, f in known.items() if "default" in f}
        result |= value
        # In the schema's order: no result may depend on the order in which a user writes keys.
        result = {k: result[k] for k in [*known, *value] if k in result}
        others = node.get("additionalProperties")
        return {
            key: filled(item, schema, known.get(key, others or {})) for key, item in result.items()
        }
    if isinstance(value, list):
        return [filled(item, schema, _items(node, schema)) for item in value]
    if isinstance(value, float) and "integer" in _types(node, schema):
        return int(value)  # 1e3 is a whole number to the schema, and should be one to the program
    return value


def _items(node: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    for branch in (node, *node.get("anyOf", [])):
        if "items" in branch:
            return branch["items"]
    return {}


def _types(node: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    branches = [resolved(branch, schema) for branch in (node, *node.get("anyOf", []))]
    kinds = [branch.get("type", []) for branch in branches]
    return [kind for k in kinds for kind in ([k] if isinstance(k, str) else k)]
