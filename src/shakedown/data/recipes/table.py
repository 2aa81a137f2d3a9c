"""A file with a response, features, and optional ids and official split."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from pydantic import BeforeValidator

from shakedown.component import parameter
from shakedown.data import checks
from shakedown.data.grouped import check_groups, numbered
from shakedown.data.layout import DATA_SET, Layout, read_body, read_layout
from shakedown.data.leaks import find_leaks, note_leaks
from shakedown.data.recipe import Recipe
from shakedown.interface import Challenge, Shape
from shakedown.tables.header import check_braces, count_rows, locate

# YAML reads a column name such as 2019 as a number.
Column = Annotated[str, BeforeValidator(lambda name: str(name) if type(name) is int else name)]


class Table(Recipe):
    """A table in a file."""

    name: ClassVar[str] = "table"
    label: ClassVar[str] = "Table"
    sentence: ClassVar[str] = "Your table: one row per sample, with a response and features."
    order: ClassVar[float] = 4
    examples: ClassVar[tuple[dict, ...]] = ()  # it needs a file

    path: str = parameter(
        description=(
            "The table: a .csv, .tsv (each also gzipped) or .parquet file; a relative path starts "
            "from the working folder."
        )
    )
    response: Column = parameter(description="Column to predict.")
    id_column: Column | None = parameter(
        None,
        alias="id",
        description="Column with the ids of the rows; null numbers the rows.",
    )
    split: Column | None = parameter(
        None,
        description=(
            "Column with the set of each row: train, public (or leaderboard) or final (or test); "
            "null draws random thirds."
        ),
    )
    group: Column | None = parameter(
        None,
        description=(
            "Column that says which rows belong together, such as the patient of each visit; null: "
            "all rows are independent.  Sets never cut a group."
        ),
    )
    ignore: list[Column] = parameter(
        [], description="Columns that are neither id, response, split, group nor feature."
    )
    missing: checks.Policy = parameter("error", description="How to handle missing values.")

    def check(self, name: str, *, folder: Path) -> None:
        """Check the file's header, and its path."""
        check_braces(self._layout(name, folder).source)

    def planned_shape(self, folder: Path) -> Shape:
        """As the header and the number of lines tell."""
        layout = self._layout("table", folder)
        return Shape(count_rows(layout.header), len(layout.features))

    def read(self, name: str, *, rng: np.random.Generator, folder: Path) -> Challenge:
        """Read a table.

        Returns
        -------
        Challenge
            The numbers of the table, without constant and repeated columns.

        Raises
        ------
        InputError
            If the file, its header or its cells are not valid.

        Warns
        -----
        UserWarning
            If constant or repeated columns were dropped, a feature gives the response away, or
            one is named like an official split.

        Notes
        -----
        Memory: the table as text, and about three times the size of its numbers as float64.
        """
        layout = self._layout(name, folder)
        draft = read_body(layout)
        response = layout.columns[layout.response]
        checks.drop_blank_rows(draft, layout.id is not None)
        if layout.id is not None:
            checks.check_ids(draft, layout.columns[layout.id])
        checks.check_size(draft, response)
        if layout.split is not None:
            checks.check_labels(draft, layout.columns[layout.split])
        check_groups(draft)
        find_leaks(draft)
        checks.settle_missing(draft, self.missing, response)
        checks.check_sizes(draft)
        checks.drop_idle_columns(draft)
        note_leaks(draft, response)
        if layout.split is None:
            checks.note_split_like(draft, [c for c in layout.split_like if c in draft.features])
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
            leaks=tuple(draft.leaks),
            groupings=draft.groupings,
            group=numbered(draft),
        )

    def _layout(self, name: str, folder: Path) -> Layout:
        parts = {
            "id": self.id_column,
            "response": self.response,
            "split": self.split,
            "group": self.group,
            "ignore": self.ignore,
        }
        return read_layout(locate(name, self.path, folder, DATA_SET), parts)
