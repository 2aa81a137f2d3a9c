"""Pages that show a file from elsewhere in the repository, and links to such files.

A page that is nothing but a link, such as ``[config/README.md](../../config/README.md)``, shows the
file that it links to.  So these files stay where a reader of the repository looks for them.  A link
to a file that a page shows becomes a link to that page, with its title where the words are only the
name of the file.  A link to a folder, or to a text that no page shows, is plain text.
"""

import os
import re
from functools import cache
from pathlib import Path

from sphinx.util import logging

logger = logging.getLogger(__name__)

DOCS = Path(__file__).parents[1]
ONLY_A_LINK = re.compile(r"\[[^]]+\]\(([^)\s]+\.md)\)\s*")
LINK = re.compile(r"(?<!!)\[([^][]*)\]\((?!\w+:|#)([^)\s#]+)(#[^)\s]*)?\)")


def shown_by(page: Path) -> Path:
    """The file whose text a page shows."""
    link = ONLY_A_LINK.fullmatch(page.read_text("utf-8"))
    return (page.parent / link[1]).resolve() if link else page


@cache
def pages() -> dict[Path, Path]:
    """The page that shows a file, for every file that is shown."""
    return {shown_by(page): page for page in DOCS.rglob("*.md") if "_build" not in page.parts}


def linked(text: str, shown: Path, page: Path) -> str:
    """The text of a file, with links that hold on its page; warns of a link that leads nowhere."""

    def one(link: re.Match) -> str:
        words, target, part = link.groups(default="")
        path = (shown.parent / target).resolve()
        if not path.exists():
            logger.warning("%s: there is no %s", shown, target)
            return words
        known = {*pages(), *pages().values()}
        if path.is_dir() or (path.suffix == ".md" and path not in known):
            return words
        to = os.path.relpath(pages().get(path, path), page.parent)
        if path in pages() and words.endswith(".md"):
            words = ""  # MyST puts the title here
        return f"[{words}]({to}{part})"

    return LINK.sub(one, text)


def _read(app, docname, source):
    page = Path(app.env.doc2path(docname))
    if page.suffix != ".md":
        return
    shown = shown_by(page)
    if shown != page:
        app.env.note_dependency(shown)
        source[0] = shown.read_text("utf-8")
    source[0] = linked(source[0], shown, page)


def setup(app):
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
