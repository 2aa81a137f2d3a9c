"""What a model says of its keys, as a JSON schema without references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

from shakedown.component.entries import Entry


@cache
def node(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a model.

    Where an entry names a component, it has the keyword `component`: the class of the entry.
    """
    if "choice" in vars(model):
        model = model.of()
    whole = model.model_json_schema()
    return _inlined(whole, whole.get("$defs", {}))


def _inlined(part: Any, among: Mapping[str, Any]) -> Any:
    """A schema with its references replaced by their targets."""
    if isinstance(part, list):
        return [_inlined(each, among) for each in part]
    if not isinstance(part, Mapping):
        return part
    if "$ref" in part:
        target = among[part["$ref"].rpartition("/")[2]]
        part = {**target, **{k: v for k, v in part.items() if k != "$ref"}}
    part = {key: _inlined(each, among) for key, each in part.items() if key != "$defs"}
    # Pydantic takes the pattern out of the names: others would be allowed.
    for pattern, entries in part.pop("patternProperties", {}).items():
        names = {"pattern": pattern, **part["propertyNames"]}
        part |= {"propertyNames": names, "additionalProperties": entries}
    return part


def expanded(part: Mapping[str, Any], value: Any) -> Mapping[str, Any]:
    """The schema of a place, with the parameters of the component that its value names."""
    for branch in (part, *part.get("anyOf", ())):
        entry: type[Entry] | None = branch.get("component")
        if entry is not None and isinstance(value, Mapping):
            return node(entry.expanded(value))
    return part


def place_of(
    model: type[BaseModel], config: Any, place: Iterable[str | int]
) -> tuple[Mapping[str, Any], Any]:
    """The schema and the value of a place in a configuration.

    Parameters
    ----------
    model : type
    config : mapping
        The configuration that the model describes.
    place : iterable of str or int
        Keys and positions in lists.
    """
    part: Mapping[str, Any] = node(model)
    for step in place:
        part, config = _child(expanded(part, config), step), config[step]
    return part, config


def _child(part: Mapping[str, Any], step: str | int) -> Mapping[str, Any]:
    branches = (part, *part.get("anyOf", ()))
    for branch in branches:
        if isinstance(step, int) and "items" in branch:
            return branch["items"]
        if step in branch.get("properties", {}):
            return branch["properties"][step]
    others = (branch.get("additionalProperties") for branch in branches)
    return next((each for each in others if isinstance(each, Mapping)), {})
