"""Where the workflow and its configurations lie."""

from __future__ import annotations

from pathlib import Path

from shakedown.interface import InputError

PACKAGE = Path(__file__).parent


def project() -> Path:
    """The folder of the Snakefile: the checkout, or the copy in an installed package."""
    checkout, packed = PACKAGE.parents[1], PACKAGE / "project"
    for folder in (packed, checkout):
        if (folder / "Snakefile").is_file():
            return folder
    raise InputError(
        f"The workflow is missing: no Snakefile in {packed} or {checkout}. Install the package "
        "again from its source folder: pip install ."
    )
