"""Censored times: read from a table, refused, split, permuted, and as risk scores."""

import numpy as np
import pandas as pd
import pytest

from shakedown import data
from shakedown.data.censored import check_metric, numbers_of, risk_score, shuffled_times
from shakedown.data.drawing import strata_of
from shakedown.data.splits import Splitter
from shakedown.data.store import load, save
from shakedown.data.weights import on_table
from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.simulation.replicate import Experiment, play
from tests.near import assert_equal_challenges

C = find("c_index")


def frame(rows=120, seed=1, share=0.5):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.standard_normal((rows, 3)), columns=["a", "b", "c"])
    table["months"] = (rng.exponential(size=rows) * np.exp(-table["a"])).round(2) + 0.5
    table["died"] = (rng.random(rows) < share).astype(int)
    table["patient"] = [f"P{i // 3}" for i in range(rows)]
    return table


def read(tmp_path, table, **options):
    table.to_csv(tmp_path / "t.csv", index=False)
    given = {
        "recipe": "table",
        "path": str(tmp_path / "t.csv"),
        "response": "months",
        "event": "died",
        "ignore": ["patient"],
    }
    return data.read("mine", given | options, seed=1)


def signed(table):
    return np.where(table["died"] == 1, table["months"], -table["months"])


def test_times_are_signed_by_their_events_which_are_no_feature(tmp_path):
    table = frame()
    mine = read(tmp_path, table)
    assert mine.censored
    assert mine.features.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(mine.y, signed(table))
    events = int(table["died"].sum())
    assert f"By 'died', {events} rows of 120 have an event; the others are censored." in mine.notes
    save(mine, tmp_path / "t.npz")
    assert_equal_challenges(load(tmp_path / "t.npz"), mine)
    without = read(tmp_path, table.drop(columns="died"), event=None)
    assert not without.censored
    save(without, tmp_path / "t.npz")
    assert not load(tmp_path / "t.npz").censored


@pytest.mark.parametrize("kind", ["bool", "text", "upper", "float", "parquet"])
def test_events_may_be_words_or_booleans(tmp_path, kind):
    table, options = frame(), {}
    other = table.copy()
    if kind == "parquet":
        other["died"] = other["died"].astype(bool)
        other.to_parquet(tmp_path / "t.parquet")
        options["path"] = str(tmp_path / "t.parquet")
    elif kind == "float":
        other["died"] = other["died"].astype(float)
    else:
        words = {"bool": (False, True), "text": ("false", "true"), "upper": ("FALSE", "TRUE")}[kind]
        other["died"] = [words[event] for event in table["died"]]
    np.testing.assert_array_equal(read(tmp_path, other, **options).y, signed(table))


def test_rows_without_a_time_or_an_event_may_be_dropped(tmp_path):
    table = frame()
    holed = table.assign(died=table["died"].astype(float))
    holed.loc[4, "months"], holed.loc[[7, 9], "died"] = np.nan, np.nan
    mine = read(tmp_path, holed, missing="drop_rows")
    np.testing.assert_array_equal(mine.y, signed(table.drop([4, 7, 9])))
    assert "3 rows without a response dropped." in mine.notes
    with pytest.raises(
        InputError, match="'died' is set as 'event', and has no value in 2 rows: '8', "
    ):
        read(tmp_path, holed, missing="impute_median")


def test_events_may_stand_beside_the_times_in_a_second_table(tmp_path):
    table = frame().assign(id=range(120))
    table[["id", "months", "died"]].iloc[::-1].to_csv(tmp_path / "o.csv", index=False)
    for main in (table.drop(columns=["months", "died"]), table):
        options = {"id": "id", "response_table": str(tmp_path / "o.csv")}
        mine = read(tmp_path, main, **options)
        np.testing.assert_array_equal(mine.y, signed(table))
        assert mine.features.tolist() == ["a", "b", "c"]
    table[["id", "months"]].to_csv(tmp_path / "o.csv", index=False)
    mine = read(tmp_path, table.drop(columns="months"), **options, response=None)
    np.testing.assert_array_equal(mine.y, signed(table))
    with pytest.raises(InputError, match="column 'died'"):
        read(tmp_path, table.drop(columns=["months", "died"]), **options)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            {"died": 2},
            {},
            "'died' is set as 'event', and 1 row cannot be used, first row '8' with 2",
        ),
        (
            {"died": "dead"},
            {},
            "column 'died', row 8: 'dead' is not a number. An event must be 1 or",
        ),
        (
            {"months": 0},
            {},
            "'months' has the times of 'event', and 1 row cannot be used, first row",
        ),
        (
            {"months": -3.5},
            {},
            "first row '8' with -3.5; wanted times above 0. Correct these cells",
        ),
        (
            {},
            {"event": "months"},
            "'months' is set as 'response' and as 'event'; remove one of them",
        ),
        ({}, {"event": "dyed"}, "column 'dyed'.*Did you mean 'died'"),
        (
            {},
            {"response": ["months", "a"]},
            "'died' is set as 'event', and there are 2 responses: ",
        ),
        (
            {},
            {"classes": ["0", "1"]},
            "classes and event are both set; a response has classes or",
        ),
    ],
)
def test_events_and_times_that_cannot_be_used_are_refused(tmp_path, change, options, message):
    table = frame()
    for column, value in change.items():
        table[column] = table[column].astype(object)
        table.loc[7, column] = value
    with pytest.raises(InputError, match=message):
        read(tmp_path, table, **options)


def test_times_of_which_all_are_censored_are_refused(tmp_path):
    with pytest.raises(InputError, match="is 0 in every row: all times are censored, so there is"):
        read(tmp_path, frame().assign(died=0))
    mine = read(tmp_path, frame().assign(died=1))
    assert (mine.y > 0).all()
    assert mine.censored


def test_a_feature_that_gives_times_or_events_away_is_noted(tmp_path):
    table = frame()
    table["a"], table["b"] = 30.4 * table["months"], 1 - table["died"]
    with pytest.warns(UserWarning, match="Possible leak"):
        assert read(tmp_path, table).leaks == ("a", "b")


def test_metrics_of_times_and_events_belong_together(tmp_path):
    mine, plain = read(tmp_path, frame()), read(tmp_path, frame(), event=None)
    for name in ("c_index", "uno_c_index", "iauc", "0.5*c_index + 0.5*iauc"):
        check_metric(find(name), mine)
        with pytest.raises(InputError, match="has no column of events. Name it as 'event'"):
            on_table(find(name), plain)
    for name in ("mse", "kendall", "auroc"):
        with pytest.raises(
            InputError, match=f"'{name}' does not score censored times.*c_index, ia"
        ):
            on_table(find(name), mine)
    settings = {
        "metric": "mse",
        "attack": {"name": "freedman", "largest_model": 1},
        "mechanisms": [{"name": "full_disclosure"}],
    }
    with pytest.raises(InputError, match="experiment 'e': metric 'mse' does not score censored"):
        Experiment("e", settings, mine, "permuted", seed=1)
    outcomes = play(
        Experiment("e", settings | {"metric": "c_index"}, mine, "permuted", seed=1), range(2)
    )
    assert outcomes["score_public"].between(0.0, 1.0).all()


@pytest.mark.parametrize("design", ["permuted", "splits"])
def test_sets_have_signed_times_and_models_their_risk_scores(tmp_path, design):
    mine = read(tmp_path, frame())
    splitter = Splitter(mine, design, seed=1, metric=C)
    for replicate in range(5):
        split = splitter.split(replicate)
        view = split.view
        parts = view.times, split.y_public, split.y_final
        # Each time keeps its event, whatever row it goes to.
        np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.sort(mine.y))
        np.testing.assert_array_equal(view.y_train, risk_score(view.times))
        assert view.y_train.mean() == pytest.approx(0.0, abs=1e-12)
        assert view.y_train.std(ddof=1) == pytest.approx(1.0)
    if design == "permuted":
        again = splitter.split(0)
        for own, other in ((again.y_public, split.y_public), (again.y_final, split.y_final)):
            np.testing.assert_array_equal(np.sort(own), np.sort(other))
            assert (own != other).any()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.97])
def test_random_sets_have_events_in_about_the_same_share(tmp_path, share):
    mine = read(tmp_path, frame(share=share))
    wanted = np.mean(mine.y > 0)
    for sizes in (None, (60, 20, 30)):
        splitter = Splitter(mine, "splits", seed=1, metric=C, sizes=sizes)
        shares = []
        for replicate in range(20):
            split = splitter.split(replicate)
            parts = split.view.times, split.y_public, split.y_final
            assert tuple(map(len, parts)) == (sizes or (40, 40, 40))
            for part in parts:
                assert abs(np.sum(part > 0) - wanted * len(part)) <= 2.0
            shares.append(np.sort(split.y_public))
        assert len({tuple(part) for part in shares}) > 15


def test_a_set_without_a_pair_of_known_order_is_refused(tmp_path):
    table = frame().assign(set=np.repeat(["train", "public", "final"], 40))
    table.loc[40:79, "died"] = 0
    mine = read(tmp_path, table, split="set")
    with pytest.raises(
        InputError, match="public set: wanted an event before the end of another row"
    ):
        Splitter(mine, "permuted", seed=1).split(0)
    table.loc[table["months"][40:80].idxmax(), "died"] = 1  # the last one
    mine = read(tmp_path, table, split="set")
    with pytest.raises(
        InputError, match="got 1 event in 40 rows, so no file has a score. Give more row"
    ):
        Splitter(mine, "permuted", seed=1).split(0)


def test_rows_of_a_group_stay_in_a_set_and_mostly_alike(tmp_path):
    table = frame()
    table["months"] = np.repeat(table["months"][::3].to_numpy(), 3)
    table["died"] = np.repeat(table["died"][::3].to_numpy(), 3)
    mine = read(tmp_path, table, group="patient", ignore=[])
    assert strata_of(mine, C) is None
    for design in ("permuted", "splits"):
        split = Splitter(mine, design, seed=1).split(0)
        codes = split.view.groups[0]
        for group in range(codes.max() + 1):  # of three rows each, so whole groups change places
            assert np.ptp(split.view.times[codes == group]) == 0.0
    y, codes = np.arange(1.0, 8.0) * [1, 1, -1, -1, 1, -1, 1], np.array([0, 0, 0, 1, 1, 2, 3])
    moved = [shuffled_times(y, codes, np.random.default_rng(seed)) for seed in range(300)]
    assert all(sorted(values) == sorted(y) for values in moved)
    # Each row gets each time about equally often: 300/7, with a standard deviation of 6.1.
    counts = np.array([[np.sum(np.array(moved)[:, i] == value) for value in y] for i in range(7)])
    assert np.abs(counts - 300 / 7).max() < 4 * 6.1


def test_risk_scores_are_martingale_residuals():
    """Of 5 rows, events at 1, 2 and 2, and one censored at 1.5: hazards of 1/5 and 2/3."""
    y = np.array([2.0, -1.5, 1.0, 2.0, -3.0])
    residuals = np.array([1 - 0.2 - 2 / 3, -0.2, 1 - 0.2, 1 - 0.2 - 2 / 3, -0.2 - 2 / 3])
    want = (residuals - residuals.mean()) / residuals.std(ddof=1)
    np.testing.assert_allclose(risk_score(y), want, atol=1e-12)
    assert residuals.sum() == pytest.approx(0.0, abs=1e-12)


def test_risk_scores_order_all_pairs_right():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        times = rng.integers(1, rng.choice([5, 1000]), 60).astype(float)
        y = np.where(rng.random(60) < 0.4, times, -times)
        for name in ("c_index", "uno_c_index", "iauc"):
            assert find(name).score(y, risk_score(y)[None])[0] == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_array_equal(numbers_of(C, y), risk_score(y))
        assert numbers_of(find("mse"), y) is y
