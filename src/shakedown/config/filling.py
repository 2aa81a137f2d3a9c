"""Fill a configuration with the defaults of the schema."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from shakedown.config.schema import expanded, schema


def filled(value: Any, node: Mapping[str, Any] | None = None) -> Any:
    """A copy of a valid configuration with all defaults of the schema.

    Parameters
    ----------
    value : object
        The configuration, or a part of it.
    node : mapping
        The schema of that part; by default the whole schema.
    """
    node = expanded(schema() if node is None else node, value)
    branches = [node, *node.get("anyOf", [])]
    if isinstance(value, Mapping):
        known = next((branch["properties"] for branch in branches if "properties" in branch), {})
        result = {k: deepcopy(f["default"]) for k, f in known.items() if "default" in f}
        result |= value
        # In the schema's order, so that no result depends on the order of a user's keys.
        result = {k: result[k] for k in [*known, *value] if k in result}
        others = node.get("additionalProperties")
        others = others if isinstance(others, Mapping) else {}
        return {key: filled(item, known.get(key, others)) for key, item in result.items()}
    if isinstance(value, list):
        items = next((branch["items"] for branch in branches if "items" in branch), {})
        return [filled(item, items) for item in value]
    if isinstance(value, float) and value.is_integer() and _takes_whole(branches):
        return int(value)  # the schema accepts 1e3 as a whole number
    return value


def _takes_whole(branches: list[Mapping[str, Any]]) -> bool:
    kinds = [branch.get("type", []) for branch in branches]
    return any("integer" in ([kind] if isinstance(kind, str) else kind) for kind in kinds)
