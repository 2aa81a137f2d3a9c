"""Read YAML, and refuse what PyYAML takes without a word.

Of repeated keys it would keep the last value, and an alias may lie within what it names.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from shakedown.interface import MOST_DIGITS, InputError

#: Largest file.
MOST_BYTES = 64 * 2**20
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

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        try:
            number = super().construct_yaml_int(node)
        except ValueError as e:
            if "digits" not in str(e):  # Python's own limit is 4,300
                raise
            number = 10**MOST_DIGITS
        if abs(number) >= 10**MOST_DIGITS:
            raise InputError(
                f"{self.name}, line {node.start_mark.line + 1}: a whole number of more than "
                f"{MOST_DIGITS} digits. Write a shorter one."
            )
        return number


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


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
        If it is a pipe, a device or larger than `MOST_BYTES`, a key is repeated, a whole number has
        too many digits, an alias lies within what it names, the nesting is too deep, aliases
        make it too large, or the file is not UTF-8 text; names the file and the line.
    OSError, yaml.YAMLError
        If the file cannot be read, or is not YAML.
    """
    raw = _content(path)
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


def _content(path: str | Path) -> bytes:
    with regular_file(path) as file:
        if file is None and os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if file is None:
            raise _special(path)
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise InputError(f"{path}: larger than {MOST_BYTES // 2**20} MB; wanted a configuration.")
    return raw


def refuse_special(path: str | Path) -> None:
    """Refuse what is there but neither a file nor a folder.

    Raises
    ------
    InputError
        If it is a pipe or a device.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise _special(path)


def _special(path: str | Path) -> InputError:
    return InputError(f"{path}: a pipe or a device; wanted a file.")


@contextmanager
def regular_file(path: str | Path) -> Iterator[BinaryIO | None]:
    """A file opened for reading; None for a pipe, a device or a folder, which may have no end."""
    # A named pipe would wait for its writer.
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        if stat.S_ISREG(os.fstat(number).st_mode):
            with open(number, "rb", closefd=False) as file:
                yield file
        else:
            yield None
    finally:
        os.close(number)


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
