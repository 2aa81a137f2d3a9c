"""A board behind its page, and clients of each role."""

import re
import sqlite3
from contextlib import contextmanager

import httpx
import numpy as np

from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.web import Limits
from tests.live.test_live_board import ROWS, truth

FREE = Limits(requests=10**6, failures=10**6, submissions=10**6, pace=0.0)


def made(path, setting="general_ladder(eta=0.05)+baseline", now=None, **rules):
    """A board with two teams, in a folder or at a URL; returns it, and the tokens by role."""
    given = {} if now is None else {"now": now}
    url = path if isinstance(path, str) else f"sqlite:///{path}/board.db"
    board, organiser = LiveBoard.create(
        url, Rules.of(setting, "mse", **({"seed": 3} | rules)), truth(),
        **given,
    )  # fmt: skip
    return board, {
        "team": board.register("ours"), "other team": board.register("theirs"),
        "organiser": organiser,
    }  # fmt: skip


def csv(seed=0, scale=0.1):
    """The content of a file."""
    values = np.random.default_rng(seed).normal(0, scale, ROWS)
    lines = [f"r{k},{value}" for k, value in enumerate(values)]
    return "\n".join(["id,prediction", *lines, ""]).encode()


def form_token(page: httpx.Response) -> str:
    """The token of a form on a page."""
    return re.search('name="form_token" value="([^"]+)"', page.text)[1]


@contextmanager
def signed_in(url, token=None):
    """A client, signed in with a token."""
    with httpx.Client(base_url=url, follow_redirects=True, timeout=60) as client:
        if token is not None:
            form = {"token": token, "form_token": form_token(client.get("/login"))}
            assert client.post("/login", data=form).status_code == 200
        yield client


def unprotected(path) -> sqlite3.Connection:
    """A database whose append-only tables can be changed."""
    tables = sqlite3.connect(path)
    for (name,) in tables.execute("select name from sqlite_master where type='trigger'").fetchall():
        tables.execute(f"drop trigger {name}")
    return tables


def bearer(token):
    return {"authorization": f"Bearer {token}"}
