"""The manual of the configuration's keys, made from the models and the components."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from shakedown.component import Component, described
from shakedown.component.entries import Entry
from shakedown.config.export import COMMAND as EXPORT
from shakedown.config.nodes import node
from shakedown.config.study import OpenQuestion, Study
from shakedown.data.designs import DESIGNS
from shakedown.data.entries import DatasetEntry
from shakedown.figures.entries import FigureEntry
from shakedown.leaderboard.entries import DefenceEntry, MechanismEntry
from shakedown.metrics import METRICS
from shakedown.simulation.release_settings import ReleaseVariabilityEntry
from shakedown.simulation.settings import AttackEntry, ExperimentEntry

COMMAND = "python -m shakedown.config > config/README.md"

_HEAD = """\
# The keys of a configuration

Generated from the components and the models of `src/shakedown/config/study.py` by
`{command}`.

`config.yaml` is the default study. To run another configuration:
`shakedown reproduce <file>`, or `snakemake --cores all --configfile <file>`. With the second,
Snakemake reads the file first, and stops with a traceback of its own if it is not UTF-8.

An editor completes the keys, explains them and marks mistakes with the JSON schema that
`{schema}` writes. In editors with the YAML language
server, such as VS Code with its YAML extension, make this the first line of a configuration beside
that file:

```yaml
# yaml-language-server: $schema=study.schema.json
```

{closing}
"""

# Heading, model, and its place in a configuration.
_SECTIONS: tuple[tuple[str, type[BaseModel], str], ...] = (
    ("The study", Study, "At the top"),
    ("A data set", DatasetEntry, "Under `datasets.<id>`"),
    ("An experiment", ExperimentEntry, "Under `experiments.<id>`"),
    ("An attack", AttackEntry, "Under `experiments.<id>.attack`"),
    ("A mechanism", MechanismEntry, "In each entry of `experiments.<id>.mechanisms`"),
    ("A defence", DefenceEntry, "In each entry of a mechanism's `defences`"),
    ("A figure", FigureEntry, "Under `figures.<id>`"),
    ("Release variability", ReleaseVariabilityEntry, "Under `release_variability.<id>`"),
    ("An open question", OpenQuestion, "Under `sensitivity.<id>`"),
)
_KEYS = ("key", "type", "default", "meaning")
_PARAMETERS = ("parameter", "symbol", "unit", "type", "default", "meaning")


def manual() -> str:
    """Markdown tables of every key: its type, its default and its meaning."""
    text = [_HEAD.format(command=COMMAND, schema=EXPORT, closing=_words(node(Study)))]
    for heading, model, place in _SECTIONS:
        text.append(f"\n## {heading}\n\n{place}:\n\n{_table(_KEYS, _rows(node(model)))}")
        if issubclass(model, Entry):
            text += [_component(one) for one in model.choice.registry.classes.values()]
    for heading, choices in (("Designs", DESIGNS), ("Metrics", METRICS.classes)):
        rows = ((f"`{name}`", choice.label, choice.sentence) for name, choice in choices.items())
        text.append(f"\n## {heading}\n\n{_table(('name', 'label', 'meaning'), rows)}")
    return "".join(text)


def _component(component: type[Component]) -> str:
    """A component's sentence, and a table of its parameters."""
    source = f" Source: {component.source}." if component.source else ""
    text = f"\n### `{component.name}`: {component.label}\n\n{component.sentence}{source}\n"
    return (
        f"{text}\n{_table(_PARAMETERS, _parameters(component))}" if component.model_fields else text
    )


def _parameters(component: type[Component]) -> Iterator[tuple[str, ...]]:
    whole = node(component)
    for key, kind, default, meaning in _rows(whole):
        name = key.strip("`")
        field = component.model_fields.get(name)  # None for a key within a parameter
        symbol = field.title if field and field.title else ""
        unit = whole["properties"].get(name, {}).get("unit", "")
        yield key, symbol, unit, kind, default, meaning


def _rows(whole: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str, str, str]]:
    for name, part in whole.get("properties", {}).items():
        key, needed = f"{prefix}{name}", name in whole.get("required", [])
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


def _words(part: Mapping[str, Any]) -> str:
    return " ".join(part["description"].split())


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(line)} |" for line in (head, *rows)]
    lines.insert(1, "|---" * len(head) + "|")
    return "\n".join(lines) + "\n"
