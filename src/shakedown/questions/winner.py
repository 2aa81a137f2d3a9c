"""Who has won a challenge: the winner's rule on the final rows, in words and numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shakedown.data.censored import check_kind
from shakedown.live.truth import Truth
from shakedown.metrics import find
from shakedown.metrics.responses import check_responses
from shakedown.questions.answer import Answer
from shakedown.questions.frames import as_file, frame_of
from shakedown.questions.truth_and_files import final_files, truth_of
from shakedown.ranking.bayes_factor import COUNTS, TIED
from shakedown.ranking.decision import DIGITS, decision
from shakedown.ranking.final_ranking import FinalRanking, final_ranking
from shakedown.ranking.rule import Rule, strata_of
from shakedown.replay.cleaning import Messages
from shakedown.replay.times import read_times
from shakedown.tables.cells import read_table
from shakedown.tables.header import locate, read_header
from shakedown.tables.policy import Policy
from shakedown.wording import amount

if TYPE_CHECKING:
    import pandas as pd

    from shakedown.figures.kind import Picture

#: Of the keys of an answer in JSON.
VERSION = 1
#: The figures, each a module of `figures` with a function of this name.
FIGURES = ("final_ranks", "significance_map", "rank_blobs", "ranking_stability")
#: How the table of times is read.
TIMES = Policy("Times ({shown}): ")


def winner(
    truth: Any,
    files: Any,
    *,
    metric: str,
    second: str | None = None,
    tied: float = TIED,
    variant: str = COUNTS,
    stratified: bool = False,
    times: Any = None,
    id: str = "id",
    response: str | Sequence[str] = "truth",
    split: str | None = None,
    group: str | None = None,
    event: str | None = None,
    horizons: Sequence[float] | None = None,
    classes: Sequence[str] = (),
    draws: int = 10_000,
    level: float = 0.95,
    seed: int = 1607,
) -> Winner:
    """Who has won, who is tied, and which ranks can be told apart.

    Files whose Bayes factor K against the best one is at most `tied` are tied with it; the `second`
    metric decides between them, then the time.  The command ``shakedown winner`` gives the same
    answer.

    Parameters
    ----------
    truth : str, Path or DataFrame
        A row for each id, with its true value.
    files : mapping, or sequence of str or Path
        The final file of each team, by its name: a path, a DataFrame with the columns `id` and
        `prediction` (or the ids as index), a Series or mapping of predictions by id, or an array of
        shape (n,) in the order of the truth.  A list of paths will do: teams are then named like
        their files.
    metric : str
        By which the first is found.
    second : str, optional
        The metric that decides between files that are tied.
    tied : float
        The largest K of a tie, at least 1.
    variant : str
        ``"counts"`` or ``"smoothed"``; see `shakedown.ranking.bayes_factor`.
    stratified : bool
        Whether each bootstrap sample has as many rows of each class as there are.
    times : str, Path or DataFrame, optional
        A table with the columns `team` and `time`.
    id, response, split, group, event, horizons, classes
        Columns of the truth, and the names of its classes, as in `shakedown board create`.  With a
        column of sets (by default `set`, if there is one) only final rows count.
    draws : int
        Bootstrap samples.
    level : float
        Of confidence sets and intervals.
    seed : int

    Returns
    -------
    Winner

    Raises
    ------
    InputError
        If the truth, a file or a setting cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> import shakedown
    >>> truth = pd.DataFrame({"id": range(40), "truth": [(7 * k) % 40 / 10 for k in range(40)]})
    >>> ada = truth[["id"]].assign(prediction=truth["truth"] + [0.3, -0.3] * 20)
    >>> bob = truth[["id"]].assign(prediction=truth["truth"] + [1.0, 0.5, -1.0, -0.5] * 10)
    >>> cyd = truth[["id"]].assign(prediction=truth["truth"] + [0.4, -0.2, 0.2, -0.4] * 10)
    >>> answer = shakedown.winner(truth, {"Ada": ada, "Bob": bob, "Cyd": cyd}, metric="rmse")
    >>> answer
    Ada wins: RMSE 0.3 on 40 final rows; nobody is tied with it (nearest: Cyd, K = 6.52).
    >>> answer.limits[["place", "team", "score", "k", "rank_low", "rank_high"]].round(2)
       place team  score     k  rank_low  rank_high
    0      1  Ada   0.30  1.00         1          2
    1      2  Cyd   0.32  6.52         1          2
    2      3  Bob   0.79   inf         3          3
    """
    of = truth_of(
        truth, id=id, response=response, split=split, group=group, event=event, classes=classes,
        seed=seed, horizons=horizons,
    )  # fmt: skip
    own, scored = of.part(False), find(metric)
    check_kind(scored, of.censored, "the truth", at_horizons=bool(of.horizons))
    check_responses(scored, own.y, own.cells, "final values of the truth")
    given = final_files(files, of, scored)
    predictions = np.array(list(given.values()))
    bound = scored.on(own.cells, own.groups, own.weights)
    rule = Rule(
        None if second is None else find(second).on(own.cells, own.groups, own.weights),
        tied, variant, draws, level,
    )  # fmt: skip
    ranking = final_ranking(
        bound, own.y, np.ascontiguousarray(predictions[:, own.at]), list(given), seed=seed,
        rule=rule, times=None if times is None else _times(times, list(given)),
        strata=strata_of(bound, own.y) if stratified else None,
    )  # fmt: skip
    return Winner(ranking, of, seed)


class Winner(Answer):
    """Who has won.

    Attributes
    ----------
    ranking : FinalRanking
        Its `table` has a row for each team.
    truth : Truth
    seed : int
    """

    figures: ClassVar[tuple[str, ...]] = FIGURES

    def __init__(self, ranking: FinalRanking, truth: Truth, seed: int) -> None:
        self.ranking, self.truth, self.seed = ranking, truth, seed

    @property
    def limits(self) -> pd.DataFrame:
        """The table of the ranking: places, scores, K, ranks with their sets, p-values."""
        return self.ranking.table

    @cached_property
    def sentence(self) -> str:
        """The decision, in words fit to publish."""
        ranking = self.ranking
        return decision(
            ranking.table, ranking.metric, ranking.rule.second, tied=ranking.rule.tied,
            decided_by=ranking.decided_by, units=ranking.units,
            rows=f"final {'row' if self.truth.group is None else 'group'}",
        )  # fmt: skip

    @property
    def answer(self) -> dict[str, Any]:
        """The decision as a record."""
        ranking = self.ranking
        table = ranking.table.astype(object).where(ranking.table.notna(), None)
        return {
            "version": VERSION,
            "sentence": self.sentence,
            "winners": ranking.winners,
            "tied": ranking.tied,
            "decided_by": ranking.decided_by or None,
            "metric": ranking.metric.name,
            "second": None if ranking.rule.second is None else ranking.rule.second.name,
            "units": ranking.units,
            "draws": ranking.rule.draws,
            "seed": self.seed,
            "best_score": ranking.best._asdict(),
            "soft_choice": None if ranking.soft is None else ranking.soft._asdict(),
            "teams": table.to_dict("records"),
        }

    def json(self) -> str:
        """The record as JSON; K is null where the other file is never better."""
        record = self.answer
        for team in record["teams"]:
            team["k"] = team["k"] if np.isfinite(team["k"]) else None
        return json.dumps(record, ensure_ascii=False, indent=2, default=_plain)

    def __str__(self) -> str:
        best, level = self.ranking.best, f"{self.ranking.rule.level:.0%}".replace("%", " %")
        table = self.ranking.table[
            ["place", "team", "score", "k", "rank_low", "rank_high", "joint_low", "joint_high"]
        ]
        return "\n".join([
            self.sentence, "",
            table.to_string(
                index=False, formatters={"k": lambda k: amount(k) if np.isfinite(k) else "∞"},
                float_format=lambda value: amount(value, DIGITS),
            ),
            "",
            f"Ranks with a confidence of {level} each (rank_low to rank_high) and all at once "
            "(joint_low to joint_high).",
            f"The true score of {self.ranking.first}, the file with the best score, is between "
            f"{amount(best.low)} and {amount(best.high)} ({level}), which allows for its having "
            "been chosen as the best.",
        ])  # fmt: skip

    def picture(self, name: str) -> Picture:
        from shakedown.figures.final_ranks import final_ranks
        from shakedown.figures.rank_blobs import rank_blobs
        from shakedown.figures.ranking_stability import ranking_stability
        from shakedown.figures.significance_map import significance_map

        kinds = (final_ranks, significance_map, rank_blobs, ranking_stability)
        return {kind.__name__: kind for kind in kinds}[name](self.ranking)

    def page(self) -> str:
        from shakedown.report.winner import WinnerContent, render_winner

        pictures = {name: self.picture(name) for name in self.figures}
        return render_winner(WinnerContent(self.sentence, self.ranking, pictures))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def _times(times: Any, teams: list[str]) -> list:
    """When each team submitted its file; None where the table does not say."""
    if isinstance(times, str | Path):
        return _times_in(str(times), teams)
    with as_file(frame_of(times, "times"), "times") as path:
        return _times_in(str(path), teams)


def _times_in(path: str, teams: list[str]) -> list:
    header = read_header(locate("", path, Path(), TIMES))
    for column in ("team", "time"):
        header.require(column, column)
    table = read_table(header, ["team", "time"])
    moments = read_times(table.texts("time"), "time", header.source, Messages())
    known = dict(zip(table.texts("team").tolist(), moments, strict=True))
    return [None if np.isnat(t := known.get(team, np.datetime64("NaT"))) else t for team in teams]
