"""A file with a response, features, and optional ids and official split."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from shakedown.component import parameter
from shakedown.data import checks
from shakedown.data.censored import check_events, sign
from shakedown.data.class_names import check_classes, note_classes
from shakedown.data.downloads import SHA256, is_address, located
from shakedown.data.drawn_split import with_split
from shakedown.data.grouped import check_groups, numbered
from shakedown.data.horizons import check_horizons, cut_draft, unfolded_labels
from shakedown.data.layout import DATA_SET, Layout, read_body, read_layout
from shakedown.data.leaks import find_leaks, note_leaks
from shakedown.data.recipe import Recipe
from shakedown.data.response_columns import OtherTable, note_alike
from shakedown.data.several import check_responses, note_cells, settle, unfolded
from shakedown.data.weights import check_weights
from shakedown.interface import Challenge, Shape
from shakedown.tables.header import check_braces, count_rows
from shakedown.tables.policy import Source

# YAML reads a column name such as 2019 as a number.
Column = Annotated[str, BeforeValidator(lambda name: str(name) if type(name) is int else name)]

Sha256 = Annotated[
    str, Field(pattern=SHA256, json_schema_extra={"$comment": "64 hexadecimal digits"})
]

Sizes = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=3, max_length=3)]


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
            "from the working folder.  Or an https:// address, with `sha256`."
        )
    )
    sha256: Sha256 | None = parameter(
        None,
        description=(
            "SHA-256 of the file at `path`: 64 hexadecimal digits.  An address needs it; the table "
            "is downloaded once, to data/downloads."
        ),
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
    response_table_sha256: Sha256 | None = parameter(
        None,
        description="SHA-256 of the second table; an address needs it.",
    )
    classes: list[Column] | None = parameter(
        None,
        description=(
            "Names of the classes, if the response is one, in their order and the positive one "
            "last; they count as 0, 1, ...  null: the response is a number."
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
    sizes: Sizes | None = parameter(
        None,
        description=(
            "Rows of the train, public and final sets, which are then drawn once, as an official "
            "split; groups, if there are some; null draws random thirds."
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
    event: Column | None = parameter(
        None,
        description=(
            "Column of events, if the response has censored times: 1 (or true) where the event "
            "was seen at that time, 0 (or false) where the row was censored then; null: the "
            "response is a number.  It is no feature, and the metric must score censored times, "
            "such as c_index."
        ),
    )
    horizons: list[float] | None = parameter(
        None,
        description=(
            "Time points, such as [12, 24, 36], at which censored times are cut (with `event`): "
            "participants predict the probability of an event up to each, and the metric is "
            "integrated_brier, or a weighted score of two classes.  null: they predict one risk."
        ),
    )
    ignore: list[Column] = parameter(
        [],
        description=(
            "Columns that are neither id, response, split, group, weight, event nor feature."
        ),
    )
    missing: checks.Policy = parameter("error", description="How to handle missing values.")

    @model_validator(mode="after")
    def _second(self) -> Table:
        if self.response_table is None and self.response_table_sha256 is not None:
            raise ValueError("response_table_sha256 is set without a response_table; name it.")
        if self.classes is not None and self.event is not None:
            raise ValueError("classes and event are both set; a response has classes or times.")
        if self.classes is not None:
            check_classes(self.classes)
        check_horizons(self.horizons, self.event, self.weight)
        if self.sizes is not None and self.split is not None:
            raise ValueError("sizes and split are both set; the split has sizes of its own.")
        return self

    def check(self, name: str, *, folder: Path) -> None:
        """Check the headers, and the paths."""
        self._headers(name, folder)
        for source in self._sources(name, folder):
            if source is not None and not is_address(source.shown):
                check_braces(source)

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
        draft, response = read_body(layout, self.classes), layout.response
        for path, sha256 in self._files:
            if sha256 is not None:
                draft.notes.append(f"SHA-256 of {path}: {sha256.lower()}.")
        if other is None:
            settle(draft)
        checks.drop_blank_rows(draft, layout.id is not None)
        if layout.id is not None:
            checks.check_ids(draft, layout.columns[layout.id])
        if other is not None:
            other.join(draft, self.classes)
            settle(draft)
            response = ", ".join(other.names)
        checks.check_size(draft, response)
        if layout.split is not None:
            checks.check_labels(draft, layout.columns[layout.split])
        check_groups(draft)
        check_weights(draft, self.weight)
        check_events(draft, self.event, response, self.missing)
        find_leaks(draft)
        checks.settle_missing(draft, self.missing, response)
        sign(draft, self.event)
        cut_draft(draft, self.horizons)
        if draft.responses is not None:
            check_responses(draft)
        checks.check_sizes(draft)
        if self.classes is not None:
            several = dict(zip(draft.names, draft.responses, strict=True)) if draft.names else None
            note_classes(draft, self.classes, several or {response: draft.y})
        checks.drop_idle_columns(draft)
        note_leaks(draft, response)
        if layout.split is None:
            checks.note_split_like(draft, [c for c in layout.split_like if c in draft.features])
        note_alike(draft, response)
        checks.note_repeated_rows(draft)
        if draft.split is not None:
            sizes = ", ".join(f"{(draft.split == s).sum():,} {s}" for s in checks.SETS)
            draft.notes.append(f"Official split: {sizes}.")
        row_name = "row" if layout.id is None else layout.columns[layout.id]
        if self.horizons is not None:
            of_rows = unfolded_labels(draft, row_name)
        elif draft.responses is not None:
            note_cells(draft)
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
        challenge = Challenge(
            name=name,
            features=draft.features,
            notes=tuple(draft.notes),
            leaks=tuple(draft.leaks),
            censored=draft.events is not None,
            horizons=tuple(map(float, self.horizons or ())),
            **of_rows,
        )
        return challenge if self.sizes is None else with_split(challenge, self.sizes, rng=rng)

    @property
    def _files(self) -> list[tuple[str | None, str | None]]:
        """Path and checksum of the table, and of the one with responses."""
        return [
            (self.path, self.sha256),
            (self.response_table, self.response_table_sha256),
        ]

    def _sources(self, name: str, folder: Path) -> list[Source | None]:
        """The table, and the one with responses; None if its responses are columns of the first."""
        keys = "sha256", "response_table_sha256"
        return [
            None if path is None else located(name, path, sha256, folder, DATA_SET, key=key)
            for key, (path, sha256) in zip(keys, self._files, strict=True)
        ]

    def _headers(self, name: str, folder: Path) -> tuple[Layout, OtherTable | None]:
        """The roles of the columns, and the second table, whose rows are not read yet."""
        parts = {
            "id": self.id_column,
            "response": self.response,
            "split": self.split,
            "group": self.group,
            "weight": self.weight,
            "event": self.event,
            "ignore": self.ignore,
        }
        source, second = self._sources(name, folder)
        if second is None:
            return read_layout(source, parts, None), None
        if self.id_column is None:
            raise second.error(
                "a second table is joined by ids, and no column of ids is named. Set 'id' to a "
                "column that both tables have."
            )
        others = [*filter(None, (self.split, self.group, self.weight)), *self.ignore]
        other = OtherTable(second, self.id_column, self.response, others, self.event)
        elsewhere = list(other.names)
        if other.event is not None:  # beside the times
            parts["event"] = None
            elsewhere.append(other.event)
        return read_layout(source, parts, elsewhere), other
