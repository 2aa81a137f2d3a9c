"""The page of a replay answers first, tells every message, and holds no truth."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.replay.analyses import analyse
from shakedown.replay.cleaning import RULES
from shakedown.replay.log import dropped_teams
from shakedown.replay.sizes import Analyses
from shakedown.replay.winner import decision_of
from shakedown.replay.winner_rule import WinnerRule
from shakedown.report.replay import (
    FIGURES,
    READ,
    ReplayContent,
    content_of,
    render_replay,
    rows_said,
)
from tests.replay import frames
from tests.report.pages import cards_of, check_alone, check_links, read, section
from tests.report.test_page import HOSTILE, Page

SIZES = Analyses(best=20, splits=4, draws=100)
LOG = frames.log()


def make(log=LOG, metric="mse", boards=frames.PLAYED, messages=None):
    seen, standings = frames.played(log, metric, boards, per_rank=True)
    tables = analyse(log, find(metric), seen, standings, sizes=SIZES, seed=3)
    page_text = log.messages if messages is None else messages
    tables |= {"standings": standings, "messages": page_text, "dropped_teams": dropped_teams(log)}
    return ReplayContent(
        study="trial",
        seed=1607,
        metric=metric,
        sizes={
            "submissions": len(log.submissions),
            "teams": log.submissions["team"].nunique(),
        },
        rows=rows_said(log),
        structure=log.structure,
        tables={name: tables[name] for name in READ},
        versions={"python": "3.11.0"},
        config_text="study: trial\n",
    )


CONTENT = make()


@pytest.fixture(scope="module")
def cards(tmp_path_factory):
    return cards_of(FIGURES, tmp_path_factory.mktemp("figures"))


def test_the_content_counts_rows_submissions_and_teams_of_the_log():
    config = {"study": "trial", "seed": 1607, "replay": {"metric": "mse", "winner": {}}}
    content = content_of(LOG, config, tables=CONTENT.tables, svgs=())
    assert content.sizes == CONTENT.sizes
    assert content.sizes == {"submissions": 60, "teams": 12}
    assert content.rows == CONTENT.rows == "120 public rows and 280 private rows"


def rows(html):
    html = re.sub(r'<details class="fold".*?</details>', "", html)  # of narrow screens
    return [
        [read(f"<p>{cell}</p>") for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)]
        for row in re.findall(r"<tr[^>]*>(<td.*?)</tr>", html, re.DOTALL)
    ]


def standing(**boards):
    """An agreement of made-up boards: public leaders, private winners, how many move."""
    first = next(iter(boards.values()))
    return pd.DataFrame(
        {"setting": frames.setting(name), "boards": "per_team", "top": 10, "moved": moved,
         "teams": 12, "winner": " / ".join(public), "private_winner": " / ".join(private),
         "leaders": len(public), "winners": len(private), "kendall": 0.5, "tied": 0,
         "same_leader": set(first[0]) <= set(public), "same_winner": first[1] == private}
        for name, (public, private, moved) in boards.items()
    )  # fmt: skip


def pairs(winner, by="private", test="paired t", **p):
    """Comparisons of a made-up winner with the teams named, by their corrected p."""
    return pd.DataFrame(
        {"setting": "kaggle", "boards": "per_team", "by": by, "team": team, "rank": rank,
         "winner": winner, "test": test, "advantage": 1.0, "low": -1.0, "high": 3.0, "p": value,
         "p_holm": value, "p_bonferroni": value}
        for rank, (team, value) in enumerate(p.items(), start=2)
    )  # fmt: skip


def page_text(part="answer", **tables):
    """What a section says where some tables are others, without the boards' parameters."""
    content = replace(CONTENT, tables=CONTENT.tables | tables)
    text = " ".join(read(section(render_replay(content), part)).split())
    return re.sub(r" \([αη] = [^)]*\)", "", text)


def test_well_formed_with_unique_ids_and_links_that_lead_somewhere(cards):
    sections = ["answer", "places", "scores", "chance", "learnt", "teams", "log", "not-said"]
    sections += ["words", "provenance"]
    check_links(render_replay(replace(CONTENT, figures=cards)), sections)


def test_nothing_from_outside(cards):
    text = render_replay(replace(CONTENT, figures=cards))
    check_alone(text)
    assert render_replay(replace(CONTENT, figures=cards)) == text


def test_no_truth_and_no_prediction_is_on_the_page():
    # Shifted so far that no score looks like them; the mean squared error does not feel it.
    log = replace(LOG, truth=LOG.truth + 5e5, predictions=LOG.predictions + 5e5)
    text = render_replay(make(log)).split("</style>")[1]
    numbers = [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*\.?\d*", text)]
    assert len(numbers) > 300
    assert not [n for n in numbers if 4e5 < n < 6e5]


def test_the_decision_is_that_of_the_usual_board_and_has_its_rule():
    text, table = page_text(), CONTENT.tables["rank_intervals"]
    said = decision_of(table, find("mse"), WinnerRule(), group=False)
    assert f"By the winner’s rule, with Full-disclosure: {said} The rule has " in text
    assert "in 10,000 such samples" in page_text("teams")
    assert "teams with K up to 3 are tied" in page_text("teams")
    rule = WinnerRule(second_metric="mae", by_time=True, tied=2.5)
    own = read(section(render_replay(replace(CONTENT, winner=rule)), "teams"))
    assert "in the order of the second metric, mae (the small text), then of their subm" in own
    assert "K up to 2.5" in own


def test_every_name_is_escaped():
    log = frames.log()
    log.submissions["team"] = log.submissions["team"].replace("team 01", HOSTILE)
    messages = log.messages.assign(done=HOSTILE, submission=HOSTILE)
    text = render_replay(replace(make(log, messages=messages), study=HOSTILE))
    assert HOSTILE not in text
    assert Page(text).has_only_own_scripts()
    assert HOSTILE in "".join(Page(text).texts)


def test_the_answer_comes_first():
    answer = page_text()
    agreement = CONTENT.tables["agreement"]
    changed = int((~agreement["same_winner"]).sum())
    start = f"Yes, on {changed} of {len(agreement)}" if changed else "No: "
    assert answer.startswith(f"Would another leaderboard have changed the winner? {start}")
    assert (
        "60 submissions of 12 teams; 120 public rows and 280 private rows. Score: MSE, lower is "
        "better."
    ) in answer
    assert "1 submission could not be played: why" in answer
    assert "higher is better" in read(render_replay(make(metric="ccc")))


def test_who_wins_and_leads_in_words():
    none = pairs("b", a=0.5)
    both = page_text(
        agreement=standing(kaggle=("a", "a", 0), ladder=("a", "a", 2)), comparisons=none
    )
    assert "No: a wins in private on all 2 leaderboards." in both
    assert "In public, a leads on all 2 leaderboards." in both
    shared = standing(
        kaggle=("a", "b", 0), general_ladder=("abcd", "b", 0), simplified_ladder=("bcd", "b", 0)
    )
    text = page_text(agreement=shared, comparisons=none)
    assert "In public, a leads on 2 of 3 leaderboards, sharing the lead on 1 of them." in text
    alone = page_text(agreement=standing(kaggle=("a", "b", 0)), comparisons=none)
    assert "No: b wins in private. " in alone
    assert "In public, a leads on 1 leaderboard." in alone
    four = standing(kaggle=("abcd", "abcd", 0), ladder=("abcd", "abcd", 0))
    text = page_text(agreement=four, comparisons=pairs("a", b=1.0))
    assert "No: 4 teams win in private on all 2 leaderboards." in text
    assert "In public, 4 teams lead on all 2 leaderboards." in text


def test_a_changed_winner_says_on_how_many_boards_and_how_sure():
    changed = standing(
        kaggle=("a", "b", 0), parameter_free_ladder=("a", "c", 1), simplified_ladder=("a", "c", 1),
        general_ladder=("a", "d", 0),
    )  # fmt: skip
    text = page_text(agreement=changed, comparisons=pairs("b", c=0.5, d=0.04))
    assert (
        "Yes, on 3 of 4 leaderboards another team wins in private. With Kaggle reference, b "
        in (text)
    )
    assert (
        "With 2 other leaderboards, c wins. The private rows cannot tell c and b apart (p = 0.5). "
        "With General Ladder, d wins. The private rows tell d and b apart (p = 0.04)." in text
    )
    untested = page_text(agreement=changed, comparisons=pairs("b", c=0.5))
    assert "With General Ladder, d wins. In public" in untested
    # Those who share a place have nobody in front.
    tied = standing(kaggle=("a", "bcef", 0), general_ladder=("a", "bc", 0))
    text = page_text(agreement=tied, comparisons=pairs("b", c=1.0))
    assert "Yes, on 1 of 2 leaderboards others win in private." in text
    assert "4 teams win. With General Ladder, b / c win. In public" in text
    names = ("ladder", "ladderboot", "general_ladder", "simplified_ladder", "bayesboot_ladder")
    many = {name: ("a", winner, 1) for name, winner in zip(names, "cdefg", strict=True)}
    text = page_text(
        agreement=standing(kaggle=("a", "b", 0), **many), comparisons=pairs("b", c=1.0)
    )
    assert "With 2 other leaderboards, other teams win: see the table" in text


def test_moves_in_words():
    agreement, ranks = CONTENT.tables["agreement"], CONTENT.tables["ranks"]
    most = agreement["moved"].max()
    assert f"Of the top 10 teams with Full-disclosure, {most} change" in page_text()
    for places, says in ((10, "None of the top 10 with Full-disclosure is outside"),
                         (11, "10 of the top 10 with Full-disclosure are outside")):  # fmt: skip
        assert f"{says} the top 10 in private." in page_text(
            ranks=ranks.assign(private_place=places)
        )
    three = standing(kaggle=("a", "a", 0), ladder=("a", "a", 5), ladderboot=("a", "a", 2))
    assert "Of the top 10 teams with Kaggle reference, 5 change place with Ladder;" in page_text(
        agreement=three
    )
    everyone = agreement.assign(teams=10)
    assert "outside the top" not in page_text(agreement=everyone)
    still = agreement.assign(moved=0)
    assert "keep their order on all other leaderboards, except for equal" in page_text(
        agreement=still
    )
    assert "top 1" not in page_text(agreement=agreement.assign(top=1)).split("54 submissions")[0]


def test_the_floor_and_the_tests_in_words():
    table = CONTENT.tables["resolution"]
    row = table[(table["setting"] == frames.FULL) & (table["rows_of"] == "public")].iloc[0]
    floor = f"scores that differ by less than {row['floor']:.2g} in MSE cannot be told apart."
    assert f"On the 120 public rows, {floor} " in page_text()
    for closer, says in (
        (0, "None of the other 9 top teams is"),
        (1, "1 of the other 9 top teams is"),
        (9, "9 of the other 9 top teams are"),
    ):
        assert f"{says} closer to the leader" in page_text(resolution=table.assign(closer=closer))
    none = table.assign(floor=np.nan, closer=pd.NA)
    assert "so there is no smallest gap" in page_text(resolution=none)
    tests = CONTENT.tables["comparisons"]
    assert "from 9 of the next 9 teams" in page_text(comparisons=tests.assign(p_holm=0.01))
    unsure = page_text(comparisons=tests.assign(p_holm=0.5))
    assert "from 0 of the next 9 teams (level 5 %, Holm-corrected). Its lead may be chance." in (
        unsure
    )
    boot = page_text("chance", comparisons=tests.assign(test="bootstrap"))
    assert "a bootstrap test separates the leader of the public board (" in boot


def test_one_team_behind_and_teams_beside_the_winner():
    single = standing(kaggle=("a", "a", 0))
    assert "separates the winner (a) from 1 of the next 1 team (level 5 %)." in page_text(
        agreement=single, comparisons=pairs("a", b=0.01)
    )
    four = standing(kaggle=("abcd", "abcd", 0))
    text = page_text(agreement=four, comparisons=pairs("a", b=1.0, c=1.0, d=1.0, e=1.0))
    assert "separates one of the 4 winners (a) from 0 of the next 4 teams" in text
    assert "chance" not in text
    two = standing(kaggle=("a", "bc", 0))
    both = pd.concat([pairs("b", c=0.01), pairs("a", by="public", d=0.01)])
    assert "separates one of the 2 winners (b)" in page_text(agreement=two, comparisons=both)
    assert "separates the leader of the public board (a)" in page_text(
        "chance", agreement=two, comparisons=both
    )


def test_one_best_submission_in_words():
    table = CONTENT.tables["splits"]
    assert f"of the {len(table)} best submissions, the gap" in page_text("chance")
    row = table.iloc[:1].assign(gap=-0.5, within=False)
    text = page_text("chance", splits=row)
    assert "of the one submission is larger than one standard deviation" in text
    assert "Its public score is 0.5 below the private one." in text
    assert "submission is within one" in page_text("chance", splits=row.assign(within=True))


def test_a_team_whose_every_submission_was_dropped_is_named_with_the_reason():
    assert "no part" not in page_text()
    dropped = pd.DataFrame(
        [("elms", "s7", "missing", "5 of 9 predictions missing; not played."),
         ("elms", "s8", "unreadable", "Not played: no such file."),
         ("oaks", "s9", "no_score", "No mse; not played.")],
        columns=["team", "submission", "rule", "reason"],
    )  # fmt: skip
    answer = page_text(dropped_teams=dropped)
    assert "2 teams take no part" in answer
    assert "could be played: elms, oaks." in answer
    first = page_text(dropped_teams=dropped[:2])
    assert "1 team takes no part" in first
    content = replace(CONTENT, tables=CONTENT.tables | {"dropped_teams": dropped})
    log = section(render_replay(content), "log")
    assert rows(log)[1] == ["elms", "s8", "Not played: no such file."]
    assert len(rows(log)) == 3


def test_boards_for_ranks_alone_stand_open_and_are_named_as_in_the_figures():
    tables = {
        name: table[(table["boards"] == "per_rank").to_numpy(bool)] if "boards" in table else table
        for name, table in CONTENT.tables.items()
    }
    html = render_replay(replace(CONTENT, tables=tables))
    places = section(html, "places")
    assert [row[0] for row in rows(places)] == [
        "Full-disclosure", "Ladder (α = 0.15)", "LadderBoot (α = 0.15, b = 10)"
    ]  # fmt: skip
    assert "<details>" not in places
    assert not re.search(r"(?<!boards)(?<!board) for ranks", read(html))
    assert "All leaderboards here are boards for ranks" in read(section(html, "answer"))
    assert "boards for ranks" not in read(section(render_replay(CONTENT), "answer"))


def test_only_a_board_that_shows_every_score_is_called_so():
    def note(content):
        return read(section(render_replay(content), "answer"))

    assert "compared with Full-disclosure, which shows every score." in note(CONTENT)
    alone = note(make(boards=(frames.LADDER, frames.BOOT)))
    assert "compared with Ladder (α = 0.15)." in alone


def test_a_number_and_its_per_cent_stay_together(cards):
    text = render_replay(CONTENT).split("</style>")[1]
    assert "\u00a0%" in text
    assert not re.findall(r"\d %", text)


def test_every_board_stands_in_the_table():
    html = section(render_replay(CONTENT), "places")
    seen, folded = html.split("<details>")
    for part, kind, suffix in ((seen, "per_team", ""), (folded, "per_rank", " for ranks")):
        boards = rows(part)
        own = CONTENT.tables["agreement"]
        own = own[(own["boards"] == kind).to_numpy(bool)]
        assert [row[0] for row in boards] == [
            f"{label}{suffix}" for label in
            ("Full-disclosure", "Ladder (α = 0.15)", "LadderBoot (α = 0.15, b = 10)")
        ]  # fmt: skip
        assert [row[1] for row in boards] == own["winner"].tolist()
        assert [row[2] for row in boards] == own["private_winner"].tolist()
        assert [row[4] for row in boards] == [f"{k:.2f}".replace("-", "−") for k in own["kendall"]]
    errors = CONTENT.tables["errors"]
    ladder = errors[(errors["setting"] == frames.LADDER) & (errors["boards"] == "per_rank")].iloc[0]
    assert rows(folded)[1][5] == f"{ladder['final_distance']:.2g}"
    assert rows(folded)[1][7] == f"{ladder['leaderboard_error']:.2g}"


def test_tests_and_teams_stand_in_their_tables():
    html = section(render_replay(CONTENT), "chance")
    lines = rows(html)
    own = CONTENT.tables["comparisons"]
    own = own[(own["setting"] == frames.FULL) & (own["boards"] == "per_team")]
    assert [row[0] for row in lines] == own["team"].tolist()
    assert [row[1] for row in lines] == [str(k) for k in (*range(2, 11), *range(2, 11))]
    sure = html.count('class="number sure"')
    assert sure == (own["p_holm"] <= 0.05).sum()
    teams = rows(section(render_replay(CONTENT), "teams"))
    standings = CONTENT.tables["standings"]
    standings = standings[
        (standings["setting"] == frames.FULL) & (standings["boards"] == "per_team")
    ]
    assert [row[0].rsplit(" ", 1)[0] for row in teams] == standings["team"].tolist()
    of = CONTENT.tables["rank_intervals"]
    of = of[(of["setting"] == frames.FULL) & (of["boards"] == "per_team")].set_index("team")
    for row, team in zip(teams, standings["team"], strict=True):
        place, low, high = of.loc[team, ["private_place", "place_low", "place_high"]]
        assert f"{place} {low} to {high}".replace(f"{low} to {low}", f"{low}") in row


def test_every_message_is_told_by_its_rule():
    messages = pd.DataFrame(
        [
            ("s1", "team 99", "missing", 5, "5 of 9 predictions missing; not played.", False),
            ("s2", "team 01", "constant", 1, "Predicts 3 everywhere.", True),
            (None, None, "public_drawn", 9, "9 rows drawn.", None),
            *[("s3", "team 01", "same_predictions", 1, f"Same as s{k}.", True) for k in range(205)],
        ],
        columns=["submission", "team", "rule", "count", "done", "played"],
    )  # fmt: skip
    html = render_replay(make(messages=messages))
    page_text = section(html, "log")
    order = [page_text.index(RULES[r]) for r in ("public_drawn", "missing", "constant")]
    assert order == sorted(order)
    text = read(page_text)
    assert "s1, team 99 : 5 of 9 predictions missing; not played. " in text
    assert "s2, team 01 : Predicts 3 everywhere." in text
    assert "(205 messages)" in text
    assert "And 5 more in messages.csv" in text
    assert "1 submission could not be played: why" in read(html)
    assert "No participant adapted to these rows" in read(section(html, "not-said"))
    none = render_replay(make(messages=messages.iloc[:0]))
    assert "no rule had anything to do" in none
    assert "could not be played" not in none


def test_what_is_not_said():
    text = read(section(render_replay(CONTENT), "not-said"))
    assert "What participants would have done." in text
    assert "LadderBoot: this leaderboard adds noise to the scores." in text
    assert "drawn at random" not in text
    quiet = make(boards=(frames.FULL, frames.LADDER))
    assert "noise" not in read(section(render_replay(quiet), "not-said"))


def test_figures_stand_where_they_belong(cards):
    html = render_replay(replace(CONTENT, figures=cards))
    for name, place in (
        ("replay_ranks", "places"), ("replay_scores", "scores"), ("replay_error", "scores"),
        ("replay_splits", "chance"), ("replay_rungs", "teams"),
    ):  # fmt: skip
        assert f"What {name} shows." in section(html, place)
    assert html.count("<img") == 5
    assert "<img" not in render_replay(CONTENT)


def test_one_team_alone_has_a_page_too():
    log = frames.log(m=12, teams=1)
    html = render_replay(make(log))
    answer = read(section(html, "answer"))
    assert "There is only one team" in answer
    assert "12 submissions of 1 team;" in answer
    assert "At the end, the score shown for a team" in answer
    chance = read(section(html, "chance"))
    assert "against the next teams" not in chance
    assert "smallest gap" not in chance


def test_errors_are_told(cards):
    with pytest.raises(InputError, match=r"no place for the figures \['boxes'\]"):
        render_replay(replace(CONTENT, figures={"boxes": cards["replay_ranks"]}))


def test_the_page_says_how_much_there_was_to_learn(cards):
    text = read(section(render_replay(replace(CONTENT, figures=cards)), "learnt"))
    assert "Full-disclosure" in text
    table = rows(section(render_replay(replace(CONTENT, figures=cards)), "learnt"))
    by_board = {row[0]: row[1:] for row in table}
    assert by_board["Full-disclosure"][2] == "60"
    assert "exact scores reveal" in by_board["Full-disclosure"][4]
    assert by_board["LadderBoot (α = 0.15, b = 10)"][2:] == ["–", "–", "–"]
    for metric, words in (("spearman", "this is not known"), ("ccc", "degrees of freedom")):
        other = make(metric=metric)
        assert words in read(section(render_replay(replace(other, figures=cards)), "learnt"))
