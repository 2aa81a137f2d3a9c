"""Read the truth of a challenge from a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from shakedown.interface import InputError
from shakedown.live.truth import Truth
from shakedown.replay.reading import PRIVATE, PUBLIC
from shakedown.seeding import stream
from shakedown.tables.cells import TableCells, read_table
from shakedown.tables.header import Header, locate, read_header, spelled
from shakedown.tables.policy import Policy
from shakedown.wording import counted, some

#: Rows of the training set, which a table that was used for a dry run can have.
_TRAIN = ("train", "training")


#: How the table of the truth is read.
TRUTH = Policy("Truth ({shown}): ")


def read_truth(
    path: str,
    *,
    seed: int,
    id: str = "id",
    response: str = "truth",
    split: str | None = None,
    public_share: float | None = None,
    folder: Path = Path("."),
) -> tuple[Truth, list[str]]:
    """Read the truth.

    Parameters
    ----------
    path : str
        A .csv or .tsv (either may be gzipped) or .parquet file.
    seed : int
        For random public rows.
    id, response : str
        Columns of ids and of true values.
    split : str, optional
        Column that says which rows are public or final; other columns are ignored.
    public_share : float, optional
        Share of the rows to draw as public, in (0, 1).  Which ones are drawn depends on the ids and
        the seed, not on the order of the table.
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
    if (split is None) == (public_share is None):
        raise InputError(
            "truth: wanted either a column of sets (split) or a share of rows to draw "
            f"(public_share); got {'neither' if split is None else 'both'}."
        )
    if public_share is not None and not 0 < public_share < 1:
        raise InputError(f"public_share: wanted a number between 0 and 1; got {public_share:g}.")
    header = read_header(locate("", str(path), folder, TRUTH))
    id, response, split = (name and spelled(name) for name in (id, response, split))
    wanted = {"id": id, "response": response} | ({} if split is None else {"split": split})
    for part, column in wanted.items():
        header.require(column, part)
    table = read_table(header, list(wanted.values()))
    names = table.texts(id)
    values, wrong = table.numbers(response)
    if wrong.any():
        row = int(wrong.argmax())
        raise header.source.error(
            f"row {row + 1}: wanted a number in column '{response}'; got "
            f"'{table.texts(response)[row]}'. Code labels as numbers."
        )
    notes, keep = [], np.ones(table.n, bool)
    if public_share is None:
        public, keep = _sets(header, table, split)
        if left := int((~keep).sum()):
            notes.append(f"{counted(left, 'training row')} left out.")
    else:
        order = stream(seed, "live", "public").permutation(np.sort(names))
        public = np.isin(names, order[: round(public_share * len(names))])
        notes.append(
            f"{int(public.sum()):,} of {counted(len(names), 'row')} drawn at random to be public."
        )
    return Truth.of(names[keep].tolist(), values[keep], public[keep]), notes


def _sets(header: Header, table: TableCells, split: str) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are public, and which belong to the challenge; each of shape (n,)."""
    words = np.char.lower(table.texts(split))
    if len(strange := np.setdiff1d(words, [*PUBLIC, *PRIVATE, *_TRAIN])):
        row = int(np.argmax(words == strange[0]))
        raise header.source.error(
            f"row {row + 1}: wanted public or final in column '{split}'; got "
            f"{some(strange, most=3)}."
        )
    return np.isin(words, PUBLIC), ~np.isin(words, _TRAIN)
