#!/usr/bin/env python3
"""Evaluate the submissions to an external phase of Grand Challenge on the running board.

    python3 evaluate.py [--once]

Claims the oldest submission, runs its algorithm (the command of settings.json), submits the
predictions to the board, and reports the score.  What was claimed, and the predictions, stay in
`work/` until the report has arrived: after a crash the loop goes on where it was.

Variables: GRAND_CHALLENGE_AUTHORIZATION, the token of a user who may claim; SHAKEDOWN_DATABASE or
SHAKEDOWN_DATABASE_FILE, unless database.url lies beside this file.
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import Request, urlopen

HERE = Path(__file__).parent.resolve()
WORK = HERE / "work"
TOKEN = "GRAND_CHALLENGE_AUTHORIZATION"
#: Seconds between looks for submissions, the longest after failures, and of a request.
PAUSE, LONGEST, PATIENCE = 30, 600, 60
#: Seconds after which Grand Challenge cancels what was claimed.
CANCELLED = 24 * 3600
#: Exit codes of the command: not the algorithm's fault; took too long.
LATER, TOO_LONG = 75, 124
GAVE_UP = "The board could not be reached. Please write to the organisers."
NOBODY = "Grand Challenge did not say who submitted."


class Platform:
    """The routes of Grand Challenge's API that an external evaluation uses."""

    def __init__(self, api, token):
        self._api, self._token = api.rstrip("/") + "/evaluations/", token.split()[-1]
        _check(api)

    def claimable(self, phase):
        query = urlencode({"submission__phase": phase})
        return self._call("GET", f"claimable_evaluations/?{query}")

    def claim(self, pk):
        self._call("PATCH", f"{pk}/claim/", {})

    def update(self, pk, report):
        self._call("PATCH", f"{pk}/update_external_evaluation/", report)

    def download(self, url, path):
        url = urljoin(self._api, url)
        _check(url)
        part = path.with_suffix(".part")
        with self._open(Request(url)) as source, part.open("wb") as target:
            shutil.copyfileobj(source, target, 2**20)
            if str(target.tell()) != source.headers.get("Content-Length", str(target.tell())):
                raise OSError("the file is not whole")
        part.rename(path)

    def _call(self, method, route, data=None):
        request = Request(
            self._api + route,
            data=None if data is None else json.dumps(data).encode(),
            headers={"Content-Type": "application/json", "Accept": "application/json"},
            method=method,
        )
        with self._open(request) as answer:
            return json.loads(answer.read() or b"{}")

    def _open(self, request):
        # Not for another server, and not sent on when this one redirects to another.
        if urlsplit(request.full_url)[:2] == urlsplit(self._api)[:2]:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        return urlopen(request, timeout=PATIENCE)


def _check(url):
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname != "127.0.0.1":
        raise ValueError("wanted an address with https")


def step(platform, settings, work=WORK):
    """Take a submission as far as it goes; returns whether to go on at once."""
    journal = work / "claimed.json"
    if journal.exists():
        task = json.loads(journal.read_text(encoding="utf-8"))
    else:
        for folder in filter(Path.is_dir, work.iterdir()):
            shutil.rmtree(folder, ignore_errors=True)
        waiting = platform.claimable(settings["phase"])
        if not waiting:
            return False
        task = task_of(min(waiting, key=lambda evaluation: str(evaluation["created"])))
        # Before the claim: if this is killed after it, nothing else says what was claimed.
        keep(journal, task)
        try:
            platform.claim(task["evaluation"])
        except HTTPError as e:
            if 400 <= e.code < 500:
                e.close()
                journal.unlink()
                say(task, "could not be claimed: another is being evaluated, or it is taken")
                return False
            raise
        task["claimed"] = True
        keep(journal, task)
    if not task["claimed"]:
        # The answer to the claim was lost.  If it came through, a second one is refused.
        try:
            platform.claim(task["evaluation"])
        except HTTPError as e:
            if e.code != 400:
                raise
            e.close()
        task["claimed"] = True
        keep(journal, task)
    result = judge(platform, settings, task, work / task["submission"], journal)
    old = time.time() - task["at"]
    if result["status"] == "error":
        say(task, result["message"])
        if old < settings["give_up_hours"] * 3600:
            return False
        result = {"status": "invalid", "message": GAVE_UP}
    try:
        platform.update(task["evaluation"], report(result))
        say(task, result["status"])
    except HTTPError as e:
        if e.code not in (400, 404) and old < CANCELLED:
            raise
        e.close()
        say(task, "is no longer claimed by this user: it was reported before, or cancelled")
    journal.unlink()
    return True


def task_of(evaluation):
    """What is kept of an evaluation."""
    submission = evaluation["submission"]
    pk = str(submission["pk"])
    if not pk.replace("-", "").isalnum():
        raise ValueError("wanted a UUID")
    return {
        "evaluation": str(evaluation["pk"]),
        "submission": pk,
        "team": (submission.get("creator") or {}).get("username"),
        "image": (evaluation.get("algorithm_image") or {}).get("image"),
        "model": (evaluation.get("algorithm_model") or {}).get("model"),
        "at": time.time(),
        "claimed": False,
        "failed": None,
    }


def judge(platform, settings, task, folder, journal):
    """The result of a submission, as of `shakedown.live.scoring.score`."""
    if not task["team"]:
        return {"status": "invalid", "message": NOBODY}
    if task["failed"] is None and not (folder / "output").exists():
        code = run(platform, settings, task, folder)
        if code == LATER:
            return {"status": "error", "message": "the command could not run the algorithm"}
        if code:
            why = "took too long" if code == TOO_LONG else "failed"
            task["failed"] = f"The algorithm {why}."
            keep(journal, task)
    if task["failed"] is not None:
        return {"status": "invalid", "message": task["failed"]}
    file = folder / "output" / "predictions.csv"
    if file.is_symlink() or not file.is_file():
        return {"status": "invalid", "message": "The algorithm wrote no predictions."}
    from shakedown.live.scoring import FILE_VARIABLE, score

    if (HERE / "database.url").is_file():
        os.environ.setdefault(FILE_VARIABLE, str(HERE / "database.url"))
    key = f"grand-challenge-{task['submission']}"
    return score(None, task["team"], key, file, board=settings["board"] or None)


def run(platform, settings, task, folder):
    """Run the algorithm; returns the command's exit code.  `output` is there if it is 0."""
    folder.mkdir(exist_ok=True)
    paths = {"image": folder / "image.tar.gz", "model": folder / "model.tar.gz"}
    for name, path in paths.items():
        if task[name] and not path.exists():
            platform.download(task[name], path)
    # A folder that no earlier run, which may outlive a killed loop, can write to.
    part = Path(tempfile.mkdtemp(prefix="part-", dir=folder))
    seconds = settings["seconds"]
    model = str(paths["model"]) if task["model"] else ""
    name = f"submission-{task['submission']}"
    secret = (TOKEN, "SHAKEDOWN_DATABASE", "SHAKEDOWN_DATABASE_FILE")
    command = subprocess.Popen(
        [*settings["command"], str(paths["image"]), model, str(part), name, str(seconds)],
        cwd=HERE,
        env={key: value for key, value in os.environ.items() if key not in secret},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        # The command ends the algorithm; this is for a command that hangs.
        code = command.wait(seconds + settings.get("grace_seconds", 600))
    except subprocess.TimeoutExpired:
        code = LATER
    finally:
        if command.poll() is None:
            os.killpg(command.pid, signal.SIGKILL)
            command.wait()
    if code == 0:
        part.rename(folder / "output")
    # Below 0 a signal ended the command: a machine that shuts down, for example.
    return code if code >= 0 else LATER


def report(result):
    """What Grand Challenge is told.  A failed submission has no metrics, and is not ranked."""
    if result["status"] != "scored":
        return {"status": "Failed", "error_message": result["message"][:1000]}
    return {"status": "Succeeded", "metrics": {result["metric"]: result["score"]}}


def keep(path, content):
    """Write JSON so that a crash leaves the old or the new content."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def say(task, text):
    """A line for the organiser."""
    about = f"submission {task['submission']}: " if task else ""
    print(time.strftime("%Y-%m-%dT%H:%M:%S"), about + text, flush=True)


def main(once):
    """Look for submissions for ever, or take one step."""
    try:
        settings = json.loads((HERE / "settings.json").read_text(encoding="utf-8"))
        platform = Platform(settings["api"], os.environ[TOKEN])
        WORK.mkdir(mode=0o700, exist_ok=True)
        with (WORK / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return loop(platform, settings, once)
    except BlockingIOError:
        return "Another evaluate.py runs in this folder."
    except (KeyError, IndexError, OSError, ValueError):
        return f"Check settings.json and {TOKEN}; see README.md."


def loop(platform, settings, once):
    """Take steps; what goes wrong is one line, and is tried again."""
    pause = PAUSE
    while True:
        trouble = busy = None
        try:
            busy = step(platform, settings)
        except HTTPError as e:
            trouble = f"Grand Challenge refused a request ({e.code}). Check the token."
            e.close()
        except OSError:
            trouble = "Grand Challenge, the disk or the command does not answer."
        except Exception:  # of any kind: what it says could hold a token or an address
            trouble = "An answer of Grand Challenge or a setting was not understood."
        if trouble:
            say(None, trouble)
        if once:
            return 0
        pause = min(2 * pause, LONGEST) if trouble else PAUSE
        if not busy:
            time.sleep(pause)


if __name__ == "__main__":
    sys.exit(main("--once" in sys.argv[1:]))
