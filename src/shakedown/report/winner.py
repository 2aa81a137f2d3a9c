"""The page of a final ranking: the decision, the ranks with their sets, the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from shakedown.provenance import versions
from shakedown.ranking.decision import DIGITS
from shakedown.report.pictures import FigureCard
from shakedown.report.templates import rendered
from shakedown.wording import amount

if TYPE_CHECKING:
    from shakedown.figures.kind import Picture
    from shakedown.ranking.final_ranking import FinalRanking

PACKAGES = ("numpy", "scipy", "matplotlib", "seaborn")
#: The figures of the page, and their titles.
TITLES = {
    "final_ranks": "Ranks", "significance_map": "Who is better than whom",
    "rank_blobs": "Ranks in bootstrap samples", "ranking_stability": "How stable the ranking is",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class WinnerContent:
    """All that the page shows: the decision, the ranking, and its figures by name."""

    sentence: str
    ranking: FinalRanking
    pictures: Mapping[str, Picture]
    config_text: str = ""

    @property
    def versions(self) -> dict[str, str]:
        return versions(PACKAGES)


def render_winner(content: WinnerContent) -> str:
    """The page as HTML; the same content gives the same bytes."""
    ranking = content.ranking
    with TemporaryDirectory() as folder:
        cards = {
            name: FigureCard.drawn(picture, name, TITLES[name], folder)
            for name, picture in content.pictures.items()
        }
        return rendered(
            "winner.html.j2",
            content,
            ranking=ranking,
            sentence=content.sentence,
            first=ranking.first,
            best={key: amount(value) for key, value in ranking.best._asdict().items()},
            soft=ranking.soft and {k: amount(v) for k, v in ranking.soft._asdict().items()},
            level=f"{100 * ranking.rule.level:g}",
            cards=cards,
            columns=_columns(ranking),
            rows=[_row(row, ranking.metric.short) for row in ranking.table.itertuples()],
        )


def _columns(ranking: FinalRanking) -> list[tuple[str, str]]:
    """Heads and keys of the table; without a second metric or a test, none of its column."""
    second = ranking.rule.second
    return [
        ("Team", "team"), ("Place", "place"), (ranking.metric.short, "score"), ("K", "k"),
        *([(f"Second: {second.short}", "second")] if second is not None else []),
        ("Rank", "own"), ("Rank, all at once", "joint"),
        *([("p", "p")] if np.isfinite(ranking.table["p_t"]).any() else []),
    ]  # fmt: skip


def _row(row, metric: str) -> dict[str, str | bool]:
    return {
        "fold": f"Place {row.place}, {metric}: {amount(row.score, DIGITS)}",
        "open": row.place == 1,
        "place": str(row.place),
        "team": row.team,
        "score": amount(row.score, DIGITS),
        "k": amount(row.k) if np.isfinite(row.k) else "∞",
        "second": amount(row.second, DIGITS) if np.isfinite(row.second) else "–",
        "own": _range(row.rank_low, row.rank_high),
        "joint": _range(row.joint_low, row.joint_high),
        "p": f"{row.p_t:.2g}" if np.isfinite(row.p_t) else "–",
    }


def _range(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"
