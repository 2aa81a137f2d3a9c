"""The manual of the configuration's keys, made from the schema and the components."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from shakedown.component import Component, described
from shakedown.config.schema import names, parameters, registry, schema
from shakedown.data.designs import DESIGNS
from shakedown.metrics import METRICS

COMMAND = "python -m shakedown.config > config/README.md"

_HEAD = """\
# The keys of a configuration

Generated from the components and `src/shakedown/config/schema.yaml` by
`{command}`.

`config.yaml` is the default study. To run another configuration:
`shakedown reproduce <file>`, or `snakemake --cores all --configfile <file>`. With the second,
Snakemake reads the file first, and stops with a traceback of its own if it is not UTF-8.

{closing}
"""

# Heading, name of its schema, and its place in a configuration.
_SECTIONS = (
    ("The study", "", "At the top"),
    ("A data set", "dataset", "Under `datasets.<id>`"),
    ("An experiment", "experiment", "Under `experiments.<id>`"),
    ("An attack", "attack", "Under `experiments.<id>.attack`"),
    ("A mechanism", "mechanism", "In each entry of `experiments.<id>.mechanisms`"),
    ("A defence", "defence", "In each entry of a mechanism's `defences`"),
    ("A figure", "figure", "Under `figures.<id>`"),
    ("Release variability", "release_variability", "Under `release_variability.<id>`"),
    ("An open question", "sensitivity", "Under `sensitivity.<id>`"),
)
_KEYS = ("key", "type", "default", "meaning")
_PARAMETERS = ("parameter", "symbol", "unit", "type", "default", "meaning")


def manual() -> str:
    """Markdown tables of every key: its type, its default and its meaning."""
    text = [_HEAD.format(command=COMMAND, closing=_words(schema()))]
    for heading, name, place in _SECTIONS:
        node = schema()["$defs"][name] if name else schema()
        text.append(f"\n## {heading}\n\n{place}:\n\n{_table(_KEYS, _rows(node))}")
        if "component" in node:
            text += [_component(node, name) for name in names(node)]
    for heading, choices in (("Designs", DESIGNS), ("Metrics", METRICS.classes)):
        rows = ((f"`{name}`", choice.label, choice.sentence) for name, choice in choices.items())
        text.append(f"\n## {heading}\n\n{_table(('name', 'label', 'meaning'), rows)}")
    return "".join(text)


def _component(node: Mapping[str, Any], name: str) -> str:
    """A component's sentence, and a table of its parameters."""
    component = registry(node["component"]["kind"]).find(name)
    source = f" Source: {component.source}." if component.source else ""
    text = f"\n### `{name}`: {component.label}\n\n{component.sentence}{source}\n"
    return (
        f"{text}\n{_table(_PARAMETERS, _parameters(component))}" if component.model_fields else text
    )


def _parameters(component: type[Component]) -> Iterator[tuple[str, ...]]:
    properties = parameters(component)["properties"]
    for key, kind, default, meaning in _rows(parameters(component)):
        name = key.strip("`")
        field = component.model_fields.get(name)  # None for a key within a parameter
        symbol = field.title if field and field.title else ""
        yield key, symbol, properties.get(name, {}).get("unit", ""), kind, default, meaning


def _rows(node: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str, str, str]]:
    for name, part in node.get("properties", {}).items():
        key, needed = f"{prefix}{name}", name in node.get("required", [])
        branches = [part, *part.get("anyOf", [])]
        inner = [branch for branch in branches if "properties" in branch]
        inner += [branch["items"] for branch in branches if "properties" in branch.get("items", {})]
        default = json.dumps(part["default"], ensure_ascii=False) if "default" in part else ""
        nested = inner and "component" not in inner[0]
        if not (nested and default.startswith("{")):
            shown = "**needed**" if needed else f"`{default}`" if default else ""
            yield f"`{key}`", described(part), shown, _words(part)
        if nested:
            dots = "." if inner[0] in branches else "[]."
            yield from _rows(inner[0], f"{key}{dots}")


def _words(node: Mapping[str, Any]) -> str:
    return " ".join(node["description"].split())


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(line)} |" for line in (head, *rows)]
    lines.insert(1, "|---" * len(head) + "|")
    return "\n".join(lines) + "\n"
