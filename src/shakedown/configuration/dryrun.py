"""Write the configuration of a dry run: ``python -m shakedown.configuration.dryrun --data ...``.

What is not asked for here stays as in the template, and can be edited in the file that is written.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from shakedown.configuration.extending import extended
from shakedown.interface import InputError

TEMPLATE = "config/dryrun.yaml"


def configuration(
    data: str, response: str, base: Path, *, table: Mapping[str, Any], dryrun: Mapping[str, Any]
) -> dict[str, Any]:
    """The configuration of a dry run on a table.

    Parameters
    ----------
    data : str
        Path of the table; its name without suffixes names the study and the data set.
    response : str
        Name of the column to be predicted.
    base : Path
        Folder of the template.
    table, dryrun : mapping
        Further settings of the table and of the dry run; those that are None are left out.

    Returns
    -------
    dict
        It extends the template, whose data set it leaves out.

    Raises
    ------
    InputError
        If the template cannot be read.
    """
    study = re.sub(r"\W+", "_", Path(data).name.split(".")[0], flags=re.ASCII)
    # An id starts with a letter, and a study of the template's name would be taken for it.
    study = study if re.match("[A-Za-z]", study) else f"table_{study}"
    examples = extended({"extends": TEMPLATE}, base)["datasets"]
    recipe = {"recipe": "table", "path": data, "response": response}
    return {
        "extends": TEMPLATE,
        "study": study,
        "datasets": {**dict.fromkeys(examples), study: {**recipe, **_given(table)}},
        "dryrun": _given(dryrun),
    }


def _given(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if value not in (None, "")}


def _numbers(text: str) -> list[float]:
    return [float(part) for part in text.split(",")] if text else []


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m shakedown.configuration.dryrun")
    parser.add_argument("--data", required=True, help="table: .csv, .tsv (or .gz), .parquet")
    parser.add_argument("--response", required=True, help="column to be predicted")
    parser.add_argument("--id", help="column that names the rows")
    parser.add_argument("--split", help="column with the official split")
    parser.add_argument("--missing", help="what to do about missing values")
    parser.add_argument("--metric")
    parser.add_argument("--submissions", help="submissions that each participant is to have")
    parser.add_argument("--thresholds", type=_numbers, help="tolerated overfit, below 0: -0.05")
    parser.add_argument("--quantile")
    parser.add_argument("--minutes")
    return parser


def main(arguments: list[str] | None = None, base: Path = Path(".")) -> Path:
    """Write ``results/<study>/config.yaml`` and return its path."""
    given = vars(_parser().parse_args(arguments))
    numbers = {
        key: yaml.safe_load(given[key] or "null") for key in ("submissions", "quantile", "minutes")
    }
    config = configuration(
        given["data"],
        given["response"],
        base,
        table={key: given[key] for key in ("id", "split", "missing")},
        dryrun={"metric": given["metric"], **numbers, "thresholds": given["thresholds"] or None},
    )
    path = base / "results" / config["study"] / "config.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    path.write_text(f"# Edit it, and run: snakemake --cores 2 --configfile {path}\n{text}", "utf-8")
    return path


if __name__ == "__main__":
    try:
        print(main())
    except InputError as e:
        sys.exit(str(e))
