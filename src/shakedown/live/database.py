"""Connections to the database, its migrations, and its locks."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoResultFound, NoSuchModuleError

from shakedown.data.files import make_private
from shakedown.interface import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


class Damaged(InputError):
    """The database does not hold what the program wrote."""


#: Seconds to wait for another process's submission.
PATIENCE = 60
#: Number of the lock that PostgreSQL holds while tables or boards are made.
_LOCK = 7237225
_ENGINES: weakref.WeakSet[Engine] = weakref.WeakSet()


def _after_fork() -> None:
    # A worker that shared a connection with its parent would mix up their transactions.
    for engine in list(_ENGINES):
        engine.dispose(close=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def connect(url: str, *, new: bool = False) -> Engine:
    """An engine for the database at `url`, such as ``sqlite:///board.db``.

    Parameters
    ----------
    url : str
        A URL of SQLAlchemy: SQLite or PostgreSQL (``postgresql+psycopg://user@host/name``).  A
        path is that of an SQLite file.
    new : bool
        Whether an SQLite file may be made; its owner alone can read it.

    Raises
    ------
    InputError
        If the URL is none of these, the file is missing, or nobody answers.  No message holds the
        URL's password.
    """
    try:
        place = make_url(url if "://" in url else f"sqlite:///{url}")
    except ArgumentError as e:
        raise InputError(f"database: wanted a URL such as sqlite:///board.db; got {url!r}.") from e
    kind = place.get_backend_name()
    if kind == "postgresql":
        place = place.set(drivername="postgresql+psycopg")
    elif kind != "sqlite":
        raise InputError(
            f"database: wanted sqlite or postgresql; got '{kind}'. Example: sqlite:///board.db"
        )
    elif place.database and not new and not Path(place.database).is_file():
        raise InputError(
            f"database: there is no file {place.database}. Make a board first: "
            "shakedown board create --help"
        )
    try:
        engine = create_engine(place, **_options(kind))
    except NoSuchModuleError as e:
        raise InputError(f"database: {e}. Install Shakedown with its extra 'board'.") from e
    if kind == "sqlite":
        _make_file(place.database, new)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    _ENGINES.add(engine)
    return engine


def _make_file(path: str | None, new: bool) -> None:
    """Make the file of a new SQLite database; SQLite gives the files beside it the same mode."""
    if new and path and path != ":memory:" and not path.startswith("file:"):
        try:
            make_private(path)
        except OSError as e:
            raise InputError(f"database: {path} cannot be made ({e.strerror}).") from e


def _options(kind: str) -> dict:
    if kind == "sqlite":
        return {"connect_args": {"timeout": PATIENCE, "check_same_thread": False}}
    return {"pool_pre_ping": True}


def _prepare_sqlite(connection, _) -> None:
    # SQLAlchemy begins the transactions; the driver must not.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    # In WAL mode NORMAL could lose the last commits in a power failure.
    cursor.execute("PRAGMA synchronous=FULL")
    # Copy the log into the file every 40 MB, not every 4: that waits for the disk several times.
    cursor.execute("PRAGMA wal_autocheckpoint=10000")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # Who only reads waits for nobody, and nobody waits for it.
    reads = connection.get_execution_options().get("reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


_RESTORE = "Restore the last backup that passes the audit."

#: The migrations of `migrations/versions`, in their order.
MIGRATIONS = ("0001", "0002", "0003", "0004")


def migrate(engine: Engine) -> None:
    """Bring the database's tables up to date.

    Raises
    ------
    InputError
        If a newer program, or another one, made the tables.
    """
    with transaction(engine) as connection:
        tables = inspect(connection)
        current = None
        if tables.has_table("alembic_version"):
            versions = connection.execute(text("SELECT version_num FROM alembic_version"))
            known = list(versions.scalars())
            current = known[0] if known else None
            if len(known) != 1 and (known or tables.has_table("boards")):
                raise Damaged(
                    "database: its table alembic_version does not have the one version of the "
                    f"tables, but {', '.join(map(str, known)) or 'none'}. {_RESTORE}"
                )
        elif tables.has_table("boards"):
            raise Damaged(
                "database: another program made its table 'boards'. Give an empty database; "
                "shakedown board create makes the tables."
            )
    if current == MIGRATIONS[-1]:
        return
    if current not in (None, *MIGRATIONS):
        raise Damaged(
            f"database: its tables are of version {current}, and this is the program of version "
            f"{MIGRATIONS[-1]}. Install the newer one: pip install --upgrade '.[board]' in its "
            "source folder."
        )
    # Imported only here: it takes longer than a submission.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    with transaction(engine) as connection:
        lock(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def lock(connection: Connection) -> None:
    """Until the end of the transaction, no other process makes tables or boards."""
    if connection.dialect.name == "postgresql":  # SQLite has locked the file already
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))


def has_tables(engine: Engine) -> bool:
    """Whether the database holds boards."""
    with reading(engine) as connection:
        return inspect(connection).has_table("boards")


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """All or nothing; errors of the database are one sentence."""
    try:
        with _turn(engine), engine.begin() as connection:
            yield connection
    except DBAPIError as e:
        raise _refusal(e) from e


@contextmanager
def sound(what: str) -> Iterator[None]:
    """Around code that reads what the program wrote.

    Raises
    ------
    Damaged
        If something is missing in it, or it cannot be read.
    """
    try:
        yield
    except (InputError, DBAPIError):
        raise
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        NoResultFound,
        TypeError,
        ValueError,
    ) as e:
        raise Damaged(f"database: {what} is damaged, or lacks a part. {_RESTORE}") from e


@contextmanager
def _turn(engine: Engine) -> Iterator[None]:
    """Wait for one's turn to write to an SQLite file, without a limit.

    SQLite itself would look every now and then whether the file is free: with eight writers it
    stands idle half of the time.  The turn ends with the process, however that ends.
    """
    path = engine.url.database
    if fcntl is None or engine.dialect.name != "sqlite" or not path or path == ":memory:":
        yield
        return
    try:
        queue = os.open(f"{path}-queue", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:  # a folder that cannot be written; SQLite says what is wrong
        yield
        return
    try:
        fcntl.flock(queue, fcntl.LOCK_EX)
        yield
    finally:
        os.close(queue)


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection that only reads, and sees one state of the database in all its statements."""
    options: dict = {"reads": True}
    if engine.dialect.name == "postgresql":
        options |= {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    try:
        with engine.connect() as connection, connection.execution_options(**options).begin():
            yield connection
    except DBAPIError as e:
        raise _refusal(e) from e


def _refusal(error: DBAPIError) -> InputError:
    said = sentence(error)
    kind = Damaged if said in (_NO_PART, _BROKEN, _NO_DATABASE) else InputError
    return kind(f"database: {said}")


_NO_PART = f"it lacks a table or a column of its version. {_RESTORE}"
_BROKEN = "the file is damaged. Restore the last backup."
_NO_DATABASE = "the file is not an SQLite database."


def sentence(error: DBAPIError) -> str:
    """What went wrong, without statements, values or addresses."""
    message = str(error.orig).strip().lower()
    for sign, said in (
        ("disk is full", "the disk is full. Free some space; nothing was counted."),
        ("no space left", "the disk is full. Free some space; nothing was counted."),
        ("locked", "it is busy for more than a minute. Try again; nothing was counted."),
        ("readonly", "it cannot be written. Check the permissions of the file and its folder."),
        ("not a database", _NO_DATABASE),
        ("append-only", "decisions and the audit log are append-only; nothing was changed."),
        ("malformed", _BROKEN),
        ("no such table", _NO_PART),
        ("no such column", _NO_PART),
        ("has no column named", _NO_PART),
        ("duplicate column", _NO_PART),
        ("already exists", _NO_PART),
    ):
        if sign in message:
            return said
    if type(error.orig).__name__ in ("UndefinedTable", "UndefinedColumn"):
        return _NO_PART
    if error.connection_invalidated or type(error.orig).__name__ == "OperationalError":
        return "it does not answer. Check that it runs, and the URL; nothing was counted."
    return f"it refused a statement ({type(error.orig).__name__}); nothing was counted."
