"""Files of simulated honest teams, for a board that has not opened."""

from __future__ import annotations

import numpy as np

from shakedown.dryrun.usefulness.honest import calibrated, following
from shakedown.dryrun.usefulness.teams import Participation, correlations
from shakedown.replay.sent_files import SentFiles
from shakedown.seeding import stream

#: ASSUME: a middling team ends with this share of the variance explained.
MIDDLE = 0.4
#: Of all random numbers.
SEED = 1


def simulated(rows: int, submissions: int, variance: float) -> SentFiles:
    """Twelve teams that improve steadily, as `dryrun.usefulness.teams` has them.

    Parameters
    ----------
    rows, submissions : int
        Public rows, and files of each team.  The teams take turns.
    variance : float
        Of the response, which is normal.
    """
    rng = stream(SEED, "meter", "teams")
    y = rng.standard_normal(rows)
    r = correlations(np.sqrt(MIDDLE), submissions)  # (teams, submissions)
    follow = Participation().error_correlation
    files = [calibrated(y, following(submissions, rows, follow, rng=rng), quality) for quality in r]
    turns = np.array(files).swapaxes(0, 1).reshape(-1, rows)
    width = len(str(submissions))
    teams = [f"team {team:02d}" for team in range(1, len(r) + 1)]
    names = [f"{team} file {k:0{width}}" for k in range(1, submissions + 1) for team in teams]
    return SentFiles(np.array(names), np.array(teams * submissions), np.sqrt(variance) * turns)
