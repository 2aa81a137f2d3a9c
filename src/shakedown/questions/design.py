"""How many rows must be held back so that the best team wins, and how to split the rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shakedown.questions.answer import ArgumentError
from shakedown.questions.design_answer import Design
from shakedown.questions.design_of_dryrun import DryRunResults, read_results
from shakedown.questions.design_sources import (
    from_dryrun,
    from_files,
    from_log,
    from_numbers,
    from_table,
)

#: Most rows that are planned for.
MOST_ROWS = 1_000_000
#: By how much the public score may be too good, if nobody says so.
TOLERATED = -0.05


def design(
    data: Any = None,
    files: Any = None,
    *,
    dryrun: str | Path | None = None,
    metric: str | None = None,
    metrics: Sequence[str] = (),
    response: str | Sequence[str] | None = None,
    rows: int | None = None,
    teams: int | None = None,
    best: float | None = None,
    spread: float | None = None,
    correlation: float | None = None,
    wanted: float = 0.8,
    tolerated: float | None = None,
    rounds: int = 1,
    id: str | None = None,
    split: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    event: str | None = None,
    horizons: Sequence[float] | None = None,
    classes: Sequence[str] = (),
    ignore: Sequence[str] = (),
    seed: int = 1607,
    progress: bool = False,
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
    dryrun : str or Path, optional
        The folder of a finished dry run, in place of data: teams are honest models of its table,
        and the plan says which board is safe, proved or measured.
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
        of a correlation.  By default -.05, or that of the dry run.
    rounds : int
        Of the challenge.  The public rows are dealt to them, and the final rows are those of all.
    id, split, group, weight, event, horizons, classes, ignore
        Columns of a table as in `shakedown.dry_run`, or of a truth as in `shakedown.winner`.
    seed : int
        That of a replay is its own.
    progress : bool
        Whether a bar in a terminal shows how far the models of a table are.

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
    if tolerated is not None and not tolerated < 0.0:
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
    columns["horizons"] = None if horizons is None else list(horizons)
    results = None
    if dryrun is not None:
        own = {"data": data, "metric": metric, "response": response, "rows": rows, "weight": weight}
        own |= columns | {"split": split, "ignore": list(ignore), "tolerated": tolerated}
        results = _results(dryrun, own | numbers)
        source, seed, tolerated = (
            from_dryrun(results, names, teams, progress),
            results.seed,
            -results.tolerated,
        )
    elif data is None:
        source = from_numbers(names, rows, best, spread, correlation, teams, seed)
    elif files is not None and len(files):
        response = "truth" if response is None else response
        of = columns | {"id": id or "id", "response": response, "split": split}
        source = from_files(data, files, names, of, seed)
    elif isinstance(data, str | Path) and Path(data).suffix in (".yaml", ".yml"):
        source = from_log(data, names)
    else:
        table = columns | {"split": split, "weight": weight, "ignore": list(ignore)}
        table["classes"] = table["classes"] or None
        source = from_table(data, response, names, table, teams, seed, progress)
    tolerated = TOLERATED if tolerated is None else tolerated
    return Design(source, rows or source.rows, wanted, -tolerated, seed, rounds, results)


def _results(folder: str | Path, own: dict[str, Any]) -> DryRunResults:
    """What a dry run found, and nothing else that it has itself."""
    given = [name for name, value in own.items() if value is not None and not _is_empty(value)]
    if given:
        what = given[0] if given[0] == "data" else f"--{given[0]}"
        raise ArgumentError(
            f"--dryrun: {what} is that of the dry run, and was given. Leave it out."
        )
    return read_results(folder)


def _is_empty(value: Any) -> bool:
    return isinstance(value, list) and not value


def _check_numbers(data: Any, files: Any, numbers: dict[str, Any], teams: int | None) -> None:
    """Numbers describe teams that are made up, and files are as many as they are."""
    given = [name for name, value in numbers.items() if value is not None]
    if data is not None and given:
        raise ArgumentError(
            f"--{given[0]} describes teams without data; got data, too. Leave out one of them."
        )
    if files is not None and len(files) and teams is not None:
        raise ArgumentError("--teams: there are as many as files. Leave it out.")
