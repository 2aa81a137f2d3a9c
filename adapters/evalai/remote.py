"""A worker of a challenge with remote evaluation: takes submissions from EvalAI's queue.

Variables, as in EvalAI's starter: AUTH_TOKEN, API_SERVER, QUEUE_NAME, CHALLENGE_PK; besides
SHAKEDOWN_DATABASE or SHAKEDOWN_DATABASE_FILE, unless database.url lies beside this file.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

import core

#: Seconds between looks at an empty queue, and that a request may take.
PAUSE, PATIENCE = 30, 60
#: How often a submission is tried if the board fails.
TRIES = 5
#: Bytes of a file that are fetched at most; the board refuses a file much smaller.
LARGEST = 2**28
OVER = {"finished", "failed", "cancelled"}


class Platform:
    """EvalAI's API."""

    def __init__(self, token, server, queue, challenge):
        self._token, self._server = token, server.rstrip("/")
        self._queue, self._challenge = queue, challenge

    def message(self):
        return self._call("GET", f"/api/jobs/challenge/queues/{self._queue}/")

    def delete(self, message):
        data = {"receipt_handle": message["receipt_handle"]}
        self._call("POST", f"/api/jobs/queues/{self._queue}/", data)

    def submission(self, pk):
        return self._call("GET", f"/api/jobs/submission/{pk}")

    def codename(self, phase):
        return self._call("GET", f"/api/challenges/challenge/phase/{phase}")["codename"]

    def update(self, method, data):
        path = f"/api/jobs/challenge/{self._challenge}/update_submission/"
        self._call(method, path, data)

    def _call(self, method, path, data=None):
        request = Request(
            self._server + path,
            data=None if data is None else urlencode(data).encode(),
            headers={"Authorization": f"Bearer {self._token}"},
            method=method,
        )
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read().decode() or "{}")


def fetch(url, path):
    """Download a file.  The token is not sent: the file lies on another server."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError("file of a submission: wanted an address with http or https.")
    with urlopen(url, timeout=PATIENCE) as source, open(path, "wb") as target:
        for _ in range(LARGEST // 2**20):
            if not (part := source.read(2**20)):
                break
            target.write(part)


def once(platform, tries):
    """Take a message from the queue; returns whether to look for the next at once."""
    message = platform.message()
    body = message.get("body")
    if not body:
        return False
    pk, phase = body["submission_pk"], body["phase_pk"]
    submission = platform.submission(pk)
    if submission.get("status") in OVER:
        platform.delete(message)
        return True
    codename = platform.codename(phase)
    if submission.get("status") == "submitted":
        platform.update("PATCH", {"submission": pk, "submission_status": "RUNNING"})
    folder = tempfile.mkdtemp()
    try:
        path = os.path.join(folder, "predictions.csv")
        fetch(submission["input_file"], path)
        result = core.judge(submission, codename, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if result["status"] == "error":
        # The message stays in the queue, and EvalAI sends it again.
        tries[pk] = tries.get(pk, 0) + 1
        say(f"submission {pk}, try {tries[pk]}: {result['message']}")
        if tries[pk] < TRIES:
            return False
    platform.update("PUT", report(pk, phase, codename, result))
    platform.delete(message)
    tries.pop(pk, None)
    say(f"submission {pk}: {result['status']}")
    return True


def report(pk, phase, codename, result):
    """What EvalAI is told.  Participants can read both logs: they hold the board's words only."""
    data = {
        "challenge_phase": phase, "submission": pk, "stdout": "", "stderr": "", "metadata": "",
    }  # fmt: skip
    if result["status"] != "scored":
        return data | {"submission_status": "FAILED", "stderr": result["message"]}
    shown = {
        "split": core.split(codename),
        "show_to_participant": True,
        "accuracies": {core.label(): result["score"]},
    }
    return data | {
        "submission_status": "FINISHED", "stdout": result["message"], "result": json.dumps([shown]),
    }  # fmt: skip


def say(text):
    """A line for the organiser."""
    print(time.strftime("%Y-%m-%dT%H:%M:%S"), text, flush=True)


def main():
    """Look at the queue for ever."""
    try:
        platform = Platform(
            *(
                os.environ[name]
                for name in ("AUTH_TOKEN", "API_SERVER", "QUEUE_NAME", "CHALLENGE_PK")
            )
        )
    except KeyError as e:
        sys.exit(f"Set the variable {e.args[0]}; see README.md.")
    tries = {}
    while True:
        go_on = False
        try:
            go_on = once(platform, tries)
        except HTTPError as e:
            say(f"EvalAI refused a request ({e.code}). Check token, queue, labels and splits.")
        except (URLError, OSError):
            say("EvalAI does not answer.")
        except (KeyError, TypeError, ValueError):
            say("EvalAI's answer was not understood.")
        if not go_on:
            time.sleep(PAUSE)


if __name__ == "__main__":
    main()
