"""The command ``shakedown``: studies, dry runs, replays, bounds, components, and running boards.

It parses the arguments and calls the package; Snakemake runs the jobs.  argparse is enough for
thirteen commands, comes with Python and starts fast.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["main"]

#: Exit codes: a job failed, a user error, and Ctrl-C.
FAILED, MISTAKE, STOPPED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, by default with the arguments of the process; returns the exit code.

    A user error prints one sentence to standard error and returns 2.
    """
    try:
        # Imported here, because Ctrl-C can come while slow packages are imported.
        from shakedown.cli import faults
        from shakedown.cli.arguments import parsed
        from shakedown.interface import InputError

        try:
            given = parsed(sys.argv[1:] if arguments is None else arguments)
            code = COMMANDS[given.command](given) or 0
            sys.stdout.flush()  # here, where a closed pipe is no error
            return code
        except InputError as e:
            print(f"shakedown: {getattr(e, 'of_command', e)}", file=sys.stderr)
            return MISTAKE
        except OSError as e:
            said = faults.sentence(e)
            if said is None:
                raise
            print(f"shakedown: {said}", file=sys.stderr)
            _drop_output()
            return FAILED
    except BrokenPipeError:  # who reads the output, such as `head`, has seen enough
        _drop_output()
        return 0
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return STOPPED


def _drop_output() -> None:
    """Let what is still to be printed go nowhere, so that it causes no second error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def reproduce(given: Namespace) -> int:
    from shakedown.cli.project import configuration_file

    return _run(configuration_file(given.config), given)


def replay(given: Namespace) -> int:
    from shakedown.cli.project import again, configuration_file, whole
    from shakedown.interface import InputError

    path = configuration_file(given.config)
    if not whole(path)["replay"]:
        raise InputError(
            f"{path} has no section `replay`; wanted the configuration of a replay. Start from "
            f"config/replay.yaml, or run it as a study: {again(path)}"
        )
    return _run(path, given)


def dryrun(given: Namespace) -> int:
    from shakedown.cli.dryrun import write

    return _run(write(given), given)


def leak(given: Namespace) -> None:
    from shakedown.cli.leak import printed

    print(printed(given))


def unlock(given: Namespace) -> int:
    from shakedown.cli import engine
    from shakedown.cli.project import configuration_file, whole

    path = configuration_file(given.config)
    return engine.unlock(path, whole(path)["study"])


def check(given: Namespace) -> int:
    from shakedown.cli.check import check

    return check(given)


def status(given: Namespace) -> None:
    from shakedown.cli.status import status

    print(status(given.study))


def plan(given: Namespace) -> None:
    from shakedown.cli.plan import plan

    print(plan(given.config, given.cores))


def replicate(given: Namespace) -> None:
    from shakedown.cli.replicate import replicate

    print(replicate(given))


def components(given: Namespace) -> None:
    from shakedown.cli.catalogue import catalogue

    print(catalogue(given.kind, given.name))


def design(given: Namespace) -> None:
    from shakedown.cli.design import printed

    print(printed(given))


def winner(given: Namespace) -> None:
    from shakedown.cli.winner import printed

    print(printed(given))


def board(given: Namespace) -> int:
    from shakedown.cli.board_commands import board

    return board(given)


COMMANDS = {
    command.__name__: command
    for command in (
        reproduce,
        dryrun,
        replay,
        plan,
        leak,
        design,
        winner,
        board,
        status,
        check,
        replicate,
        components,
        unlock,
    )
}


def _run(path: Path, given: Namespace) -> int:
    """Run a study, and print the path of its report."""
    from shakedown.cli import engine
    from shakedown.cli.first_page import REPORT, turn_into_report
    from shakedown.cli.project import profile, whole
    from shakedown.interface import InputError, guess
    from shakedown.scheduling.results import results

    config, only = whole(path), getattr(given, "only", ())
    name = getattr(given, "profile", None)
    chosen = profile(name) if name else None
    known = _figures(config) if only else ()
    for figure in only:
        if figure not in known:
            if not known:
                raise InputError(f"{path} has no figures; got '{figure}'. Leave out --only.")
            raise InputError(
                f"{path} has no figure '{figure}'.{guess(figure, known)} "
                f"It has: {', '.join(known)}."
            )
    folder = Path("results", config["study"])
    drawn = [folder / "figures" / f"{figure}.svg" for figure in only]
    targets = list(map(str, drawn))
    try:
        code = engine.run(
            path, config["study"], cores=given.cores, results=results(config), targets=targets,
            profile=chosen,
        )  # fmt: skip
    except BrokenPipeError:  # nobody reads its progress any more, and it is not complete
        code = FAILED
    if code:
        return code
    folder = folder.resolve()
    if only:
        print("Drawn:", *map(Path.resolve, drawn), sep="\n")
    else:
        if answer := _answer(config, folder):
            print(answer)
        turn_into_report(folder)
        print("Report:", folder / REPORT)
    return 0


def _answer(config: Mapping[str, Any], folder: Path) -> str:
    """The answer of a dry run or a replay, from its results; "" for another study."""
    if config["dryrun"] and (path := folder / "recommendation.json").is_file():
        import json

        from shakedown.dryrun.decision import printed

        return printed(json.loads(path.read_text("utf-8")))
    if config["replay"] and (path := folder / "agreement.csv").is_file():
        from shakedown.replay.grouping import read_table
        from shakedown.report.replay import answer

        return answer(read_table(path), read_table(path.with_stem("comparisons")))
    return ""


def _figures(config: Mapping[str, Any]) -> Collection[str]:
    """Names of the figures of a study, a dry run or a replay."""
    # Imported only if needed: drawing code takes a second.
    if config["dryrun"]:
        from shakedown.figures.dryrun.figure import DRY_RUN_FIGURES

        return list(DRY_RUN_FIGURES)
    if config["replay"]:
        from shakedown.figures.replay.figure import REPLAY_FIGURES

        return list(REPLAY_FIGURES)
    return config["figures"]
