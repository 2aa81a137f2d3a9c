"""Displayed formulas are paragraphs of their own: otherwise a page shows their source."""

from pathlib import Path

import pytest

from tests.docs.markdown import name_of

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("path", sorted(DOCS.rglob("*.md")), ids=name_of)
def test_a_displayed_formula_stands_alone(path):
    paragraphs = path.read_text(encoding="utf-8").split("\n\n")
    for paragraph in paragraphs:
        if "$$" in paragraph:
            assert paragraph.count("$$") == 2, paragraph
            assert paragraph.startswith("$$"), paragraph
            assert paragraph.rstrip().endswith("$$"), paragraph
