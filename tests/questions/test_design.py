"""How many rows to hold back: the answer in words, as a record, as a page and at the command."""

import json

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown.cli import main
from shakedown.interface import InputError
from shakedown.leaderboard.degrees import degrees_within_correlation
from shakedown.wording import probability

NUMBERS = {"metric": "pearson", "rows": 300, "best": 0.6, "spread": 0.05, "correlation": 0.7}
RNG = np.random.default_rng(5)
N = 120
X = RNG.standard_normal((N, 4))
TABLE = pd.DataFrame(X, columns=list("abcd")).assign(
    id=[f"r{k}" for k in range(N)], y=X @ [1.0, 0.5, 0.3, 0.0] + RNG.standard_normal(N)
)
TRUTH = TABLE.rename(columns={"y": "truth"})[["id", "truth"]].assign(
    set=["public", "final", "final"] * (N // 3)
)
IDS = TRUTH["id"].tolist()


def file_of(error):
    return dict(zip(IDS, TRUTH["truth"] + error * RNG.standard_normal(N), strict=True))


FILES = {f"team {k}": file_of(0.5 + 0.1 * k) for k in range(5)}


def test_from_numbers_there_are_too_few_rows_and_what_would_do_is_said():
    plan = shakedown.design(**NUMBERS, teams=20)
    final = plan.recommended.final
    assert final == 180
    assert not plan.is_enough
    needed = int(plan.metrics.loc[0, "rows_80"])
    assert plan.sentence.startswith(
        "There are too few rows: even with 180 of 300 as the final set the best of 20 teams wins "
        "with a probability of .6"
    )
    assert f"; {needed:,} final rows would reach .8. " in plan.sentence
    assert "180 final rows cannot tell the first two apart; " in plan.sentence
    again = shakedown.design(**NUMBERS | {"rows": 2 * needed}, teams=20)
    assert again.is_enough
    assert again.sentence.startswith(f"Hold back {again.recommended.final} of {2 * needed} rows")
    assert again.recommended.final >= needed


def test_few_final_rows_are_no_more_than_a_guide():
    plan = shakedown.design(metric="mse", rows=60, best=0.3, spread=0.3, teams=2, wanted=0.6)
    assert plan.recommended.final < 30
    assert "With fewer than 30 final rows these numbers are a guide" in plan.notes[-1]
    said = plan.sentence
    assert "They tell the first two apart" in said or "would, with a probability" in said


def test_the_same_arguments_give_the_same_answer_and_other_metrics_do_not_move_it():
    one = shakedown.design(**NUMBERS)
    assert one.json() == shakedown.design(**NUMBERS).json()
    more = shakedown.design(**NUMBERS, metrics=["mse", "spearman"])
    assert more.limits.equals(one.limits)
    assert more.metrics["metric"].tolist() == ["pearson", "mse", "spearman"]
    assert more.metrics.iloc[[0]].equals(one.metrics)
    assert one.answer["seed"] == 1607
    other = shakedown.design(**NUMBERS, seed=2)
    assert other.limits["best_wins"].tolist() != one.limits["best_wins"].tolist()
    assert np.abs(other.limits["best_wins"] - one.limits["best_wins"]).max() < 0.05


def test_from_a_table_teams_send_models_of_it():
    plan = shakedown.design(TABLE, response="y", id="id", metrics=["mse", "pearson"], teams=6)
    assert (plan.rows, plan.teams) == (N, 6)
    assert plan.limits[["train", "public", "final"]].sum(axis=1).eq(N).all()
    assert (plan.limits["bears"] == 0.05 * plan.limits["public"]).all()
    assert 0.2 < plan.source.worlds[0][0].scores.min() < 1.0  # of a standardised response
    assert plan.notes[0].startswith("Teams send honest models of the table, fitted to 40 rows. ")
    many = shakedown.design(TABLE, response="y", id="id", teams=50)
    assert many.teams == 50
    weighted = shakedown.design(
        TABLE.assign(w=np.arange(N) % 3 + 1), response="y", id="id", weight="w", teams=6,
        metrics=["mse", "mae"],
    )  # fmt: skip
    assert weighted.metrics["metric"].tolist() == ["weighted mse", "weighted mae"]
    grouped = TABLE.assign(g=np.arange(N) // 2)
    by_group = shakedown.design(grouped, response="y", id="id", group="g", teams=6)
    assert by_group.rows == N // 2
    assert " groups" in by_group.sentence
    assert by_group.notes[-1] == "Rows of a group stay together, so groups are counted."


def test_from_files_only_final_rows_count_and_all_rows_are_split():
    plan = shakedown.design(TRUTH, FILES, metric="mse", metrics=["mae"])
    assert (plan.rows, plan.teams) == (N, 5)
    assert plan.limits["train"].eq(0).all()
    final = TRUTH["set"] == "final"
    scores = [
        np.mean((np.array(list(f.values())) - TRUTH["truth"])[final] ** 2) for f in FILES.values()
    ]
    (teams,) = plan.source.worlds[0]
    assert np.argsort(teams.scores).tolist() == np.argsort(scores).tolist()
    assert teams.scores.std() == pytest.approx(teams.kept * np.std(scores))
    assert teams.kept < 1.0
    more = shakedown.design(TRUTH, FILES, metric="mse", rows=5 * N)
    assert more.rows == 5 * N


def test_copies_of_a_file_differ_by_nothing():
    same = {"one": FILES["team 0"], "two": FILES["team 0"]}
    plan = shakedown.design(TRUTH, same, metric="mse")
    assert plan.limits["tied"].eq(2.0).all()
    assert plan.limits["difference"].eq(0.0).all()
    assert np.isfinite(plan.limits["rank_correlation"]).all()
    assert "differ no more than by luck" in plan.notes[1]
    assert plan.metrics["rows_first_two"].isna().all()


def test_from_a_log_the_last_files_of_teams_count():
    plan = shakedown.design("config/replay.yaml")
    assert plan.metric.name == "rmse"
    assert plan.teams == len(set(pd.read_csv("tests/data/log_submissions.csv")["team"]))
    assert plan.rows == len(pd.read_csv("tests/data/log.csv"))


def test_rounds_share_the_public_rows_and_not_the_final_ones():
    one, three = (shakedown.design(**NUMBERS, rounds=rounds) for rounds in (1, 3))
    assert one.limits["per_round"].equals(one.limits["public"])
    both = one.limits.merge(three.limits, on=["train", "public", "final"], suffixes=("", "_3"))
    assert (both["per_round_3"] == both["public"] // 3).all()
    assert (both["best_wins_3"] == both["best_wins"]).all()
    assert (both["difference_3"] == both["difference"]).all()
    assert (both["rank_correlation_3"] < both["rank_correlation"]).all()
    # A round bears what a public set of its size does.
    expected = [degrees_within_correlation(0.05, rows) for rows in both["per_round_3"]]
    np.testing.assert_allclose(both["bears_3"], expected)
    assert three.by_rounds["rounds"].tolist() == [1, 2, 3]
    assert one.recommended == three.recommended
    public = three.recommended.public
    at = three.limits.query(
        "final == @three.recommended.final and train == @three.recommended.train"
    ).iloc[0]
    assert three.by_rounds["rank_correlation"].iloc[-1] == pytest.approx(at["rank_correlation"])
    assert three.by_rounds["bears"].iloc[-1] == at["bears"]
    assert three.by_rounds["best_leads"].is_monotonic_decreasing
    assert three.by_rounds["best_leads"].iloc[0] == three._challenges[0].wins(public)
    said = f"Each of 3 rounds has {public // 3} public rows: its ranks agree with the final ones by"
    assert said in three.sentence
    assert "round" not in one.sentence
    assert "per_round" not in str(one)
    assert "per_round" in str(three)
    assert three.answer["rounds"] == 3
    page = three.page()
    assert '<section id="rounds">' in page
    assert "A round bears" in page
    assert all(f"<span>{name}</span>" in page for name in ("1 round", "2 rounds", "3 rounds"))
    assert "rounds" not in one.page()


def test_the_figure_has_a_dot_for_each_number_of_final_rows_and_marks_the_answer():
    plan = shakedown.design(metric="mse", rows=3000, best=0.6, spread=0.05, teams=6)
    figure, caption = plan.picture("design_splits")
    (ax,) = figure.axes
    dots, diamond = (np.asarray(drawn.get_offsets(), float) for drawn in ax.collections)
    of = plan.limits.groupby("final")["best_wins"]
    assert (of.nunique() == 1).all()
    np.testing.assert_allclose(dots, of.first().reset_index().to_numpy(float))
    final = plan.recommended.final
    np.testing.assert_allclose(diamond, [[final, of.first()[final]]])
    assert ax.get_xlabel() == "Final rows"
    assert ax.get_ylabel() == "Probability that the best team wins"
    assert not ax.child_axes
    wins = probability(of.first()[final])
    assert caption.startswith(
        f"With {final:,} final rows the best team by MSE wins with a probability of {wins}. With "
    )
    assert of.first()[final] >= plan.wanted
    public, train = plan.recommended.public, plan.recommended.train
    assert f"With the recommended split, {public:,} of all " in caption
    assert f" rows are public and {train:,} for training. " in caption
    keys = [text.get_text() for text in figure.legends[0].get_texts()]
    assert keys == ["a number of final rows that was tried", "the recommended split"]
    short = shakedown.design(metric="mse", rows=60, best=0.6, spread=0.05, teams=6)
    figure_of_few = short.picture("design_splits").figure
    assert figure_of_few.legends[0].get_texts()[1].get_text() == "the largest final set"
    figure.draw_without_rendering()
    assert [text.get_text() for text in ax.texts] == ["wanted: .8", f"{final:,} final: {wins}"]
    for box in (text.get_window_extent() for text in ax.texts):
        assert not any(box.contains(*place) for place in ax.transData.transform(dots))
        assert ax.get_window_extent().padded(1).containsx(box.x1)


def test_the_column_of_a_tables_split_is_no_feature_and_decides_its_models():
    official = TABLE.assign(set=np.repeat(["train", "public", "final"], [60, 40, 20]))
    plan = shakedown.design(official, response="y", id="id", split="set", metric="mse", teams=6)
    thirds = shakedown.design(TABLE, response="y", id="id", metric="mse", teams=6)
    assert plan.rows == N
    assert plan.notes[0].startswith("Teams send honest models of the table, fitted to 60 rows. ")
    assert plan.source.worlds[0][0].scores.tolist() != thirds.source.worlds[0][0].scores.tolist()


def test_the_command_gives_the_same_answer_and_a_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = [x for key, value in NUMBERS.items() for x in (f"--{key}", str(value))]
    options += ["--teams", "20"]
    page = ["--page", "d.html", "--metrics", "mse,spearman"]
    assert not main(["design", *options, *page, "--json"])
    expected = shakedown.design(**NUMBERS, teams=20, metrics=["mse", "spearman"])
    assert json.loads(capsys.readouterr().out) == json.loads(expected.json())
    html = (tmp_path / "d.html").read_text()
    assert expected.sentence in html
    assert "180 final, the most" in html
    assert "With the largest final set, " in html
    assert "with a probability of .60, less than the wanted .8." in html
    assert "degrees of freedom that a metered board\nmay answer" in html
    assert expected.page() == html
    assert not main(["design", *options])
    assert expected.sentence in capsys.readouterr().out


def test_the_command_reads_a_table_a_truth_and_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("my.csv", index=False)
    TRUTH.to_csv("truth.csv", index=False)
    for team, file in FILES.items():
        pd.DataFrame({"id": file.keys(), "prediction": file.values()}).to_csv(
            f"{team}.csv", index=False
        )
    assert not main(
        ["design", "my.csv", "--response", "y", "--id", "id", "--metric", "mse", "--json"]
    )
    record = json.loads(capsys.readouterr().out)
    assert record["rows"] == N
    paths = [f"{team}.csv" for team in FILES]
    assert not main(["design", "truth.csv", *paths, "--metric", "mse", "--json"])
    record = json.loads(capsys.readouterr().out)
    assert record == json.loads(shakedown.design(TRUTH, FILES, metric="mse").json())


def test_without_a_proof_nothing_is_said_to_be_borne():
    plan = shakedown.design(metric="spearman", rows=300, best=0.6, spread=0.05)
    assert plan.limits["bears"].isna().all()
    assert all(split["bears"] is None for split in plan.answer["splits"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rows": 19}, "rows: wanted at least 20 independent ones to split; got 19"),
        ({"rows": None}, "rows is needed, got none. Give a table, or numb"),
        ({"best": None}, "best is needed, got none. Give a table, or numb"),
        ({"spread": None}, "spread is needed, got none. Give a table, or numb"),
        ({"metric": None}, "metric is needed, such as metric pearson"),
        ({"metric": "pearsn"}, "metric 'pearsn' is not known. Did you mean 'pearson'"),
        ({"teams": 1}, "teams: wanted 2 to 500 of them; got 1"),
        ({"teams": 501}, "teams: wanted 2 to 500 of them; got 501"),
        ({"wanted": 1.0}, "wanted: wanted a probability between 0 and 1; got 1"),
        ({"tolerated": 0.05}, "tolerated: wanted a number below 0, such as -0.05; got 0.05"),
        ({"rounds": 0}, "rounds: wanted a whole number of at least 1; got 0"),
        ({"rounds": 1.5}, "rounds: wanted a whole number of at least 1; got 1.5"),
        ({"rounds": True}, "rounds: wanted a whole number of at least 1; got True"),
        (
            {"rounds": 65},
            "rounds: wanted at least 3 public rows in each, so at most 64 of 300 rows",
        ),
        ({"rows": 2_000_000}, "rows: wanted 1 to 1,000,000 of them; got 2,000,000"),
        ({"data": TABLE}, "best describes teams without data; got data, too. Leave out one"),
    ],
)
def test_what_cannot_be_planned_is_named(given, message):
    with pytest.raises(InputError, match=message):
        shakedown.design(**NUMBERS | given)


@pytest.mark.parametrize(
    ("data", "files", "given", "message"),
    [
        (TABLE, None, {}, "response is needed: the column of the table that is to be predicted"),
        (TRUTH, {"one": FILES["team 0"]}, {"metric": "mse"}, "those of two teams or more; got 1"),
        (TRUTH, FILES, {}, "metric is needed, such as metric pearson"),
        (TRUTH, FILES, {"metric": "mse", "teams": 9}, "teams: there are as many as files"),
        (
            TABLE.head(20),
            None,
            {"response": "y", "id": "id"},
            "20 rows left; wanted at least 30, for thr",
        ),
        ("config/dryrun.yaml", None, {}, "wanted the configuration of a replay"),
    ],
)
def test_data_that_cannot_be_used_are_named(data, files, given, message):
    with pytest.raises(InputError, match=message):
        shakedown.design(data, files, **given)


def test_the_command_names_options_and_numbers(capsys):
    assert main(["design", "--rows", "many", "--metric", "mse"]) == 2
    assert "--rows: wanted a number, got 'many'" in capsys.readouterr().err
    assert main(["design", "--rows", "100", "--metric", "mse", "--seed", "-1"]) == 2
    assert "--seed: wanted a whole number of at least 0" in capsys.readouterr().err
    assert main(["design", "--rows", "100", "--metric", "mse", "--spread", "1"]) == 2
    assert "--best is needed" in capsys.readouterr().err


def test_a_table_of_times_may_be_cut_at_horizons():
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.standard_normal((200, 3)), columns=["a", "b", "c"])
    table["months"] = rng.exponential(size=200) * np.exp(-table["a"]) + 0.001
    table["died"] = rng.integers(0, 2, 200)
    given = {"response": "months", "event": "died", "horizons": [0.3, 0.8], "teams": 8}
    plan = shakedown.design(table, metric="integrated_brier", **given)
    assert plan.metrics["metric"].tolist() == ["integrated_brier"]
    assert plan.recommended is None or sum(plan.recommended) <= 200
    with pytest.raises(InputError, match="weights that this metric does not use"):
        shakedown.design(table, metric="brier", **given)


def test_a_bar_shows_how_far_the_models_of_a_table_are(monkeypatch):
    bars = []

    class Bar:
        def __init__(self, *, total, disable, **_):
            self.total, self.done = total, 0
            bars.append((self, disable))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def update(self):
            self.done += 1

    monkeypatch.setattr("shakedown.questions.design_sources.tqdm", Bar)
    rng = np.random.default_rng(4)
    X = rng.normal(size=(90, 3))
    table = pd.DataFrame(X, columns=list("abc")).assign(y=X[:, 0] + rng.normal(size=90))
    for progress in (True, False):
        shakedown.design(table, response="y", metrics=["mse", "mae"], teams=5, progress=progress)
    assert [(bar.done, bar.total, disable) for bar, disable in bars] == [(6, 6, None), (6, 6, True)]
