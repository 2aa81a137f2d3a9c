"""``python -m tests.mutants``: which small faults do the tests notice?"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.mutants.known import SAME
from tests.mutants.listed import concerned, mutants
from tests.mutants.running import Laboratory


def main(given: list[str] | None = None) -> int:
    """Try the chosen mutants; 0 if all were killed or are known to make no difference."""
    options = _parser().parse_args(given)
    chosen = [one for one in mutants() if any(part in one.name for part in options.only)]
    chosen = chosen[:: options.every]
    if options.list:
        print(*(one.name for one in chosen), sep="\n")
        return 0
    preload()
    survivors, times, rows = [], Counter(), []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        laboratory = Laboratory(Path(folder), slow=options.slow)
        for file in dict.fromkeys(one.file for one in chosen):
            tests = concerned(file, more=options.more)
            if options.sound and (by := laboratory.tested(tests).by):
                print(f"{file}: {by} fails without any mutant.", file=sys.stderr)
                return 2
            for one in (mutant for mutant in chosen if mutant.file == file):
                outcome = laboratory.tested(tests, one)
                times[file] += outcome.seconds
                rows.append([one.name, "killed" if outcome.killed else "survived", outcome.by])
                if not outcome.killed:
                    survivors.append(one.name)
                word = outcome.by or ("no difference" if one.name in SAME else "SURVIVED")
                print(f"{outcome.seconds:6.1f} s  {one.name[:150]}  [{word}]", flush=True)
    if options.table:
        with open(options.table, "w", newline="") as file:
            csv.writer(file).writerows([["mutant", "outcome", "by"], *rows])
    same = [one for one in survivors if one in SAME]
    print(
        f"\n{len(chosen) - len(survivors)} of {len(chosen)} killed; {len(same)} make no difference."
    )
    for one in sorted(set(SAME) - {mutant.name for mutant in mutants()}):
        print(f"No longer made, so its reason can go: {one}")
    for one in survivors:
        print(f"- {one}: {SAME.get(one, 'not noticed')}")
    return int(len(survivors) > len(same))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument(
        "--only", nargs="+", default=[""], help="only mutants with one of these in their names"
    )
    parser.add_argument("--every", type=int, default=1, help="only every so many")
    parser.add_argument("--more", action="store_true", help="run tests that take longer too")
    parser.add_argument("--slow", action="store_true", help="run slow tests too")
    parser.add_argument("--list", action="store_true", help="list the mutants and stop")
    parser.add_argument("--table", help="write the outcomes into this CSV file")
    parser.add_argument(
        "--sound", action="store_true", help="first see that the tests pass without a mutant"
    )
    return parser


def preload() -> None:
    """Import what does not change, once for all runs."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a fork has no threads
    import matplotlib.pyplot  # noqa: F401
    import numba  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import pydantic  # noqa: F401
    import ruptures  # noqa: F401
    import scipy.optimize  # noqa: F401
    import scipy.stats  # noqa: F401
    import sklearn.linear_model  # noqa: F401
    import statsmodels.stats.multitest  # noqa: F401
    import xarray  # noqa: F401


if __name__ == "__main__":
    sys.exit(main())
