"""Recipe "table": a file with a response, features, and perhaps ids and an official split."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shakedown.datasets import checks
from shakedown.datasets.cells import read_body
from shakedown.datasets.layout import Layout, locate, read_layout
from shakedown.datasets.settings import check_keys, choice
from shakedown.interface import Challenge, InputError


def check(name: str, recipe: Mapping[str, Any], *, folder: Path) -> None:
    """Refuse, from the file's header alone, what `read` would refuse."""
    _layout(name, recipe, folder)


def read(
    name: str, recipe: Mapping[str, Any], *, rng: np.random.Generator, folder: Path
) -> Challenge:
    """Read a table.

    Parameters
    ----------
    name : str
        The data set's id.
    recipe : mapping
        ``path`` of a .csv, .tsv (either may be gzipped) or .parquet file; ``response``, the
        column to predict; and, where not null: ``id``, a column of unique ids; ``split``, a
        column of train / public / final (or leaderboard for public, test for final);
        ``ignore``, columns that are no features; ``missing``, one of error, drop_rows,
        drop_columns, impute_median.
    rng : numpy.random.Generator
        Not used.
    folder : Path
        Where a relative path starts.

    Returns
    -------
    Challenge
        Numbers as they stand in the table, without constant and repeated columns.

    Raises
    ------
    InputError
        If the settings, the file, its header or its cells are not as they must be.

    Warns
    -----
    UserWarning
        If constant or repeated columns were dropped.

    Notes
    -----
    Memory: about three times the size of the numbers as float64, and some megabytes of text.
    """
    layout = _layout(name, recipe, folder)
    policy = recipe.get("missing") or "error"
    body = read_body(layout)
    n, p = len(body.y), len(layout.features)
    ids = body.ids or [str(i + 1) for i in range(n)]
    draft = checks.Draft(
        source=layout.source,
        values=body.values,
        y=body.y,
        rows=np.array(ids),
        features=np.array([layout.columns[i] for i in layout.features]),
        split=None if body.labels is None else np.array(body.labels),
        notes=[
            f"Read from {layout.source.shown}: {checks.count(n, 'row')}, "
            f"{checks.count(p, 'feature column')}, response '{layout.columns[layout.response]}'."
        ],
    )
    body.values = None  # the draft works in place and frees what it drops
    if layout.left_out:
        draft.notes.append(f"Row labels written by pandas left out: {', '.join(layout.left_out)}.")
    if layout.unnamed:
        draft.notes.append(f"{checks.count(len(layout.unnamed), 'empty column')} left out.")

    response = layout.columns[layout.response]
    checks.drop_blank_rows(draft, body.ids)
    if layout.id is not None:
        checks.check_ids(draft, layout.columns[layout.id])
    checks.check_finite(draft, response)
    if layout.split is not None:
        checks.check_labels(draft, layout.columns[layout.split])
    checks.settle_missing(draft, policy, response)
    checks.check_sizes(draft)
    checks.drop_idle_columns(draft)
    checks.note_repeated_rows(draft)
    if draft.split is not None:
        sizes = ", ".join(f"{(draft.split == s).sum():,} {s}" for s in checks.SETS)
        draft.notes.append(f"Official split: {sizes}.")
    return Challenge(
        name=name,
        X=draft.values.T,
        y=draft.y,
        rows=draft.rows,
        features=draft.features,
        split=draft.split,
        notes=tuple(draft.notes),
    )


def _layout(name: str, recipe: Mapping[str, Any], folder: Path) -> Layout:
    check_keys(
        name,
        recipe,
        required=("recipe", "path", "response"),
        optional=("id", "split", "ignore", "missing"),
    )
    choice(name, "missing", recipe.get("missing") or "error", checks.POLICIES)
    ignore = recipe.get("ignore")
    if not isinstance(ignore, list | tuple | None):
        raise InputError(
            f"Data set {name}: 'ignore' must be a list of columns, got {ignore!r}; "
            f"write ['{ignore}']."
        )
    source = locate(name, str(recipe["path"]), folder)
    return read_layout(source, recipe)
