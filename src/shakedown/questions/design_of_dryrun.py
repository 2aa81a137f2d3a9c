"""Which board is safe with the sets of a plan, by proof or as a dry run measured it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from shakedown.checkout import project
from shakedown.config import complete
from shakedown.config.dryrun_command import words_of
from shakedown.data.checks import MIN_ROWS_PER_SET
from shakedown.data.drawn_split import labels_of
from shakedown.data.store import load
from shakedown.dryrun.first_answer import FirstAnswer, first_answer, up_to
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.thresholds import thresholds
from shakedown.final_rows import of_table
from shakedown.final_rows.splits import Split, is_near, of_round
from shakedown.interface import Challenge
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.naming import exact, in_words
from shakedown.questions.answer import ArgumentError
from shakedown.scheduling.dryrun import challenge as name_of
from shakedown.seeding import stream
from shakedown.wording import counted

#: Files of a dry run that are read.
CONFIG, ANSWER = "config.yaml", "recommendation.json"
#: How it is known that the dry run's own board is safe, by what its recommendation `holds`.
HOW = {"proved": "Proved", "proved on average": "Measured, and proved on average,"}


@dataclass(frozen=True, eq=False)
class DryRunResults:
    """What a dry run found.

    Attributes
    ----------
    challenge : Challenge
        The data as they were played.
    config : dict
        Its complete configuration.
    recommendation : mapping
        What ``recommendation.json`` holds.
    """

    challenge: Challenge
    config: dict[str, Any]
    recommendation: Mapping[str, Any]

    @property
    def settings(self) -> DryRunEntry:
        """Its settings."""
        return DryRunEntry(**self.config["dryrun"])

    @property
    def seed(self) -> int:
        """Its own."""
        return self.config["seed"]

    @property
    def tolerated(self) -> float:
        """The tolerated overfit on standardised data, above 0."""
        return -thresholds(self.challenge, self.settings)[0]

    @property
    def played(self) -> Split:
        """The sets as they are."""
        return Split(*of_table.sets_of(self.challenge))


def read_results(folder: str | Path) -> DryRunResults:
    """The results of a dry run, from its folder.

    Raises
    ------
    InputError
        If they are not there, not complete, or those of another study.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise _no_results(folder, f"no such folder in {folder.absolute().parent}")
    if missing := [name for name in (CONFIG, ANSWER) if not (folder / name).is_file()]:
        raise _no_results(folder, f"which has no {' and no '.join(missing)}")
    try:
        written = yaml.safe_load((folder / CONFIG).read_text("utf-8"))
        config = complete(written, base=project(), folder=_home(folder), is_played=True)
    except (OSError, ValueError, TypeError, yaml.YAMLError) as e:
        raise _no_results(folder, f"whose {CONFIG} cannot be used ({e})") from e
    if not config["dryrun"]:
        raise _no_results(folder, "which holds another study")
    try:
        recommendation = json.loads((folder / ANSWER).read_text("utf-8"))
        if recommendation["recommended"]:
            of_setting(recommendation["recommended"]["setting"])
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise _no_results(folder, f"whose {ANSWER} cannot be read") from e
    try:
        challenge = load(folder / "datasets" / f"{name_of(config)}.npz")
    except (OSError, ValueError, KeyError) as e:
        raise _no_results(folder, "whose data set is missing or damaged") from e
    config = {**config, "datasets": _found(config["datasets"], _home(folder))}
    return DryRunResults(challenge, config, recommendation)


def _home(folder: Path) -> Path:
    """The folder in which a dry run was started: it writes to results/<study> there."""
    return folder.resolve().parents[1]


def _found(datasets: Mapping[str, Any], home: Path) -> dict[str, Any]:
    """The data sets, with tables named so that a command finds them from the folder it is in."""
    if home == Path.cwd():
        return dict(datasets)
    found = {}
    for name, entry in datasets.items():
        own = {key: entry.get(key) for key in ("path", "response_table")}
        tables = {key: home / path for key, path in own.items() if isinstance(path, str)}
        found[name] = {**entry, **{key: str(p) for key, p in tables.items() if p.is_file()}}
    return found


def _no_results(folder: Path, why: str) -> ArgumentError:
    return ArgumentError(
        f"--dryrun: wanted the folder of a finished dry run, such as results/my; got {folder}, "
        f"{why}. Run `shakedown dryrun` first."
    )


def safe_boards(
    results: DryRunResults, split: Split, *, rounds: int, is_enough: bool
) -> dict[str, Any]:
    """Which board is safe with a split, and how that is known.

    Parameters
    ----------
    results : DryRunResults
    split : Split
        The recommended one.
    rounds : int
        Each with public rows of its own.
    is_enough : bool
        Whether it has the best team win as often as is wanted.

    Returns
    -------
    dict
        - is_played: whether the split is about that of the dry run.
        - proved: words, title, kind ("proved" or "proved on average"), submissions and lag of the
          most useful board that is proved with the public rows of the split, or None, also if it is
          not another one; why_unproved: why nothing is proved, or "".
        - played: public rows, setting, label, submissions and holds of the board that the dry run
          recommends for its own sets.
        - command: the dry run that measures the split, or "".
        - sentences: all this in words.
    """
    is_played = rounds == 1 and is_near(results.played, split)
    found = {
        "is_played": is_played,
        "proved": None,
        "why_unproved": "",
        "played": _of_own_sets(results),
        "command": "",
    }
    if is_played or not is_enough:  # no other split to say anything of
        return found | {"sentences": [_of_the_played(found, results)]}
    first = _proved(results, split, rounds)
    found |= {
        "proved": first.boards[0]._asdict() if first.boards else None,
        "why_unproved": first.why_unproved,
        "command": _command(results, split, rounds),
    }
    sentences = [
        _of_proof(found, results, split, rounds),
        _of_the_played(found, results),
        _of_measuring(found, rounds),
    ]
    return found | {"sentences": sentences}


def _of_own_sets(results: DryRunResults) -> dict[str, Any]:
    said = results.recommendation
    board = said["recommended"]
    return {
        "public": results.played.public,
        "setting": board and board["setting"],
        "label": board and board["label"],
        "submissions": said["submissions"],
        "holds": said["holds"],
    }


def _proved(results: DryRunResults, split: Split, rounds: int) -> FirstAnswer:
    """What is proved with the public rows of a round.

    Proofs ask for nothing but the number of public rows, so the rows of other rounds are put aside,
    to the training rows.
    """
    rng = stream(results.seed, "design", "sets")
    labels = labels_of(results.challenge, _sizes(split, rounds), rng=rng)
    planned = replace(results.challenge, split=labels)
    return first_answer(planned, results.settings, seed=results.seed)


def _sizes(split: Split, rounds: int) -> list[int]:
    """The sets of one round; the rows of other rounds are then for training."""
    own = of_round(split, rounds)
    return [split.train + split.public - own, own, split.final]


def _of_proof(found: Mapping[str, Any], results: DryRunResults, split: Split, rounds: int) -> str:
    """What is proved for the recommended split, in words."""
    unit = of_table.units_of(results.challenge)[1]
    each = "" if rounds == 1 else " in each round"
    rows = f"({counted(of_round(split, rounds), f'public {unit}')}{each})"
    if found["why_unproved"]:
        return f"Nothing is proved for data with {found['why_unproved']}, whatever the split."
    if found["proved"] is None:
        wanted = counted(results.settings.submissions, "submission")
        return f"No board is proved for the recommended split {rows} and {wanted}."
    board = found["proved"]
    kind = board["kind"].capitalize()
    return (
        f"{kind} for the recommended split {rows}: {board['words']} is safe for "
        f"{up_to(board['submissions'])}{each}, whatever is submitted. Exact setting: "
        f"{board['title']}."
    )


def _of_the_played(found: Mapping[str, Any], results: DryRunResults) -> str:
    """What the dry run found for its own sets, in words."""
    played, unit = found["played"], of_table.units_of(results.challenge)[1]
    rows = f"({counted(played['public'], f'public {unit}')})"
    how = HOW.get(played["holds"], "Measured")
    own = "the split that was played"
    if found["is_played"]:
        own = "the recommended split, which is about the one that was played"
    if not played["submissions"]:
        return f"Measured for {own} {rows}: no board is known to be safe."
    many, board = counted(played["submissions"], "submission"), of_setting(played["setting"])
    title = f" Exact setting: {exact(board)}." if exact(board) else ""
    return f"{how} for {own} {rows}: {in_words(board)} is safe for {many}.{title}"


def _of_measuring(found: Mapping[str, Any], rounds: int) -> str:
    """That the recommended split is not measured, in words."""
    if not found["command"]:
        return (
            "Not measured for the recommended split, and no command can: a dry run takes at least "
            f"{MIN_ROWS_PER_SET} rows in each set, from the file of a table."
        )
    what = "it" if rounds == 1 else "one of its rounds"
    return f"Not measured for the recommended split. To measure {what}: {found['command']}"


def _command(results: DryRunResults, split: Split, rounds: int) -> str:
    """The dry run of a split, or of one of its rounds; "" if a set is too small."""
    config, sizes = results.config, _sizes(split, rounds)
    (name, table), *_ = config["datasets"].items()
    if min(sizes) < MIN_ROWS_PER_SET or table["recipe"] != "table":
        return ""
    ignored = [*table["ignore"], *([table["split"]] if table["split"] else [])]
    changed = {**table, "sizes": sizes, "split": None, "ignore": ignored}
    planned = {**config, "datasets": {name: changed}, "study": f"{config['study']}_planned"}
    return shlex.join(words_of(planned, project()))
