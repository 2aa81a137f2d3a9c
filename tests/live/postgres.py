"""A PostgreSQL server for the tests, in a temporary folder, on a socket of its own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path


def program(name: str) -> str | None:
    """The path of one of PostgreSQL's programs, also where Debian hides it."""
    hidden = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(hidden[-1]) if hidden else None)


def why_not() -> str | None:
    """Why there can be no server here; None if there can."""
    if program("initdb") is None:
        return "PostgreSQL is not installed"
    if os.geteuid() == 0:
        try:
            pwd.getpwnam("postgres")
        except KeyError:
            return "PostgreSQL does not run as root, and there is no user postgres"
    return None


@contextmanager
def server():
    """Yields the URL of an empty server; databases can be made in it."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    # PostgreSQL refuses to run as root.
    user = {"user": "postgres"} if os.geteuid() == 0 else {}
    if user:
        shutil.chown(folder, "postgres")

    def run(name, *arguments):
        command = [program(name), *arguments]
        subprocess.run(command, check=True, capture_output=True, cwd=folder, timeout=60, **user)

    run("initdb", "-D", "data", "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=60"
    run("pg_ctl", "-D", "data", "-w", "-l", str(folder / "log"), "-o", options, "start")
    try:
        yield f"postgresql://tester@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-D", "data", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
