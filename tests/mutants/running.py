"""Run tests against mutants, in a copy of the tree.

The copy keeps the compiled code of the tree.  A mutant of a kernel makes its own file compile
again, and the files whose kernels call it; after the tests their compiled code is put back.  Each
run is a fork of a process that has already imported what does not change.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.mutants.mutant import PACKAGE, ROOT, Mutant

#: Seconds, and of the processor, after which a run is stopped; a loop without an end counts as
#: noticed.  Slow tests may use as much of the processor as they like.
LONGEST, LONGEST_BUSY = 300.0, 60
_IMPORT = re.compile(r"^from shakedown\.([\w.]+) import", re.M)
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.M)


class Outcome(NamedTuple):
    """How the tests of a mutant ended.

    `by` is the first test that failed, "" if none did; `seconds` is what it took.
    """

    killed: bool
    by: str
    seconds: float


class Laboratory:
    """A copy of the tree in which mutants are made and tested.

    Parameters
    ----------
    folder : Path
        An empty folder.
    slow : bool
        Whether slow tests run too.
    """

    def __init__(self, folder: Path, *, slow: bool = False) -> None:
        self._slow = slow
        self._tree, self._kept = folder / "tree", folder / "kept"
        self._log = folder / "log.txt"
        # What is compiled is copied with the sources.
        subprocess.run([sys.executable, "-m", "shakedown.simulation.warm_up"], cwd=ROOT, check=True)
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout.splitlines()  # fmt: skip
        for name in listed:
            if (ROOT / name).is_file() and not name.startswith(".venv"):
                target = self._tree / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target)
        for path in (ROOT / PACKAGE).rglob("__pycache__"):
            for where in (self._tree, self._kept):
                shutil.copytree(path, where / path.relative_to(ROOT), dirs_exist_ok=True)
        self._calls = _calls(ROOT / PACKAGE)
        self._made = 0

    def tested(self, tests: Sequence[str], mutant: Mutant | None = None) -> Outcome:
        """Run tests against a mutant, or against the package as it is."""
        if mutant is None:
            return self._run(tests, [])
        path = self._tree / PACKAGE / mutant.file
        source, as_it_was = path.read_text(), path.stat()
        touched = _callers(self._calls, mutant.file) if mutant.file in self._calls else set()
        try:
            path.write_text(mutant.applied(source))
            # Byte code and compiled code are known by the second of the source.
            self._made += 1
            os.utime(path, (time.time(), as_it_was.st_mtime + self._made))
            return self._run(tests, touched)
        finally:
            path.write_text(source)
            os.utime(path, ns=(as_it_was.st_atime_ns, as_it_was.st_mtime_ns))
            if touched:
                self._put_back()

    def _run(self, tests: Sequence[str], touched: Sequence[str]) -> Outcome:
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            self._in_child(tests, touched)
        status = None
        while status is None:
            time.sleep(0.05)
            done, code = os.waitpid(child, os.WNOHANG)
            if done:
                status = os.waitstatus_to_exitcode(code)
            elif time.monotonic() - began > LONGEST:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return Outcome(True, "no end", time.monotonic() - began)
        seconds = time.monotonic() - began
        if status == -signal.SIGXCPU:
            return Outcome(True, "no end", seconds)
        text = self._log.read_text(errors="replace")
        odd = status in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED)
        if odd and "Error" not in text:  # which a package that cannot be imported gives too
            raise RuntimeError(f"The tests {list(tests)} did not run:\n{text[-2000:]}")
        failed = _FAILED.search(text)
        by = failed[1].removeprefix("tests/") if failed else f"exit {status}"
        return Outcome(status != 0, "" if status == 0 else by, seconds)

    def _in_child(self, tests: Sequence[str], touched: Sequence[str]) -> None:
        """Run pytest in the copy; never returns."""
        code = 1
        try:
            os.setpgid(0, 0)
            if not self._slow:
                resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_BUSY, LONGEST_BUSY + 5))
            log = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.chdir(self._tree)
            source = str(self._tree / "src")
            os.environ["PYTHONPATH"] = source
            kept = [path for path in sys.path if path not in ("", str(ROOT), str(ROOT / "src"))]
            sys.path[:] = [str(self._tree), source, *kept]
            for name in [
                module for module in sys.modules if module.split(".")[0] in ("tests", "shakedown")
            ]:
                del sys.modules[name]
            if touched:
                self._compile_again(touched)
            chosen = "not full" if self._slow else "not slow and not full"
            names = [f"tests/{test}" for test in tests]
            code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-rfE", "-m", chosen, *names])
        except BaseException as e:  # such as an error of the package while it is imported
            print(f"shakedown: error: {e!r}")
        finally:
            sys.stdout.flush()
            os._exit(int(code))

    def _compile_again(self, touched: Sequence[str]) -> None:
        """Forget compiled code of some files only; the package would forget all."""
        from shakedown.compiled import KERNELS, kernel_digest

        usual = kernel_digest(ROOT / PACKAGE)
        for kept in (self._kept / PACKAGE).rglob(f"*{usual}.nbi"):
            place = kept.relative_to(self._kept / PACKAGE)
            if f"{place.parent.parent / place.name.split('.')[0]}.py" not in touched:
                name = place.name.replace(usual, KERNELS)
                shutil.copy2(kept, self._tree / PACKAGE / place.with_name(name))

    def _put_back(self) -> None:
        """Compiled code as it was."""
        for path in (self._tree / PACKAGE).rglob("__pycache__/*.nb[ic]"):
            path.unlink()
        for kept in (self._kept / PACKAGE).rglob("__pycache__/*.nb[ic]"):
            shutil.copy2(kept, self._tree / PACKAGE / kept.relative_to(self._kept / PACKAGE))


def _calls(package: Path) -> dict[str, set[str]]:
    """For each file with kernels, those of which it imports."""
    files = {}
    for path in package.rglob("*.py"):
        text = path.read_text()
        if "@kernel" in text:
            files[str(path.relative_to(package))] = set(_IMPORT.findall(text))
    calls = {}
    for file, names in files.items():
        modules = {f"{name.replace('.', '/')}.py" for name in names}
        if "metrics" in names:  # whose kernels the folder passes on
            modules.add("metrics/kernels.py")
        calls[file] = modules & set(files)
    return calls


def _callers(calls: dict[str, set[str]], file: str) -> set[str]:
    """A file, and all whose kernels may contain its kernels."""
    callers = {file}
    while more := {caller for caller, called in calls.items() if called & callers} - callers:
        callers |= more
    return callers
