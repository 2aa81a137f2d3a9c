"""Read the truth of a challenge from a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shakedown.data.censored import check_times, signed
from shakedown.data.class_names import check_classes, check_names, codes_of
from shakedown.data.grouped import from_zero
from shakedown.data.horizons import check_horizons
from shakedown.data.response_columns import chosen
from shakedown.interface import InputError
from shakedown.live.truth import RowGroups, Truth, check_uncut
from shakedown.replay.reading import PRIVATE, PUBLIC
from shakedown.seeding import stream
from shakedown.tables.cells import TableCells, read_table
from shakedown.tables.header import Header, locate, read_header, spelled
from shakedown.tables.policy import Policy
from shakedown.wording import counted, some

#: Rows of the training set, which a table that was used for a dry run can have.
_TRAIN = ("train", "training")

#: ASSUME: responses whose spreads differ by more than this factor do not count about the same.
FAR_APART = 2.0

#: How the table of the truth is read.
TRUTH = Policy("Truth ({shown}): ")


def read_truth(
    path: str,
    *,
    seed: int,
    id: str = "id",
    response: str | Sequence[str] = "truth",
    split: str | None = None,
    public_share: float | None = None,
    group: str | None = None,
    event: str | None = None,
    horizons: Sequence[float] | None = None,
    classes: Sequence[str] = (),
    all_final: bool = False,
    folder: Path = Path("."),
) -> tuple[Truth, list[str]]:
    """Read the truth.

    Parameters
    ----------
    path : str
        A .csv or .tsv (either may be gzipped) or .parquet file.
    seed : int
        For random public rows.
    id : str
        Column of ids.
    response : str or sequence of str
        Column of true values, or several, or patterns, as `response_columns.chosen` reads them.  A
        name with commas that is no column is a list of names.
    split : str, optional
        Column that says which rows are public or final; other columns are ignored.
    public_share : float, optional
        Share of the rows to draw as public, in (0, 1), in whole groups.  Which ones are drawn
        depends on the ids, or the groups, and the seed, not on the order of the table.
    group : str, optional
        Column that says which rows belong together.
    event : str, optional
        Column of events, if the response is a censored time: 1 or true, and 0 or false where the
        row was censored.
    horizons : sequence of float, optional
        Time points at which these times are cut.
    classes : sequence of str
        Names of the response's classes in their order; empty if it is written in numbers.
    all_final : bool
        Whether all rows are final if neither `split` nor `public_share` is given.
    folder : Path
        Folder for relative paths.

    Returns
    -------
    truth : Truth
    notes : list of str
        Sentences on what was drawn or left out.

    Raises
    ------
    InputError
        If the file cannot be read, a column is missing, not exactly one of `split` and
        `public_share` is given, a cell is not valid, or as `Truth.of`.
    """
    is_open = split is None and public_share is None
    if (is_open and not all_final) or (split is not None and public_share is not None):
        raise InputError(
            "truth: wanted either a column of sets (split) or a share of rows to draw "
            f"(public_share); got {'neither' if split is None else 'both'}."
        )
    if public_share is not None and not 0 < public_share < 1:
        raise InputError(f"public_share: wanted a number between 0 and 1; got {public_share:g}.")
    header = read_header(locate("", str(path), folder, TRUTH))
    id, split, group, event = (name and spelled(name) for name in (id, split, group, event))
    roles = {"id": id, "split": split, "group": group, "event": event}
    columns = {part: column for part, column in roles.items() if column}
    for part, column in columns.items():
        header.require(column, part)
    responses = chosen(header, _listed(header, response), [*columns.values()])
    also = [column for column in responses if column in columns.values()]
    if also and len(responses) > 1:
        raise header.source.error(
            f"column {some(also)} is set as 'response', and has another role; remove one of them."
        )
    if event and (classes or len(responses) > 1):
        other = "'classes' is set, too" if classes else f"there are {len(responses)} responses"
        raise header.source.error(
            f"column '{event}' is set as 'event', and {other}. Name one response, the time."
        )
    try:
        check_horizons(horizons, event)
    except ValueError as e:
        raise header.source.error(str(e)) from None
    table = read_table(header, [*columns.values(), *responses])
    names = table.texts(id)
    if classes:
        check_classes(classes)
        check_names(classes, "classes")
        columns_of = (codes_of(table.texts(c), classes, header.source, c) for c in responses)
    else:
        columns_of = (_numbers(header, table, column) for column in responses)
    values = np.column_stack([*columns_of])
    if event:
        events = _numbers(header, table, event)
        check_times(values[:, 0], events, names, (responses[0], event), header.source)
        values = signed(values, events[:, None])
    together = None if group is None else _groups(header, table, group)
    notes, keep = [], np.ones(table.n, bool)
    if is_open:
        public = np.zeros(table.n, bool)
    elif public_share is None:
        public, sets = _sets(header, table, split)
        keep = sets != "train"
        if together is not None:
            check_uncut(names.tolist(), sets, together)
        if left := int((~keep).sum()):
            notes.append(f"{counted(left, 'training row')} left out.")
    else:
        of_row = names if together is None else table.texts(group)
        public = _drawn(of_row, public_share, seed)
        notes.append(
            f"{int(public.sum()):,} of {counted(len(names), 'row')} drawn at random to be public"
            f"{'' if together is None else ', in whole groups'}."
        )
    if together is not None:
        together = together._replace(codes=from_zero(together.codes[keep]))
        notes.append(
            f"By '{group}', the rows are {counted(len(np.unique(together.codes)), 'group')}; no "
            "set cuts one."
        )
    values, of_several = values[keep], tuple(responses) if len(responses) > 1 else ()
    truth = Truth.of(
        names[keep].tolist(), values if of_several else values[:, 0], public[keep], of_several,
        together, classes, event is not None, all_final, horizons or (),
    )  # fmt: skip
    if classes:
        notes.append(f"Classes: {', '.join(f'{k} = {name}' for k, name in enumerate(classes))}.")
    if truth.horizons:
        left = counted(int(np.isnan(truth.values).sum()), "cell")
        notes.append(f"{left} of rows that were censored before a horizon left out.")
    return truth, notes + (_of_cells(truth) if of_several else [])


def has_column(path: str, column: str, folder: Path = Path(".")) -> bool:
    """Whether a table of the truth has a column."""
    return spelled(column) in read_header(locate("", path, folder, TRUTH)).columns


def _listed(header: Header, response: str | Sequence[str]) -> str | Sequence[str]:
    """The names and patterns of responses; a column's name may have commas in it."""
    if not isinstance(response, str) or "," not in response:
        return response
    return response if spelled(response) in header.columns else response.split(",")


def _numbers(header: Header, table: TableCells, response: str) -> np.ndarray:
    """The true values of a response, shape (n,); NaN where one is missing."""
    values, wrong = table.numbers(response)
    if wrong.any():
        row = int(wrong.argmax())
        raise header.source.error(
            f"row {row + 1}: wanted a number in column '{response}'; got "
            f"'{table.texts(response)[row]}'. Correct the cell; name classes as 'classes' "
            "(--classes control,case)."
        )
    return values


def _groups(header: Header, table: TableCells, group: str) -> RowGroups:
    """The groups of the rows."""
    texts = table.texts(group)
    if (missing := texts == "").any():
        raise header.source.error(
            f"column '{group}' is set as 'group', and {counted(int(missing.sum()), 'row')} without "
            f"a value there, first row {int(missing.argmax()) + 1}. Wanted a group for each row: "
            "fill the cells, or leave out the rows."
        )
    return RowGroups(group, from_zero(texts))


def _drawn(of_row: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Which rows are drawn as public, shape (n,): those with the same text together."""
    texts, codes, sizes = np.unique(of_row, return_inverse=True, return_counts=True)
    order = stream(seed, "live", "public").permutation(len(texts))
    rows = np.append(0, np.cumsum(sizes[order]))  # after so many groups
    taken = order[: int(np.argmin(np.abs(rows - round(share * len(of_row)))))]
    return np.isin(codes, taken)


def _of_cells(truth: Truth) -> list[str]:
    """Sentences on the cells of several responses."""
    (n, q), responses = truth.values.shape, truth.responses
    missing = int(np.isnan(truth.values).sum())
    left = f"; {counted(missing, 'missing cell')} left out" if missing else ""
    notes = [f"{q} responses of {counted(n, 'row')}: {n * q - missing:,} cells{left}."]
    spreads = np.nanstd(truth.values, axis=0)
    widest, narrowest = int(np.argmax(spreads)), int(np.argmin(spreads))
    if spreads[widest] > FAR_APART * spreads[narrowest]:
        notes.append(
            "A board does not standardise responses. The standard deviation of "
            f"'{responses[widest]}' is {spreads[widest]:.3g}, that of '{responses[narrowest]}' "
            f"{spreads[narrowest]:.3g}: in a score over all cells the first counts most."
        )
    return notes


def _sets(header: Header, table: TableCells, split: str) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are public, and the set of each: public, final or train; each of shape (n,)."""
    words = np.char.lower(table.texts(split))
    if len(strange := np.setdiff1d(words, [*PUBLIC, *PRIVATE, *_TRAIN])):
        row = int(np.argmax(words == strange[0]))
        raise header.source.error(
            f"row {row + 1}: wanted public or final in column '{split}'; got "
            f"{some(strange, most=3)}."
        )
    public = np.isin(words, PUBLIC)
    return public, np.where(np.isin(words, _TRAIN), "train", np.where(public, "public", "final"))
