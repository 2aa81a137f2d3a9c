"""Read YAML, and refuse repeated keys: PyYAML would silently keep only the last value."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from shakedown.interface import InputError


class _Loader(yaml.SafeLoader):
    """Refuses repeated keys while parsing, before "<<" merges mappings."""

    def compose_mapping_node(self, anchor: str | None) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        seen: dict[tuple[str, str], yaml.Node] = {}
        for key, _ in node.value:
            first = seen.setdefault((key.tag, str(key.value)), key)
            if first is not key and not key.tag.endswith(":merge"):
                raise InputError(
                    f"{self.name}, line {key.start_mark.line + 1}: the key {key.value} is already "
                    f"in line {first.start_mark.line + 1}. Keep one of them."
                )
        return node


def read(path: str | Path) -> Any:
    """The content of a YAML file.

    Raises
    ------
    InputError
        If a key is repeated; names the file, the key and both lines.
    OSError, yaml.YAMLError
        If the file cannot be read, or is not YAML.
    """
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, _Loader)


def check_keys(paths: Iterable[str | Path]) -> None:
    """Check files that other code reads for repeated keys.

    Raises
    ------
    InputError
        At the first repeated key, see `read`.
    """
    for path in paths:
        try:
            read(path)
        except yaml.YAMLError:
            continue  # such as JSON; its reader checks it
