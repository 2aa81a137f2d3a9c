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
from shakedown.data.response_columns import OtherTable, note_alike
from shakedown.data.several import check_responses, note_cells, settle, unfolded
from shakedown.data.weights import check_weights
from shakedown.interface import Challenge, Shape
from shakedown.tables.header import check_braces, count_rows, locate

# YAML reads a column name such as 2019 as a number.
Column = Annotated[str, BeforeValidator(lambda name: str(name) if type(name) is int else name)]


class Table(Recipe):
    """A table in a file."""

    name: ClassVar[str] = "table"
    label: ClassVar[str] = "Table"
    sentence: ClassVar[str] = (
        "Your table: one row per sample, with a response, or several, and features."
    )
    order: ClassVar[float] = 4
    examples: ClassVar[tuple[dict, ...]] = ()  # it needs a file

    path: str = parameter(
        description=(
            "The table: a .csv, .tsv (each also gzipped) or .parquet file; a relative path starts "
            "from the working folder."
        )
    )
    response: Column | list[Column] | None = parameter(
        None,
        description=(
            "Column to predict; a list of columns, or a pattern such as att_*, for several "
            "responses."
        ),
    )
    response_table: str | None = parameter(
        None,
        description=(
            "A second table with the responses, by the same ids; without `response`, all of its "
            "other columns are responses."
        ),
    )
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
    weight: Column | None = parameter(
        None,
        description=(
            "Column with the weight of each row in a weighted score, 0 or more, such as weighted "
            "rmse; null: rows have none.  It is no feature."
        ),
    )
    ignore: list[Column] = parameter(
        [], description="Columns that are neither id, response, split, group, weight nor feature."
    )
    missing: checks.Policy = parameter("error", description="How to handle missing values.")

    def check(self, name: str, *, folder: Path) -> None:
        """Check the headers, and the paths."""
        check_braces(self._headers(name, folder)[0].source)
        if self.response_table is not None:
            check_braces(locate(name, self.response_table, folder, DATA_SET))

    def planned_shape(self, folder: Path) -> Shape:
        """As the header and the number of lines tell."""
        layout, other = self._headers("table", folder)
        names = layout.responses if other is None else other.names
        return Shape(len(names) * count_rows(layout.header), len(layout.features))

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
        layout, other = self._headers(name, folder)
        draft, response = read_body(layout), layout.response
        if other is None:
            settle(draft)
        checks.drop_blank_rows(draft, layout.id is not None)
        if layout.id is not None:
            checks.check_ids(draft, layout.columns[layout.id])
        if other is not None:
            other.join(draft)
            settle(draft)
            response = ", ".join(other.names)
        checks.check_size(draft, response)
        if layout.split is not None:
            checks.check_labels(draft, layout.columns[layout.split])
        check_groups(draft)
        check_weights(draft, self.weight)
        find_leaks(draft)
        checks.settle_missing(draft, self.missing, response)
        if draft.responses is not None:
            check_responses(draft)
        checks.check_sizes(draft)
        checks.drop_idle_columns(draft)
        note_leaks(draft, response)
        if layout.split is None:
            checks.note_split_like(draft, [c for c in layout.split_like if c in draft.features])
        note_alike(draft, response)
        checks.note_repeated_rows(draft)
        if draft.split is not None:
            sizes = ", ".join(f"{(draft.split == s).sum():,} {s}" for s in checks.SETS)
            draft.notes.append(f"Official split: {sizes}.")
        if draft.responses is not None:
            note_cells(draft)
            row_name = "row" if layout.id is None else layout.columns[layout.id]
            of_rows = unfolded(draft, row_name)
        else:
            of_rows = {
                "X": draft.values.T,
                "y": draft.y,
                "rows": draft.rows,
                "split": draft.split,
                "groupings": draft.groupings,
                "group": numbered(draft),
                "weights": draft.weights,
            }
        return Challenge(
            name=name,
            features=draft.features,
            notes=tuple(draft.notes),
            leaks=tuple(draft.leaks),
            **of_rows,
        )

    def _other(self, name: str, folder: Path) -> OtherTable | None:
        """The second table; None if the responses are columns of the first."""
        if self.response_table is None:
            return None
        source = locate(name, self.response_table, folder, DATA_SET)
        if self.id_column is None:
            raise source.error(
                "a second table is joined by ids, and no column of ids is named. Set 'id' to a "
                "column that both tables have."
            )
        others = [*filter(None, (self.split, self.group, self.weight)), *self.ignore]
        return OtherTable(source, self.id_column, self.response, others)

    def _headers(self, name: str, folder: Path) -> tuple[Layout, OtherTable | None]:
        """The roles of the columns, and the second table, whose rows are not read yet."""
        parts = {
            "id": self.id_column,
            "response": self.response,
            "split": self.split,
            "group": self.group,
            "weight": self.weight,
            "ignore": self.ignore,
        }
        source, other = locate(name, self.path, folder, DATA_SET), self._other(name, folder)
        return read_layout(source, parts, None if other is None else other.names), other
