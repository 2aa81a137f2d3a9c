"""The table of boards in docs/boards_compared.md, from the study of config/boards.yaml.

``python -m tests.docs.boards`` rewrites it from results/boards/boards.csv.
"""

import re
import sys

import pandas as pd

from shakedown.attacks.attack import ATTACKS
from shakedown.comparison.naming import names, ordered_names
from shakedown.simulation import outcomes
from tests.docs.markdown import ROOT

PAGE = ROOT / "docs/boards_compared.md"
#: The first cells of the table's head, and of its last row.
HEAD, LAST = "| n | files |", "| best attack | |"
MISSING, NOT_OFFERED = "–", "not offered"
#: Shorter words for a narrow column.
WORDS = {
    "Metered board": "metered",
    "Digest": "digest",
    "at the quantile": "q = ¼",
    " + baseline start": "",
    "Full-disclosure": "full disclosure",
}
#: Attacks that gain less on average are not named.
NAMED = 0.0005


def column(name: str) -> str:
    """What the head of the table calls a board."""
    for word, short in WORDS.items():
        name = name.replace(word, short)
    return re.sub(r"\b0\.", ".", name)


def cell(row) -> str:
    """Proved on average / at the quantile / gained by the best attack / lag / order."""
    proved = f"{short(row.proved_mean)} / {short(row.proved_quantile)}"
    gained = f"{bare(row.gain)} ± {bare(row.gain_se)}"
    return f"{proved} / {gained} / **{bare(row.lag)}** / {bare(row.team_rank_correlation, 2)}"


def bare(value: float, digits: int = 3) -> str:
    """A number without the zero before its point."""
    return re.sub(r"^(-?)0\.", r"\1.", f"{value:.{digits}f}")


def short(value: float) -> str:
    """Two significant digits."""
    return MISSING if pd.isna(value) else re.sub(r"^0\.", ".", f"{value:.2g}")


def lines(boards: pd.DataFrame) -> list[str]:
    """The table: a row for each number of rows and of files, and one of the best attacks."""
    boards = boards.assign(name=names(boards))
    order = ordered_names(boards)
    text = [f"{HEAD} {' | '.join(map(column, order))} |", "|---" * (len(order) + 2) + "|"]
    for (n, files), part in boards.groupby(["public_rows", "submissions"], sort=False):
        found = {row.name: cell(row) for row in part.itertuples(index=False)}
        cells = (found.get(name, NOT_OFFERED) for name in order)
        text.append(f"| {n:,} | {files:,} | {' | '.join(cells)} |")
    seen = boards[boards["gain"] >= NAMED]
    attacks = {
        name: ", ".join(
            sorted(ATTACKS.find(attack).label.lower() for attack in set(part["attack"]))
        )
        for name, part in seen.groupby("name")
    }
    return [*text, f"{LAST} {' | '.join(attacks.get(name, MISSING) for name in order)} |"]


def told() -> list[str]:
    """The lines of the table on the page."""
    page = PAGE.read_text("utf-8")
    (table,) = re.findall(rf"^{re.escape(HEAD)} metered.*\n(?:\|.*\n)+", page, re.MULTILINE)
    return table.splitlines()


def rewrite(boards: pd.DataFrame) -> None:
    """Rewrite the table of the page."""
    old, new = "\n".join(told()), "\n".join(lines(boards))
    PAGE.write_text(PAGE.read_text("utf-8").replace(old, new), "utf-8")


if __name__ == "__main__":
    rewrite(outcomes.read(sys.argv[1] if sys.argv[1:] else ROOT / "results/boards/boards.csv"))
