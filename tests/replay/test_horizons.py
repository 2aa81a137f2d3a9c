"""Logs of challenges that predict events up to horizons."""

import numpy as np
import pandas as pd
import pytest

from shakedown import replay_log
from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.replay.log import load, save
from tests.reference import survival as literal
from tests.replay.logs import read_log
from tests.replay.test_censored import table

HORIZONS = [0.3, 1.0]


def truth(frame):
    return frame.drop(columns=["s1", "s2", "s3", "s4"])


@pytest.fixture
def folder(tmp_path):
    """Files of four submissions, with a column of probabilities for each horizon."""
    frame = table()
    (tmp_path / "files").mkdir()
    for k in range(1, 5):
        risk = np.exp(frame[f"s{k}"].astype(float) / 2.0)
        columns = {name: 1.0 - np.exp(-risk * float(name)) for name in ("0.3", "1")}
        pd.DataFrame({"id": frame["id"], **columns}).to_csv(
            tmp_path / "files" / f"s{k}.csv", index=False
        )
    return tmp_path / "files"


def read(tmp_path, folder, **given):
    options = {"event": "died", "horizons": HORIZONS, "metric": "integrated_brier"}
    return read_log(
        tmp_path, truth(table()), **options | {"folder": folder and str(folder)} | given
    )


def test_files_are_scored_by_the_definition(tmp_path, folder):
    """If all rows are public or private, G comes from the rows that are scored, nearly."""
    frame = truth(table())
    log = read(tmp_path, folder)
    assert log.structure.cells.names == ("0.3", "1")
    np.testing.assert_array_equal(np.unique(log.truth), [0.0, 1.0])
    y = np.where(frame["died"] == 1, 1.0, -1.0) * frame["truth"].astype(float)
    everything = np.full(len(log.truth), True)
    metric = log.structure.on(find("integrated_brier"), everything)
    for k, name in enumerate(log.submissions["submission"]):
        sent = pd.read_csv(folder / f"{name}.csv")
        want = literal.integrated_brier(y, HORIZONS, sent[["0.3", "1"]].to_numpy().T)
        got = metric.score(log.truth, log.predictions[k : k + 1])[0]
        assert got == pytest.approx(want, rel=1e-12)
    save(log, tmp_path / "log.npz")
    again = load(tmp_path / "log.npz")
    np.testing.assert_array_equal(again.structure.weights, log.structure.weights)
    np.testing.assert_array_equal(again.structure.cells.rows, log.structure.cells.rows)


def test_a_replay_ranks_by_it_and_scores_each_horizon_with_its_weights(folder):
    replay = replay_log(
        truth(table()), public="set", metric="integrated_brier", event="died", horizons=HORIZONS,
        folder=folder, mechanisms=[{"name": "full_disclosure"}], boards=["per_team"],
    )  # fmt: skip
    seen = replay.tables["seen"].sort_values("order")
    log = replay.log
    responses, w = log.structure.cells.responses, log.structure.weights
    losses = (log.predictions - log.truth) ** 2
    np.testing.assert_allclose(
        seen["score_private"],
        [np.average(row[~log.public], weights=w[~log.public]) for row in losses],
    )
    by = replay.tables["by_response"]
    best = log.submissions["submission"].tolist().index(by["submission"].iloc[0])
    for k in range(2):
        own = ~log.public & (responses == k)
        want = np.average(losses[best, own], weights=w[own])
        assert by["score_private"].iloc[k] == pytest.approx(want)
    assert by["response"].tolist() == ["0.3", "1"]
    assert "horizon left out" in " ".join(log.messages["done"])


def test_one_horizon_will_do(tmp_path, folder):
    log = read(tmp_path, folder, horizons=[1.0])
    assert log.structure.cells.names == ("1",)
    assert len(log.predictions) == 4


def test_a_file_that_is_no_probability_is_not_played(tmp_path, folder):
    sent = pd.read_csv(folder / "s2.csv")
    sent.assign(**{"1": sent["1"] * 2.0}).to_csv(folder / "s2.csv", index=False)
    log = read(tmp_path, folder)
    assert len(log.predictions) == 3
    assert "wanted probabilities from 0 to 1, got 1." in " ".join(log.messages["done"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"folder": None}, r"each \(0.3, 1\); got no `folder`. Name the folder"),
        ({"event": None}, "horizons are set without an event"),
        ({"horizons": None}, "at time points, and the log has none. Name the column of events"),
        ({"horizons": [1, 0.3]}, "wanted rising times above 0"),
        ({"metric": "brier"}, "'brier': the log cuts censored times at 'horizons', where cells"),
        ({"metric": "c_index"}, "or leave out 'horizons'"),
        ({"weight": "died"}, "horizons and weight are both set"),
        ({"horizons": [0.3, 99]}, "horizon 99: wanted public rows with an event up to it and pub"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, folder, given, message):
    with pytest.raises((InputError, ValueError), match=message):
        read(tmp_path, **{"folder": folder} | given)
