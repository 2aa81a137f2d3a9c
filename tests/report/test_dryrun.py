"""The dry run's page answers first, explains its words, and needs nothing but itself."""

import json
import re
from dataclasses import fields, replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from shakedown.datasets import read as read_table
from shakedown.figures import save
from shakedown.figures.selection import Setting, rows_of
from shakedown.figures.style import CONTROLS, MECHANISMS
from shakedown.interface import InputError
from shakedown.outcomes import MECHANISM
from shakedown.recommendation import recommend, unit_words
from shakedown.report import DryRunContent, FigureCard, render_dryrun
from shakedown.report.dryrun import FIGURES
from shakedown.report.dryrun_rows import delta, interval, limit
from shakedown.report.dryrun_words import LEADERBOARDS, PARAMETERS
from tests.figures import dryrun_frames
from tests.report.test_page import HOSTILE, Page, words

SETTINGS = {
    "metric": "mse",
    "submissions": 500,
    "days": 30,
    "quantile": 0.5,
    "largest_budget": 2000,
    "minutes": 3,
    "model": "ols",
}
THREATS = ("modeller", "step_forward", "freedman", "best_of_many", "paper_recipe")
LANES = [
    {"lane": 0, "replicates": 41, "seconds": 180.4, "reason": "time", "width": 0.01},
    {"lane": 1, "replicates": 39, "seconds": 150.0, "reason": "narrow", "width": 0.01},
]


def make(settings=dryrun_frames.SETTINGS, *, unit=1.0, **changes):
    """Content on made-up tables; `changes` are settings of the dry run."""
    asked = SETTINGS | changes
    curve = dryrun_frames.frontier(settings, unit=unit, threats=THREATS)
    limits = dryrun_frames.limits(curve, (-0.05 * unit, -0.1 * unit))
    found = recommend(
        limits,
        dryrun_frames.utility(settings, unit=unit),
        settings=asked,
        threshold=-0.05 * unit,
        unit_name=unit_words(2),
        n_public=147,
    )
    return DryRunContent(
        study="trial",
        dataset="mine",
        seed=1607,
        n_features=64,
        sizes={"train": 148, "public": 147, "final": 147},
        settings=asked,
        recommendation=json.loads(json.dumps(found)),  # as from a file
        limits=limits,
        frontier=curve,
        notes=["8 rows without a response dropped."],
        lanes=LANES,
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
    """The text of a piece of a page."""
    return words(Page(html))


def test_well_formed_with_unique_ids_and_links_that_lead_somewhere(cards):
    page = Page(render_dryrun(replace(CONTENT, figures=cards, narrow=cards)))
    assert len(set(page.ids)) == len(page.ids)
    inside = [link[1:] for link in page.links if link.startswith("#")]
    assert set(inside) <= set(page.ids)
    sections = ["answer", "limits", "ways", "usefulness", "data", "sure", "not-covered"]
    sections += ["settings", "words", "provenance"]
    assert [i for i in page.ids if i in sections] == sections
    assert set(sections) <= set(inside)


def test_nothing_from_outside(cards):
    text = render_dryrun(replace(CONTENT, figures=cards, narrow=cards))
    page = Page(text)
    assert all(link.startswith("#") for link in page.links)
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    names = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert set(re.findall(r"https?://[^\s\"'<>)]+", text)) <= names
    assert not re.search(r"url\((?!#)", text)
    assert "default-src 'none'" in text


def test_same_content_same_bytes(cards):
    whole = replace(CONTENT, figures=cards)
    assert render_dryrun(whole) == render_dryrun(whole)


def test_the_answer_comes_first():
    found = CONTENT.recommendation
    text = read(render_dryrun(CONTENT))
    assert found["answer"] == "safe"
    before = text.split(found["sentence"])[0]
    assert "Safe means" not in before
    assert "Leaderboard Safe" not in before
    answer = read(section(render_dryrun(CONTENT), "answer"))
    assert "about 17 a day" in answer
    assert found["rests_on"]["words"] in answer
    assert "recommended" in answer
    assert "What to do" not in answer


def rows(html):
    """Cells of each row of the tables, as texts."""
    return [
        [read(f"<p>{cell}</p>") for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)]
        for row in re.findall(r"<tr[^>]*>(<td.*?)</tr>", html, re.DOTALL)
    ]


def test_the_table_of_the_answer_has_every_leaderboard_once_and_the_chosen_one_first():
    seen, folded = section(render_dryrun(CONTENT), "answer").split("<details>")
    seen, folded = rows(seen), rows(folded)
    assert len(seen) == 5
    assert len(seen) + len(folded) == len(dryrun_frames.SETTINGS)
    chosen = CONTENT.recommendation["recommended"]
    assert seen[0][0] == f"{chosen['label']} recommended"
    assert seen[0][1] == f"{chosen['safe_submissions']:,} {chosen['ci_low']:,} or more"
    assert seen[0][2] == "yes"
    assert seen[0][3] == f"{chosen['seen_floor']:.2g}"
    assert seen[-1][0] == "Full-disclosure"  # what platforms do is always in sight
    assert seen[-1][2] == "no"
    labels = [row[0] for row in (*seen[1:], *folded)]
    assert sorted(labels) == sorted(o["label"] for o in CONTENT.recommendation["runner_ups"])


def test_a_limit_that_may_do_is_called_so():
    limits = CONTENT.limits.query("threshold == -0.05 and threat == 'modeller'")
    ladder = limits.query("mechanism == 'ladder' and alpha == 0.15").iloc[0]
    assert ladder["safe_submissions"] < ladder["ci_high"] < 2000
    for more, told in ((0, "not sure"), (1, "no")):
        content = make(submissions=int(ladder["ci_high"]) + more)  # the end decides
        cells = {row[0]: row for row in rows(section(render_dryrun(content), "answer"))}
        assert cells["Ladder (α = 0.15)"][2] == told
        assert cells["Ladder (α = 0.5)"][2] == "no"
    beyond = make(submissions=2500)
    cells = {row[0]: row for row in rows(section(render_dryrun(beyond), "answer"))}
    assert cells["Ladder (α = 0.15)"][2] == "no"
    assert cells["LadderBoot (α = 0.15, b = 10)"][2] == "not tried"


def test_no_setting_safe_is_said_plainly_with_what_to_do():
    content = make(submissions=2500)
    found = content.recommendation
    assert found["answer"] == "fewer"
    html = render_dryrun(content)
    answer = read(section(html, "answer"))
    assert "No leaderboard that was tried can be called safe for 2,500" in answer
    assert "What to do" in answer
    assert "Put more rows into the public set" in answer
    assert "the safest" in answer
    assert 'class="answer fewer"' in html
    assert "<code>largest_budget</code>" in section(html, "answer")
    assert f"max_submissions: {found['submissions']} " in section(html, "settings")


def undecided(**given):
    """Content for which the limits of no board are known."""
    table = CONTENT.limits.assign(ci_low=20, safe_submissions=600, ci_high=None, censored=False)
    table.loc[table["mechanism"] == "full_disclosure", ["ci_low", "safe_submissions"]] = (40, 5)
    found = recommend(
        table,
        dryrun_frames.utility(),
        settings=SETTINGS | {"precision": 0.01},
        threshold=-0.05,
        frontier=CONTENT.frontier,
        **given,
    )
    return replace(CONTENT, limits=table, recommendation=json.loads(json.dumps(found)))


def test_what_is_not_decided_yet_is_no_refusal():
    content = undecided(unit_name=unit_words(2), unit=1.0)
    html = render_dryrun(content)
    answer = read(section(html, "answer"))
    assert 'class="answer undecided"' in html
    assert "Not decided yet: 60 plays are too few" in answer
    assert "allow at most 40, with Full-disclosure" in answer
    cells = rows(section(html, "answer"))
    assert cells[0][0] == "Full-disclosure until then"
    assert cells[0][1].startswith("fewer than 10 ")
    assert cells[1][0].endswith(" likeliest")
    assert {row[2] for row in cells} == {"not sure"}
    assert "that is the likeliest" in read(section(html, "ways"))
    assert "max_submissions: 40 " in section(html, "settings")


def test_what_the_answer_rests_on_stands_beside_it():
    content = undecided(unit_name=unit_words(2), unit=1.0)
    html = section(render_dryrun(content), "answer")
    box = read(re.search(r'<div class="answer.*?</div>', html, re.DOTALL)[0])
    assert (
        "From 60 plays; tolerated: 0.05 squared units of the response, 5 % of its variance." in box
    )
    assert "Precision: interval wanted ≤ 1 % of what is tolerated, reached " in box
    assert "costs honest participants: " in box
    assert "have the same cautious limit (20)" in box
    assert "Precision" not in section(render_dryrun(CONTENT), "answer")
    assert "Look again" not in html
    slip = section(render_dryrun(undecided(unit_name=unit_words(2), unit=1e-4)), "answer")
    assert "Look again. You tolerate 0.05 squared units" in read(slip)


@pytest.mark.parametrize(
    ("row", "ends", "told", "between"),
    [
        ((7, 0, 30, False), (8, 2000, 2000), "fewer than 8", "0 to 30"),
        ((3, 0, 7, False), (8, 2000, 2000), "fewer than 8", "fewer than 8"),
        ((8, 0, 8, False), (8, 2000, 2000), "8", "0 to 8"),
        ((2000, 8, None, True), (8, 2000, 2000), "2,000 or more", "8 or more"),
        ((1990, 8, None, True), (8, 1990, 2000), "1,990 or more", "8 or more"),
        ((10, 8, None, True), (8, 10, 2000), "all it can make: 10", "8 to all"),
        ((10, 10, None, True), (8, 10, 2000), "all it can make: 10", ""),
    ],
)
def test_limits_in_words(row, ends, told, between):
    cells = dict(zip(("safe_submissions", "ci_low", "ci_high", "censored"), row, strict=True))
    assert (limit(cells, *ends), interval(cells, *ends)) == (told, between)


def test_rounding_is_no_overfit():
    assert delta(-1e-12, -0.05) == "0"
    assert delta(-1e-3, -0.05) == "−0.001"
    assert delta(-1e-12, -1e-12) == "−1e−12"


def test_nothing_safe_has_nothing_to_paste():
    table = CONTENT.limits.assign(ci_low=0, safe_submissions=5, ci_high=9, censored=False)
    found = recommend(table, dryrun_frames.utility(), settings=SETTINGS, threshold=-0.05)
    html = render_dryrun(replace(CONTENT, limits=table, recommendation=found))
    answer = read(section(html, "answer"))
    assert "nor for any smaller number" in answer
    assert "score once at its end" in answer
    assert "max_submissions" not in html
    assert 'id="settings"' not in html
    assert "recommended" not in answer
    assert "that comes closest" in read(section(html, "ways"))


def test_each_way_of_spending_tells_how_far_it_gets():
    found = rows(section(render_dryrun(CONTENT), "ways"))
    assert [row[0].split(",")[0].split(" ")[0] for row in found] == [
        "The",
        "Feature",
        "Best",
        "Careless",
        "A",
    ]
    assert all("rounds over" in row[1] for row in found)  # the made-up tables have one way
    assert found[0][2].startswith("−0.0")
    assert float(found[0][2].split()[0].replace("−", "-")) < float(
        found[1][2].split()[0].replace("−", "-")
    )
    assert found[0][3] == "500"
    chosen = CONTENT.recommendation["recommended"]
    same = rows_of(CONTENT.limits, Setting(**{c: chosen[c] for c in MECHANISM}))
    same = same[same["threshold"] == -0.05].set_index("threat")["safe_submissions"]
    assert [row[4].split()[0] for row in found] == [f"{same[threat]:,}" for threat in THREATS]
    assert same.nunique() > 1


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"attack": "freedman", "n_features": 120, "n_selected": 9, "iterations": None},
            "120 features tried one by one, the best 9 kept",
        ),
        (
            {"attack": "step_forward", "board": "carried_on", "n_features": 60, "iterations": 4},
            "4 rounds over 60 features, one account",
        ),
        ({"attack": "step_forward", "n_features": 1, "iterations": 1}, "1 round over 1 feature"),
        ({"attack": "best_of_many", "board": "carried_on"}, "one account, the best model kept"),
        ({"attack": "my_own"}, "the attack my own"),
    ],
)
def test_how_submissions_are_spent_is_said_in_words(changes, told):
    curve = CONTENT.frontier.astype({"attack": object, "board": object}).assign(**changes)
    found = rows(section(render_dryrun(replace(CONTENT, frontier=curve)), "ways"))
    assert {row[1] for row in found} == {told}


def test_limits_at_other_thresholds_are_told():
    html = section(render_dryrun(CONTENT), "limits")
    assert "If you tolerate 0.1 squared units of the response instead" in html
    assert len(rows(html)) == len(dryrun_frames.SETTINGS)


def test_figures_stand_where_they_belong(cards):
    html = render_dryrun(replace(CONTENT, figures=cards))
    places = {name: section(html, name) for name in ("limits", "ways", "usefulness")}
    for name, place in (
        ("safe_limits", "limits"),
        ("frontier_split", "ways"),
        ("protection", "usefulness"),
        ("acceptance", "usefulness"),
    ):
        assert f"What {name} shows." in places[place]
        assert f'aria-label="The {name}"' in places[place]
    assert html.count("<svg") == 4
    same = replace(cards["safe_limits"], title="How many submissions are safe")
    retitled = render_dryrun(replace(CONTENT, figures=cards | {"safe_limits": same}))
    assert retitled.count("How many submissions are safe</h") == 1  # not once more over the figure
    assert "has-narrow" not in html.split("</style>")[1]
    both = render_dryrun(
        replace(CONTENT, figures=cards, narrow={"acceptance": cards["acceptance"]})
    )
    assert both.count("<svg") == 5
    assert both.split("</style>")[1].count("has-narrow") == 1
    assert "<svg" not in render_dryrun(CONTENT)


def test_a_figure_without_a_place_is_refused(cards):
    with pytest.raises(InputError, match=r"no place for the figures \['boxes'\]"):
        render_dryrun(replace(CONTENT, figures={"boxes": cards["acceptance"]}))


def test_how_sure_it_is():
    html = section(render_dryrun(CONTENT), "sure")
    text = read(html)
    assert (
        "2 jobs beside each other played 80 replicates in all: 41 replicates in 180 s, until the "
        "time was up; 39 replicates in 150 s, until the interval was narrow enough." in text
    )
    assert "raise minutes , which is 3 now" in text
    cells = {row[0]: row for row in rows(html)}
    row = CONTENT.frontier.query(
        "mechanism == 'ladder' and alpha == 0.15 and threat == 'modeller' and submissions == 500"
    ).iloc[0]
    width = 100 * (row["delta_high"] - row["delta_low"]) / 0.05
    found = cells["Ladder (α = 0.15)"]
    assert found[1].startswith(f"{row['delta']:.2g}".replace("-", "−"))
    assert found[2:] == ["500", f"{width:.0f} %", "60"]
    alone = read(section(render_dryrun(replace(CONTENT, lanes=LANES[1:])), "sure"))
    assert "One job played 39 replicates in 150 s" in alone
    assert "minutes" not in alone


def test_too_few_replicates_for_an_interval_is_said():
    curve = CONTENT.frontier.assign(delta_low=np.nan)
    html = section(render_dryrun(replace(CONTENT, frontier=curve)), "sure")
    assert all("too few replicates" in row[1] and row[3] == "–" for row in rows(html))


def test_what_is_left_out_is_said_where_one_looks():
    text = read(section(render_dryrun(CONTENT), "not-covered"))
    assert "Whoever submits arbitrary numbers instead of fitted models can do far better" in text
    assert "public rows (147)" in text
    assert "set quantile to 0.05" in text


def test_every_note_on_a_table_has_its_reason(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(80, 5)), columns=list("abcde"))
    frame["constant"], frame["twin"] = 1.0, frame["a"]
    frame.loc[3, "b"] = np.nan
    frame.loc[7, ["a", "b", "c", "d", "e", "twin"]] = (
        frame.loc[6, ["a", "b", "c", "d", "e", "twin"]]
    )  # fmt: skip
    frame["y"] = rng.normal(size=80)
    told = []
    for missing in ("impute_median", "drop_rows", "drop_columns"):
        one = frame.copy()
        if missing == "drop_rows":
            one.loc[11, "y"] = np.nan
        one.to_csv(tmp_path / "mine.csv", index=False)
        recipe = {"recipe": "table", "path": "mine.csv", "response": "y", "missing": missing}
        with pytest.warns(UserWarning, match="dropped as"):
            challenge = read_table("mine", recipe, seed=1, folder=tmp_path)
        html = section(render_dryrun(replace(CONTENT, notes=challenge.notes)), "data")
        items = re.findall(r"<li>(.*?)</li>", html, re.DOTALL)[2:-1]  # sizes, and what was read
        assert len(items) >= 4
        assert all('<span class="soft">' in item for item in items), items
        told += items
    assert len(set(told)) >= 6
    assert "Nothing was dropped" in render_dryrun(replace(CONTENT, notes=[]))


def test_every_word_and_setting_that_is_used_is_explained():
    html = section(render_dryrun(CONTENT), "words")
    terms = re.findall(r"<dt>(.*?)</dt>", html)
    for term in (
        "Full-disclosure",
        "Ladder",
        "LadderBoot",
        "α",
        "b",
        "replicate, play",
        "overfit, Δ",
    ):
        assert term in terms
    assert "posterior odds" not in terms
    assert "η" not in terms
    assert "General Ladder" not in terms
    odds = make(dryrun_frames.CORRELATION, metric="pearson")
    assert "posterior odds" in section(render_dryrun(odds), "words")


def test_every_mechanism_and_parameter_has_words():
    assert set(LEADERBOARDS) == set(MECHANISMS) - set(CONTROLS)
    assert list(PARAMETERS) == MECHANISM[1:]


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
    assert "script" not in page.tags
    assert words(page).count(HOSTILE) >= 6


def test_the_page_is_given_no_data():
    # What it never gets it cannot show: scores and settings, but no response and no feature.
    given = {field.name for field in fields(DryRunContent)}
    assert not given & {"challenge", "X", "y", "rows", "outcomes", "predictions"}
    tables = {*CONTENT.limits.columns, *CONTENT.frontier.columns}
    assert not tables & {"response", "y", "score_public", "score_final", "feature"}
