"""The manual of a configuration's keys, made from its schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from shakedown.configuration.filling import resolved

_HEAD = """\
# The keys of a configuration

Made from `workflow/schemas/config.schema.yaml`; renew it with `{command}`.

`config.yaml` is the default study. Another one lies in a file of its own and is run with
`snakemake --cores all --configfile <file>`.

{closing}
"""
COMMAND = "python -m shakedown.configuration workflow/schemas/config.schema.yaml > config/README.md"

# Heading, where its schema stands, and the place in a configuration.
_SECTIONS = (
    ("The study", "", "At the top"),
    ("A data set", "dataset", "Under `datasets.<id>`"),
    ("An experiment", "experiment", "Under `experiments.<id>`"),
    ("An attack", "attack", "Under `experiments.<id>.attack`"),
    ("A mechanism", "mechanism", "In each entry of `experiments.<id>.mechanisms`"),
    ("A figure", "figure", "Under `figures.<id>`"),
)
_KINDS = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "object": "settings",
    "array": "list",
}


def manual(schema: Mapping[str, Any]) -> str:
    """Markdown tables of every key: its type, its default and its meaning.

    Parameters
    ----------
    schema : mapping
        The schema of configurations.
    """
    text = [_HEAD.format(command=COMMAND, closing=" ".join(schema["description"].split()))]
    for heading, name, place in _SECTIONS:
        node = schema["$defs"][name] if name else schema
        text.append(f"\n## {heading}\n\n{place}:\n\n{_table(_rows(node, schema, ''))}")
        for branch in node.get("allOf", []):
            (key, value), *_ = branch["if"]["properties"].items()
            rows = _rows(resolved(branch["then"], schema), schema, "")
            text.append(f"\nWith `{key}: {value['const']}` also:\n\n{_table(rows)}")
    return "".join(text)


def _rows(
    node: Mapping[str, Any], schema: Mapping[str, Any], prefix: str
) -> Iterator[tuple[str, str, str, str]]:
    for name, part in node.get("properties", {}).items():
        part = resolved(part, schema)
        key, needed = f"{prefix}{name}", name in node.get("required", [])
        inner = [part] if "properties" in part else [part.get("items", {})]
        default = json.dumps(part["default"], ensure_ascii=False) if "default" in part else ""
        nested = any("properties" in i for i in inner) and "allOf" not in part
        if not (nested and default == "{}"):
            shown = "**needed**" if needed else f"`{default}`" if default else ""
            yield f"`{key}`", _kind(part, schema), shown, " ".join(part["description"].split())
        for one in inner if nested else []:
            dots = "[]." if one is not part else "."
            yield from _rows(resolved(one, schema), schema, f"{key}{dots}")


def _kind(part: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if "enum" in part:
        return ", ".join(f"`{value}`" for value in part["enum"])
    if "anyOf" in part:
        return " or ".join(
            "list of such"
            if branch.get("type") == "array"
            else _kind(resolved(branch, schema), schema)
            for branch in part["anyOf"]
        )
    kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
    words = [_KINDS[kind] for kind in kinds]
    items = resolved(part.get("items", {}), schema)
    if "enum" in items:
        words[0] += f" of {_kind(items, schema)}"
    return " or ".join(words)


def _table(rows: Iterator[tuple[str, str, str, str]]) -> str:
    lines = ["| key | type | default | meaning |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"
