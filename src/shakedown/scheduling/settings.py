"""Which settings decide what a job makes; a change of another one does not run it again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any


def chosen(
    settings: Mapping[str, Any],
    *,
    only: Collection[str] | None = None,
    without: Collection[str] = (),
) -> dict[str, Any]:
    """Some settings of a dry run or of a replay, in their order."""
    return {
        key: value
        for key, value in settings.items()
        if key not in without and (only is None or key in only)
    }
