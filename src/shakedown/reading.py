"""Read YAML, and refuse what PyYAML takes without a word.

Of repeated keys it would keep the last value, and an alias may lie within what it names.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from shakedown.interface import InputError

#: Most entries of a file, with its aliases written out.
MOST_ENTRIES = 1_000_000


class _Loader(yaml.SafeLoader):
    """Refuses repeated keys while parsing, before "<<" merges mappings, and endless aliases."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name
        self._open: list[str | None] = []  # anchors of the nodes around the present one
        self._sizes: dict[int, int] = {}  # entries of each node, aliases written out

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            alias = self.peek_event()
            if alias.anchor in self._open:
                raise InputError(
                    f"{self.name}, line {alias.start_mark.line + 1}: *{alias.anchor} lies within "
                    f"&{alias.anchor}, so it would contain itself. Write out what is meant."
                )
        node = super().compose_node(parent, index)
        if id(node) not in self._sizes:
            self._sizes[id(node)] = size = 1 + sum(self._sizes[id(part)] for part in _parts(node))
            if size > MOST_ENTRIES:
                raise InputError(
                    f"{self.name}, line {node.start_mark.line + 1}: with its aliases this has more "
                    f"than {MOST_ENTRIES:,} entries. Write out what is meant."
                )
        return node

    def compose_sequence_node(self, anchor: str | None) -> yaml.SequenceNode:
        self._open.append(anchor)
        node = super().compose_sequence_node(anchor)
        self._open.pop()
        return node

    def compose_mapping_node(self, anchor: str | None) -> yaml.MappingNode:
        self._open.append(anchor)
        node = super().compose_mapping_node(anchor)
        self._open.pop()
        seen: dict[tuple[str, str], yaml.Node] = {}
        for key, _ in node.value:
            first = seen.setdefault((key.tag, str(key.value)), key)
            if first is not key and not key.tag.endswith(":merge"):
                raise InputError(
                    f"{self.name}, line {key.start_mark.line + 1}: the key {key.value} is already "
                    f"in line {first.start_mark.line + 1}. Keep one of them."
                )
        return node


def _parts(node: yaml.Node) -> Iterable[yaml.Node]:
    """The entries of a list, or the keys and values of a mapping."""
    if isinstance(node, yaml.MappingNode):
        return chain.from_iterable(node.value)
    return node.value if isinstance(node, yaml.SequenceNode) else ()


def read(path: str | Path) -> Any:
    """The content of a YAML file.

    Raises
    ------
    InputError
        If a key is repeated, an alias lies within what it names, the nesting is too deep, aliases
        make it too large, or the file is not UTF-8 text; names the file and the line.
    OSError, yaml.YAMLError
        If the file cannot be read, or is not YAML.
    """
    raw = Path(path).read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = raw.count(b"\n", 0, e.start) + 1
        raise InputError(
            f"{path}, line {line}: wanted UTF-8 text; got the byte 0x{raw[e.start]:02X}. Save the "
            "file as UTF-8."
        ) from e
    loader = _Loader(text, str(path))
    try:
        return loader.get_single_data()
    except RecursionError:
        raise InputError(
            f"{path}: lists and settings are nested too deeply to be read. Write them flat."
        ) from None
    finally:
        loader.dispose()


def check_keys(paths: Iterable[str | Path]) -> None:
    """Check files that other code reads, such as for repeated keys.

    Raises
    ------
    InputError
        At the first mistake, see `read`.
    """
    for path in paths:
        try:
            read(path)
        except yaml.YAMLError:
            continue  # such as JSON; its reader checks it
