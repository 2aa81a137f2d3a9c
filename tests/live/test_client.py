"""Submitting from the command line through a running server."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from shakedown.cli import main
from shakedown.live.client import FILE_VARIABLE, VARIABLE
from shakedown.live.web import Server, app
from tests.live.surfing import FREE, csv, made


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    board, tokens = made(tmp_path, per_team=3)
    (tmp_path / "a.csv").write_bytes(csv(0))
    (tmp_path / "b.csv").write_bytes(csv(1))
    monkeypatch.setenv(VARIABLE, tokens["team"])
    with Server(app(board, limits=FREE)) as url:
        yield board, tokens, url


def sent(capsys, *arguments, code=0):
    assert main(["board", "submit", *arguments]) == code
    out, err = capsys.readouterr()
    return json.loads(out) if out else err


def test_the_answer_is_that_of_a_submission_without_a_server(served, capsys):
    board, _, url = served
    first = sent(capsys, "ours", "a.csv", "--key", "one", "--server", url)
    assert sent(capsys, "ours", "a.csv", "--key", "one", "--server", f"{url}/") == first
    assert sent(capsys, "ours", "a.csv", "--key", "one", "--url", "board.db") == first
    assert sent(capsys, "ours", "b.csv", "--server", url)["number"] == 2
    refused = sent(capsys, "ours", "b.csv", "--key", "one", "--server", url, code=2)
    assert refused.keys() == {"version", "status", "message"}
    assert refused["status"] == "refused"
    assert "was scored with other predictions" in refused["message"]
    assert board.audit([first["head"]]) == []


def test_mistakes_are_one_sentence_and_nothing_is_counted(served, capsys, monkeypatch, tmp_path):
    board, tokens, url = served
    given = ("ours", "a.csv", "--server")
    assert "not of 'theirs'" in sent(capsys, "theirs", "a.csv", "--server", url, code=2)
    assert "could read the token" in sent(capsys, *given, "http://board.org", code=2)
    for wrong in ("board.org", "ftp://board.org", "http://[", "http://a:b"):
        assert "wanted an address such as" in sent(capsys, *given, wrong, code=2)
    assert "does not answer" in sent(capsys, *given, "http://127.0.0.1:9", code=2)
    assert "ASCII" in sent(capsys, *given, url, "--key", "é\n", code=2)
    assert "There is no file c.csv" in sent(capsys, "ours", "c.csv", "--server", url, code=2)
    for wrong in ("wrong", "w\u00f6rd", tokens["organiser"]):
        monkeypatch.setenv(VARIABLE, wrong)
        said = sent(capsys, *given, url, code=2)
        assert said.startswith("shakedown: token: ")
        assert len(said.splitlines()) == 1
    monkeypatch.delenv(VARIABLE)
    assert f"wanted the team's in {VARIABLE}" in sent(capsys, *given, url, code=2)
    place = tmp_path / "token"
    place.write_text(tokens["team"] + "\n")
    place.chmod(0o644)
    monkeypatch.setenv(FILE_VARIABLE, str(place))
    assert "Run chmod 600" in sent(capsys, *given, url, code=2)
    assert not len(board.log())
    place.chmod(0o600)
    assert sent(capsys, *given, url)["number"] == 1


def test_too_many_files_in_a_minute_are_no_refusal_of_the_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    board, tokens = made(tmp_path)
    (tmp_path / "a.csv").write_bytes(csv(0))
    monkeypatch.setenv(VARIABLE, tokens["team"])
    with Server(app(board, limits=replace(FREE, submissions=1))) as url:
        sent(capsys, "ours", "a.csv", "--server", url)
        assert "server: Too many files" in sent(capsys, "ours", "a.csv", "--server", url, code=2)


def test_a_server_that_is_none_of_ours(served, capsys):
    """Any text, and a redirect to which the token must not go."""
    import socketserver
    import threading

    asked = []

    class Other(socketserver.StreamRequestHandler):
        def handle(self):
            asked.append(self.rfile.readline())
            while self.rfile.readline().strip():
                pass
            self.wfile.write(
                b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\n"
                b"Content-Length: 4\r\n\r\n<p>x"
            )

    with socketserver.TCPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        assert "it answered 302" in sent(capsys, "ours", "a.csv", "--server", url, code=2)
        server.shutdown()
    assert asked == [b"GET /api/history HTTP/1.1\r\n"]


def test_it_loads_neither_database_nor_compiled_code(served):
    """What takes most of the time of a submission without a server."""
    _, _, url = served
    run = (
        "import sys\n"
        "from shakedown.cli import main\n"
        f"assert main(['board', 'submit', 'ours', 'a.csv', '--server', {url!r}]) == 0\n"
        "slow = {'sqlalchemy', 'numba', 'scipy', 'pandas', 'pydantic', 'yaml', 'asyncio'}\n"
        "print(sorted(slow & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip() == "[]"
