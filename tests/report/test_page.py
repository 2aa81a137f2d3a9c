"""The page needs nothing but itself, is well-formed, and trusts no name."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pytest

from shakedown.figures import draw, save
from shakedown.interface import InputError
from shakedown.report import FigureCard, ReportContent, TableCard, headline, key_results, render
from tests.figures import frames
from tests.report.summaries import row, summary

VOID = {"meta", "img", "br", "hr", "link", "input"}
HOSTILE = "<script>alert('x')</script>\"&"
SUMMARY = summary(
    *(
        row(-0.01 * i, alpha=a, dataset=d)
        for i, (a, d) in enumerate(
            ((a, d) for a in (0.01, 0.15, 0.5) for d in ("ad_like", "a", "b", "c", "d")), start=1
        )
    )
)


class Page(HTMLParser):
    """Collects what the tests ask, and checks that every tag is closed in its turn."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.texts = [], [], [], [], []
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
        self.texts.append(data)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    steps = frames.outcomes((*frames.LADDERS, *frames.BOOTS), attack="step_forward", replicates=4)
    trace = frames.traces(
        ({"mechanism": "ladder", "alpha": 0.15},), attack="step_forward", n_features=300
    )
    save(draw("grid", steps), folder / "grid.svg", folder / "grid.png")
    save(draw("traces", trace), folder / "traces.svg", folder / "traces.png")
    return folder


@pytest.fixture
def content(files):
    return ReportContent(
        study="trial",
        seed=1607,
        headline=headline(SUMMARY),
        key_results=key_results(SUMMARY),
        figures=[
            FigureCard(
                id=name,
                title=f"The {name}",
                caption=f"What the {name} shows.",
                svg_path=files / f"{name}.svg",
                png_path=files / f"{name}.png",
                command=f"snakemake --cores 2 {name}",
            )
            for name in ("grid", "traces")
        ],
        tables=[
            TableCard("Short", "A few rows.", SUMMARY.head(3)),
            TableCard("Long", "", pd.concat([SUMMARY, SUMMARY])),
            TableCard("Empty", "", SUMMARY.iloc[:0]),
        ],
        data_notes={"ad_like": ["Simulated.", "Checked."], "plain": []},
        versions={"python": "3.11.0", "numpy": "2.0.0"},
        config_text="study: trial\nseed: 1607\n",
    )


def test_well_formed_with_unique_ids_and_links_that_lead_somewhere(content):
    page = Page(render(content))
    assert len(set(page.ids)) == len(page.ids)
    inside = [link[1:] for link in page.links if link.startswith("#")]
    assert set(inside) <= set(page.ids)
    assert {"summary", "figures", "figure-grid", "figure-traces", "tables", "data", "words"} <= set(
        inside
    )


def test_nothing_from_outside(content):
    text = render(content)
    page = Page(text)
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in page.links)
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    names = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert set(re.findall(r"https?://[^\s\"'<>)]+", text)) <= names
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_same_content_same_bytes(content):
    whole = replace(content, claims=CLAIMS, sensitivity=content.tables[:1])
    assert render(whole) == render(whole)


def test_everything_is_on_the_page(content):
    text = " ".join(Page(render(content)).texts)
    for words in (
        *content.headline,
        "What the grid shows.",
        "snakemake --cores 2 traces",
        "The traces",
        "Every board and control: 15 rows",
        "30 rows",
        "A few rows.",
        "No rows.",
        "Simulated.",
        "Taken as it is.",
        "posterior odds",
        "study trial, seed 1607".capitalize(),
        "numpy",
        "seed: 1607",
    ):
        assert words in text, words


def test_the_strongest_question_comes_first(content):
    text = render(content)
    cells = re.findall(r'data-head="Most overfit"><span><b>([^<]+)<', text)
    values = [float(cell.replace("−", "-")) for cell in cells]
    assert len(values) == 5
    assert values == sorted(values)


def test_a_control_that_is_not_zero_stands_in_its_line(content):
    rows = summary(row(-0.2, alpha=0.5), row(-0.055, mechanism="constant_board"))
    seen = render(replace(content, key_results=key_results(rows))).split("<details>")[0]
    assert "The constant board already has −0.055 here" in seen
    assert "The constant board already" not in render(content)


def test_more_than_six_questions_are_folded_away(content):
    many = summary(*(row(-0.1, alpha=0.5, dataset=f"set{i}") for i in range(8)))
    text = render(replace(content, key_results=key_results(many)))
    seen, folded = text.split("<summary>The other 2 of 8 lines</summary>")
    assert seen.count('data-head="Most overfit"') == 6
    assert folded.count('data-head="Most overfit"') == 2
    assert "The other" not in render(content)  # which has five


CLAIMS = pd.DataFrame(
    [
        ("a", "yes", "yes", -0.5, -0.6, -0.4, ""),
        ("b", "yes", "no", 0.01, -0.1, 0.1, "a note on b"),
        ("c", "no", "yes", 2.0, 1.0, 3.0, "a note on c"),
        ("d", "no", "no", float("inf"), 1.0, 3.0, ""),
        ("e", "not run", None, None, None, None, "Not run: no table."),
    ],
    columns=["claim", "holds", "certain", "measured", "low", "high", "note"],
).assign(
    source="[C] Fig. 9",
    required="< -0.5",
    statement=lambda f: "Statement " + f.claim,
    seen="It was so.",
    replicates=pd.array([1000, 100, 1, None, None], dtype="Int64"),
    figure=["grid", None, "elsewhere", "grid", None],
)


def words(page):
    return " ".join(" ".join(page.texts).split())


def test_the_claims_section_tells_what_does_not_hold_first(content):
    page = Page(render(replace(content, claims=CLAIMS)))
    text = words(page)
    assert (
        "2 of 4 statements hold (one of them within Monte Carlo error), one does not and one "
        "misses by no more than Monte Carlo error. One could not be checked in this study." in text
    )
    ids = [i for i in page.ids if i in ("summary", "claims", "figures")]
    assert ids == ["summary", "claims", "figures"]
    before, ledger = text.split("The whole ledger: 5 statements")
    assert [before.count(f"Statement {c}") for c in "abcde"] == [0, 0, 1, 1, 0]
    assert before.index("Statement c") < before.index("Statement d")
    assert "a note on c In the default study: It was so." in before  # this one is called trial
    assert [ledger.count(f"Statement {c}") for c in "abcde"] == [1, 1, 1, 1, 1]
    assert "Not run: no table." in ledger


def test_a_claim_leads_to_its_figure_if_there_is_one(content):
    section = render(replace(content, claims=CLAIMS)).split('id="claims"')[1].split("</section>")[0]
    assert set(re.findall(r'href="#([^"]+)"', section)) == {"figure-grid"}


def articles(text):
    return re.findall(r'<article class="page" id="([^"]+)">(.*?)</article>', text, re.DOTALL)


def test_a_figure_is_a_page_with_its_own_claims_and_command(content):
    first, second = content.figures
    figures = [replace(first, claims=CLAIMS[:3]), replace(second, claims=CLAIMS[:0])]
    (name, grid), (_, traces) = articles(render(replace(content, figures=figures)))
    assert name == "figure-grid"
    places = [
        grid.index(part)
        for part in (
            "The grid</h3>",
            "<svg",
            "What the grid shows.",
            "The paper says / we found",
            "Statement a",
            "snakemake --cores 2 grid",
        )
    ]
    assert places == sorted(places)
    assert "Measured <b>−0.500 [−0.600, −0.400] (1,000 replicates)</b>, required &lt; −0.5." in grid
    assert "a note on b" in grid  # holds, but within Monte Carlo error
    assert "Statement d" not in grid
    assert "says nothing that the ledger checks" in traces
    assert "we found" not in articles(render(content))[0][1]  # where no claims were checked


def test_figures_lead_to_the_one_before_and_after(content):
    middle = replace(content.figures[0], id="middle")
    figures = [content.figures[0], middle, content.figures[1]]
    found = articles(render(replace(content, figures=figures)))
    turns = [dict(re.findall(r'rel="(prev|next)" href="#([^"]+)"', text)) for _, text in found]
    assert turns == [
        {"next": "figure-middle"},
        {"prev": "figure-grid", "next": "figure-traces"},
        {"prev": "figure-middle"},
    ]


def test_the_list_of_figures_says_how_their_claims_fare(content):
    figures = [replace(content.figures[0], claims=CLAIMS), content.figures[1]]
    text = words(Page(render(replace(content, figures=figures))))
    assert "The grid (2 hold, 1 does not, 1 misses within error, 1 not run)" in text


def test_a_figure_starts_a_page_in_print(content):
    style = render(content).split("@media print")[1].split("</style>")[0]
    assert ".page { break-before: page; }" in style


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        ("break-inside: avoid", ["figure", "tr", "li", "summary"]),
        ("break-after: avoid", ["h2", "h3", "h4", "summary", "thead", "dt"]),
        ("break-before: avoid", ["tr:last-child", ".claims li:last-child", ".claims + .soft"]),
    ],
)
def test_nothing_is_cut_or_left_alone_in_print(content, rule, kept):
    style = render(content).split("@media print")[1].split("</style>")[0]
    (selectors,) = [s for s in re.findall(r"([^{};/]+) \{ " + rule, style) if kept[0] in s]
    assert set(kept) <= {name.strip() for name in selectors.split(",")}


def test_open_questions_are_tables(content):
    card = TableCard(
        "Which board?", "The text is silent.", pd.DataFrame({"b": [10], "fresh": ["-0.1"]})
    )
    page = Page(render(replace(content, sensitivity=[card])))
    assert "open" in page.ids
    assert "Which board?" in page.texts
    assert "The text is silent." in page.texts
    assert "What the paper leaves open" in page.texts
    assert "open" not in Page(render(content)).ids


def test_hostile_names_stay_text(content):
    frame = SUMMARY.assign(dataset=HOSTILE)
    hostile = replace(
        content,
        study=HOSTILE,
        headline=[HOSTILE],
        key_results=key_results(frame),
        figures=[
            replace(
                content.figures[0],
                id=HOSTILE,
                title=HOSTILE,
                caption=HOSTILE,
                claims=CLAIMS.assign(statement=HOSTILE, source=HOSTILE, note=HOSTILE),
            )
        ],
        claims=CLAIMS.assign(statement=HOSTILE, required=HOSTILE, figure=HOSTILE),
        sensitivity=[TableCard(HOSTILE, HOSTILE, pd.DataFrame({HOSTILE: [HOSTILE, "b"]}))],
        tables=[TableCard(HOSTILE, HOSTILE, pd.DataFrame({HOSTILE: [HOSTILE, "b"]}))],
        data_notes={HOSTILE: [HOSTILE]},
        versions={HOSTILE: HOSTILE},
        config_text=HOSTILE,
    )
    text = render(hostile)
    assert "<script" not in text
    assert "script" not in Page(text).tags
    assert text.count("&lt;script&gt;") >= 12


def test_a_page_with_nothing_but_a_name():
    text = render(ReportContent("empty", 1, [], pd.DataFrame()))
    page = Page(text)
    assert "figures" not in page.ids
    assert {link[1:] for link in page.links} == {"summary", "words", "provenance"}


def test_two_figures_with_one_id(content):
    twins = [replace(content.figures[0], id="a b"), replace(content.figures[1], id="a-b")]
    with pytest.raises(InputError, match="two figures of the report are called 'a b' and 'a-b'"):
        render(replace(content, figures=twins))


def test_no_path_of_this_machine(content, files):
    assert str(files) not in render(content)


def test_what_theory_guarantees_is_a_table(content):
    card = TableCard(
        "What theory guarantees",
        "No attack gets above.",
        pd.DataFrame({"reached": ["0.030"], "guaranteed": ["0.416"], "times_as_high": [13.9]}),
    )
    page = Page(render(replace(content, bounds=card)))
    assert "bounds" in page.ids
    assert "#bounds" in page.links
    for words in ("What theory guarantees", "No attack gets above.", "0.416", "Times as high"):
        assert words in page.texts
    assert "bounds" not in Page(render(content)).ids
