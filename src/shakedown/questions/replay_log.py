"""What the teams of a finished challenge would have seen on other leaderboards."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from shakedown.checkout import project
from shakedown.component import Registry
from shakedown.config import complete
from shakedown.figures.replay.figure import REPLAY_FIGURES
from shakedown.metrics import find
from shakedown.questions.answer import PageAnswer
from shakedown.questions.frames import SHOWN, as_file, frame_of, unnamed, with_column
from shakedown.replay import games
from shakedown.replay.analyses import analyse
from shakedown.replay.boards import boards_of
from shakedown.replay.grouping import read_table, write_table
from shakedown.replay.log import Log
from shakedown.replay.reading import read
from shakedown.replay.settings import ReplayEntry
from shakedown.report.replay import answer, content_of, render_replay
from shakedown.simulation import outcomes

#: Tables that are written as Parquet files, as their types and sizes ask for it.
LARGE = ("seen", "reported")


def replay_log(
    table: Any,
    submissions: Any = None,
    *,
    id: str = "id",
    truth: str | Sequence[str] = "truth",
    public: Any = None,
    folder: str | Path | None = None,
    metric: str = "mse",
    ignore: Sequence[str] = (),
    name: str = "replay",
    seed: int | None = None,
    **settings: Any,
) -> Replay:
    """Replay a submission log: what would each team have seen, and where would it have ended?

    The command ``shakedown replay`` gives the same answer for the same settings and seed.

    Parameters
    ----------
    table : str, Path or DataFrame
        The rows to predict: their ids, the truth and, without `folder`, a column for each
        submission.
    submissions : str, Path or DataFrame, optional
        The list of submissions in their order: `submission`, `team`, and order or time.  Without
        it, one team made all of them.
    id : str
        Column of ids.
    truth : str or sequence of str
        Column of true values; for several responses, their columns or patterns.
    public : str, sequence, or array of bool of shape (n,), optional
        The public rows: a column, a list of ids, a file of ids, or True for each public row of a
        frame; by default they are drawn at random.
    folder : str or Path, optional
        A folder with a file for each submission.
    metric : str
        mse, rmse, mae, zero_one, pearson, ..., or an import path.
    ignore : sequence of str
        Columns of the table that are not submissions.
    name : str
        Of the replay, on captions and the page.
    seed : int, optional
        Of all random numbers; by default that of the command.
    **settings
        Any other key of ``replay`` in config/README.md, such as `mechanisms`, `boards`, `missing`,
        `columns`, `analyses`, `group`,
        `weight`, `rank_by`, `winner`.

    Returns
    -------
    Replay

    Raises
    ------
    InputError
        If the log or a setting cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> import shakedown
    >>> truth = pd.Series(range(40), dtype=float)
    >>> rows = pd.DataFrame({"id": truth.index, "truth": truth, "set": ["public", "private"] * 20})
    >>> rows["a1"], rows["a2"] = truth + 3 * (-1) ** (truth // 3), truth * 0.9
    >>> rows["b1"] = truth + 2
    >>> teams = pd.DataFrame({"submission": ["a1", "b1", "a2"], "team": ["a", "b", "a"]})
    >>> boards = [{"name": "full_disclosure"}, {"name": "ladder", "alpha": 0.01}]
    >>> replay = shakedown.replay_log(rows, teams, public="set", metric="rmse", mechanisms=boards)
    >>> replay
    No: b wins in private on all 4 leaderboards.
    >>> replay.standings[["mechanism", "boards", "team", "place"]].head(2)
             mechanism    boards team  place
    0  full_disclosure  per_team    b      1
    1  full_disclosure  per_team    a      2
    """
    given = {
        "id": id,
        "truth": truth if isinstance(truth, str) else list(truth),
        "folder": folder and str(folder),
        "metric": metric,
    }
    given |= {"ignore": list(ignore), **settings}
    with _files(table, submissions, public) as (paths, frames):
        chosen = {"study": name, "replay": given | paths}
        if seed is not None:
            chosen["seed"] = seed
        config = complete(chosen, base=project())
        log = read(name, ReplayEntry(**config["replay"]), seed=config["seed"])
    for key, path in frames.items():
        done = [unnamed(text, path) for text in log.messages["done"]]
        log = replace(log, messages=log.messages.assign(done=done))
        config["replay"][key] = SHOWN
    return Replay(log, config, _tables(log, config))


class Replay(PageAnswer):
    """What the teams of a log would have seen on other leaderboards, and where they would end.

    Attributes
    ----------
    tables : dict of str to DataFrame
        `seen`, `standings` and those of `replay.analyses`, as results/README.md describes them.
    log : Log
        What was played, and what became of the rest.
    config : dict
        The complete configuration.
    """

    registry: ClassVar[Registry] = REPLAY_FIGURES
    figures: ClassVar[tuple[str, ...]] = tuple(REPLAY_FIGURES)

    def __init__(self, log: Log, config: dict[str, Any], tables: dict[str, pd.DataFrame]) -> None:
        self.log, self.config, self.tables = log, config, tables

    @property
    def answer(self) -> str:
        """Whether another leaderboard would have changed the winner."""
        return answer(self.tables["agreement"], self.tables["comparisons"])

    @property
    def limits(self) -> pd.DataFrame:
        """What the rows can tell apart: a row for each leaderboard and for public and private rows.

        `floor` is the smallest difference of two scores that a paired test detects, `closer` how
        many of the top teams are closer to the leader than that.
        """
        return self.tables["resolution"]

    @property
    def standings(self) -> pd.DataFrame:
        """The final standings on each leaderboard, with the private places."""
        return self.tables["standings"]

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that the figures have parameters for."""
        replay = self.config["replay"]
        return {"metric": replay["metric"], **replay["analyses"]}

    def written(self, svgs: Sequence[Path]) -> str:
        """The page with these figures."""
        content = content_of(self.log, self.config, tables=self.tables, svgs=svgs, has_files=False)
        return render_replay(content)


@contextmanager
def _files(
    table: Any, submissions: Any, public: Any
) -> Iterator[tuple[dict[str, Any], dict[str, Path]]]:
    """The files of a log by key of the configuration, with `public`; and those of frames alone."""
    given, frames = {"table": table, "submissions": submissions}, {}
    is_mask = not isinstance(public, str | None) and np.asarray(public).dtype == bool
    if is_mask:
        words = np.where(np.asarray(public), "public", "private")
        given["table"], public = with_column(frame_of(table, "table"), words, "public", "public")
    elif isinstance(public, np.ndarray | pd.Series | pd.Index):
        public = public.tolist()
    with ExitStack() as files:
        for key, value in given.items():
            if value is not None and not isinstance(value, str | os.PathLike):
                frames[key] = files.enter_context(as_file(frame_of(value, key), key))
        yield (
            {
                **{key: value and str(value) for key, value in (given | frames).items()},
                "public": public,
            },
            frames,
        )


def _tables(log: Log, config: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """All tables of a replay, as files hold them."""
    settings, seed = ReplayEntry(**config["replay"]), config["seed"]
    metric = find(settings.metric)
    seen = games.play(log, metric, boards_of(settings, log), settings.boards, seed=seed)
    tables = {}
    with TemporaryDirectory() as folder:

        def keep(name: str, table: pd.DataFrame) -> None:
            path = Path(folder, f"{name}.{'parquet' if name in LARGE else 'csv'}")
            write_table(table, path)
            tables[name] = read_table(path)

        keep("seen", seen)
        keep("standings", games.standings(seen, metric))
        analyses = analyse(
            log,
            metric,
            outcomes.read(Path(folder, "seen.parquet")),
            tables["standings"],
            sizes=settings.analyses,
            seed=seed,
            rank_by=settings.rank_by,
            rank_ties=settings.rank_ties,
            winner=settings.winner,
        )
        for name, table in analyses.items():
            keep(name, table)
    return tables
