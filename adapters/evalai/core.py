"""Submit a file from EvalAI to the running board: what both wrappers share.

EvalAI's hosted workers run Python 3.7 to 3.9, and Shakedown needs 3.11.  So this file is for any
Python 3, uses the standard library only, and calls the Python that has Shakedown.
"""

import json
import os
import stat
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
AGAIN = " The organisers can run the submission again; it counts once."
OWNER_ONLY = 0o077


def settings():
    """The content of settings.json."""
    with open(os.path.join(HERE, "settings.json"), encoding="utf-8") as file:
        return json.load(file)


def address():
    """The database's address in the file beside this one; None leaves it to the environment."""
    path = os.path.join(HERE, "database.url")
    if not os.path.isfile(path):
        return None
    # A zip does not keep the mode: it is set again where that can be done.
    if stat.S_IMODE(os.stat(path).st_mode) & OWNER_ONLY:
        try:
            os.chmod(path, 0o600)
        except OSError:
            return None
    with open(path, encoding="utf-8") as file:
        return file.read().strip() or None


def judge(metadata, phase, file, python=sys.executable):
    """The result of a submission, as of `shakedown.live.scoring.score`; never raises.

    Parameters
    ----------
    metadata : dict
        EvalAI's data of the submission.
    phase : str
        Codename of its phase.
    file : str
        Path of the predictions.
    python : str
        The Python that has Shakedown.
    """
    try:
        given = settings()
        board = given["phases"][phase]["board"]
        # A rerun by the host has a new id, and keeps these.
        team, sent = metadata["participant_team"], metadata["submitted_at"]
        if team in (None, "") or not sent:
            raise KeyError("participant_team")
    except (KeyError, TypeError, ValueError, OSError):
        return failed("The settings of the scoring program do not fit the submission.")
    asked = {
        "url": address(), "team": str(team), "key": f"evalai-{phase}-{team}-{sent}",
        "file": str(file), "board": board or None,
    }  # fmt: skip
    try:
        # The address goes through a pipe, and what the process says besides is dropped.
        done = subprocess.run(
            [python, "-P", "-m", "shakedown.live.scoring"],
            input=json.dumps(asked).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=given.get("seconds", 120),
            check=True,
        )
        return json.loads(done.stdout.decode())
    except subprocess.TimeoutExpired:
        return failed("Scoring took too long.")
    except (OSError, subprocess.SubprocessError, ValueError):
        return failed("The scoring program stopped.")


def failed(why):
    """A result for what is not the participant's fault."""
    return {"status": "error", "message": why + AGAIN}


def split(phase):
    """Codename of the split that a phase's leaderboard shows."""
    return settings()["phases"][phase]["split"]


def label():
    """The label of the score in the leaderboard's schema."""
    return settings()["label"]
