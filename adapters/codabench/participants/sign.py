#!/usr/bin/env python3
"""Make a signed zip for Codabench: python3 sign.py TEAM predictions.csv submission.zip

Asks for the team's token, or takes it from the variable TEAM_TOKEN.  The zip holds the predictions
and a signature that is good for them only: who gets the zip does not get the token.
"""

import getpass
import hashlib
import hmac
import json
import os
import sys
import zipfile
from pathlib import Path


def signature(token, predictions):
    """The signature of predictions, as bytes, by the team with that token."""
    content = hashlib.sha256(predictions).hexdigest()
    key = hashlib.sha256(token.encode()).hexdigest()
    message = f"shakedown submission {content}"
    return hmac.new(key.encode(), message.encode(), hashlib.sha256).hexdigest()


def main(team, source, target):
    """Write the zip."""
    token = os.environ.get("TEAM_TOKEN") or getpass.getpass("Token of the team: ")
    predictions = Path(source).read_bytes()
    content = {"team": team, "signature": signature(token.strip(), predictions)}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("predictions.csv", predictions)
        file.writestr("signature.json", json.dumps(content))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
