"""Write the configuration of a dry run for a table."""

from __future__ import annotations

import math
import shlex
import shutil
import sys
from argparse import Namespace
from collections.abc import Mapping
from contextlib import suppress
from filecmp import cmp
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from shakedown.checkout import project
from shakedown.cli.arguments import parsed
from shakedown.cli.engine import check_free
from shakedown.cli.first_page import FIRST_PAGE, write_first_page
from shakedown.interface import Challenge, InputError


def write(given: Namespace) -> Path:
    """Write ``results/<study>/config.yaml`` from the arguments, and return its path.

    Raises an InputError if an argument is wrong, the table cannot be used, or another study with
    this name exists and may not be replaced.
    """
    from shakedown.config.dryrun import check

    config = asked(given)
    challenge, doubts = check(config, project())
    for doubt in doubts:
        print(f"Note: {doubt}", file=sys.stderr)
    first = _first(config, challenge)
    print(first, file=sys.stderr, flush=True)
    path = Path("results", config["study"], "config.yaml")
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    text = f"# Edit it, and run: shakedown reproduce {path}\n{text}"
    is_same = path.is_file() and path.read_text("utf-8") == text
    if not is_same and any(path.parent.glob("*")):
        check_free(config["study"], path)
        if not given.replace:
            _ask(path.parent)
        _clear(
            path.parent, keep=next(name for name, dataset in config["datasets"].items() if dataset)
        )
    _forget_another_table(challenge, path.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    write_first_page(path.parent, first)
    print(f"Page: {path.with_name(FIRST_PAGE).resolve()}", file=sys.stderr, flush=True)
    return path


def _first(config: Mapping[str, Any], challenge: Challenge) -> str:
    """What is known before any attack is played, in words."""
    from shakedown.config import complete
    from shakedown.dryrun.first_answer import first_answer
    from shakedown.dryrun.settings import DryRunEntry

    whole = complete(config, base=project())
    settings = DryRunEntry(**whole["dryrun"])
    return first_answer(challenge, settings, seed=whole["seed"]).text(challenge, settings)


def asked(given: Namespace) -> dict[str, Any]:
    """The configuration that the arguments describe."""
    from shakedown.config.dryrun import configuration

    table = {
        "sha256": given.sha256,
        "response_table": given.response_table,
        "response_table_sha256": given.response_table_sha256,
        "classes": _listed(given.classes),
        "id": given.id,
        "split": given.split,
        "sizes": _whole_numbers(given.sizes),
        "group": given.group,
        "weight": given.weight,
        "event": given.event,
        "horizons": _numbers("horizons", given.horizons),
        "missing": given.missing or "impute_median",
        "ignore": _listed(given.ignore),
    }
    numbers = "row_variance", "group_correlation", "submissions", "days", "quantile", "minutes"
    dryrun = {
        "metric": given.metric,
        "threat": given.threat,
        "require": given.require,
        **{key: _number(key.replace("_", "-"), getattr(given, key)) for key in numbers},
        "thresholds": _numbers("thresholds", given.thresholds),
    }
    return configuration(
        *(given.table, _responses(given), project()),
        table=table,
        dryrun=dryrun,
        study=given.study,
    )


def typed_again(config: Mapping[str, Any], **changes: float) -> str:
    """The command for the dry run of a complete configuration with changed settings.

    It is "" if the command has no option for one of the settings.
    """
    from shakedown.config import complete
    from shakedown.config.dryrun_command import words_of

    wanted = {**config, "dryrun": {**config["dryrun"], **changes}}
    words = words_of(config, project(), **changes)
    if not words:
        return ""
    if complete(asked(parsed(words[1:])), base=project()) != wanted:
        return ""
    return shlex.join([*words, "--replace"])


#: What a later dry run can use again; Snakemake makes it again if a setting differs.
_USED_AGAIN = ("jobs", "logs")
#: What every dry run has, as soon as it has results.
_OF_DRY_RUNS = ("config.yaml", "limits.csv", "jobs")


def _clear(folder: Path, keep: str) -> None:
    """Remove the results of the dry run that is replaced; `keep` is the new one's data set.

    Raises an InputError if they are those of another kind of study, which can take hours.
    """
    there = {path.name: path for path in folder.iterdir() if path.name != "logs"}
    if there and not any(name in there for name in _OF_DRY_RUNS):
        raise InputError(
            f"{folder} has results of a study that is no dry run; they are not replaced. Add "
            "--study NAME to keep both, or delete the folder."
        )
    for name, path in there.items():
        if name == "datasets":
            for data in path.glob("*.npz"):
                if data.stem != keep:
                    data.unlink()
        elif name not in _USED_AGAIN:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _forget_another_table(challenge: Challenge, folder: Path) -> None:
    """Remove the data set of an earlier run if the table has changed, so that it is made again.

    Snakemake looks at the time of the file, which does not tell if an older one took its place.
    """
    from shakedown.data.store import save

    made = folder / "datasets" / f"{challenge.name}.npz"
    if not made.is_file():
        return
    check_free(folder.name, folder / "config.yaml")
    with TemporaryDirectory() as here:
        save(challenge, now := Path(here, "now.npz"))
        if not cmp(now, made, shallow=False):
            made.unlink()


def _ask(folder: Path) -> None:
    holds = f"{folder} has a study with another configuration"
    if not sys.stdin.isatty():
        raise InputError(f"{holds}. Add --replace to replace it, or --study NAME to keep both.")
    answer = ""
    with suppress(EOFError):
        answer = input(f"{holds}. Replace it and its results? [y/N] ")
    if answer.strip().lower() not in ("y", "yes"):
        raise InputError("Nothing was changed. Add --study NAME to keep both.")


def _listed(text: str | None) -> list[str] | None:
    return [part.strip() for part in text.split(",")] if text else None


def _whole_numbers(text: str | None) -> list[int] | None:
    """The sizes of three sets."""
    if not text:
        return None
    with suppress(ValueError):
        if len(sizes := [int(part) for part in text.split(",")]) == 3 and min(sizes) > 0:
            return sizes
    raise InputError(
        f"--sizes: wanted the rows of the train, public and final sets, such as 240,240,120; got "
        f"{text!r}."
    )


def _responses(given: Namespace) -> str | list[str] | None:
    """The responses: one name, which may have commas in it, or several."""
    if not given.response:
        if given.response_table:
            return None
        raise InputError(
            "Which response? Give --response COLUMN, several columns with commas, or a pattern."
        )
    if "," not in given.response:
        return given.response
    from shakedown.data.downloads import located
    from shakedown.data.layout import DATA_SET
    from shakedown.tables.header import read_header, spelled

    second = given.response_table, given.response_table_sha256
    path, sha256 = second if given.response_table else (given.table, given.sha256)
    there = read_header(located("table", path, sha256 or None, Path(), DATA_SET)).columns
    return given.response if spelled(given.response) in there else _listed(given.response)


def _numbers(name: str, text: str | None) -> list[float | None] | None:
    parts = _listed(text)
    return parts and [_number(name, part) for part in parts]


def _number(name: str, text: str | None) -> float | None:
    if not text:
        return None
    with suppress(ValueError):
        if math.isfinite(number := float(text)):
            return int(number) if number.is_integer() else number
    raise InputError(f"--{name}: wanted a number, got {text!r}.")
