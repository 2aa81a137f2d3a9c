"""A study's configuration: checked against `Study` and completed with its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shakedown.config.completing import checked, completed
from shakedown.config.examples import with_examples
from shakedown.config.extending import extended
from shakedown.config.figures import check_figures
from shakedown.config.references import check_recipes, check_references, check_settings

__all__ = ["complete"]


def complete(
    config: Mapping[str, Any],
    *,
    base: Path = Path("."),
    folder: Path = Path("."),
    is_played: bool = False,
) -> dict[str, Any]:
    """Check a configuration without reading any data, and fill in the defaults.

    Parameters
    ----------
    config : mapping
        The user's keys.
    base : Path
        Folder for relative paths in `extends`, and for tables that `folder` lacks: those of the
        example configurations.
    folder : Path
        Folder for relative paths of tables.
    is_played : bool
        Whether its data are stored already, so that its tables need not be there.

    Returns
    -------
    dict
        The configuration with all defaults; `config` is not modified.

    Raises
    ------
    InputError
        At the first mistake: the key, what was wanted, what was got, and the cure.
    """
    given = extended(config, base)
    study = checked(given)
    check_references(study)
    whole = with_examples(completed(given, study), base, folder)
    if not is_played:
        check_recipes(whole, folder)
    check_settings(study, whole)
    check_figures(study)
    return whole
