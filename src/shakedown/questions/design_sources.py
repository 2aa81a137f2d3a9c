"""Where the planner's teams come from: numbers, a table, a submission log, or a truth and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from shakedown.checkout import project
from shakedown.config import complete
from shakedown.config.dryrun import check, configuration
from shakedown.data.censored import check_kind, check_metric
from shakedown.final_rows import of_numbers, of_table
from shakedown.final_rows.splits import USUAL_TEAMS
from shakedown.final_rows.teams import TEAMS, Part, Teams, measured, without_luck
from shakedown.interface import Challenge, InputError
from shakedown.metrics import Metric, find
from shakedown.metrics.composite_names import WEIGHTED
from shakedown.metrics.responses import check_responses
from shakedown.questions.answer import ArgumentError
from shakedown.questions.design_of_dryrun import DryRunResults
from shakedown.questions.frames import as_file, frame_of
from shakedown.questions.truth_and_files import final_files, truth_of
from shakedown.reading import read as read_yaml
from shakedown.replay.reading import read as read_log
from shakedown.replay.settings import ReplayEntry
from shakedown.seeding import stream
from shakedown.wording import amount, counted, short

#: ASSUME: how alike the errors of two teams are, if nobody says so.
CORRELATION = 0.7


@dataclass(frozen=True, eq=False)
class Source:
    """The teams of a challenge that is planned.

    Attributes
    ----------
    rows : int
        Independent rows, or groups, to split.
    unit : str
    training : bool
        Whether some of them are for training.
    metrics : list of Metric
        The first is that of the challenge.
    worlds : list of list of Teams
        For each metric, teams that are equally likely to take part.
    notes : list of str
        What is assumed, in sentences.
    """

    rows: int
    unit: str
    training: bool
    metrics: list[Metric]
    worlds: list[list[Teams]]
    notes: list[str]


def from_numbers(
    metrics: Sequence[str], rows: int | None, best: float | None, spread: float | None,
    correlation: float | None, teams: int | None, seed: int,
) -> Source:  # fmt: skip
    """Teams made up from numbers."""
    if not metrics:
        raise ArgumentError("--metric is needed, such as --metric pearson.")
    given = {"rows": rows, "best": best, "spread": spread}
    if missing := [name for name, value in given.items() if value is None]:
        raise ArgumentError(
            f"--{missing[0]} is needed, got none. Give a table, or numbers: the --rows of the "
            "challenge, the --best score that a team will have, and the --spread of the teams' "
            "scores."
        )
    numbers = of_numbers.Numbers(
        _teams(teams, USUAL_TEAMS), best, spread,
        CORRELATION if correlation is None else correlation,
    )  # fmt: skip
    found = [find(name) for name in metrics]
    worlds = [[teams] for teams in of_numbers.teams_of(numbers, found, seed=seed)]
    notes = [
        f"The errors of two teams are taken to be correlated by {short(numbers.correlation)}.",
        "Teams are taken to be as good as the numbers say, however many rows they train on.",
    ]
    return Source(rows, "row", True, found, worlds, notes)


def from_table(
    data: Any, response: str | Sequence[str] | None, metrics: Sequence[str],
    columns: Mapping[str, Any], teams: int | None, seed: int, progress: bool,
) -> Source:  # fmt: skip
    """Honest models of a table."""
    teams = _teams(teams, USUAL_TEAMS)
    is_path = isinstance(data, str | Path)
    context = nullcontext(data) if is_path else as_file(frame_of(data, "data"), "table")
    response = response if isinstance(response, str | None) else list(response)
    if response is None:
        raise ArgumentError(
            "--response is needed: the column of the table that is to be predicted. For files of "
            "teams, give them after the truth."
        )
    with context as path:
        config = configuration(
            str(path), response, project(), table=columns,
            dryrun={"metric": metrics[0] if metrics else None},
        ) | {"seed": seed}  # fmt: skip
        challenge = check(config, project())[0]
        first = complete(config, base=project())["dryrun"]["metric"]
    return _of_challenge(challenge, first, metrics[1:], teams, seed, progress)


def from_dryrun(
    results: DryRunResults, metrics: Sequence[str], teams: int | None, progress: bool
) -> Source:
    """Honest models of the table of a dry run."""
    first = results.settings.metric
    others = [name for name in metrics if name != first]
    teams = _teams(teams, USUAL_TEAMS)
    return _of_challenge(results.challenge, first, others, teams, results.seed, progress)


def _of_challenge(
    challenge: Challenge, first: str, others: Sequence[str], teams: int, seed: int, progress: bool
) -> Source:
    weighted = WEIGHTED if first.startswith(WEIGHTED) else ""
    names = [first, *(n if n.startswith(weighted) else weighted + n for n in others)]
    found = [find(name) for name in names]
    for metric in found:
        check_metric(metric, challenge)
        check_responses(metric, challenge.y, challenge.cells, f"data set '{challenge.name}'")
    steps = of_table.SPLITS * len(found)
    hidden = None if progress else True  # None: where standard error is no terminal
    with tqdm(total=steps, desc="teams", leave=False, disable=hidden) as bar:
        worlds = of_table.teams_of(challenge, found, teams, seed=seed, tell=bar.update)
    rows, unit = of_table.units_of(challenge)
    notes = [
        "Teams send honest models of the table, fitted to "
        f"{counted(of_table.sets_of(challenge)[0], unit)}. They are taken to be as good with any "
        "split; scores are on a standardised response.",
        *_luck(worlds[0]),
    ]
    return Source(rows, unit, True, found, worlds, notes)


def from_log(path: str | Path, metrics: Sequence[str]) -> Source:
    """The last files of the teams of a submission log, on its private rows."""
    content = read_yaml(Path(path))
    config = complete(content, base=project()) if isinstance(content, dict) else {}
    if not config.get("replay"):
        raise InputError(
            f"{path}: wanted the configuration of a replay, with the section `replay`; there is "
            "none. Give such a file, or a table with its response."
        )
    settings = ReplayEntry(**config["replay"])
    log = read_log(config["study"], settings, seed=config["seed"])
    found = [find(name) for name in (metrics or [settings.metric])]
    private = ~log.public
    last = log.submissions.groupby("team", sort=True)["order"].idxmax()
    files = log.predictions[log.submissions.index.get_indexer(last)][:, private]
    parts = [Part(log.structure.on(m, private), log.truth[private], files) for m in found]
    everything = np.full(len(log.truth), True)
    rows, grouped = log.structure.units(everything), bool(log.structure.group)
    return _of_files(found, parts, rows, grouped, config["seed"])


def from_files(
    truth: Any, files: Any, metrics: Sequence[str], columns: Mapping[str, Any], seed: int
) -> Source:
    """The files of some teams, on the final rows of a truth."""
    if not metrics:
        raise ArgumentError("--metric is needed, such as --metric pearson.")
    of = truth_of(truth, **columns, seed=seed)
    own = of.part(False)
    found = [find(name) for name in metrics]
    for metric in found:
        check_kind(metric, of.censored, "the truth", at_horizons=bool(of.horizons))
        check_responses(metric, own.y, own.cells, "final values of the truth")
    given = [final_files(files, of, metric) for metric in found][0]
    predictions = np.ascontiguousarray(np.array(list(given.values()))[:, own.at])
    parts = [
        Part(metric.on(own.cells, own.groups, own.weights), own.y, predictions) for metric in found
    ]
    rows = len(of.ids) if of.group is None else len(np.unique(of.group.codes))
    return _of_files(found, parts, rows, of.group is not None, seed)


def _of_files(
    metrics: list[Metric], parts: list[Part], rows: int, grouped: bool, seed: int
) -> Source:
    if not TEAMS[0] <= (number := len(parts[0].files)) <= TEAMS[1]:
        raise InputError(
            f"files: wanted those of {TEAMS[0]} to {TEAMS[1]} teams; got {number}. Leave out the "
            "teams at the end."
        )
    worlds = [
        without_luck(
            metric, [measured([part], metric, rng=stream(seed, "design", "rows", metric.name))]
        )
        for metric, part in zip(metrics, parts, strict=True)
    ]
    notes = [
        "Teams are taken to be as good as on the training rows that they had. Their scores are "
        f"known from {counted(parts[0].units, _unit(grouped))} alone, so all this is uncertain.",
        *_luck(worlds[0]),
    ]
    return Source(rows, _unit(grouped), False, metrics, worlds, notes)


def _luck(worlds: list[Teams]) -> list[str]:
    """What is said of the luck in the spread of scores."""
    kept = worlds[0].kept
    if kept == 0.0:
        return [
            "The scores of the teams differ no more than by luck, so no team is known to be better "
            "than another one."
        ]
    if kept > 0.995:
        return []
    return [
        f"Scores spread by luck, too: {amount(kept, 2)} of their standard deviation is left for "
        "the teams."
    ]


def _teams(given: int | None, usual: int) -> int:
    number, (fewest, most) = usual if given is None else given, TEAMS
    if not fewest <= number <= most:
        raise ArgumentError(f"--teams: wanted {fewest} to {most} of them; got {number}.")
    return number


def _unit(grouped: bool) -> str:
    return "group" if grouped else "row"
