"""The dry run's page answers first, explains its words, and needs nothing but itself."""

import json
import re
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest

from shakedown.dryrun.answer import given
from shakedown.dryrun.recommendation import recommend
from shakedown.dryrun.shares import written
from shakedown.dryrun.unattacked import MEASURED, NOT_ATTACKED
from shakedown.dryrun.who_wins import who_wins
from shakedown.final_rows.of_dryrun import COLUMNS
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.naming import in_words
from shakedown.metrics import find
from shakedown.report.dryrun import FIGURES, DryRunContent, render_dryrun
from shakedown.report.dryrun_rows import (
    DeltaScale,
    asked_of,
    interval,
    limit,
    percent,
    proved_rank,
    rank,
)
from shakedown.report.templates import firm
from tests.dryrun.asking import asked
from tests.figures import dryrun_frames
from tests.report.pages import cards_of, check_alone, check_links, read, section
from tests.report.test_page import HOSTILE, Page, words

SETTINGS = {"threat": "modeller", "quantile": 0.5}
THREATS = ("modeller", "step_forward", "freedman", "best_of_many", "paper_recipe")
JOBS = [
    {"job": 0, "replicates": 41, "seconds": 180.4, "reason": "time", "width": 0.01},
    {"job": 1, "replicates": 39, "seconds": 150.0, "reason": "narrow", "width": 0.01},
]


def make(settings=dryrun_frames.SETTINGS, *, unit=1.0, **changes):
    """Content on made-up tables; `changes` are settings of the dry run."""
    given = asked(**SETTINGS | changes)
    curve = dryrun_frames.frontier(settings, unit=unit, threats=THREATS)
    limits = dryrun_frames.limits(curve, (-0.05 * unit, -0.1 * unit))
    recommendation = recommend(
        limits,
        dryrun_frames.utility(settings, unit=unit),
        settings=given,
        threshold=-0.05 * unit,
        unit=unit,
        n_public=147,
    )
    return DryRunContent(
        study="trial",
        dataset="mine",
        seed=1607,
        n_features=64,
        sizes={"train": 148, "public": 147, "final": 147},
        settings=given,
        recommendation=json.loads(json.dumps(recommendation)),  # as from a file
        limits=limits,
        frontier=curve,
        notes=["8 rows without a response dropped."],
        jobs=JOBS,
        versions={"python": "3.11.0"},
        config_text="study: trial\n",
    )


CONTENT = make()


@pytest.fixture(scope="module")
def cards(tmp_path_factory):
    return cards_of(FIGURES, tmp_path_factory.mktemp("figures"))


def test_well_formed_with_unique_ids_and_links_that_lead_somewhere(cards):
    sections = ["answer", "limits", "ways", "usefulness", "data", "sure", "not-covered"]
    sections += ["settings", "words", "provenance"]
    check_links(render_dryrun(replace(CONTENT, figures=cards)), sections)


def test_nothing_from_outside(cards):
    text = render_dryrun(replace(CONTENT, figures=cards))
    check_alone(text)


def test_same_content_same_bytes(cards):
    whole = replace(CONTENT, figures=cards)
    assert render_dryrun(whole) == render_dryrun(whole)


def test_what_is_tolerated_is_a_share_of_one_spread_or_of_several():
    words = [
        DeltaScale(-0.05, "units", 0.05, "variance", responses).threshold(-0.05)
        for responses in (1, 20)
    ]
    assert words[0].replace("\u00a0", " ") == "5 % of the response’s variance"
    assert words[1].replace("\u00a0", " ") == "5 % of the responses’ variance"
    assert DeltaScale(-0.05, "units", None).threshold(-0.05) == "0.05 units"


def test_the_answer_comes_first():
    recommendation = CONTENT.recommendation
    html = render_dryrun(CONTENT)
    assert recommendation["answer"] == "safe"
    before = read(html).split(recommendation["headline"])[0]
    assert "risk" not in before
    assert "Leaderboard Safe" not in before
    answer = read(section(html, "answer"))
    assert "Over 30 days, 500 submissions are 17 a day, rounded up, and no more than" in answer
    assert answer.index("What next.") < answer.index("What “safe” means.")
    assert (
        "In at least half of all plays, the worst attack overfits by less than 5 % of the "
        "response’s variance, which is what you tolerate."
    ) in answer
    assert (
        "gains and lags on this page are in % of the response’s variance; 5 % is 0.05 squared "
        "units of the response. Based on 60 plays."
    ) in answer
    assert 'paste the <a href="#settings">settings</a>' in section(html, "answer")
    assert "What next. Run this leaderboard with shakedown board create (" in answer
    by_command = replace(CONTENT, planner="shakedown design --dryrun results/my")
    path = f"results/{CONTENT.study}/recommendation.json"
    assert f"with shakedown board create {path} (" in read(
        section(render_dryrun(by_command), "answer")
    )
    assert "recommended" in answer
    assert "What to do" not in answer
    assert answer.index("What remains at risk") < answer.index("All leaderboards")
    row = CONTENT.frontier.query("threat == 'modeller' and submissions == 500")
    row = row[(row["setting"] == recommendation["recommended"]["setting"]).to_numpy()].iloc[0]
    size = percent(row["delta"]).replace("\u00a0", " ")
    assert f"reaches an overfit of Δ = {size}; 95 % interval: " in answer
    assert "By chance, half of such attackers overfit more." in answer


def test_the_answer_says_what_honest_teams_get():
    content = make()
    assert "What honest teams get" not in render_dryrun(content)  # nothing is known of teams
    board = content.recommendation["recommended"]
    board |= {"lag": 0.02, "seen_floor": 0.08, "rank_correlation": 0.914}
    answer = read(section(render_dryrun(content), "answer"))
    assert "trails their true best by 2 % on average" in answer
    assert "A true gain of 8 % shows in 4 of 5 cases." in answer
    assert "rank correlation of 0.91." in answer
    assert "standard error" not in answer
    board |= {"answered": 0.085, "answer_error": 0.048}
    answer = read(section(render_dryrun(content), "answer"))
    seen = "They see a new score after {}, with a standard error of {}"
    assert seen.format("8.5 % of their files", "4.8 %") + "." in answer
    board |= {"mechanism": "metered", "parameters": {"files": 300}, "seen_floor": None}
    board |= {"answered": 1.0, "answer_error": 0.03}
    answer = read(section(render_dryrun(content), "answer"))
    later = "; later files sharpen earlier scores, up to 300 files."
    assert seen.format("each file", "3 %") + later in answer
    assert "No true gain that was tested shows" in answer


def test_the_heading_is_a_question_and_its_study_is_named_below():
    html = render_dryrun(CONTENT)
    assert "<h1>How many submissions may this challenge allow?</h1>" in html
    assert f"In the dry run {CONTENT.study} attackers" in read(html)


def test_a_play_shuffles_the_response_for_modellers_alone():
    said = read(section(render_dryrun(CONTENT), "words"))
    assert "for adversaries other files on the responses as they are." in said
    of_labels = read(section(render_dryrun(make(metric="zero_one")), "words"))
    assert "another shuffle of the labels, and for holders other sets." in of_labels


def test_a_threshold_finer_than_the_rows_can_tell_is_said_below_the_answer():
    assert "Finer than the rows" not in render_dryrun(CONTENT)
    said = "You tolerate 5 % of the variance, but a single score has a standard error of 17 %."
    content = replace(CONTENT, recommendation=CONTENT.recommendation | {"too_fine": said})
    answer = section(render_dryrun(content), "answer")
    assert said in read(answer).replace("\u00a0", " ")
    assert answer.index('class="sentence"') < answer.index("Finer than the rows can tell")
    assert 'href="#tolerance"' in answer


def rows(html):
    """Cells of each row of the tables, as texts."""
    html = re.sub(r'<details class="fold".*?</details>', "", html)  # of narrow screens
    return [
        [read(f"<p>{cell}</p>") for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)]
        for row in re.findall(r"<tr[^>]*>(<td.*?)</tr>", html, re.DOTALL)
    ]


def test_the_table_of_the_answer_has_every_leaderboard_once_and_the_chosen_one_first():
    seen, folded, _ = section(render_dryrun(CONTENT), "answer").split("<details>")
    seen, folded = rows(seen), rows(folded)
    assert len(seen) == 5
    assert len(seen) + len(folded) == len(dryrun_frames.SETTINGS)
    chosen = CONTENT.recommendation["recommended"]
    assert seen[0][0] == f"{chosen['label']} recommended"
    assert seen[0][1] == f"{chosen['safe_submissions']:,} {chosen['ci_low']:,} to all"
    assert seen[0][2] == "yes"
    floor = chosen["seen_floor"]
    assert seen[0][3] == f"{100 * floor:.2g} %"
    assert seen[-1][0] == "Full-disclosure"  # what platforms do is always in sight
    assert seen[-1][2] == "no"
    labels = [row[0] for row in (*seen[1:], *folded)]
    assert sorted(labels) == sorted(o["label"] for o in CONTENT.recommendation["runner_ups"])


def test_a_limit_that_may_do_is_called_so():
    limits = CONTENT.limits.query("threshold == -0.05 and threat == 'modeller'")
    ladder = limits.query("setting == 'ladder(alpha=0.15)'").iloc[0]
    assert ladder["safe_submissions"] < ladder["ci_high"] < 2000
    for more, wording in ((0, "not sure, leaning unsafe"), (1, "no")):
        content = make(submissions=int(ladder["ci_high"]) + more)  # the end decides
        cells = {row[0]: row for row in rows(section(render_dryrun(content), "answer"))}
        assert cells["Ladder (α = 0.15)"][2] == wording
        assert cells["Ladder (α = 0.5)"][2] == "no"
    beyond = make(submissions=2500)
    cells = {row[0]: row for row in rows(section(render_dryrun(beyond), "answer"))}
    assert cells["Ladder (α = 0.15)"][2] == "no"
    assert cells["LadderBoot (α = 0.15, b = 10)"][2] == "not tested"


def test_what_is_not_sure_is_explained_with_the_command_that_would_settle_it():
    ladder = CONTENT.limits.query("threshold == -0.05 and threat == 'modeller'")
    ladder = ladder.query("setting == 'ladder(alpha=0.15)'").iloc[0]
    content = replace(make(submissions=int(ladder["ci_high"])), longer="shakedown dryrun my.csv")
    answer = section(render_dryrun(content), "answer")
    wanted = int(ladder["ci_high"])
    assert f"95 % interval of the safe number includes {wanted:,}: these plays cannot tell" in read(
        answer
    )
    assert "<pre><code>shakedown dryrun my.csv</code></pre>" in answer
    by_file = replace(content, longer="", config_path="mine.yaml")
    text = read(section(render_dryrun(by_file), "answer"))
    assert "Set minutes: 12 under dryrun in mine.yaml , and run: shakedown reproduce mine.yaml" in (
        " ".join(text.split())
    )
    sure = [{**option, "ci_low": 2000} for option in content.recommendation["runner_ups"]]
    recommendation = content.recommendation | {"runner_ups": sure}
    assert "not-sure" not in render_dryrun(replace(content, recommendation=recommendation))


def test_no_setting_safe_is_said_plainly_with_what_to_do():
    content = make(submissions=2500)
    recommendation = content.recommendation
    assert recommendation["answer"] == "fewer"
    html = render_dryrun(content)
    answer = read(section(html, "answer"))
    assert "No leaderboard tested is known to be safe for 2,500" in answer
    assert "What to do" in answer
    assert "Put more rows into the public set" in answer
    assert "the safest" in answer
    assert 'class="answer fewer"' in html
    assert "<code>largest_budget</code>" in section(html, "answer")
    assert f"max_submissions: {recommendation['submissions']} " in section(html, "settings")


def test_a_safe_board_that_shows_nothing_is_called_so():
    chosen = CONTENT.recommendation["recommended"] | {"seen_floor": None}
    recommendation = CONTENT.recommendation | {"recommended": chosen}
    answer = read(section(render_dryrun(replace(CONTENT, recommendation=recommendation)), "answer"))
    assert "is safe because it shows so little" in answer
    useful = [
        o for o in recommendation["runner_ups"] if o["seen_floor"] is not None and o["ci_low"]
    ]
    best = max(useful, key=lambda option: option["ci_low"])
    assert f"shows more: {in_words(of_setting(best['setting']))} is safe for" in answer
    assert f"is safe for {best['ci_low']:,}. Exact setting: {best['label']}." in answer


def undecided(low=20, precision=0.01, **given):
    """Content for which the limits of no board are known."""
    table = CONTENT.limits.assign(ci_low=low, safe_submissions=600, ci_high=None, censored=False)
    table.loc[table["setting"] == "full_disclosure", ["ci_low", "safe_submissions"]] = (40, 5)
    recommendation = recommend(
        table,
        dryrun_frames.utility(),
        settings=asked(**SETTINGS, precision=precision),
        threshold=-0.05,
        frontier=CONTENT.frontier,
        **given,
    )
    return replace(CONTENT, limits=table, recommendation=json.loads(json.dumps(recommendation)))


def test_what_is_not_decided_yet_is_no_refusal():
    html = render_dryrun(undecided(unit=1.0))
    answer = read(section(html, "answer"))
    assert 'class="answer undecided"' in html
    assert "Not decided yet, leaning safe: 60 plays cannot tell whether" in answer
    assert "allow at most 40 on a leaderboard that shows the exact score of every" in answer
    assert 'href="#not-sure"' in section(html, "answer")
    cells = rows(section(html, "answer"))
    assert cells[0][0] == "Full-disclosure until more plays decide"
    assert cells[0][1].startswith("fewer than 10 ")
    assert cells[1][0].endswith(" the most promising")
    assert {row[2] for row in cells[1:]} == {"not sure, leaning safe"}
    assert cells[0][2] == "not sure, leaning unsafe"
    assert "max_submissions: 40 " in section(html, "settings")
    assert "the precision asked for" in answer
    assert "Δ near 500 submissions that is no wider than 1 % of the tolerated overfit" in read(
        section(html, "sure")
    )
    assert "precision asked for" not in section(render_dryrun(undecided(precision=9.0)), "answer")
    assert answer.count("60 plays") == 1  # the headline says it
    assert "Based on" not in answer


def test_what_would_settle_it_is_said_in_the_answer_alone():
    content = undecided(unit=1.0)
    assert "the command below would settle it" not in read(render_dryrun(content))
    needed = content.recommendation | {"plays_needed": 720}
    said = read(section(render_dryrun(replace(content, recommendation=needed)), "answer"))
    assert "If the estimate for the most promising leaderboard (" in said
    assert ") holds, the command below would settle it. Set minutes: 12 under dryrun in" in said
    assert "720" not in said  # the sentence of the answer was made without it


def test_the_risk_says_why_its_number_is_smaller_than_the_allowed_one():
    allowed = dict(CONTENT.recommendation) | {"submissions": 70}
    answer = read(section(render_dryrun(replace(CONTENT, recommendation=allowed)), "answer"))
    tested = max(n for n in CONTENT.frontier["submissions"] if n <= 70)
    assert tested < 70
    assert f"With {tested} submissions on the recommended" in answer
    said = f"overfit more. Of the numbers tested, {tested} is the largest up to the 70 allowed."
    assert said in answer
    same = dict(CONTENT.recommendation) | {"submissions": tested}
    answer = read(section(render_dryrun(replace(CONTENT, recommendation=same)), "answer"))
    assert f"With {tested} submissions on the recommended" in answer
    assert "Of the numbers tested" not in answer


def test_what_is_withheld_and_what_a_proof_assumes_is_said_as_in_the_answer():
    html = render_dryrun(CONTENT)
    assert "Withheld" not in read(section(html, "threats"))
    for group, noise in (
        ("", "the noise of the response is independent and about Gaussian"),
        ("p", "the noise of the response is about Gaussian and independent between groups of rows"),
    ):
        rests = CONTENT.recommendation["rests_on"] | {"group": group}
        recommendation = CONTENT.recommendation | {"rests_on": rests, "unproved": "heavy tails"}
        html = render_dryrun(replace(CONTENT, recommendation=recommendation))
        assert f"whatever is submitted, if {noise}" in read(section(html, "threats"))
        assert "Withheld: there is a proof, but not for data with heavy tails." in read(html)
        assert given(find(rests["metric"]), rests).startswith(noise)


def test_boards_that_tie_and_units_that_look_wrong_are_called_so():
    answer = read(section(render_dryrun(undecided(unit=1.0)), "answer"))
    others = len(dryrun_frames.SETTINGS) - 2  # but for the likeliest and Full-disclosure
    assert f"{others} other leaderboards have the same cautious limit, 20, as the most " in answer
    assert "Check the unit" not in answer
    for unit, share in ((1e-4, "50,000 %"), (11.0, "0.45 %")):
        answer = read(section(render_dryrun(undecided(unit=unit)), "answer"))
        assert (
            "Check the unit. You tolerate 0.05 squared units of the response, which is " in answer
        )
        assert f"which is {share} of the response’s variance. Did you mean" in answer


@pytest.mark.parametrize(
    ("row", "fewest", "last", "wording", "between"),
    [
        ((7, 0, 30, False), 8, None, "fewer than 8", "0 to 30"),
        ((3, 0, 7, False), 8, None, "fewer than 8", "fewer than 8"),
        ((8, 0, 8, False), 8, None, "8", "0 to 8"),
        ((2000, 8, None, True), 8, None, "all 2,000 tested", "8 to all"),
        ((1990, 8, None, True), 8, None, "all 1,990 tested", "8 to all"),
        ((2000, 2000, None, True), 8, None, "all 2,000 tested", ""),
        ((10, 8, None, True), 8, 10, "all it can make: 10", "8 to all"),
        ((41, 0, None, False), 8, None, "41", "unknown"),
        ((10, 10, None, True), 8, 10, "all it can make: 10", ""),
    ],
)
def test_limits_in_words(row, fewest, last, wording, between):
    cells = dict(zip(("safe_submissions", "ci_low", "ci_high", "censored"), row, strict=True))
    cells["fewest_tested"] = fewest
    assert (limit(cells, last), interval(cells, last)) == (wording, between)


def test_limits_sort_by_what_they_say():
    """Fewer than any tested, exact ones, more than any tested, and the unknown at the end."""
    rows = [
        {"safe_submissions": safe, "censored": censored, "fewest_tested": 8}
        for safe, censored in ((pd.NA, False), (2000, True), (2000, False), (8, False), (3, False))
    ]
    assert [rank(row) for row in rows] == ["", "2000.5", "2000.0", "8.0", "7.5"]


@pytest.mark.parametrize(
    ("low", "safe", "high", "censored", "proved", "place", "words"),
    [
        (500, 900, None, True, 500, 0, "proved"),
        (500, 900, None, True, 499, 1, "measured"),
        (10, 900, 2000, False, None, 2, "not sure"),
        (10, 90, 2000, False, None, 2.5, "not sure"),
        (10, 90, None, True, None, 3, "not tested"),
        (10, 90, 499, False, None, 4, "no"),
        (pd.NA, pd.NA, pd.NA, False, None, "", "not attacked"),
    ],
)
def test_boards_are_filtered_by_what_is_known_of_the_wanted_number(
    low, safe, high, censored, proved, place, words
):
    option = {
        "setting": "ladder(alpha=0.15)", "ci_low": low, "safe_submissions": safe, "ci_high": high,
        "censored": censored, "proved_submissions": proved,
        "status": NOT_ATTACKED if words == NOT_ATTACKED else MEASURED,
    }  # fmt: skip
    asked = asked_of(option, 500)
    assert asked["enough_sort"] == place
    assert asked["facets"] == {"Enough for 500?": words, "Leaderboard": "Ladder"}
    assert proved_rank(option) == ("" if proved is None else str(proved))


def test_a_number_of_a_table_has_its_unit_and_its_share():
    scale = DeltaScale(-1.5, "units", 0.05)
    cell = scale.cell
    ways = 'data-units="−0.9" data-shares="−3\u00a0%"'
    assert cell(-0.9) == f'<data value="-0.9" {ways}>{scale.size(-0.9)}</data>'
    assert DeltaScale(-0.05, "", None).cell(0.012) == '<data value="0.012">0.012</data>'
    assert cell(None) == cell(float("nan")) == "–"


@pytest.mark.parametrize("value", [-0.9, -1.5e-3, 0.0, 1e-9, -31.23, 123.4])
def test_a_share_reads_the_same_in_figures_and_on_the_page(value):
    rests = {"threshold": -1.5, "share": 0.05, "spread": "variance"}
    on_page = DeltaScale(-1.5, "units", 0.05).size(value)
    assert on_page == firm(written(value, rests))
    assert on_page == percent(value / 1.5 * 0.05)
    assert "\u00a0%" in on_page
    assert "%" not in DeltaScale(-1.5, "units", None).size(value) == written(value, {})


def test_rounding_is_no_overfit_and_shares_are_of_the_spread():
    def delta(value, tolerated, share=None):
        row = {"submissions": 8, "delta": value, "delta_low": value, "delta_high": value}
        return DeltaScale(tolerated, "", share).overfit(row)["delta"]

    assert delta(-1e-12, -0.05, 1.0) == "0"
    assert delta(-1e-5, -4.5, 0.05) == "0"
    assert percent(6.4e-15) == percent(-1e-7) == "0\u00a0%"
    assert percent(1.2e-4) == "0.012\u00a0%"
    assert delta(-1e-3, -0.05) == "−0.001"
    assert delta(-1e-3, -0.05, 0.1) == "−0.2\u00a0%"
    assert delta(-1e-12, -1e-12) == "−1e−12"


@pytest.mark.parametrize(
    ("metric", "unit", "spread"),
    [
        ("mse", "squared units of the response", "variance"),
        ("rmse", "units of the response", "standard deviation"),
        ("pearson", None, ""),
    ],
)
def test_every_number_is_in_the_one_unit_of_the_page(metric, unit, spread):
    content = make(unit=30.0 if unit else 1.0, metric=metric)
    html = render_dryrun(content)
    tolerated = f"5 % of the response’s {spread}" if unit else "0.05 (Pearson correlation)"
    assert f"by less than {tolerated}, which" in read(section(html, "answer"))
    assert f"stays within {tolerated}." in read(section(html, "limits"))
    said = f"in % of the response’s {spread}; 5 % is 1.5 {unit}."
    said = said if unit else "are differences of the Pearson correlation, which has no unit."
    assert read(html).count(said) == 1
    numbers = [row[k] for row in rows(section(html, "answer")) for k in (3, 4)]
    numbers += [row[2] for row in rows(section(html, "ways"))]
    numbers += [row[1] for row in rows(section(html, "sure"))]
    assert len(numbers) > 20
    bare = [number for number in numbers if "%" not in number and number != "none that was tested"]
    assert (not bare) if unit else (len(bare) > 20)
    assert not any("(" in number for number in numbers)  # no second unit


def test_words_fit_the_response():
    numbers, classes, times = (
        read(render_dryrun(make(metric=metric))) for metric in ("mse", "auroc", "c_index")
    )
    assert "label" not in numbers.replace("baseline", "")
    assert "whatever is submitted, if the noise of the response is independent and about" in numbers
    assert "Features and response are scaled" in numbers
    for text in (classes, times):
        assert "variance" not in text.split("Configuration")[0]
        assert "about Gaussian" not in text
        assert "Features are scaled" in text


def test_nothing_safe_has_nothing_to_paste():
    table = CONTENT.limits.assign(ci_low=0, safe_submissions=5, ci_high=9, censored=False)
    recommendation = recommend(
        table, dryrun_frames.utility(), settings=asked(**SETTINGS), threshold=-0.05
    )
    html = render_dryrun(replace(CONTENT, limits=table, recommendation=recommendation))
    answer = read(section(html, "answer"))
    assert "nor for any smaller number" in answer
    assert "Score once at the end" in answer
    assert "max_submissions" not in html
    assert 'id="settings"' not in html
    assert "recommended" not in answer


def test_each_way_of_spending_tells_how_far_it_gets():
    ways = rows(section(render_dryrun(CONTENT), "ways"))
    names = ["Modellers", "Step-forward", "Freedman", "Best of many"]
    names.append("Step-forward, paper recipe")
    assert all(row[0].startswith(name) for row, name in zip(ways, names, strict=True))
    assert all("rounds over" in row[1] for row in ways)  # the made-up tables have one way
    assert re.fullmatch(r"−[\d.]+ % −[\d.]+ % to −?[\d.]+ %", ways[0][2])
    assert float(ways[0][2].split()[0].replace("−", "-")) < float(
        ways[1][2].split()[0].replace("−", "-")
    )
    assert ways[0][3] == "500"
    chosen = CONTENT.recommendation["recommended"]
    same = CONTENT.limits[CONTENT.limits["setting"] == chosen["setting"]]
    same = same[same["threshold"] == -0.05].set_index("threat")["safe_submissions"]
    assert [row[4].removeprefix("all ").split()[0] for row in ways] == [
        f"{same[threat]:,}" for threat in THREATS
    ]
    assert same.nunique() > 1


def test_an_attack_of_a_holder_is_called_so_and_says_where_it_starts():
    columns = {"threat": "between_updates_holder", "attack": "between_updates"}
    was = CONTENT.frontier["threat"].astype(str) == "freedman"
    frontier = CONTENT.frontier.astype({"threat": str, "attack": str})
    frontier.loc[was, list(columns)] = list(columns.values())
    limits = CONTENT.limits.astype({"threat": str}).replace("freedman", columns["threat"])
    html = render_dryrun(replace(CONTENT, frontier=frontier, limits=limits))
    (name,) = (row[0] for row in rows(section(html, "ways")) if row[0].startswith("Between"))
    assert name.startswith("Between updates, holder On a digest, submits one file before")
    assert name.endswith(" It starts from an honest model.")


@pytest.mark.parametrize(
    ("changes", "wording"),
    [
        (
            {"attack": "freedman", "n_features": 120, "point": 9},
            "120 features tried one by one, the best 9 kept",
        ),
        (
            {
                "attack": "step_forward",
                "iteration_board": "carried_on",
                "n_features": 60,
                "point": 4,
            },
            "4 rounds over 60 features, one account",
        ),
        ({"attack": "step_forward", "n_features": 1, "point": 1}, "1 round over 1 feature"),
        (
            {"attack": "best_of_many", "iteration_board": "carried_on"},
            "one account, the best model kept",
        ),
    ],
)
def test_how_submissions_are_spent_is_said_in_words(changes, wording):
    curve = CONTENT.frontier.astype({"attack": object, "iteration_board": object}).assign(**changes)
    ways = rows(section(render_dryrun(replace(CONTENT, frontier=curve)), "ways"))
    assert {row[1] for row in ways} == {wording}


def test_limits_at_other_thresholds_are_told():
    html = section(render_dryrun(CONTENT), "limits")
    wording = "If you tolerate 10\u00a0% of the response’s variance instead"
    assert wording in html
    assert len(rows(html.split(wording)[1])) == len(dryrun_frames.SETTINGS)


def test_the_answers_at_larger_tolerated_overfit_are_told():
    html = (
        section(render_dryrun(CONTENT), "limits").split('id="tolerance"')[1].split("<details>")[0]
    )
    assert "If you tolerated more" in html
    told = rows(html)
    assert [row[0] for row in told] == [
        "5 % as now",
        "7.5 % 1.5 times as much",
        "10 % 2 times as much",
        "15 % 3 times as much",
        "25 % 5 times as much",
    ]
    curve = CONTENT.frontier.query("threat == 'modeller' and submissions <= 500")
    assert all("enough for 500" in row[2] for row in told)
    held = curve.groupby("setting", observed=True)["delta_low"].min() >= -0.05
    labels = {of_setting(setting).title for setting in held[held].index}
    assert told[0][1] in labels
    few = read(section(render_dryrun(make(submissions=2500)), "limits"))
    assert "all 2,000 tested fewer than 2,500" in few
    lags = {"lag": 0.02}
    content = make()
    for option in (content.recommendation["recommended"], *content.recommendation["runner_ups"]):
        option |= lags
    told = rows(section(render_dryrun(content), "limits"))[:5]
    assert {row[3] for row in told} == {"2 %"}
    below = CONTENT.frontier.assign(delta_low=-1.0)
    told = rows(section(render_dryrun(replace(CONTENT, frontier=below)), "limits"))[:5]
    assert {tuple(row[1:]) for row in told} == {("–", "none that was tested", "–")}


def test_the_page_answers_in_the_order_of_the_questions(cards):
    """The answer, use against safety, what is wrong with the data, who wins, all leaderboards."""
    found = {
        "label": "Outliers", "sentence": "Some rows are far away.", "cure": "Look at them.",
        "quantity": "kurtosis", "assumed": 3.0, "found": 9.0, "statistic": "kurtosis",
        "value": 9.0, "p_value": 0.001,
    }  # fmt: skip
    said = {"wins": "The best wins.", "difference": "1 counts.", "split": "", "unit": "row"}
    content = replace(CONTENT, figures=cards)
    html = page(content, assumptions=[found], who_wins=said | {"why": ""})
    answer = section(html, "answer")
    parts = [
        content.recommendation["headline"][:12], "What “safe” means", "<img",
        "What we found in these data", "Who wins, and", "All leaderboards",
    ]  # fmt: skip
    places = [answer.index(part) for part in parts]
    assert places == sorted(places)


def test_figures_stand_where_they_belong(cards):
    html = render_dryrun(replace(CONTENT, figures=cards))
    places = {
        name: section(html, name) for name in ("answer", "limits", "threats", "ways", "usefulness")
    }
    for name, place in (
        ("use_and_safety", "answer"),
        ("threat_map", "threats"),
        ("safe_limits", "limits"),
        ("frontier_split", "ways"),
        ("protection", "usefulness"),
        ("acceptance", "usefulness"),
    ):
        assert f"What {name} shows." in places[place]
        assert f'alt="The {name}"' in places[place]
    assert html.count("<img") == 6
    same = replace(cards["safe_limits"], title="How many submissions are safe")
    retitled = render_dryrun(replace(CONTENT, figures=cards | {"safe_limits": same}))
    assert retitled.count("How many submissions are safe</h") == 1  # not once more over the figure
    assert "<img" not in render_dryrun(CONTENT)


def test_a_figure_without_a_place_is_refused(cards):
    with pytest.raises(InputError, match=r"no place for the figures \['boxes'\]"):
        render_dryrun(replace(CONTENT, figures={"boxes": cards["acceptance"]}))


def test_how_sure_it_is():
    html = section(render_dryrun(CONTENT), "sure")
    text = read(html)
    assert (
        "2 jobs made 80 plays: 41 in 180 s, until the time was up; 39 in 150 s, until the interval "
        "was narrow enough." in text
    )
    assert "You set minutes to 3." in text
    cells = {row[0]: row for row in rows(html)}
    row = CONTENT.frontier.query(
        "setting == 'ladder(alpha=0.15)' and threat == 'modeller' and submissions == 500"
    ).iloc[0]
    width = 100 * (row["delta_high"] - row["delta_low"]) / 0.05
    ladder = cells["Ladder (α = 0.15)"]
    assert ladder[1].startswith(f"{100 * row['delta']:.2g} % ".replace("-", "−"))
    assert ladder[2:] == ["500", f"{width:.0f} %", "60"]
    alone = read(section(render_dryrun(replace(CONTENT, jobs=JOBS[1:])), "sure"))
    assert "1 job made 39 plays: 39 in 150 s" in alone


def test_too_few_replicates_for_an_interval_is_said():
    curve = CONTENT.frontier.assign(delta_low=np.nan)
    html = section(render_dryrun(replace(CONTENT, frontier=curve)), "sure")
    assert all("too few plays" in row[1] and row[3] == "–" for row in rows(html))


def test_what_is_left_out_is_said_where_one_looks():
    text = read(section(render_dryrun(CONTENT), "not-covered"))
    assert "arbitrary numbers can recover the public answers on many leaderboards" in text
    assert "public rows (147)" in text
    assert "You want 500 submissions, which is more." in text
    assert "half of them overfit more than you tolerate. For 1 in 4, set quantile to 0.25" in text
    lucky = read(section(render_dryrun(make(quantile=0.05)), "not-covered"))
    assert "as the limit, 5 % of them overfit more than you tolerate" in lucky
    assert "which is more" not in read(section(render_dryrun(make(submissions=147)), "not-covered"))


def against_all():
    """Content of a dry run with adversaries, for which one board is proved."""
    kinds = ("modeller", "null_adversary", "holder", "adversary")
    curve = dryrun_frames.frontier(threats=kinds)
    limits = dryrun_frames.limits(curve, (-0.05,))
    boards = limits["setting"].astype(str)
    proved = boards.map({"full_disclosure": 20_000}).astype("Int64")
    limits = limits.assign(proved_submissions=proved)
    limits.loc[boards == "full_disclosure", ["ci_low", "safe_submissions"]] = 2000
    recommendation = recommend(
        limits, dryrun_frames.utility(), settings=asked(**SETTINGS | {"threat": "adversary"}),
        threshold=-0.05, unit=1.0, n_public=147, frontier=curve,
    )  # fmt: skip
    return replace(CONTENT, recommendation=recommendation, limits=limits, frontier=curve)


def test_the_headline_says_against_whom_and_how_it_is_known():
    content = against_all()
    recommendation = content.recommendation
    assert recommendation["recommended"]["setting"] == "full_disclosure"
    assert (recommendation["holds"], recommendation["rests_on"]["threat"]) == (
        "proved",
        "adversary",
    )
    answer = read(section(render_dryrun(content), "answer"))
    assert "500 submissions per participant are safe, whoever submits. What next." in answer
    assert "Paste the settings into your platform, or run this leaderboard with" in answer
    assert "This is proved, if" in answer
    modelled = read(section(render_dryrun(CONTENT), "answer"))
    assert "are safe if all submit fitted models." in modelled
    assert "arbitrary numbers instead of predictions can do far worse" in modelled


def test_every_leaderboard_has_its_limits_against_each_participant():
    html = section(render_dryrun(against_all()), "threats")
    boards = rows(html)
    assert all(len(row) == 6 for row in boards)
    assert sorted(row[-1] for row in boards) == ["any number", *["–"] * (len(boards) - 1)]
    assert "Arbitrary numbers" in html
    # Without adversaries there is one column of limits.
    assert all(len(row) == 3 for row in rows(section(render_dryrun(CONTENT), "threats")))


def test_every_note_on_a_table_is_told_with_the_reasons():
    html = section(render_dryrun(replace(CONTENT, notes=["8 rows dropped.", "Look."])), "data")
    items = re.findall(r"<li>(.*?)</li>", html, re.DOTALL)
    assert items[1:-1] == ["8 rows dropped.", "Look."]
    assert "442 rows and 64 features: 148 rows for training" in items[0]
    assert "Models need a number in every cell" in html


def test_the_sizes_of_several_responses_are_cells():
    recommendation = CONTENT.recommendation
    rests = recommendation["rests_on"] | {"responses": 3}
    several = replace(CONTENT, recommendation=recommendation | {"rests_on": rests})
    first = re.findall(r"<li>(.*?)</li>", section(render_dryrun(several), "data"), re.DOTALL)[0]
    assert first.startswith("3 responses. A cell is one response of one row of the table;")
    assert "442 cells and 64 features: 148 cells for training" in first


def test_every_word_and_setting_that_is_used_is_explained():
    html = section(render_dryrun(CONTENT), "words")
    terms = re.findall(r"<dt>(.*?)</dt>", html)
    for term in (
        "Full-disclosure",
        "Ladder",
        "LadderBoot",
        "α",
        "b",
        "play",
        "overfit, Δ",
        "MSE",
    ):
        assert term in terms
    assert "posterior odds" not in terms
    assert "η" not in terms
    assert "General Ladder" not in terms
    odds = make(dryrun_frames.CORRELATION, metric="pearson")
    assert "posterior odds" in section(render_dryrun(odds), "words")


def test_no_name_is_trusted():
    chosen = {**CONTENT.recommendation, "advice": [f"`{HOSTILE}` {HOSTILE}"]}
    content = replace(
        CONTENT,
        study=HOSTILE,
        dataset=HOSTILE,
        notes=[HOSTILE],
        config_text=HOSTILE,
        recommendation=chosen,
    )
    page = Page(render_dryrun(content))
    assert page.has_only_own_scripts()
    assert words(page).count(HOSTILE) >= 6


def test_the_page_is_given_no_data():
    # What it never gets it cannot show: scores and settings, but no response and no feature.
    given = {field.name for field in fields(DryRunContent)}
    assert not given & {"challenge", "X", "y", "rows", "outcomes", "predictions"}
    tables = {*CONTENT.limits.columns, *CONTENT.frontier.columns}
    assert not tables & {"response", "y", "score_public", "score_final", "feature"}


def test_participants_who_did_not_play_on_a_leaderboard_have_a_dash():
    content = against_all()
    options = content.recommendation["runner_ups"]
    missing = options[0]["threats"].pop("modeller")
    try:
        table = rows(section(render_dryrun(content), "threats"))
    finally:
        options[0]["threats"]["modeller"] = missing
    label = next(row for row in table if row[0] == read(firm(options[0]["label"])))
    others = [row for row in table if row is not label]
    assert label[1] == "–"
    assert all(row[1] != "–" for row in others)
    assert {len(row) for row in table} == {len(label)}


def test_who_wins_stands_before_the_leaderboards():
    sizes = dict.fromkeys(COLUMNS, 0.5) | {"train": 148, "public": 147, "final": 147}
    row = sizes | {"played": True, "recommended": True, "unit": "row", "teams": 20, "why": ""}
    row |= {"wanted": 0.8, "rows_wanted": 700, "rows_first_two": 1692}
    said = who_wins(pd.DataFrame([row]))
    html = page(CONTENT, who_wins=said)
    answer = read(section(html, "answer"))
    sentences = [said[key] for key in ("wins", "difference", "split")]
    parts = ["What remains at risk", "Who wins, and how large the sets should be", *sentences]
    parts.append("All leaderboards")
    order = [answer.index(part) for part in parts]
    assert order == sorted(order)
    assert "shakedown design --dryrun results/trial" not in html
    planned = replace(CONTENT, planner="shakedown design --dryrun results/trial")
    html = page(planned, who_wins=said)
    option = '<span class="option">--dryrun results/trial</span>'
    assert f"<code>shakedown design {option}</code>" in html
    unknown = said | {"why": "There are too few rows."}
    lost = read(section(page(CONTENT, who_wins=unknown), "answer"))
    assert "Not known: no honest models could be made to plan with. There are too few" in lost
    assert said["wins"] not in lost
    assert "Who wins, and" not in page(CONTENT, who_wins=None)


def page(content, **changes):
    """The page after changes to its recommendation."""
    return render_dryrun(replace(content, recommendation=content.recommendation | changes))
