"""Who has won: the answer in words, as a record, as a page and at the command."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown.cli import main
from shakedown.data.horizons import cut
from shakedown.interface import InputError

N = 60
RNG = np.random.default_rng(5)
Y = RNG.standard_normal(N)
IDS = [f"r{k}" for k in range(N)]
TRUTH = pd.DataFrame({"id": IDS, "truth": Y, "set": ["public", "final", "final"] * (N // 3)})
FINAL = TRUTH["set"].to_numpy() == "final"


def file_of(error):
    errors = RNG.standard_normal(N)
    return dict(zip(IDS, Y + error * errors / np.sqrt(np.mean(errors[FINAL] ** 2)), strict=True))


FILES = {"bad": file_of(2.0), "one": file_of(0.5), "two": file_of(0.505)}


def asked(files=FILES, truth=TRUTH, **given):
    return shakedown.winner(truth, files, **{"metric": "rmse", "draws": 400} | given)


def test_ties_are_decided_by_the_second_metric_or_shared():
    shared = asked()
    assert shared.sentence == (
        "one and two share the first place. By RMSE on 40 final rows, one and two are tied (K at "
        "most 3), and nothing else decides."
    )
    decided = asked(second="mae")
    (first,) = decided.ranking.winners
    assert decided.sentence.startswith(f"{first} wins. By RMSE on 40 final rows, ")
    assert decided.answer["decided_by"] == "second"
    times = pd.DataFrame({"team": ["two", "one"], "time": ["2026-03-01", "2026-03-01T08:00"]})
    by_time = asked(times=times)
    assert by_time.sentence.startswith("two wins. ")
    assert by_time.sentence.endswith("its file came first.")


def test_only_final_rows_count_and_the_score_is_the_metrics():
    found = asked({"bad": FILES["bad"], "one": FILES["one"]})
    assert found.sentence.startswith("one wins: RMSE 0.5 on 40 final rows; nobody is tied with it")
    assert found.limits["score"].tolist() == pytest.approx([0.5, 2.0])
    whole = asked(truth=TRUTH.drop(columns="set"))
    assert whole.ranking.units == N


def test_stratified_samples_keep_the_classes():
    truth = TRUTH.assign(truth=(np.arange(N) < 5).astype(int), set="final")
    files = {team: dict(zip(IDS, RNG.random(N), strict=True)) for team in ("one", "two")}
    found = asked(files, truth, metric="auroc", stratified=True)
    assert np.isfinite(found.ranking.best.low)
    with pytest.raises(InputError, match="stratified: 'rmse' is no metric of classes"):
        asked(stratified=True)


def test_the_command_gives_the_same_answer_and_a_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    TRUTH.to_csv("truth.csv", index=False)
    for team, file in FILES.items():
        pd.DataFrame({"id": file.keys(), "prediction": file.values()}).to_csv(
            f"{team}.csv", index=False
        )
    options = ["--metric", "rmse", "--second", "mae", "--draws", "400", "--page", "w.html"]
    paths = [f"{team}.csv" for team in FILES]
    assert not main(["winner", "truth.csv", *paths, *options, "--json"])
    record, expected = json.loads(capsys.readouterr().out), asked(second="mae")
    assert record["sentence"] == expected.sentence
    assert [team["team"] for team in record["teams"]] == expected.limits["team"].tolist()
    page = (tmp_path / "w.html").read_text()
    assert expected.sentence in page
    for name in expected.figures:
        assert f'id="figure-{name}"' in page
        assert expected.caption(name).split(" Medians")[0] in page.replace("&#39;", "'")
    assert not main(["winner", "truth.csv", *paths, *options[:-2]])
    assert "The true score of the best file is between" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("files", "given", "message"),
    [
        ({"one": FILES["one"]}, {}, "files: wanted those of two teams or more; got 1"),
        (["a/x.csv", "b/x.csv.gz"], {}, "a name of its own for each team; 'x' is that of several"),
        (["no.csv", "nor.csv"], {}, "file of 'no': there is no file no.csv"),
        ({"a": {"r1": 1.0}, "b": FILES["one"]}, {}, "file of 'a': 59 ids are missing of 60"),
        (FILES, {"metric": "auroc"}, "final values .* 'auroc' wants a response of two classes"),
        (FILES, {"metric": "c_index"}, "'c_index' scores censored times, and the truth has no"),
    ],
)
def test_what_cannot_be_ranked_is_named(files, given, message):
    with pytest.raises(InputError, match=message):
        asked(files, **given)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--draws", "100.7"], "--draws: wanted a whole number from 1 to .*, got '100.7'"),
        (["--seed", "1.5"], "--seed: wanted a whole number of at least 0, got '1.5'"),
        (["--k", "three"], "--k: wanted a number, got 'three'"),
    ],
)
def test_numbers_of_the_command_are_not_changed_silently(option, message, capsys):
    assert main(["winner", "truth.csv", "a.csv", "--metric", "rmse", *option])
    assert re.search(message, capsys.readouterr().err)


def test_files_of_probabilities_at_horizons_are_ranked_with_their_weights(
    tmp_path, monkeypatch, capsys
):
    rng = np.random.default_rng(3)
    truth = pd.DataFrame({"id": IDS, "truth": rng.exponential(size=N), "died": [1, 1, 0] * 20})
    y = np.where(truth["died"] == 1, 1.0, -1.0) * truth["truth"]
    made = cut(y.to_numpy(), [0.3, 1.0])
    known = ~np.isnan(made.labels)
    files, scores = {}, {}
    for name, error in (("a", 0.3), ("b", 0.6)):
        sent = np.clip(np.nan_to_num(made.labels) + error * rng.uniform(-1, 1, (2, N)), 0.0, 1.0)
        files[name] = sent.T
        scores[name] = np.average(((sent - made.labels) ** 2)[known], weights=made.weights[known])
    given = {"event": "died", "horizons": [0.3, 1.0], "metric": "integrated_brier", "draws": 400}
    found = shakedown.winner(truth, files, **given)
    shown = found.ranking.table.set_index("team")["score"]
    assert shown["a"] == pytest.approx(scores["a"])
    assert shown["b"] == pytest.approx(scores["b"])
    with pytest.raises(InputError, match="at time points, and the truth has none"):
        shakedown.winner(truth, files, **given | {"horizons": None})
    monkeypatch.chdir(tmp_path)
    truth.to_csv("truth.csv", index=False)
    for name, file in files.items():
        table = pd.DataFrame(file, IDS, ["0.3", "1"])
        table.to_csv(f"{name}.csv", index_label="id")
    typed = ["--event", "died", "--horizons", "0.3,1", "--metric", "integrated_brier"]
    assert not main(["winner", "truth.csv", "a.csv", "b.csv", *typed, "--draws", "400"])
    assert "a wins: Integrated Brier score" in capsys.readouterr().out
