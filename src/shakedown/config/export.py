"""The JSON schema of configurations, with which an editor completes and checks them.

It knows the package's own components, each in `$defs`.  What it accepts may still be refused: it
does not know what must fit together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakedown.component.entries import Entry
from shakedown.config.extending import SECTIONS
from shakedown.config.nodes import node
from shakedown.config.study import Study

COMMAND = "python -m shakedown.config --schema > study.schema.json"

#: Keywords that are for us: words for readers, and roles of parameters.
_OURS = ("$comment", "component", "descending", "relation", "role", "title", "unit")
#: Keywords that differences from another configuration need not meet.
_OF_WHOLE = ("required", "minProperties")


def json_schema() -> dict[str, Any]:
    """A JSON schema (draft 2020-12): of a whole study, or of what a study with `extends` gives."""
    whole, differences = _Exported(whole=True), _Exported(whole=False)
    definitions = {
        "Study": whole.of(node(Study)),
        "Differences": differences.of(_with_nulls(node(Study))),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of a study",
        "description": " ".join(node(Study)["description"].split()),
        "type": "object",
        "if": {"required": ["extends"]},
        "then": {"$ref": "#/$defs/Differences"},
        "else": {"$ref": "#/$defs/Study"},
        "$defs": definitions | whole.definitions | differences.definitions,
    }


def _with_nulls(part: Mapping[str, Any]) -> dict[str, Any]:
    """A study's schema in which null drops an entry."""
    keys = dict(part["properties"])
    for section in SECTIONS:
        nullable = {"anyOf": [keys[section]["additionalProperties"], {"type": "null"}]}
        keys[section] = {**keys[section], "additionalProperties": nullable}
    return {**part, "properties": keys}


class _Exported:
    """Schemas with references to the components.

    Parameters
    ----------
    whole : bool
        Whether needed keys must be there.
    """

    def __init__(self, *, whole: bool) -> None:
        self.whole = whole
        self.definitions: dict[str, Any] = {}

    def of(self, part: Any, *, whole: bool | None = None) -> Any:
        """A schema without our keywords."""
        whole = self.whole if whole is None else whole
        if isinstance(part, list):
            return [self.of(each, whole=whole) for each in part]
        if not isinstance(part, Mapping):
            return part
        if "component" in part:
            words = {key: part[key] for key in ("description",) if key in part}
            return {"$ref": self._reference(part["component"], whole=whole), **words}
        dropped = _OURS if whole else (*_OURS, *_OF_WHOLE)
        result = {key: value for key, value in part.items() if key not in dropped}
        for key, value in result.items():
            if key == "properties":
                result[key] = {name: self.of(each, whole=whole) for name, each in value.items()}
            elif key == "items":  # lists are replaced
                result[key] = self.of(value, whole=True)
            elif key in ("additionalProperties", "propertyNames", "anyOf"):
                result[key] = self.of(value, whole=whole)
            elif key == "description":
                result[key] = " ".join(value.split())
        return result

    def _reference(self, entry: type[Entry], *, whole: bool) -> str:
        """Where the union of a kind of components is, which is added if it is not there yet."""
        name = entry.__name__ if whole else f"{entry.__name__}Differences"
        if name not in self.definitions:
            union = self.definitions[name] = {"type": "object"}
            key = entry.choice.key
            union["anyOf"] = [
                self._component(entry, component, f"{name}.{component.name}", whole=whole)
                for component in entry.choice.registry.classes.values()
            ]
            # The user's own, by import path.
            own = {**self.of(node(entry)["properties"][key]), "pattern": r"\."}
            union["anyOf"].append({"required": [key], "properties": {key: own}})
        return f"#/$defs/{name}"

    def _component(self, entry, component, name: str, *, whole: bool) -> dict[str, str]:
        part = self.of(node(entry.of(component)), whole=whole)
        key = entry.choice.key
        words = " ".join(component.sentence.split())
        part["description"] = words or component.label
        part["properties"][key] = {"const": component.name, "description": words}
        if "budgets" in part["properties"] and whole:
            # Its sizes may give what it needs.
            needed = part.pop("required")
            sizes = {"required": ["budgets"], "properties": {"budgets": {"type": "array"}}}
            part |= {"required": [key], "if": sizes, "else": {"required": needed}}
        self.definitions[name] = part
        return {"$ref": f"#/$defs/{name}"}
