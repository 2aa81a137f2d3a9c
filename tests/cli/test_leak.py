"""The command `leak`: what it says of a board, and to a mistake."""

import json
import subprocess
import sys
from math import exp, log

import pytest

from shakedown.cli import main

BASELINE = "general_ladder(eta=0.1)+baseline"
LADDER = ("--board", BASELINE, "--submissions", "1000", "--floor", "0.5")
NOISE = ("--noise", "0.01", "--submissions", "1000")
DIGEST = ("--updates", "10", "--step", "0.1", "--floor", "0.5")


def said(capsys, *options, code=0):
    assert main(["leak", "--rows", "209", *options]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out if code == 0 else err


def answered(capsys, *options):
    return json.loads(said(capsys, *options, "--json"))


def test_a_ladder(capsys):
    result = answered(capsys, *LADDER)
    assert result["board"] == "General Ladder (η = 0.1) + baseline start"
    assert (result["proved"], result["useful"]) == (True, True)
    assert result["nats"] == pytest.approx(29.77, abs=0.005)
    assert result["bits"] == pytest.approx(42.94, abs=0.005)
    assert result["gain_mean"] == pytest.approx(0.168, abs=1e-3)
    assert result["gain_95"] == pytest.approx(0.183, abs=1e-3)
    assert result["needed_mean"]["rows"] == 639
    assert result["needed_95"]["rows"] == 687
    assert result["needed_mean"].keys() == {"nats", "rows", "submissions", "accounts", "step"}
    text = said(capsys, *LADDER)
    for words in (
        "General Ladder (η = 0.1) + baseline start, 209 public rows, 1,000 submissions.",
        "at most 29.8 nats (42.9 bits)",
        "starts at a score of 1",
        "better than that of the best honest file",
        "at most 0.168 on average",
        "public rows, at least            639         687",
        "variance 1.",
    ):
        assert words in " ".join(text.split()) or words in text


def test_a_board_without_a_start_is_not_proved(capsys):
    bare = ("--board", "general_ladder(eta=0.1)", "--submissions", "1000", "--floor", "0.5")
    unproved, other = answered(capsys, *bare), answered(capsys, *LADDER)
    assert (unproved["proved"], other["proved"]) == (False, True)
    assert unproved["nats"] == other["nats"]
    assert f"What follows is for {BASELINE}." in " ".join(said(capsys, *bare).split())
    assert "What follows" not in said(capsys, *LADDER)


@pytest.mark.parametrize("board", ["kaggle(eta=0.1)", "kaggle(eta=0.1)+baseline"])
def test_a_board_whose_scores_rise_is_not_proved(board, capsys):
    options = ("--board", board, "--submissions", "20")
    assert not answered(capsys, *options)["proved"]
    assert "shows scores worse than the start as the start" in " ".join(
        said(capsys, *options).split()
    )


def test_a_digest_by_its_id_is_that_by_its_numbers(capsys):
    by_id = answered(capsys, "--board", "digest(eta=0.1,floor=0.5,every=100,updates=10)")
    other = answered(capsys, *DIGEST)
    assert by_id["nats"] == other["nats"]
    # Its id says how many files an update has, so its levels count, too.
    assert by_id["gain_mean"] < other["gain_mean"]
    labels = ("--metric", "accuracy")
    by_id = answered(capsys, "--board", "digest(eta=0.1,floor=0.9,every=9,updates=10)", *labels)
    other = answered(capsys, "--updates", "10", "--step", ".1", "--floor", "0.9", *labels)
    assert by_id["nats"] == other["nats"]
    assert by_id["floor"] == 0.9


def test_a_digest_by_its_numbers(capsys):
    result = answered(capsys, *DIGEST)
    assert result["gain_mean"] == pytest.approx(0.0625, abs=5e-5)
    assert "updates" in result["needed_mean"]
    assert "submissions" not in result["needed_mean"]
    assert result["submissions"] is None
    two = answered(capsys, *DIGEST, "--accounts", "2")
    assert two["nats"] == 2 * result["nats"]
    assert answered(capsys, *DIGEST, "--accounts", "2", "--shared")["nats"] == result["nats"]
    assert answered(capsys, *DIGEST, "--improvements", "2")["nats"] < result["nats"]
    assert "no limit" in said(capsys, *DIGEST, "--shared", "--tolerated", "-0.5")
    assert "2 accounts that share one board" in said(capsys, *DIGEST, "--accounts", "2", "--shared")


def test_labels(capsys):
    options = ("--updates", "10", "--step", ".02", "--metric", "accuracy")
    result = answered(capsys, *options)
    assert result["bits"] == pytest.approx(27.45, abs=0.005)
    assert result["fair_labels_accuracy"] == pytest.approx(0.710, abs=5e-4)
    assert result["gain_mean"] == pytest.approx(0.213, abs=5e-4)
    assert "mean public accuracy is at most 0.71." in " ".join(said(capsys, *options).split())
    some = answered(capsys, *options, "--floor", "0.7")
    assert some["nats"] < result["nats"]


def test_a_baseline_start_tells_the_number_of_ones(capsys):
    """Of a board that is described, the start is a number of the organiser."""
    labels = ("--metric", "accuracy", "--rows", "2000")
    board = ("--board", "digest(eta=0.1,floor=0.9,every=9,updates=10)")
    with_flags = answered(capsys, *board, *labels)
    other = answered(capsys, "--updates", "10", "--step", ".1", "--floor", "0.9", *labels)
    assert with_flags["nats"] == other["nats"]
    assert with_flags["gain_mean"] == pytest.approx(2**0.5 * other["gain_mean"])
    assert "fair_labels_accuracy" not in with_flags
    assert "the share of each label" in " ".join(said(capsys, *board, *labels).split())
    text = said(capsys, "--updates", "10", "--step", ".1", *labels)
    assert "starts at a score of 0.5, whatever the labels, and" in " ".join(text.split())


def test_a_floor_that_a_board_does_not_have(capsys):
    words = "does not stop there by itself"
    assert words in " ".join(said(capsys, *LADDER).split())
    assert words not in said(capsys, *LADDER[:4])
    assert words not in said(capsys, *DIGEST)
    digest = ("--board", "digest(eta=0.1,floor=0.5,every=100,updates=10)")
    assert words not in said(capsys, *digest)


def test_another_metric_is_marked_as_approximate(capsys):
    options = ("--updates", "5", "--step", ".05", "--metric", "other", "--sd", ".06")
    assert not answered(capsys, *options)["proved"]
    text = said(capsys, *options)
    assert "by about" in text
    assert "An approximation" in text
    lower = answered(capsys, *options, "--start", "1", "--floor", "0")
    assert lower["nats"] == answered(capsys, *options)["nats"]


def test_the_unit_of_the_score(capsys):
    scaled = ("--updates", "10", "--step", "40", "--start", "400", "--floor", "200")
    standard, other = answered(capsys, *DIGEST), answered(capsys, *scaled)
    assert other["gain_mean"] == pytest.approx(400 * standard["gain_mean"])
    assert other["tolerated"] == -20
    assert other["needed_mean"]["rows"] == standard["needed_mean"]["rows"]
    better = answered(capsys, *DIGEST, "--variance", "0.6")
    assert better["gain_mean"] == pytest.approx(0.6 * standard["gain_mean"])


@pytest.mark.parametrize(
    ("board", "reason"),
    [
        ("ladderboot(alpha=0.15,b=10)", "noise"),
        ("full_disclosure", "Exact scores"),
        ("rank_board", "accounts of all teams"),
    ],
)
def test_of_some_boards_nothing_is_proved(board, reason, capsys):
    result = answered(capsys, "--board", board)
    assert (result["proved"], result["nats"]) == (False, None)
    assert reason in result["reason"]
    text = said(capsys, "--board", board)
    assert "No bound is proved." in text
    assert "at most" not in text


def test_of_some_boards_nothing_useful_is_proved(capsys):
    options = ("--board", "ladder(alpha=0.15)", "--submissions", "1000")
    assert not answered(capsys, *options)["useful"]
    text = said(capsys, *options)
    assert "nothing useful is proved" in text
    assert "on average, and by" not in text
    assert "step, at least" not in text  # its step is 1/n


def test_the_rmse(capsys):
    options = (*DIGEST[:5], "0.7", "--metric", "rmse")
    result = answered(capsys, *options)
    assert (result["proved"], result["tolerated"]) == (True, -0.025)
    assert result["gain_mean"] == pytest.approx(1 - exp(-result["nats"] / 209), abs=1e-3)
    assert result["gain_mean"] < result["gain_95"] < 0.1
    scaled = ("--updates", "10", "--step", "2", "--start", "20", "--floor", "14")
    other = answered(capsys, *scaled, "--metric", "rmse")
    assert other["nats"] == result["nats"]
    assert other["gain_95"] == pytest.approx(20 * result["gain_95"])
    text = " ".join(said(capsys, *options).split())
    assert "the public RMSE of the final file" in text
    assert "With fewer than 10 rows, or for gains beyond 0.4, their mean and length" in text


def test_a_board_that_tells_what_it_accepted(capsys):
    with_flags = (*DIGEST, "--submissions", "50", "--acceptance")
    result, plain = answered(capsys, *with_flags), answered(capsys, *DIGEST)
    assert result["nats"] == pytest.approx(plain["nats"] + 50 * log(2))
    assert answered(capsys, *with_flags, "--accounts", "3")["nats"] == pytest.approx(
        3 * result["nats"]
    )
    assert "submissions" in result["needed_mean"]
    assert "also tells which submissions were accepted" in " ".join(
        said(capsys, *with_flags).split()
    )
    # A General Ladder's score falls with each acceptance, and says as much down to the floor.
    whole, floored = answered(capsys, *LADDER[:4]), answered(capsys, *LADDER)
    assert answered(capsys, *LADDER[:4], "--acceptance")["nats"] == whole["nats"]
    assert answered(capsys, *LADDER, "--acceptance")["nats"] == whole["nats"] > floored["nats"]


def test_noisy_scores(capsys):
    result = answered(capsys, *NOISE)
    assert result["nats"] == pytest.approx(500 * log(1.01))
    assert result["proved"]
    assert result["gain_mean"] == pytest.approx(1 - exp(-2 * result["nats"] / 209))
    assert result["gain_95"] is result["needed_95"] is None
    assert result["needed_mean"]["submissions"] == int(5.36 / (0.5 * log(1.01)))
    assert answered(capsys, *NOISE, "--accounts", "2")["nats"] == 2 * result["nats"]
    text = " ".join(said(capsys, *NOISE).split())
    assert "varies at most 0.01 times as much" in text
    assert "95 %" not in text


def test_responses_that_are_not_gaussian(capsys):
    result, plain = answered(capsys, *DIGEST, "--subgaussian"), answered(capsys, *DIGEST)
    assert result["gain_mean"] == pytest.approx(2 * plain["nats"] / 209)
    assert result["gain_95"] > plain["gain_95"]
    assert "sub-Gaussian" in said(capsys, *DIGEST, "--subgaussian")


def test_a_digest_that_counts_submissions(capsys):
    digest = ("--board", "digest(eta=0.1,floor=0.5,every=50,updates=10)")
    every = answered(capsys, *digest)
    some = answered(capsys, *digest, "--submissions", "200")
    assert some["nats"] == pytest.approx(log(126))  # four updates
    assert every["nats"] == pytest.approx(log(3003))
    assert some["needed_mean"]["submissions"] is None  # all ten updates are proved
    assert "submissions" not in every["needed_mean"]
    capped = ("--board", "general_ladder(eta=0.1)+baseline+cap(improvements=1)")
    result = answered(capsys, *capped, "--submissions", "1000", "--floor", "0.5")
    assert result["nats"] == pytest.approx(log(1 + 1000 * 5))


def test_a_control_shows_nothing(capsys):
    assert "nothing is gained" in said(capsys, "--board", "constant_board")
    assert answered(capsys, "--board", "constant_board")["gain_mean"] == 0


@pytest.mark.parametrize("value", ["-0.05", "-5e-2", "-.05"])
def test_the_tolerated_overfit_is_negative_however_it_is_written(value, capsys):
    assert answered(capsys, *DIGEST, "--tolerated", value)["tolerated"] == -0.05


def test_a_digest_needs_no_compiled_core():
    code = (
        "import sys; from shakedown.cli import main;"
        "main('leak --rows 209 --updates 5 --step .1'.split());"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE).returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Give --board, such as 'general_ladder(eta=0.1)+baseline', a digest"),
        (["--noise", "1"], "--submissions is needed: this board shows a score after each"),
        ([*DIGEST, "--noise", "1"], "--noise describes a board: leave out either it or --updates"),
        ([*LADDER, "--noise", "1"], "--noise describes a board: leave out either it or --board"),
        ([*NOISE, "--acceptance"], "--noise: leave out --acceptance and --shared"),
        ([*NOISE, "--noise", "-1"], "`ratio` must be a number of 0 or more; got -1.0"),
        ([*NOISE, "--subgaussian"], "--subgaussian belongs to --metric mse without --noise"),
        ([*DIGEST, "--acceptance"], "--submissions is needed: --acceptance tells of each"),
        ([*DIGEST, "--metric", "rmse", "--subgaussian"], "--subgaussian belongs to --metric mse"),
        (["--updates", "3"], "Give --board"),
        ([*DIGEST, "--board", "kaggle"], "--updates describes a digest"),
        (["--board", "nope"], "mechanism 'nope' is not known"),
        (["--board", "ladder(alpha=0.15"], "wanted an id such as ladder(alpha=0.15)"),
        (["--board", "general_ladder(eta=0.1)"], "--submissions is needed"),
        (["--board", "digest(eta=0.1,floor=2,every=1,updates=1)"], "The floor must be a better"),
        (["--board", "kaggle+basline"], "Did you mean 'baseline'?"),
        (["--updates", "3", "--step", "0"], "--step: wanted a number above 0; got 0"),
        (["--updates", "3", "--step", "nan"], "--step: wanted a number, got 'nan'"),
        (["--updates", "3", "--step", "1e-300"], "`step` must be at least 1e-15"),
        (["--updates", "3.5", "--step", "1"], "--updates: wanted a whole number from 1"),
        (["--updates", "1e10", "--step", "1"], "--updates: wanted a whole number from 1"),
        ([*DIGEST, "--rows", "0"], "--rows: wanted a whole number from 1 to 1,000,000,000"),
        ([*DIGEST, "--accounts", "two"], "--accounts: wanted a number, got 'two'"),
        (
            [*DIGEST, "--floor", "2"],
            "The floor must be a better score than that of the start, 1; got 2.",
        ),
        ([*DIGEST, "--metric", "accuracy", "--floor", ".4"], "The floor must be a better score"),
        ([*DIGEST, "--tolerated", "0.05"], "--tolerated: wanted a number below 0"),
        ([*DIGEST, "--metric", "acuracy"], "Did you mean 'accuracy'?"),
        ([*DIGEST, "--metric", "other", "--start", "1"], "--metric other needs --sd"),
        ([*DIGEST, "--sd", "1"], "--sd belongs to --metric other"),
        (
            [*DIGEST, "--metric", "accuracy", "--floor", "1", "--variance", "1"],
            "--variance belongs",
        ),
        ([*DIGEST, "--variance", "0"], "`variance` must be a number above 0"),
        ([*DIGEST, "--acounts", "2"], "Did you mean '--accounts'?"),
    ],
)
def test_a_mistake_is_one_sentence(options, message, capsys):
    text = said(capsys, *options, code=2)
    assert message in text
    assert text.startswith("shakedown: ")
    assert len(text.strip().splitlines()) == 1
