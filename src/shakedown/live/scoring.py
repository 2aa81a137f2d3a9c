"""Score a submission for a challenge platform: what all adapters share.

The board runs in a process of its own, which is ended when it takes too long and whose output is
dropped.  A retry with the same key gets the answer of the first time, so that is safe.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shakedown.interface import InputError
from shakedown.live.environment import secret
from shakedown.live.version import versioned

if TYPE_CHECKING:
    from shakedown.live.live_board import LiveBoard

#: Environment variables with the database's URL, and with the file that holds it.
VARIABLE, FILE_VARIABLE = "SHAKEDOWN_DATABASE", "SHAKEDOWN_DATABASE_FILE"
#: Seconds that a submission may take; more than `database.PATIENCE`.
SECONDS = 120
#: The size of the score that stands for none, on a platform that must have one.  It is worse than
#: any, since platforms can rank a missing score first; Codabench keeps ten digits before the point.
NONE_YET = 1e9

_AGAIN = "The organisers can run the submission again; it counts once."
UNSIGNED = "The file is not signed with the token of a registered team. Sign it again."
ERRORS = {
    "address": "The scoring program was given no database.",
    "database": "The board's database does not answer.",
    "board": "The board cannot be used.",
    "time": "Scoring took too long.",
    "program": "The scoring program stopped.",
}


def score(
    url: str | None, team: str, key: str, file: str | Path, *, board: str | None = None,
    signature: str | None = None, seconds: float = SECONDS,
) -> dict[str, Any]:  # fmt: skip
    """Submit a file to a board; never raises for what a platform or a participant can cause.

    Parameters
    ----------
    url : str or None
        Address of the database; by default that of `address`.
    team : str
        What the platform calls the team: an id that a team cannot change.
    key : str
        The same for a submission however often the platform runs it.
    file : path
        The predictions.
    board : str, optional
        Name of the board; needed if the database holds several.
    signature : str, optional
        The team's signature of the file, as `tokens.signature` makes it, where the platform does
        not say whose file it is.  It is checked first; a team that is not registered has none.
    seconds : float
        Most seconds that it may take.

    Returns
    -------
    dict
        With the same keys each time, all of them fit for participants:

        - version: `live.version.VERSION`; it grows when a key goes away or changes its meaning
        - status: "scored"; "invalid" if the file is not counted; "error" if the board failed
        - message: why it is not scored, or what a missing score means; "" otherwise
        - reason: one word for `message`, "" otherwise
        - metric: name of the primary metric, None if the board did not tell
        - score: float, rounded; None if it is not scored.  Before a board shows any score it is
          `NONE_YET` to the bad side
        - shown: whether `score` is a score
        - number, received, next_update, left, left_today, head: as in `Answer`; None if it is not
          scored
    """
    asked = {
        "url": url, "team": str(team), "key": str(key), "file": str(file), "board": board,
        "signature": signature,
    }  # fmt: skip
    # The address goes through a pipe: arguments and variables can be read by other users.
    # -P: no module of the working folder, where a participant's files may lie, is imported.
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", __spec__.name], input=json.dumps(asked).encode(),
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=seconds, check=True,
        )  # fmt: skip
        return json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return _error("time")
    except (OSError, subprocess.SubprocessError, ValueError):
        return _error("program")


def address() -> str:
    """The database's URL: `VARIABLE`, or the content of the file that `FILE_VARIABLE` names.

    Raises
    ------
    InputError
        If neither is set, or other users can read the file.  No message holds the URL or a path.
    """
    if (url := secret("database", VARIABLE, FILE_VARIABLE)) is None:
        raise InputError(f"database: wanted its URL in {VARIABLE}, or a file in {FILE_VARIABLE}.")
    return url


def _result(**fields: Any) -> dict[str, Any]:
    keys = ("metric", "score", "number", "received", "next_update", "left", "left_today", "head")
    usual = {"status": "scored", "message": "", "reason": "", "shown": False}
    return versioned(dict.fromkeys(keys) | usual | fields)


def _error(reason: str, **fields: Any) -> dict[str, Any]:
    return _result(status="error", reason=reason, message=f"{ERRORS[reason]} {_AGAIN}", **fields)


def _invalid(message: str, reason: str, **fields: Any) -> dict[str, Any]:
    return _result(status="invalid", reason=reason, message=message, **fields)


def _scored(
    url: str | None, team: str, key: str, file: str, board: str | None,
    signature: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    # Only the process of the board loads it: that takes seconds.
    from sqlalchemy.exc import DBAPIError

    from shakedown.live.live_board import LiveBoard
    from shakedown.live.submission_file import Refused

    try:
        url = address() if url is None else url
    except InputError:
        return _error("address")
    known: dict[str, Any] = {}
    try:
        live = LiveBoard.open(url, board)
        metric = live.rules.judged_by
        known["metric"] = live.rules.metric
        if not Path(file).is_file():
            return _invalid("There is no file of predictions.", "file", **known)
        if signature is not None and not _signed(live, team, file, signature):
            return _invalid(UNSIGNED, "signature", **known)
        answer = live.submit(team, Path(file), key)
    except Refused as e:
        said = str(e)
        for secret in (url, file, str(Path(file).parent)):
            if len(secret) > 1:
                said = said.replace(secret, "the file")
        return _invalid(said, e.reason, **known)
    except InputError as e:
        cause = e.__cause__
        return _error("database" if isinstance(cause, DBAPIError) else "board", **known)
    if answer.score is not None:
        known |= {"score": answer.score, "shown": True}
    else:
        known["score"] = -NONE_YET if metric.larger_is_better else NONE_YET
        when = f" before {answer.next_update}" if answer.next_update else ""
        known |= {"reason": "none_yet", "message": f"The board shows no score{when}."}
    return _result(
        number=answer.number, received=answer.received, next_update=answer.next_update,
        left=answer.left, left_today=answer.left_today, head=answer.head, **known,
    )  # fmt: skip


def _signed(board: LiveBoard, team: str, file: str, signature: str) -> bool:
    from shakedown.live.tokens import is_signed

    with open(file, "rb") as opened:
        content = hashlib.file_digest(opened, "sha256").hexdigest()
    with board.reading() as (connection, board_id, _):
        return is_signed(connection, board_id, team, content, signature)


def main() -> None:
    """Read what is asked from the standard input; write the result to the standard output."""
    asked = json.load(sys.stdin)
    output, sys.stdout = sys.stdout, sys.stderr
    result = _error("program")
    # Whatever goes wrong, a traceback could hold the address or the truth.
    with contextlib.suppress(Exception):
        result = _scored(**asked)
    json.dump(result, output)


if __name__ == "__main__":
    main()
