"""The page of the first answer, which turns into the report."""

import re

from shakedown.cli.first_page import FIRST_PAGE, REPORT, turn_into_report, write_first_page


def test_it_looks_again_until_there_is_a_report(tmp_path):
    folder = tmp_path / "a & b"
    folder.mkdir()
    write_first_page(folder, "First answer: 5 < 6\n  Digest: proved for 500")
    page = (folder / FIRST_PAGE).read_text("utf-8")
    assert "First answer: 5 &lt; 6\n  Digest: proved for 500" in page
    assert "<title>a &amp; b – first answer</title>" in page
    assert re.search(r'http-equiv="refresh" content="\d+"', page)

    turn_into_report(folder)  # there is none yet
    assert (folder / FIRST_PAGE).read_text("utf-8") == page
    (folder / REPORT).write_text("the report", "utf-8")
    turn_into_report(folder)
    page = (folder / FIRST_PAGE).read_text("utf-8")
    assert f'content="0; url={REPORT}"' in page
    assert f'<a href="{REPORT}">' in page


def test_a_study_without_a_first_answer_gets_no_page(tmp_path):
    (tmp_path / REPORT).write_text("the report", "utf-8")
    turn_into_report(tmp_path)
    assert not (tmp_path / FIRST_PAGE).exists()
