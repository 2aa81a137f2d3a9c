"""The table in docs/boards_compared.md is that of its study, and its words are the table's.

A number may be rounded the other way on another machine.
"""

import re
from itertools import product

import pytest

from shakedown.comparison.cell import compare
from shakedown.comparison.settings import ComparisonEntry
from shakedown.config import complete
from shakedown.reading import read
from shakedown.theory.proved import digests_within
from tests.docs import boards
from tests.docs.markdown import ROOT

CONFIG = complete(read(ROOT / "config/boards.yaml"), base=ROOT)
SETTINGS = ComparisonEntry(**CONFIG["boards"])
CELLS = list(product(SETTINGS.rows, SETTINGS.submissions))
#: Cells of some seconds, and of some more.  The others take a quarter of an hour together:
#: ``python -m tests.docs.boards`` writes them from the study.
CHEAP, DEARER = list(product((50, 69), (50, 300))), [(209, 50), (1000, 50)]


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def numbers(cell: str) -> list[float | None]:
    """The numbers of a cell; None for a dash."""
    found = re.findall(r"–|-?\d*\.?\d+", cell.replace("*", ""))
    return [None if number == "–" else float(number) for number in found]


HEAD, _, *LINES, LAST = boards.told()
COLUMNS = cells_of(HEAD)[2:]
TOLD = {
    (n, files): dict(zip(COLUMNS, others, strict=True))
    for n, files, *others in map(cells_of, LINES)
}
BEST = dict(zip(COLUMNS, cells_of(LAST)[2:], strict=True))


def test_the_table_has_every_cell():
    assert list(TOLD) == [(f"{n:,}", f"{files:,}") for n, files in CELLS]


@pytest.mark.parametrize(
    ("rows", "files"),
    [
        pytest.param(*cell, marks=pytest.mark.slow if cell in CHEAP else pytest.mark.full)
        for cell in (*CHEAP, *DEARER)
    ],
)
def test_a_cell_is_what_the_study_computes(rows, files):
    found = compare(rows, files, SETTINGS, seed=CONFIG["seed"])
    head, _, line, last = map(cells_of, boards.lines(found))
    told = TOLD[f"{rows:,}", f"{files:,}"]
    assert head[2:] == [name for name, cell in told.items() if cell != boards.NOT_OFFERED]
    for name, cell, attack in zip(head[2:], line[2:], last[2:], strict=True):
        assert numbers(told[name]) == pytest.approx(numbers(cell), abs=0.0011), name
        assert attack in (boards.MISSING, *BEST[name].split(", ")), name


ON_AVERAGE, AT_QUANTILE = "metered, on average", "metered, q = ¼"
DIGEST, SHARPER = "digest, on average", "digest, q = ¼"
#: The numbers of a cell.
PROVED, PROVED_MOSTLY, GAIN, ERROR, LAG, ORDER = range(6)
#: Sentences below the table; each {} is a number of it, in the same order.
WORDS = {
    "{} against {} at 50 rows with 300 files": [
        (50, 300, DIGEST, ORDER),
        (50, 300, ON_AVERAGE, ORDER),
    ],
    "at 69 rows it is {} against {}, at 209 {} against {}.": [
        (69, 300, DIGEST, ORDER),
        (69, 300, ON_AVERAGE, ORDER),
        (209, 300, DIGEST, ORDER),
        (209, 300, ON_AVERAGE, ORDER),
    ],
    "the lag of the metered board, {} and {} with 300 files, and keeps the order better ({} "
    "against {})": [
        (209, 300, SHARPER, LAG),
        (209, 300, AT_QUANTILE, LAG),
        (209, 300, SHARPER, ORDER),
        (209, 300, AT_QUANTILE, ORDER),
    ],
    "first: {} against {} with 300 files, {} against {} with 50.": [
        (1000, 300, AT_QUANTILE, LAG),
        (1000, 300, SHARPER, LAG),
        (1000, 50, AT_QUANTILE, LAG),
        (1000, 50, SHARPER, LAG),
    ],
    "they are level to .001: {} and {} with 300 files.": [
        (5000, 300, AT_QUANTILE, LAG),
        (5000, 300, SHARPER, LAG),
    ],
    "hence its lag of {}, where that with 50 files is {}.": [
        (1000, 300, DIGEST, LAG),
        (1000, 50, DIGEST, LAG),
    ],
}


def number(rows: int, files: int, board: str, which: int) -> float:
    return numbers(TOLD[f"{rows:,}", f"{files:,}"][board])[which]


@pytest.mark.parametrize("sentence", WORDS)
def test_a_number_in_words_is_that_of_the_table(sentence):
    page = " ".join(boards.PAGE.read_text("utf-8").split())
    pattern = re.escape(sentence).replace(r"\{\}", r"(\.\d+)")
    told = re.search(pattern, page)
    assert told, "the sentence is another one now"
    assert list(map(float, told.groups())) == [number(*place) for place in WORDS[sentence]]


def first(rows: int, files: int, proof: int) -> set[str]:
    """The proved boards whose lag is within .001 of the smallest, as rounding may change it."""
    offered = TOLD[f"{rows:,}", f"{files:,}"].items()
    cells = {name: numbers(cell) for name, cell in offered if cell != boards.NOT_OFFERED}
    lags = {
        name: cell[LAG]
        for name, cell in cells.items()
        if cell[proof] is not None and cell[proof] <= SETTINGS.tolerated
    }
    return {name for name, lag in lags.items() if lag <= min(lags.values()) + 0.00101}


@pytest.mark.parametrize(("rows", "files"), CELLS)
def test_the_boards_that_the_words_call_first_are_first(rows, files):
    """On average: metered boards, with many rows exact scores or digests too; else the digest."""
    on_average, mostly = first(rows, files, PROVED), first(rows, files, PROVED_MOSTLY)
    if files == 50 and rows >= 1000:
        assert "full disclosure" in on_average
    else:
        assert ON_AVERAGE in on_average
        assert (DIGEST in on_average) == (rows == 5000)
    if rows < 209:
        assert mostly == {SHARPER}
    elif rows == 1000:
        assert mostly == {AT_QUANTILE}
    else:
        assert mostly == {AT_QUANTILE, SHARPER} | ({DIGEST} if rows == 5000 else set())


def test_the_digest_whose_season_is_cut_has_so_many_updates():
    (digest, *_) = digests_within(1000, -SETTINGS.tolerated, 300)
    assert digest["updates"] == 55
