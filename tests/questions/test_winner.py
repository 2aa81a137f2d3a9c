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
        assert expected.caption(name) in page.replace("&#39;", "'")
    assert not main(["winner", "truth.csv", *paths, *options[:-2]])
    assert "the file with the best score, is between" in capsys.readouterr().out


def test_a_page_names_the_second_metric_and_has_no_column_without_a_number():
    heads = {
        name: re.findall(r'<th scope="col"[^>]*>(.*?)</th>', asked(**given).page())[:8]
        for name, given in (
            ("both", {"second": "mae"}), ("one", {}),
            ("no test", {"metric": "pearson", "second": "spearman"}),
        )
    }  # fmt: skip
    ends = ["Rank", "Rank, all at once"]
    assert heads["both"] == ["Team", "Place", "RMSE", "K", "Second: MAE", *ends, "p"]
    assert heads["one"][:7] == ["Team", "Place", "RMSE", "K", *ends, "p"]
    assert heads["no test"][:7] == ["Team", "Place", "Pearson", "K", "Second: Spearman", *ends]
    assert "p" not in heads["no test"]


def frame_of(file):
    """A file as a DataFrame, with its rows in another order than those of the truth."""
    frame = pd.DataFrame({"id": file.keys(), "prediction": file.values()})
    return frame.sample(frac=1.0, random_state=1)


@pytest.mark.parametrize(
    "form",
    [
        frame_of,
        lambda file: frame_of(file)[["prediction", "id"]],
        lambda file: frame_of(file).set_index("id"),
        lambda file: frame_of(file).set_index("id")["prediction"],
        lambda file: pd.Series(file),
        lambda file: pd.Series(list(file.values())),
        lambda file: list(file.values()),
        lambda file: np.array(list(file.values())),
    ],
    ids=[
        "frame",
        "swapped",
        "indexed",
        "series_by_id",
        "of_a_dict",
        "plain_series",
        "list",
        "array",
    ],
)
def test_frames_and_series_are_files_and_their_ids_count(form):
    found = asked({team: form(file) for team, file in FILES.items()})
    pd.testing.assert_frame_equal(found.limits, asked().limits)


def test_a_series_in_another_order_is_not_taken_for_one_in_the_order_of_the_truth():
    truth = TRUTH.assign(id=range(N))
    in_order = {team: pd.Series(list(file.values())) for team, file in FILES.items()}
    turned = {team: series[::-1] for team, series in in_order.items()}
    pd.testing.assert_frame_equal(asked(turned, truth).limits, asked(in_order, truth).limits)


def test_frames_of_several_responses_are_files():
    truth = TRUTH.assign(second=np.roll(Y, 1))
    arrays = {
        team: truth[["truth", "second"]].to_numpy() + error * RNG.standard_normal((N, 2))
        for team, error in (("one", 0.3), ("two", 0.8))
    }
    frames = {
        team: pd.DataFrame(array, columns=["truth", "second"]).assign(id=IDS)[::-1]
        for team, array in arrays.items()
    }
    given = {"truth": truth, "response": ["truth", "second"], "metric": "pearson by response"}
    pd.testing.assert_frame_equal(asked(frames, **given).limits, asked(arrays, **given).limits)


def test_frames_of_single_precision_and_classes_are_files():
    single = {team: frame_of(file).astype({"prediction": "f4"}) for team, file in FILES.items()}
    doubles = {team: np.array(list(file.values()), "f4") for team, file in FILES.items()}
    pd.testing.assert_frame_equal(asked(single).limits, asked(doubles).limits)
    truth = TRUTH.assign(truth=np.where(Y > 0, "case", "control"))
    named = {
        team: pd.DataFrame({"id": IDS, "prediction": np.where(cut < Y, "case", "control")})
        for team, cut in (("one", 0.0), ("two", 1.0))
    }
    given = {"metric": "balanced_accuracy", "classes": ["control", "case"]}
    assert asked(named, truth, **given).sentence.startswith("one wins: ")


@pytest.mark.parametrize(
    ("files", "given", "message"),
    [
        ({"one": FILES["one"]}, {}, "files: wanted those of two teams or more; got 1"),
        (["a/x.csv", "b/x.csv.gz"], {}, "a name of its own for each team; 'x' is that of several"),
        (["no.csv", "nor.csv"], {}, "file of 'no': there is no file no.csv"),
        ({"a": {"r1": 1.0}, "b": FILES["one"]}, {}, "file of 'a': 59 ids are missing of 60"),
        ([FILES["one"], FILES["two"]], {}, "files: .* got dict in list. Name the teams"),
        ([pd.DataFrame()], {}, "files: .* got DataFrame in list. Name the teams"),
        (pd.DataFrame({"id": IDS}), {}, "files: .* got DataFrame. Name the teams"),
        (None, {}, "files: .* or a list of paths; got NoneType. Name the teams"),
        ({"a": 3, "b": FILES["one"]}, {}, "file of 'a': wanted a path, a DataFrame .* got int"),
        ({"a": ["x"] * N, "b": FILES["one"]}, {}, "file of 'a': wanted numbers; .* 'x'"),
        (
            {"a": pd.DataFrame({"id": IDS, "guess": Y}), "b": FILES["one"]},
            {},
            "file of 'a': .*'prediction'",
        ),
        (
            {"a": pd.DataFrame({"prediction": Y}), "b": FILES["one"]},
            {},
            "file of 'a': wanted a column 'id' or the ids as index; got .* 'prediction'",
        ),
        ({"a": pd.Series(Y[:9]), "b": FILES["one"]}, {}, "file of 'a': predictions: wanted one"),
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
