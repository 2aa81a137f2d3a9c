"""Running boards of the integrated Brier score."""

import numpy as np
import pandas as pd
import pytest
import yaml

from shakedown.cli import main
from shakedown.data.horizons import cut
from shakedown.interface import InputError
from shakedown.live.export import export
from shakedown.live.live_board import LiveBoard
from shakedown.live.submission_file import Refused
from shakedown.live.truth import Truth
from shakedown.replay.reading import read
from shakedown.replay.settings import ReplayEntry
from tests.live.test_names_and_times import PUBLIC, ROWS, board, times, truth_of

HORIZONS = [0.3, 1.0]
GIVEN = {"event": "died", "horizons": HORIZONS}


def signed():
    return np.where(times()["died"], 1.0, -1.0) * times()["truth"]


def file(seed=2):
    """Probabilities at both horizons, shape (n, 2)."""
    return np.random.default_rng(seed).random((ROWS, 2))


def score(predictions, rows):
    """The weighted Brier score of some rows, with weights from all of them."""
    made = cut(signed().to_numpy(), HORIZONS)
    known, losses = ~np.isnan(made.labels[:, rows]), (predictions.T - made.labels)[:, rows] ** 2
    return np.average(losses[known], weights=made.weights[:, rows][known])


def test_a_truth_keeps_its_times_and_horizons(tmp_path):
    truth = truth_of(tmp_path, times(), **GIVEN)
    assert (truth.responses, truth.censored) == (("0.3", "1"), False)
    np.testing.assert_array_equal(truth.values, cut(signed().to_numpy(), HORIZONS).labels.T)
    again = Truth.stored(truth.content)
    assert again.content == truth.content
    assert again.horizons == truth.horizons
    for public in (True, False):
        for own, other in zip(again.part(public)[:2], truth.part(public)[:2], strict=True):
            np.testing.assert_array_equal(own, other)
        np.testing.assert_array_equal(again.part(public).weights, truth.part(public).weights)


def test_files_are_scored_by_their_weights(tmp_path):
    live = board(tmp_path, truth_of(tmp_path, times(), **GIVEN), "integrated_brier")
    assert live.submit("a", file()).score == pytest.approx(score(file(), slice(PUBLIC)), abs=1e-6)
    again = LiveBoard.open(f"sqlite:///{tmp_path}/board.db")
    assert again.submit("a", file(3)).score == pytest.approx(
        score(file(3), slice(PUBLIC)), abs=1e-6
    )
    table = pd.DataFrame({"id": times()["id"], "0.3": file(4)[:, 0], "1": file(4)[:, 1]})
    sent = again.submit("a", table.to_csv(index=False).encode())
    assert sent.score == pytest.approx(score(file(4), slice(PUBLIC)), abs=1e-6)
    told = again.sentences[0]
    assert "the probability of an event up to the time that its column names" in told
    assert "died" not in " ".join(again.sentences)
    bad = file()
    bad[0, 0] = 1.5
    with pytest.raises(Refused, match="wanted probabilities from 0 to 1, got 1.5"):
        again.submit("a", bad)


def test_an_exported_board_replays_with_the_same_scores(tmp_path, monkeypatch):
    live = board(tmp_path, truth_of(tmp_path, times(), **GIVEN), "integrated_brier")
    for seed in (2, 3, 4):
        live.submit(f"team{seed}", file(seed))
    live.close()
    monkeypatch.chdir(tmp_path)
    export(live, tmp_path / "log")
    config = yaml.safe_load((tmp_path / "log" / "replay.yaml").read_text())
    assert config["replay"]["horizons"] == HORIZONS
    log = read(config["study"], ReplayEntry(**config["replay"]), seed=config["seed"])
    assert len(log.predictions) == 3
    w = log.structure.weights
    for sent in log.submissions.itertuples():
        k = log.submissions["submission"].tolist().index(sent.submission)
        losses = (log.predictions[k] - log.truth) ** 2
        seed = int(sent.team.removeprefix("team"))
        for rows, part in ((log.public, slice(PUBLIC)), (~log.public, slice(PUBLIC, None))):
            found = np.average(losses[rows], weights=w[rows])
            assert found == pytest.approx(score(file(seed), part))


def test_the_command_takes_horizons(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    times().astype({"died": int}).to_csv("times.csv", index=False)
    main([
        "board", "create", "--board", "general_ladder(eta=0.02)", "--metric", "integrated_brier",
        "--truth", "times.csv", "--event", "died", "--horizons", "0.3,1", "--url", "sqlite:///b.db",
    ])  # fmt: skip
    said = capsys.readouterr()
    assert "Integrated Brier score" in said.out
    assert "of rows that were censored before a horizon left out" in said.err
    assert LiveBoard.open("sqlite:///b.db").truth.horizons == (0.3, 1.0)


@pytest.mark.parametrize(
    ("given", "metric", "message"),
    [
        ({"horizons": HORIZONS}, "integrated_brier", "horizons are set without an event"),
        (GIVEN | {"horizons": [1, 0.3]}, "integrated_brier", "wanted rising times above 0"),
        (
            GIVEN | {"horizons": [99]},
            "integrated_brier",
            "'99' wanted two or more different values",
        ),
        ({"event": "died"}, "integrated_brier", "at time points, and the truth has none"),
        (GIVEN, "brier", "the truth cuts censored times at 'horizons'"),
        (GIVEN, "weighted brier", "a running board has no weights of rows"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, given, metric, message):
    with pytest.raises(InputError, match=message):
        board(tmp_path, truth_of(tmp_path, times(), **given), metric)
