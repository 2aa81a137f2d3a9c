"""Censored times that are cut at horizons: read, refused, split, shuffled and kept."""

import numpy as np
import pandas as pd
import pytest

from shakedown import data
from shakedown.data.drawing import check_classes
from shakedown.data.horizons import cut, names_of, shares
from shakedown.data.several import shuffled
from shakedown.data.splits import Splitter
from shakedown.data.store import load, save
from shakedown.data.weights import on_table
from shakedown.dryrun.thresholds import unit
from shakedown.interface import Cells, InputError
from shakedown.metrics import find
from tests.data.test_censored import frame, signed
from tests.near import assert_equal_challenges

METRIC = find("integrated_brier")
HORIZONS = [0.75, 1.0, 2.0]


def read(tmp_path, table, **options):
    table.to_csv(tmp_path / "t.csv", index=False)
    given = {
        "recipe": "table",
        "path": str(tmp_path / "t.csv"),
        "response": "months",
        "event": "died",
        "horizons": HORIZONS,
        "ignore": ["patient"],
    }
    return data.read("mine", given | options, seed=1)


def labels_of(mine):
    """The labels of a challenge, whose centred ones are the larger where there is an event."""
    return np.array(
        [mine.y[i] > 0 for i in range(len(mine.y))], float
    )  # a mean of labels 0 and 1 lies between them


def test_each_known_cell_is_a_response_with_the_features_of_its_row(tmp_path):
    table = frame()
    mine = read(tmp_path, table)
    made = cut(signed(table), HORIZONS)
    rows, responses = np.nonzero(~np.isnan(made.labels).T)
    assert mine.cells.names == ("0.75", "1", "2")
    np.testing.assert_array_equal(mine.cells.responses, responses)
    np.testing.assert_array_equal(mine.rows, (rows + 1).astype(str))
    np.testing.assert_array_equal(mine.weights, made.weights[responses, rows])
    np.testing.assert_array_equal(mine.X, table[["a", "b", "c"]].to_numpy()[rows])
    np.testing.assert_array_equal(labels_of(mine), made.labels[responses, rows])
    np.testing.assert_array_equal(mine.group.codes, mine.cells.rows)
    assert mine.horizons == (0.75, 1.0, 2.0)
    assert not mine.censored
    lost = int(np.isnan(made.labels).all(axis=0).sum())
    assert f"{lost} rows censored up to the first horizon left out." in mine.notes
    assert any("at the horizons '0.75', '1', '2': " in note for note in mine.notes)
    save(mine, tmp_path / "t.npz")
    assert_equal_challenges(load(tmp_path / "t.npz"), mine)


def test_the_file_of_kaplan_and_meiers_probabilities_scores_the_unit(tmp_path):
    """It is 0 in every cell, and its score on labels is that of the plain table."""
    table = frame()
    mine = read(tmp_path, table)
    metric = on_table(METRIC, mine)
    score = metric.score(mine.y, np.zeros((1, len(mine.y))))[0]
    assert unit(mine, METRIC) == pytest.approx(score, rel=1e-12)
    made = cut(signed(table), HORIZONS)
    total = 0.0
    for labels, weights in zip(made.labels, made.weights, strict=True):
        share = weights[labels == 1.0].sum() / weights.sum()
        total += weights.sum() * share * (1.0 - share)
    assert score == pytest.approx(total / len(table), rel=1e-12)


@pytest.mark.parametrize("horizons", [HORIZONS, [1.0]])
@pytest.mark.parametrize("design", ["permuted", "splits"])
def test_sets_have_one_scale_and_no_row_is_in_two(tmp_path, design, horizons):
    mine = read(tmp_path, frame(rows=240), horizons=horizons)
    check_classes(METRIC, mine)
    for replicate in range(5):
        split = Splitter(mine, design, seed=1, metric=METRIC).split(replicate)
        sets = (split.view.y_train, split.y_public, split.y_final)
        for k, (y, name) in enumerate(zip(sets, ("train", "public", "final"), strict=True)):
            metric = split.on(METRIC, name)
            scores = metric.score(y, np.array([np.zeros(len(y)), y]))
            assert scores.tolist() == pytest.approx([1.0, 0.0], abs=1e-12)
            cells, w = split.view.cells[k], split.view.weights[k]
            steps = set()
            for h in range(len(horizons)):
                own = cells.responses == h
                assert np.average(y[own], weights=w[own]) == pytest.approx(0.0, abs=1e-12)
                steps.add(round(float(np.ptp(y[own])), 9))
            assert len(steps) == 1  # a label of 1 less one of 0 is as much at each horizon
            codes = split.view.groups[k]
            np.testing.assert_array_equal(codes, cells.rows)


def test_shuffled_labels_take_their_weights_with_them(tmp_path):
    """So the weighted share of events stays that of Kaplan and Meier."""
    mine = read(tmp_path, frame(rows=240))
    splitter = Splitter(mine, "permuted", seed=1, metric=METRIC)
    one, other = splitter.split(0), splitter.split(1)
    for k, (y, again) in enumerate(
        ((one.y_public, other.y_public), (one.y_final, other.y_final)), 1
    ):
        cells = one.view.cells[k]
        assert (y != again).any()
        for h in range(len(HORIZONS)):
            pairs = [
                sorted(zip(np.sign(part), split.view.weights[k][own], strict=True))
                for own in [cells.responses == h]
                for part, split in ((y[own], one), (again[own], other))
            ]
            assert pairs[0] == pairs[1]


def test_a_shuffled_row_keeps_its_outcomes_together():
    """Events stay events at later horizons wherever all cells of both rows are known."""
    mine_rows = 60
    cells = Cells(("1", "2"), np.tile([0, 1], mine_rows), np.repeat(np.arange(mine_rows), 2))
    times = np.arange(2 * mine_rows, dtype=float)
    moved = shuffled(times, cells, cells.rows, np.random.default_rng(1))
    np.testing.assert_array_equal(moved[1::2], moved[::2] + 1.0)


@pytest.mark.parametrize("design", ["permuted", "splits"])
def test_rows_of_a_patient_stay_together(tmp_path, design):
    mine = read(tmp_path, frame(rows=240), group="patient", ignore=[])
    split = Splitter(mine, design, seed=1, metric=METRIC).split(0)
    for k, y in enumerate((split.view.y_train, split.y_public, split.y_final)):
        codes, cells = split.view.groups[k], split.view.cells[k]
        assert codes.max() < cells.rows.max()
        score = split.on(METRIC, ("train", "public", "final")[k]).score(y, y[None])
        assert score[0] == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"event": None}, "horizons are set without an event; name the column of events"),
        ({"horizons": [2, 1]}, r"wanted rising times above 0, such as \[12, 24, 36\]; got \[2, 1"),
        ({"horizons": [1, 1]}, "wanted rising times"),
        ({"horizons": [0, 1]}, "wanted rising times"),
        ({"horizons": []}, "wanted rising times"),
        ({"horizons": [1, float("inf")]}, "must be a number; got inf"),
        ({"weight": "a"}, "horizons and weight are both set; at horizons rows have weights"),
        ({"horizons": [0.1, 1]}, "horizon 0.1: wanted rows with an event up to it and .*; got 0 "),
        ({"horizons": [1, 99]}, "horizon 99: .* observed beyond it; got [0-9]+ and 0. Choose"),
    ],
)
def test_horizons_that_cannot_be_used_are_refused(tmp_path, options, message):
    with pytest.raises((InputError, ValueError), match=message):
        read(tmp_path, frame(), **options)


def test_a_set_without_both_outcomes_at_a_horizon_is_refused(tmp_path):
    table = frame(rows=90).assign(set=np.repeat(["train", "public", "final"], 30))
    table.loc[30:59, "months"] = 3.0
    mine = read(tmp_path, table, split="set")
    with pytest.raises(InputError, match="public set: the response '0.75' has no event in all of"):
        Splitter(mine, "permuted", seed=1, metric=METRIC).split(0)


def test_names_and_shares():
    assert names_of([12, 24.0, 0.5]) == ("12", "24", "0.5")
    np.testing.assert_allclose(shares([12]), [1.0])
    np.testing.assert_allclose(shares([12, 24]), [0.5, 0.5])
    np.testing.assert_allclose(shares([0, 1, 4]), [1 / 8, 4 / 8, 3 / 8])


def test_times_may_stand_in_a_second_table(tmp_path):
    table = frame().assign(id=[f"r{i}" for i in range(120)])
    table[["id", "months", "died"]].iloc[::-1].to_csv(tmp_path / "o.csv", index=False)
    options = {"id": "id", "response_table": str(tmp_path / "o.csv")}
    mine = read(tmp_path, table.drop(columns=["months", "died"]), **options)
    whole = read(tmp_path, table, id="id")
    np.testing.assert_array_equal(mine.y, whole.y)
    np.testing.assert_array_equal(mine.weights, whole.weights)


def test_a_frame_without_censoring_has_equal_weights(tmp_path):
    mine = read(tmp_path, pd.DataFrame(frame()).assign(died=1), horizons=[1.0])
    assert np.ptp(mine.weights) == 0.0
