"""The rule is the one that is stated, and what it says can be read by people and machines."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from shakedown.config.nodes import node
from shakedown.dryrun.proof import MOST, with_proofs
from shakedown.dryrun.recommendation import recommend
from shakedown.dryrun.settings import DryRunEntry
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.settings import with_parameters
from shakedown.metrics import find
from shakedown.theory.proved import proved_limits, rows_needed
from tests.dryrun.asking import asked
from tests.figures import dryrun_frames

SETTINGS = {"threat": "modeller", "quantile": 0.5}
FULL, LADDER = "full_disclosure", "ladder(alpha=0.15)"
BOOT, STRICT = "ladderboot(alpha=0.15,b=10)", "ladderboot(alpha=0.01,b=10)"


def limits(*rows, threat="modeller", threshold=-0.05):
    """Rows of (setting, ci_low, estimate, ci_high)."""
    return pd.DataFrame(
        [
            {
                "dataset": "mine",
                "metric": "mse",
                "setting": setting,
                "threat": threat,
                "threshold": threshold,
                "safe_submissions": estimate,
                "ci_low": low,
                "ci_high": high,
                "censored": estimate == 2000,
                "quantile": 0.5,
                "replicates": 80,
            }
            for setting, low, estimate, high in rows
        ]
    ).astype({"ci_high": "Int64"})


def utility(*rows):
    """Rows of (setting, seen_floor, mean_difference)."""
    return pd.DataFrame(
        [
            {
                "dataset": "mine",
                "metric": "mse",
                "setting": setting,
                "sequence": "models",
                "replicates": 40,
                "rank_correlation": 0.9,
                "mean_difference": difference,
                "leaderboard_error": 0.2,
                "resolution_floor": 0.1,
                "seen_floor": floor,
            }
            for setting, floor, difference in rows
        ]
    )


TABLE = limits((FULL, 20, 25, 33), (LADDER, 520, 600, 800), (BOOT, 640, 900, None))
WORTH = utility((FULL, 0.01, 0.01), (LADDER, 0.12, 0.05), (BOOT, 0.08, 0.09))


def ask(table=TABLE, worth=WORTH, *, threshold=-0.05, **given):
    """A recommendation; `given` are its arguments, and settings of the dry run."""
    names = ("unit", "n_public", "frontier", "leaks", "n_features")
    own = {name: given.pop(name) for name in names if name in given}
    return recommend(table, worth, settings=asked(**SETTINGS | given), threshold=threshold, **own)


WORDS = {setting: type(of_setting(setting)).phrase for setting in (FULL, LADDER, BOOT)}


def label(option):
    return option and option["label"]


def test_of_the_safe_ones_the_one_that_shows_the_smallest_gains():
    recommendation = ask()
    assert recommendation["answer"] == "safe"
    assert label(recommendation["recommended"]) == "LadderBoot (α = 0.15, b = 10)"
    assert recommendation["headline"] == (
        f"Use a leaderboard that {WORDS[BOOT]} (LadderBoot): 500 submissions per participant are "
        "safe if all submit fitted models."
    )
    assert recommendation["exact"] == "Exact setting: LadderBoot (α = 0.15, b = 10)."
    assert (recommendation["submissions"], recommendation["safe_submissions"]) == (500, 900)
    assert (
        recommendation["conservative"],
        recommendation["censored"],
        recommendation["wanted"],
    ) == (640, False, 500)
    assert [label(o) for o in recommendation["runner_ups"]] == [
        "Ladder (α = 0.15)",
        "Full-disclosure",
    ]
    assert (recommendation["longer"], recommendation["tied"], recommendation["too_few_rows"]) == (
        None,
        [],
        False,
    )
    assert "640" not in str(recommendation["snippets"])
    assert "max_submissions: 500 " in recommendation["snippets"]["EvalAI"]


def test_of_the_safe_ones_the_smallest_lag_comes_before_the_smallest_gain():
    late = WORTH.assign(lag=[0.01, 0.0202, 0.03])
    assert label(ask(worth=late)["recommended"]) == "Ladder (α = 0.15)"
    same = WORTH.assign(lag=[0.01, 0.0202, 0.0198])
    assert label(ask(worth=same)["recommended"]) == "LadderBoot (α = 0.15, b = 10)"


def test_against_anybody_what_is_proved_comes_first():
    kinds = ("modeller", "null_adversary", "holder", "adversary")
    table = pd.concat([limits((LADDER, 520, 600, 800), (BOOT, 640, 900, None), threat=kind)
                       for kind in kinds])  # fmt: skip
    table["proved_submissions"] = table["setting"].map({LADDER: 700}).astype("Int64")
    for threat in kinds[1:]:
        recommendation = ask(table, threat=threat)
        assert label(recommendation["recommended"]) == "Ladder (α = 0.15)"
        assert (recommendation["holds"], recommendation["rests_on"]["threat"]) == ("proved", threat)
        assert "This is proved" in recommendation["sentence"]
        assert (
            "if the noise of the response is independent and about Gaussian: whatever an account"
            in recommendation["sentence"]
        )
    # Too few are proved.
    recommendation = ask(table, threat="adversary", submissions=620)
    assert label(recommendation["recommended"]) == "LadderBoot (α = 0.15, b = 10)"
    assert recommendation["holds"] == "measured"
    assert "measured, not proved" in recommendation["sentence"]
    among_colleagues = ask(table)
    assert label(among_colleagues["recommended"]) == "LadderBoot (α = 0.15, b = 10)"
    assert set(among_colleagues["recommended"]["threats"]) == set(kinds)


def test_where_nothing_holds_it_says_what_would():
    kinds = ("modeller", "adversary")
    table = pd.concat(
        [limits((LADDER, 20, 60, 80), (BOOT, 0, 9, 12), threat=kind) for kind in kinds]
    )
    recommendation = ask(table, threat="adversary", unit=1.0)
    rows = recommendation["would_hold"]["rows"]
    assert recommendation["answer"] == "fewer"
    assert (
        f"A digest of 10 updates would be safe with {rows:,} public rows"
        in recommendation["sentence"]
    )
    digest = "digest(eta=0.1,floor=0.5,every=50,updates=10)"
    assert rows == rows_needed(digest, "mse", -0.05, 500, quantile=0.5)
    assert ask(table, threat="adversary", unit=1.0, accounts=3)["would_hold"]["rows"] > 2 * rows
    other = ask(
        table.assign(threshold=-0.05 * 25.0), threshold=-0.05 * 25.0, threat="adversary", unit=25.0
    )  # fmt: skip
    assert other["would_hold"] == recommendation["would_hold"]
    # 505 submissions are nine times 51 and a rest: a tenth update would come too late.
    digest = "digest(eta=0.1,floor=0.5,every=51,updates=10)"
    fewer = ask(table, threat="adversary", unit=1.0, submissions=505)["would_hold"]["rows"]
    assert fewer == rows_needed(digest, "mse", -0.05, 505, quantile=0.5)
    assert ask(table, threat="modeller")["would_hold"] is None
    assert ask(table, threat="adversary", metric="spearman")["would_hold"] is None
    correlation = ask(table, threat="adversary", metric="pearson", unit=1.0, submissions=505)[
        "would_hold"
    ]
    assert correlation["rows"] == rows_needed(digest, "pearson", -0.05, 505, quantile=0.5)


@pytest.mark.parametrize(("metric", "unit"), [("mse", 25.0), ("rmse", 5.0)])
def test_what_is_proved_depends_on_the_threshold_in_units_of_the_response(metric, unit):
    """A response with a standard deviation of 5; the start is that of standardised data."""
    digest = "digest(eta=0.1,floor=0.5,every=5,updates=10)"
    share = {"mse": 0.05, "rmse": 0.025}[metric]
    table = limits((digest, 5, 9, 12), (LADDER, 5, 9, 12), threshold=-share * unit)
    proved = with_proofs(table.assign(metric=metric), n_public=200, unit=unit, quantile=0.25)
    wanted = proved_limits(digest, find(metric), 200, -share, MOST, quantile=0.25)
    for column, known in (
        ("proved_submissions", wanted.both),
        ("proved_mean", wanted.mean),
        ("proved_quantile", wanted.quantile),
    ):
        assert proved[column].tolist()[0] == known
    assert wanted.both > 0


@pytest.mark.parametrize("name", ["submissions", "largest_budget"])
def test_proofs_go_as_far_as_a_dry_run_may_ask(name):
    assert node(DryRunEntry)["properties"][name]["maximum"] == MOST


def test_a_limit_for_modellers_says_what_arbitrary_numbers_do():
    table = pd.concat([TABLE, limits((BOOT, 7, 9, 12), threat="adversary")])
    assert ask(table)["meaning"] == (
        "If participants submit arbitrary numbers instead of predictions, only 7 are safe."
    )
    table = pd.concat([TABLE, limits((BOOT, 0, 2, 12), threat="adversary")])
    assert ask(table)["meaning"].endswith("not even a few are safe.")


def test_a_metric_that_no_adversary_reads_is_told():
    recommendation = ask(threat="adversary")
    assert recommendation["rests_on"]["threat"] == "modeller"
    assert recommendation["sentence"].startswith(
        "No attack with arbitrary numbers is known here for the"
    )


@pytest.mark.parametrize(
    ("played", "is_told"),
    [
        (["random_search", "finite_differences_holder"], True),
        (["random_search", "greedy_climb"], False),
        (["step_forward"], False),
    ],
)
def test_attacks_that_know_nothing_of_the_metric_are_told(played, is_told):
    parts = [
        curve((10, 0.0, 0.0, 0.0), threat=part).assign(attack=part.removesuffix("_holder"))
        for part in played
    ]
    table = pd.concat([TABLE, limits((BOOT, 640, 900, None), threat="adversary")])
    ends = [curve((10, 0.0, 0.0, 0.0), threat=threat) for threat in ("adversary", "modeller")]
    whole = pd.concat([*parts, *ends])
    told = (
        "Under the MSE the only attacks with arbitrary numbers that were played are those that "
        "need nothing but scores."
    )
    (*_, last) = ["", *ask(table, threat="adversary", frontier=whole)["warnings"]]
    assert last.startswith(told) == is_told
    assert told not in " ".join(ask(table, threat="modeller", frontier=whole)["warnings"])


def test_the_lower_end_decides_and_not_the_estimate():
    table = limits((LADDER, 500, 510, 800), (BOOT, 499, 2000, None))
    assert label(ask(table)["recommended"]) == "Ladder (α = 0.15)"


def test_floors_that_agree_to_two_digits_are_a_tie():
    near = utility((LADDER, 0.0801, 0.05), (BOOT, 0.0799, 0.09))
    assert label(ask(worth=near)["recommended"]) == "Ladder (α = 0.15)"
    apart = utility((LADDER, 0.081, 0.05), (BOOT, 0.079, 0.09))
    assert label(ask(worth=apart)["recommended"]) == "LadderBoot (α = 0.15, b = 10)"


def test_a_gain_that_never_shows_is_worse_than_any_that_does():
    worth = utility((LADDER, 0.5, 0.05), (BOOT, None, 0.01))
    assert label(ask(worth=worth)["recommended"]) == "Ladder (α = 0.15)"
    absent = utility((LADDER, 0.5, 0.05))
    recommendation = ask(worth=absent)
    assert label(recommendation["recommended"]) == "Ladder (α = 0.15)"
    assert recommendation["runner_ups"][0]["seen_floor"] is None


def test_none_safe_gives_the_safest_and_its_number():
    table = limits((FULL, 20, 25, 33), (LADDER, 520, 600, 800), (BOOT, 640, 900, 999))
    recommendation = ask(table, submissions=1000)
    assert recommendation["answer"] == "fewer"
    assert recommendation["likeliest"] is None
    assert label(recommendation["recommended"]) == "LadderBoot (α = 0.15, b = 10)"
    assert recommendation["submissions"] == recommendation["conservative"] == 640
    assert recommendation["sentence"] == (
        "No leaderboard tested is known to be safe for 1,000 submissions per participant if all "
        f"submit fitted models. On the safest, a leaderboard that {WORDS[BOOT]} (LadderBoot), "
        "allow at most 640. Exact setting: LadderBoot (α = 0.15, b = 10)."
    )
    assert "max_submissions: 640 " in recommendation["snippets"]["Codabench"]
    assert recommendation["longer"] is None  # it cannot help


def test_an_interval_that_holds_the_wanted_number_is_not_decided():
    recommendation = ask(submissions=700)
    assert recommendation["answer"] == "undecided"
    assert recommendation["sentence"] == (
        "Not decided yet, leaning safe: 80 plays cannot tell whether 700 "
        "submissions per participant are safe if all submit fitted models. Until more plays "
        f"decide, allow at most 640 on a leaderboard that {WORDS[BOOT]} (LadderBoot). It is also "
        "the most promising: if its estimate is right, it is safe for all 700. "
        "Exact setting: LadderBoot (α = 0.15, "
        "b = 10)."
    )
    assert recommendation["likeliest"] == recommendation["recommended"]
    assert recommendation["submissions"] == recommendation["conservative"] == 640
    assert "max_submissions: 640 " in recommendation["snippets"]["EvalAI"]
    # Nothing says how many plays: half the width.
    assert recommendation["longer"] == {"minutes": 12}
    # The upper end decides: at it there is hope, above it none.
    table = limits((LADDER, 520, 600, 700))
    assert ask(table, submissions=700)["answer"] == "undecided"
    assert ask(table, submissions=701)["answer"] == "fewer"
    assert ask(limits((LADDER, 0, 600, 700)), submissions=701)["answer"] == "none"


def test_the_likeliest_need_not_be_the_one_to_use_until_then():
    recommendation = ask(
        limits((LADDER, 100, 200, 300), (BOOT, 10, 900, None), (FULL, 20, 40, None))
    )
    assert recommendation["answer"] == "undecided"
    assert label(recommendation["likeliest"]) == "LadderBoot (α = 0.15, b = 10)"
    assert label(recommendation["recommended"]) == "Ladder (α = 0.15)"
    assert f"at most 100 on a leaderboard that {WORDS[LADDER]} (" in recommendation["headline"]
    assert recommendation["meaning"].startswith(
        f"The most promising is a leaderboard that {WORDS[BOOT]} (LadderBoot): if its"
    )
    assert recommendation["exact"] == (
        "Exact settings: Ladder (α = 0.15); LadderBoot (α = 0.15, b = 10)."
    )
    assert label(recommendation["runner_ups"][0]) == "LadderBoot (α = 0.15, b = 10)"
    # None can be used before: nothing to paste, and nothing to allow.
    recommendation = ask(limits((BOOT, 0, 900, None), (FULL, 0, 40, None)))
    assert (
        recommendation["answer"],
        recommendation["submissions"],
        recommendation["recommended"],
    ) == (
        "undecided",
        None,
        None,
    )
    assert "Until" not in recommendation["sentence"]
    assert recommendation["snippets"] == {}


def curve(*rows, threat="modeller", setting=LADDER, replicates=80):
    """A frontier of (submissions, low, delta, high)."""
    return pd.DataFrame(
        [
            {"setting": setting, "threat": threat, "attack": "freedman", "submissions": n,
             "delta_low": low, "delta": delta, "delta_high": high, "replicates": replicates}
            for n, low, delta, high in rows
        ]
    )  # fmt: skip


def test_how_many_plays_would_settle_it():
    table = limits((LADDER, 0, 600, None))
    # Half a width of .03, a distance of .01: nine times as many.
    safe = curve((8, -0.02, -0.01, 0), (500, -0.07, -0.04, -0.01), (2000, -0.2, -0.1, 0))
    recommendation = ask(table, frontier=safe)
    assert recommendation["plays_needed"] == 720
    assert recommendation["longer"] == {"minutes": 27}
    assert ask(table, frontier=safe, minutes=2.5)["longer"] == {"minutes": 23}  # whole ones
    recommendation = ask(table, frontier=safe, most_replicates=400)
    assert recommendation["longer"] == {"minutes": 27, "most_replicates": 720}
    # Plays that ended early, because the interval was narrow enough, end early again.
    recommendation = ask(table, frontier=safe, precision=1.5)
    assert recommendation["longer"] == {"minutes": 27, "precision": 0.5}
    # The curve of the strongest participant decides, and no other.
    worse = curve((500, -0.09, -0.07, -0.03), (2000, -1, -1, -1), threat="best_of_many")
    assert ask(table, frontier=pd.concat([worse, safe]))["plays_needed"] == 720
    strongest = worse.assign(threat="modeller")
    assert ask(table, frontier=strongest)["plays_needed"] == 320
    # The likeliest of those whose estimate is enough is the one that is easiest to tell.
    clear = safe.assign(setting=BOOT, delta_low=-0.055)
    two = limits((LADDER, 50, 600, None), (BOOT, 0, 550, None))
    recommendation = ask(two, frontier=pd.concat([safe, clear]))
    assert label(recommendation["likeliest"]) == "LadderBoot (α = 0.15, b = 10)"
    assert label(recommendation["recommended"]) == "Ladder (α = 0.15)"
    assert recommendation["plays_needed"] == 180
    # Too close to tell, or without an end.
    for delta, low in ((-0.0499, -0.09), (-0.04, np.nan), (-0.05, -0.09)):
        recommendation = ask(table, frontier=safe.assign(delta=delta, delta_low=low))
        assert recommendation["plays_needed"] is None
        assert recommendation["longer"] == {"minutes": 12}


def test_the_answer_that_is_not_decided_says_which_way_it_leans_and_what_it_takes():
    """With a curve, a number of plays and minutes; without a direction for a decided answer."""
    table = limits((LADDER, 0, 600, None))
    rows = (8, -0.02, -0.01, 0), (500, -0.07, -0.04, -0.01), (2000, -0.2, -0.1, 0)
    recommendation = ask(table, frontier=curve(*rows))
    assert recommendation["leaning"] == "safe"
    assert recommendation["sentence"] == (
        "Not decided yet, leaning safe: 80 plays cannot tell whether 500 "
        "submissions per participant are safe if all submit fitted models. The most promising "
        f"is a leaderboard that {WORDS[LADDER]} (Ladder): if its estimate is right, it is safe "
        "for all 500. About 720 plays, in 27 minutes, would settle it. Exact setting: Ladder "
        "(α = 0.15)."
    )
    below = curve(rows[0], (500, -0.12, -0.07, -0.03), rows[2])
    recommendation = ask(limits((LADDER, 30, 400, 800)), frontier=below)
    assert recommendation["leaning"] == "unsafe"
    assert (
        "if its estimate is right, it is safe for only 400. About 320 plays, in 12 minutes"
        in recommendation["sentence"]
    )
    assert "it is safe for none." in ask(limits((LADDER, 0, 0, 800)))["sentence"]
    assert ask()["leaning"] is None


def test_an_answer_says_if_a_team_sees_one_score_or_none():
    digest = "digest(eta=0.1,floor=0.5,every=400,updates=3)"
    worth = utility((digest, 0.1, 0.1))
    for wanted, low, seen in (
        (500, 399, "no new score"),
        (500, 500, "one new score"),
        (800, 900, None),
    ):
        meaning = ask(limits((digest, low, 900, None)), worth, submissions=wanted)["meaning"]
        assert ("a team sees" in meaning) == (seen is not None)
        assert seen is None or f"a team sees {seen} there" in meaning


RARE, OFTEN = (
    "digest(eta=0.1,floor=0.5,every=50,updates=2)",
    "digest(eta=0.1,floor=0.5,every=9,updates=11)",
)


def test_until_more_plays_decide_teams_see_more_than_one_score_if_as_much_is_known():
    """A digest with one score for 50 submissions gives way to the next that shows more."""
    rows = [
        (RARE, 50, 600, None),
        (OFTEN, 17, 600, None),
        (LADDER, 12, 90, None),
        (BOOT, 30, 70, 90),
    ]
    assert [of_setting(RARE).scores_within(n) for n in (50, 100)] == [1, 2]
    recommendation = ask(limits(*rows))
    assert recommendation["answer"] == "undecided"
    # The second digest shows one score, too, and LadderBoot is known to be unsafe.
    assert label(recommendation["recommended"]) == "Ladder (α = 0.15)"
    assert recommendation["submissions"] == recommendation["conservative"] == 12
    assert recommendation["likeliest"]["setting"] == RARE
    others = [option["setting"] for option in recommendation["runner_ups"]]
    assert others == [RARE, BOOT, OFTEN]
    # Eighteen submissions bring two scores.
    rows[1] = (OFTEN, 18, 600, None)
    assert ask(limits(*rows))["recommended"]["setting"] == OFTEN
    # Two scores are enough.
    rows[0] = (RARE, 100, 600, None)
    assert ask(limits(*rows))["recommended"]["setting"] == RARE
    # Nothing shows more: the largest cautious limit.
    assert ask(limits((RARE, 40, 600, None), (LADDER, 1, 90, None)))["submissions"] == 40


def test_what_shows_nothing_gives_way_only_if_the_answer_is_open_and_to_nothing_weaker():
    rows = (RARE, 50, 600, None), (LADDER, 12, 90, None)
    kinds = ("modeller", "adversary")
    table = pd.concat([limits(*rows, threat=kind) for kind in kinds])
    for proved, chosen in (
        ({}, LADDER), ({RARE: 50}, RARE), ({RARE: 49}, LADDER), ({RARE: 50, LADDER: 12}, LADDER),
        ({LADDER: 12}, RARE),
    ):  # fmt: skip
        table["proved_submissions"] = table["setting"].map(proved).astype("Int64")
        assert ask(table, threat="adversary")["recommended"]["setting"] == chosen
    fewer = limits((RARE, 50, 60, 90), (LADDER, 12, 14, 20))
    assert ask(fewer)["answer"] == "fewer"
    assert ask(fewer)["recommended"]["setting"] == RARE
    safe = limits((RARE, 520, 600, None), (LADDER, 500, 600, 900))
    worth = utility((RARE, 0.1, 0.1), (LADDER, 0.1, 0.1)).assign(lag=[0.1, 0.2])
    assert ask(safe, worth, submissions=60)["recommended"]["setting"] == RARE


def test_two_settings_of_one_kind_of_leaderboard_are_told_apart():
    """The one that is known to be safe for fewer, and the one with the better estimate."""
    table = limits((LADDER, 8, 300, None), ("ladder(alpha=0.01)", 0, 600, None))
    recommendation = ask(table)
    assert recommendation["headline"].endswith(
        f"allow at most 8 on a leaderboard that {WORDS[LADDER]} (Ladder)."
    )
    assert recommendation["meaning"].startswith(
        "The most promising is the same with another setting: if its estimate is right"
    )


def test_the_precision_that_was_reached():
    safe = curve((8, -0.02, -0.01, 0), (500, -0.07, -0.04, -0.01), (2000, -0.2, -0.1, 0))
    table = limits((LADDER, 0, 600, None))
    recommendation = ask(table, frontier=safe, precision=0.5)
    assert recommendation["precision"] == {"wanted": 0.5, "reached": pytest.approx(1.2)}
    assert ask(table)["precision"] == {"wanted": 0.5, "reached": None}


def test_where_the_fewest_submissions_are_too_many_the_answer_says_so():
    ladder = curve((8, -0.2, -0.1, 0), (500, -0.7, -0.4, -0.1), (2000, -0.7, -0.4, -0.1))
    both = pd.concat([ladder, ladder.assign(setting=FULL)])
    table = limits((LADDER, 0, 7, None), (FULL, 0, 1, 3))
    recommendation = ask(table, frontier=both, n_public=30)
    assert recommendation["too_few_rows"]
    assert recommendation["headline"].startswith("Not decided yet, leaning unsafe: 80 plays")
    assert recommendation["meaning"].startswith(
        "With only 30 public rows, even 8 submissions, the fewest tested, are too many on most "
        "leaderboards. The most promising is "
    )
    for some in (limits((LADDER, 0, 8, None), (FULL, 0, 1, 3)), limits((LADDER, 500, 600, 700))):
        recommendation = ask(some, frontier=both)
        assert not recommendation["too_few_rows"]
        assert "the fewest tested" not in recommendation["sentence"]


def test_the_share_of_the_spread_that_is_tolerated():
    rests = ask(unit=2.0)["rests_on"]
    assert (rests["unit"], rests["spread"]) == ("squared units of the response", "variance")
    assert rests["share"] == 0.025
    rests = ask(metric="rmse", unit=2.0)["rests_on"]
    assert (rests["unit"], rests["spread"]) == ("units of the response", "standard deviation")
    rests = ask(metric="pearson", unit=1.0)["rests_on"]
    assert (rests["unit"], rests["spread"], rests["share"]) == ("", "", None)
    assert ask()["rests_on"]["share"] is None


def test_who_ties():
    table = limits((FULL, 20, 25, 33), (BOOT, 20, 900, None), (LADDER, 10, 80, 200))
    assert ask(table)["tied"] == ["Full-disclosure"]
    table = limits((FULL, 20, 25, 33), (BOOT, 20, 90, 95), (LADDER, 20, 80, 200))
    assert ask(table)["answer"] == "fewer"
    assert ask(table)["tied"] == ["Ladder (α = 0.15)", "Full-disclosure"]


def test_where_nothing_is_safe_nothing_is_recommended():
    recommendation = ask(limits((FULL, 0, 0, 5), (LADDER, 0, 4, 20)))
    assert recommendation["answer"] == "none"
    for name in ("recommended", "submissions", "safe_submissions", "conservative", "censored"):
        assert recommendation[name] is None
    assert recommendation["snippets"] == {}
    assert recommendation["sentence"] == (
        "No leaderboard tested is known to be safe for 500 submissions per participant if all "
        "submit fitted models, nor for "
        "any smaller number tested."
    )
    assert recommendation["longer"] is None
    assert len(recommendation["runner_ups"]) == 2


def test_of_two_with_the_same_cautious_limit_the_one_that_looks_safer():
    table = limits((FULL, 20, 25, 33), (BOOT, 20, 900, None), (LADDER, 20, 80, 200))
    recommendation = ask(table)
    assert label(recommendation["recommended"]) == "LadderBoot (α = 0.15, b = 10)"
    assert [label(o) for o in recommendation["runner_ups"]] == [
        "Ladder (α = 0.15)",
        "Full-disclosure",
    ]


def test_of_more_than_was_tested_more_plays_cannot_tell():
    recommendation = ask(limits((BOOT, 2000, 2000, None)), submissions=2500)
    assert (
        recommendation["answer"],
        recommendation["submissions"],
        recommendation["censored"],
    ) == ("fewer", 2000, True)
    assert recommendation["longer"] is None


def test_only_the_worst_participant_and_the_first_threshold_count():
    other = limits((BOOT, 5, 5, 5), threat="freedman")
    later = limits((BOOT, 6, 6, 6), threshold=-0.1)
    table = pd.concat([other, later, TABLE])
    assert ask(table)["conservative"] == 640
    assert ask(table, threshold=-0.1)["conservative"] == 6


def test_controls_are_no_boards_to_run():
    control = "constant_board"
    worth = pd.concat([utility((control, 0.001, 0.001)), WORTH])
    recommendation = ask(pd.concat([limits((control, 2000, 2000, None)), TABLE]), worth)
    assert label(recommendation["recommended"]).startswith("LadderBoot")
    assert len(recommendation["runner_ups"]) == 2


def test_the_order_of_the_rows_does_not_matter():
    assert ask(TABLE[::-1], WORTH[::-1]) == ask()


def test_fit_for_json_also_after_a_file():
    recommendation = ask(n_public=148)
    assert json.loads(json.dumps(recommendation, allow_nan=False)) == recommendation
    again = [
        pd.read_csv(io.StringIO(with_parameters(frame).to_csv(index=False)))
        for frame in (TABLE, WORTH)
    ]
    assert ask(*again, n_public=148) == recommendation
    assert set(recommendation["recommended"]) >= {"label", "ci_low", "ci_high", "seen_floor"}
    assert recommendation["recommended"]["ci_high"] is None
    assert recommendation["recommended"]["setting"] == BOOT
    assert recommendation["recommended"]["parameters"] == {"alpha": 0.15, "b": 10}


def test_tables_of_the_real_shape_do():
    curve = dryrun_frames.frontier()
    table = dryrun_frames.limits(curve)
    recommendation = ask(table, dryrun_frames.utility())
    count = len(dryrun_frames.SETTINGS)
    assert len(recommendation["runner_ups"]) == count - 1
    safe = table[(table["threat"] == "modeller") & (table["ci_low"] >= 500)]
    assert recommendation["recommended"]["label"].startswith("LadderBoot")
    assert recommendation["conservative"] in set(safe["ci_low"])


@pytest.mark.parametrize(
    ("table", "threshold", "words"),
    [
        (TABLE, -0.07, "at the threshold -0.07.*thresholds of the table: -0.05"),
        (TABLE.iloc[:0], -0.05, "thresholds of the table: none"),
        (
            pd.concat([TABLE, TABLE]),
            -0.05,
            "one limit per leaderboard at the threshold -0.05",
        ),
    ],
)
def test_a_table_without_an_answer_is_refused(table, threshold, words):
    with pytest.raises(InputError, match=words):
        ask(table, threshold=threshold)


def test_a_missing_number_is_null():
    worth = WORTH.assign(seen_floor=np.nan)
    assert ask(worth=worth)["recommended"]["seen_floor"] is None


def test_nothing_is_safe_beyond_the_models_that_were_played():
    """With 3 features there are 7 models: no attack overfits with 500, as none makes so many."""
    table = limits((FULL, 7, 7, None), (LADDER, 7, 7, None)).assign(censored=True)
    played = pd.concat([curve((n, -0.01, -0.03, 0.0)) for n in (1, 7)])
    recommendation = ask(table, frontier=played, n_features=3)
    assert (
        recommendation["answer"],
        recommendation["submissions"],
        recommendation["most_tested"],
    ) == ("fewer", 7, 7)
    assert recommendation["warnings"] == [
        "With 3 features the attackers have only 7 different models to submit; nothing beyond "
        "that was tried."
    ]
    assert recommendation["sentence"].startswith(
        recommendation["warnings"][0] + " No leaderboard tested"
    )
    assert ask(table, frontier=played, n_features=3, submissions=7)["warnings"] == []


@pytest.mark.parametrize(
    "worth",
    [
        WORTH.assign(sequence="noise", honest_gain=0.2),
        WORTH.assign(honest_gain=-0.1),
        WORTH.assign(honest_gain=0.0),
    ],
)
def test_a_response_that_nobody_can_predict_opens_the_answer(worth):
    recommendation = ask(worth=worth)
    assert recommendation["sentence"].startswith(
        "Honest models do not predict this response clearly"
    )
    assert recommendation["headline"].endswith("are safe if all submit fitted models.")
    assert ask(worth=WORTH.assign(honest_gain=0.1))["warnings"] == []


def test_leaks_open_the_answer():
    assert ask(leaks=["age"])["sentence"].startswith(
        "Feature 'age' gives the response away: leave it out, unless participants may know it. Use"
    )
    assert "Features 'a', 'b' give the response away: leave them" in ask(leaks="ab")["sentence"]


def weighed():
    """A proved board, a more useful one that is proved on average, and one that is measured."""
    rows = (LADDER, 520, 600, 800), (BOOT, 640, 900, None), (STRICT, 640, 900, None)
    table = limits(*rows, threat="adversary")
    numbers = {LADDER: (700, 700), BOOT: (0, 700), STRICT: (None, None)}
    for k, column in enumerate(("proved_submissions", "proved_mean")):
        table[column] = pd.array([numbers[s][k] for s in table["setting"]], dtype="Int64")
    worth = utility((LADDER, 0.12, 0.05), (BOOT, 0.08, 0.09), (STRICT, 0.08, 0.09))
    return table, worth.assign(lag=[0.03, 0.01, 0.02])


def test_what_is_required_decides_and_the_best_of_the_other_kind_is_named():
    table, worth = weighed()
    first = ask(table, worth, threat="adversary")
    assert (label(first["recommended"]), first["holds"]) == ("Ladder (α = 0.15)", "proved")
    assert (first["proved"], first["proved_boards"]) == (True, 1)
    assert (first["instead"]["setting"], first["instead"]["holds"]) == (BOOT, "proved on average")
    assert (
        f"The most useful one that is safe without a proof is a leaderboard that {WORDS[BOOT]} "
        "(LadderBoot): the best score that teams see there trails their true best by 0.01 instead "
        "of 0.03 squared units of the response. It is proved only on average."
    ) in first["sentence"]
    assert first["exact"] == "Exact settings: Ladder (α = 0.15); LadderBoot (α = 0.15, b = 10)."
    shares = ask(table, worth, threat="adversary", unit=2.0)["meaning"]
    assert "by 0.5 % instead of 1.5 % of the response’s variance." in shares
    assert (
        "is too good by at most 2.5 % of the response’s variance, on average and for 50 %" in shares
    )
    second = ask(table, worth, threat="adversary", require="measured")
    assert second["recommended"]["setting"] == BOOT
    assert (second["holds"], second["proved"]) == ("proved on average", False)
    assert (
        "proved on average, and otherwise measured: for 50 % of those who try, no attack"
        in second["sentence"]
    )
    assert f"that is proved is a leaderboard that {WORDS[LADDER]} (L" in second["sentence"]
    third = ask(table[table["setting"] != BOOT], worth, threat="adversary")
    assert third["meaning"].endswith("It is measured: a stronger attack may exist.")


def test_where_nothing_is_proved_the_answer_says_so():
    table, worth = weighed()
    table = table[table["setting"] == STRICT]
    answer = ask(table, worth, threat="adversary", metric="mae")
    assert answer["meaning"].startswith(
        "This is measured, not proved: for 50 % of those who try, no attack that was played makes "
    )
    assert answer["meaning"].endswith(
        "too good by more than 0.05 (MAE). A stronger attack may exist. Nothing is proved under "
        "the MAE."
    )
    assert (answer["holds"], answer["proved"], answer["instead"]) == ("measured", False, None)
    answer = ask(table, worth, threat="adversary")
    assert answer["meaning"].endswith("Nothing is proved here for 500 submissions per participant.")
    assert "Nothing is proved" not in ask()["sentence"]


def test_of_equal_lags_the_one_that_keeps_the_order():
    worth = WORTH.assign(lag=0.01, rank_correlation=[0.9, 0.8, 0.7])
    assert label(ask(worth=worth)["recommended"]) == "Ladder (α = 0.15)"
