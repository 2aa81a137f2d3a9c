"""What the scripts of pages do in a real browser, and that pages do without them."""

import itertools
import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from shakedown.dryrun.options import is_proved, verdict
from shakedown.figures import FIGURE_KINDS
from shakedown.figures.dryrun.figure import DRY_RUN_FIGURES
from shakedown.figures.kind import pictured
from shakedown.leaderboard.mechanism import of_setting
from shakedown.report.boards import render_boards
from shakedown.report.dryrun import render_dryrun
from shakedown.report.dryrun_rows import limit, rank
from shakedown.report.page import ReportContent, render
from shakedown.report.pictures import FigureCard
from shakedown.report.scripts import script
from shakedown.report.templates import environment, firm
from shakedown.wording import signed
from tests.browsing import needs_browser, started, wide
from tests.figures import test_threat_map as threat_map
from tests.report import test_boards, test_dryrun, test_page

pytestmark = [needs_browser, pytest.mark.slow]

ANY = "tr[data-facets]"
#: A table alone, with rows of texts.
TABLE = """{% extends "skeleton.html.j2" %}{% from "macros.html.j2" import table %}
{% set contents = [] %}{% block main %}{{ table(columns, rows) }}{% endblock %}"""


@pytest.fixture(scope="module")
def browser():
    with started(browser="ALL", performance="ALL") as driver:
        yield driver


@pytest.fixture(scope="module")
def claims():
    """Claims of three papers and all verdicts, on three figures and on none."""
    pairs = [("yes", "yes"), ("yes", "no"), ("no", "yes"), ("not run", None)]
    places = [("[C] Fig. 9", "grid"), ("[B] Lemma 2", None), ("[Z] section 1", "traces")]
    kinds = ["statistical", "carried over"]
    rows = [
        test_page.CLAIMS.iloc[[0]].assign(
            claim=f"c{k}", kind=kind, holds=holds, certain=certain, source=source, figure=figure,
            bound=["paper", "ours", "ours"][k % 3],
            statement=f"Statement {k}{' odd' * (k % 2)}", measured=math.sin(k), note=f"note {k}",
        )
        for k, ((holds, certain), (source, figure), kind) in enumerate(
            itertools.product(pairs, places, kinds)
        )
    ]  # fmt: skip
    return pd.concat(rows, ignore_index=True)


@pytest.fixture(scope="module")
def pages(tmp_path_factory, claims):
    """The address of each page, with a map in two of them, and what they were made of."""
    folder = tmp_path_factory.mktemp("pages")
    content = test_dryrun.make(unit=30.0)
    tables = {"frontier": content.frontier, "limits": content.limits}
    tables |= {"recommendation": content.recommendation}
    settings = {"threshold": -1.5, "submissions": 500}
    drawing = pictured(DRY_RUN_FIGURES.make("threat_map", **settings), tables)
    card = FigureCard.drawn(drawing, "threat_map", "Attacks and leaderboards", str(folder))
    kind = FIGURE_KINDS.make(
        "threat_map", participants=threat_map.PEOPLE, rows=threat_map.ROWS, labels=threat_map.NAMES
    )
    study = threat_map.study()
    drawing = pictured(kind, study)
    threats = FigureCard.drawn(drawing, "threats", "Who can overfit what", str(folder))
    cards = {id: replace(card, id=id, title=f"The {id}") for id in ("grid", "traces")}
    texts = {
        "dryrun": render_dryrun(replace(content, figures={"threat_map": card})),
        "study": render(
            ReportContent(
                study="trial", seed=1, summary=test_page.SUMMARY, claims=claims,
                figures=cards | {"threats": threats}, threats_figure="threats",
                threats=kind.numbers(study),
            )
        ),
        "boards": render_boards(test_boards.content()),
    }  # fmt: skip
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    addresses = {name: f"file://{folder}/{name}.html" for name in texts}
    return SimpleNamespace(
        **addresses, texts=texts, content=content, reached=kind.numbers(study), folder=folder
    )


def shown(place, selector):
    """The elements of a place that can be seen."""
    elements = place.find_elements(By.CSS_SELECTOR, selector)
    return [element for element in elements if element.is_displayed()]


def column(browser, number, table=".scroll > table"):
    """The texts of a column, without the smaller text below."""
    return browser.execute_script(
        "return [...document.querySelector(arguments[0]).tBodies[0].rows]"
        ".map((row) => row.cells[arguments[1]].innerText.split('\\n')[0])",
        table, number,
    )  # fmt: skip


def complaints(browser):
    """What the browser says of scripts that fail or are forbidden."""
    return [entry["message"] for entry in browser.get_log("browser")]


# Sorting


def made_up():
    """Rows of texts with the numbers that they stand for, of which several are equal."""
    rng = np.random.default_rng(1607)
    values = rng.permutation([-1234.5, -0.14, -0.02, 0.0, 0.003, 0.03, 7.0, 7.0, 18.0, 2000.0])
    rows = []
    for k, value in enumerate([*values, math.nan, math.nan]):
        missing = math.isnan(value)
        rows.append(
            {
                "name": f"Ladder (b = {k})",
                "number": "–" if missing else signed(value, 3),
                "interval": "" if missing else f"{signed(value, 3)} [−9.000, 9.000]",
                "least": "–" if missing else f"≥ {value:,.3f}".replace("-", "−"),
                "words": "none tested" if missing else f"{value:,.0f} or more",
                "words_sort": "" if missing else value,
                "value": value,
            }
        )
    return rows


def written_page(folder, columns, rows):
    """The address of a page with one table."""
    page, content = folder / "table.html", SimpleNamespace(versions={}, config_text="")
    text = environment().from_string(TABLE).render(content=content, columns=columns, rows=rows)
    page.write_text(text, "utf-8")
    return f"file://{page}"


@pytest.mark.parametrize("key", ["number", "interval", "least", "words"])
def test_a_column_sorts_by_its_numbers_and_a_third_click_puts_the_rows_back(browser, tmp_path, key):
    rows = made_up()
    columns = [("Name", "name"), *((k, k) for k in ("number", "interval", "least", "words"))]
    wide(browser, 1200)
    browser.get(written_page(tmp_path, columns, rows))
    place = [k for _, k in columns].index(key)
    head = browser.find_elements(By.CSS_SELECTOR, "th")[place]
    known = [row for row in rows if not math.isnan(row["value"])]
    missing = [row["name"] for row in rows if math.isnan(row["value"])]
    as_written = [row["name"] for row in rows]
    up = [row["name"] for row in sorted(known, key=lambda row: row["value"])]
    down = [row["name"] for row in sorted(known, key=lambda row: -row["value"])]
    for order, wanted in (
        ("ascending", up + missing), ("descending", down + missing), (None, as_written),
    ):  # fmt: skip
        head.find_element(By.TAG_NAME, "button").click()
        assert column(browser, 0) == wanted
        assert head.get_dom_attribute("aria-sort") == order
    browser.find_element(By.CSS_SELECTOR, "th button").send_keys(Keys.ENTER)
    assert column(browser, 0) == [f"Ladder (b = {k})" for k in range(len(rows))]
    assert not complaints(browser)


def test_boards_of_a_dry_run_sort_by_what_is_safe(browser, pages):
    wide(browser, 1200)
    browser.get(pages.dryrun)
    written = column(browser, 0)
    recommendation = pages.content.recommendation
    options = [recommendation["recommended"], *recommendation["runner_ups"]]
    safe = {option["label"]: option["safe_submissions"] for option in options}
    numbers = [safe[name.replace("\u00a0", " ")] for name in written]
    assert len(set(numbers)) > 2
    shown(browser, "th button")[1].click()
    place = sorted(range(len(written)), key=lambda k: numbers[k])
    assert column(browser, 0) == [written[k] for k in place]


@pytest.mark.parametrize("page", ["dryrun", "table"])
def test_limits_that_are_equal_sort_by_what_is_cautious_and_then_stay(
    browser, pages, tmp_path, page
):
    """All that was tested is safe on many boards, of which not as much is known."""
    if page == "dryrun":
        content = pages.content
        worst = content.recommendation
        options = [worst["recommended"], *worst["runner_ups"]]
        order_ = {firm(o["label"]): (float(rank(o)), o["ci_low"]) for o in options}
        address, of_column = pages.dryrun, (0, 1)
    else:
        rng = np.random.default_rng(7)
        rows = [
            {
                "name": f"Board {k}",
                "safe": "all 500 tested",
                "safe_sort": "500.5",
                "safe_then": int(n),
            }
            for k, n in enumerate(rng.choice([9, 40, 200, 1000], 12))
        ]
        rows += [
            {"name": f"Board {k}", "safe": "not attacked", "safe_sort": "", "safe_then": ""}
            for k in (12, 13)
        ]
        address = written_page(tmp_path, [("Name", "name"), ("Safe", "safe")], rows)
        order_ = {row["name"]: (500.5, row["safe_then"]) for row in rows[:12]}
        of_column = (0, 1)
    wide(browser, 1200)
    browser.get(address)
    written = [name for name in column(browser, of_column[0]) if name in order_]
    keys = [order_[name] for name in written]
    assert len(set(keys)) > 2
    button = shown(browser, "th button")[of_column[1]]
    for sign in (1, -1):
        button.click()
        wanted = sorted(written, key=lambda name: tuple(sign * key for key in order_[name]))
        assert [name for name in column(browser, 0) if name in order_] == wanted
    assert page == "dryrun" or column(browser, 0)[-2:] == ["Board 12", "Board 13"]


def test_on_a_phone_a_list_sorts_the_cards(browser, pages):
    wide(browser, 390)
    browser.get(pages.dryrun)
    assert not shown(browser, ".cards th button")
    written = column(browser, 0)
    chooser = Select(shown(browser, ".tools.narrow select")[0])
    chooser.select_by_visible_text("Leaderboard ↓")
    assert column(browser, 0) != written
    assert sorted(column(browser, 0)) == sorted(written)
    chooser.select_by_visible_text("as written")
    assert column(browser, 0) == written
    room = browser.execute_script("return document.documentElement.scrollWidth")
    assert room <= 390


# Folding

CELLS = """const seen = (one) => one.checkVisibility();
return [...document.querySelectorAll('.cards tbody tr')]
  .filter((row) => row.querySelector('.fold') && seen(row))
  .map((row) => [...row.cells].map((cell) => seen(cell)));"""
OFF = "Emulation.setScriptExecutionDisabled"


def test_on_a_phone_cards_are_folded_under_their_board_and_its_safe_number(browser, pages):
    wide(browser, 390)
    browser.get(pages.dryrun)
    recommendation = pages.content.recommendation
    chosen, *others = [recommendation["recommended"], *recommendation["runner_ups"]]
    safe = {option["label"]: f"Safe submissions: {limit(option)}" for option in (chosen, *others)}
    place = browser.find_element(By.CSS_SELECTOR, "[data-filtered]")
    place.find_element(By.CSS_SELECTOR, "details:has(table) > summary").click()
    first, *rows = shown(place, "tbody tr")
    # The card that is recommended is open from the beginning.
    assert first.text.startswith(chosen["label"])
    assert len(shown(first, "td")) == 7
    for row in rows:
        name, said = row.text.split("\n")  # nothing else is seen
        assert said == safe.pop(name)
        summary = row.find_element(By.TAG_NAME, "summary")
        label = summary.get_dom_attribute("aria-label").replace("\u00a0", " ")
        assert label == f"{name}: {said}"
    assert list(safe) == [chosen["label"]]
    summary = rows[0].find_element(By.TAG_NAME, "summary")
    summary.send_keys(Keys.ENTER)
    for row in (first, rows[0]):
        assert "Less" in browser.execute_script(
            "return getComputedStyle(arguments[0], '::after').content",
            row.find_element(By.TAG_NAME, "summary"),
        )
        assert len(shown(row, "td")) == len(row.find_elements(By.TAG_NAME, "td")) == 7
    summary.click()
    assert len(shown(rows[0], "td")) == 1
    (button,) = shown(browser, "#ways .tools.narrow button")
    for name, seen in (("Open all", True), ("Fold all", False)):
        assert button.text == name
        button.click()
        browser.execute_async_script("setTimeout(arguments[0], 50)")
        cells = browser.find_elements(By.CSS_SELECTOR, "#ways tbody td:not(:first-child)")
        assert {cell.is_displayed() for cell in cells} == {seen}
    assert not complaints(browser)


def test_on_a_phone_settings_and_words_are_folded_until_they_are_opened_or_linked(browser, pages):
    for name, said in (
        ("settings", "Show the settings for"),
        ("words", "Show what the words mean"),
    ):
        parts = f"#{name} > :not(h2, .fold)"
        wide(browser, 1200)
        browser.get(pages.dryrun)
        written = len(shown(browser, parts))
        assert written == len(browser.find_elements(By.CSS_SELECTOR, parts)) > 0
        assert not shown(browser, f"#{name} > .fold")
        wide(browser, 390)
        assert not shown(browser, parts)
        (summary,) = shown(browser, f"#{name} > .fold > summary")
        assert summary.text.startswith(said)
        summary.click()
        assert len(shown(browser, parts)) == written
        summary.click()
        assert not shown(browser, parts)
        browser.get(f"{pages.dryrun}#{name}")
        assert len(shown(browser, parts)) == written
        assert not shown(browser, f"#{name} > .fold")


def test_a_narrow_table_is_no_stack_of_cards_and_has_no_folds():
    rows = [{"name": "Ladder", "fold": "Safe submissions: 3", **dict.fromkeys("abc", 1)}]
    for keys, folds in (("ab", 0), ("abc", 1)):
        columns = [("Name", "name"), *((key, key) for key in keys)]
        content = SimpleNamespace(versions={}, config_text="")
        text = environment().from_string(TABLE).render(content=content, columns=columns, rows=rows)
        assert text.count('<details class="fold">') == folds


def test_a_card_begins_with_its_name_wherever_that_stands_in_the_table(browser, pages):
    wide(browser, 390)
    browser.get(pages.boards)
    cards = shown(browser, ".cards tbody tr")
    assert len(cards) > 10
    for card in cards:
        name = min(shown(card, "td"), key=lambda cell: cell.rect["y"])
        assert "name" in name.get_dom_attribute("class").split()
        assert name.text.split(",")[0].split("\n")[0] in (
            "Metered board",
            "Digest",
            "Full-disclosure",
        )
    assert any("public rows, lag: " in card.text for card in cards)


def test_a_long_command_is_not_cut(browser, pages):
    text = pages.texts["dryrun"].replace(
        "</main>", f"<pre><code>{'--words a ' * 60}</code></pre></main>"
    )
    page = pages.folder / "long.html"
    page.write_text(text, "utf-8")
    for width in (390, 1200):
        wide(browser, width)
        browser.get(f"file://{page}")
        cut = browser.execute_script(
            "return [...document.querySelectorAll('pre')]"
            ".filter((one) => one.scrollWidth > one.clientWidth).length"
        )
        assert not cut


@pytest.mark.parametrize(("width", "media"), [(1200, ""), (1200, "print"), (390, "print")])
def test_on_wide_screens_and_on_paper_no_card_is_folded(browser, pages, width, media):
    wide(browser, width)
    browser.get(pages.dryrun)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media})
    rows = browser.execute_script(CELLS)
    folds = shown(browser, ".fold")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert len(rows) >= 10
    assert all(all(row) for row in rows)
    assert not folds


def test_without_scripts_cards_open(browser, pages):
    wide(browser, 390)
    browser.execute_cdp_cmd(OFF, {"value": True})
    try:
        browser.get(pages.dryrun)
        rows = browser.find_elements(By.CSS_SELECTOR, "#ways tbody tr")
        for row in rows[:2]:
            assert len(shown(row, "td")) == 1
            row.find_element(By.TAG_NAME, "summary").click()
            assert len(shown(row, "td")) == len(row.find_elements(By.TAG_NAME, "td")) > 3
        assert len(shown(rows[2], "td")) == 1
    finally:
        browser.execute_cdp_cmd(OFF, {"value": False})


# Filtering


def choose(browser, place, **wanted):
    for name, value in wanted.items():
        label = place.find_element(By.XPATH, f".//label[starts-with(., '{name} ')]")
        if name == "Words":
            box = label.find_element(By.TAG_NAME, "input")
            box.clear()
            box.send_keys(value)
        else:
            Select(label.find_element(By.TAG_NAME, "select")).select_by_visible_text(value)


SEEN = """const seen = (one) => one.checkVisibility({ visibilityProperty: true });
const [place, rows] = arguments;
return [
  [...place.querySelectorAll(rows)].filter(seen)
    .map((row) => Number(row.querySelector("a").hash.split("#claim-c")[1])),
  [...place.querySelectorAll("summary")].filter(seen).length,
];"""


def seen_in(browser, place):
    """The claims that are seen, by their number, and under how many headings."""
    claims, headings = browser.execute_script(SEEN, place, ANY)
    return sorted(claims), headings


PAPERS, VERDICTS, BOUNDS, FIGURES = (
    ["all", "[B]", "[Z]"],
    ["all", "fails", "undecided", "not checked"],
    ["all", "ours", "the paper's"],
    ["all", "grid", "none"],
)


def test_claims_are_filtered_by_paper_verdict_bound_figure_and_words(browser, pages, claims):
    wide(browser, 1200)
    browser.get(pages.study)
    place = browser.find_element(By.CSS_SELECTOR, "[data-filtered]")
    count = place.find_element(By.CSS_SELECTOR, "[role=status]")
    assert count.text == f"{len(claims)} of {len(claims)} claims shown"
    folded = [
        part.get_dom_attribute("open") for part in place.find_elements(By.TAG_NAME, "details")
    ]
    assert None in folded
    verdicts = ["holds", "undecided", "fails", "not checked"]
    of = {"paper": "the paper's", "ours": "ours"}
    facts = [
        (source.split()[0], verdicts[k // 6], of[bound], figure or "none", k)
        for k, (source, bound, figure) in enumerate(
            zip(claims["source"], claims["bound"], claims["figure"].fillna(""), strict=True)
        )
    ]
    questions = PAPERS, VERDICTS, BOUNDS, FIGURES
    for *answers, words in itertools.product(*questions, ["", "ODD"]):
        # One or two questions, or one and words.
        if answers.count("all") < (3 if words else 2):
            continue
        paper, verdict_, bound, figure = answers
        choose(
            browser, place, Paper=paper, Verdict=verdict_, Bound=bound, Figure=figure, Words=words
        )
        wanted = [
            k for *known, k in facts
            if all(a in ("all", b) for a, b in zip(answers, known, strict=True))
            and (not words or k % 2)
        ]  # fmt: skip
        filtered = set(answers) != {"all"} or words
        assert count.text == f"{len(wanted)} of {len(claims)} claims shown"
        if filtered:
            groups = {(facts[k][1], k % 2) for k in wanted}
            assert seen_in(browser, place) == (wanted, len(groups))
    place.find_element(By.CSS_SELECTOR, "form > button").click()
    assert count.text == f"{len(claims)} of {len(claims)} claims shown"
    again = [part.get_dom_attribute("open") for part in place.find_elements(By.TAG_NAME, "details")]
    assert again == folded
    assert not complaints(browser)


@pytest.mark.parametrize("name", ["dryrun", "study", "boards"])
def test_where_nothing_matches_the_page_says_so_and_shows_all_again(browser, pages, name):
    wide(browser, 390)
    browser.get(getattr(pages, name))
    place = browser.find_element(By.CSS_SELECTOR, "[data-filtered]")
    rows = len(shown(place, ANY))
    assert not shown(place, ".nothing")
    choose(browser, place, Words="e")
    assert not shown(place, ".nothing")
    choose(browser, place, Words="no such words")
    assert not shown(place, ANY)
    (nothing,) = shown(place, ".nothing")
    assert nothing.text == "Nothing matches. Clear"
    nothing.find_element(By.TAG_NAME, "button").click()
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert not shown(place, ".nothing")
    assert len(shown(place, ANY)) == rows > 0
    assert not complaints(browser)


def test_a_link_to_what_is_filtered_out_shows_it(browser, pages):
    wide(browser, 1200)
    browser.get(pages.study)
    place = browser.find_element(By.CSS_SELECTOR, "[data-filtered]")
    choose(browser, place, Verdict="fails")
    target = browser.find_element(By.ID, "statistical-holds")
    assert not target.is_displayed()
    browser.find_element(By.CSS_SELECTOR, "a[href='#statistical-holds']").click()
    browser.execute_async_script("setTimeout(arguments[0], 100)")
    assert target.is_displayed()
    assert Select(place.find_elements(By.TAG_NAME, "select")[1]).first_selected_option.text == "all"


def test_boards_are_filtered_by_what_is_known_of_them(browser, pages):
    wide(browser, 1200)
    browser.get(pages.dryrun)
    place = browser.find_element(By.CSS_SELECTOR, "[data-filtered]")
    recommendation = pages.content.recommendation
    options = [recommendation["recommended"], *recommendation["runner_ups"]]
    of = {"yes": "measured", "no": "no"}
    known = [
        "proved" if is_proved(option, 500) else of.get(verdict(option, 500), "not sure")
        for option in options
    ]
    assert len(set(known)) > 1
    for answer in set(known):
        choose(browser, place, **{"Enough for 500?": answer})
        names = [row.text.split("\n")[0] for row in place.find_elements(By.CSS_SELECTOR, ANY)
                 if row.is_displayed()]  # fmt: skip
        titles = [
            option["label"] for option, own in zip(options, known, strict=True) if own == answer
        ]
        assert len(names) == len(titles)
        assert all(any(title in name.replace("\u00a0", " ") for title in titles) for name in names)


def test_a_group_of_boards_vanishes_with_its_last_row(browser, pages):
    wide(browser, 1200)
    browser.get(pages.boards)
    place = browser.find_element(By.CSS_SELECTOR, "[data-filtered]")
    heads = [head.text for head in place.find_elements(By.TAG_NAME, "h3")]
    assert len(heads) > 1
    choose(browser, place, Submissions=heads[0].split()[0], Proved="on average")
    assert [head.text for head in shown(place, "h3")] == heads[:1]
    table = test_boards.content().boards
    wanted = table.query("submissions == submissions.min() and proved_mean.notna()")
    assert len(shown(place, ANY)) == len(wanted)


# Pointing


def two(value):
    """To two digits."""
    return f"{float(f'{value:.2g}'):g}".replace("-", "−")


def tip(browser):
    element = browser.find_element(By.CLASS_NAME, "tip")
    return element.text.replace("\u00a0", " ").split("\n") if element.is_displayed() else None


def told(row):
    """What a cell of the dry run says, from a row of the frontier; 1 % of the variance is 0.3."""
    numbers = row.delta, row.delta_low, row.delta_high
    delta, low, high = map(two, numbers)
    share, least, most = (two(100 * number / 30) for number in numbers)
    return [
        f"Δ {delta} squared units of the response ({share} %)",
        f"95 % interval {low} to {high} ({least} % to {most} %)",
        f"after {row.submissions} submissions",
    ]


def test_a_cell_of_the_map_says_its_row_when_pointed_at_or_focused(browser, pages):
    wide(browser, 1200)
    browser.get(pages.dryrun)
    assert tip(browser) is None
    cells = browser.find_elements(By.CSS_SELECTOR, "#figure-threat_map .cells rect")
    curve = pages.content.frontier.query("submissions == 500 and threat != 'modeller'")
    assert len(cells) == len(curve) > 20
    names = {of_setting(row.setting).title: row for row in curve.itertuples()}
    seen = set()
    for cell in cells[::5]:
        ActionChains(browser).move_to_element(cell).perform()
        board, attack, *lines = tip(browser)
        (row,) = [
            row for row in curve.itertuples()
            if of_setting(row.setting).title == board
            and row.threat.replace("_", " ").replace("-", " ") == attack.lower().replace("-", " ")
        ]  # fmt: skip
        assert lines == told(row)
        seen.add(board)
    assert len(seen) > 3
    assert seen <= set(names)
    browser.execute_script("arguments[0].focus()", cells[0])
    first = tip(browser)
    ActionChains(browser).send_keys(Keys.ARROW_DOWN, Keys.ARROW_UP).perform()
    assert tip(browser) == first
    ActionChains(browser).send_keys(Keys.ARROW_RIGHT).perform()
    assert tip(browser)[0] == first[0]
    assert tip(browser)[1] != first[1]
    assert len(browser.find_elements(By.CSS_SELECTOR, ".cells rect[tabindex='0']")) == 1
    ActionChains(browser).send_keys(Keys.ESCAPE).perform()
    assert tip(browser) is None
    assert not complaints(browser)


def test_cells_lie_over_those_of_the_picture(browser, pages):
    for width, page, id in ((1200, pages.study, "threats"), (390, pages.dryrun, "threat_map")):
        wide(browser, width)
        browser.get(page)
        image, map_, cell = (
            browser.find_element(By.CSS_SELECTOR, f"#figure-{id} .map {what}").rect
            for what in ("img", ".cells", ".cells rect")
        )
        box, own = browser.execute_script(
            "const map = document.querySelector(arguments[0]); const cell = map.firstElementChild;"
            "return [map.getAttribute('viewBox').split(' ').map(Number),"
            "['x', 'y', 'width', 'height'].map((name) => Number(cell.getAttribute(name)))]",
            f"#figure-{id} .cells",
        )  # fmt: skip
        assert map_["width"] == pytest.approx(image["width"], abs=1)
        assert map_["height"] == pytest.approx(image["height"], abs=2)
        scale = image["width"] / box[2]
        assert cell["x"] - image["x"] == pytest.approx(scale * own[0], abs=1.5)
        assert cell["y"] - image["y"] == pytest.approx(scale * own[1], abs=1.5)


def test_a_finger_shows_what_a_cell_says_and_a_mouse_opens_the_picture(browser, pages):
    wide(browser, 390)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    browser.get(pages.study)
    cell = browser.find_elements(By.CSS_SELECTOR, "#figure-threats .cells rect")[2]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", cell)
    place = browser.execute_script(
        "const box = arguments[0].getBoundingClientRect();"
        "return {x: box.x + box.width / 2, y: box.y + box.height / 2}", cell
    )  # fmt: skip
    touch = "Input.dispatchTouchEvent"
    browser.execute_cdp_cmd(touch, {"type": "touchStart", "touchPoints": [place]})
    browser.execute_cdp_cmd(touch, {"type": "touchEnd", "touchPoints": []})
    browser.execute_async_script("setTimeout(arguments[0], 400)")
    said = tip(browser)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    assert "#" not in browser.current_url
    row = pages.reached.iloc[np.flatnonzero(
        [said[0].startswith(board) for board in pages.reached["board"]]
        & pages.reached["participant"].eq(said[1].split(":")[0]).to_numpy()
        & pages.reached["delta"].map(lambda delta: f"Δ {signed(delta, 3)}" == said[2]).to_numpy()
    )].iloc[0]  # fmt: skip
    assert f"after {row.submissions:,} submissions; {row.replicates} replicates" in said
    wide(browser, 1200)
    browser.get(pages.study)
    browser.find_element(By.CSS_SELECTOR, "#figure-threats .cells rect").click()
    assert browser.current_url.endswith("#full-threats")


# Units and shares


UNITS, SHARES = "squared units of the response", "% of the response’s variance"
LINES = "return [...document.querySelectorAll('.unit')].map((line) => line.innerText)"


def test_all_numbers_of_tables_switch_between_units_and_shares(browser, pages):
    wide(browser, 1200)
    browser.get(pages.dryrun)
    read = (
        "return [...document.querySelectorAll('data')]"
        ".map((one) => [Number(one.value), one.textContent])"
    )
    written = browser.execute_script(read)
    assert len(written) > 40
    switches = [Select(element) for element in shown(browser, ".unit select")]
    assert len(switches) > 1
    assert [option.text for option in switches[0].options] == [SHARES, UNITS]
    assert switches[0].first_selected_option.text == SHARES
    for k, name in enumerate((UNITS, SHARES)):
        switches[k].select_by_visible_text(name)
        now = browser.execute_script(read)
        if name == SHARES:
            assert [text for _, text in now] == [f"{two(100 * v / 30)}\u00a0%" for v, _ in written]
        else:
            assert [text for _, text in now] == [two(value) for value, _ in written]
        assert {switch.first_selected_option.text for switch in switches} == {name}
    assert browser.execute_script(read) == written
    assert not complaints(browser)


def test_a_line_above_each_table_says_the_unit_of_its_scores_on_paper_too(browser, pages):
    wide(browser, 1200)
    browser.get(pages.dryrun)
    held = browser.execute_script(
        "return [...document.querySelectorAll('.scroll')]"
        ".filter((one) => one.querySelector('data'))"
        ".map((one) => (one.closest('[data-filtered]') ?? one.parentElement)"
        ".parentElement.querySelectorAll('.unit').length)"
    )
    assert len(held) > 3
    assert all(held)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    for name in (SHARES, UNITS):
        browser.execute_script(
            "const select = document.querySelector('.unit select'); "
            "select.value = arguments[0]; select.dispatchEvent(new Event('change'))",
            "units" if name == UNITS else "shares",
        )
        lines = [line for line in browser.execute_script(LINES) if line]
        assert not shown(browser, ".unit select")
        assert all(line.startswith(f"In {name}: ") for line in lines)
        assert lines[0].endswith(": smallest gain that shows, shown score is off by.")
        assert f"In {name}: overfit Δ." in lines
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_metric_without_a_unit_has_no_switch(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(render_dryrun(test_dryrun.make(metric="pearson")), "utf-8")
    browser.get(f"file://{page}")
    assert browser.find_elements(By.CSS_SELECTOR, "[data-filtered] form")
    assert not browser.find_elements(By.CSS_SELECTOR, ".unit")


# Without scripts, on paper, and alone


@pytest.mark.parametrize("name", ["dryrun", "study", "boards"])
def test_without_scripts_all_rows_are_there_and_no_control(browser, pages, name):
    wide(browser, 1200)
    browser.execute_cdp_cmd(OFF, {"value": True})
    try:
        browser.get(getattr(pages, name))
        assert not browser.find_elements(
            By.CSS_SELECTOR, ".tools, .sort, button, select, input, .tip, .nothing"
        )
        assert not browser.find_elements(By.CSS_SELECTOR, "[hidden]")
        rows = browser.find_elements(By.CSS_SELECTOR, ANY)
        assert len(rows) == pages.texts[name].count("data-facets=") > 5
        titles = browser.find_elements(By.CSS_SELECTOR, ".cells title")
        assert len(titles) == pages.texts[name].count("<rect")  # browsers show them
    finally:
        browser.execute_cdp_cmd(OFF, {"value": False})


def test_on_paper_there_is_no_control(browser, pages):
    wide(browser, 1200)
    browser.get(pages.dryrun)
    assert shown(browser, ".tools")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not shown(browser, ".tools")
    arrow = "return getComputedStyle(document.querySelector('.sort'), '::after').content"
    assert browser.execute_script(arrow) == "none"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("name", ["dryrun", "study", "boards"])
def test_a_page_in_use_asks_for_nothing_else_and_runs_no_other_script(browser, pages, name):
    wide(browser, 1200)
    browser.get_log("performance")
    browser.get(getattr(pages, name))
    shown(browser, "th button")[0].click()
    choose(browser, browser.find_element(By.CSS_SELECTOR, "[data-filtered]"), Words="e")
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    requests = [m for m in messages if m["method"] == "Network.requestWillBeSent"]
    asked = [request["params"]["request"]["url"] for request in requests]
    assert getattr(pages, name) in asked
    assert all(url.startswith(("data:", f"file://{pages.folder}/{name}.html")) for url in asked)
    assert not complaints(browser)
    foreign = pages.folder / "foreign.html"
    text = pages.texts[name].replace("</main>", "<script>document.title = 'bad'</script></main>")
    foreign.write_text(text, "utf-8")
    browser.get(f"file://{foreign}")
    assert browser.title != "bad"
    assert any("script-src" in message for message in complaints(browser))


def test_a_script_stands_in_the_page_as_in_its_file(pages):
    for name in ("sorting", "filtering", "pointing", "units"):
        assert f"<script>{script(name).text}</script>" in pages.texts["dryrun"]
        assert script(name).digest in pages.texts["dryrun"].split("</title>")[0]
    assert script("units").text not in pages.texts["study"]
