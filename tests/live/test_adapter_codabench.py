"""The adapter of Codabench, run as its worker runs a scoring program: in folders of its own."""

import contextlib
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import textwrap
import zipfile
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
import yaml

from shakedown.live import adapter_folder
from shakedown.live.adapter_folder import SECRET, write
from shakedown.live.live_board import LiveBoard
from shakedown.live.scoring import FILE_VARIABLE, NONE_YET, VARIABLE
from tests import warm_python
from tests.live.test_live_board import board
from tests.live.test_scoring import predictions

ADAPTER = Path(__file__).parents[2] / "adapters" / "codabench"


@pytest.fixture(autouse=True)
def sqlite_as_well(monkeypatch):
    """SQLite stands in for PostgreSQL: all folders of a test are on one machine."""
    monkeypatch.setattr(adapter_folder, "ONLY_POSTGRESQL", frozenset())


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    for name in (VARIABLE, FILE_VARIABLE, "SUBMISSION_USER"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def bundle(tmp_path):
    """The organiser's bundle, as README.md says, with signed files."""
    return bundle_of(tmp_path)


def bundle_of(folder, identity="signature", setting="ladderboot(alpha=0.15,b=10)", **rules):
    board(folder, setting, **rules)
    write("codabench", folder / "bundle", f"sqlite:///{folder}/board.db")
    program = folder / "bundle" / "scoring_program"
    if identity == "signature":
        shutil.copy(folder / "bundle" / SECRET, program)
    settings = json.loads((program / "settings.json").read_text())
    (program / "settings.json").write_text(json.dumps(settings | {"identity": identity}))
    return folder


def signed(folder, team, token, k=0, name="submission.zip"):
    """A participant's zip, made with the participant's program."""
    program = runpy.run_path(str(folder / "bundle" / "participants" / "sign.py"))
    with mock.patch.dict(os.environ, {"TEAM_TOKEN": token}):
        program["main"](team, str(predictions(folder, k)), str(folder / name))
    return folder / name


def unsigned(folder, k=0):
    with zipfile.ZipFile(folder / "unsigned.zip", "w") as file:
        file.write(predictions(folder, k), "predictions.csv")
    return folder / "unsigned.zip"


def run(folder, submission, *, process=False, **env):
    """Run the program in copies of the folders that the worker mounts.

    Returns the exit code, the scores (None if there are none), and what is printed.
    """
    app = folder / "app"
    shutil.rmtree(app, ignore_errors=True)
    shutil.copytree(folder / "bundle" / "scoring_program", app / "program")
    (app / "output").mkdir()
    (app / "input" / "ref").mkdir(parents=True)
    with zipfile.ZipFile(submission) as file:
        file.extractall(app / "input" / "res")
    # What the worker leaves there of the run before, other each time.
    (app / "input" / "res" / "metadata").write_text(f"elapsedTime: {os.urandom(4).hex()}\n")
    code, printed = (in_process if process else at_once)(app, env)
    for secret in (str(folder), "board.db", "sqlite", "Traceback", "/app", ".py"):
        assert secret not in printed.replace("sign.py", "")
    # The worker fails if there is a file of that name.
    assert not (app / "output" / "metadata").exists()
    scores = app / "output" / "scores.json"
    assert scores.exists() == (code == 0)
    assert len(printed.splitlines()) == 1
    return code, json.loads(scores.read_text()) if scores.exists() else None, printed


def in_process(app, env):
    """By the command that the program states."""
    command = yaml.safe_load((app / "program" / "metadata.yaml").read_text())["command"]
    python, *rest = command.replace("/app", str(app)).split()
    assert python == "python3"
    done = subprocess.run(
        [warm_python.program(), *rest], cwd=app / "program", capture_output=True, text=True,
        check=False, env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")} | env,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def at_once(app, env):
    printed = io.StringIO()
    program = runpy.run_path(str(app / "program" / "score.py"))
    with (
        mock.patch.dict(os.environ, env),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        return program["main"](str(app / "input"), str(app / "output")), printed.getvalue()


@pytest.mark.full  # starts many processes
def test_a_rerun_has_the_same_answer_and_counts_once(bundle):
    """With the processes that a worker starts."""
    live = LiveBoard.open(f"sqlite:///{bundle}/board.db")
    ada, bob = live.register("Ada"), live.register("Bob")
    first = run(bundle, signed(bundle, "Ada", ada), process=True)
    assert first[0] == 0
    other = run(bundle, signed(bundle, "Bob", bob), process=True)
    run(bundle, signed(bundle, "Ada", ada, 1), process=True)
    assert run(bundle, signed(bundle, "Ada", ada), process=True) == first
    log = live.log()
    assert list(log["team"]) == ["Ada", "Bob", "Ada"]
    assert list(log["number"]) == [1, 1, 2]
    assert first[1] == {"mse": live.submit("Ada", predictions(bundle), log["submission"][0]).score}
    assert other[1] == {"mse": live.submit("Bob", predictions(bundle), log["submission"][1]).score}
    assert live.audit() == []


@pytest.mark.usefixtures("no_process")
def test_only_the_files_that_a_team_signed_are_its_own(bundle):
    live = LiveBoard.open(f"sqlite:///{bundle}/board.db")
    token, other = live.register("Ada"), live.register("Bob")
    live.submit("no token", live.truth.values)
    good = signed(bundle, "Ada", token)
    with zipfile.ZipFile(good) as file:
        own = json.loads(file.read("signature.json"))
    assert token not in json.dumps(own)

    def forged(team, signature, k=0):
        with zipfile.ZipFile(bundle / "forged.zip", "w") as file:
            file.write(predictions(bundle, k), "predictions.csv")
            file.writestr("signature.json", json.dumps({"team": team, "signature": signature}))
        return run(bundle, bundle / "forged.zip")

    wrong = [
        forged("Ada", own["signature"], 1),
        forged("Bob", own["signature"]),
        forged("Nobody", own["signature"]),
        forged("no token", own["signature"]),
        forged("x" * 1000, own["signature"]),
        forged("Ada\ud800", "\ud800"),
        run(bundle, signed(bundle, "Ada", other)),
    ]
    assert {(code, scores) for code, scores, _ in wrong} == {(1, None)}
    assert {said for *_, said in wrong} == {
        "The file is not signed with the token of a registered team. Sign it again.\n"
    }
    live.register("Ada")
    assert run(bundle, good)[0] == 1
    assert len(live.log()) == 1


@pytest.mark.parametrize("content", [
    b"", b"{", b"[]", b'{"team": "Ada"}', b'{"team": 1, "signature": "a"}', b"\xff",
    b"[" * 9_000, b'{"a":"' + b"x" * 10_000 + b'"}',
])  # fmt: skip
def test_a_signature_that_cannot_be_read_fails_with_its_cure(content, bundle):
    with zipfile.ZipFile(bundle / "bad.zip", "w") as file:
        file.write(predictions(bundle), "predictions.csv")
        file.writestr("signature.json", content)
    code, _, said = run(bundle, bundle / "bad.zip")
    assert code == 1
    assert "Make the zip with sign.py" in said


@pytest.mark.usefixtures("no_process")
def test_the_worker_may_say_who_submits(tmp_path):
    folder = bundle_of(tmp_path, "worker", per_team=3)
    given = {VARIABLE: f"sqlite:///{folder}/board.db", "SUBMISSION_USER": "12"}
    first = run(folder, unsigned(folder), SUBMISSION_ID="100", **given)
    assert first[0] == 0
    assert first[2] == "Submission 1 of the team. Left in all: 2.\n"
    assert run(folder, unsigned(folder), SUBMISSION_ID="101", **given) == first
    run(folder, unsigned(folder), **given | {"SUBMISSION_USER": "13"})
    # A signature in the zip does not change whose file it is.
    live = LiveBoard.open(f"sqlite:///{folder}/board.db")
    run(folder, signed(folder, "Ada", live.register("Ada"), 1), **given)
    assert list(live.log()["team"]) == ["user-12", "user-13", "user-12"]
    nobody = run(folder, unsigned(folder), **given | {"SUBMISSION_USER": ""})
    assert nobody[:2] == (1, None)
    assert "did not say who submits" in nobody[2]


@pytest.mark.usefixtures("no_process")
def test_a_task_of_its_own_counts_apart(tmp_path):
    folder = bundle_of(tmp_path, "worker")
    given = {VARIABLE: f"sqlite:///{folder}/board.db", "SUBMISSION_USER": "12"}
    settings = folder / "bundle" / "scoring_program" / "settings.json"
    for task in ("", "2", ""):
        settings.write_text(json.dumps(json.loads(settings.read_text()) | {"task": task}))
        assert run(folder, unsigned(folder), **given)[0] == 0
    assert len(LiveBoard.open(given[VARIABLE]).log()) == 2


@pytest.mark.usefixtures("no_process")
def test_refusals_and_failures_are_failed_with_one_sentence_and_no_score(tmp_path):
    folder = bundle_of(tmp_path, "worker", per_team=1)
    given = {VARIABLE: f"sqlite:///{folder}/board.db", "SUBMISSION_USER": "12"}
    zips = {"none": {"readme.txt": "a"}, "folder": {"sub/predictions.csv": "id,prediction\n"}}
    for name, texts in zips.items():
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as file:
            for path, text in texts.items():
                file.writestr(path, text)
        assert run(folder, folder / f"{name}.zip", **given) == (
            1, None, "There is no predictions.csv at the top of your zip.\n"
        )  # fmt: skip
    assert run(folder, unsigned(folder), **given)[0] == 0
    late = run(folder, unsigned(folder, 1), **given)
    assert late[:2] == (1, None)
    assert late[2].startswith("The limit is 1 submissions of a team")
    down = {VARIABLE: "postgresql://us3r:pa55@127.0.0.1:1/n0where"}
    for url, said in (
        (f"sqlite:///{folder}/other.db", "The board cannot be used."),
        (down[VARIABLE], "The board's database does not answer."),
        ("", "The scoring program was given no database."),
    ):
        result = run(folder, unsigned(folder), **given | {VARIABLE: url})
        assert result[:2] == (1, None)
        assert result[2].startswith(said)
        assert not re.search("us3r|pa55|n0where|127", result[2])
    assert len(LiveBoard.open(given[VARIABLE]).log()) == 1


@pytest.mark.usefixtures("no_process")
def test_a_link_or_a_broken_program_shows_nothing(tmp_path):
    folder = bundle_of(tmp_path, "worker")
    given = {VARIABLE: f"sqlite:///{folder}/board.db", "SUBMISSION_USER": "12"}
    program = runpy.run_path(str(ADAPTER / "scoring_program" / "score.py"))
    (tmp_path / "res").mkdir()
    (tmp_path / "res" / "predictions.csv").symlink_to(predictions(folder))
    with pytest.raises(program["Failed"], match="There is no"):
        program["regular"](tmp_path / "res" / "predictions.csv", "There is no file.")
    (folder / "bundle" / "scoring_program" / "settings.json").write_text("{")
    result = run(folder, unsigned(folder), **given)
    assert result == (1, None, program["STOPPED"] + "\n")


@pytest.mark.usefixtures("no_process")
def test_the_primary_score_is_written_before_the_board_shows_one(tmp_path):
    folder = bundle_of(
        tmp_path, "worker", "ladder(alpha=0.1)", opens="2020-01-01", closes="2999-01-01",
        updates=["2998-01-01"],
    )  # fmt: skip
    given = {VARIABLE: f"sqlite:///{folder}/board.db", "SUBMISSION_USER": "12"}
    code, scores, said = run(folder, unsigned(folder), **given)
    assert (code, scores) == (0, {"mse": NONE_YET})
    assert "The board shows no score before 2998-01-01T00:00:00Z." in said


def test_a_score_that_codabench_cannot_store_is_failed(tmp_path, monkeypatch):
    folder = bundle_of(tmp_path, "worker")
    monkeypatch.setenv("SUBMISSION_USER", "12")
    monkeypatch.setenv(VARIABLE, "sqlite://")
    program = runpy.run_path(str(folder / "bundle" / "scoring_program" / "score.py"))
    answer = {"status": "scored", "message": "", "shown": True, "number": 1, "left": None,
              "left_today": 2, "next_update": "2030"}  # fmt: skip
    for value, wanted in ((1e10, None), (-1e10, None), (float("nan"), None), (0.1 + 1e-12, 0.1)):
        monkeypatch.setattr(
            "shakedown.live.scoring.score", lambda *_, v=value, **__: answer | {"score": v}
        )
        res = predictions(folder).rename(folder / "predictions.csv").parent
        if wanted is None:
            with pytest.raises(program["Failed"], match="more digits"):
                program["judge"](res)
        else:
            assert program["judge"](res) == (
                {"mse": wanted}, "Submission 1 of the team. Left today: 2. Next update: 2030."
            )  # fmt: skip


def test_the_lines_for_the_worker_tell_only_the_scoring_program(monkeypatch):
    """README's lines, in the list that the worker gives to its containers."""
    monkeypatch.setenv(VARIABLE, "postgresql://")
    text = (ADAPTER / "worker.md").read_text()
    lines = textwrap.dedent(re.search(r"```text\n(.*?)```", text, re.DOTALL)[1])
    environments = {
        (scoring, kind): eval(  # noqa: S307
            f'["PYTHONUNBUFFERED=1",\n{lines}]',
            {"os": os, "kind": kind,
             "self": SimpleNamespace(is_scoring=scoring, user_pk=12, submission_id=7)},
        )
        for scoring in (True, False)
        for kind in ("program", "ingestion")
    }  # fmt: skip
    assert environments.pop((True, "program")) == [
        "PYTHONUNBUFFERED=1", "SUBMISSION_USER=12", "SUBMISSION_ID=7",
        "SHAKEDOWN_DATABASE=postgresql://",
    ]  # fmt: skip
    assert set(map(tuple, environments.values())) == {("PYTHONUNBUFFERED=1",)}


@pytest.mark.parametrize(("metric", "sorting"), [("mse", "asc"), ("pearson", "desc")])
def test_the_column_of_the_competition_is_the_one_that_is_written(metric, sorting, tmp_path):
    board(tmp_path, "full_disclosure", metric, per_team=50)
    write("codabench", tmp_path / "bundle", f"sqlite:///{tmp_path}/board.db")
    part = yaml.safe_load((tmp_path / "bundle" / "competition_part.yaml").read_text())
    column = part["leaderboards"][0]["columns"][0]
    assert (column["key"], column["sorting"]) == (metric, sorting)
    assert part["phases"][0]["max_submissions"] == 50
    settings = json.loads((tmp_path / "bundle" / "scoring_program" / "settings.json").read_text())
    assert settings["column"] == metric
