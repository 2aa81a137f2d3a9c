"""Ids, which name a component with its parameters, and values as printed in labels."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import BaseModel


def identity(name: str, parameters: Mapping[str, object]) -> str:
    """The id of a component with its parameters, such as ``ladderboot(alpha=0.15,b=100)``.

    Parameters
    ----------
    name : str
        Name of the component.
    parameters : mapping
        Its parameters, in the order of declaration.

    Returns
    -------
    str
        Independent of the machine and of library versions, because it names random streams and
        tables.
    """
    if not parameters:
        return name
    return f"{name}({','.join(f'{key}={_text(value)}' for key, value in parameters.items())})"


#: A number without the digit before its point, which JSON lacks.
_POINT = re.compile(r"([=,\[:]-?)(?=\.\d)")
_WORD = re.compile(r"(?!(?:true|false|null|NaN|Infinity)\b)[A-Za-z_][\w.]*")


def parsed(id: str) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of an id; the inverse of `identity`.

    Numbers may lack the digit before their point: `.1` is 0.1.

    Raises
    ------
    ValueError
        If `id` is not an id.
    """
    name, bracket, rest = id.partition("(")
    # Not within quoted text.
    quoted = re.split(r'("(?:[^"\\]|\\.)*")', rest)
    rest = "".join(
        _POINT.sub(r"\g<1>0", part) if k % 2 == 0 else part for k, part in enumerate(quoted)
    )
    parameters, decoder, at, ends = {}, json.JSONDecoder(), 0, not bracket
    while not ends:
        key, _, _ = rest[at:].partition("=")
        at += len(key) + 1
        if word := _WORD.match(rest, at):
            value, at = word.group(), word.end()
        else:
            value, at = decoder.raw_decode(rest, at)
        parameters[key] = value
        ends = rest[at:] == ")"
        if not ends and rest[at : at + 1] != ",":
            raise ValueError(f"wanted a comma or a closing bracket in {id!r}")
        at += 1
    return name, parameters


def parts_of(id: str) -> list[str]:
    """The ids that are joined by plus signs, such as those of a mechanism and its defences."""
    # A plus sign may also stand in a number or in quoted text, within brackets.
    parts, depth, quoted = [""], 0, False
    for at, sign in enumerate(id):
        quoted ^= sign == '"' and id[at - 1] != "\\"
        depth += 0 if quoted else (sign == "(") - (sign == ")")
        if sign == "+" and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _text(value: object) -> str:
    """Numbers in the shortest exact form, words without quotes, everything else as JSON."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, str) and _WORD.fullmatch(value):
        return value
    return json.dumps(value, separators=(",", ":"), default=_plain)


def _plain(group: BaseModel) -> dict[str, Any]:
    """A group of parameters for JSON."""
    return group.model_dump(exclude_defaults=True)


def printed(value: object) -> str:
    """A value in a label: 0.00001 instead of 1e-05, 1,000 instead of 1000; but 1e-20."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(value, int):
        return f"{value:,}"
    short = f"{value:g}"
    return f"{Decimal(short):f}" if "e-" in short and abs(value) > 1e-15 else short
