"""Tables that do not hold what was asked for, or do not agree with themselves, are refused."""

import numpy as np
import pandas as pd
import pytest

from shakedown.interface import Challenge, InputError
from shakedown.simulation import outcomes
from shakedown.simulation.replicate import Experiment, play
from shakedown.simulation.result_checks import checked_parts

WANTED = {"datasets": ["toy"], "designs": ["permuted", "splits"], "metric": "mse", "replicates": 3}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    names = np.array(["a", "b", "c"])
    challenge = Challenge(
        "toy", rng.standard_normal((36, 3)), rng.standard_normal(36), np.arange(36), names
    )
    settings = {
        "metric": "mse",
        "attack": {"name": "freedman", "largest_model": 2},
        "mechanisms": [{"name": "full_disclosure"}, {"name": "ladder", "alpha": [0.1, 0.5]}],
    }
    return outcomes.typed(
        pd.concat(
            play(Experiment("exp", settings, challenge, design, seed=1), range(3))
            for design in ("permuted", "splits")
        )
    )


def checked(frame, folder, **wanted):
    """What was found in each part of a table."""
    path = folder / "outcomes.parquet"
    outcomes.write(frame, path)
    parts = checked_parts(path, experiment="exp", **WANTED | wanted)
    return pd.DataFrame([row for _, row in parts])


def test_every_row_comes_once(frame, tmp_path):
    outcomes.write(frame, tmp_path / "t.parquet")
    parts = checked_parts(tmp_path / "t.parquet", experiment="exp", **WANTED)
    again = pd.concat([part for part, _ in parts], ignore_index=True)
    pd.testing.assert_frame_equal(again.astype(object), frame.reset_index(drop=True).astype(object))


def test_says_what_was_found(frame, tmp_path):
    table = checked(frame, tmp_path)
    assert table.to_dict("list") == {
        "experiment": ["exp", "exp"],
        "dataset": ["toy", "toy"],
        "design": ["permuted", "splits"],
        "mechanisms": [3, 3],
        "groups": [6, 6],  # 3 mechanisms x models of 1 and 2 features
        "replicates": [3, 3],
        "rows": [18, 18],
    }


def test_budgets_are_no_mechanisms_of_their_own(frame, tmp_path):
    small = frame.assign(n_features=2)
    table = checked(pd.concat([small, frame], ignore_index=True), tmp_path)
    assert table["mechanisms"].tolist() == [3, 3]
    assert table["groups"].tolist() == [12, 12]


def test_refuses_a_replicate_that_is_missing(frame, tmp_path):
    with pytest.raises(InputError, match=r"wanted each of the replicates 0 to 2 once .* 6 of 6"):
        checked(frame[frame["replicate"] != 1], tmp_path)


def test_refuses_a_replicate_that_is_there_twice(frame, tmp_path):
    twice = frame.assign(replicate=frame["replicate"].replace(1, 0))
    with pytest.raises(InputError, match="3 rows of 2 replicates, 0 to 2"):
        checked(twice, tmp_path)


def test_refuses_replicates_that_were_not_asked_for(frame, tmp_path):
    with pytest.raises(InputError, match="wanted each of the replicates 0 to 1 once"):
        checked(frame, tmp_path, replicates=2)


def test_refuses_a_design_that_is_missing(frame, tmp_path):
    only = frame[frame["design"] == "permuted"]
    with pytest.raises(InputError, match="toy, splits: no rows"):
        checked(only, tmp_path)


def test_refuses_a_design_that_was_not_asked_for(frame, tmp_path):
    with pytest.raises(InputError, match="18 of 36 rows are of other data sets or designs"):
        checked(frame, tmp_path, designs=["permuted"])


def test_refuses_a_delta_with_the_other_sign(frame, tmp_path):
    with pytest.raises(InputError, match="values of delta are not the difference of their scores"):
        checked(frame.assign(delta=-frame["delta"]), tmp_path)
    with pytest.raises(InputError, match="values of delta are not"):
        checked(frame, tmp_path, metric="pearson")


def test_refuses_a_value_out_of_range(frame, tmp_path):
    with pytest.raises(InputError, match="column 'point' has .* below 1"):
        checked(frame.assign(point=frame["point"] - 1), tmp_path)
