"""The version of a board's JSON answers: to programs, on the command line and to adapters.

It grows when a key goes away or changes its meaning, and not when one is added.
"""

from __future__ import annotations

from typing import Any

VERSION = 1


def versioned(fields: dict[str, Any]) -> dict[str, Any]:
    """An answer with the version of its keys."""
    return {"version": VERSION} | fields
