"""Databases for the tests of a running board."""

import itertools
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from sqlalchemy import create_engine, text

from shakedown.live import scoring
from tests import warm_python
from tests.live import postgres

_NUMBER = itertools.count()


@pytest.fixture
def tmp_path(tmp_path):
    """A folder in memory, if there is one: no test cuts the power, and a disk takes its time."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with TemporaryDirectory(dir=memory, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres_url():
    """The URL of a PostgreSQL server."""
    if why := postgres.why_not():
        pytest.skip(why)
    with postgres.server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request, tmp_path):
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/board.db"
    url = request.getfixturevalue("postgres_url")
    name = f"board_{next(_NUMBER)}"
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return url.replace("/postgres?", f"/{name}?")


@pytest.fixture
def warm_process(monkeypatch):
    """Scoring for a platform forks from a Python that has imported what takes seconds."""
    monkeypatch.setattr(scoring.sys, "executable", str(warm_python.program()))


@pytest.fixture
def no_process(monkeypatch):
    """Scoring for a platform starts no process of its own, which takes seconds."""

    def run(command, *, input, **_):  # noqa: A002
        return SimpleNamespace(stdout=json.dumps(scoring._scored(**json.loads(input))).encode())

    monkeypatch.setattr(scoring.subprocess, "run", run)
