"""The answer of the planner: in words, as tables, as a record and as a page."""

from __future__ import annotations

import json
from functools import cached_property
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
from shakedown.questions.answer import Answer
from shakedown.questions.design_of_dryrun import DryRunResults, safe_boards
from shakedown.questions.design_sources import Source
from shakedown.seeding import stream
from shakedown.wording import amount, bare, counted, probability, short

if TYPE_CHECKING:
    from shakedown.figures.kind import Picture

#: Of the keys of an answer in JSON.
VERSION = 1
#: Shares of final rows, in hundredths, that a page shows, besides the recommended one.
SHOWN = (5, 10, 20, 30, 40, 50, 60, 70, 80, 90)
#: Chances of the best team for which rows are told.
TOLD = (0.8, 0.9)


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
    results : DryRunResults or None
        Of the dry run that is planned with.
    """

    figures: ClassVar[tuple[str, ...]] = ("design_splits",)

    def __init__(
        self, source: Source, rows: int, wanted: float, tolerated: float, seed: int, rounds: int,
        results: DryRunResults | None = None,
    ) -> None:  # fmt: skip
        self.source, self.rows, self.seed, self.rounds = source, rows, seed, rounds
        self.results = results
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
            cure = f"no number of final {unit}s is known to be enough" if needed is None else (
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
            return f"They tell the first two apart with a probability of {bare(POWER)}."
        return (
            f"{final:,} final {unit}s cannot tell the first two apart; {needed:,} would, with a "
            f"probability of {bare(POWER)}."
        )

    @cached_property
    def boards(self) -> dict[str, Any] | None:
        """Which board is safe, and how it is known; None without a dry run.

        See `shakedown.questions.design_of_dryrun.safe_boards`.
        """
        if self.results is None:
            return None
        return safe_boards(
            self.results, self.recommended, rounds=self.rounds, is_enough=self.is_enough
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
            "boards": self.boards,
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
            self.sentence, *(self.boards["sentences"] if self.boards else []), "",
            table.to_string(index=False, na_rep="–", float_format=amount), "",
            self.metrics.to_string(index=False, na_rep="none", float_format=amount), "",
            *rounds, *self.notes,
        ])  # fmt: skip

    def picture(self, name: str) -> Picture:
        from shakedown.figures.design_splits import design_splits

        return design_splits(
            self.limits, tuple(self.recommended), metric=self.metric, wanted=self.wanted,
            unit=self.source.unit, is_enough=self.is_enough,
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
