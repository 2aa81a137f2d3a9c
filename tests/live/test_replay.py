"""A log that is replayed and the same log on a running board: the releases are identical."""

import numpy as np
import pandas as pd
import pytest

from shakedown.leaderboard.mechanism import MECHANISMS, of_setting
from shakedown.live.contents import kept
from shakedown.metrics import find
from shakedown.replay.games import play
from shakedown.replay.log import Log
from tests.fits import RUNNING, skip_unless_it_takes
from tests.live.test_live_board import board, submissions, truth

TEAMS = ("ada", "béa", "=cmd")


def log(files):
    of = truth()
    lines = pd.DataFrame(
        {
            "submission": [f"k{t}" for t in range(len(files))],
            "team": [TEAMS[t % 7 % 3] for t in range(len(files))],
            "order": range(1, len(files) + 1),
            "order_in_team": 1,
            "time": pd.NaT,
        }
    )
    return Log("log", np.array(of.ids), of.values, of.public, files, lines, pd.DataFrame())


@pytest.mark.parametrize("name", RUNNING)
@pytest.mark.parametrize(
    ("defence", "metric"), [("", "mse"), ("+baseline", "mse"), ("+distinct", "mse"), ("", "mae")]
)
def test_releases_are_those_of_a_replay(name, defence, metric, tmp_path):
    kind = MECHANISMS.classes[name]
    setting = of_setting(kind(**kind.examples[0]).id + defence)
    skip_unless_it_takes(setting, find(metric))
    files = submissions(30)
    files[14] = files[7]  # of the same team
    live = board(tmp_path, setting.id, metric, by_count=True)
    played = log(np.array([kept(file, live.rules) for file in files]))
    seen = play(played, find(metric), [setting], ["per_team"], seed=3)
    for line, file in zip(played.submissions.itertuples(), files, strict=True):
        live.submit(line.team, file, line.submission)
    stored = live.log()
    assert stored["submission"].tolist() == seen["submission"].tolist()
    np.testing.assert_array_equal(stored["released"].astype(float), seen["released"])
    np.testing.assert_array_equal(stored["accepted"], seen["accepted"])
    np.testing.assert_array_equal(stored["score_public"], seen["score_public"])
