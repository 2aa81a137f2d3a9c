"""Check that quotation marks swallow no rows of a text table.

A quotation mark at the start of a cell quotes it, so that it may hold line breaks.  One that is
there by mistake makes a cell of all that follows, up to the next one.  Then each of its lines has
as many cells as the header, if quotation marks are ignored; lines of other cells have fewer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_REST = re.compile(rb'[^"]*(?:""[^"]*)*("?)')  # of a quoted cell, and its closing mark


class Unbalanced(ValueError):
    """A quotation mark that opens a cell by mistake; the message names the line."""


def count_records(lines: Iterable[bytes], delimiter: str, width: int, skip: int = 0) -> int:
    """Rows of a text table below the first `skip` lines; empty lines are none.

    Parameters
    ----------
    lines : iterable of bytes
        See `opening.physical_lines`.
    delimiter : str
        The separator of cells.
    width : int
        Number of columns.
    skip : int
        Lines that are checked but not counted, such as the header's.

    Raises
    ------
    Unbalanced
        If a quoted cell with line breaks is not closed, text follows its closing mark, or each of
        its lines could be a row.
    """
    separator = delimiter.encode()
    quoted = re.compile(rb'(?:^|%b)"[^"]*(?:""[^"]*)*("?)' % separator)
    records = first = 0  # `first` is the line in which an open record begins
    like_rows = True  # each of its lines has as many cells as the header
    number = 0
    for number, line in enumerate(lines, 1):
        bare, end = line.rstrip(b"\r\n"), 0
        if not first:
            if not bare:
                continue
            records += number > skip
            like_rows = True
        wide = bare.count(separator) + 1 >= width
        like_rows &= wide or (bool(first) and not bare.strip())
        if first:
            closing = _REST.match(line)
            if not closing[1]:
                continue
            end = closing.end()
            if line[end : end + 1] not in (separator, b"\r", b"\n", b""):
                raise Unbalanced(_message(first, number, "where text follows the closing one"))
        if b'"' in line[end:] and any(not cell[1] for cell in quoted.finditer(line, end)):
            first = first or number
        elif first:
            if like_rows:
                raise Unbalanced(_message(first, number, "and each of these lines could be a row"))
            first = 0
    if first:
        raise Unbalanced(
            f"line {first:,}: a quotation mark opens a cell that is not closed. Remove it, or "
            "close the cell."
        )
    return records


def _message(first: int, last: int, why: str) -> str:
    return (
        f"line {first:,}: a quotation mark opens a cell that goes on to line {last:,}, {why}. "
        "Remove it, or quote the whole cell and double the marks in it."
    )
