"""The schema of configurations: a hand-written skeleton plus the parameters of the components.

In ``schema.yaml`` an object that names a component has the keyword ``component``: the component's
kind, and the key with its name.  The object's other keys are the parameters that the class
declares, so a new parameter needs no change here.  With `listed`, a parameter may be a list of
values; entries of the list named by `repeated` may set parameters again; other checks handle the
unknown keys of an `open` object.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from shakedown.component import Component, Registry
from shakedown.interface import InputError

_SKELETON = Path(__file__).with_name("schema.yaml")


@cache
def schema() -> dict[str, Any]:
    """The skeleton; YAML anchors repeat its parts, so it has no references."""
    from shakedown.data.designs import DESIGNS

    # The loader in C, if PyYAML has it, takes a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    whole = yaml.load(_SKELETON.read_text(encoding="utf-8"), Loader=loader)
    whole["$defs"]["experiment"]["properties"]["designs"]["items"] = {"enum": list(DESIGNS)}
    return whole


@cache
def registry(kind: str) -> Registry:
    """The components of a kind."""
    # Imported here, because loading the code of the components is slow.
    if kind == "mechanism":
        from shakedown.leaderboard.mechanism import MECHANISMS

        return MECHANISMS
    if kind == "defence":
        from shakedown.leaderboard.defence import DEFENCES

        return DEFENCES
    if kind == "recipe":
        from shakedown.data.recipe import RECIPES

        return RECIPES
    if kind == "attack":
        from shakedown.attacks.attack import ATTACKS

        return ATTACKS
    from shakedown.figures.kind import FIGURE_KINDS

    return FIGURE_KINDS


def expanded(node: Mapping[str, Any], value: Any) -> Mapping[str, Any]:
    """The schema of an object, with the parameters of the component that the object names.

    Parameters
    ----------
    node : mapping
        From the skeleton.
    value : mapping
        The object, from a configuration.  If it names no component, the schema has the parameters
        of all of them.

    Raises
    ------
    InputError
        If the component does not exist.
    """
    which = node.get("component")
    if which is None or not isinstance(value, Mapping):
        return node
    chosen = value.get(which["named"])
    if chosen is not None:
        part = _parameters(node, str(chosen))
        sizes = which.get("repeated")
        needed = [] if sizes and value.get(sizes) else part.get("required", [])
        whole = _closed(node, part["properties"], needed)
        if sizes:
            whole["properties"][sizes] = _repeated(node["properties"][sizes], part["properties"])
        return whole
    properties: dict[str, Any] = {}
    for name in names(node):
        properties |= _parameters(node, name)["properties"]
    return _closed(node, properties, [])


def names(node: Mapping[str, Any]) -> list[str]:
    """The components of the package that an object may name."""
    return list(registry(node["component"]["kind"]))


def _parameters(node: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Schemas of a component's parameters."""
    which = node["component"]
    return parameters(registry(which["kind"]).find(name), listed=which.get("listed", False))


def _closed(
    node: Mapping[str, Any], properties: Mapping[str, Any], required: list[str]
) -> dict[str, Any]:
    return {
        **{key: value for key, value in node.items() if key != "component"},
        "properties": {**node["properties"], **properties},
        "required": [*node["required"], *required],
        "additionalProperties": node["component"].get("open", False),
    }


def _repeated(node: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a list whose entries may set the same parameters again."""
    again = {
        key: {k: v for k, v in part.items() if k != "default"} for key, part in properties.items()
    }
    items = node["items"]
    items = {**items, "properties": {**items["properties"], **again}, "additionalProperties": False}
    return {**node, "items": items}


@cache
def parameters(component: type[Component], *, listed: bool = False) -> dict[str, Any]:
    """The schema of a component's parameters, without references.

    Parameters
    ----------
    component : type
        The class.
    listed : bool
        Whether a parameter may be a list, which gives one component for each value.
    """
    whole = component.model_json_schema()
    whole = _inlined(whole, whole.get("$defs", {}))
    if listed:
        whole["properties"] = {k: _or_list(part) for k, part in whole["properties"].items()}
    return whole


def _inlined(node: Any, among: Mapping[str, Any]) -> Any:
    """A schema with its references replaced by their targets."""
    if isinstance(node, list):
        return [_inlined(part, among) for part in node]
    if not isinstance(node, Mapping):
        return node
    if "$ref" in node:
        target = among[node["$ref"].rpartition("/")[2]]
        node = {**target, **{k: v for k, v in node.items() if k != "$ref"}}
    return {key: _inlined(part, among) for key, part in node.items() if key != "$defs"}


def _or_list(node: Mapping[str, Any]) -> dict[str, Any]:
    words = {key: node[key] for key in ("description", "default") if key in node}
    several = {"type": "array", "minItems": 1, "items": node, "$comment": "a list of these"}
    branches = node.get("anyOf", [node])
    return {**words, "anyOf": [*branches, several]}


def _check_component(
    validator: Any, which: Mapping[str, Any], value: Any, node: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Validate an object against the class that it names."""
    if not validator.is_type(value, "object"):
        return
    try:
        whole = expanded(node, value)
    except InputError as e:
        yield ValidationError(str(e), path=[which["named"]])
        return
    yield from validator.descend(value, whole)


def _is_finite(checker: Any, value: Any) -> bool:
    """Whether a value is a number, not NaN and not infinite, which no bound would refuse."""
    return Draft202012Validator.TYPE_CHECKER.is_type(value, "number") and math.isfinite(value)


#: Understands the keyword `component`, and takes only finite numbers.
Validator = extend(
    Draft202012Validator,
    {"component": _check_component},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("number", _is_finite),
)
