"""Reading YAML, in which a key that stands twice is a mistake.

PyYAML keeps the last value and tells nothing, so half of what a user wrote would be gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from shakedown.interface import InputError


def read(path: str | Path) -> Any:
    """What a YAML file holds.

    Raises
    ------
    InputError
        If a key is repeated: names the file, the key and both lines.
    OSError, yaml.YAMLError
        If the file cannot be read, or is not YAML.
    """
    text = Path(path).read_text(encoding="utf-8")
    for key, first, line in _repeated(yaml.compose(text, yaml.SafeLoader), "", set()):
        raise InputError(
            f"{path}, line {line}: the key {key} stands in line {first} already. Keep one of them."
        )
    return yaml.safe_load(text)


def check_keys(paths: Iterable[str | Path]) -> None:
    """Look for repeated keys in files that somebody else reads.

    Raises
    ------
    InputError
        At the first one, see `read`.
    """
    for path in paths:
        try:
            read(path)
        except yaml.YAMLError:
            continue  # JSON, say; whoever reads the file judges it.


def _repeated(node: yaml.Node | None, place: str, seen: set[int]) -> Iterator[tuple[str, int, int]]:
    """Repeated keys below a node: the place, and the lines of the first and of the next one."""
    if id(node) in seen:
        return  # An alias stands for a node that was looked at.
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            yield from _repeated(value, f"{place}[{i}]", seen)
    elif isinstance(node, yaml.MappingNode):
        keys: dict[tuple[str, str], yaml.Node] = {}
        for key, value in node.value:
            name = str(key.value)
            below = f"{place}.{name}".removeprefix(".")
            first = keys.setdefault((key.tag, name), key)
            # Several mappings may be merged ("<<"), and none of them is lost.
            if first is not key and not key.tag.endswith(":merge"):
                yield below, first.start_mark.line + 1, key.start_mark.line + 1
            yield from _repeated(value, below, seen)
