"""The texts that readers meet: README, the pages of the site, and what these show."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Every file in Markdown but the list of changes, whose commands are of their time.
TEXTS = sorted(
    path
    for folder in (".", "docs/**", "adapters/**", "config", "data", "results")
    for path in ROOT.glob(f"{folder}/*.md")
    if path.name != "CHANGELOG.md" and "_build" not in path.parts
)
BLOCK = re.compile(r"^```([^`\n]*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(path: Path, *kinds: str) -> list[str]:
    """The code blocks of a text, of some languages."""
    return [body for kind, body in BLOCK.findall(path.read_text("utf-8")) if kind in kinds]


def anchors(text: str) -> set[str]:
    """The anchors of a text's headings, as GitHub names them."""
    titles = re.findall(r"^#+ (.+)$", BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
