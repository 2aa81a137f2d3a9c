"""Tables at an address, from a server of this machine."""

import hashlib
import http.server
import os
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import yaml

from shakedown import data
from shakedown.checkout import project
from shakedown.cli.arguments import parsed
from shakedown.cli.dryrun import asked, typed_again
from shakedown.config import complete
from shakedown.data import downloads
from shakedown.data.downloads import is_address, local_files
from shakedown.interface import InputError, Shape
from tests.data.tables import HEADER, numbers, rows, text

BODY = rows()
TABLE = text(HEADER, BODY).encode()
RESPONSES = text(["id", "u", "v"], rows(seed=2, width=2)).encode()
FEATURES = text(["id", *HEADER[2:]], [[line[0], *line[2:]] for line in BODY]).encode()
OTHER = text(HEADER, rows(seed=3)).encode()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with the server's `files`: content, or a status with headers and content."""

    def do_GET(self):
        self.server.asked.append(self.path)
        entry = self.server.files.get(self.path.partition("?")[0], (404, {}, b""))
        status, headers, content = entry if isinstance(entry, tuple) else (200, {}, entry)
        self.send_response(status)
        for key, value in ({"Content-Length": str(len(content))} | headers).items():
            if value is not None:
                self.send_header(key, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@contextmanager
def serving(**files):
    """A server of files, by their names with _ for the dot, and its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.files = {f"/{name.replace('_', '.')}": content for name, content in files.items()}
    server.asked = []
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def without_proxy(monkeypatch):
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


def recipe(path, **settings):
    return {"recipe": "table", "path": path, "id": "id", "response": "y", **settings}


def read(folder, path, **settings):
    return data.read("mine", recipe(path, **settings), seed=1, folder=folder)


def kept(folder):
    return sorted(path.name for path in (folder / downloads.FOLDER).glob("*"))


def refused(folder, path, **settings):
    with pytest.raises(InputError) as caught:
        read(folder, path, **settings)
    return str(caught.value)


def test_a_table_is_downloaded_once_and_read_without_the_server_after_that(tmp_path):
    with serving(my_csv=TABLE) as server:
        address = f"{server.address}/my.csv?download=1"
        challenge = read(tmp_path, address, sha256=sha256(TABLE).upper())
        assert server.asked == ["/my.csv?download=1"]
    np.testing.assert_array_equal(challenge.X, numbers(BODY)[:, 1:])
    assert challenge.notes == (
        f"Read from {address}: 40 rows, 3 feature columns, response 'y'.",
        f"SHA-256 of {address}: {sha256(TABLE)}.",
    )
    assert kept(tmp_path) == [f"{sha256(TABLE)}.csv"]
    again = read(tmp_path, address, sha256=sha256(TABLE))
    np.testing.assert_array_equal(again.X, challenge.X)
    maker = data.made("mine", recipe(address, sha256=sha256(TABLE)))
    assert maker.planned_shape(tmp_path) == Shape(40, 3)


def test_the_configuration_is_checked_with_the_header_of_the_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with serving(my_csv=TABLE) as server:
        entry = recipe(f"{server.address}/my.csv", sha256=sha256(TABLE)) | {"response": "z"}
        with pytest.raises(InputError, match=r"my\.csv\): no column 'z', which 'response' names"):
            complete({"study": "s", "datasets": {"mine": entry}, "dryrun": {}})


def test_two_tables_at_addresses(tmp_path):
    settings = {"sha256": sha256(FEATURES), "response_table_sha256": sha256(RESPONSES)}
    with serving(x_csv=FEATURES, y_csv=RESPONSES) as server:
        paths = f"{server.address}/x.csv", f"{server.address}/y.csv"
        challenge = read(tmp_path, paths[0], response=None, response_table=paths[1], **settings)
        del settings["response_table_sha256"]
        message = refused(tmp_path, paths[0], response=None, response_table=paths[1], **settings)
    assert challenge.cells.names == ("u", "v")
    assert "Set 'response_table_sha256' to what this prints: curl -fsSL http://" in message


def test_another_file_is_not_kept(tmp_path):
    with serving(my_csv=OTHER) as server:
        message = refused(tmp_path, f"{server.address}/my.csv", sha256=sha256(TABLE))
    assert f"has the SHA-256 {sha256(OTHER)}; 'sha256' wants {sha256(TABLE)}" in message
    assert kept(tmp_path) == []


def test_a_damaged_copy_is_downloaded_again(tmp_path):
    copy = tmp_path / downloads.FOLDER / f"{sha256(TABLE)}.csv"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(OTHER)
    with serving(my_csv=TABLE) as server:
        read(tmp_path, f"{server.address}/my.csv", sha256=sha256(TABLE))
    assert copy.read_bytes() == TABLE


def test_without_a_checksum_nothing_is_downloaded(tmp_path):
    with serving(my_csv=TABLE) as server:
        message = refused(tmp_path, f"{server.address}/my.csv")
        assert server.asked == []
    assert message.endswith(
        "a table at an address needs its checksum, so that a later run reads the same table. Set "
        f"'sha256' to what this prints: curl -fsSL {server.address}/my.csv | sha256sum"
    )


def test_without_a_server_the_message_says_where_to_put_the_file(tmp_path):
    with serving() as server:
        missing = refused(tmp_path, f"{server.address}/my.csv", sha256=sha256(TABLE))
    absent = refused(tmp_path, f"{server.address}/my.csv", sha256=sha256(TABLE))
    place = tmp_path / downloads.FOLDER / f"{sha256(TABLE)}.csv"
    words = f"): the table is not in {place} yet, and cannot be downloaded "
    cure = "Download it by hand, and save it under that path."
    assert f"{words}(the server answers 404 Not Found). {cure}" in missing
    assert f"{words}(Connection refused). {cure}" in absent
    place.write_bytes(TABLE)
    read(tmp_path, f"{server.address}/my.csv", sha256=sha256(TABLE))


def test_an_answer_that_ends_early_is_not_called_another_file(tmp_path):
    cut = (200, {"Content-Length": str(len(TABLE) + 1)}, TABLE)
    with serving(my_csv=cut) as server:
        message = refused(tmp_path, f"{server.address}/my.csv", sha256=sha256(TABLE))
    assert f"the answer ended after {len(TABLE):,} of {len(TABLE) + 1:,} bytes" in message
    assert kept(tmp_path) == []


@pytest.mark.parametrize("length", [True, False], ids=["told", "untold"])
def test_too_large_a_file_is_refused(tmp_path, monkeypatch, length):
    monkeypatch.setattr(downloads, "MOST_BYTES", len(TABLE) - 1)
    headers = {} if length else {"Content-Length": None}
    with serving(my_csv=(200, headers, TABLE)) as server:
        message = refused(tmp_path, f"{server.address}/my.csv", sha256=sha256(TABLE))
    assert "is larger than" in message
    assert "Download it by hand, and name it by its path." in message
    assert kept(tmp_path) == []


def test_a_file_of_the_largest_size_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "MOST_BYTES", len(TABLE))
    with serving(my_csv=TABLE) as server:
        read(tmp_path, f"{server.address}/my.csv", sha256=sha256(TABLE))


def test_the_limit_is_the_one_that_the_page_names():
    page = (Path(__file__).parents[2] / "data/README.md").read_text("utf-8")
    most = f"A file may have at most {downloads.MOST_BYTES / 2**30:g} GiB"
    assert most in page.replace("\n", " ")


def test_redirections_stay_with_http(tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_bytes(TABLE)
    moved = {
        "a_csv": (302, {"Location": "/b.csv"}, b""),
        "b_csv": TABLE,
        "c_csv": (302, {"Location": secret.as_uri()}, b""),
        "d_csv": (302, {"Location": "ftp://127.0.0.1/b.csv"}, b""),
    }
    with serving(**moved) as server:
        read(tmp_path / "1", f"{server.address}/a.csv", sha256=sha256(TABLE))
        for name in "cd":
            message = refused(tmp_path / "2", f"{server.address}/{name}.csv", sha256=sha256(TABLE))
            assert "cannot be downloaded" in message
    assert kept(tmp_path / "2") == []


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("file:///etc/my.csv", "tables are read from https:// and http://; got file://"),
        ("ftp://example.org/my.csv", "got ftp://"),
        ("https:///my.csv", "not a valid address"),
        ("https://[x/my.csv", "not a valid address"),
        ("https://example.org/my table.csv", "not a valid address; wanted one such as"),
        ("https://example.org/{my}.csv", "not a valid address"),
        ("https://example.org/tablé.csv", "not a valid address"),
        ("https://example.org/my.zip", "does not end like a table; wanted .csv,"),
        ("https://ada:secret@example.org/my.csv", "a name or password in an address"),
    ],
)
def test_other_addresses_are_refused(tmp_path, address, words):
    message = refused(tmp_path, address, sha256=sha256(TABLE))
    assert words in message
    assert "secret" not in message


def test_a_checksum_of_a_file_on_this_machine_counts_too(tmp_path):
    (tmp_path / "my.csv").write_bytes(TABLE)
    read(tmp_path, "my.csv", sha256=sha256(TABLE))
    message = refused(tmp_path, "my.csv", sha256=sha256(OTHER))
    assert f"the file's SHA-256 is {sha256(TABLE)}; 'sha256' wants {sha256(OTHER)}" in message


def test_wrong_checksums_are_refused(tmp_path):
    assert "`sha256` must be 64 hexadecimal digits or null" in refused(
        tmp_path, "my.csv", sha256="12"
    )
    message = refused(tmp_path, "my.csv", response_table_sha256=sha256(TABLE))
    assert "response_table_sha256 is set without a response_table; name it." in message


def test_a_rule_reads_local_files_alone():
    assert local_files({"path": "a.csv", "response_table": "https://example.org/b.csv"}) == [
        "a.csv"
    ]
    assert local_files({"recipe": "diabetes"}) == []
    assert is_address("HTTPS://example.org/my.csv")
    assert not is_address("data/my.csv")
    assert not is_address("https:/my.csv")


def test_a_dry_run_at_an_address_is_named_after_the_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with serving(my_csv=TABLE) as server:
        words = ["dryrun", f"{server.address}/my.csv?raw=a/b.tsv", "--sha256", sha256(TABLE)]
        given = parsed([*words, "--response", "y"])
        config = asked(given)
        assert config["study"] == "my"
        assert yaml.safe_load(yaml.safe_dump(config)) == config
        whole = complete(config, base=project())
    assert whole["datasets"]["my"]["sha256"] == sha256(TABLE)
    again = typed_again(whole, minutes=9)
    assert f"--sha256 {sha256(TABLE)}" in again
    assert again.endswith("--minutes 9 --replace")
