"""How much files of predictions can reveal about the public rows at most."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shakedown.questions import meter_words as words
from shakedown.questions.answer import Answer, ArgumentError
from shakedown.questions.frames import as_file, frame_of
from shakedown.questions.meter_question import MeterQuestion
from shakedown.questions.numbers import number, whole
from shakedown.questions.simulated_teams import simulated
from shakedown.replay.sent_files import LEAST_ROWS, SentFiles, of_log, read_sent
from shakedown.replay.settings import ReplayEntry

if TYPE_CHECKING:
    import pandas as pd

    from shakedown.figures.kind import Picture

#: Probability with which the second bound may be exceeded.
DELTA = 0.05
#: Of the keys of an answer in JSON.
VERSION = 1
#: Files that are named because they cost most.
COSTLY = 5
#: Metrics that a meter measures without a truth.
METRICS = ("mse", "pearson")
#: In place of files: those of simulated honest teams.
SIMULATED = "simulated"


def meter_files(
    files: Any,
    listing: Any = None,
    *,
    rows: int | None = None,
    noise_sd: float | None = None,
    metric: str = "mse",
    start: float | None = None,
    variance: float | None = None,
    tolerated: float | None = None,
    submissions: int | None = None,
    id: str | None = None,
    ignore: Sequence[str] = (),
) -> MeteredFiles:
    """How much files of predictions can have revealed about the public rows at most.

    Each file is answered with its score and normal noise, or exactly, and no truth is needed.  The
    command ``shakedown leak --meter`` gives the same answer.

    Parameters
    ----------
    files : str, Path, DataFrame or array of shape (rows, files)
        A table with a row for each public row and a column for each file; columns `id` and `truth`
        are no files.  Or a folder with a file for each, the configuration of a replay (.yaml), of
        which the public rows count, or "simulated": honest teams that get better.
    listing : str, Path or DataFrame, optional
        The list of the files in their order, `submission` and `team`, as a replay takes it.
        Without it one team sent all of them, in the order of the table.
    rows : int, optional
        Public rows of a board that is to come; by default those of the files.
    noise_sd : float, optional
        Standard deviation of the noise of each answer, in units of the score; by default the
        smallest of a metered board: .005, for the MSE times the variance of the response.
    metric : str
        mse or pearson.
    start : float, optional
        For mse: the variance of the response, which is the score of guessing; by default 1, or
        that of the public rows of a replay.
    variance : float, optional
        For mse: the public MSE of the best honest file; by default that of the start.
    tolerated : float, optional
        The tolerated overfit, below 0; by default 5 % of the variance, or −.05.
    submissions : int, optional
        Of each simulated team; by default 100.
    id : str, optional
        Column of the ids; by default ``id``, and a table need not have it.
    ignore : sequence of str
        Columns that are no files.

    Returns
    -------
    MeteredFiles

    Raises
    ------
    InputError
        If the files cannot be used, a number is missing or out of its range.

    Examples
    --------
    Three files for 40 rows that have nothing in common:

    >>> import numpy as np
    >>> import shakedown
    >>> files = np.kron(np.eye(4)[:, :3], np.array([1.0, -1.0] * 5)[:, None])
    >>> metered = shakedown.meter_files(files, noise_sd=0.1)
    >>> metered
    3 files, 40 public rows: answers with noise of 0.1 are worth at most 2.14 degrees of freedom,
    and a gain of at most 0.0786 on average; exact scores 3, and 0.1.
    >>> metered.limits.set_index("limit").loc["noise_sd"]
    on_average       0.223607
    in_95_percent         inf
    Name: noise_sd, dtype: float64
    """
    if metric not in METRICS:
        raise ArgumentError(
            f"--metric: wanted one of {', '.join(METRICS)} with --meter, because their scores are "
            f"linear in the response; got '{metric}'."
        )
    if metric != "mse" and not (start is None and variance is None):
        raise ArgumentError("--start and --variance belong to --metric mse; leave them out.")
    given = SimpleNamespace(**locals())
    sent = _sent(given)
    known = 1.0 if sent.truth is None or metric != "mse" else float(np.var(sent.truth, ddof=1))
    start = _above_zero(given, "start", known)
    tolerated = number(given, "tolerated", -0.05 * start)
    if tolerated >= 0.0:
        raise ArgumentError(
            f"--tolerated: wanted a number below 0, such as -0.05; got {tolerated:g}."
        )
    return MeteredFiles(
        MeterQuestion(
            sent,
            rows=_rows(given, sent.predictions.shape[1]),
            metric=metric,
            noise_sd=_above_zero(given, "noise_sd", 0.005 * start),
            variance=_above_zero(given, "variance", start),
            tolerated=-tolerated,
        )
    )


class MeteredFiles(Answer):
    """What files can reveal at most, and what anybody can gain from their scores.

    Printed, it says what ``shakedown leak --meter`` prints.

    Attributes
    ----------
    question : MeterQuestion
    """

    figures: ClassVar[tuple[str, ...]] = ("degrees_by_file",)

    def __init__(self, question: MeterQuestion) -> None:
        self.question = question

    @cached_property
    def answer(self) -> dict[str, Any]:
        """The numbers by name, of JSON types; docs/leakage.md explains them.

        In `needed_mean` and `needed_95`, null under `noise_sd` says that none is large enough,
        under `further` that there is no limit.
        """
        asked, files = self.question, self.question.files
        return {
            "version": VERSION,
            "files": len(files.names),
            "left_out": files.left_out,
            "rows": asked.rows,
            "metric": asked.metric,
            "noise_sd": asked.noise_sd,
            "variance": asked.variance,
            "tolerated": -asked.tolerated,
            **self._worth(asked.whole),
            "needed_mean": self._needed(None),
            "needed_95": self._needed(DELTA),
            "teams": [{"team": str(team), **self._team(team)} for team in asked.teams],
            "costly": self._costly(),
            "conditions": words.conditions(asked),
        }

    def _worth(self, part) -> dict[str, Any]:
        """Degrees of freedom of a set of files, and the gains that they are worth."""
        gain = self.question.gain
        return {
            "degrees": part.degrees,
            "gain_mean": gain(part.degrees),
            "gain_95": gain(part.degrees, DELTA),
            "independent": part.independent,
            "exact_gain_mean": gain(part.independent),
            "exact_gain_95": gain(part.independent, DELTA),
        }

    def _team(self, team: str) -> dict[str, Any]:
        part, budget = self.question.teams[team], self.question.budget
        return {
            "files": len(part.u),
            **self._worth(part),
            "within_mean": part.first_within(budget()),
            "within_95": part.first_within(budget(DELTA)),
        }

    def _needed(self, delta: float | None) -> dict[str, float | None]:
        budget, whole = self.question.budget(delta), self.question.whole
        sd = whole.sd_within(budget)
        return {
            "degrees": budget,
            "files": whole.first_within(budget),
            "further": whole.further(budget),
            "noise_sd": sd if math.isfinite(sd) else None,
            "exact": math.floor(budget),
        }

    def _costly(self) -> list[dict[str, Any]]:
        files, costs = self.question.files, self.question.whole.prices
        return [
            {
                "submission": str(files.names[t]),
                "team": str(files.teams[t]),
                "order": int(t) + 1,
                "degrees": float(costs[t]),
            }
            for t in np.argsort(-costs, kind="stable")[:COSTLY]
        ]

    @property
    def sentence(self) -> str:
        """Degrees of freedom, and the gain that they are worth."""
        return words.sentence_of(self.question, self.answer)

    @property
    def limits(self) -> pd.DataFrame:
        """What keeps the gain within the tolerated, each with all else unchanged.

        Returns
        -------
        DataFrame
            A row per `limit`, and its value `on_average` and `in_95_percent`: degrees (of freedom),
            files (from the first on), further (files that cost as the last ones), noise_sd (of each
            answer, for all files; infinite if none is enough), exact (scores of independent files).
        """
        import pandas as pd

        tables = [self.answer[key] for key in ("needed_mean", "needed_95")]
        rows = [
            [key, *(math.inf if table[key] is None else float(table[key]) for table in tables)]
            for key in tables[0]
        ]
        return pd.DataFrame(rows, columns=["limit", "on_average", "in_95_percent"])

    @property
    def teams(self) -> pd.DataFrame:
        """The numbers of `answer` for each team."""
        import pandas as pd

        return pd.DataFrame(self.answer["teams"])

    def picture(self, name: str) -> Picture:
        """`degrees_by_file`: degrees of freedom after each file, and how many are tolerated."""
        from shakedown.figures.degrees_by_file import degrees_by_file

        asked = self.question
        budgets = {"on average": asked.budget(), "in 95 %": asked.budget(DELTA)}
        return degrees_by_file(asked.whole.prices, budgets, tolerated=asked.tolerated)

    def page(self) -> str:
        """The text of the command, with its figure."""
        from shakedown.report.meter import MeterContent, PageTable, render_meter

        asked, record = self.question, self.answer
        return render_meter(
            MeterContent(
                files=words.head(asked),
                sentence=self.sentence,
                paragraphs=words.paragraphs(asked, record),
                within=words.within(asked),
                needs=PageTable(
                    heads=["Needed", "on average", "in 95 %"], cells=words.needs(record)
                ),
                teams=PageTable(
                    heads=[words.ON_PAGE[key] for key in words.TEAMS],
                    cells=words.cells(record["teams"], words.TEAMS),
                ),
                costly=PageTable(
                    heads=[(words.ON_PAGE | {"degrees": "Degrees"})[key] for key in words.COSTLY],
                    cells=words.cells(record["costly"], words.COSTLY),
                ),
                conditions=record["conditions"],
                picture=self.picture("degrees_by_file"),
            )
        )

    def json(self) -> str:
        """The answer as the command prints it with ``--json``."""
        return json.dumps(self.answer, indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        return words.text_of(self.question, self.answer)


def _sent(given: SimpleNamespace) -> SentFiles:
    """The files that are asked about."""
    if isinstance(given.files, str) and given.files == SIMULATED:
        if given.rows is None:
            raise ArgumentError("--rows is needed with --meter simulated: public rows.")
        if given.listing is not None:
            raise ArgumentError("--listing belongs to files; leave it out with --meter simulated.")
        each = whole(given, "submissions", 100)
        return simulated(_rows(given), each, _above_zero(given, "start", 1.0))
    if given.submissions is not None:
        raise ArgumentError(
            "--submissions belongs to --meter simulated; with files, their number counts."
        )
    is_path = isinstance(given.files, str | os.PathLike)
    if is_path and str(given.files).lower().endswith((".yaml", ".yml")):
        if given.listing is not None or given.id is not None or given.ignore:
            raise ArgumentError(
                "--listing, --id and --ignore: leave them out, the configuration of a replay has "
                "them."
            )
        return of_log(_log(str(given.files)))
    with ExitStack() as opened:
        paths = {}
        for name, what in (("files", "--meter"), ("listing", "--listing")):
            value = getattr(given, name)
            if value is not None and not isinstance(value, str | os.PathLike):
                value = opened.enter_context(as_file(frame_of(value, what.lstrip("-")), name))
            paths[name] = value and str(value)
        is_folder = is_path and os.path.isdir(os.path.expanduser(paths["files"]))
        return read_sent(
            ReplayEntry(
                table=paths["files"],
                folder=paths["files"] if is_folder else None,
                submissions=paths["listing"],
                ignore=list(given.ignore),
                **({} if given.id is None else {"id": given.id}),
            )
        )


def _rows(given: SimpleNamespace, default: int | None = None) -> int:
    rows = whole(given, "rows", default)
    if rows < LEAST_ROWS:
        raise ArgumentError(f"--rows: wanted at least {LEAST_ROWS} with --meter; got {rows}.")
    return rows


def _log(path: str):
    """The log that the configuration of a replay describes."""
    from shakedown.checkout import project
    from shakedown.config import complete
    from shakedown.config.extending import extended
    from shakedown.replay.reading import read

    given = extended({"extends": path}, Path("."))
    if not given.get("replay"):
        raise ArgumentError(
            f"--meter: wanted a table, a folder, or the configuration of a replay; {path} is that "
            "of something else: it has no key `replay`."
        )
    config = complete(given, base=project())
    return read(config["study"], ReplayEntry(**config["replay"]), seed=config["seed"])


def _above_zero(given: SimpleNamespace, name: str, default: float) -> float:
    value = number(given, name, default)
    if value <= 0.0:
        option = name.replace("_", "-")
        raise ArgumentError(f"--{option}: wanted a number above 0; got {value:g}.")
    return value
