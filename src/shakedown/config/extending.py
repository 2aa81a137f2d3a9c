"""Configurations that give only the differences from another one.

Snakemake can merge several ``--configfile``s.  With `extends`, a single file defines a study, and a
null entry removes an entry of the extended configuration, which Snakemake cannot do.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from shakedown.config.renaming import renamed
from shakedown.interface import InputError
from shakedown.reading import read

#: Sections whose null entries are dropped.
SECTIONS = ("datasets", "experiments", "release_variability", "sensitivity", "figures")


def extended(config: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """Merge a configuration with those that it extends.

    Parameters
    ----------
    config : mapping
        The optional key `extends` is the path of another configuration, which can also extend one.
    base : Path
        Folder for these paths.

    Returns
    -------
    dict
        Without `extends` and null entries of `SECTIONS`; parameters of attacks have their present
        names.

    Raises
    ------
    InputError
        If the other configuration cannot be read, repeats a key, or extends this one in turn.
    """
    files, seen = [dict(config)], []
    while (path := files[-1].pop("extends", None)) is not None:
        seen.append(path)
        if path in seen[:-1]:
            raise InputError(f"Configuration key extends: '{path}' extends itself: {seen}.")
        files.append(dict(_read(path, base)))
    config = {}
    for differences in reversed(files):
        config = merged(config, renamed(differences, config))
    for section in SECTIONS:
        entries = config.get(section)
        if isinstance(entries, Mapping):
            config[section] = {k: v for k, v in entries.items() if v is not None}
    return config


def merged(whole: Mapping[str, Any], differences: Mapping[str, Any]) -> dict[str, Any]:
    """`whole` updated with `differences`: mappings are merged, other values replaced."""
    result = dict(whole)
    for key, value in differences.items():
        below = result.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        result[key] = merged(below, value) if both else value
    return result


def _read(path: str, base: Path) -> dict[str, Any]:
    where = f"Configuration key extends: '{path}'"
    try:
        content = read(base / path)
    except InputError:
        raise
    except (OSError, TypeError, ValueError) as e:
        raise InputError(f"{where} cannot be read from {base.resolve()} ({e}).") from e
    except yaml.YAMLError as e:
        raise InputError(f"{where} is not valid YAML ({' '.join(str(e).split())}).") from e
    if not isinstance(content, dict):
        raise InputError(f"{where} has no keys; wanted a configuration.")
    return content
