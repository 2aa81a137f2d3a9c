"""The page of a comparison of boards."""

import pytest

from shakedown.report.boards import BoardsContent, render_boards
from tests.comparison.tables import boards
from tests.report.pages import cards_of, check_alone, check_links, read, section


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    return render_boards(content(cards_of(["lag_by_rows"], tmp_path_factory.mktemp("figures"))))


def content(figures=None, table=None):
    return BoardsContent(
        study="trial",
        seed=7,
        boards=boards() if table is None else table,
        tolerated=0.05,
        quantile=0.25,
        replicates=(10, 4),
        figures=figures or {},
    )


def test_it_needs_nothing_else_and_links_lead_somewhere(html):
    check_links(html, ["answer", "lag", "boards", "words", "provenance"])
    check_alone(html.replace('href="boards.csv"', 'href="#boards"'))


def test_the_answer_names_the_first_board_of_each_cell(html):
    said = read(section(html, "answer"))
    on_average, at_quantile = said.split("Proved at the quantile")
    assert on_average.count("Metered board, on average") == 4
    assert at_quantile.count("Metered board, at the quantile") == 2  # with 50 rows there is none
    assert at_quantile.count("Digest, at the quantile") == 2
    assert "at most a share 0.25 of the attackers gains more" in at_quantile


def test_the_table_has_every_board_and_the_attack_that_is_best(html):
    said = read(section(html, "boards"))
    assert said.count("Posterior mean") == 6
    assert said.count("no attack") == 8
    assert "0.041 ± 0.012" in said
    assert "0.001 ± 0.00002" in said
    assert "e-0" not in said
    assert "1,000 submissions" in said


def test_without_a_proved_board_it_says_so():
    table = boards().query("mechanism == 'full_disclosure'")
    assert read(section(render_boards(content(table=table)), "answer")).count("No board is.") == 2


def test_the_same_content_gives_the_same_page(html):
    assert render_boards(content()) == render_boards(content())
