"""Jobs: replicates depend on their number alone; when a job stops, and how wide Δ still is."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from shakedown.dryrun.chance import BLIND
from shakedown.dryrun.playing import Candidates, play_share
from shakedown.simulation.columns import COLUMNS, SETTING, Columns
from tests.dryrun.asking import asked
from tests.dryrun.test_plan import challenge

SETTINGS = {
    "mechanisms": [{"name": "full_disclosure"}, {"name": "ladderboot", "alpha": 0.5, "b": 5}],
    "largest_budget": 40,
    "submissions": 25,
    "quantile": 0.5,
    "precision": 0.01,
    "fewest_replicates": 4,
    "most_replicates": 8,
    "jobs": 1,
}


class Clock:
    """Each look at it takes a second."""

    def __init__(self):
        self.now = -1.0

    def __call__(self):
        self.now += 1.0
        return self.now


@cache
def whole():
    """What one job plays."""
    return job()


def job(number=0, seconds=1e9, seed=1, progress=lambda done: None, **change):
    toy, entries = challenge(60, 12), asked(**SETTINGS | change)
    return play_share(toy, entries, number, seconds, seed, clock=Clock(), progress=progress)


def rows(frame):
    by = ["replicate", "experiment", "setting", "n_features", "submissions", "point"]
    texts = {c: str for c in frame if frame[c].dtype == "category"}
    return frame.astype(texts).sort_values(by, kind="stable").reset_index(drop=True)


def test_outcomes_do_not_depend_on_the_jobs():
    frame, _ = whole()
    parts = [job(k, jobs=3)[0] for k in range(3)]
    assert [sorted(set(part.replicate)) for part in parts] == [[0, 3, 6], [1, 4, 7], [2, 5]]
    pd.testing.assert_frame_equal(rows(frame), rows(pd.concat(parts)))
    other, _ = job(seed=2)
    differ = rows(frame).delta != rows(other).delta
    # A board that shows nothing leaves an adversary without a Δ, whatever the seed.
    assert differ[rows(frame).experiment == "freedman"].all()
    assert differ.groupby(rows(frame).experiment).any().all()


def test_a_job_has_the_columns_of_outcomes_and_no_previews():
    frame, stopped = whole()
    assert list(frame.columns) == list(COLUMNS)
    assert frame.score_released.isna().all()
    assert frame.delta.notna().all()
    assert set(frame.experiment) == {
        "step_forward_fresh", "step_forward_carried_on", "step_forward_unaided",
        "freedman", "paper_recipe", "best_of_many",
        "linear_probe", "linear_probe_holder", "posterior_mean", "posterior_mean_holder",
        "staircase", "reserve", "reserve_holder", "scan", "scan_holder",
        "level_saving", "level_saving_holder", "coordinate_probing", "coordinate_probing_holder",
        "between_updates", "between_updates_holder",
    }  # fmt: skip
    keys = [*SETTING, "point", "replicate"]
    assert not frame.duplicated(keys).any()
    assert stopped == {"replicates": 8, "seconds": 6.0, "reason": "most", "width": stopped["width"]}


def test_a_function_is_not_called_for_the_leaderboard_error():
    boards = [{"name": "full_disclosure"}]
    few = {"mechanisms": boards, "fewest_replicates": 1, "most_replicates": 1}
    frame, _ = job(metric="sklearn.metrics.r2_score", **few)
    assert frame.leaderboard_error.isna().all()
    assert frame.delta.notna().all()
    assert whole()[0].leaderboard_error.notna().any()


@pytest.mark.parametrize(
    ("seconds", "change", "played"),
    [
        (0.0, {}, 4),  # never fewer than the fewest
        (3.0, {}, 6),  # the clock reads 1 after four replicates
        (0.0, {"jobs": 2}, 2),
        (0.0, {"jobs": 3}, 2),  # a third of four, rounded up
    ],
)
def test_a_lane_stops_when_the_time_is_up(seconds, change, played):
    reported = []
    _, stopped = job(seconds=seconds, progress=reported.append, **change)
    assert (stopped["replicates"], stopped["reason"]) == (played, "time")
    assert reported == list(range(1, played + 1))


def test_a_lane_stops_when_the_interval_is_narrow():
    # The second of two jobs, and the edge of what is wanted: on one side of it the job goes on.
    # Each job may be wider than the whole by the root of two.
    two = {"number": 1, "jobs": 2, "fewest_replicates": 16, "most_replicates": 40}
    _, stopped = job(precision=1e3, **two)
    assert (stopped["replicates"], stopped["reason"]) == (8, "narrow")
    edge = stopped["width"] / (0.05 * np.sqrt(2))
    assert job(precision=edge * 1.001, **two)[1] == stopped
    _, stopped = job(precision=edge * 0.999, **two)
    assert stopped["replicates"] in (10, 13, 17, 20)


def test_too_few_replicates_have_no_width():
    _, stopped = job(most_replicates=4, precision=1e9)
    assert stopped["reason"] == "most"
    assert stopped["width"] is None


def outcomes(*rows):
    columns = Columns()
    for row in rows:
        columns.append(1, **row)
    return columns


def row(delta, experiment="freedman", submissions=10, setting="ladder(alpha=0.5)", k=1):
    return {
        "experiment": experiment, "setting": setting, "n_features": submissions,
        "point": np.array([k]), "submissions": np.array([submissions]), "delta": np.array([delta]),
    }  # fmt: skip


def test_the_width_is_that_of_the_best_choice_of_the_worst_board():
    rng = np.random.default_rng(3)
    n = 40
    best = rng.standard_normal(n) - 5
    worse = 9 * rng.standard_normal(n)
    dear = 90 * rng.standard_normal(n) - 99
    other = 2 * rng.standard_normal(n)

    results = [
        outcomes(
            row(best[r]),
            row(worse[r], k=2),
            row(dear[r], submissions=30),
            row(other[r], setting="ladder(alpha=0.01)"),
            row(1e6 * other[r], setting=BLIND),  # no board: only what chance does
        )
        for r in range(n)
    ]

    def width(submissions):
        candidates = Candidates(submissions, 0.5)
        for result in results:
            candidates.add([result])
        return candidates.width()

    def spread(values):  # ranks 14 and 27 of 40: the binomial leaves 1.9 % on each side
        return np.sort(values)[26] - np.sort(values)[13]

    assert width(29) == pytest.approx(max(spread(best), spread(other)))
    assert width(30) == pytest.approx(spread(dear))
    # Nothing that cheap was tried: what is cheapest counts.
    assert width(3) == width(29)
