"""A study's configuration: checked against its schema, and completed with the schema's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shakedown.configuration.extending import extended
from shakedown.configuration.filling import filled
from shakedown.configuration.problems import check_schema
from shakedown.configuration.references import check_recipes, check_references, check_settings

__all__ = ["complete"]


def complete(
    config: Mapping[str, Any], schema: Mapping[str, Any], *, base: Path, folder: Path = Path(".")
) -> dict[str, Any]:
    """Check a configuration, without reading any data, and fill in what it leaves out.

    Parameters
    ----------
    config : mapping
        What the user wrote.
    schema : mapping
        The JSON schema of configurations; its defaults are the only ones.
    base : Path
        Where the path of an `extends` starts.
    folder : Path
        Where relative paths of tables start.

    Returns
    -------
    dict
        The configuration with every default; `config` stays as it is.

    Raises
    ------
    InputError
        At the first mistake: it names the key, what was wanted, what was got, and the cure.
    """
    config = extended(config, base)
    check_schema(config, schema)
    config = filled(config, schema)
    check_references(config)
    check_recipes(config, folder)
    check_settings(config)
    return config
