"""Compare the results of a study with their checksums."""

from __future__ import annotations

import shlex
from argparse import Namespace
from pathlib import Path

from shakedown.cli import FAILED, engine
from shakedown.cli.project import again, whole
from shakedown.cli.record import Record
from shakedown.cli.status import check_known
from shakedown.data.checksums import damage_message, damaged
from shakedown.interface import InputError
from shakedown.scheduling.results import results


def check(given: Namespace) -> int:
    """Name the damaged files of a study, and set them aside if asked; returns the exit code."""
    study = given.study
    check_known(study)
    config = Path(Record(study).read().get("config", "CONFIG"))
    expected = _results(config, study)
    if given.repair:
        engine.check_free(study, config)
        lines = list(engine.repair(study, expected))
        cure, code = f"Make what was damaged again: {again(config)}", 0
    else:
        lines = [damage_message(path) for path in damaged(Path("results", study), expected)]
        command = shlex.join(["shakedown", "check", study, "--repair"])
        cure, code = f"To have the next run make them again: {command}", FAILED
    if not lines:
        print(f"No result of study '{study}' differs from its checksum.")
        return 0
    print(*lines, cure, sep="\n")
    return code


def _results(config: Path, study: str) -> list[str]:
    """All results of a study; none if its configuration is not known, or is now another one."""
    try:
        content = whole(config)
    except InputError:
        return []
    return results(content) if content["study"] == study else []
