"""Submit through a running server: no board, no database and no compiled code is loaded."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from shakedown.interface import InputError
from shakedown.live.environment import secret

#: Variables with a team's token, and with the file that holds it.
VARIABLE, FILE_VARIABLE = "SHAKEDOWN_TOKEN", "SHAKEDOWN_TOKEN_FILE"
#: Seconds to wait for an answer; a server may be judging the files of others.
PATIENCE = 120
#: Hosts to which a token may go unencrypted.
_HERE = ("localhost", "127.0.0.1", "::1")
#: Statuses of a file that is counted, of one that is not, and of wrong tokens.
_COUNTED, _REFUSED, _UNKNOWN = 200, 422, (401, 403)


class NotCounted(InputError):
    """The server has refused a file."""


def submit(server: str, team: str, file: str | Path, key: str | None = None) -> dict[str, Any]:
    """Submit a file to a server; returns its answer.

    Parameters
    ----------
    server : str
        Its address, such as ``https://board.example.org``.
    team : str
        Checked before anything is sent: the token says whose file it is.
    file : path
    key : str, optional
        Names the submission; sent again with it, a file counts once.

    Raises
    ------
    NotCounted
        If the file is not counted.
    InputError
        If there is no token, the token is another team's, or the server does not answer.
    """
    token = secret("token", VARIABLE, FILE_VARIABLE)
    if token is None:
        raise InputError(f"token: wanted the team's in {VARIABLE}, or a file in {FILE_VARIABLE}.")
    if not (token.isascii() and token.isprintable()):
        raise InputError("token: it has characters that no token has. Copy it once more.")
    content = Path(file).read_bytes()
    connection, base = _connection(server)
    head = {"Authorization": f"Bearer {token}"}
    try:
        status, told = _asked(connection, "GET", f"{base}/api/history", None, head)
        if status == _COUNTED and told.get("team") != team:
            raise InputError(f"token: it is that of team '{told.get('team')}', not of '{team}'.")
        if status == _COUNTED:
            named = {} if key is None else {"Idempotency-Key": _header(key)}
            path = f"{base}/api/submissions"
            status, told = _asked(connection, "POST", path, content, head | named)
    except (OSError, http.client.HTTPException) as e:
        raise InputError(
            f"server: {server} does not answer ({e or type(e).__name__}). With --key it is safe to "
            "send the file again."
        ) from e
    finally:
        connection.close()
    if status == _COUNTED:
        return told
    said = str(told.get("error", f"it answered {status}"))
    if status == _REFUSED:
        raise NotCounted(said)
    raise InputError(f"{'token' if status in _UNKNOWN else 'server'}: {said}")


def _header(key: str) -> str:
    if not (key.isascii() and key.isprintable()):
        raise InputError(f"key: wanted letters, digits and signs of ASCII; got {key[:40]!r}.")
    return key


def _connection(server: str) -> tuple[http.client.HTTPConnection, str]:
    """A connection to a server, and the path before its pages."""
    try:
        parts = urlsplit(server)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or parts.scheme not in ("http", "https"):
        raise InputError(f"server: wanted an address such as https://board.org; got {server!r}.")
    if parts.scheme == "http" and host not in _HERE:
        raise InputError(
            f"server: over http, everybody on the way to {host} could read the token. Use its "
            "https address."
        )
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(host, port, timeout=PATIENCE), quote(parts.path.rstrip("/"), safe="/%")


def _asked(connection, method: str, path: str, body, headers) -> tuple[int, dict[str, Any]]:
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    try:
        told = json.loads(answer.read())
    except ValueError:
        told = None
    return answer.status, told if isinstance(told, dict) else {}
