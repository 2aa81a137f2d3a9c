"""The command `shakedown board`: make a board, submit, and look at it."""

import json
import subprocess
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from shakedown.cli import main
from shakedown.cli.board_commands import ACTIONS
from shakedown.live.live_board import LiveBoard
from shakedown.live.proposal import Proposal
from shakedown.live.truth import Truth

ROWS = 40
BOARD = "ladderboot(alpha=0.15,b=10)+baseline"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with truths and files of predictions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHAKEDOWN_DATABASE", "sqlite:///state.db")
    truth = np.random.default_rng(0).normal(size=ROWS)
    ids = [f"p{k}" for k in range(ROWS)]
    sets = np.where(np.arange(ROWS) % 2, "Public", "final")
    pd.DataFrame({"id": ids, "truth": truth, "set": sets}).to_csv("truth.csv", index=False)
    for name, share in (("one", 0.5), ("two", 0.9)):
        made = pd.DataFrame({"id": ids, "prediction": share * truth})
        made.to_csv(f"{name}.csv", index=False)
        made[:6].to_csv(f"few_{name}.csv", index=False)
    pd.read_csv("truth.csv")[:6].to_csv("few.csv", index=False)
    return tmp_path


def said(capsys, *arguments, code=0):
    assert main(["board", *arguments]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out if code != 2 or out else err


def create(capsys, *options, code=0):
    base = () if "--truth" in options else ("--truth", "truth.csv")
    return said(capsys, "create", "--board", BOARD, "--metric", "mse", *base, *options, code=code)


def recommendation(**changes):
    """What a dry run writes."""
    content = {
        "answer": "safe",
        "sentence": "Use LadderBoot: 100 submissions per participant are safe.",
        "submissions": 100,
        "recommended": {"setting": BOARD},
        "rests_on": {
            "metric": "mae", "public_rows": 20, "threshold": -0.05, "share": 0.05,
            "spread": "standard deviation",
        },
    }  # fmt: skip
    with open("recommendation.json", "w", encoding="utf-8") as file:
        json.dump(content | changes, file)


def test_from_options_to_an_answer_and_back(capsys):
    made = json.loads(create(capsys, "--per-team", "2", "--json"))
    assert made.keys() == {"version", "board", "token", "public_rows", "final_rows", "rules"}
    assert (made["public_rows"], made["final_rows"]) == (20, 20)
    first = said(capsys, "submit", "=cmd", "one.csv", "--key", "a")
    assert said(capsys, "submit", "=cmd", "one.csv", "--key", "a") == first
    answer = json.loads(first)
    assert (answer.pop("status"), answer.pop("version")) == ("scored", 1)
    board = LiveBoard.open("sqlite:///state.db")
    assert answer == board.submit("=cmd", "one.csv", "a").fields
    said(capsys, "submit", "=cmd", "two.csv")
    refused = json.loads(said(capsys, "submit", "=cmd", "one.csv", code=2))
    assert refused.keys() == {"version", "status", "message"}
    assert refused["status"] == "refused"
    assert "The limit is 2 submissions of a team" in refused["message"]
    status = json.loads(said(capsys, "status", "--json"))
    assert status["state"] == "open"
    (team,) = status["teams"]
    assert (team["place"], team["team"], team["submissions"]) == (1, "=cmd", 2)
    own = json.loads(said(capsys, "status", "--team", "=cmd", "--json"))
    assert own["score"] == team["score"] == own["submissions"][-1]["score"]
    assert own["submissions"][0] == answer
    assert str(team["score"]) in said(capsys, "status")
    assert "'=cmd' sees" in said(capsys, "status", "--team", "=cmd")
    said(capsys, "close")
    assert "closed" in said(capsys, "submit", "b", "one.csv", code=2)
    assert json.loads(said(capsys, "status", "--json"))["state"] == "closed"


def test_nothing_secret_is_in_what_the_commands_print(capsys):
    create(capsys, "--seed", "123456789")
    said(capsys, "submit", "a", "one.csv")
    text = "".join(
        said(capsys, *given)
        for given in (
            ("submit", "a", "two.csv"), ("status",), ("status", "--json"),
            ("status", "--team", "a", "--json"), ("audit",), ("close",),
        )
    )  # fmt: skip
    board = LiveBoard.open("sqlite:///state.db")
    log = board.log()
    scores = log[["score_public", "score_final"]].to_numpy().ravel()
    assert not [s for s in scores if f"{s:.6g}" in text]
    for secret in ("123456789", "accepted", "in_force", "final"):
        assert secret not in text.replace("Next: shakedown board audit, then export", "")


def test_a_team_gets_a_token_and_another_one(capsys):
    create(capsys)
    first = said(capsys, "register", "ada").strip()
    second = said(capsys, "register", "ada", "--new-token").strip()
    assert first != second
    assert len(first) >= 32
    status = json.loads(said(capsys, "status", "--json"))
    assert status["teams"] == [{"place": None, "team": "ada", "score": None, "submissions": 0}]


def test_the_audit_finds_a_change_and_a_copy_has_none(capsys):
    import sqlite3

    create(capsys)
    said(capsys, "submit", "a", "one.csv")
    assert "nothing was changed" in said(capsys, "audit")
    assert "is the same in copy.db" in said(capsys, "copy", "copy.db")
    assert "exists in that database" in said(capsys, "copy", "copy.db", code=2)
    copied = LiveBoard.open("sqlite:///copy.db").log()
    pd.testing.assert_frame_equal(copied, LiveBoard.open("sqlite:///state.db").log())
    with sqlite3.connect("state.db") as connection:
        connection.execute("UPDATE teams SET name = 'b'")
    connection.close()
    assert "table teams" in said(capsys, "audit", code=1)


def test_a_recommendation_gives_board_metric_and_limit(capsys):
    recommendation()
    said(capsys, "create", ".", "--truth", "truth.csv")
    rules = LiveBoard.open("sqlite:///state.db").rules
    assert (rules.setting, rules.metric, rules.per_team) == (BOARD, "mae", 100)


@pytest.mark.parametrize("holds", ["measured", "proved on average", "proved"])
def test_what_is_not_proved_is_noted(capsys, holds):
    recommendation(holds=holds, proved=holds == "proved")
    assert main(["board", "create", ".", "--truth", "truth.csv"]) == 0
    noted = " ".join(capsys.readouterr().err.split())
    assert (f"this leaderboard is {holds}, not proved" in noted) == (holds != "proved")


def test_options_come_before_a_configuration_before_a_recommendation(capsys, here):
    recommendation()
    here.joinpath("board.yaml").write_text(
        "recommendation: recommendation.json\ntruth: truth.csv\nper_team: 7\nper_day: 3\n"
        "board: {name: digest, eta: 0.1, floor: 0.5, every: 2, updates: 3}\n"
        "zone: Europe/Berlin\nopens: 2027-03-01\ncloses: 2027-03-31T18:00:00\n"
        "updates: [2027-03-10, 2027-03-20 12:00]\n"
    )
    said(capsys, "create", "board.yaml", "--per-day", "2")
    rules = LiveBoard.open("sqlite:///state.db").rules
    assert (rules.setting, rules.metric) == ("digest(eta=0.1,floor=0.5,every=2,updates=3)", "mae")
    assert (rules.per_team, rules.per_day) == (7, 2)
    assert "Opens 2027-02-28T23:00:00Z." in rules.sentences
    assert len(rules.updates) == 2


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"recommended": None, "submissions": None}, "recommends no leaderboard"),
        ({"rests_on": 3}, "is not the recommendation.json of a dry run"),
        ({"version": 99}, "is of version 99, and this is the program of version 3"),
    ],
)
def test_a_recommendation_without_a_board(capsys, changes, wanted):
    recommendation(**changes)
    given = ("create", "recommendation.json", "--truth", "truth.csv")
    assert wanted in said(capsys, *given, code=2)


def test_data_unlike_those_of_the_dry_run_are_noted(capsys):
    base = {"metric": "mae", "spread": "standard deviation", "threshold": -5.0, "share": 0.05}
    recommendation(rests_on=base | {"public_rows": 200})
    assert main(["board", "create", ".", "--truth", "truth.csv", "--seed", "1"]) == 0
    noted = capsys.readouterr().err
    assert "The dry run says: Use LadderBoot" in noted
    assert "had 200 public rows, this board has 20" in noted
    assert "was 100 in the dry run" in noted
    assert "can compute the noise" in noted


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (("--truth", "no.csv"), "no such file"),
        (("--response", "tru"), "no column 'tru', which 'response' names. Did you mean 'truth'?"),
        (("--split", "id"), "row 1: wanted public or final in column 'id'; got 'p0'"),
        (("--response", "set"), "row 1: wanted a number in column 'set'; got 'final'"),
        (("--split", "set", "--public-share", "0.5"), "got both"),
        (("--public-share", "1.5"), "wanted a number between 0 and 1; got 1.5"),
        (("--public-share", "half"), "public_share: wanted a number; got 'half'"),
        (("--per-team", "1.5"), "per_team: wanted a whole number; got '1.5'"),
        (("--seed", "7" * 5000), "seed: a whole number of 5,000 digits. Give a shorter one."),
        (("--opens", "soon"), "opens: wanted a time such as"),
        (("--metric", "digest"), "digest"),
        (("--board", "fresh_holdout"), "needs rows that the board never used"),
        (("--sedd", "1"), "shakedown board create does not take '--sedd'. Did you mean '--seed'?"),
    ],
)
def test_a_mistake_is_one_sentence_and_makes_no_board(capsys, here, options, wanted):
    message = create(capsys, *options, code=2)
    assert wanted in message
    assert len(message.splitlines()) == 1
    assert not here.joinpath("state.db").exists()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("bord: ladder", "there is no setting 'bord'. Did you mean 'board'?"),
        ("- a", "has no keys"),
        ("a: [", "cannot be read as YAML"),
        ("board: {alpha: 0.1}", "wanted a `name` in `board`"),
        ("updates: 3", "wanted a list of times in `updates`"),
    ],
)
def test_a_configuration_with_a_mistake(capsys, here, text, wanted):
    here.joinpath("board.yaml").write_text(text)
    assert wanted in said(capsys, "create", "board.yaml", code=2)


@pytest.mark.parametrize(("metric", "degree"), [("mse", 2), ("rmse", 1)])
def test_the_unit_of_a_truth_is_compared_by_its_own_spread(metric, degree):
    values = np.tile([-3.0, 3.0], 5)
    truth = Truth.of([f"r{k}" for k in range(10)], values, np.arange(10) < 5)
    usual = 3.0 * np.sqrt(10 / 9)  # its standard deviation
    rests = {"metric": metric, "share": 0.05, "spread": "spread", "public_rows": 5}
    for times, doubtful in ((0.51, False), (1.0, False), (1.99, False), (0.49, True), (2.01, True)):
        unit = times * usual**degree
        doubts = Proposal({}, rests | {"threshold": -0.05 * unit}).doubts(truth)
        wanted = f"The spread of the response is {usual**degree:.3g}, and was {unit:.3g}"
        assert [doubt.startswith(wanted) for doubt in doubts] == [True] * doubtful
    (fewer,) = Proposal({}, {"public_rows": 6}).doubts(truth)
    assert fewer.startswith("The dry run had 6 public rows, this board has 5")
    assert Proposal({}, {"public_rows": 4}).doubts(truth) == []


def test_random_public_rows_depend_on_the_seed_and_not_on_the_order(capsys):
    drawn = []
    for name, seed, order in (("a", "5", 1), ("b", "5", -1), ("c", "6", 1)):
        pd.read_csv("truth.csv")[::order].drop(columns="set").to_csv("shuffled.csv", index=False)
        create(
            capsys, "--truth", "shuffled.csv", "--public-share", "0.25", "--seed", seed,
            "--name", name,
        )  # fmt: skip
        truth = LiveBoard.open("sqlite:///state.db", name).truth
        drawn.append({id for id, k in zip(truth.ids, truth.public, strict=True) if k})
    assert len(drawn[0]) == ROWS / 4
    assert drawn[0] == drawn[1] != drawn[2]


def test_training_rows_of_a_dry_run_are_left_out(capsys):
    whole = pd.read_csv("truth.csv")
    whole.loc[:9, "set"] = "train"
    whole.to_csv("truth.csv", index=False)
    assert (
        main(["board", "create", "--board", BOARD, "--metric", "mse", "--truth", "truth.csv"]) == 0
    )
    assert "10 training rows left out" in capsys.readouterr().err
    assert LiveBoard.open("sqlite:///state.db").truth.ids == tuple(whole["id"][10:])


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (("serv",), "no command of `shakedown board` 'serv'. Did you mean 'serve'?"),
        ((), "ACTION"),
        (("submit", "a", "no.csv"), "There is no file no.csv"),
        (("submit", "a", "one.csv"), "there is no file state.db"),
        (("status", "--url", "mysql://x"), "wanted sqlite or postgresql"),
    ],
)
def test_other_mistakes(capsys, given, wanted):
    assert wanted in said(capsys, *given, code=2)


def test_an_export_names_its_files(capsys, here):
    create(capsys)
    for team, file in (("a", "one.csv"), ("b", "two.csv")):
        said(capsys, "submit", team, file)
    assert "is open" in said(capsys, "export", "final", code=2)
    assert said(capsys, "export", "early", "--while-open")
    said(capsys, "close")
    written = [here / line for line in said(capsys, "export", "final").splitlines()]
    assert here / "final" / "final.csv" in written
    assert all(path.is_file() for path in written)
    create(capsys, "--truth", "few.csv", "--name", "few")
    for team in ("a", "b"):
        said(capsys, "submit", team, "few_one.csv", "--board", "few")
    assert main(["board", "export", "few", "--board", "few", "--while-open"]) == 0
    assert "Note: There are no intervals and tests" in capsys.readouterr().err


def test_what_holds_the_truth_is_for_its_owner_alone(capsys, here):
    create(capsys)
    said(capsys, "submit", "a", "one.csv")
    said(capsys, "copy", "copy.db")
    said(capsys, "export", "final", "--while-open")
    paths = [here / "state.db", here / "copy.db", here / "final", *(here / "final").iterdir()]
    assert [path.name for path in paths if path.stat().st_mode & 0o077] == []


def test_pages_demonstration_and_adapters_get_their_arguments(capsys, here, monkeypatch):
    given = []
    for name, function in (("web", "serve"), ("demo", "run")):
        module = ModuleType(name)
        setattr(module, function, lambda *a, **k: given.append((a, k)))
        monkeypatch.setitem(sys.modules, f"shakedown.live.{name}", module)
    said(capsys, "serve", "--port", "80", "--board", "mine")
    said(capsys, "demo", "--seconds", "3")
    serve, demo = given
    assert serve == (("sqlite:///state.db",), {"name": "mine", "host": "127.0.0.1", "port": 80})
    assert demo == ((), {"seconds": 3.0})
    create(capsys)
    printed = said(capsys, "adapter", "synapse", "scorer")
    assert str(here / "scorer") in printed
    assert (here / "scorer" / "README.md").is_file()
    assert "wanted one of" in said(capsys, "adapter", "synaps", code=2)


def test_a_package_that_is_missing_is_one_sentence(capsys, monkeypatch):
    def lacking(given):
        raise ModuleNotFoundError("No module named 'uvicorn.config'", name="uvicorn.config")

    monkeypatch.setitem(ACTIONS, "demo", lacking)
    printed = said(capsys, "demo", code=2)
    assert "`board demo` needs the package uvicorn. Install Shakedown with its extra" in printed


def test_unknown_teams_are_guessed(capsys):
    create(capsys)
    said(capsys, "submit", "ada", "one.csv")
    assert "Did you mean 'ada'?" in said(capsys, "status", "--team", "adda", code=2)


def test_passwords_are_not_printed(capsys):
    from shakedown.cli.board_commands import _shown

    assert "secret" not in _shown("postgresql+psycopg://me:secret@host/name")


def test_without_the_extra_one_sentence_says_what_to_install(here):
    run = (
        "import sys\n"
        "sys.modules['sqlalchemy'] = None\n"
        "from shakedown.cli import main\n"
        "raise SystemExit(main(['board', 'status']))\n"
    )
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True)
    assert done.returncode == 2
    assert "needs the package sqlalchemy" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_metered_board_tells_prices(capsys):
    said(
        capsys, "create", "--board", "metered(files=9,gain=0.5)", "--metric", "mse", "--truth",
        "truth.csv", "--per-team", "20",
    )  # fmt: skip
    text = said(capsys, "price", "ada", "one.csv")
    assert "degrees of freedom that are left" in text
    quote = json.loads(said(capsys, "price", "ada", "one.csv", "--json"))
    answer = json.loads(said(capsys, "submit", "ada", "one.csv"))
    assert answer["standard_error"] == pytest.approx(quote["error"], rel=0.5)
    assert quote["files_left"] == 9


def test_a_metered_board_of_labels_tells_prices(capsys):
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"id": np.arange(90), "truth": np.where(rng.random(90) < 0.4, "b", "a")})
    table.assign(set=["public", "public", "final"] * 30).to_csv("labels.csv", index=False)
    table[["id"]].assign(prediction=rng.random(90).round(3)).to_csv("chances.csv", index=False)
    given = (
        "create", "--board", "metered(gain=0.0125,files=50)", "--metric", "brier", "--truth",
        "labels.csv", "--classes", "a,b", "--per-team", "50",
    )  # fmt: skip
    assert main(["board", *given]) == 0
    out, notes = capsys.readouterr()
    assert "one look at its label with normal noise of the standard deviation" in out
    assert "draw the public rows at random" in notes
    text = said(capsys, "price", "ada", "chances.csv")
    assert "of the precision with which a public row may be measured, 100% is left" in text
    quote = json.loads(said(capsys, "price", "ada", "chances.csv", "--json"))
    answer = json.loads(said(capsys, "submit", "ada", "chances.csv"))
    assert answer["standard_error"] == pytest.approx(quote["error"], rel=1e-5)
    assert (quote["files_left"], quote["unit"]) == (50, "share of a row's precision")
    assert "'ada' sees" in said(capsys, "status", "--team", "ada")
    assert "nothing was changed within it" in said(capsys, "audit")


def test_other_boards_have_no_prices(capsys):
    create(capsys)
    assert "has no prices" in said(capsys, "price", "ada", "one.csv", code=2)
