"""Reading a submission log: its rows, its submissions, and who made them when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from shakedown.datasets.checks import MIN_ROWS_PER_SET, count
from shakedown.datasets.layout import SUFFIXES, some
from shakedown.interface import InputError
from shakedown.metrics import ZERO_ONE, find
from shakedown.replay import ids, rules
from shakedown.replay.labels import Labels
from shakedown.replay.listing import check_list, listed
from shakedown.replay.log import Log
from shakedown.replay.rules import Messages
from shakedown.replay.tables import ARCHIVES, Header, Table, read_header, read_table
from shakedown.seeding import stream

_PUBLIC = ("public", "leaderboard", "true", "yes", "1", "1.0")
_PRIVATE = ("private", "final", "test", "false", "no", "0", "0.0")


def read(name: str, settings: Mapping[str, Any], *, seed: int, folder: Path = Path(".")) -> Log:
    """Read a log.

    Parameters
    ----------
    name : str
        Of the study.
    settings : mapping
        The configuration's `replay`.
    seed : int
        The study's seed, for public rows that are drawn.
    folder : Path
        Where relative paths start.

    Returns
    -------
    Log

    Raises
    ------
    InputError
        If a file or a column is not there, fewer than 10 public or private rows are left, or no
        submission can be played.  Everything else is handled by a rule, see `rules.RULES`.
    """
    messages = Messages()
    metric = find(settings["metric"])
    header, files = check(settings, folder=folder)
    parts = _parts(header, settings)
    table = read_table(header, None if files is None else parts)
    labels = Labels(table, settings["truth"]) if metric.loss == ZERO_ONE else None
    rows = table.texts(settings["id"])
    truth, no_number = _values(table, settings["truth"], labels)
    wrong = np.where(no_number, table.texts(settings["truth"]), "")
    role = _roles(header, table, rows, truth, settings, seed=seed, folder=folder, messages=messages)
    keep = rules.settle_rows(rows, truth, role, _first_identical(table, rows), wrong, messages)
    rows, truth, public = rows[keep], truth[keep], role[keep] == "public"
    _check_sets(header, public, messages)

    if files is None:
        raw = {
            column: _of_rows(table, column, labels, keep)
            for column in header.columns
            if column and column not in parts and column not in settings["ignore"]
        }
    else:
        raw = _from_files(files, rows, settings, labels, messages)
    names, teams, times, team_of = listed(list(raw), settings, folder=folder, messages=messages)
    settled = [rules.settle_cells(*raw[name], name, messages) for name in names]
    predictions = np.array(settled).reshape(len(names), len(rows))
    for settle in (
        lambda p, n: rules.settle_missing(p, n, settings["missing"], messages),
        lambda p, n: rules.settle_scores(metric, truth, public, p, n, messages),
    ):
        played = settle(predictions, names)
        predictions, names, teams, times = (a[played] for a in (predictions, names, teams, times))
    if not len(names):
        told = messages.most_frequent(rules.OF_SUBMISSIONS)
        why = f" Above all: {told}" if told else ""
        raise header.source.error(
            f"no submission of {len(raw if files is None else files):,} can be played. "
            f"Look at the ids and at the settings `missing`, `metric` and `submissions`.{why}"
        )
    if labels is not None:
        labels.note_unknown(truth, predictions, names, messages)
    rules.note_same(predictions, names, teams, messages)
    return Log(
        name=name,
        rows=rows,
        truth=truth,
        public=public,
        predictions=np.ascontiguousarray(predictions),
        submissions=_in_playing_order(names, teams, times),
        messages=messages.frame(team_of, set(names.tolist())),
    )


def check(
    settings: Mapping[str, Any], *, folder: Path = Path(".")
) -> tuple[Header, dict[str, Path] | None]:
    """Find, from headers and names of files alone, what would make `read` fail.

    Returns
    -------
    header : Header
        Of the table.
    files : dict of str to Path, or None
        The file of each submission, where each has its own.

    Raises
    ------
    InputError
        If a file, a folder or a column that the settings name is not there.
    """
    header = read_header(settings["table"], folder)
    for key in ("id", "truth"):
        header.require(settings[key], key)
    for column in settings["ignore"]:
        header.require(column, "ignore")
    public = settings["public"]
    if isinstance(public, str) and public not in header.columns:
        if not (folder / public).is_file():
            raise header.source.error(
                f"wanted 'public' to be a column, a list of ids or a file with ids; there is "
                f"neither a column nor a file '{public}'. The header reads {some(header.columns)}."
            )
        read_header(public, folder).require(settings["id"], "id")
    check_list(settings, folder=folder)
    if settings["folder"] is None:
        return header, None
    where = folder / Path(settings["folder"]).expanduser()
    if not where.is_dir():
        raise InputError(f"'folder': wanted a folder with a file for each submission; no {where}.")
    files: dict[str, Path] = {}
    for path in sorted(p for p in where.iterdir() if p.is_file() and not p.name.startswith(".")):
        name = _without(SUFFIXES, path.name)
        # What is packed is told under the name of the submission, unless that is there unpacked.
        unpacked = _without(SUFFIXES, _without(ARCHIVES, path.name))
        name = name if unpacked in files else unpacked
        if name in files:
            raise InputError(
                f"'folder': {files[name].name} and {path.name} are both submission '{name}'. "
                "Remove one of them, or give it another name."
            )
        files[name] = path
    if not files:
        raise InputError(f"'folder': {where} holds no file; wanted one for each submission.")
    return header, files


def _without(suffixes: Sequence[str], name: str) -> str:
    suffix = next((s for s in suffixes if name.lower().endswith(s)), "")
    return name[: len(name) - len(suffix)]


def _parts(header: Header, settings: Mapping[str, Any]) -> list[str]:
    """The columns of the table that are no submissions."""
    public = settings["public"]
    named = [public] if isinstance(public, str) and public in header.columns else []
    return [settings["id"], settings["truth"], *named]


def _values(table: Table, column: str, labels: Labels | None) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of a column, NaN where there is none, and where a cell holds no number."""
    if labels is None or not labels.are_text:
        return table.numbers(column)
    texts = table.texts(column)
    return np.array([labels.number(text) for text in texts]), np.zeros(len(texts), bool)


def _of_rows(
    table: Table, column: str, labels: Labels | None, keep: np.ndarray
) -> tuple[np.ndarray, np.ndarray, str]:
    """What `_values` says of the rows to keep, and the first cell of them that is no number."""
    values, no_number = (part[keep] for part in _values(table, column, labels))
    example = table.texts(column)[keep][no_number][0] if no_number.any() else ""
    return values, no_number, str(example)


def _first_identical(table: Table, rows: np.ndarray) -> np.ndarray:
    """For each row the first one with the same id and the same cells; int, shape (n,)."""
    first = np.arange(len(rows))
    ids, counts = np.unique(rows[rows != ""], return_counts=True)
    twice = np.flatnonzero(np.isin(rows, ids[counts > 1]))
    if len(twice):
        cells = [table.texts(column)[twice] for column in table.cells]
        seen: dict[tuple, int] = {}
        for i, content in zip(twice, zip(*cells, strict=True), strict=True):
            first[i] = seen.setdefault(content, i)
    return first


def _roles(
    header: Header,
    table: Table,
    rows: np.ndarray,
    truth: np.ndarray,
    settings: Mapping[str, Any],
    *,
    seed: int,
    folder: Path,
    messages: Messages,
) -> np.ndarray:
    """Whether each row is "public", "private" or neither (""); shape (n,)."""
    public = settings["public"]
    if public is None:
        return _drawn(rows, truth, settings["public_share"], seed, messages)
    if isinstance(public, str) and public in header.columns:
        words = np.char.lower(table.texts(public))
        return np.where(
            np.isin(words, _PUBLIC), "public", np.where(np.isin(words, _PRIVATE), "private", "")
        )
    if isinstance(public, str):
        named = read_table(read_header(public, folder), [settings["id"]]).texts(settings["id"])
    else:
        named = np.array([str(one) for one in public])
    strange = np.setdiff1d(named, rows)
    messages.add(
        "id_unknown", len(strange),
        f"{count(len(strange), 'id')} of public rows match no row: {some(strange, most=3)}; "
        f"ignored.{ids.cure(strange, rows)}",
    )  # fmt: skip
    return np.where(np.isin(rows, named), "public", "private")


def _drawn(
    rows: np.ndarray, truth: np.ndarray, share: float, seed: int, messages: Messages
) -> np.ndarray:
    """A random share of the rows, the same whatever the order of the table."""
    usable = np.unique(rows[(rows != "") & np.isfinite(truth)])
    size = round(share * len(usable))
    drawn = stream(seed, "replay", "public").permutation(usable)[:size]
    done = f"{size:,} of {count(len(usable), 'row')} drawn at random to be public (seed {seed})."
    messages.add("public_drawn", size, done)
    return np.where(np.isin(rows, drawn), "public", "private")


def _check_sets(header: Header, public: np.ndarray, messages: Messages) -> None:
    told = messages.most_frequent(rules.OF_ROWS)
    why = f" Above all: {told}" if told else ""
    for which, kind in ((public, "public"), (~public, "private")):
        if which.sum() < MIN_ROWS_PER_SET:
            raise header.source.error(
                f"{count(int(which.sum()), f'{kind} row')} left of {len(public):,} that can be "
                f"used; wanted at least {MIN_ROWS_PER_SET}. Are 'id', 'truth', 'public' and "
                f"'public_share' as you mean them? In a column {', '.join(_PUBLIC[:5])} mark "
                f"public rows, {', '.join(_PRIVATE[:6])} private ones.{why}"
            )


def _from_files(
    files: Mapping[str, Path],
    rows: np.ndarray,
    settings: Mapping[str, Any],
    labels: Labels | None,
    messages: Messages,
) -> dict[str, tuple[np.ndarray, np.ndarray, str]]:
    """Of each submission's file the numbers, shape (n,), where a cell holds none, and one such."""
    at = {name: i for i, name in enumerate(rows)}
    found = {}
    for name, path in files.items():
        try:
            header = read_header(str(path), Path("."))
            column = _prediction_column(header, settings)
            table = read_table(header, [settings["id"], column])
        except InputError as e:
            messages.add("unreadable", 1, f"Not played: {e}", name)
            continue
        values, no_number = _values(table, column, labels)
        own = table.texts(settings["id"])
        position = np.array([at.get(one, -1) for one in own], int)
        _note_unknown(own[position < 0], rows, name, messages)
        odd = no_number & (position >= 0)
        example = str(table.texts(column)[odd][0]) if odd.any() else ""
        aligned = _aligned(position, values, no_number, len(rows), name, messages)
        found[name] = (*aligned, example)
    return found


def _note_unknown(strange: np.ndarray, rows: np.ndarray, name: str, messages: Messages) -> None:
    done = (
        f"{count(len(strange), 'prediction')} for ids that match no row: {some(strange, most=3)}; "
        f"ignored.{ids.cure(strange, rows)}"
    )
    messages.add("id_unknown", len(strange), done, name)


def _prediction_column(header: Header, settings: Mapping[str, Any]) -> str:
    header.require(settings["id"], "id")
    column = settings["prediction"]
    if column is not None:
        header.require(column, "prediction")
        return column
    others = [c for c in header.columns if c and c != settings["id"]]
    if len(others) != 1:
        raise header.source.error(
            f"wanted one column besides '{settings['id']}'; got {some(others) or 'none'}. Name the "
            "column of predictions with 'prediction'."
        )
    return others[0]


def _aligned(
    position: np.ndarray,
    values: np.ndarray,
    no_number: np.ndarray,
    n: int,
    name: str,
    messages: Messages,
) -> tuple[np.ndarray, np.ndarray]:
    """Bring the lines of a file into the order of the rows; `position` is -1 for an unknown id."""
    known = position >= 0
    position, values, no_number = position[known], values[known], no_number[known]
    least, most = np.full(n, np.nan), np.full(n, np.nan)
    np.fmin.at(least, position, values)
    np.fmax.at(most, position, values)
    lines = np.bincount(position, minlength=n)
    differ = most > least
    for which, rule, what in (
        (
            (lines > 1) & ~differ,
            "id_repeated",
            "with the same prediction more than once; it counts once",
        ),
        (differ, "id_conflicting", "with different predictions; taken as missing"),
    ):
        total = int(which.sum())
        messages.add(rule, total, f"{count(total, 'id')} {what}.", name)
    text = np.zeros(n, bool)
    text[position[no_number]] = True
    aligned = np.where(differ, np.nan, least)
    return aligned, text & np.isnan(aligned) & ~differ


def _in_playing_order(names: np.ndarray, teams: np.ndarray, times: np.ndarray) -> pd.DataFrame:
    frame = pd.DataFrame({"submission": names, "team": teams}, dtype=object)
    frame["order"] = np.arange(1, len(frame) + 1)
    frame["order_in_team"] = frame.groupby("team", sort=False).cumcount() + 1
    frame["time"] = times.astype("datetime64[ns]")
    return frame
