"""Secrets that a variable of the environment holds, or a file that a variable names."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from shakedown.interface import InputError


def secret(what: str, variable: str, file_variable: str) -> str | None:
    """The secret; None if neither variable is set.

    Parameters
    ----------
    what : str
        Begins the messages.
    variable, file_variable : str
        The variable with the secret, and that with the path of a file which its owner alone can
        read.

    Raises
    ------
    InputError
        If others can read the file, or it is empty or missing.  No message holds the secret or
        the path.
    """
    if given := os.environ.get(variable, "").strip():
        return given
    if not (name := os.environ.get(file_variable)):
        return None
    try:
        mode, given = Path(name).stat().st_mode, Path(name).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as e:
        raise InputError(f"{what}: the file of {file_variable} cannot be read.") from e
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(
            f"{what}: other users can read the file of {file_variable}. Run chmod 600 on it."
        )
    if not given:
        raise InputError(f"{what}: the file of {file_variable} is empty.")
    return given
