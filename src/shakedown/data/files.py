"""Write files in one step, so that no process reads an incomplete file, and read them."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from shakedown.interface import InputError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path in the same folder, renamed to `path` at the end, or removed on an error.

    Missing folders are created.  The folder is the same because renaming does not work across file
    systems.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def sweep(folder: str | Path) -> None:
    """Delete the temporary files that `replacing` made in processes that were killed."""
    for path in Path(folder).rglob(".*.*.*"):
        pid = path.suffix[1:]
        if pid.isascii() and pid.isdigit() and path.is_file() and not _runs(int(pid)):
            path.unlink(missing_ok=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # a process of another user
        return True
    return True


@contextmanager
def private() -> Iterator[None]:
    """Files and folders that are made here can be read by their owner alone.

    They hold a truth.  The mask is that of the whole process, also of its other threads.
    """
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def make_private(path: str | Path) -> None:
    """Make an empty file that its owner alone can read, unless there is a file."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0), 0o600))


@contextmanager
def archive(path: str | Path, what: str) -> Iterator[np.lib.npyio.NpzFile]:
    """Open an .npz file; `what` names the expected content in errors.

    Raises
    ------
    InputError
        If the file is missing, or reading it fails.
    """
    try:
        # Opened here because np.load does not close a file that it cannot read.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            yield arrays
    except FileNotFoundError as e:
        raise InputError(f"{path} does not exist; write it with `save` first.") from e
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as e:
        raise InputError(
            f"{path} is not a {what} as `save` writes it ({e}); delete it and make it again."
        ) from e


@contextmanager
def reading_table(path: str | Path) -> Iterator[None]:
    """Around the code that reads a table of a study: tells in one sentence if that fails.

    Raises
    ------
    InputError
        If the file is missing, or is no Parquet or CSV file.
    """
    import pyarrow as pa  # slow to import, and jobs that make data sets read no table

    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; run the study again, which makes it.") from None
    except (pa.ArrowException, OSError, ValueError) as e:
        first = str(e).strip().partition("\n")[0].rstrip(".") or type(e).__name__
        raise InputError(
            f"{path} is not a table that can be read ({first}); delete it and run the study again."
        ) from None  # the log of a job shows where
