"""What `leak` says below its table: it is true, and it is said where it matters."""

import re
import shlex

import pytest

import shakedown
from shakedown.cli import main

DIGEST = "digest(eta=0.1,floor=0.5,every=100,updates=10)"


def asked(capsys, words):
    assert main(["leak", *shlex.split(words)]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("numbers", "others"),
    [
        ("--updates 10 --step 0.1 --floor 0.5", ""),
        ("--updates 10 --step 0.1 --floor 0.5 --submissions 1000", ""),
        ("--updates 10 --step 0.1", "--accounts 2"),
        ("--updates 7 --step 0.02 --submissions 500", "--metric rmse"),
        ("--updates 5 --step 0.1 --submissions 3", "--start 1.5 --tolerated -0.2"),
        ("--updates 4 --step 0.1", "--metric pearson"),
    ],
)
def test_the_last_line_of_a_digest_by_its_numbers_proves_less(numbers, others, capsys):
    short = asked(capsys, f"--rows 209 {numbers} {others}")
    *sentence, arguments = short.split("\n\n")[-1].rstrip().split("\n")
    mean, high = re.findall(r"(\d+(?:\.\d+)?) (?:on average|in 95 %)", " ".join(sentence))
    longer = asked(capsys, f"--rows 209 {arguments} {others}")
    told = " ".join(longer.split())
    assert f"by at most {mean} on average, and by at most {high} with" in told
    pattern = r"at most (\S+) on average, and by at most (\S+) with"
    before = re.search(pattern, " ".join(short.split()))
    assert before is None or float(mean) < float(before[1]) or float(high) < float(before[2])
    assert "A smaller gain" not in longer
    every, updates, submissions = map(int, re.findall(r"(?:every=|updates=|ons )(\d+)", arguments))
    assert every == 1 or every * updates <= submissions < (every + 1) * updates


@pytest.mark.parametrize(
    "words",
    [
        "--updates 10 --step 0.02 --metric accuracy",
        "--updates 4 --step 0.1 --submissions 100 --acceptance",
        "--updates 4 --step 0.1 --subgaussian",
        "--updates 4 --step 0.1 --metric other --sd 0.07",
        "--noise 0.01 --submissions 1000",
        f"--board '{DIGEST}'",
        "--board constant_board",
    ],
)
def test_where_no_less_is_proved_nothing_is_said(words, capsys):
    assert "A smaller gain" not in asked(capsys, f"--rows 209 {words}")


def gains(rows, board, submissions):
    return shakedown.leak(rows, board, submissions=submissions).answer


def test_updates_beyond_those_that_are_reached_come_more_often():
    leak = shakedown.leak(209, DIGEST, submissions=1000)
    most = leak.limits.set_index("limit").loc["updates"]
    for column, key in (("on_average", "gain_mean"), ("in_95_percent", "gain_95")):
        number = int(most[column])
        assert number > 10
        kept, above = (
            gains(209, f"digest(eta=0.1,floor=0.5,every={1000 // w},updates={w})", 1000)[key]
            for w in (number, number + 1)
        )
        # A bound may exceed the number that a decision needs by a thousandth.
        assert kept <= 0.05 * 1.002 < above * 1.002
    note = "More than 10 updates fit into 1,000 submissions if they come more often than after 100."
    assert note in str(leak)
    assert note in leak.page()


@pytest.mark.parametrize(
    ("board", "submissions"),
    [(DIGEST, None), ("digest(eta=0.1,floor=0.5,every=1,updates=10)", 1000), (DIGEST, 100_000)],
)
def test_where_all_updates_are_reached_nothing_is_said_of_their_times(board, submissions):
    assert "more often" not in str(shakedown.leak(209, board, submissions=submissions))
