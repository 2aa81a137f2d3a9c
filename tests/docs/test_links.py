"""Links and mentions of texts lead somewhere."""

import re

import pytest
from docs.extensions import mirrors

from tests.docs.markdown import BLOCK, ROOT, TEXTS, anchors, name_of

LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")
#: Where code speaks of texts.
SPEAKING = [
    *("src", "workflow", "tests", "benchmarks", "adapters", "profiles", "config"),
    *("Makefile", "Dockerfile", "Snakefile", ".ci/run"),
]


@pytest.mark.parametrize("path", [*TEXTS, ROOT / "CHANGELOG.md"], ids=name_of)
def test_links_hold(path):
    text = path.read_text("utf-8")
    for target, part in LINK.findall(BLOCK.sub("", text)):
        to = (path.parent / target).resolve() if target else path
        assert to.exists(), target
        if part:
            assert part in anchors(to.read_text("utf-8")), f"{target}#{part}"


def test_texts_that_code_speaks_of_are_there():
    texts = set()
    for place in SPEAKING:
        paths = (ROOT / place).rglob("*") if (ROOT / place).is_dir() else [ROOT / place]
        for path in paths:
            if path.is_file() and path.suffix not in (".pyc", ".png", ".nbi", ".nbc"):
                text = path.read_text("utf-8", errors="ignore")
                texts |= set(re.findall(r"\b(?:docs|data|config|results)/(?:\w+/)*\w+\.md\b", text))
    assert len(texts) > 8
    assert not [path for path in sorted(texts) if not (ROOT / path).is_file()]


def test_the_site_keeps_links_to_pages_that_show_another_file():
    page = mirrors.DOCS / "index.md"
    text = page.read_text("utf-8")
    kept = mirrors.linked(text, page, page)
    for name in ("command_line", "configuration", "results", "python"):
        assert f"](reference/{name}.md)" in text
        assert f"](reference/{name}.md)" in kept


def test_a_link_to_a_shown_file_leads_to_its_page():
    page = mirrors.DOCS / "guide.md"
    link = "[data/README.md](../data/README.md#a-table) and [some words](../data/README.md)"
    led = mirrors.linked(link, page, page)
    assert led == "[](reference/data.md#a-table) and [some words](reference/data.md)"
