#!/usr/bin/env python3
"""Score a submission on the running board: python3 -P score.py INPUT OUTPUT

Reads the predictions in INPUT/res, writes OUTPUT/scores.json.  A submission that is not scored
leaves no scores and exit code 1, so that Codabench marks it Failed and does not rank it.  What is
printed reaches the participant: no address, no path, no traceback.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

SETTINGS = Path(__file__).with_name("settings.json")
#: The address of the database, if the worker does not set SHAKEDOWN_DATABASE.
SECRET = Path(__file__).with_name("database.url")
SIGNATURE = "signature.json"
#: Codabench keeps ten digits before the decimal point, and ten after it.
LARGEST, DECIMALS = 1e10, 10
STOPPED = "The scoring program stopped. The organisers can run the submission again."


class Failed(Exception):
    """A submission that is not scored; the message is for the participant."""


def regular(path, missing):
    """A file of the submission, which is no link to one of the program's."""
    if path.is_symlink() or not path.is_file():
        raise Failed(missing)
    return path


def submitter(res, identity):
    """The team, and its signature of the predictions: None if the worker says who submits."""
    if identity == "worker":
        # Not from a file: participants write those.
        if not (user := os.environ.get("SUBMISSION_USER", "").strip()):
            raise Failed("The worker did not say who submits. The organisers must set it up.")
        return f"user-{user}", None
    unsigned = f"There is no valid {SIGNATURE} at the top of your zip. Make the zip with sign.py."
    path = regular(res / SIGNATURE, unsigned)
    if path.stat().st_size > 10_000:
        raise Failed(unsigned)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        team, signature = content["team"], content["signature"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Failed(unsigned) from None
    if not (isinstance(team, str) and isinstance(signature, str)):
        raise Failed(unsigned)
    return team, signature


def key_of(task, team, file):
    """The same for a file that a team sends again, as each run on Codabench has a new id."""
    with file.open("rb") as opened:
        content = hashlib.file_digest(opened, "sha256").hexdigest()
    whole = json.dumps([task, team, content]).encode()
    return f"codabench-{hashlib.sha256(whole).hexdigest()}"


def judge(res):
    """The scores of a submission, and a line for the participant."""
    settings = json.loads(SETTINGS.read_text(encoding="utf-8"))
    name = settings["file"]
    file = regular(res / name, f"There is no {name} at the top of your zip.")
    team, signature = submitter(res, settings["identity"])
    # Late, for whatever it raises is caught.
    from shakedown.live.scoring import VARIABLE, score

    # The board opens the database; None stands for the address in the environment.
    url = None
    if not os.environ.get(VARIABLE) and SECRET.is_file():
        url = SECRET.read_text(encoding="utf-8").strip()
    key = key_of(settings["task"], team, file)
    result = score(url, team, key, file, board=settings["board"] or None, signature=signature)
    if result["status"] != "scored":
        raise Failed(result["message"])
    if not abs(result["score"]) < LARGEST:
        # Codabench would mark it Finished, fail to store it, and could rank it first.
        raise Failed("The score has more digits than Codabench keeps. Check the predictions.")
    said = [f"Submission {result['number']} of the team."]
    for count, when in ((result["left"], "in all"), (result["left_today"], "today")):
        if count is not None:
            said.append(f"Left {when}: {count}.")
    said += [result["message"]] if result["message"] else []
    if result["shown"] and result["next_update"]:
        said.append(f"Next update: {result['next_update']}.")
    return {settings["column"]: round(result["score"], DECIMALS)}, " ".join(said)


def main(source, target):
    """Write the scores, or say why there are none."""
    try:
        scores, said = judge(Path(source) / "res")
        Path(target, "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    except Failed as e:
        print(e, file=sys.stderr)
        return 1
    except Exception:  # of any kind: what it says could hold the address
        print(STOPPED, file=sys.stderr)
        return 1
    print(said)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
