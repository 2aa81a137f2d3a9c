"""The adapter of EvalAI: its remote worker against a fake server, and its hosted `evaluate`."""

import ast
import importlib
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shakedown.live.adapter_folder import SECRET, write
from shakedown.live.live_board import LiveBoard
from tests.live.evalai_server import CHALLENGE, LABELS, QUEUE, SPLITS, TOKEN, serving
from tests.live.test_live_board import board, submissions
from tests.live.test_scoring import no_variables, predictions  # noqa: F401

ADAPTER = Path(__file__).parents[2] / "adapters" / "evalai"
SENT = "2026-03-01T10:00:00.000001Z"

pytestmark = pytest.mark.usefixtures("warm_process")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The organiser's folder, with its settings made."""
    board(tmp_path, per_team=2)
    made = tmp_path / "challenge_1"
    write("evalai", made, f"sqlite:///{tmp_path}/board.db")
    settings = json.loads((made / "settings.json").read_text())
    assert settings["label"] in LABELS
    of_phase = settings["phases"].pop("PHASE_CODENAME")
    settings["phases"]["dev"] = of_phase | {"split": next(iter(SPLITS))}
    (made / "settings.json").write_text(json.dumps(settings))
    return made


def imported(name, path, monkeypatch):
    monkeypatch.syspath_prepend(str(path))
    for loaded in [
        loaded for loaded in sys.modules if loaded.split(".")[0] in {"core", "remote", name}
    ]:
        monkeypatch.delitem(sys.modules, loaded)
    return importlib.import_module(name)


@pytest.fixture
def remote(folder, monkeypatch):
    return imported("remote", folder, monkeypatch)


@pytest.fixture
def evalai():
    with serving() as platform:
        yield platform


def platform_of(remote, evalai):
    return remote.Platform(TOKEN, evalai.url, QUEUE, CHALLENGE)


def live_board(tmp_path):
    return LiveBoard.open(f"sqlite:///{tmp_path}/board.db")


def clean(text, tmp_path):
    for secret in (str(tmp_path), TOKEN, "board.db", "Traceback", "sqlite"):
        assert secret not in text
    return True


def test_a_submission_is_scored_once_however_often_it_comes(remote, evalai, tmp_path, capfd):
    content = predictions(tmp_path).read_bytes()
    evalai.add(12, 5, content)
    platform = platform_of(remote, evalai)
    assert remote.once(platform, {})
    running, done = evalai.updates
    assert running == {"method": "PATCH", "submission": "12", "submission_status": "RUNNING"}
    score = live_board(tmp_path).submit("5", submissions()[0], f"evalai-dev-5-{SENT}").score
    assert done == {
        "method": "PUT", "challenge_phase": "7", "submission": "12", "stdout": "", "stderr": "",
        "metadata": "", "submission_status": "FINISHED", "result": json.dumps(
            [{"split": "public_split", "show_to_participant": True, "accuracies": {"mse": score}}]
        ),
    }  # fmt: skip
    assert evalai.waiting == []

    # The worker died after its commit: the message comes again, and the status is "running".
    evalai.waiting.append(12)
    evalai.submissions[12]["status"] = "running"
    assert remote.once(platform, {})
    evalai.rerun(12, 13)
    assert remote.once(platform, {})
    assert [update["result"] for update in evalai.updates if "result" in update] == [
        done["result"]
    ] * 3
    assert evalai.submissions[13]["status"] == "finished"

    # The cancelled one comes late.
    evalai.waiting.append(12)
    assert remote.once(platform, {})
    assert evalai.waiting == []
    assert not remote.once(platform, {})
    assert live_board(tmp_path).submit("5", submissions()[1], "next").number == 2
    out, err = capfd.readouterr()
    assert err == ""
    assert clean(out + json.dumps(evalai.updates), tmp_path)


def test_two_workers_with_the_same_message_report_the_same(remote, evalai, tmp_path):
    evalai.add(12, 5, predictions(tmp_path).read_bytes())
    platform = platform_of(remote, evalai)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: remote.once(platform, {}), range(2)))
    results = [update["result"] for update in evalai.updates if "result" in update]
    assert len(results) == 2
    assert results[0] == results[1]
    assert live_board(tmp_path).submit("5", submissions()[1], "next").number == 2


def test_a_refusal_is_failed_with_its_message(remote, evalai, tmp_path):
    live = live_board(tmp_path)
    for k in (1, 2):
        live.submit("5", submissions()[k])
    evalai.add(12, 5, predictions(tmp_path).read_bytes())
    assert remote.once(platform_of(remote, evalai), {})
    failed = evalai.updates[-1]
    assert failed["submission_status"] == "FAILED"
    assert failed["stderr"].startswith("The limit is 2 submissions of a team")
    assert "result" not in failed
    assert evalai.waiting == []


def test_while_the_board_fails_the_message_stays_and_then_it_is_failed(
    remote, evalai, tmp_path, capfd, monkeypatch
):
    (tmp_path / "board.db").rename(tmp_path / "away.db")
    evalai.add(12, 5, predictions(tmp_path).read_bytes())
    monkeypatch.setattr(remote, "TRIES", 2)
    platform, tries = platform_of(remote, evalai), {}
    assert not remote.once(platform, tries)
    assert [update["method"] for update in evalai.updates] == ["PATCH"]
    assert evalai.waiting == [12]
    assert remote.once(platform, tries)
    assert evalai.updates[-1]["stderr"].startswith("The board cannot be used.")
    assert (evalai.waiting, tries) == ([], {})
    assert clean("".join(capfd.readouterr()) + json.dumps(evalai.updates), tmp_path)


class Stop(BaseException):
    pass


@pytest.mark.parametrize(
    ("breakage", "said"),
    [
        ("nobody", "EvalAI does not answer."),
        ("token", "EvalAI refused a request (401)."),
        ("answer", "EvalAI's answer was not understood."),
        ("file", "EvalAI's answer was not understood."),
    ],
)
def test_the_worker_outlives_the_platform(
    breakage, said, remote, evalai, tmp_path, monkeypatch, capfd
):
    def sleep(_):
        raise Stop

    token = "wr0ng" if breakage == "token" else TOKEN
    server = "http://127.0.0.1:9" if breakage == "nobody" else evalai.url
    values = {"AUTH_TOKEN": token, "API_SERVER": server, "QUEUE_NAME": QUEUE}
    for name, value in (values | {"CHALLENGE_PK": CHALLENGE}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(remote.time, "sleep", sleep)
    if breakage == "answer":
        evalai.add(12, 5, b"")
        del evalai.submissions[12]["input_file"]
    if breakage == "file":
        evalai.add(12, 5, b"")["input_file"] = f"file://{tmp_path}/board.db"
    with pytest.raises(Stop):
        remote.main()
    out, err = capfd.readouterr()
    assert said in out
    assert err == ""
    assert len(out.splitlines()) == 1
    assert "wr0ng" not in out
    assert clean(out, tmp_path)


def test_a_missing_variable_is_named(remote, monkeypatch):
    for name in ("AUTH_TOKEN", "API_SERVER", "QUEUE_NAME", "CHALLENGE_PK"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit, match="Set the variable AUTH_TOKEN"):
        remote.main()


def test_hosted_evaluate_gives_its_own_schema_and_fails_without_a_traceback(
    folder, tmp_path, monkeypatch, capfd
):
    module = imported("challenge_1", folder.parent, monkeypatch)
    metadata = {"id": 123, "participant_team": 5, "challenge_phase": 1, "submitted_at": SENT}
    file = str(predictions(tmp_path))
    first = module.evaluate("", file, "dev", submission_metadata=metadata)
    again = module.evaluate("", file, "dev", submission_metadata=metadata | {"id": 124})
    score = live_board(tmp_path).submit("5", submissions()[0], f"evalai-dev-5-{SENT}").score
    assert again == first == {
        "result": [{"public_split": {"mse": score}}],
        "submission_result": {"number": 1, "note": ""}, "submission_metadata": "",
    }  # fmt: skip
    (tmp_path / "board.db").unlink()
    for phase, given, said in (
        ("dev", {"submission_metadata": metadata}, "The board cannot be used."),
        ("other", {"submission_metadata": metadata}, "The settings of the scoring program"),
        ("dev", {}, "The settings of the scoring program"),
    ):
        failed = module.evaluate("", file, phase, **given)
        assert set(failed) == {"submission_result"}
        out, err = capfd.readouterr()
        assert out == ""
        assert err == failed["submission_result"] + "\n"
        assert err.startswith(said)
        assert clean(err, tmp_path)


def test_an_older_python_makes_one_that_has_shakedown(folder, tmp_path, monkeypatch):
    hosted = importlib.import_module(
        imported("challenge_1", folder.parent, monkeypatch).__name__ + ".hosted"
    )
    assert sys.executable == hosted.PYTHON
    calls, place = [], tmp_path / "python"

    def run(command, **given):
        assert given == {"stdout": -3, "stderr": -3, "check": True}
        calls.append(command)
        place.mkdir(exist_ok=True)

    monkeypatch.setattr(hosted.sys, "version_info", (3, 9, 18))
    monkeypatch.setattr(hosted.subprocess, "run", run)
    assert hosted.prepare(str(place)) == ""  # there is no wheel
    wheel = folder / "shakedown-0.1.0-py3-none-any.whl"
    wheel.touch()
    for _ in range(2):
        assert hosted.prepare(str(place)) == str(place / "bin" / "python")
    assert calls[-1][-1] == f"{wheel}[board]"
    assert len(calls) == 3


@pytest.mark.parametrize("name", ["__init__", "core", "hosted"])
def test_what_the_hosted_worker_imports_is_for_python_3_7(name):
    ast.parse((ADAPTER / f"{name}.py").read_text(), feature_version=(3, 7))


def test_an_address_that_others_can_read_is_closed_to_them(folder, remote):
    (folder / SECRET).chmod(0o644)
    assert remote.core.address().startswith("sqlite:///")
    assert (folder / SECRET).stat().st_mode & 0o077 == 0
    (folder / SECRET).unlink()
    assert remote.core.address() is None
