"""How many submissions are safe in a challenge, and on which leaderboard."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, TextIO

import numpy as np
import pandas as pd

from shakedown.checkout import project
from shakedown.component import Registry
from shakedown.config import complete
from shakedown.config.dryrun import check, configuration
from shakedown.dryrun.decision import decide, printed, written
from shakedown.dryrun.estimation import estimate
from shakedown.dryrun.playing import play_share, shares
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.usefulness.serving import parts, serve
from shakedown.figures.dryrun.figure import DRY_RUN_FIGURES
from shakedown.final_rows.of_dryrun import final_rows
from shakedown.interface import Challenge
from shakedown.questions.answer import PageAnswer
from shakedown.questions.frames import SHOWN, table_file, unnamed
from shakedown.replay.grouping import read_table
from shakedown.report.dryrun import content_of, render_dryrun
from shakedown.simulation import outcomes
from shakedown.simulation.progress import Progress

#: Columns of the limits that count submissions.
WHOLE = (
    *("safe_submissions", "ci_low", "ci_high"),
    *("proved_submissions", "proved_mean", "proved_quantile"),
)


def dry_run(
    data: Any,
    y: Any = None,
    *,
    response: str | Sequence[str] | None = None,
    response_table: str | None = None,
    sha256: str | None = None,
    response_table_sha256: str | None = None,
    classes: Sequence[Any] | None = None,
    id: Any = None,
    split: Any = None,
    sizes: Sequence[int] | None = None,
    group: Any = None,
    weight: Any = None,
    event: Any = None,
    horizons: Sequence[float] | None = None,
    ignore: Sequence[str] = (),
    missing: str = "impute_median",
    name: str | None = None,
    metric: str | None = None,
    threat: str | None = None,
    submissions: int | None = None,
    days: int | None = None,
    thresholds: float | Sequence[float] | None = None,
    quantile: float | None = None,
    minutes: float | None = None,
    seed: int | None = None,
    progress: bool = False,
    **settings: Any,
) -> DryRun:
    """Find how many submissions are safe in a challenge, and which leaderboard to run.

    Attackers and honest participants play on the data against up to some twenty leaderboards, in
    this process.  The command ``shakedown dryrun`` plays on all cores, and gives the same answer
    for the same settings, seed and replicates.

    Parameters
    ----------
    data : str, Path, DataFrame or array of shape (n, p)
        The table: a file, a frame, or features alone.
    y : array-like of shape (n,) or (n, q), optional
        The response, or q responses, if `data` has no columns with them.
    response : str or sequence of str, optional
        The column to predict; several, or a pattern such as ``att_*``.
    response_table : str, optional
        A second file with the responses, if `data` is a file; both have the ids.
    sha256, response_table_sha256 : str, optional
        Checksums of these files, which may then be https:// addresses.
    classes : sequence, optional
        The names of the classes, if the response is one, in their order and the positive one last.
    id, split, group : str or array-like of shape (n,), optional
        The ids of the rows, the official split (train, public, final), and which rows belong
        together, such as the patient of each visit: a column, or a value for each row.  Without a
        split, rows are drawn at random; without groups, they are independent.
    sizes : sequence of int, shape (3,), optional
        Rows, or groups, of random train, public and final sets; by default thirds.
    weight : str or array-like of shape (n,), optional
        What each row weighs in the score, 0 or more; the score is then a weighted one.
    event : str or array-like of shape (n,), optional
        If the response has times that may be censored: 1 or True where the event was seen, 0 or
        False where the row was censored.
    horizons : sequence of float, optional
        Time points, such as (12, 24, 36), at which an event of these times is predicted.
    ignore : sequence of str
        Columns that are not features.
    missing : str
        Missing values: impute_median, error, drop_rows or drop_columns.
    name : str, optional
        Of the data set, on which random numbers depend; by default the file's name, or "table".
    metric : str, optional
        By default mse, with `event` c_index, with `horizons` integrated_brier; or another one of
        `shakedown components metric`, or an import path.
    threat : str, optional
        By default adversary: whoever submits; modeller: only participants who submit fitted models.
    submissions, days : int, optional
        The number to allow each participant, by default 500, in so many days, by default 30.
    thresholds : float or sequence of float, optional
        The tolerated overfit, below 0, in units of the metric.
    quantile : float, optional
        By default .25: 1 attacker in 4 overfits more.
    minutes : float, optional
        Time for the attacks, by default 3; more minutes give narrower intervals.
    seed : int, optional
        Of all random numbers; by default that of the command.
    progress : bool
        Whether to print to standard error how far it is.
    **settings
        Any other key of ``dryrun`` in config/README.md, such as `mechanisms`, `attacks`,
        `accounts`, `most_replicates`.

    Returns
    -------
    DryRun

    Raises
    ------
    InputError
        If the table or a setting cannot be used.

    Warns
    -----
    UserWarning
        If something is doubtful about the table, such as a feature that gives the response away.

    Examples
    --------
    >>> import numpy as np
    >>> import shakedown
    >>> X = np.random.default_rng(1).normal(size=(900, 30))
    >>> y = X[:, 0] + np.random.default_rng(2).normal(size=900)
    >>> ladder = {"name": "general_ladder", "eta": 0.2, "defences": [{"name": "baseline"}]}
    >>> boards = [{"name": "full_disclosure"}, ladder]
    >>> quick = {"fewest_replicates": 12, "most_replicates": 12, "honest_replicates": 2}
    >>> few = {"submissions": 20, "largest_budget": 40, **quick}
    >>> run = shakedown.dry_run(X, y, threat="modeller", mechanisms=boards, **few)
    >>> run
    Use a leaderboard that shows the best score so far, and counts only gains of at least a set step
    (General Ladder with baseline start): 20 submissions per participant are safe if all submit
    fitted models. Exact setting: General Ladder (η = 0.2) + baseline start.
    >>> safe = run.limits.pivot(index="mechanism", columns="threat", values="safe_submissions")
    >>> safe[["modeller", "adversary"]]
    threat           modeller  adversary
    mechanism
    full_disclosure        21          9
    general_ladder         40         40
    >>> figure = run.figure("safe_limits")
    """
    given = {
        "metric": metric,
        "threat": threat,
        "submissions": submissions,
        "days": days,
        "thresholds": _listed(thresholds),
        "quantile": quantile,
        "minutes": minutes,
        **settings,
    }
    aside = {"id": id, "split": split, "group": group, "weight": weight, "event": event}
    response = response if isinstance(response, str | None) else list(response)
    with table_file(data, y, response, response_table, aside, name) as (path, columns):
        config = configuration(
            str(path),
            columns.pop("response"),
            project(),
            table={
                **columns,
                "sha256": sha256,
                "response_table": response_table,
                "response_table_sha256": response_table_sha256,
                "classes": None if classes is None else [str(name) for name in classes],
                "horizons": horizons and [_plain(time) for time in horizons],
                "missing": missing,
                "ignore": list(ignore),
                "sizes": sizes and [_plain(size) for size in sizes],
            },
            dryrun={key: _plain(value) for key, value in given.items()},
            study=name,
        )
        if seed is not None:
            config["seed"] = _plain(seed)
        challenge, doubts = check(config, project())
        config = complete(config, base=project())
    if not isinstance(data, str | os.PathLike):
        doubts = [unnamed(doubt, path) for doubt in doubts]
        challenge = replace(challenge, notes=tuple(unnamed(n, path) for n in challenge.notes))
        config["datasets"][challenge.name]["path"] = SHOWN
    for doubt in doubts:
        warnings.warn(doubt, UserWarning, stacklevel=2)
    streams = [sys.stderr] if progress else []
    frames, stopped = zip(*_played(challenge, config, streams), strict=True)
    played = outcomes.typed(pd.concat(frames, ignore_index=True))
    return DryRun(challenge, config, list(stopped), *_settled(challenge, config, played, streams))


class DryRun(PageAnswer):
    """How many submissions are safe, on which leaderboard.

    Attributes
    ----------
    recommendation : dict
        The leaderboard and the number, with what they rest on: what ``recommendation.json`` holds.
    tables : dict of str to DataFrame
        `limits`, `frontier`, `utility`, `acceptance` and `final_rows`, as results/README.md
        describes them.
    config : dict
        The complete configuration.
    challenge : Challenge
        The data as they were played.
    stopped : list of dict
        How each job stopped: replicates, seconds, reason.
    """

    registry: ClassVar[Registry] = DRY_RUN_FIGURES
    figures: ClassVar[tuple[str, ...]] = tuple(DRY_RUN_FIGURES)

    def __init__(
        self,
        challenge: Challenge,
        config: dict[str, Any],
        stopped: list[dict[str, Any]],
        tables: dict[str, pd.DataFrame],
        recommendation: dict[str, Any],
    ) -> None:
        self.challenge, self.config, self.stopped = challenge, config, stopped
        self.tables, self.recommendation = tables, recommendation

    @property
    def answer(self) -> str:
        """The recommendation in words."""
        return self.recommendation["sentence"]

    def __str__(self) -> str:
        return printed(self.recommendation)

    @property
    def limits(self) -> pd.DataFrame:
        """How many submissions are safe: a row for each leaderboard, participant and threshold."""
        limits = self.tables["limits"]
        # Whole numbers stay whole beside those that are not known.
        return limits.astype({name: "Int64" for name in WHOLE if name in limits})

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that the figures have parameters for."""
        return {key: self.config["dryrun"][key] for key in ("submissions", "threat")}

    @property
    def shown(self) -> dict[str, Any]:
        """The tables and the recommendation."""
        return {**self.tables, "recommendation": self.recommendation}

    def written(self, svgs: Sequence[Path]) -> str:
        """The page with these figures; where the command names a command, it names `dry_run`."""
        longer = self.recommendation["longer"] or {}
        call = ", ".join(["...", *(f"{key}={value!r}" for key, value in longer.items())])
        return render_dryrun(
            content_of(
                self.challenge,
                self.config,
                recommendation=self.recommendation,
                limits=outcomes.typed(self.limits),
                frontier=outcomes.typed(self.tables["frontier"]),
                svgs=svgs,
                jobs=self.stopped,
                config_path="shakedown.dry_run(...)",
                longer=f"shakedown.dry_run({call})" if longer else "",
            )
        )


def _played(
    challenge: Challenge, config: Mapping[str, Any], streams: Sequence[TextIO]
) -> list[tuple[pd.DataFrame, dict[str, Any]]]:
    """What each job plays, and how it stops; one job after another."""
    settings = DryRunEntry(**config["dryrun"])
    jobs, (fewest, most) = settings.jobs, shares(settings)
    seconds = ceil(60 * settings.minutes / jobs)
    return [
        play_share(
            challenge,
            settings,
            job=job,
            seconds=seconds,
            seed=config["seed"],
            progress=Progress(
                *(f"{challenge.name}, job {job + 1} of {jobs}", most, streams),
                fewest=fewest,
                seconds=seconds,
                called="play",
            ),
        )
        for job in range(jobs)
    ]


def _settled(
    challenge: Challenge,
    config: Mapping[str, Any],
    played: pd.DataFrame,
    streams: Sequence[TextIO],
) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """The tables, as files hold them, and the recommendation."""
    settings, seed = DryRunEntry(**config["dryrun"]), config["seed"]
    tables = dict(
        zip(("limits", "frontier"), estimate(challenge, played, settings, seed=seed), strict=True)
    )
    tell = Progress(
        f"honest participants / {challenge.name}", parts(settings), streams, called="play"
    )
    served = serve(challenge, settings, seed=seed, progress=tell)
    tables |= dict(zip(("utility", "acceptance"), served, strict=True))
    tables["final_rows"] = final_rows(challenge, settings, seed=seed)
    with TemporaryDirectory() as folder:
        for name, table in tables.items():
            outcomes.write(table, path := Path(folder, f"{name}.csv"))
            tables[name] = read_table(path)
    names = ("limits", "frontier", "utility", "final_rows")
    recommendation = decide(challenge, settings, **{n: outcomes.typed(tables[n]) for n in names})
    return tables, json.loads(written(recommendation))


def _listed(thresholds: float | Iterable[float] | None) -> list | None:
    if thresholds is None:
        return None
    return [_plain(value) for value in np.ravel(thresholds)]


def _plain(value: Any) -> Any:
    """A number of NumPy as Python's own; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value
