"""Runs Snakemake in a fork of a process that has imported it, which takes longer than most runs.

Each line of the standard input is a run: a list, in JSON, of the file for what it prints, its
environment and its arguments.  When it has ended, its exit code is written to the standard output.
"""

import gc
import json
import os
import sys

# Studies import these, too.  Not Shakedown itself: a run finds it beside its Snakefile.
import jsonschema  # noqa: F401
import numba  # noqa: F401
import pydantic  # noqa: F401
from snakemake.cli import get_argument_parser, main


def begin(printed, environment, arguments):
    """Become a program that was just started."""
    for number in (1, 2):
        os.dup2(os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(environment)
    # As after `python -m snakemake`.
    sys.argv[:] = ["snakemake", *arguments]
    sys.path[0] = os.getcwd()


get_argument_parser()  # imports the plugins
gc.collect()
gc.freeze()
for line in iter(sys.stdin.readline, ""):
    child = os.fork()
    if not child:
        begin(*json.loads(line))
        sys.exit(main())
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
