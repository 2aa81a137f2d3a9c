"""The jobs that draw figures: several each, as to start Python takes longer than to draw one."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shakedown.data import made
from shakedown.figures.kind import FIGURE_KINDS

#: As many figures of the same tables have a job of their own.
MANY = 4
#: Kinds of tables whose other figures are drawn in one job with those of another kind: what must be
#: played with what must be played, and the rest with the rest.
DRAWN_WITH = {"bounds": "outcomes", "release_variability": "traces"}
#: The files of a figure: two pictures, and the caption.
KINDS_OF_FILES = ("svg", "png", "txt")
#: Bytes of a sheet's name, and how many of them are kept if it is longer; a file's may have 255.
LONGEST, KEPT = 100, 90


class Sheet(NamedTuple):
    """The figures that one job draws, and the tables that they show."""

    name: str
    figures: list[str]
    tables: list[str]


def sheets(config: Mapping[str, Any]) -> list[Sheet]:
    """The jobs that draw: one for many figures of the same tables, one for all others."""
    by_tables: dict[str, list[str]] = {}
    for figure in config["figures"]:
        shown = "_and_".join(shown_by(config, figure))
        name = _shortened(f"{table_of(config, figure)}_of_{shown}")
        by_tables.setdefault(name, []).append(figure)
    drawn = {name: figures for name, figures in by_tables.items() if len(figures) >= MANY}
    for name, figures in by_tables.items():
        if name not in drawn:
            table = table_of(config, figures[0])
            drawn.setdefault(DRAWN_WITH.get(table, table), []).extend(figures)
    return [Sheet(name, figures, tables(config, figures)) for name, figures in drawn.items()]


def table_of(config: Mapping[str, Any], figure: str) -> str:
    """Which kind of table a figure reads, by its folder."""
    return FIGURE_KINDS.find(config["figures"][figure]["kind"]).table


def shown_by(config: Mapping[str, Any], figure: str) -> list[str]:
    """The experiments that a figure shows."""
    shown = config["figures"][figure]["experiment"]
    return [shown] if isinstance(shown, str) else shown


def tables(config: Mapping[str, Any], figures: Iterable[str]) -> list[str]:
    """The tables that figures show, each once."""
    shown = [
        f"{table_of(config, figure)}/{name}.parquet"
        for figure in figures
        for name in shown_by(config, figure)
    ]
    return list(dict.fromkeys(shown))


def files_of(figures: Iterable[str]) -> list[str]:
    """All files of some figures."""
    return [f"figures/{figure}.{kind}" for figure in figures for kind in KINDS_OF_FILES]


def traced(config: Mapping[str, Any]) -> list[str]:
    """The experiments whose every submission a figure shows, sorted."""
    return sorted(
        {
            name
            for figure in config["figures"]
            if table_of(config, figure) == "traces"
            for name in shown_by(config, figure)
        }
    )


def figure_settings(config: Mapping[str, Any], figure: str) -> dict[str, Any]:
    """What of a figure's entry decides how it looks."""
    entry = {key: value for key, value in config["figures"][figure].items() if key != "title"}
    return FIGURE_KINDS.find(entry["kind"]).with_public_rows(entry, public_rows(config))


def public_rows(config: Mapping[str, Any]) -> dict[str, int]:
    """Number of public rows of each data set whose recipe says it."""
    rows = {name: made(name, entry).public_rows for name, entry in config["datasets"].items()}
    return {name: n for name, n in rows.items() if n is not None}


def threat_maps(config: Mapping[str, Any]) -> list[str]:
    """The map of participants and leaderboards that the report shows, if any."""
    figures = config["figures"]
    return [name for name in figures if figures[name]["kind"] == "threat_map"][:1]


def drawing_command(files: Sequence[str | Path], usual: Path) -> str:
    """What to type to draw one figure of a study; its id is to follow.

    Parameters
    ----------
    files : sequence of str or Path
        The configurations that Snakemake was given, if any.
    usual : Path
        The configuration that is used without any.
    """
    words = [
        shlex.quote(os.path.relpath(path))
        for path in files
        if not (usual.is_file() and os.path.samefile(path, usual))
    ]
    if len(words) < 2:
        return " ".join(["shakedown", "reproduce", *words, "--only"])
    return " ".join(["snakemake", "--cores", "1", "--configfile", *words, "--"])


def _shortened(name: str) -> str:
    """A name of at most 100 bytes; the last ones of a shortened name stand for what is cut off."""
    if len(name) <= LONGEST:
        return name
    return f"{name[:KEPT]}_{hashlib.sha256(name.encode()).hexdigest()[:9]}"
