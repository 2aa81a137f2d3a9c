"""How many rows must be held back so that the best team wins, and how to split the rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from shakedown.final_rows.chances import Challenges
from shakedown.final_rows.splits import (
    FEW,
    Split,
    by_rounds,
    by_rule,
    of_round,
    recommended,
    splits_of,
    table_of,
)
from shakedown.final_rows.telling_apart import POWER, rows_for_first_two
from shakedown.metrics import Metric
from shakedown.questions.answer import Answer, ArgumentError
from shakedown.questions.design_sources import (
    Source,
    from_files,
    from_log,
    from_numbers,
    from_table,
)
from shakedown.seeding import stream
from shakedown.wording import amount, bare, counted, probability, short

if TYPE_CHECKING:
    from shakedown.figures.kind import Picture

#: Of the keys of an answer in JSON.
VERSION = 1
#: Most rows that are planned for.
MOST_ROWS = 1_000_000
#: Shares of final rows, in hundredths, that a page shows, besides the recommended one.
SHOWN = (5, 10, 20, 30, 40, 50, 60, 70, 80, 90)
#: Chances of the best team for which rows are told.
TOLD = (0.8, 0.9)


def design(
    data: Any = None,
    files: Any = None,
    *,
    metric: str | None = None,
    metrics: Sequence[str] = (),
    response: str | Sequence[str] | None = None,
    rows: int | None = None,
    teams: int | None = None,
    best: float | None = None,
    spread: float | None = None,
    correlation: float | None = None,
    wanted: float = 0.8,
    tolerated: float = -0.05,
    rounds: int = 1,
    id: str | None = None,
    split: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    event: str | None = None,
    classes: Sequence[str] = (),
    ignore: Sequence[str] = (),
    seed: int = 1607,
) -> Design:
    """How many rows must be held back so that the best team wins, and how to split the rows.

    Teams come from a table (honest models of its response), from the final files of an earlier
    challenge (a truth and files, or the configuration of a replay), or from numbers.  The command
    ``shakedown design`` gives the same answer.

    Parameters
    ----------
    data : str, Path or DataFrame, optional
        A table with features and its `response`; the truth of `files`; or the YAML file of a
        replay.  None: teams are made up from `rows`, `best` and `spread`.
    files : mapping, or sequence of str or Path, optional
        The final file of each team, as `shakedown.winner` takes them.
    metric : str, optional
        Of the challenge; by default the first of `metrics`, that of a replay, or for a table mse.
    metrics : sequence of str
        Metrics to compare: how many rows each needs.
    response : str or sequence of str, optional
        The column to predict, or several.
    rows : int, optional
        Rows of the challenge, or groups; by default those of the data.
    teams : int, optional
        From 2 to 500, by default 20; files have their own.
    best, spread, correlation : float, optional
        The best team's score, the standard deviation of the teams' scores, and the correlation of
        two teams' errors, by default .7.
    wanted : float
        With which probability the best team is to win.
    tolerated : float
        By how much the public score may be too good, below 0: of the variance of the response, or
        of a correlation.
    rounds : int
        Of the challenge.  The public rows are dealt to them, and the final rows are those of all.
    id, split, group, weight, event, classes, ignore
        Columns of a table as in `shakedown.dry_run`, or of a truth as in `shakedown.winner`.
    seed : int
        That of a replay is its own.

    Returns
    -------
    Design

    Raises
    ------
    InputError
        If an argument or the data cannot be used.

    Examples
    --------
    >>> import shakedown
    >>> plan = shakedown.design(metric="mse", rows=1000, best=0.5, spread=0.1, teams=8)
    >>> plan.recommended
    Split(train=500, public=420, final=80)
    >>> plan.metrics[["metric", "rows_80", "rows_90"]]
      metric  rows_80  rows_90
    0    mse       76      137
    """
    if not 0.0 < wanted < 1.0:
        raise ArgumentError(f"--wanted: wanted a probability between 0 and 1; got {wanted:g}.")
    if not tolerated < 0.0:
        raise ArgumentError(
            f"--tolerated: wanted a number below 0, such as -0.05; got {tolerated:g}."
        )
    if rows is not None and not 1 <= rows <= MOST_ROWS:
        raise ArgumentError(f"--rows: wanted 1 to {MOST_ROWS:,} of them; got {rows:,}.")
    if isinstance(rounds, bool) or int(rounds) != rounds or rounds < 1:
        raise ArgumentError(f"--rounds: wanted a whole number of at least 1; got {rounds!r}.")
    names = list(dict.fromkeys([*([metric] if metric else []), *metrics]))
    numbers = {"best": best, "spread": spread, "correlation": correlation}
    _check_numbers(data, files, numbers, teams)
    columns = {"id": id, "group": group, "event": event, "classes": list(classes)}
    if data is None:
        source = from_numbers(names, rows, best, spread, correlation, teams, seed)
    elif files is not None and len(files):
        response = "truth" if response is None else response
        of = columns | {"id": id or "id", "response": response, "split": split}
        source = from_files(data, files, names, of, seed)
    elif isinstance(data, str | Path) and Path(data).suffix in (".yaml", ".yml"):
        source = from_log(data, names)
    else:
        table = columns | {"weight": weight, "ignore": list(ignore)}
        table["classes"] = table["classes"] or None
        source = from_table(data, response, names, table, teams, seed)
    return Design(source, rows or source.rows, wanted, -tolerated, seed, rounds)


def _check_numbers(data: Any, files: Any, numbers: dict[str, Any], teams: int | None) -> None:
    """Numbers describe teams that are made up, and files are as many as they are."""
    given = [name for name, value in numbers.items() if value is not None]
    if data is not None and given:
        raise ArgumentError(
            f"--{given[0]} describes teams without data; got data, too. Leave out one of them."
        )
    if files is not None and len(files) and teams is not None:
        raise ArgumentError("--teams: there are as many as files. Leave it out.")


class Design(Answer):
    """How many rows must be held back so that the best team wins.

    Attributes
    ----------
    source : Source
        The teams, and what is assumed of them.
    rows : int
        To split: rows, or groups.
    wanted : float
    tolerated : float
        Above 0.
    seed : int
    rounds : int
    """

    figures: ClassVar[tuple[str, ...]] = ("design_splits",)

    def __init__(
        self, source: Source, rows: int, wanted: float, tolerated: float, seed: int, rounds: int
    ) -> None:
        self.source, self.rows, self.seed, self.rounds = source, rows, seed, rounds
        self.wanted, self.tolerated = wanted, tolerated
        self._splits = splits_of(rows, training=source.training, rounds=rounds)
        self._challenges = [
            Challenges(worlds, rng=stream(seed, "design", "challenges", metric.name))
            for metric, worlds in zip(source.metrics, source.worlds, strict=True)
        ]
        self.recommended: Split = recommended(self._splits, self._challenges[0], wanted)

    @property
    def metric(self) -> Metric:
        """That of the challenge."""
        return self.source.metrics[0]

    @property
    def teams(self) -> int:
        """How many there are."""
        return len(self.source.worlds[0][0].scores)

    @property
    def is_enough(self) -> bool:
        """Whether the best team wins as often as is wanted."""
        return self._challenges[0].wins(self.recommended.final) >= self.wanted

    @cached_property
    def limits(self) -> pd.DataFrame:
        """A row for each way of splitting the rows; see `shakedown.final_rows.splits.table_of`."""
        return table_of(
            self._splits, self.source.worlds[0], self._challenges[0], metric=self.metric.name,
            tolerated=self.tolerated, rounds=self.rounds,
        )  # fmt: skip

    @cached_property
    def by_rounds(self) -> pd.DataFrame:
        """What a round of the recommended split is worth, by how many there are.

        See `shakedown.final_rows.splits.by_rounds`.
        """
        return by_rounds(
            self.recommended, self._challenges[0], metric=self.metric.name,
            tolerated=self.tolerated, most=self.rounds,
        )  # fmt: skip

    @property
    def shown(self) -> pd.DataFrame:
        """The rows of `limits` that a page shows: some numbers of final rows, split by the rule."""
        finals = {round(share * self.rows / 100) for share in SHOWN} | {self.recommended.final}
        rule = {split for split in by_rule(self._splits) if split.final in finals}
        return self.limits[[split in rule for split in self._splits]].reset_index(drop=True)

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """What each metric needs.

        Columns: metric; best_wins with the recommended final rows; rows_80 and rows_90, the final
        rows with which the best team wins with a probability of .8 and .9; rows_first_two, those
        that tell the first two apart with power .9.  Missing where no number of rows does.
        """
        rows = [
            (
                metric.name, challenges.wins(self.recommended.final),
                *(challenges.rows_for(chance) for chance in TOLD), rows_for_first_two(worlds),
            )
            for metric, worlds, challenges in zip(
                self.source.metrics, self.source.worlds, self._challenges, strict=True
            )
        ]  # fmt: skip
        columns = ["metric", "best_wins", "rows_80", "rows_90", "rows_first_two"]
        whole = dict.fromkeys(columns[2:], "Int64")
        return pd.DataFrame(rows, columns=columns).astype(whole)

    @cached_property
    def sentence(self) -> str:
        """The recommendation."""
        unit, final = self.source.unit, self.recommended.final
        chance = probability(self._challenges[0].wins(final))
        if self.is_enough:
            parts = [f"{self.recommended.public:,} public"]
            if self.recommended.train:
                parts.append(f"{self.recommended.train:,} for training")
            head = (
                f"Hold back {final:,} of {counted(self.rows, unit)} as the final set, with "
                f"{' and '.join(parts)}: the best of {self.teams} teams wins with a probability of "
                f"{chance}."
            )
        else:
            needed = self._challenges[0].rows_for(self.wanted)
            cure = "no number of them is known to do" if needed is None else (
                f"{needed:,} final {unit}s would reach {bare(self.wanted)}"
            )  # fmt: skip
            head = (
                f"There are too few {unit}s: even with {final:,} of {self.rows:,} as the final set "
                f"the best of {self.teams} teams wins with a probability of {chance}; {cure}."
            )
        return " ".join(filter(None, [head, self.first_two, self.said_of_rounds]))

    @property
    def said_of_rounds(self) -> str:
        """How many rows a round has, and how well its ranks agree; "" with one round."""
        if self.rounds == 1:
            return ""
        one, own = (self.by_rounds.iloc[k]["rank_correlation"] for k in (0, -1))
        return (
            f"Each of {self.rounds:,} rounds has "
            f"{counted(of_round(self.recommended, self.rounds), f'public {self.source.unit}')}: "
            f"its ranks agree with the final ones by {short(own)}, those of a single round would "
            f"by {short(one)}."
        )

    @property
    def first_two(self) -> str:
        """Whether the final rows tell the first two apart."""
        unit, final = self.source.unit, self.recommended.final
        needed = rows_for_first_two(self.source.worlds[0])
        if needed is None:
            return ""
        if needed <= final:
            return f"They tell the first two apart with power {bare(POWER)}."
        return (
            f"{final:,} final {unit}s cannot tell the first two apart; {needed:,} would, with "
            f"power {bare(POWER)}."
        )

    @property
    def notes(self) -> list[str]:
        """What is assumed, in sentences."""
        notes = list(self.source.notes)
        if self.recommended.final < FEW:
            notes.append(
                f"With fewer than {FEW} final {self.source.unit}s these numbers are a guide: "
                "scores are taken to be normal."
            )
        if self.source.unit == "group":
            notes.append("Rows of a group stay together, so groups are counted.")
        return notes

    @property
    def answer(self) -> dict[str, Any]:
        """The recommendation and all numbers as a record."""
        at = self._splits.index(self.recommended)
        return {
            "version": VERSION,
            "sentence": self.sentence,
            "enough": self.is_enough,
            "recommended": _record(self.limits.iloc[[at]])[0],
            "wanted": self.wanted,
            "tolerated": -self.tolerated,
            "rows": self.rows,
            "unit": self.source.unit,
            "teams": self.teams,
            "rounds": self.rounds,
            "by_rounds": _record(self.by_rounds),
            "metrics": _record(self.metrics),
            "notes": self.notes,
            "seed": self.seed,
            "splits": _record(self.limits),
        }

    def json(self) -> str:
        """The record as JSON."""
        return json.dumps(self.answer, ensure_ascii=False, indent=2)

    def __str__(self) -> str:
        table, rounds = self.shown, []
        if self.rounds == 1:
            table = table.drop(columns="per_round")
        else:
            rounds = [self.by_rounds.to_string(index=False, na_rep="–", float_format=amount), ""]
        return "\n".join([
            self.sentence, "",
            table.to_string(index=False, na_rep="–", float_format=amount), "",
            self.metrics.to_string(index=False, na_rep="none", float_format=amount), "",
            *rounds, *self.notes,
        ])  # fmt: skip

    def picture(self, name: str) -> Picture:
        from shakedown.figures.design_splits import design_splits

        return design_splits(
            self.limits, tuple(self.recommended), metric=self.metric, wanted=self.wanted,
            tolerated=self.tolerated, unit=self.source.unit, is_enough=self.is_enough,
            rounds=self.rounds,
        )  # fmt: skip

    def page(self) -> str:
        from shakedown.report.design import DesignContent, render_design

        return render_design(DesignContent(self))


def _record(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table with Python's numbers; None where one is missing."""
    plain = table.astype(object).where(table.notna(), None)
    return [
        {
            key: value.item() if isinstance(value, np.generic) else value
            for key, value in row.items()
        }
        for row in plain.to_dict("records")
    ]
