"""The page of a replay answers first, tells every message, and holds no truth."""

import re
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from shakedown.figures import save
from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.replay.analyses import analyse
from shakedown.replay.rules import RULES
from shakedown.report import FigureCard, ReplayContent, render_replay, replay_words
from shakedown.report.replay import FIGURES, READ
from tests.replay import frames
from tests.report.test_page import HOSTILE, Page, words

SETTINGS = {"top": 10, "best": 20, "splits": 4, "draws": 100}
LOG = frames.log()


def make(log=LOG, metric="mse", boards=frames.BOARDS, messages=None):
    seen, standings = frames.played(log, metric, boards, per_rank=True)
    found = analyse(log, find(metric), seen, standings, settings=SETTINGS, seed=3)
    told = log.messages if messages is None else messages
    found |= {"standings": standings, "messages": told}
    return ReplayContent(
        study="trial",
        seed=1607,
        metric=metric,
        sizes={
            "public": int(log.public.sum()),
            "private": int((~log.public).sum()),
            "submissions": len(log.submissions),
            "teams": log.submissions["team"].nunique(),
        },
        tables={name: found[name] for name in READ},
        versions={"python": "3.11.0"},
        config_text="study: trial\n",
    )


CONTENT = make()


@pytest.fixture(scope="module")
def cards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    found = {}
    for name in FIGURES:
        figure, ax = plt.subplots()
        ax.plot([0, 1])
        save(figure, folder / f"{name}.svg", folder / f"{name}.png")
        plt.close(figure)
        found[name] = FigureCard(
            id=name,
            title=f"The {name}",
            caption=f"What {name} shows.",
            svg_path=folder / f"{name}.svg",
            png_path=folder / f"{name}.png",
            command="",
        )
    return found


def section(text, name):
    return text.split(f'<section id="{name}">')[1].split("</section>")[0]


def read(html):
    return words(Page(html)).replace("\u00a0", " ")


def rows(html):
    return [
        [read(f"<p>{cell}</p>") for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)]
        for row in re.findall(r"<tr[^>]*>(<td.*?)</tr>", html, re.DOTALL)
    ]


def standing(**boards):
    """An agreement of made-up boards: public leaders, private winners, how many move."""
    nothing = dict.fromkeys(("alpha", "posterior_odds", "eta", "b"), np.nan)
    first = next(iter(boards.values()))
    return pd.DataFrame(
        {"mechanism": name, "boards": "per_team", **nothing, "top": 10, "moved": moved,
         "teams": 12, "winner": " / ".join(public), "private_winner": " / ".join(private),
         "leaders": len(public), "winners": len(private),
         "same_leader": set(first[0]) <= set(public), "same_winner": first[1] == private}
        for name, (public, private, moved) in boards.items()
    )  # fmt: skip


def test_well_formed_with_unique_ids_and_links_that_lead_somewhere(cards):
    page = Page(render_replay(replace(CONTENT, figures=cards, narrow=cards)))
    assert len(set(page.ids)) == len(page.ids)
    inside = [link[1:] for link in page.links if link.startswith("#")]
    assert set(inside) <= set(page.ids)
    sections = ["answer", "places", "scores", "luck", "teams", "log", "not-said", "words"]
    sections.append("provenance")
    assert [i for i in page.ids if i in sections] == sections
    assert set(sections) <= set(inside)


def test_nothing_from_outside(cards):
    text = render_replay(replace(CONTENT, figures=cards))
    page = Page(text)
    assert all(link.startswith("#") for link in page.links)
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    names = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert set(re.findall(r"https?://[^\s\"'<>)]+", text)) <= names
    assert "default-src 'none'" in text
    assert render_replay(replace(CONTENT, figures=cards)) == text


def test_no_truth_and_no_prediction_is_on_the_page():
    # Shifted so far that no score looks like them; the mean squared error does not feel it.
    log = replace(LOG, truth=LOG.truth + 5000.0, predictions=LOG.predictions + 5000.0)
    text = render_replay(make(log)).split("</style>")[1]
    found = [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*\.?\d*", text)]
    assert len(found) > 300
    assert not [n for n in found if 4000 < n < 6000]


def test_every_name_is_escaped():
    log = frames.log()
    log.submissions["team"] = log.submissions["team"].replace("team 01", HOSTILE)
    messages = log.messages.assign(done=HOSTILE, submission=HOSTILE)
    text = render_replay(replace(make(log, messages=messages), study=HOSTILE))
    assert HOSTILE not in text
    assert "script" not in Page(text).tags
    assert HOSTILE in "".join(Page(text).texts)


def test_the_answer_comes_first():
    text = read(render_replay(CONTENT))
    sentence, changed = replay_words.winner(
        CONTENT.tables["agreement"], CONTENT.tables["comparisons"]
    )
    assert changed == sentence.startswith("On ")
    answer = read(section(render_replay(CONTENT), "answer"))
    assert sentence in answer
    assert text.index(sentence) < text.index("Who would have been where")
    assert "60 submissions of 12 teams, 120 public and 280 private rows; MSE, lower is better" in (
        answer
    )
    assert "1 submission could not be played: why" in answer
    assert "higher is better" in read(render_replay(make(metric="ccc")))


def pairs(winner, by="private", test="paired t", **p):
    """Comparisons of a made-up winner with the teams named, by their corrected p."""
    nothing = dict.fromkeys(("alpha", "posterior_odds", "eta", "b"), np.nan)
    return pd.DataFrame(
        {"mechanism": "kaggle", "boards": "per_team", **nothing, "by": by, "team": team,
         "winner": winner, "test": test, "p_holm": value}
        for team, value in p.items()
    )  # fmt: skip


def test_who_wins_in_words():
    none = pairs("b", a=0.5)
    same = standing(kaggle=("a", "a", 0), ladder=("a", "a", 2))
    assert replay_words.winner(same, none) == (
        "No: a leads in public and wins in private with each of the 2 boards.", False
    )  # fmt: skip
    assert replay_words.lead(same) == ""
    other = standing(kaggle=("a", "b", 0), ladder=("a", "b", 2))
    told = "No: b wins in private with each of the 2 boards."
    assert replay_words.winner(other, none) == (told, False)
    assert replay_words.lead(other) == "In public a leads on every board."
    lead = standing(kaggle=("a", "b", 0), parameter_free_ladder=("c", "b", 1))
    assert replay_words.winner(lead, none)[0] == told
    assert replay_words.lead(lead) == (
        "In public a leads with Kaggle reference; elsewhere others lead: c with Parameter-free "
        "Ladder."
    )
    shared = standing(
        kaggle=("a", "b", 0), general_ladder=("abcd", "b", 0), simplified_ladder=("bcd", "b", 0)
    )
    assert replay_words.lead(shared) == (
        "In public a leads with Kaggle reference, and shares the lead on 1 board; elsewhere others "
        "lead: 3 teams with Simplified Ladder."
    )
    assert replay_words.lead(shared.iloc[:2]).endswith("and shares the lead on 1 board.")
    alone = standing(kaggle=("a", "b", 0))
    assert replay_words.winner(alone, none)[0] == "No: b wins in private."


def test_a_changed_winner_says_on_how_many_boards_and_how_sure():
    changed = standing(
        kaggle=("a", "b", 0), parameter_free_ladder=("a", "c", 1), simplified_ladder=("a", "c", 1),
        general_ladder=("a", "d", 0),
    )  # fmt: skip
    start = (
        "On 3 of 4 boards another team wins in private: c on 2 boards and d with General Ladder; "
        "with Kaggle reference b does"
    )
    for p, says in (
        ({"c": 0.5, "d": 0.06}, ", but there the private rows do not tell it from any of them."),
        ({"c": 0.5, "d": 0.05}, ", and there the private rows tell it from only one of them."),
        ({"c": 0.01, "d": 0.01}, ", and there the private rows tell it from each of them."),
        ({"c": 0.5}, "."),  # d is not among those that were tested
    ):
        assert replay_words.winner(changed, pairs("b", **p)) == (start + says, True)
    one = standing(kaggle=("a", "b", 0), ladder=("a", "b", 0), general_ladder=("a", "c", 0))
    for p, says in ((0.718, "but there the private rows do not tell"),
                    (0.04, "and there the private rows tell")):  # fmt: skip
        told, _ = replay_words.winner(one, pairs("b", c=p))
        assert told == (
            "On 1 of 3 boards another team wins in private: c with General Ladder; with Kaggle "
            f"reference b does, {says} the two apart (p = {p:.2g})."
        )
    # Those who share a place have nobody in front.
    tied = standing(kaggle=("a", "bcef", 0), general_ladder=("a", "bc", 0))
    assert replay_words.winner(tied, pairs("b", c=1.0))[0] == (
        "On 1 of 2 boards others win in private: b / c with General Ladder; with Kaggle reference "
        "4 teams do."
    )


def test_many_teams_and_boards_make_no_long_list():
    names = ("ladder", "ladderboot", "general_ladder", "simplified_ladder", "bayesboot_ladder",
             "parameter_free_ladder", "bayesboot_ladderboot")  # fmt: skip
    others = dict(zip(names, "cdefghc", strict=True))
    table = standing(kaggle=("a", "b", 0), **{k: (v, "b", 1) for k, v in others.items()})
    assert replay_words.lead(table) == (
        "In public a leads with Kaggle reference; elsewhere others lead: c on 2 boards, d with "
        "LadderBoot, e with General Ladder and others on 3 more boards."
    )


def test_several_teams_win_and_lead():
    four = standing(kaggle=("abcd", "abcd", 0), ladder=("abcd", "abcd", 0))
    assert replay_words.winner(four, pairs("a", b=1.0))[0] == (
        "No: 4 teams lead in public and win in private with each of the 2 boards."
    )
    two = standing(kaggle=("ab", "c", 0), ladder=("abe", "c", 0), general_ladder=("abef", "c", 0))
    assert replay_words.lead(two) == (
        "In public a / b lead with Kaggle reference, and share the lead on 2 boards."
    )


def test_moves_in_words():
    ranks = CONTENT.tables["ranks"]
    told = replay_words.moves(CONTENT.tables["agreement"], ranks)
    most = CONTENT.tables["agreement"]["moved"].max()
    assert f"{most} ha" in told
    own = ranks[(ranks["mechanism"] == "full_disclosure") & (ranks["boards"] == "per_team")]
    out = ((own["reference_place"] <= 10) & (own["private_place"] > 10)).sum()
    assert out in (1, 2)
    assert f"{('One', 'Two')[out - 1]} of them" in told
    agreement = CONTENT.tables["agreement"]
    for places, says in (
        (1, "All of them are among the top 10 in private."),
        (11, "None of them are among the top 10 in private."),
    ):
        assert replay_words.moves(agreement, ranks.assign(private_place=places)).endswith(says)
    everyone = make(frames.log(m=12, teams=4)).tables
    assert "in private" not in replay_words.moves(everyone["agreement"], everyone["ranks"])
    still = standing(kaggle=("a", "a", 0), ladder=("a", "a", 0))
    assert "stand in the same order" in replay_words.moves(still, ranks)
    alone = replay_words.moves(standing(kaggle=("a", "a", 0)), ranks)
    assert "of the top 10 with Kaggle reference" in alone
    assert replay_words.moves(still.assign(top=1), ranks) == ""


def test_the_floor_and_the_tests_in_words():
    table = CONTENT.tables["resolution"]
    row = table[(table["mechanism"] == "full_disclosure") & (table["rows_of"] == "public")].iloc[0]
    told = replay_words.resolved(table, "mse")
    assert f"The 120 public rows resolve a gap of {row['floor']:.2g} in MSE" in told
    for closer, says in ((0, "none of the other 9"), (1, "1 of the other 9 top teams is closer"),
                         (9, "all of the other 9 top teams are")):  # fmt: skip
        assert says in replay_words.resolved(table.assign(closer=closer), "mse")
    none = table.assign(floor=np.nan, closer=pd.NA)
    assert "no gap to resolve" in replay_words.resolved(none, "mse")
    tests, agreement = CONTENT.tables["comparisons"], CONTENT.tables["agreement"]

    def told_from(table, by="private"):
        return replay_words.told_from(table, agreement, by)

    assert "from all of the next 9 teams" in told_from(tests.assign(p_holm=0.01))
    unsure = told_from(tests.assign(p_holm=0.5))
    assert "from none of the next 9 teams" in unsure
    assert unsure.endswith("that it is in front of them may be luck.")
    assert "the leader of the public board" in told_from(tests, "public")
    assert "a bootstrap test" in told_from(tests.assign(test="bootstrap"))


def test_one_team_behind_and_teams_beside_the_winner():
    one = standing(kaggle=("a", "a", 0))
    assert replay_words.told_from(pairs("a", b=0.01), one) == (
        "On the private rows a paired t-test tells the winner (a) from the next team "
        "(level\u00a05\u00a0%)."
    )
    assert replay_words.told_from(pairs("a", b=0.5), one) == (
        "On the private rows a paired t-test does not tell the winner (a) from the next team "
        "(level\u00a05\u00a0%): that it is in front of it may be luck."
    )
    four = standing(kaggle=("abcd", "abcd", 0))
    for by, who in (("private", "winners"), ("public", "leaders of the public board")):
        told = replay_words.told_from(pairs("a", by=by, b=1.0, c=1.0, d=1.0, e=1.0), four, by)
        assert f"tells one of the 4 {who} (a) from none of the next 4 teams" in told
        assert "luck" not in told


def test_one_best_submission_in_words():
    table = CONTENT.tables["splits"]
    assert f"of the {len(table)} best submissions the gap" in replay_words.luck(table)
    one = table.iloc[:1].assign(gap=-0.5, within=False)
    assert replay_words.luck(one) == (
        "The gap of the one submission between public and private score is not within one standard "
        "deviation of that between random halves of the private rows; its public score is 0.5 "
        "below the private one."
    )
    assert "score is within" in replay_words.luck(one.assign(within=True))


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

    assert "held against Full-disclosure, which shows every score." in note(CONTENT)
    alone = note(make(boards=(frames.LADDER, frames.BOOT)))
    assert "held against Ladder (α = 0.15). All words." in alone


def test_a_number_and_its_per_cent_stay_together(cards):
    text = render_replay(CONTENT).split("</style>")[1]
    assert "\u00a0%" in text
    assert not re.findall(r"\d %", text)


def test_every_board_stands_in_the_table():
    html = section(render_replay(CONTENT), "places")
    seen, folded = html.split("<details>")
    for part, kind, suffix in ((seen, "per_team", ""), (folded, "per_rank", " for ranks")):
        found = rows(part)
        own = CONTENT.tables["agreement"]
        own = own[(own["boards"] == kind).to_numpy(bool)]
        assert [row[0] for row in found] == [
            f"{label}{suffix}" for label in
            ("Full-disclosure", "Ladder (α = 0.15)", "LadderBoot (α = 0.15, b = 10)")
        ]  # fmt: skip
        assert [row[1] for row in found] == own["winner"].tolist()
        assert [row[2] for row in found] == own["private_winner"].tolist()
        assert [row[4] for row in found] == [f"{k:.2f}".replace("-", "−") for k in own["kendall"]]
    errors = CONTENT.tables["errors"]
    ladder = errors[(errors["mechanism"] == "ladder") & (errors["boards"] == "per_rank")].iloc[0]
    assert rows(folded)[1][5] == f"{ladder['final_distance']:.2g}"
    assert rows(folded)[1][7] == f"{ladder['leaderboard_error']:.2g}"


def test_tests_and_teams_stand_in_their_tables():
    html = section(render_replay(CONTENT), "luck")
    found = rows(html)
    own = CONTENT.tables["comparisons"]
    own = own[(own["mechanism"] == "full_disclosure") & (own["boards"] == "per_team")]
    assert [row[1] for row in found] == own["team"].tolist()
    assert [row[0] for row in found] == [str(k) for k in (*range(2, 11), *range(2, 11))]
    sure = html.count('class="number sure"')
    assert sure == (own["p_holm"] <= 0.05).sum()
    teams = rows(section(render_replay(CONTENT), "teams"))
    held = CONTENT.tables["standings"]
    held = held[(held["mechanism"] == "full_disclosure") & (held["boards"] == "per_team")]
    assert [row[0].rsplit(" ", 1)[0] for row in teams] == held["team"].tolist()


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
    told = section(html, "log")
    order = [told.index(RULES[r]) for r in ("public_drawn", "missing", "constant")]
    assert order == sorted(order)
    text = read(told)
    assert "s1, team 99 : 5 of 9 predictions missing; not played. " in text
    assert "not played. (not played)" not in text
    assert "s2, team 01 : Predicts 3 everywhere. (played)" in text
    assert "(205 messages)" in text
    assert "And 5 more in messages.csv" in text
    assert "1 submission could not be played, and one team has no other" in read(html)
    assert "nobody has adapted to these rows" in read(section(html, "not-said"))
    none = render_replay(make(messages=messages.iloc[:0]))
    assert "no rule had anything to do" in none
    assert "could not be played:" not in none


def test_what_is_not_said():
    text = read(section(render_replay(CONTENT), "not-said"))
    assert "Participants would have behaved differently" in text
    assert "Boards with b add noise" in text
    assert "drawn at random" not in text
    quiet = make(boards=(frames.FULL, frames.LADDER))
    assert "add noise" not in read(section(render_replay(quiet), "not-said"))


def test_figures_stand_where_they_belong(cards):
    html = render_replay(replace(CONTENT, figures=cards))
    for name, place in (
        ("replay_ranks", "places"), ("replay_scores", "scores"), ("replay_error", "scores"),
        ("replay_splits", "luck"), ("replay_rungs", "teams"),
    ):  # fmt: skip
        assert f"What {name} shows." in section(html, place)
    assert html.count("<svg") == 5
    assert "<svg" not in render_replay(CONTENT)


def test_one_team_alone_has_a_page_too():
    log = frames.log(m=12, teams=1)
    html = render_replay(make(log))
    answer = read(section(html, "answer"))
    assert "There is one team alone" in answer
    assert "12 submissions of 1 team," in answer
    assert "At the end the score beside a team" in answer
    luck = read(section(html, "luck"))
    assert "against those behind it" not in luck
    assert "smallest gap" not in luck


def test_errors_are_told(cards):
    with pytest.raises(InputError, match=r"no place for the figures \['boxes'\]"):
        render_replay(replace(CONTENT, figures={"boxes": cards["replay_ranks"]}))
    few = {k: v for k, v in CONTENT.tables.items() if k != "splits"}
    with pytest.raises(InputError, match="splits are not among them. Analyse the replay again"):
        render_replay(replace(CONTENT, tables=few))
