"""Pictures and numbers of the texts are those of the studies that they come from.

A cell of a map may be rounded the other way on another machine, so a picture may differ in a few
digits, and a number by as much as its own rounding and that of another machine.
"""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from tests.docs.markdown import ROOT

pytestmark = pytest.mark.full

#: The study and the figure of each picture.
PICTURES = {
    "ladder_against_ladderboot": ("default", "fig6"),
    "who_can_overfit": ("default", "threats"),
    "attacks_against_leaderboards": ("threats", "map"),
    "auroc_attacks": ("classes", "map"),
}
CONFIGS = {
    "default": "config/config.yaml",
    "threats": "config/threats.yaml",
    "classes": "config/classes.yaml",
    "defences": "config/defences.yaml",
}
#: Mean difference of grey, from 0 to 255: one digit of a map is worth .02.
SAME = 0.1

ONE, ELEVEN = "Digest (1 update, step 0.25)", "Digest (11 updates, step 0.1)"
FIFTY, FINE = "Digest (50 updates, step 0.02)", "Digest (100 updates, step 0.002)"
FULL, BOOT = "Full-disclosure", "LadderBoot (b = 10) + baseline"
METERED = "Metered (100 files, gain 0.05)"
HOLDER, TEN = "holder", "10 accounts"


def ladder(eta):
    return f"General Ladder (η = {eta}) + baseline"


#: Sentences of docs/threats.md; each {} is an overfit of the map, in the same order.
OVERFIT = {
    "only a digest that shows one coarse update is proved; ten accounts take {} from it": [
        (50, ONE, TEN)
    ],
    "steps of .1 loses {} to a holder, and {} to ten accounts": [
        (50, ELEVEN, HOLDER),
        (50, ELEVEN, TEN),
    ],
    "the General Ladder with η = .25 loses {} to a holder": [(50, ladder(0.25), HOLDER)],
    "a digest with 11 updates of .1 is proved; ten accounts take {} from it": [(209, ELEVEN, TEN)],
    "One with 50 updates of .02 loses {} to a holder, one with 100 fine updates {}.": [
        (209, FIFTY, HOLDER),
        (209, FINE, HOLDER),
    ],
    "η = .1 and .05 lose {} and {} to a holder, {} and {} to ten accounts": [
        (209, ladder(0.1), HOLDER),
        (209, ladder(0.05), HOLDER),
        (209, ladder(0.1), TEN),
        (209, ladder(0.05), TEN),
    ],
    "η = .05, one account takes {}. Ten accounts take {} at η = .05, {} at .1, and {} from": [
        (1000, ladder(0.05), HOLDER),
        (1000, ladder(0.05), TEN),
        (1000, ladder(0.1), TEN),
        (1000, FIFTY, TEN),
    ],
    "without a model {} at 50 and {} at 1,000 rows, a holder {} at 209.": [
        (50, METERED, "no model"),
        (1000, METERED, "no model"),
        (209, METERED, HOLDER),
    ],
    "so it includes the luck of the file on the public rows: it is −{} at 50 rows": [
        (50, METERED, "modeller")
    ],
    "at 209 rows their Δ is −{} at worst": [(209, FULL, "modeller")],
    "it does not protect: −{} for a holder at 209 rows, −{} from ten accounts": [
        (209, BOOT, HOLDER),
        (209, BOOT, TEN),
    ],
    "a holder gains {} at 209 rows and {} at 50.": [(209, ELEVEN, HOLDER), (50, ELEVEN, HOLDER)],
    "gain more: ten of them {} and {}.": [(209, ELEVEN, TEN), (50, ELEVEN, TEN)],
}


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """The folder of each study's results."""
    folder = tmp_path_factory.mktemp("studies")
    for config in CONFIGS.values():
        words = ["reproduce", str(ROOT / config), "--cores", "1"]
        done = subprocess.run(
            [Path(sys.executable).with_name("shakedown"), *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout
    return {name: folder / "results" / name for name in CONFIGS}


def grey(path):
    return np.asarray(Image.open(path).convert("L"), float)


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_is_that_of_its_study(picture, studies):
    study, figure = PICTURES[picture]
    shown = grey(ROOT / f"docs/images/{picture}.png")
    drawn = grey(studies[study] / f"figures/{figure}.png")
    assert shown.shape == drawn.shape
    assert np.abs(shown - drawn).mean() < SAME, f"copy {figure}.png of {CONFIGS[study]}"


def flat(name):
    return " ".join((ROOT / name).read_text("utf-8").split())


@pytest.mark.parametrize("sentence", OVERFIT)
def test_an_overfit_in_words_is_that_of_the_map(sentence, studies):
    threats = pd.read_csv(studies["default"] / "threats.csv")
    pattern = re.escape(sentence).replace(r"\{\}", r"(\d?\.\d+)")
    told = re.search(pattern, flat("docs/threats.md"))
    assert told, "the sentence is another one now"
    for number, (rows, board, who) in zip(told.groups(), OVERFIT[sentence], strict=True):
        one = threats[(threats["public_rows"] == rows) & (threats["board"] == board)]
        measured = one.loc[one["participant"] == who, "delta"].min()
        assert -measured == pytest.approx(float(number), abs=0.0076), (number, rows, board, who)


def test_the_overfit_of_level_saving_is_that_of_the_second_map(studies):
    """The overfit counts from the honest file, as in the map."""
    measured = []
    for experiment in ("levels_holder", "reserve_holder"):
        outcomes = pd.read_parquet(studies["threats"] / f"outcomes/{experiment}.parquet")
        ends = outcomes[outcomes["submissions"] >= 1000]
        gains = (ends["score_public"] - ends["score_honest"]).groupby(ends["setting"].astype(str))
        medians = gains.median()
        measured += [medians[f"general_ladder(eta={eta})+baseline"] for eta in (0.1, 0.05)]
    told = re.search(
        r"a holder reaches −(\.\d+) at η = .1 and −(\.\d+) at η = .05 with 209 rows; the reserve "
        r"attack reaches −(\.\d+) and −(\.\d+)",
        flat("docs/threats.md"),
    )
    assert told
    assert -np.array(measured) == pytest.approx(list(map(float, told.groups())), abs=0.0076)


def test_what_the_page_of_threats_calls_proved_is_so_in_the_map(studies):
    threats = pd.read_csv(studies["default"] / "threats.csv")
    proved = threats[threats["is_proved"]]
    one = {rows: set(part["board"]) for rows, part in proved.groupby("public_rows")}
    ten = {r: set(p["board"]) for r, p in proved[proved["accounts"] == 10].groupby("public_rows")}
    assert one[50] == {ONE}
    assert one[209] == {ONE, ELEVEN}
    assert one[1000] == {ONE, ELEVEN, FIFTY, ladder(0.1), ladder(0.25)}
    digests = {ONE, ELEVEN, FIFTY, FINE}
    assert one[5000] == {*digests, *map(ladder, (0.05, 0.1, 0.25))}
    assert ten == {1000: {ONE}, 5000: {ONE, ELEVEN, ladder(0.1), ladder(0.25)}}


def test_the_verdicts_of_the_findings_are_those_of_the_ledger(studies):
    claims = pd.read_csv(studies["default"] / "claims.csv")
    claims = claims[claims["kind"] == "statistical"]
    verdict = claims["holds"].where(claims["certain"] == "yes", "undecided")
    ours = claims["source"].str.startswith("[C]")
    for whose, part in (
        ("of [C]", verdict[ours]),
        ("of Blum & Hardt and of Zheng", verdict[~ours]),
    ):
        yes, no, open_ = (int((part == word).sum()) for word in ("yes", "no", "undecided"))
        claimed = re.search(
            rf"Of (\d+) (?:statistical )?claims {re.escape(whose)}, (\d+) hold, (\d+) fail and "
            r"(\d+) are undecided",
            flat("docs/findings.md"),
        )
        assert claimed
        told = [int(number) for number in claimed.groups()]
        # Claims whose interval just reaches the bound may be decided on one machine only.
        assert told[0] == yes + no + open_
        assert np.abs(np.array(told[1:]) - [yes, no, open_]).max() <= 1


def test_the_claims_by_who_chose_the_bound_are_those_of_the_ledger(studies):
    claims = pd.read_csv(studies["default"] / "claims.csv")
    claims = claims[claims["kind"] == "statistical"]
    verdict = claims["holds"].where(claims["certain"] == "yes", "undecided")
    assert len(verdict) == 145
    assert (verdict == "undecided").sum() <= 5 + 1  # see above
    told = re.search(
        r"Of the (\d+) claims whose bound we chose, (\d+) hold, (\d+) fail and (\d+) are "
        r"undecided; of the (\d+) whose bound is the paper's, .*?, (\d+) hold, (\d+) fail "
        r"and (\d+) is undecided",
        flat("docs/findings.md"),
    )
    numbers = [int(number) for number in told.groups()]
    for bound, (count, *by_verdict) in (("ours", numbers[:4]), ("paper", numbers[4:])):
        part = verdict[claims["bound"] == bound]
        assert count == len(part) == sum(by_verdict)
        found = [int((part == word).sum()) for word in ("yes", "no", "undecided")]
        assert np.abs(np.array(by_verdict) - found).max() <= 1


def test_the_claims_on_other_data_are_those_of_the_ledger(studies):
    claims = pd.read_csv(studies["default"] / "claims.csv").set_index("claim")
    claims = claims[claims["kind"] == "carried over"]
    verdict = claims["holds"].where(claims["certain"] == "yes", "undecided")
    told = re.search(
        r"We checked (\d+) of these claims on the diabetes data \(442 patients\), too: (\d+) hold, "
        r"(\d+) fail and (\d+) are undecided\. One holds on simulated data .*? These (\d+) are",
        flat("docs/findings.md"),
    )
    count, *by_verdict, every = map(int, told.groups())
    real = claims.index.str.endswith("_diabetes")
    assert (real.sum(), len(claims)) == (count, every) == (sum(by_verdict), count + 1)
    assert verdict[~real].tolist() == ["yes"]
    found = [int((verdict[real] == word).sum()) for word in ("yes", "no", "undecided")]
    # Claims whose interval just reaches the bound may be decided on one machine only.
    assert np.abs(np.array(by_verdict) - found).max() <= 1


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_submissions_of_the_first_sentence_are_enough(page, studies):
    outcomes = pd.read_parquet(studies["default"] / "outcomes/threat_probe.parquet")
    outcomes = outcomes[outcomes["dataset"].astype(str) == "rows_209"]
    shown = outcomes[outcomes["setting"].astype(str) == "full_disclosure"]
    medians = shown.groupby("submissions")["score_public"].median()
    told = re.search(r"within 1,000 submissions\*\* \((\d+) are enough\)", flat(page))
    assert medians[int(told[1])] < 1e-9 < medians[200]


def test_the_numbers_of_the_findings_are_those_of_the_claims(studies):
    claims = pd.read_csv(studies["default"] / "claims.csv").set_index("claim")
    assert claims.loc["figS11_count_447", "measured"] == 447
    assert claims.loc["figS11_count_1785", "measured"] == 1785
    for claim in ("figS11_limit_alpha_01", "figS11_limit_ladderboot"):
        assert np.isinf(float(claims.loc[claim, "measured"]))
    told = r"Ladder \(α = .15\) up to 447\. .* LadderBoot \(b = 100, every α\) are safe up to 1,785"
    assert re.search(told, flat("docs/findings.md"))


def medians(studies, experiment, setting, point):
    """Median public and final score, and Δ."""
    outcomes = pd.read_parquet(studies["default"] / f"outcomes/{experiment}.parquet")
    chosen = outcomes["dataset"].isin(["ad_like", "illustration"])
    chosen &= outcomes["design"] == "permuted"
    chosen &= (outcomes["setting"] == setting) & (outcomes["point"] == point)
    return outcomes.loc[chosen, ["score_public", "score_final", "delta"]].median()


def test_the_scores_of_the_findings_are_those_of_the_study(studies):
    page = flat("docs/findings.md")
    told = re.search(r"has a public MSE of (\.\d+) and a final MSE of (1\.\d+)", page)
    measured = medians(studies, "freedman", "full_disclosure", 30)
    assert measured.iloc[:2].tolist() == pytest.approx(list(map(float, told.groups())), abs=0.006)
    told = re.search(
        r"bring the public MSE to (\.\d+) if every score is shown \(final: (1\.\d+)\). Even "
        r"LadderBoot \(α = .15, b = 10\) is overfit by (\.\d+)",
        page,
    )
    shown = medians(studies, "illustration_step_forward", "full_disclosure", 10)
    boot = medians(studies, "illustration_step_forward", "ladderboot(alpha=0.15,b=10)", 10)
    measured = [*shown.iloc[:2], -boot["delta"]]
    assert measured == pytest.approx(list(map(float, told.groups())), abs=0.006)


def test_the_limits_of_the_findings_are_those_of_the_study(studies):
    """The largest number of submissions tested before the first with a median overfit of .05."""
    claims = pd.read_csv(studies["default"] / "claims.csv").set_index("claim")["measured"]
    tested = sorted(claims[name] for name in claims.index if name.startswith("figS11_count"))
    told = re.search(
        r"Ladder \(α = .5\) is safe up to ([\d,]+) submissions, Ladder \(α = .15\) up to ([\d,]+)",
        flat("docs/findings.md"),
    )
    for number, claim in zip(told.groups(), ("50", "15"), strict=True):
        first = claims[f"figS11_limit_alpha_{claim}"]
        assert max(n for n in tested if n < first) == int(number.replace(",", ""))


#: Rows of the table of defences in docs/boards_compared.md, and the boards of their numbers.
DEFENDED = {
    "Ladder(.15) + `baseline`": ["ladder(alpha=0.15)+baseline"],
    "the same + `value_range`, or + `clip`": [
        "ladder(alpha=0.15)+baseline+value_range",
        "ladder(alpha=0.15)+baseline+clip",
    ],
    "the same + `cap_per_day`, one improvement in 50 files": [
        "ladder(alpha=0.15)+baseline+cap_per_day(improvements=1,day=50)"
    ],
    "LadderBoot(.15, b = 10) + `baseline` + `sticky`": [
        "ladderboot(alpha=0.15,b=10)+baseline+sticky"
    ],
    "Shaky Ladder, η = .05, scale .01, + `baseline`": [
        "shaky_ladder(eta=0.05,scale=0.01)+baseline"
    ],
    "General Ladder, η = .05, + `baseline`": ["general_ladder(eta=0.05)+baseline"],
    "Thresholdout, budget 10; 50": ["thresholdout(budget=10)", "thresholdout(budget=50)"],
}


@pytest.mark.parametrize("row", DEFENDED)
def test_the_table_of_defences_is_that_of_its_study(row, studies):
    lines = (ROOT / "docs/boards_compared.md").read_text("utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith(f"| {row} |")]
    for cell, experiment in zip(line.split("|")[2:4], ("reserve", "holder"), strict=True):
        outcomes = pd.read_parquet(studies["defences"] / f"outcomes/{experiment}.parquet")
        ends = outcomes[outcomes["submissions"] == 1000]
        gains = (ends["score_public"] - ends["score_honest"]).groupby(ends["setting"].astype(str))
        found = gains.mean()
        measured = found[DEFENDED[row]].tolist()
        told = [float(number.replace("−", "-")) for number in re.split("[,;]", cell)]
        assert measured == pytest.approx(told, abs=0.011)
