"""The page of a planned challenge: the split to use, what each split can decide, the metrics."""

from __future__ import annotations

from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from shakedown.metrics import find
from shakedown.provenance import versions
from shakedown.report.pictures import FigureCard
from shakedown.report.templates import rendered
from shakedown.wording import amount, bare, counted, probability, short

PACKAGES = ("numpy", "scipy", "scikit-learn", "matplotlib")


@dataclass(frozen=True, eq=False)
class DesignContent:
    """All that the page shows: the answer `design`."""

    design: Any
    config_text: str = ""

    @property
    def versions(self) -> dict[str, str]:
        return versions(PACKAGES)


def render_design(content: DesignContent) -> str:
    """The page as HTML; the same content gives the same bytes."""
    design = content.design
    with TemporaryDirectory() as folder:
        card = FigureCard.drawn(design.picture("design_splits"), "design_splits", "Splits", folder)
        return rendered(
            "design.html.j2",
            content,
            design=design,
            card=card,
            wanted=bare(design.wanted),
            tolerated=bare(design.tolerated),
            splits=[_split(row, design) for row in design.shown.itertuples()],
            metrics=[_metric(row) for row in design.metrics.itertuples()],
            rounds=[_round(row) for row in design.by_rounds.itertuples()],
        )


def _split(row: Any, design: Any) -> dict[str, Any]:
    said, is_recommended = "", row.final == design.recommended.final
    if is_recommended:
        said = ", recommended" if design.is_enough else ", the most"
    return {
        "class": "chosen" if is_recommended else "",
        "fold": f"Best wins: {probability(row.best_wins)}",
        "open": is_recommended,
        "final": f"{row.final:,} final{said}",
        "public": f"{row.public:,}",
        "round": f"{row.per_round:,}",
        "train": f"{row.train:,}" if row.train else "–",
        "wins": probability(row.best_wins),
        "tied": probability(row.best_tied),
        "group": amount(row.tied, 2),
        "difference": amount(row.difference, 2),
        "agreement": short(row.rank_correlation),
        "bears": _degrees(row.bears),
    }


def _round(row: Any) -> dict[str, Any]:
    return {
        "rounds": counted(row.rounds, "round"),
        "public": f"{row.per_round:,}",
        "leads": probability(row.best_leads),
        "agreement": short(row.rank_correlation),
        "bears": _degrees(row.bears),
    }


def _degrees(bears: float) -> str:
    return amount(max(bears, 0.0), 2) if pd.notna(bears) else "–"


def _metric(row: Any) -> dict[str, Any]:
    return {
        "name": find(row.metric).label,
        "wins": probability(row.best_wins),
        "eighty": _rows(row.rows_80),
        "ninety": _rows(row.rows_90),
        "two": _rows(row.rows_first_two),
    }


def _rows(number: Any) -> str:
    return "none" if pd.isna(number) else f"{number:,}"
