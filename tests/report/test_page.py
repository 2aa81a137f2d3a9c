"""The page answers first, needs nothing but itself, is well-formed, and trusts no name."""

import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from shakedown.figures import draw, save
from shakedown.report import scripts
from shakedown.report.page import ReportContent, render
from shakedown.report.pictures import figure_cards
from tests.figures import frames
from tests.report.summaries import row, summary

SCRIPTS = {path.read_text("utf-8") for path in Path(scripts.__file__).parent.glob("*.js")}
VOID = {"meta", "img", "br", "hr", "link", "input"}
HOSTILE = "<script>alert('x')</script>\"&"
SUMMARY = summary(
    *(row(-0.01 * i, alpha=0.15, dataset=name) for i, name in enumerate(("ad_like", "b"), start=1)),
    *(row(-d, n_features=p, submissions=n) for d, p, n in ((0.01, 50, 50), (0.06, 100, 199))),
)
COLUMNS = ["claim", "kind", "holds", "certain", "measured", "low", "high", "note"]
CLAIMS = pd.DataFrame(
    [
        ("a", "statistical", "yes", "yes", -0.5, -0.6, -0.4, ""),
        ("b", "statistical", "yes", "no", 0.01, -0.1, 0.1, "a note on b"),
        ("c", "statistical", "no", "yes", 2.0, 1.0, 3.0, "a note on c"),
        ("d", "carried over", "no", "no", float("inf"), 1.0, 3.0, ""),
        ("e", "statistical", "not run", None, None, None, None, "The study has no outcomes."),
        ("f", "arithmetic", "yes", "yes", 447.0, None, None, ""),
    ],
    columns=COLUMNS,
).assign(
    source="[C] Fig. 9",
    required="< -0.5",
    statement=lambda f: "Statement " + f.claim,
    seen="It was so.",
    replicates=pd.array([1000, 100, 1, None, None, None], dtype="Int64"),
    figure=["grid", None, "elsewhere", "grid", None, "grid"],
    replicates_needed=pd.array([None, 450, None, None, None, None], dtype="Int64"),
    tie_within=[None, 0.61, None, 4.0, None, None],
    bound=["paper", "ours", "ours", "paper", "paper", "paper"],
    literal=[None, None, "< 1", None, None, None],
    literal_measured=[None, None, 1.5, None, None, None],
    literal_verdict=[None, None, "fails", None, None, None],
)

_SETTING = SUMMARY["setting"].iloc[0]
READINGS = pd.DataFrame(
    {
        "question": "Which board?",
        "variant": ["a new one", "the same"],
        "setting": _SETTING,
        "median_delta": [-0.1, 0.0],
        "delta_low": [-0.2, None],
        "delta_high": [0.01, None],
    }
)
BOUNDS = pd.DataFrame(
    [
        ("one", "b", "labels", "boosting", "carried_on", _SETTING, 200, n, 1, 0.05)
        + (0.03, 0.02, 0.04, "Theorem 3.1", bound, bound >= 0.5, bound / 0.03)
        for n, bound in ((10, 0.2), (1000, 0.6))
    ],
    columns=[
        *(
            "experiment",
            "dataset",
            "design",
            "attack",
            "iteration_board",
            "setting",
            "public_rows",
        ),
        *("submissions", "accounts", "chance", "simulated", "simulated_low", "simulated_high"),
        *("theorem", "bound", "vacuous", "ratio"),
    ],
)


class Page(HTMLParser):
    """Collects what the tests ask, and checks that every tag is closed in its turn."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.texts = [], [], [], [], []
        self.scripts = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        for key, value in attrs:
            if key == "id":
                self.ids.append(value)
            if key in ("href", "src", "xlink:href"):
                self.links.append(value)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        (self.scripts if self.open[-1:] == ["script"] else self.texts).append(data)

    def has_only_own_scripts(self):
        """Whether all scripts are files of the package, each of which stands here once."""
        known = len(set(self.scripts)) == len(self.scripts) and set(self.scripts) <= SCRIPTS
        return known and self.tags.count("script") == len(self.scripts)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    steps = frames.outcomes((*frames.LADDERS, *frames.BOOTS), attack="step_forward", replicates=4)
    trace = frames.traces(
        ({"mechanism": "ladder", "alpha": 0.15},), attack="step_forward", n_features=300
    )
    save(draw("grid", steps), folder / "grid.svg", folder / "grid.png")
    save(draw("traces", trace), folder / "traces.svg", folder / "traces.png")
    for name in ("grid", "traces"):
        (folder / f"{name}.txt").write_text(f"What the {name} shows.")
    return folder


@pytest.fixture(scope="module")
def content(files):
    return ReportContent(
        study="trial",
        seed=1607,
        summary=SUMMARY,
        figures=figure_cards(
            [files / "grid.svg", files / "traces.svg"],
            {"grid": "The grid", "traces": "The traces"},
            "shakedown reproduce my.yaml --only",
        ),
        limits_figure="traces",
        checks=pd.DataFrame(
            {"experiment": ["one"], "dataset": ["b"], "design": ["splits"], "mechanisms": [2]}
        ).assign(replicates=1000, rows=2000),
        claims=CLAIMS,
        data_notes={"ad_like": ["Simulated.", "Checked."], "plain": []},
        versions={"python": "3.11.0", "numpy": "2.0.0"},
        config_text="study: trial\nseed: 1607\n",
    )


@pytest.fixture(scope="module")
def html(content):
    return render(content)


def words(page):
    return " ".join(" ".join(page.texts).split())


def test_well_formed_with_unique_ids_and_links_that_lead_somewhere(html):
    page = Page(html)
    assert len(set(page.ids)) == len(page.ids)
    inside = [link[1:] for link in page.links if link.startswith("#")]
    assert set(inside) <= set(page.ids)
    assert {"answer", "claims", "figures", "figure-grid", "tables", "data", "words"} <= set(inside)


def test_nothing_from_outside(html):
    page = Page(html)
    tables = {"claims.csv", "summary/step_forward.csv"}
    others = {link for link in page.links if not link.startswith(("#", "data:image/"))}
    assert others == tables
    assert page.has_only_own_scripts()
    assert not {"link", "iframe", "object"} & set(page.tags)
    assert not re.findall(r"https?://", html)
    assert "@import" not in html
    assert "url(" not in html


def test_the_heading_says_what_the_study_answers(content, html):
    assert "<h1>Do attacks overfit leaderboards as the papers say?</h1>" in html
    assert "The study <strong>trial</strong> plays attacks" in html
    other = render(replace(content, claims=None))
    assert "<h1>How many submissions does each leaderboard withstand?</h1>" in other


def test_the_contents_have_the_words_of_the_headings(content):
    page = render(replace(content, sensitivity=READINGS, bounds=BOUNDS))
    menu = page.split('<nav id="contents"')[1].split("</ul>")[0]
    named = re.findall(r'href="#([^"]+)">([^<]+)<', menu)
    headings = re.findall(r'<section id="([^"]+)">\s*<h2>([^<]+)</h2>', page)
    assert named == headings
    assert len(named) == 9


def test_the_contents_have_the_titles_of_figures(html):
    titles = html.split('<ul class="titles"')[1].split("</ul>")[0]
    shown = dict(re.findall(r'href="#figure-([^"]+)">([^<]+)<', titles))
    headings = dict(re.findall(r'<h3><span class="soft">([^<]+)</span> ([^<]+)</h3>', html))
    assert len(shown) >= 2
    assert headings.items() <= shown.items()


def test_a_picture_opens_at_full_size_and_closes(html):
    pictures = re.findall(r'<div class="picture" id="full-([^"]+)".*?</div>', html, re.DOTALL)
    assert pictures
    for name in pictures:
        inside = html.split(f'id="full-{name}"')[1].split("</div>")[0]
        close, whole = inside.split("</a>")[:2]
        assert f'href="#figure-{name}"' in close
        assert f'href="#full-{name}"' in whole
        assert "<img " in whole


def test_same_content_same_bytes(content, html):
    assert render(content) == html


def test_the_page_answers_in_order(html):
    text = words(Page(html))
    places = [
        text.index(part)
        for part in (
            "how much better a model looks on the public leaderboard than it is",
            "Do the papers' claims hold?",
            "How many submissions are safe?",
            "What the traces shows.",
            "Statement c",
            "What the grid shows.",
            "How far each attack got: 2 rows",
            "Simulated. Checked.",
            "Taken as it is.",
            "Significance level of the paired t-test; the smaller,",
            "Study trial, seed 1607.",
            "seed: 1607",
        )
    ]
    assert places == sorted(places)


def test_statistical_claims_are_counted_and_others_apart(html):
    section = html.split('<section id="answer">')[1].split("</section>")[0]
    boxes, apart = section.split('<p class="counts">')[1].split("</p>", 1)
    assert re.findall(r'href="#([^"]+)".*?<b>(\d+)</b> ([a-z ]+)<', boxes) == [
        ("statistical-holds", "1", "holds"),
        ("statistical-fails", "1", "fails"),
        ("statistical-undecided", "1", "undecided"),
        ("statistical-not-run", "1", "not checked"),
    ]
    text = " ".join(re.sub("<[^>]+>", "", section).split())
    assert "we chose the bound: of these claims 1 fails, 1 undecided. Where it is" in text
    assert "only a direction is asked for, 1 holds, 1 not checked." in text
    marks = re.findall(r'aria-hidden="true">(.)</span>', boxes)
    assert len(set(marks)) == 4  # need no colour
    assert re.findall(r'href="#([^"]+)" class="count', apart) == [
        "arithmetic-holds",
        "carried-over-undecided",
    ]


@pytest.mark.parametrize(("times", "missed"), [(1, None), (30, "about 4 miss"), (60, "about 9")])
def test_what_intervals_mean_together(content, times, missed):
    # Three of these claims are statistical and have an interval.
    repeated = pd.concat([CLAIMS.assign(claim=CLAIMS["claim"] + str(k)) for k in range(times)])
    text = words(Page(render(replace(content, claims=repeated.reset_index(drop=True)))))
    assert ("miss the true number" in text) == (missed is not None)
    if missed:
        assert f"Of {3 * times} such intervals {missed}" in text
        false = math.ceil(0.025 * 3 * times)
        assert f"expect at most {false} false verdicts." in text


def test_a_count_leads_to_its_claims_a_claim_to_its_figure_and_back(html):
    listed = html.split('id="statistical-holds"')[1].split("</details>")[0]
    assert 'href="#claim-a"' in listed
    grid = html.split('id="figure-grid"')[1].split("</article>")[0]
    assert re.findall(r'id="claim-(.)"', grid) == ["a", "f", "d"]  # by verdict
    assert 'href="#claims"' in grid
    claims = html.split('<section id="claims">')[1].split("</section>")[0]
    assert re.findall(r'id="claim-(.)"', claims) == ["b", "c", "e"]  # their figures are not here


def test_a_claim_that_did_not_run_says_why(html):
    listed = html.split('id="statistical-not-run"')[1].split("</details>")[0]
    assert "The study has no outcomes." in listed


def test_a_claim_in_full(html):
    text = words(Page(html.split('<section id="claims">')[1].split("</section>")[0]))
    assert (
        "Statement c Measured 2 [1, 3]; required < −0.5 (our bound); 1 replicate. Word for word: "
        "required < 1, measured 1.500; fails. [C] Fig. 9."
    ) in text
    assert "100 replicates. About 450 replicates would settle it. [C] Fig. 9." in text
    assert "our bound word for word: < 1, measured 1.500; fails" in text
    assert "0.010 [−0.100, 0.100] About 450 replicates would settle it. < −0.5" in text
    assert "a note on c In the default study: It was so." in text
    assert text.count("It was so.") == 1  # beside a claim that holds it would explain nothing


def test_a_figure_stands_with_its_claims_and_command(html):
    grid = html.split('id="figure-grid"')[1].split("</article>")[0]
    parts = (
        "grid</span> The grid</h3>",
        "<img",
        "What the grid shows.",
        "Statement d",
        'my.yaml <span class="option">--only grid</span></code>',
    )
    places = [grid.index(part) for part in parts]
    assert places == sorted(places)
    assert "Statement" not in html.split('id="figure-traces"')[1].split("</article>")[0]


def test_figures_that_repeat_claims_on_real_data_are_folded(content, html):
    folded = "The same on real data: 1 figure"
    assert folded not in html
    repeated = render(replace(content, claims=CLAIMS[CLAIMS["kind"] == "carried over"]))
    assert repeated.index(folded) < repeated.index('id="figure-grid"')


def test_a_study_without_claims_and_limits_shows_how_far_attacks_got(content):
    plain = replace(content, claims=None, limits_figure="", summary=SUMMARY[:2])
    page = Page(render(plain))
    assert "claims" not in page.ids
    answer = words(page).split("The answer")[-1].split("Figures")[0]
    assert "How many submissions are safe?" not in answer
    assert "−0.020 [−0.030, −0.010]" in answer


def test_open_questions_and_guarantees_are_tables(content):
    text = words(Page(render(replace(content, sensitivity=READINGS))))
    said = "for Ladder (α = 0.15): the median Δ runs from −0.100 to 0.000."
    assert f"Which board? The answer matters most {said} 1 leaderboard" in text
    assert "a new one the same Ladder (α = 0.15) −0.100 [−0.200, 0.010] 0.000" in text
    text = words(Page(render(replace(content, bounds=BOUNDS))))
    assert "with a chance of 95 %" in text
    assert "1,000 1 0.030 [0.020, 0.040] 0.600 Theorem 3.1 –" in text
    unexplained = "Where no interval stands beside the error reached, the replicates are too few"
    assert unexplained not in text
    few = replace(content, bounds=BOUNDS.assign(simulated_high=None))
    assert f"says nothing. {unexplained} for one." in words(Page(render(few)))


def test_hostile_names_stay_text(content):
    grid = content.figures["grid"]
    hostile = replace(
        content,
        study=HOSTILE,
        summary=SUMMARY.assign(dataset=HOSTILE, experiment=HOSTILE),
        figures={HOSTILE: replace(grid, id=HOSTILE, title=HOSTILE, caption=HOSTILE)},
        claims=CLAIMS.assign(
            statement=HOSTILE, source=HOSTILE, note=HOSTILE, required=HOSTILE, figure=HOSTILE
        ),
        data_notes={HOSTILE: [HOSTILE]},
        versions={HOSTILE: HOSTILE},
        config_text=HOSTILE,
    )
    text = render(hostile)
    assert Page(text).has_only_own_scripts()
    assert "<script>alert" not in text
    assert text.count("&lt;script&gt;") >= 12


def test_no_path_of_this_machine(html, files):
    assert str(files) not in html
