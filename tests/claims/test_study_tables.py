"""Which rows a claim means."""

import numpy as np
import pandas as pd
import pytest

from shakedown.claims.study_tables import NotAnswered, Tables
from shakedown.component import parameter
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import Mechanism
from tests.claims.studies import outcomes, study, write


class Tilted(Mechanism):
    label = "Tilted"
    tilt: float = parameter(description="How tilted.", symbol="τ")


TILTED = f"{__name__}.Tilted"
SETTINGS = [
    "full_disclosure",
    "ladder(alpha=0.01)",
    "ladder(alpha=0.15)",
    "ladderboot(alpha=0.15,b=10)",
    f"{TILTED}(tilt=2)",
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Two points and two replicates of each setting; delta counts the cells from 0."""
    cells = [(setting, point) for setting in SETTINGS for point in (1, 5)]
    frame = pd.concat(
        [
            outcomes(setting=setting, point=point, replicate=[1, 0], delta=[cell + 0.5, cell],
                     submissions=[10 * point, 10 * point - 1])
            for cell, (setting, point) in enumerate(cells)
        ]
    )  # fmt: skip
    releases = pd.DataFrame(
        {
            "prediction": ["b", "a", "c"] * 2,
            "b": 10,
            "draw": 0,
            "replicate": [0, 0, 0, 1, 1, 1],
            "quality": [2.0, 3.0, 1.0] * 2,
            "released": range(6),
        }
    )
    folder = tmp_path_factory.mktemp("tables")
    shuffled = frame.sample(frac=1, random_state=1)
    files = write(
        folder, e=shuffled, uneven=shuffled.iloc[1:], empty=frame[:0],
        repeated=frame.assign(replicate=0),
    )  # fmt: skip
    return Tables(outcomes=files, release_variability=write(folder, r=releases))


def delta(tables, over=(), **where):
    return study(tables).outcomes("e", **where).each("delta", over)


def test_a_setting_is_named_by_its_id_or_by_what_it_is_made_of(tables):
    assert delta(tables, setting="ladder(alpha=0.15)", point=1).values.tolist() == [4.0, 4.5]
    assert delta(tables, mechanism="ladder", alpha=0.15, point=5).values.tolist() == [5.0, 5.5]
    assert delta(tables, mechanism=TILTED, tilt=2, point=1).values.tolist() == [8.0, 8.5]
    assert delta(tables, alpha=0.15, b=None, point=1).values.tolist() == [4.0, 4.5]


def test_lists_and_over_make_axes(tables):
    x = delta(tables, over="alpha", mechanism="ladder", point=[5, 1])
    assert x.dims == ("point", "alpha", "replicate")
    assert x["point"].values.tolist() == [5, 1]
    assert x["alpha"].values.tolist() == [0.01, 0.15]
    assert x.isel(replicate=0).values.tolist() == [[3.0, 5.0], [2.0, 4.0]]
    named = delta(tables, over="mechanism", alpha=0.15, point=1)
    assert sorted(named["mechanism"].values) == ["ladder", "ladderboot"]


def test_last_is_the_largest_number_at_each_point_of_the_grid(tables):
    x = delta(tables, over="alpha", mechanism="ladder", point="last")
    assert x.isel(replicate=0).values.tolist() == [3.0, 5.0]


def test_submissions_are_the_most_that_a_replicate_made(tables):
    x = delta(tables, mechanism="full_disclosure", submissions=[10, 50])
    assert x.isel(replicate=0).values.tolist() == [0.0, 1.0]


def test_predictions_go_from_the_worst_to_the_best(tables):
    x = study(tables).release_variability("r", b=10, draw=0).each("released", over="prediction")
    assert list(x["prediction"].values) == ["a", "b", "c"]
    assert np.array_equal(x, [[1, 4], [0, 3], [2, 5]])


@pytest.mark.parametrize("id", ["uneven", "repeated"])
def test_settings_need_the_same_replicates(tables, id):
    with pytest.raises(NotAnswered, match=f"settings of .*'{id}' do not have the same replicates"):
        study(tables).outcomes(id, mechanism="ladder").each("delta")


def test_the_table_of_another_version_is_refused(tables, tmp_path):
    old = pd.read_parquet(tables.outcomes["e"]).rename(columns={"iteration_board": "board"})
    old.to_parquet(tmp_path / "old.parquet")
    with pytest.raises(InputError, match=r"old.parquet has no column iteration_board, .* again\."):
        Tables({"e": tmp_path / "old.parquet"}).table("outcomes", "e")


def test_says_that_a_table_is_empty(tables):
    with pytest.raises(
        NotAnswered, match="the table of outcomes of experiment 'empty' has no rows"
    ):
        study(tables).outcomes("empty").each("delta")


def test_says_that_an_axis_has_no_values(tables):
    with pytest.raises(NotAnswered, match="has no b with mechanism = ladder"):
        delta(tables, over="b", mechanism="ladder", point=1)
