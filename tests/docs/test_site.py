"""The site is built without a warning, and opens without a network."""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import shakedown
from shakedown.cli.arguments import parsers
from tests.docs.markdown import ROOT

pytestmark = pytest.mark.slow

#: Tags that load what they name, with the attribute; `link` loads by its relation.
LOADS = {
    **dict.fromkeys(("script", "img", "iframe", "source", "embed", "audio", "video"), "src"),
    "object": "data",
    "link": "href",
}
HARMLESS = {"canonical", "next", "prev", "index", "search", "author", "copyright"}
REMOTE = re.compile(r"^(?:https?:)?//")


class Page(HTMLParser):
    """What a page loads, where its links lead, and the anchors that it has."""

    def __init__(self, text: str):
        super().__init__()
        self.loaded, self.links, self.ids = [], [], set()
        self.loaded += re.findall(r"""(?:url\(|@import )['"]?([^'")\s]+)""", text)
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        self.ids.add(has.get("id"))
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        if tag in LOADS and LOADS[tag] in has and has.get("rel") not in HARMLESS:
            self.loaded.append(has[LOADS[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    words = ["--fail-on-warning", "--keep-going", "--doctree-dir", folder / "read"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "--quiet", *words, ROOT / "docs", folder / "html"],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    pages = {path: Page(path.read_text("utf-8")) for path in site.rglob("*.html")}
    assert len(pages) > 25
    return pages


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.example/mathjax.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/css">',
        "<style>@import 'https://fonts.example/css';</style>",
        '<style>p { background: url("http://pictures.example/a.png") }</style>',
        '<img src="https://badges.example/a.svg">',
    ],
)
def test_what_loads_from_elsewhere_is_noticed(text):
    assert any(REMOTE.match(address) for address in Page(text).loaded)


def test_nothing_is_loaded_from_elsewhere(site, pages):
    styles = [Page(path.read_text("utf-8")) for path in site.rglob("*.css")]
    for page in (*pages.values(), *styles):
        assert not [address for address in page.loaded if REMOTE.match(address)]


def test_everything_that_is_loaded_is_there(pages):
    for path, page in pages.items():
        for address in page.loaded:
            if not address.startswith(("data:", "#")):
                assert (path.parent / address.partition("?")[0]).exists(), f"{path}: {address}"


def test_links_between_pages_hold(pages):
    for path, page in pages.items():
        for link in page.links:
            target, _, part = link.partition("#")
            if re.match(r"\w+:|//", target):
                continue
            to = (path.parent / target).resolve() if target else path
            assert to.exists(), f"{path}: {link}"
            if part and to in pages:
                assert part in pages[to].ids, f"{path}: {link}"


def test_formulas_are_drawn_without_scripts(site):
    text = (site / "proofs/squared_error.html").read_text("utf-8")
    assert text.count("<math") > 100
    assert "$$" not in text
    assert not re.search(r"<script[^>]*mathjax", text, re.IGNORECASE)


def test_the_reference_has_every_public_name_and_command(site, pages):
    assert {f"shakedown.{name}" for name in shakedown.__all__} <= pages[
        site / "reference/python.html"
    ].ids
    _, commands, actions = parsers()
    wanted = {f"shakedown-{name}" for name in commands}
    wanted |= {f"shakedown-board-{name}" for name in actions}
    assert wanted <= pages[site / "reference/command_line.html"].ids


@pytest.mark.full
@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
def test_search_works_from_the_disk(site, tmp_path):
    words = ["--headless", "--no-sandbox", "--virtual-time-budget=10000", "--dump-dom"]
    page = Path(site / "search.html").as_uri() + "?q=staircase"
    done = subprocess.run(
        ["chromium", f"--user-data-dir={tmp_path}", *words, page], capture_output=True, text=True
    )
    results = done.stdout.partition('id="search-results"')[2]
    assert "threats.html" in results
