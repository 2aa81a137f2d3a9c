#!/usr/bin/env python3
"""Score a submission on the running board.

Called as the template calls its own score.py, with the submission's id and the Synapse
configuration added; `-g` is the file with the address of the board's database.  Prints nothing:
logs are shared with participants.
"""

import argparse
import contextlib
import io
import json

NOBODY = (
    "Synapse did not say whose submission it is. The organisers can run it again; it counts once."
)
NO_ADDRESS = "The scoring program was given no database. The organisers can run it again."


def submitter(submission_id, synapse_config):
    """Id of the team of a submission, or of its user; both are of one kind on Synapse."""
    import synapseclient

    syn = synapseclient.Synapse(configPath=synapse_config)
    syn.login(silent=True)
    submission = syn.getSubmission(submission_id, downloadFile=False)
    return str(submission.get("teamId") or submission["userId"])


def annotations(result, scored):
    """What results.json holds: flat; annotations that are None are left out by the workflow."""
    values = {
        "submission_status": scored if result["status"] == "scored" else "INVALID",
        "submission_errors": "" if result["status"] == "scored" else result["message"],
    }
    if result["status"] == "scored" and scored == "SCORED":
        values[result["metric"]] = result["score"]
        values["submission_number"] = result["number"]
        values["submission_note"] = result["message"]
    return values


def judge(args):
    """The result of a submission."""
    team = submitter(args.submissionid, args.synapse_config)
    # Late, for whatever it raises is caught.
    from shakedown.live.scoring import score

    try:
        with open(args.groundtruth_file, encoding="utf-8") as file:
            url = file.read().strip()
    except (OSError, UnicodeError):
        url = ""
    if not url:
        return {"status": "error", "message": NO_ADDRESS}
    # A run again has the same id.
    key = f"synapse-{args.submissionid}"
    return score(url, team, key, args.prediction_file or "", board=args.board or None)


def main():
    """Write the results file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--prediction_file", help="Predictions")
    parser.add_argument("-g", "--groundtruth_file", required=True, help="Address of the database")
    parser.add_argument("-o", "--output_file", default="results.json")
    parser.add_argument("-s", "--submissionid", required=True)
    parser.add_argument("-c", "--synapse_config", required=True)
    parser.add_argument("-b", "--board", help="Name of the board, if there are several")
    parser.add_argument(
        "--validate", action="store_true", help="Write VALIDATED and no score; the score waits"
    )
    args = parser.parse_args()
    noise = io.StringIO()
    with contextlib.redirect_stdout(noise), contextlib.redirect_stderr(noise):
        try:
            result = judge(args)
        except Exception:  # of any kind: what it says could hold a token or an address
            result = {"status": "error", "message": NOBODY}
    with open(args.output_file, "w", encoding="utf-8") as file:
        json.dump(annotations(result, "VALIDATED" if args.validate else "SCORED"), file)


if __name__ == "__main__":
    main()
