"""The keys of a replay."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from shakedown.component.keys import DISTINCT, SOME, Settings
from shakedown.data.horizons import check_horizons
from shakedown.leaderboard.entries import METRIC, MechanismEntry
from shakedown.replay.sizes import Analyses
from shakedown.replay.winner_rule import WinnerRule

Boards = Annotated[list[Literal["per_team", "per_rank"]], SOME, DISTINCT]


class LogColumns(Settings):
    """Names of the columns of the list."""

    submission: str | None = None
    """Column of submission ids; null for `submission`."""
    team: str | None = None
    """Column of teams; null for `team`, if it exists."""
    order: str | None = None
    """Column of numbers that increase in order of arrival; null for `order`, if it exists. Ties are
    ordered by time, then by line."""
    time: str | None = None
    """Column of dates (2024-03-01), times or Unix times; null for `time`, if it exists. A date that
    can be read as day-month and month-day is an error."""


class ReplayEntry(Settings):
    """The replay of a submission log."""

    table: str
    """Table of the rows to predict: .csv or .tsv (each also gzipped) or .parquet; without `folder`,
    it has a column for each submission. Relative paths start from the working folder."""
    id: str = "id"
    """Column with the ids of the rows, in every file of the log."""
    truth: str | Annotated[list[str], SOME, DISTINCT] = "truth"
    """Column with the true values; for several responses, their columns, or patterns such as
    `att_*`. Then each submission is a file of `folder`."""
    classes: Annotated[list[str], SOME, DISTINCT] | None = None
    """Names of the classes, if the truth is one, in their order and the positive one last; they
    count as 0, 1, ... null: the truth is numbers, or labels under `zero_one`."""
    event: str | None = None
    """Column of events, if the truth is a censored time: 1 (or true) where the event was seen, and
    0 (or false) where the row was censored; null: it is not."""
    horizons: list[float] | None = None
    """Time points, such as [12, 24, 36], at which censored times are cut (with `event`), for the
    metric `integrated_brier`. Each submission is then a file of `folder` with a column for each,
    named like it (`12`), of probabilities of an event up to then; null: a file has one risk."""
    group: str | None = None
    """Column that says which rows belong together, such as those of a patient; null if all are
    independent. Boards then compare groups, and all bootstraps draw groups whole."""
    weight: str | None = None
    """Column of the rows' weights, which weighted scores such as `weighted rmse` need; null for
    none."""
    public: str | Annotated[list[str | int], SOME] | None = None
    """The public rows: a column with public (or leaderboard, true) and private (or final, test,
    false), a list of ids, or a file with a column of ids; all other rows are private. null draws
    them at random."""
    public_share: float = Field(0.3, gt=0, lt=1)
    """Share of rows drawn as public if `public` is null."""
    ignore: list[str] = []
    """Columns of the table that are not submissions."""
    folder: str | None = None
    """A folder with a file for each submission, named after its id; null if the table has a column
    for each."""
    prediction: str | None = None
    """Column of predictions in each file of `folder`; null if it is the only one besides the id, or
    for `prediction` in a long file."""
    target: str = "target"
    """Column of the response's name in a long file. With several responses, a file of `folder` is
    wide, with a column for each response, or long, with a line for each prediction."""
    submissions: str | None = None
    """The list of submissions: a table with a row for each, in order of arrival or with a column of
    times or order. null: one team made all submissions, in the order of the table."""
    columns: LogColumns = LogColumns()
    """Names of the columns of the list."""
    metric: str = Field("mse", description=f"{METRIC}  Nothing is scaled.")
    mechanisms: Annotated[list[MechanismEntry], SOME] | None = None
    """The mechanisms, as in an experiment, with steps in units of the score; null for all that
    support the metric, with default parameters (steps are the standard error of the median public
    score, to one digit)."""
    boards: Annotated[list[Literal["per_team", "per_rank"]], SOME, DISTINCT] = [
        "per_team",
        "per_rank",
    ]
    """One instance of the mechanism for each team (per_team) or for each rank (per_rank)."""
    missing: Literal["leave_out", "fill_median"] = "leave_out"
    """What to do with a submission that lacks predictions: leave it out (leave_out), or, if at most
    half is missing, fill each row with the median of the complete submissions (fill_median)."""
    rank_by: Annotated[list[str], SOME, DISTINCT] | None = None
    """Metrics by which the teams are ranked, each by its own; the mean of the ranks is a further
    table. null: none."""
    rank_ties: Literal["average", "best"] = "average"
    """Rank of teams with equal scores under a metric of `rank_by`: the mean of the ranks that they
    share, or the best. A file without a score shares the last ranks."""
    winner: WinnerRule = WinnerRule()
    """How the winner is found among the submissions in force."""
    analyses: Analyses = Analyses()
    """Sizes of the comparisons."""

    @model_validator(mode="after")
    def _horizons(self) -> ReplayEntry:
        check_horizons(self.horizons, self.event, self.weight)
        return self
