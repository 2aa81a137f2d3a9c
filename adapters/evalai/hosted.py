"""`evaluate` for EvalAI's hosted worker; `remote.py` is the better choice."""

import glob
import importlib.util
import os
import subprocess
import sys

from . import core


def prepare(place):
    """The Python that has Shakedown: this one, or one that is made once in `place`.

    "" if it cannot be made.
    """
    if sys.version_info >= (3, 11) and importlib.util.find_spec("shakedown"):
        return sys.executable
    python = os.path.join(place, "bin", "python")
    if os.path.isfile(os.path.join(place, "ready")):
        return python
    wheels = glob.glob(os.path.join(core.HERE, "shakedown-*.whl"))
    uv = [sys.executable, "-m", "uv"]
    try:
        for command in (
            [sys.executable, "-m", "pip", "install", "uv"],
            [*uv, "venv", "--clear", "--python", ">=3.11", place],
            [*uv, "pip", "install", "--python", python, wheels[0] + "[board]"],
        ):
            subprocess.run(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
            )
        open(os.path.join(place, "ready"), "w").close()
    except (OSError, IndexError, subprocess.SubprocessError):
        return ""
    return python


PYTHON = prepare(os.path.join(core.HERE, "python"))


def evaluate(test_annotation_file, user_submission_file, phase_codename, **kwargs):
    """Called by the worker; the truth is in the database, and `test_annotation_file` is not used.

    Without "result" the submission is marked as failed.  An exception would do that too, but would
    also show a traceback to the participant.
    """
    metadata = kwargs.get("submission_metadata") or {}
    result = core.judge(metadata, phase_codename, user_submission_file, PYTHON)
    if result["status"] != "scored":
        print(result["message"], file=sys.stderr)
        return {"submission_result": result["message"]}
    return {
        "result": [{core.split(phase_codename): {core.label(): result["score"]}}],
        "submission_result": {"number": result["number"], "note": result["message"]},
        "submission_metadata": "",
    }
