"""Notice files of a study that are not what was written, even with their size and time.

Beside each file of a study lies a hidden one with its SHA-256, as `sha256sum` writes and checks it:
``.claims.csv.sha256`` for ``claims.csv``.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from shakedown.data.files import replacing
from shakedown.interface import InputError

_SUFFIX = ".sha256"
#: What the name of a damaged file ends with once it is set aside.
ASIDE = ".damaged"
#: The environment variable that tells the workflow that all files of a study have been checked.
CHECKED = "SHAKEDOWN_CHECKED"


def seal(paths: Iterable[str | Path]) -> None:
    """Write the checksum of each file beside it; a job's last step."""
    for path in map(Path, paths):
        with replacing(_beside(path)) as temporary:
            temporary.write_text(f"{_digest(path)}  {path.name}\n", "utf-8")


def prepare(inputs: Iterable[str | Path], outputs: Iterable[str | Path] = ()) -> None:
    """Check the files that a job reads, and forget the checksums of those that it writes.

    A job's first step.  A checksum that stayed would call the new file damaged if the job were
    killed before `seal`.

    Raises
    ------
    InputError
        If an input is damaged.  Files without a checksum, such as a user's tables, are not checked.
    """
    for path in map(Path, inputs):
        if is_damaged(path):
            raise InputError(
                f"{damage_message(path)} Run the study again: the file is made again, and what "
                "depends on it."
            )
    for path in map(Path, outputs):
        _beside(path).unlink(missing_ok=True)


def is_damaged(path: str | Path) -> bool:
    """Whether a file exists and differs from its checksum; False without a checksum."""
    path = Path(path)
    written = _written(path)
    if written is None:
        return False
    try:
        differs = _digest(path) != written
    except FileNotFoundError:
        return False
    # A job that began in the meantime has removed or changed the checksum.
    return differs and _written(path) == written


def damaged(folder: str | Path, results: Iterable[str] = ()) -> Iterator[Path]:
    """The damaged files in a folder, and those of its `results` that have lost their checksums.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    for checksum in sorted(Path(folder).rglob(f".*{_SUFFIX}")):
        path = checksum.with_name(checksum.name[1 : -len(_SUFFIX)])
        try:
            if is_damaged(path):
                yield path
        except OSError as e:
            raise InputError(
                f"{path} cannot be checked ({e.strerror}). Make it readable; or delete it, and it "
                "is made again."
            ) from e
    yield from unsealed(Path(folder, name) for name in results)


def check(folder: str | Path) -> None:
    """Check the files of a study, whose name is that of the folder.

    Raises
    ------
    InputError
        If any is damaged; it names them, and the command after which the next run makes them again.
    """
    if paths := list(damaged(folder)):
        command = shlex.join(["shakedown", "check", Path(folder).name, "--repair"])
        cure = f"To have the next run make them again: {command}"
        raise InputError(" ".join([*map(damage_message, paths), cure]))


def unsealed(paths: Iterable[str | Path]) -> Iterator[Path]:
    """Those of some results that exist without a checksum, which every job writes."""
    for path in map(Path, paths):
        if path.is_file() and not _beside(path).exists():
            yield path


def damage_message(path: Path) -> str:
    """What is said of a damaged file, or of one without a checksum."""
    if _written(path) is None:
        return f"{path} may be damaged: its checksum {_beside(path).name} is missing."
    return f"{path} is damaged: its content is not what was written."


def set_aside(path: Path) -> Path:
    """Rename a damaged file, which somebody may have changed by hand; the next run makes it again.

    Returns
    -------
    Path
        What it is called then.

    Raises
    ------
    InputError
        If it cannot be renamed.
    """
    try:
        os.replace(path, _aside(path))
        return _aside(path)
    except OSError as e:
        raise InputError(
            f"{path} cannot be set aside ({e.strerror}). Make its folder writable; or delete the "
            "file, and it is made again."
        ) from e


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}{ASIDE}")


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}{_SUFFIX}")


def _written(path: Path) -> str | None:
    """The checksum beside a file; None if there is none."""
    try:
        # A damaged checksum may hold any bytes.
        return _beside(path).read_text("utf-8", errors="replace").partition(" ")[0]
    except FileNotFoundError:
        return None


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
