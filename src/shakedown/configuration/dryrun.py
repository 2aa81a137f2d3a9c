"""Write the configuration of a dry run: ``python -m shakedown.configuration.dryrun --data ...``.

What is not asked for here stays as in the template, and can be edited in the file that is written.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from shakedown.configuration.extending import extended
from shakedown.interface import InputError
from shakedown.reading import read

TEMPLATE = "config/dryrun.yaml"
SCHEMA = "workflow/schemas/config.schema.yaml"
#: Settings of a dry run that are numbers and can be given.
NUMBERS = ("submissions", "days", "quantile", "minutes")


def configuration(
    data: str,
    response: str,
    base: Path,
    *,
    table: Mapping[str, Any],
    dryrun: Mapping[str, Any],
    study: str | None = None,
) -> dict[str, Any]:
    """The configuration of a dry run on a table.

    Parameters
    ----------
    data : str
        Path of the table; its name without suffixes names the data set.
    response : str
        Name of the column to be predicted.
    base : Path
        Folder of the template.
    table, dryrun : mapping
        Further settings of the table and of the dry run; those that are None are left out.
    study : str, optional
        Name of the study; by default that of the data set.

    Returns
    -------
    dict
        It extends the template, whose data set it leaves out.

    Raises
    ------
    InputError
        If the template cannot be read.
    """
    dataset = re.sub(r"\W+", "_", Path(data).name.split(".")[0], flags=re.ASCII)
    dataset = dataset if re.match("[A-Za-z]", dataset) else f"table_{dataset}"
    examples = extended({"extends": TEMPLATE}, base)["datasets"]
    recipe = {"recipe": "table", "path": data, "response": response}
    return {
        "extends": TEMPLATE,
        "study": study or dataset,
        "datasets": {**dict.fromkeys(examples), dataset: {**recipe, **_given(table)}},
        "dryrun": _given(dryrun),
    }


def _given(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if value not in (None, "")}


def _listed(text: str | None) -> list[str] | None:
    return [part.strip() for part in text.split(",")] if text else None


def _number(name: str, text: str | None) -> float | None:
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        raise InputError(f"{name}: wanted a number, got {text!r}.") from None
    return int(number) if number.is_integer() else number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m shakedown.configuration.dryrun")
    parser.add_argument("--data", required=True, help="table: .csv, .tsv (or .gz), .parquet")
    parser.add_argument("--response", required=True, help="column to be predicted")
    parser.add_argument("--study", help="name of the study; by default that of the table")
    parser.add_argument("--id", help="column that names the rows")
    parser.add_argument("--split", help="column with the official split")
    parser.add_argument("--ignore", help="columns that are no features, with commas between them")
    parser.add_argument("--missing", help="what to do about missing values")
    parser.add_argument("--metric")
    parser.add_argument("--thresholds", help="tolerated overfit, below 0, in the metric's units")
    for name in NUMBERS:
        parser.add_argument(f"--{name}")
    return parser


def main(arguments: list[str] | None = None, base: Path = Path(".")) -> Path:
    """Write ``results/<study>/config.yaml`` and return its path."""
    given = vars(_parser().parse_args(arguments))
    thresholds = _listed(given["thresholds"])
    config = configuration(
        given["data"],
        given["response"],
        base,
        table={
            **{key: given[key] for key in ("id", "split", "missing")},
            "ignore": _listed(given["ignore"]),
        },
        dryrun={
            "metric": given["metric"],
            **{key: _number(key.upper(), given[key]) for key in NUMBERS},
            "thresholds": thresholds and [_number("THRESHOLDS", part) for part in thresholds],
        },
        study=given["study"],
    )
    check(config, base)
    path = base / "results" / config["study"] / "config.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    path.write_text(f"# Edit it, and run: snakemake --cores 2 --configfile {path}\n{text}", "utf-8")
    return path


def check(config: Mapping[str, Any], base: Path) -> None:
    """See that a dry run can be played: read its table, deal it once, make the plan.

    Raises
    ------
    InputError
        In one sentence, before any job is started.
    """
    # Slow to import: they load the compiler.
    from shakedown import datasets
    from shakedown.configuration import complete
    from shakedown.dryrun.plan import plan
    from shakedown.splits import Dealer

    whole = complete(config, read(base / SCHEMA), base=base)
    (name,) = whole["datasets"]
    with warnings.catch_warnings(action="ignore"):  # the page tells what was dropped
        challenge = datasets.read(name, whole["datasets"][name], seed=whole["seed"])
    for design in ("permuted", "splits"):
        Dealer(challenge, design, seed=whole["seed"], n_features=1).deal(0)
    plan(challenge, whole["dryrun"])


if __name__ == "__main__":
    try:
        print(main())
    except InputError as e:
        sys.exit(str(e))
