"""`/healthz`: whether a board can answer, for programs that restart servers."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import httpx
import pytest
from sqlalchemy import create_engine, text

from shakedown.live import database
from shakedown.live.version import VERSION
from shakedown.live.web import Server, app, health
from shakedown.live.web.desk import desk_of
from shakedown.live.web.health import Health
from tests.live.surfing import FREE, made, signed_in

GOOD = {"version": VERSION, "status": "ok"}
BAD = {"version": VERSION, "error": "The database cannot be read."}


def asked(url, method="GET"):
    answer = httpx.request(method, f"{url}/healthz", timeout=60)
    return answer.status_code, answer.json() if method == "GET" else answer.content


@pytest.fixture
def no_memory(monkeypatch):
    """Each request reads the database again."""
    monkeypatch.setattr(health, "FRESH", 0.0)


def test_it_follows_the_database(database_url, no_memory):
    board, _ = made(database_url)
    engine = database.connect(database_url)

    def rename(table, name):
        with database.transaction(engine) as connection:
            connection.execute(text(f"ALTER TABLE {table} RENAME TO {name}"))

    with Server(app(board)) as url:
        assert asked(url) == (200, GOOD)
        assert asked(url, "HEAD") == (200, b"")
        rename("boards", "away")
        assert asked(url) == (503, BAD)
        assert asked(url, "HEAD") == (503, b"")
        rename("away", "boards")
        assert asked(url) == (200, GOOD)
    engine.dispose()


def test_a_database_that_is_gone_is_a_failure(postgres_url, no_memory):
    administrator = create_engine(
        postgres_url.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT"
    )
    with administrator.connect() as connection:
        connection.execute(text("CREATE DATABASE lost"))
        board, _ = made(postgres_url.replace("/postgres?", "/lost?"))
        with Server(app(board)) as url:
            assert asked(url) == (200, GOOD)
            connection.execute(text("DROP DATABASE lost WITH (FORCE)"))
            assert asked(url) == (503, BAD)
    administrator.dispose()


def test_every_role_gets_the_same_and_nobody_may_post(tmp_path):
    board, tokens = made(tmp_path)
    with Server(app(board, limits=FREE)) as url:
        for token in (None, *tokens.values()):
            with signed_in(url, token) as client:
                answer = client.get("/healthz")
                assert (answer.status_code, answer.json()) == (200, GOOD)
                assert "set-cookie" not in answer.headers
                assert client.post("/healthz").status_code == 405


def test_it_takes_nothing_from_the_limit_of_requests(tmp_path):
    board, _ = made(tmp_path)
    with Server(app(board, limits=replace(FREE, requests=1))) as url:
        assert [asked(url)[0] for _ in range(5)] == [200] * 5
        assert [httpx.get(f"{url}/rules").status_code for _ in range(2)] == [200, 429]
        assert asked(url)[0] == asked(url, "HEAD")[0] == 200
        assert httpx.post(f"{url}/healthz").status_code == 429


def test_however_many_ask_a_silent_database_is_asked_once(tmp_path, monkeypatch):
    board, _ = made(tmp_path)
    reading, looks, answers = board.reading, [], threading.Event()

    @contextmanager
    def silent():
        looks.append(1)
        assert answers.wait(60)
        with reading() as read:
            yield read

    served = app(board)
    desk_of(served).health = Health(board, desk_of(served).read, patience=0.2)
    monkeypatch.setattr(health, "FRESH", 1e9)
    monkeypatch.setattr(board, "reading", silent)
    with Server(served) as url, ThreadPoolExecutor(20) as pool:
        for _ in range(2):
            assert list(pool.map(lambda _: asked(url), range(20))) == [(503, BAD)] * 20
        assert looks == [1]
        answers.set()
        last = asked(url)
        while last != (200, GOOD):  # in .2 s, unless the machine is busy
            assert last == (503, BAD)
            last = asked(url)
        assert looks == [1]
