"""Say where the report of a study lies: ``python -m shakedown.configuration.place CONFIG``."""

from __future__ import annotations

import sys
from pathlib import Path

from shakedown.configuration.extending import extended
from shakedown.interface import InputError
from shakedown.reading import read


def report_of(config: str | Path, base: Path = Path(".")) -> Path:
    """Where the report of a configuration's study lies.

    Parameters
    ----------
    config : str or Path
        The file of a configuration that runs; it may extend another one.
    base : Path
        The folder of the Snakefile, in which the study is run.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If a file that it extends cannot be read, or a key stands twice.
    """
    return base / "results" / extended(read(config), base)["study"] / "report.html"


if __name__ == "__main__":
    try:
        print("The report lies in", report_of(sys.argv[1]).resolve())
    except InputError as e:
        sys.exit(str(e))
