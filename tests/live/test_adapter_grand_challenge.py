"""The adapter of Grand Challenge: its loop against a fake server, and algorithms that vary."""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shakedown.live.adapter_folder import write
from shakedown.live.live_board import LiveBoard
from shakedown.live.scoring import NONE_YET
from tests.live.grand_challenge_server import PHASE, TOKEN, serving
from tests.live.test_live_board import board
from tests.live.test_scoring import no_variables  # noqa: F401

CLAIM, UPDATE = "/claim/", "/update_external_evaluation/"
# An algorithm that gives other predictions each time it runs, and counts its runs.
ALGORITHM = """
import os, pathlib, random, sys
image, model, output, name, seconds = sys.argv[1:]
assert not {"GRAND_CHALLENGE_AUTHORIZATION", "SHAKEDOWN_DATABASE"} & set(os.environ)
what = pathlib.Path(image).read_text()
with open("runs", "a") as file:
    file.write(name + "\\n")
print("secret", image, file=sys.stderr)
if what.startswith("exit "):
    sys.exit(int(what[5:]))
if what == "hang":
    import time
    time.sleep(1000)
if what == "killed":
    os.kill(os.getpid(), 9)
rows = [f"r{k},{random.gauss(0, 1)}" for k in range(1 if what == "short" else 40)]
target = pathlib.Path(output, "predictions.csv")
if what == "link":
    target.symlink_to("/etc/passwd")
elif what != "none":
    target.write_text("\\n".join(["id,prediction", *rows, ""]))
"""


@pytest.fixture
def platform():
    with serving() as server:
        yield server


@pytest.fixture
def folder(tmp_path, platform, monkeypatch):
    return folder_of(tmp_path, platform, monkeypatch)


def folder_of(tmp_path, platform, monkeypatch, setting="ladderboot(alpha=0.15,b=10)", **rules):
    """The organiser's folder, with its settings made."""
    board(tmp_path, setting, **rules)
    made = tmp_path / "mine"
    write("grand_challenge", made, f"sqlite:///{tmp_path}/board.db")
    (made / "algorithm.py").write_text(ALGORITHM)
    (made / "work").mkdir()
    change(made, api=f"{platform.url}/api/v1/", phase=PHASE, seconds=30,
           command=[sys.executable, "algorithm.py"])  # fmt: skip
    monkeypatch.setenv("GRAND_CHALLENGE_AUTHORIZATION", TOKEN)
    return made


def change(folder, **settings):
    path = folder / "settings.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def once(folder):
    """One step of a loop that is started for it; returns what it prints."""
    spec = importlib.util.spec_from_file_location("evaluate", folder / "evaluate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main(once=True)


def runs(folder):
    path = folder / "runs"
    return len(path.read_text().splitlines()) if path.exists() else 0


def live_board(folder):
    return LiveBoard.open(f"sqlite:///{folder.parent}/board.db")


def clean(text, folder):
    for secret in (TOKEN, str(folder), "board.db", "sqlite", "Traceback", "secret", "127.0.0.1"):
        assert secret not in text


def in_process(folder, *arguments):
    """The loop, in a process of its own."""
    return subprocess.Popen(
        [sys.executable, str(folder / "evaluate.py"), *arguments], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )  # fmt: skip


@pytest.mark.full  # starts many processes
def test_the_oldest_is_evaluated_and_reported_with_the_shown_score(folder, platform):
    """With the processes of a real run."""
    first, second = platform.add(1, "ada"), platform.add(2, "bob")
    for _ in range(2):
        loop = in_process(folder, "--once")
        printed = loop.communicate()[0]
        assert loop.returncode == 0
        clean(printed, folder)
    assert [platform.evaluations[pk]["state"] for pk in (first, second)] == ["Succeeded"] * 2
    log = live_board(folder).log()
    assert list(log["team"]) == ["ada", "bob"]
    for pk, released in zip((first, second), log["released"], strict=True):
        metrics = platform.evaluations[pk]["report"]["metrics"]
        assert metrics == {"mse": pytest.approx(released, rel=1e-5)}
    assert log["submission"][0] == "grand-challenge-" + first.replace("0", "a", 1)
    # The image lies on another server, which is not sent the token.
    assert platform.sent == [None, None]
    assert not (folder / "work" / "claimed.json").exists()


@pytest.mark.usefixtures("no_process")
@pytest.mark.parametrize("lost", [CLAIM, UPDATE])
def test_after_a_lost_answer_the_loop_goes_on_where_it_was(lost, folder, platform, capfd):
    pk = platform.add(1, "ada")
    platform.broken.append(lost)
    for _ in range(3):
        once(folder)
    assert platform.evaluations[pk]["state"] == "Succeeded"
    assert runs(folder) == 1
    assert len(live_board(folder).log()) == 1
    assert not (folder / "work" / "claimed.json").exists()
    clean("".join(capfd.readouterr()), folder)


@pytest.mark.usefixtures("no_process")
@pytest.mark.parametrize("request_is_lost", [CLAIM, UPDATE])
def test_a_request_that_never_arrives_is_made_again(request_is_lost, folder, platform, monkeypatch):
    pk, answer = platform.add(1, "ada"), platform.answer

    def refuse(method, route, *rest):
        if route.endswith(request_is_lost) and len(platform.asked) < 4:
            return 503, {}
        return answer(method, route, *rest)

    monkeypatch.setattr(platform, "answer", refuse)
    first = []
    for _ in range(4):
        once(folder)
        log = live_board(folder).log()
        first += [list(log["released"])] if len(log) else []
    assert platform.evaluations[pk]["state"] == "Succeeded"
    assert runs(folder) == 1
    # What was released before the report arrived is what is reported.
    score = platform.evaluations[pk]["report"]["metrics"]["mse"]
    assert all(released == [pytest.approx(score, rel=1e-5)] for released in first)


@pytest.mark.full  # starts many processes
def test_a_loop_that_is_killed_at_any_moment_reports_one_answer(folder, platform):
    pk = platform.add(1, "ada")
    released = set()
    for moment in ("claim", "run", "score", "report"):
        loop = in_process(folder)
        ends = time.monotonic() + 60
        while not reached(moment, folder, platform, pk) and time.monotonic() < ends:
            time.sleep(0.005)
        loop.send_signal(signal.SIGKILL)
        loop.communicate()
        released |= set(live_board(folder).log()["released"])
    with contextlib.suppress(ProcessLookupError):
        loop.kill()
    assert platform.evaluations[pk]["state"] == "Succeeded"
    assert len(released) == 1
    assert platform.evaluations[pk]["report"]["metrics"]["mse"] == pytest.approx(
        *released, rel=1e-5
    )
    assert len(live_board(folder).log()) == 1


def reached(moment, folder, platform, pk):
    if moment == "claim":
        return platform.evaluations[pk]["claimed_by"]
    if moment == "run":
        return runs(folder)
    if moment == "score":
        return len(live_board(folder).log())
    return platform.evaluations[pk]["report"]


@pytest.mark.usefixtures("no_process")
@pytest.mark.parametrize(
    ("image", "said"),
    [
        (b"exit 1", "The algorithm failed."),
        (b"exit 124", "The algorithm took too long."),
        (b"none", "The algorithm wrote no predictions."),
        (b"link", "The algorithm wrote no predictions."),
    ],
)
def test_an_algorithm_that_fails_is_failed_once(image, said, folder, platform, capfd):
    pk = platform.add(1, "ada", image)
    platform.broken.append(UPDATE)
    for _ in range(3):
        once(folder)
    assert platform.evaluations[pk]["report"] == {"status": "Failed", "error_message": said}
    assert runs(folder) == 1
    assert len(live_board(folder).log()) == 0
    clean("".join(capfd.readouterr()), folder)


@pytest.mark.usefixtures("no_process")
def test_refusals_of_the_board_are_failures_of_the_platform(tmp_path, platform, monkeypatch, capfd):
    folder = folder_of(tmp_path, platform, monkeypatch, per_team=1)
    short, good, late, nobody = (
        platform.add(1, "ada", b"short"), platform.add(2, "ada"), platform.add(3, "ada"),
        platform.add(4, None),
    )  # fmt: skip
    for _ in range(4):
        once(folder)
    reports = [platform.evaluations[pk]["report"] for pk in (short, good, late, nobody)]
    assert [report["status"] for report in reports] == ["Failed", "Succeeded", "Failed", "Failed"]
    assert not any("metrics" in report for report in reports if report["status"] == "Failed")
    assert reports[2]["error_message"].startswith("The limit is 1 submissions of a team")
    assert reports[3]["error_message"] == "Grand Challenge did not say who submitted."
    assert len(live_board(folder).log()) == 1
    clean("".join(capfd.readouterr()) + json.dumps(reports), folder)


@pytest.mark.usefixtures("no_process")
@pytest.mark.parametrize("image", [b"exit 75", b"killed", b"hang"])
def test_what_is_not_the_algorithms_fault_is_tried_again(image, folder, platform, capfd):
    pk = platform.add(1, "ada", image)
    change(folder, seconds=0, grace_seconds=2)
    once(folder)
    assert platform.evaluations[pk]["report"] is None
    assert "submission" in capfd.readouterr().out
    # The machine runs again.
    next(folder.glob("work/*/image.tar.gz")).write_bytes(b"image")
    change(folder, seconds=30)
    once(folder)
    assert platform.evaluations[pk]["state"] == "Succeeded"
    assert runs(folder) == 2


@pytest.mark.usefixtures("no_process")
def test_a_board_that_is_down_is_waited_for_and_then_given_up(folder, platform, capfd):
    pk = platform.add(1, "ada")
    url = (folder / "database.url").read_text()
    (folder / "database.url").write_text("postgresql://us3r:pa55@127.0.0.1:1/n0where")
    for _ in range(2):
        once(folder)
    assert platform.evaluations[pk]["report"] is None
    (folder / "database.url").write_text(url)
    once(folder)
    assert platform.evaluations[pk]["state"] == "Succeeded"
    assert runs(folder) == 1

    other = platform.add(2, "ada")
    (folder / "database.url").write_text("postgresql://us3r:pa55@127.0.0.1:1/n0where")
    change(folder, give_up_hours=0)
    once(folder)
    report = platform.evaluations[other]["report"]
    assert (
        report["error_message"] == "The board could not be reached. Please write to the organisers."
    )
    printed = "".join(capfd.readouterr())
    clean(printed, folder)
    assert "us3r" not in printed + json.dumps(report)
    assert "The board's database does not answer." in printed


@pytest.mark.usefixtures("no_process")
def test_what_is_not_ours_any_more_is_left(folder, platform, capfd):
    cancelled, taken, free = platform.add(1, "ada"), platform.add(2, "bob"), platform.add(3, "cy")
    platform.add(4, "dee", b"exit 75")
    change(folder, phase=PHASE)
    platform.broken.append(CLAIM)
    once(folder)
    platform.evaluations[cancelled] |= {"state": "Cancelled", "report": {}}
    once(folder)
    assert "no longer claimed" in capfd.readouterr().out

    # Between the look and the claim, another user takes it.
    answer = platform.answer

    def slow(method, route, *rest):
        if route.endswith(f"{taken}{CLAIM}"):
            platform.evaluations[taken] |= {
                "state": "External Execution In Progress", "claimed_by": "other"
            }  # fmt: skip
        return answer(method, route, *rest)

    platform.answer = slow
    once(folder)
    assert "could not be claimed" in capfd.readouterr().out
    once(folder)
    assert platform.evaluations[free]["state"] == "Succeeded"
    assert platform.evaluations[taken]["report"] is None


@pytest.mark.usefixtures("no_process")
def test_a_score_is_reported_before_the_board_shows_one(tmp_path, platform, monkeypatch):
    folder = folder_of(
        tmp_path, platform, monkeypatch, "ladder(alpha=0.1)", opens="2020-01-01",
        closes="2999-01-01", updates=["2998-01-01"],
    )  # fmt: skip
    pk = platform.add(1, "ada")
    once(folder)
    assert platform.evaluations[pk]["report"]["metrics"] == {"mse": NONE_YET}


@pytest.mark.parametrize(
    ("settings", "token", "said"),
    [
        ({"api": "http://example.org/api/v1/"}, TOKEN, "Check settings.json"),
        ({}, "", "Check settings.json"),
        ({}, "wr0ng", None),
    ],
)
def test_wrong_settings_are_one_line(settings, token, said, folder, monkeypatch, capfd):
    change(folder, **settings)
    monkeypatch.setenv("GRAND_CHALLENGE_AUTHORIZATION", token)
    code = once(folder)
    printed = capfd.readouterr().out
    if said is None:
        assert (code, printed[20:]) == (
            0, "Grand Challenge refused a request (401). Check the token.\n"
        )  # fmt: skip
    else:
        assert code.startswith(said)
        assert printed == ""


def test_two_loops_do_not_run_in_one_folder(folder):
    import fcntl

    with (folder / "work" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert once(folder) == "Another evaluate.py runs in this folder."


# Docker, as far as run_algorithm.sh uses it; what a container writes is set by its input.
DOCKER = """#!/bin/sh
echo "$@" >>"$CALLS"
case $1 in
load) [ "$LOADS" = no ] || echo "Loaded image: participant/algorithm:1" ;;
run)
    for one in "$@"; do
        case $one in
        *:/input:ro) input=${one%:/input:ro} ;;
        *:/output) output=${one%:/output} ;;
        esac
    done
    sh "$input/container.sh" "$output"
    ;;
esac
"""


@pytest.mark.parametrize(
    ("container", "env", "code"),
    [
        ('printf 0.25 >"$1/prediction.json"', {}, 0),
        ('printf "0.25\\nx,1" >"$1/prediction.json"', {}, 0),
        ('ln -s /etc/passwd "$1/prediction.json"', {}, 1),
        (":", {}, 1),
        ("exit 3", {}, 1),
        ("exit 124", {}, 1),
        ("exit 125", {}, 75),
        ("exit 0", {"LOADS": "no"}, 75),
        ("sleep 30", {}, 124),
    ],
)
def test_the_command_runs_the_algorithm_on_each_input(container, env, code, tmp_path):
    write("grand_challenge", tmp_path / "mine")
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    for name in ("case 1", "case2"):
        (tmp_path / "mine" / "input" / name).mkdir(parents=True)
        (tmp_path / "mine" / "input" / name / "container.sh").write_text(container)
    output, image = tmp_path / "output", tmp_path / "image.tar.gz"
    output.mkdir()
    command = json.loads((tmp_path / "mine" / "settings.json").read_text())["command"]
    done = subprocess.run(
        [*command, str(image), "", str(output), "submission-1",
         "1" if "sleep" in container else "60"],
        cwd=tmp_path / "mine", check=False, capture_output=True, text=True,
        env=os.environ | env | {
            "PATH": f"{docker.parent}:{os.environ['PATH']}", "CALLS": str(tmp_path / "calls"),
        },
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    if code == 0:
        value = "0.25x1" if "x,1" in container else "0.25"
        wanted = f"id,prediction\ncase 1,{value}\ncase2,{value}\n"
        assert (output / "predictions.csv").read_text() == wanted
        calls = (tmp_path / "calls").read_text().splitlines()
        calls = [call for call in calls if call.startswith("run ")]
        assert len(calls) == 2
        assert all("--network none" in call for call in calls)
