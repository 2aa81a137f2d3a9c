"""Read a submission log: rows, submissions, teams and times."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

from shakedown.data.censored import check_kind, check_pairs
from shakedown.data.checks import MIN_ROWS_PER_SET, too_close
from shakedown.data.grouped import from_zero
from shakedown.data.horizons import names_of
from shakedown.metrics import ZERO_ONE, find
from shakedown.metrics.composite_names import WEIGHTED
from shakedown.replay import cleaning, ids
from shakedown.replay.class_numbers import ClassNumbers
from shakedown.replay.cleaning import Messages
from shakedown.replay.label_numbers import LabelNumbers, Labels, values_of
from shakedown.replay.listing import check_list, listed
from shakedown.replay.log import SUBMISSIONS, Log
from shakedown.replay.log_tables import read_header
from shakedown.replay.matrices import read_matrices
from shakedown.replay.row_columns import (
    at_horizons,
    groups_of,
    responses_of,
    structure_of,
    truths_of,
    weights_of,
    with_events,
)
from shakedown.replay.settings import LogColumns, ReplayEntry
from shakedown.replay.structure import Structure
from shakedown.replay.submission_files import find_files, read_files
from shakedown.seeding import stream
from shakedown.tables.cells import TableCells, read_table
from shakedown.tables.header import Header, check_braces, full_path, spelled
from shakedown.wording import counted, some

#: Fewest groups of public, and of private rows: they are halved.
LEAST_GROUPS = 4
#: Words in lower case that mark a public row, and a private one.
PUBLIC = ("public", "leaderboard", "true", "yes", "1", "1.0")
PRIVATE = ("private", "final", "test", "false", "no", "0", "0.0")


def read(name: str, settings: ReplayEntry, *, seed: int, folder: Path = Path(".")) -> Log:
    """Read a log.

    Parameters
    ----------
    name : str
        Name of the study.
    settings : ReplayEntry
    seed : int
        The study's seed, for random public rows.
    folder : Path
        Folder for relative paths.

    Raises
    ------
    InputError
        If a file or a column is missing, fewer than 10 public or private rows, or 4 groups, are
        left, their true values differ too little for scores to be compared, or no submission can be
        played.
        `cleaning.RULES` handle everything else.
    """
    settings = _spelled(settings)
    messages = Messages()
    metric = find(settings.metric)
    header, files = check(settings, folder=folder)
    responses = responses_of(header, settings)
    parts = _parts(header, settings, responses)
    table = read_table(header, None if files is None else parts)
    labels: Labels | None = None
    if settings.classes is not None:
        labels = ClassNumbers(settings.classes)
    elif metric.loss == ZERO_ONE:
        labels = LabelNumbers(table, responses[0])
    rows = table.texts(settings.id)
    truths, wrong = truths_of(table, responses, labels)
    if settings.event is not None:
        truths = with_events(table, truths, responses[0], settings)
    known = np.isfinite(truths).any(axis=0)
    groups = None if settings.group is None else groups_of(table, settings.group, rows)
    role = _roles(
        header, table, rows, known, groups, settings, seed=seed, folder=folder, messages=messages
    )
    keep = cleaning.settle_rows(rows, known, role, _first_identical(table, rows), wrong, messages)
    truths, public = truths[:, keep], role[keep] == "public"
    groups = None if groups is None else groups[keep]
    weights = None if settings.weight is None else weights_of(table, settings, rows, keep)
    rows = rows[keep]
    if settings.horizons is not None:
        responses, truths, weights = at_horizons(table, truths[0], public, settings)
    row_of, response_of = np.nonzero(np.isfinite(truths).T)
    truth, public = truths[response_of, row_of], public[row_of]
    if settings.horizons is None:
        cleaning.note_cells(truths, rows, wrong[keep], messages)
    else:
        cleaning.note_censored(truths, messages)
    structure = structure_of(responses, row_of, response_of, groups, weights, settings)
    if structure.group:
        cleaning.note_cut(groups[row_of], public, structure.group, messages)
    _check_sets(header, structure, public, messages)
    for which, kind in ((public, "public"), (~public, "private")):
        if why := too_close(truth[which], metric.smallest_spread):
            raise header.source.error(f"{kind} values of the truth {why}")
        if settings.event is not None and settings.horizons is None:
            check_pairs(truth[which], f"{kind} values of the truth")

    if files is None:
        raw = {
            column: _of_rows(table, column, labels, keep)
            for column in header.columns
            if column and column not in parts and column not in settings.ignore
        }
    elif structure.cells is None:
        raw = read_files(files, rows, settings, labels, messages)
    else:
        raw, place = {}, row_of * len(responses) + response_of
        for sent, found in read_matrices(files, rows, responses, settings, messages).items():
            raw[sent] = found[0][place], found[1][place], found[2]
    lines, team_of = listed(list(raw), settings, folder=folder, messages=messages)
    names = lines["submission"].to_numpy(str)
    settled = [cleaning.settle_cells(*raw[name], name, messages) for name in names]
    predictions = np.array(settled).reshape(len(names), len(truth))
    for settle in (
        lambda p, n: cleaning.settle_missing(p, n, settings.missing, messages),
        lambda p, n: cleaning.settle_scores(metric, structure, truth, public, p, n, messages),
    ):
        if not len(names):
            break
        played = settle(predictions, names)
        predictions, names, lines = predictions[played], names[played], lines[played]
    if not len(names):
        why = messages.above_all(cleaning.OF_SUBMISSIONS)
        raise header.source.error(
            f"none of the {len(raw if files is None else files):,} submissions can be played. "
            f"Check the ids and the settings `missing`, `metric` and `submissions`.{why}"
        )
    if labels is not None:
        labels.note_unknown(truth, predictions, names, messages)
    cleaning.note_same(predictions, names, lines["team"].to_numpy(str), messages)
    return Log(
        name=name,
        rows=rows[row_of],
        truth=truth,
        public=public,
        predictions=np.ascontiguousarray(predictions),
        submissions=_in_playing_order(lines),
        messages=messages.frame(team_of, set(names.tolist())),
        structure=structure,
    )


def check(
    settings: ReplayEntry, *, folder: Path = Path(".")
) -> tuple[Header, dict[str, Path] | None]:
    """Check headers and names of files, without reading rows.

    Returns
    -------
    header : Header
        The table's header.
    files : dict of str to Path, or None
        The file of each submission; None if they are columns of the table.

    Raises
    ------
    InputError
        If a file, a folder or a column in the settings does not exist.
    """
    settings = _spelled(settings)
    header = read_header(settings.table, folder)
    header.require(settings.id, "id")
    several = len(responses := responses_of(header, settings)) > 1
    if settings.horizons is not None and settings.folder is None:
        raise header.source.error(
            "'horizons' are set: wanted a file for each submission, with id and a column of "
            f"probabilities for each ({', '.join(names_of(settings.horizons))}); got no `folder`. "
            "Name the folder of these files."
        )
    if several and settings.folder is None:
        raise header.source.error(
            f"{len(responses)} responses: wanted a file for each submission, with their columns or "
            "with id, target and prediction; got no `folder`. Name the folder of these files."
        )
    if several and find(settings.metric).loss == ZERO_ONE:
        raise header.source.error(
            f"{len(responses)} responses and the metric {settings.metric}, which is for labels. "
            "Replay one response at a time, or choose another metric."
        )
    if several and settings.event is not None:
        raise header.source.error(
            f"{len(responses)} responses and 'event', which is for one time. Name one response, "
            "the time, or no column as 'event'."
        )
    if settings.event is not None and settings.classes is not None:
        raise header.source.error(
            "'classes' and 'event' are both set; the truth has classes or times. Remove one."
        )
    cuts = settings.horizons is not None
    times = settings.event is not None and not cuts
    check_kind(find(settings.metric), times, "the log", at_horizons=cuts)
    for key in ("event", "group", "weight"):
        if (column := getattr(settings, key)) is not None:
            header.require(column, key)
    if settings.weight is not None and not find(settings.metric).is_weighted:
        raise header.source.error(
            f"the metric {settings.metric} does not use the weights of column '{settings.weight}'. "
            f"Write it as '{WEIGHTED}{settings.metric}', or name no column as 'weight'."
        )
    for column in settings.ignore:
        header.require(column, "ignore")
    public = settings.public
    if isinstance(public, str) and public not in header.columns:
        if not os.path.isfile(full_path(public, folder)):
            raise header.source.error(
                f"'public': wanted a column, a list of ids or a file of ids; there is no column "
                f"and no file '{public}'. The header reads {some(header.columns)}."
            )
        named = read_header(public, folder)
        named.require(settings.id, "id")
        check_braces(named.source)
    check_braces(header.source)
    if (submissions := check_list(settings, folder=folder)) is not None:
        check_braces(submissions[0].source)
    if settings.folder is None:
        return header, None
    return header, find_files(settings.folder, folder)


def _spelled(settings: ReplayEntry) -> ReplayEntry:
    """The settings with names of columns and ids `spelled` as in the tables."""
    public = settings.public
    if isinstance(public, list):
        public = [spelled(str(row)) for row in public]
    elif isinstance(public, str) and not os.path.isfile(public):
        public = spelled(public)
    changes = {
        "id": spelled(settings.id),
        "truth": [spelled(c) for c in settings.truth]
        if isinstance(settings.truth, list)
        else spelled(settings.truth),
        "event": settings.event and spelled(settings.event),
        "group": settings.group and spelled(settings.group),
        "weight": settings.weight and spelled(settings.weight),
        "target": spelled(settings.target),
        "prediction": settings.prediction and spelled(settings.prediction),
        "public": public,
        "columns": LogColumns(**{part: name and spelled(name) for part, name in settings.columns}),
        "ignore": [spelled(column) for column in settings.ignore],
    }
    return settings.model_copy(update=changes)


def _parts(header: Header, settings: ReplayEntry, responses: list[str]) -> list[str]:
    """The columns of the table that are not submissions."""
    public = settings.public
    named = [public] if isinstance(public, str) and public in header.columns else []
    own = [settings.event, settings.group, settings.weight]
    return [settings.id, *responses, *named, *filter(None, own)]


def _of_rows(
    table: TableCells, column: str, labels: Labels | None, keep: np.ndarray
) -> tuple[np.ndarray, np.ndarray, str]:
    """`values_of` the rows to keep, and the first of their cells that is not a number."""
    values, no_number = (part[keep] for part in values_of(table, column, labels))
    example = table.texts(column)[keep][no_number][0] if no_number.any() else ""
    return values, no_number, str(example)


def _first_identical(table: TableCells, rows: np.ndarray) -> np.ndarray:
    """For each row the first one with the same id and cells; int, shape (n,)."""
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
    table: TableCells,
    rows: np.ndarray,
    known: np.ndarray,
    groups: np.ndarray | None,
    settings: ReplayEntry,
    *,
    seed: int,
    folder: Path,
    messages: Messages,
) -> np.ndarray:
    """Whether each row is "public", "private" or neither (""); shape (n,)."""
    public = settings.public
    if public is None:
        return _drawn(rows, known, groups, settings.public_share, seed, messages)
    if isinstance(public, str) and public in header.columns:
        words = np.char.lower(table.texts(public))
        return np.where(
            np.isin(words, PUBLIC), "public", np.where(np.isin(words, PRIVATE), "private", "")
        )
    if isinstance(public, str):
        named = read_table(read_header(public, folder), [settings.id]).texts(settings.id)
    else:
        named = np.array(public)
    strange = np.setdiff1d(named, rows)
    messages.add(
        "id_unknown", len(strange),
        f"{counted(len(strange), 'id')} of public rows match no row: {some(strange, most=3)}; "
        f"ignored.{ids.cure(strange, rows)}",
    )  # fmt: skip
    return np.where(np.isin(rows, named), "public", "private")


def _drawn(
    rows: np.ndarray,
    known: np.ndarray,
    groups: np.ndarray | None,
    share: float,
    seed: int,
    messages: Messages,
) -> np.ndarray:
    """A random share of the rows, in whole groups; it does not depend on the order of the table."""
    usable, first = np.unique(np.where(known, rows, ""), return_index=True)
    usable, first = usable[usable != ""], first[usable != ""]
    order = stream(seed, "replay", "public").permutation(len(usable))
    size = round(share * len(usable))
    if groups is not None:
        own = groups[first]
        _, place = np.unique(own[order], return_index=True)  # groups by their first drawn row
        order = order[np.argsort(place[from_zero(own)[order]], kind="stable")]
        ends = np.flatnonzero(np.diff(own[order])) + 1
        size = int(ends[np.argmin(abs(ends - share * len(usable)))]) if len(ends) else 0
    drawn = usable[order[:size]]
    done = f"{size:,} of {counted(len(usable), 'row')} drawn at random to be public (seed {seed})."
    messages.add("public_drawn", size, done)
    return np.where(np.isin(rows, drawn), "public", "private")


def _check_sets(
    header: Header, structure: Structure, public: np.ndarray, messages: Messages
) -> None:
    why = messages.above_all(cleaning.OF_ROWS)
    for which, kind in ((public, "public"), (~public, "private")):
        if structure.weights is not None and not structure.weights[which].any():
            raise header.source.error(
                f"all weights of {kind} rows are 0, so they have no score. Give some a weight."
            )
        least = LEAST_GROUPS if structure.group else MIN_ROWS_PER_SET
        if (units := structure.units(which)) < least:
            usable = structure.units(np.full(len(public), True))
            raise header.source.error(
                f"{counted(units, f'{kind} {structure.unit}')} left of {usable:,} usable ones; "
                f"wanted at least {least}. Check 'id', 'truth', 'public' and "
                f"'public_share'. In a column, {', '.join(PUBLIC[:5])} mean public and "
                f"{', '.join(PRIVATE[:6])} mean private.{why}"
            )


def _in_playing_order(lines: pd.DataFrame) -> pd.DataFrame:
    in_team = lines.groupby("team", sort=False).cumcount() + 1
    frame = lines.assign(order=np.arange(1, len(lines) + 1), order_in_team=in_team)
    kinds = {"submission": "str", "team": "str", "time": "datetime64[ns]"}
    return frame[list(SUBMISSIONS)].astype(kinds).reset_index(drop=True)
