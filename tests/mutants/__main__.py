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
    chosen = [mutant for mutant in mutants() if any(part in mutant.name for part in options.only)]
    chosen = chosen[:: options.every]
    if options.list:
        print(*(mutant.name for mutant in chosen), sep="\n")
        return 0
    preload()
    survivors, times, rows = [], Counter(), []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        laboratory = Laboratory(Path(folder), slow=options.slow)
        for file in dict.fromkeys(mutant.file for mutant in chosen):
            tests = concerned(file, more=options.more)
            if options.sound and (by := laboratory.tested(tests).by):
                print(f"{file}: {by} fails without any mutant.", file=sys.stderr)
                return 2
            for mutant in (m for m in chosen if m.file == file):
                outcome = laboratory.tested(tests, mutant)
                times[file] += outcome.seconds
                rows.append([mutant.name, "killed" if outcome.killed else "survived", outcome.by])
                if not outcome.killed:
                    survivors.append(mutant.name)
                word = outcome.by or ("no difference" if mutant.name in SAME else "SURVIVED")
                print(f"{outcome.seconds:6.1f} s  {mutant.name[:150]}  [{word}]", flush=True)
    if options.table:
        with open(options.table, "w", newline="") as file:
            csv.writer(file).writerows([["mutant", "outcome", "by"], *rows])
    same = [name for name in survivors if name in SAME]
    print(
        f"\n{len(chosen) - len(survivors)} of {len(chosen)} killed; {len(same)} make no difference."
    )
    for name in sorted(set(SAME) - {mutant.name for mutant in mutants()}):
        print(f"No longer made, so its reason can go: {name}")
    for name in survivors:
        print(f"- {name}: {SAME.get(name, 'not noticed')}")
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
