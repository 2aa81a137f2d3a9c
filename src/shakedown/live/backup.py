"""Backups of a database, for their owner alone to read."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy.engine import make_url

from shakedown.data.files import make_private
from shakedown.interface import InputError
from shakedown.live import database


def backup(url: str, path: str | Path) -> None:
    """Copy an SQLite database to a new file, at one moment of a board that goes on.

    The copy holds the truth and the seed: it has mode 600 from its first byte on.

    Parameters
    ----------
    url : str
        As in `database.connect`.
    path : str or Path
        A file that does not exist.

    Raises
    ------
    InputError
        If the database is not SQLite's, the file exists, or it cannot be written.
    """
    path = Path(path)
    database.connect(url).dispose()  # its messages, if there is no such database
    place = make_url(url if "://" in url else f"sqlite:///{url}")
    if place.get_backend_name() != "sqlite":
        raise InputError(
            "backup: wanted an SQLite database. For PostgreSQL: (umask 077; pg_dump "
            "--format=custom --file=board.dump URL)"
        )
    if path.exists():
        raise InputError(f"backup: {path} exists. Give a new file.")
    # The file is complete when it gets its name.
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        make_private(temporary)
        with (
            closing(sqlite3.connect(str(place.database), timeout=database.PATIENCE)) as source,
            closing(sqlite3.connect(temporary)) as target,
        ):
            source.backup(target)
        os.replace(temporary, path)
    except (OSError, sqlite3.Error) as e:
        raise InputError(f"backup: {path} cannot be written ({e}).") from e
    finally:
        temporary.unlink(missing_ok=True)
