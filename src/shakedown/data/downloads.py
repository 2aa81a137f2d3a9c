"""Tables at an address: downloaded once, and checked against their checksum."""

from __future__ import annotations

import hashlib
import http.client
import re
import shlex
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib import request
from urllib.error import HTTPError
from urllib.parse import SplitResult, unquote, urlsplit

from shakedown import __version__
from shakedown.data.files import replacing, sweep
from shakedown.interface import InputError
from shakedown.tables.header import SUFFIXES, locate
from shakedown.tables.policy import Policy, Source

#: Where downloaded tables lie, below the folder of relative paths.
FOLDER = Path("data", "downloads")
#: Largest table that is downloaded, in bytes.
MOST_BYTES = 2 * 2**30
#: Seconds to wait for each answer of a server.
PATIENCE = 30
#: What a checksum looks like.
SHA256 = r"^[0-9a-fA-F]{64}$"

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_BLOCK = 1 << 20


def is_address(path: str) -> bool:
    """Whether a table is named by an address, such as ``https://example.org/my.csv``."""
    return _SCHEME.match(path) is not None


def local_files(recipe: Mapping[str, Any]) -> list[str]:
    """The files that a data set is made from, without those that have an address."""
    named = (recipe.get(key) for key in ("path", "response_table"))
    return [path for path in named if path and not is_address(path)]


def located(
    name: str, path: str, sha256: str | None, folder: Path, policy: Policy, *, key: str = "sha256"
) -> Source:
    """Find a table, and download it if it has an address and is not there yet.

    Parameters
    ----------
    name : str
        The data set's id.
    path : str
        A path, or an address.
    sha256 : str, optional
        The SHA-256 of the file in hexadecimal digits; an address needs one.
    folder : Path
        Folder for relative paths; downloaded tables lie in its `FOLDER`, named by their checksums.
    policy : Policy
    key : str
        The setting that gives the checksum.

    Raises
    ------
    InputError
        If there is no such table, it cannot be downloaded, or its checksum is another one.
    """
    if is_address(path):
        return _downloaded(name, path, sha256, folder, policy, key)
    source = locate(name, path, folder, policy)
    if sha256 is not None and (now := _digest(source.path)) != sha256.lower():
        raise source.error(
            f"the file's SHA-256 is {now}; '{key}' wants {sha256.lower()}. Get the file again, or "
            f"correct '{key}'."
        )
    return source


def _downloaded(
    name: str, address: str, sha256: str | None, folder: Path, policy: Policy, key: str
) -> Source:
    parts = _parts(name, address, policy)
    suffix = next((s for s in SUFFIXES if unquote(parts.path).lower().endswith(s)), "")
    kept = folder / FOLDER / f"{(sha256 or '').lower()}{suffix}"
    source = Source(name, kept, address, suffix, policy)
    if not suffix:
        raise source.error(
            f"the address does not end like a table; wanted {', '.join(SUFFIXES)} (before a '?'). "
            "Download the file, and name it by its path."
        )
    if sha256 is None:
        raise source.error(
            "a table at an address needs its checksum, so that a later run reads the same table. "
            f"Set '{key}' to what this prints: curl -fsSL {shlex.quote(address)} | sha256sum"
        )
    if not (kept.is_file() and _digest(kept) == sha256.lower()):
        _download(source, sha256.lower(), key)
    return source


def _parts(name: str, address: str, policy: Policy) -> SplitResult:
    """The parts of an address that may be read."""
    source = Source(name, Path(), address, "", policy)
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts = host = None
    if parts is not None and parts.scheme.lower() not in ("http", "https"):
        raise source.error(
            f"tables are read from https:// and http://; got {parts.scheme}://. Use such an "
            "address, or the path of a file."
        )
    if not host or not re.fullmatch(r"[!-z|~]+", address):
        raise source.error(
            "not a valid address; wanted one such as https://example.org/my.csv, with %20 for a "
            "blank and other letters than a to z likewise."
        )
    if parts.username is not None or parts.password is not None:
        raise Source(name, Path(), parts.hostname, "", policy).error(
            "a name or password in an address would be written to the results. Download the file, "
            "and name it by its path."
        )
    return parts


def _download(source: Source, sha256: str, key: str) -> None:
    """Write the file at an address to its place, if its checksum is the wanted one."""
    digest = hashlib.sha256()
    try:
        sweep(source.path.parent)
        with replacing(source.path) as temporary:
            with open(temporary, "wb") as file:
                for block in _blocks(source):
                    digest.update(block)
                    file.write(block)
            if (now := digest.hexdigest()) != sha256:
                raise source.error(
                    f"the file there has the SHA-256 {now}; '{key}' wants {sha256}. It is another "
                    f"file than before, or the checksum is wrong. If you trust the file, correct "
                    f"'{key}'."
                )
    except (OSError, http.client.HTTPException) as e:
        if isinstance(e, HTTPError):
            e.close()  # it holds the connection
        raise source.error(
            f"the table is not in {source.path} yet, and cannot be downloaded ({_why(e)}). Download"
            " it by hand, and save it under that path."
        ) from e


def _blocks(source: Source) -> Iterator[bytes]:
    """The content of the file at an address.

    Raises
    ------
    InputError
        If it is too large.
    OSError, HTTPException
        If it cannot be read to its end.
    """
    agent = {"User-Agent": f"shakedown/{__version__}"}
    with _opener().open(request.Request(source.shown, headers=agent), timeout=PATIENCE) as answer:
        told, got = answer.headers.get("Content-Length", ""), 0
        length = int(told) if told.isascii() and told.isdigit() else None
        if length is not None and length > MOST_BYTES:
            raise _too_large(source)
        while block := answer.read(_BLOCK):
            got += len(block)
            if got > MOST_BYTES:
                raise _too_large(source)
            yield block
    if length is not None and got < length:
        raise ConnectionError(f"the answer ended after {got:,} of {length:,} bytes")


def _too_large(source: Source) -> InputError:
    return source.error(
        f"the file there is larger than {MOST_BYTES / 2**30:g} GiB, the limit for a download. "
        "Download it by hand, and name it by its path."
    )


def _opener() -> request.OpenerDirector:
    """Reads http and https alone; a redirection to a file or another protocol fails."""
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler,
        request.HTTPHandler,
        request.HTTPSHandler,
        request.HTTPRedirectHandler,
        request.HTTPDefaultErrorHandler,
        request.HTTPErrorProcessor,
        request.UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener


def _why(error: Exception) -> str:
    """An error in a few words."""
    if isinstance(error, HTTPError):
        return f"the server answers {error.code} {error.reason}".rstrip()
    reason = getattr(error, "reason", error)
    return str(getattr(reason, "strerror", None) or reason or type(error).__name__)


def _digest(path: Path) -> str:
    status = path.stat()
    return _digest_of(path.resolve(), status.st_size, status.st_mtime_ns)


@cache
def _digest_of(path: Path, size: int, mtime_ns: int) -> str:
    """The SHA-256 of a file of this size and time; a process asks for it several times."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
