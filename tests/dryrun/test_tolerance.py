"""The answers at larger tolerated Δ, on a frontier made by hand."""

import numpy as np
import pandas as pd
import pytest

from shakedown.dryrun.limits import safe_submissions
from shakedown.dryrun.tolerance import answers, cautious
from shakedown.dryrun.unattacked import MEASURED, NOT_ATTACKED
from tests.figures import dryrun_frames

TESTED = (10, 100, 500, 2000)
#: Lower ends of Δ at the numbers tested.
LOW = {
    "strict": (-0.01, -0.02, -0.05, -0.09),
    "middle": (-0.02, -0.06, -0.09, -0.30),
    "open": (-0.06, -0.20, -0.40, -0.90),
}
LAGS = {"strict": 0.3, "middle": 0.2, "open": 0.1}


def frontier(low=LOW):
    return pd.DataFrame(
        [
            {"setting": setting, "submissions": n, "delta_low": end}
            for setting, ends in low.items()
            for n, end in zip(TESTED, ends, strict=True)
        ]
    )


def options(lags=LAGS, status=MEASURED):
    same = {"rank_correlation": 0.9, "seen_floor": 0.1, "mean_difference": 0.1, "status": status}
    return [
        {"setting": setting, "label": setting.title(), "lag": lag, "ci_low": 0, **same}
        for setting, lag in lags.items()
    ]


def asked(low=LOW, given=None, *, wanted=500):
    given = options() if given is None else given
    return answers(frontier(low), given, wanted=wanted, threshold=-0.05)


def test_the_most_useful_leaderboard_with_enough_else_the_one_with_most():
    assert [(a["times"], a["setting"], a["submissions"], a["enough"]) for a in asked()] == [
        (1.0, "strict", 500, True),  # -.05 is still tolerated
        (1.5, "strict", 500, True),
        (2.0, "middle", 500, True),  # to -.1; "strict" allows 2,000, but its lag is longer
        (3.0, "middle", 500, True),
        (5.0, "middle", 500, True),
    ]
    few = [(a["setting"], a["submissions"], a["enough"]) for a in asked(wanted=2000)]
    assert few[:3] == [("strict", 500, False), ("strict", 500, False), ("strict", 2000, True)]
    first = asked()[0]
    assert first["threshold"] == pytest.approx(-0.05)
    assert (first["label"], first["lag"], first["most_tested"]) == ("Strict", 0.3, 2000)


def test_a_number_is_safe_only_if_all_smaller_ones_tested_are():
    curve = frontier({"it": (-0.01, -0.06, -0.03, -0.02)})
    assert cautious(curve, -0.05) == 10
    assert cautious(curve.sample(frac=1.0, random_state=1), -0.05) == 10
    assert cautious(curve, -0.06) == 2000
    assert cautious(curve, -0.009) == 0
    assert cautious(curve.assign(delta_low=np.nan), -0.05) == 0  # too few plays for an end


def test_nothing_is_safe_for_any_number():
    (first, *_) = asked({"open": (-0.6, -0.7, -0.8, -0.9)}, options({"open": 0.1}))
    assert (first["submissions"], first["enough"]) == (0, False)


def test_leaderboards_that_are_not_attacked_are_left_out():
    assert asked(given=options(status=NOT_ATTACKED)) == []
    given = [*options({"open": 0.1}, NOT_ATTACKED), *options({"strict": 0.3})]
    assert {a["setting"] for a in asked(given=given)} == {"strict"}


def test_it_is_at_most_the_cautious_limit():
    curve = dryrun_frames.frontier(threats=("modeller",))
    limits = safe_submissions(curve, [-0.05, -0.15]).astype({"setting": str})
    for row in limits.itertuples():
        own = cautious(curve[(curve["setting"] == row.setting).to_numpy(bool)], row.threshold)
        below = [n for n in (0, *dryrun_frames.GRID) if n <= row.ci_low]
        assert own == below[-1]
