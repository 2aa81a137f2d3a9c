"""Clients that send nothing, part of a request, a form that is no text, or HEAD."""

import socket
import time
from contextlib import ExitStack, suppress
from dataclasses import replace

import httpx
import pytest

from shakedown.live.web import Server, app
from shakedown.live.web.server import AT_ONCE
from tests.live.surfing import FREE, bearer, csv, form_token, made, signed_in


def connected(url):
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30)


def ended(connection):
    """Whether the server has ended a connection; waits for it."""
    try:
        return connection.recv(100) == b""
    except ConnectionResetError:
        return True


def test_connections_that_send_nothing_do_not_keep_others_out(tmp_path):
    board, _ = made(tmp_path)
    with Server(app(board, limits=FREE)) as url, ExitStack() as silent:
        for _ in range(AT_ONCE + 5):
            silent.enter_context(connected(url))
        for _ in range(3):
            assert httpx.get(f"{url}/api/board").status_code == 200


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_a_client_that_sends_no_whole_request_is_given_up(sent, tmp_path):
    board, _ = made(tmp_path)
    with Server(app(board, limits=replace(FREE, patience=0.3))) as url, connected(url) as silent:
        silent.sendall(sent)
        assert ended(silent)
        assert httpx.get(url).status_code == 200


def test_one_byte_after_the_other_buys_no_time(tmp_path):
    board, _ = made(tmp_path)
    with Server(app(board, limits=replace(FREE, patience=0.5))) as url, connected(url) as slow:
        began = time.monotonic()
        with suppress(OSError):  # a broken pipe, or a reset
            while time.monotonic() < began + 20:
                slow.sendall(b"X")
                time.sleep(0.05)
        assert time.monotonic() < began + 20


def test_a_second_request_of_a_connection_has_its_time_too(tmp_path):
    board, _ = made(tmp_path)
    limits = replace(FREE, patience=0.5)
    whole = b"GET /style.css HTTP/1.1\r\nHost: x\r\n\r\n"
    with Server(app(board, limits=limits)) as url, connected(url) as kept:
        for _ in range(3):
            kept.sendall(whole)
            time.sleep(0.3)
            assert b" 200 " in kept.recv(100_000)
        time.sleep(0.7)  # a connection that is kept may rest
        kept.sendall(whole[:10])
        time.sleep(0.1)
        kept.sendall(whole[10:])
        time.sleep(0.1)
        assert b" 200 " in kept.recv(100_000)
        kept.sendall(whole[:10])
        assert ended(kept)


STRANGE = (
    "idna", "undefined", "hex", "base64", "zip", "rot13", "unicode_escape", "utf-16", "utf-7",
    "punycode", "\\0", "no-such", "x" * 1000, "utf_8_sig", "raw_unicode_escape", "mbcs",
)  # fmt: skip


@pytest.mark.parametrize("path", ["/login", "/logout", "/team", "/organiser/teams"])
def test_a_form_in_a_strange_charset_is_a_mistake_of_its_sender(path, tmp_path):
    board, tokens = made(tmp_path)
    role = "organiser" if path.startswith("/organiser") else "team"
    with Server(app(board, limits=FREE)) as url, signed_in(url, tokens[role]) as client:
        for charset in STRANGE:
            for value in ("a..b\u00e9", "\\x", "9" * 70):
                body = (
                    '--x\r\nContent-Disposition: form-data; name="token"\r\n\r\n'
                    f"{value}\r\n--x--\r\n"
                )
                head = {"content-type": f'multipart/form-data; boundary=x; charset="{charset}"'}
                sent = client.post(path, content=body.encode(), headers=head)
                # 403: it was read, and has no token of a form.
                assert sent.status_code in (400, 403), (charset, value)
        head = {"content-type": "multipart/form-data; boundary=x; charset=undefined"}
        body = '--x\r\nContent-Disposition: form-data; name="t"\r\n\r\na..b\r\n--x--\r\n'
        sent = client.post(path, content=body, headers=head)
        assert sent.status_code == 400
        assert "Send it as UTF-8" in sent.text


def test_head_answers_as_get_without_a_body(tmp_path):
    board, tokens = made(tmp_path)
    with Server(app(board, limits=FREE)) as url, signed_in(url, tokens["team"]) as client:
        there = ("/", "/rules", "/style.css", "/team", "/api/board")
        statuses = dict.fromkeys(there, 200) | {"/nothing": 404, "/organiser": 403}
        for path, status in statuses.items():
            answers = {method: client.request(method, path) for method in ("HEAD", "GET")}
            assert answers["HEAD"].status_code == answers["GET"].status_code == status, path
            assert answers["HEAD"].content == b""
            length = {method: a.headers["content-length"] for method, a in answers.items()}
            assert length["HEAD"] == length["GET"]
            assert "content-security-policy" in answers["HEAD"].headers
        # HEAD changes nothing.
        head = bearer(tokens["team"])
        assert client.head("/api/submissions", headers=head).status_code == 405
        assert client.post("/api/submissions", content=csv(), headers=head).json()["number"] == 1
        assert form_token(client.get("/team"))
