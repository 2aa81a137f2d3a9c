"""Find the tables of the example configurations, from whatever folder these are run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: Keys of a replay that name files.
FILES = ("table", "submissions", "public")


def with_examples(config: Mapping[str, Any], base: Path, folder: Path) -> dict[str, Any]:
    """Name tables that only `base` has by their place there.

    Parameters
    ----------
    config : mapping
        A configuration that fits the schema.
    base : Path
        The folder of the example configurations: the checkout, or its copy in an installed package.
    folder : Path
        Folder for relative paths of tables, which comes first.

    Returns
    -------
    dict
        The configuration; `config` is not modified.
    """
    datasets = {
        name: {**entry, **_there(entry, ("path", "response_table"), base, folder)}
        for name, entry in config["datasets"].items()
    }
    replay = config["replay"]
    if replay is not None:
        replay = {**replay, **_there(replay, FILES, base, folder)}
    return {**config, "datasets": datasets, "replay": replay}


def _there(
    entry: Mapping[str, Any], keys: tuple[str, ...], base: Path, folder: Path
) -> dict[str, str]:
    """The paths at some keys where only `base` has the file, with `base` before them."""
    paths = {}
    for key in keys:
        value = entry.get(key)
        if isinstance(value, str) and not _exists(folder, value) and _exists(base, value):
            paths[key] = str(base / value)
    return paths


def _exists(folder: Path, path: str) -> bool:
    try:
        return (folder / path).is_file()
    except (OSError, ValueError):  # no file can have this name
        return False
