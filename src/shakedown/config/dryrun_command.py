"""The command for the dry run of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shakedown.config.dryrun import TEMPLATE
from shakedown.scheduling.dryrun_options import DRYRUN_OPTIONS

#: Settings of the table that have an option, besides its path and the response.
OF_TABLE = (
    *("sha256", "response_table", "response_table_sha256"),
    *("classes", "id", "split", "sizes", "group", "weight", "event", "horizons"),
    *("ignore", "missing"),
)


def words_of(config: Mapping[str, Any], base: Path, **changes: float) -> list[str]:
    """The command for the dry run of a complete configuration with changed settings.

    Settings without an option are left out, except that no words are returned if the command has no
    option for one of the changes, or cannot name the data.

    Parameters
    ----------
    config : mapping
    base : Path
        Folder of the template.
    **changes
        Keys of ``dryrun``.
    """
    from shakedown.config import complete  # loads the components

    name, table = next(iter(config["datasets"].items()))
    response = table.get("response")
    if table["recipe"] != "table":
        return []
    if isinstance(response, list) and any("," in part for part in response):
        return []
    wanted = {**config["dryrun"], **changes}
    usual = complete({"extends": TEMPLATE}, base=base)["dryrun"]
    options = {key: table[key] for key in OF_TABLE}
    options |= {k: v for k, v in wanted.items() if v != usual[k] or k in changes}
    if config["study"] != name:
        options["study"] = config["study"]
    words = ["shakedown", "dryrun", table["path"]]
    if response:
        words += ["--response", response if isinstance(response, str) else ",".join(response)]
    known = [option.replace("-", "_") for option, *_ in DRYRUN_OPTIONS]
    for key, value in options.items():
        if value and key in known and value != "impute_median":
            text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
            words += [f"--{key.replace('_', '-')}", text]
    return words
