"""What the submissions of a log can have learnt at most: closed forms, and what is not known."""

import numpy as np
import pandas as pd
import pytest

from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.replay import learnt as module
from shakedown.replay.learnt import LEARNT, REASONS, learnt
from tests.replay import frames

LOG = frames.log()  # 60 files of 12 teams, 120 public rows
N = 120


def of(*settings, log=LOG, metric="mse", boards="per_team"):
    table = learnt(log, find(metric), pd.DataFrame({"setting": settings, "boards": boards}))
    assert list(table.columns) == LEARNT
    return table


def whole(setting, **more):
    table = of(setting, **more)
    (row,) = table[table["team"].isna()].to_dict("records")
    return row


def variance():
    return LOG.truth[LOG.public].var(ddof=1)


def test_exact_scores_are_worth_as_much_as_there_are_independent_files():
    row = whole("full_disclosure")
    assert (row["submissions"], row["independent"], row["degrees"]) == (60, 60, 60.0)
    assert row["follows_from"] == "files"
    assert row["gain"] == pytest.approx(variance() * 61 / N)
    teams = of("full_disclosure").dropna(subset="team")
    assert list(teams["team"]) == list(dict.fromkeys(LOG.submissions["team"]))
    assert teams["submissions"].sum() == 60
    assert (teams["degrees"] == teams["submissions"]).all()


def test_files_that_are_combinations_of_others_add_nothing():
    log = frames.log()
    log.predictions[1:] = log.predictions[0] * np.linspace(0.1, 3, 59)[:, None] + 2.0
    assert whole("full_disclosure", log=log)["degrees"] == 1.0
    assert whole("full_disclosure", log=log, metric="pearson")["degrees"] == 1.0


@pytest.mark.parametrize("metric", ["mse", "pearson", "ccc"])
def test_noise_is_worth_the_degrees_of_a_ridge_regression(metric):
    """Slopes of the scores, as formulas have them for a known mean and length of the response."""
    y = LOG.truth[LOG.public]
    centred = y - y.mean()
    files = LOG.predictions[:, LOG.public]
    files = files - files.mean(axis=1, keepdims=True)
    length, lengths = np.sqrt((centred**2).sum()), np.sqrt((files**2).sum(axis=1))[:, None]
    if metric == "mse":
        slopes = 2.0 * files / N
    elif metric == "pearson":
        slopes = files / (length * lengths)
    else:
        shift = N * (LOG.predictions[:, LOG.public].mean(axis=1, keepdims=True) - y.mean()) ** 2
        slopes = 2.0 * files / (length**2 + lengths**2 + shift)
    gram = variance() * slopes @ slopes.T / 0.2**2
    row = whole("gaussian_noise(sd=0.2)", metric=metric)
    wanted = np.trace(gram @ np.linalg.inv(np.eye(60) + gram))
    assert row["degrees"] == pytest.approx(wanted)
    assert row["follows_from"] == "noise"
    gain = variance() * (wanted + 1) / N if metric == "mse" else np.sqrt((wanted + 1) / (N - 1))
    assert row["gain"] == pytest.approx(gain)


def test_a_paired_test_tells_which_files_were_accepted_too():
    row = whole("ladder(alpha=0.15)")
    left = N - 1 - 60
    assert row["degrees"] == pytest.approx(60 + left * (1 - 4.0 ** (-60 / left)))
    assert row["follows_from"] == "acceptance"


def test_a_board_that_can_show_few_things_is_worth_no_more_than_these():
    coarse = f"general_ladder(eta={variance() / 2:.3f})+baseline"
    table = of(coarse)
    few = table[table["submissions"] > 6].dropna(subset="team").iloc[0]
    k = few["submissions"]
    assert few["follows_from"] == "count"
    # From the start two levels down: sequences of k levels that never rise.
    nats = np.log((k + 1) * (k + 2) / 2)
    assert few["degrees"] == pytest.approx(N * (1 - np.exp(-2 * nats / N)))
    assert few["degrees"] < k
    row = table[table["team"].isna()].iloc[0]
    assert row["degrees"] < 60


@pytest.mark.parametrize("board", ["constant_board", "constant_board+baseline"])
def test_a_board_that_shows_nothing_teaches_nothing(board):
    row = whole(board)
    assert (row["degrees"], row["gain"]) == (0.0, 0.0)


def test_nothing_is_said_where_nothing_is_proved():
    row = whole("ladderboot(alpha=0.15,b=10)")
    assert row["independent"] == 60
    assert pd.isna(row["degrees"])
    assert pd.isna(row["gain"])
    assert pd.isna(row["follows_from"])
    for metric in ("spearman", "rmse"):
        table = of("full_disclosure", metric=metric)
        assert table[["independent", "degrees", "gain", "follows_from"]].isna().all(axis=None)
        assert table["submissions"].tolist()[-1] == 60


def test_boards_for_ranks_have_no_rows():
    assert of("full_disclosure", boards="per_rank").empty
    with pytest.raises(InputError, match="the table standings: wanted rows"):
        learnt(LOG, find("mse"), pd.DataFrame({"setting": ["full_disclosure"]}))


def test_what_is_too_large_is_bounded_by_the_sums_of_the_teams(monkeypatch):
    noise = "gaussian_noise(sd=0.2)"
    exact = {board: of(board) for board in ("full_disclosure", noise)}
    monkeypatch.setattr(module, "MOST", 10)
    for board, before in exact.items():
        after = of(board)
        assert (after["degrees"] >= before["degrees"] - 1e-9).all()
        teams = after.dropna(subset="team")
        assert after["degrees"].iloc[-1] == pytest.approx(min(teams["degrees"].sum(), N - 1))


def test_every_reason_is_in_words():
    table = of("full_disclosure", "ladder(alpha=0.15)", "gaussian_noise(sd=0.2)", "constant_board")
    assert set(table["follows_from"]) <= set(REASONS)


def test_levels_of_a_correlation_reach_from_nothing_to_one():
    table = of("general_ladder(eta=0.5)+baseline", metric="pearson").dropna(subset="team")
    few = table[table["submissions"] > 6].iloc[0]
    k = few["submissions"]
    nats = np.log((k + 1) * (k + 2) / 2)  # two levels
    assert few["degrees"] == pytest.approx(N * (1 - np.exp(-2 * nats / N)))
