"""The page of a comparison of boards: who is first where, and what it rests on; one HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from shakedown.attacks.attack import ATTACKS
from shakedown.comparison.leaders import leaders
from shakedown.comparison.naming import KEPT, names
from shakedown.leaderboard.settings import settings_in
from shakedown.metrics import find
from shakedown.provenance import versions
from shakedown.report.glossary import explained
from shakedown.report.pictures import figure_cards
from shakedown.report.results import title
from shakedown.report.templates import PageContent, firm, rendered
from shakedown.wording import listed

PACKAGES = ("numpy", "scipy", "numba", "pandas", "matplotlib")
_TITLES = {"lag_by_rows": "Lag by public rows"}
_MISSING = "–"


@dataclass(frozen=True, eq=False, kw_only=True)
class BoardsContent(PageContent):
    """All that the page holds.

    Attributes
    ----------
    boards : DataFrame
        The table `boards.csv`.
    tolerated, quantile : float
        As in the configuration.
    replicates : tuple of int
        Of attackers, and of honest teams.
    """

    boards: pd.DataFrame
    tolerated: float
    quantile: float
    replicates: tuple[int, int]


def content_of(
    boards: pd.DataFrame, config: Mapping[str, Any], *, svgs: Iterable[str | Path]
) -> BoardsContent:
    """The content of a page from the results of a comparison."""
    given = config["boards"]
    return BoardsContent(
        study=config["study"],
        seed=config["seed"],
        boards=boards,
        tolerated=given["tolerated"],
        quantile=given["quantile"],
        replicates=(given["replicates"], given["honest_replicates"]),
        figures=figure_cards(svgs, _TITLES, ""),
        versions=versions(PACKAGES),
        config_text=yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
    )


def render_boards(content: BoardsContent) -> str:
    """The page as HTML; the same content gives the same bytes."""
    boards = content.boards.assign(name=list(map(firm, names(content.boards))))
    return rendered(
        "boards.html.j2",
        content,
        firsts={
            words: [_first(one) for one in leaders(boards, kept, content.tolerated)]
            for kept, words in KEPT.items()
        },
        tables={
            number: [_row(row) for row in part.to_dict("records")]
            for number, part in boards.groupby("submissions")
        },
        pictures=content.placed(tuple(_TITLES)),
        words=explained([*settings_in(boards), find("mse")]),
    )


def _first(found: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the answer: the first board, and those that are level with it."""
    first = found["first"]
    return {
        "public_rows": found["public_rows"],
        "submissions": found["submissions"],
        "board": first["name"],
        "level": f"level: {listed([one['name'] for one in found['level']])}"
        if found["level"]
        else "",
        "lag": f"{first['lag']:.3f}",
        "lag_se": f"± {_error(first['lag_se'])}",
    }


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the table, in texts."""
    attack = row["attack"]
    proved = [words for kept, words in KEPT.items() if not pd.isna(row[f"proved_{kept}"])]
    return {
        "facets": {
            "Submissions": f"{row['submissions']:,}",
            "Public rows": f"{row['public_rows']:,}",
            "Proved": proved or "nothing",
        },
        "fold": f"{row['public_rows']:,} public rows, lag: {row['lag']:.3f}",
        "public_rows": row["public_rows"],
        "board": row["name"],
        "setting": title(row["setting"]) if row["kept"] in KEPT else "",
        "proved_mean": _short(row["proved_mean"]),
        "proved_quantile": _short(row["proved_quantile"]),
        "gain": f"{row['gain']:.3f} ± {_error(row['gain_se'])}",
        "attack": "no attack" if pd.isna(attack) else ATTACKS.find(attack).label,
        "lag": f"{row['lag']:.3f} ± {_error(row['lag_se'])}",
        "order": f"{row['team_rank_correlation']:.2f}",
    }


def _error(error: float) -> str:
    """A standard error to two digits, never as a power of ten."""
    return np.format_float_positional(float(f"{error:.2g}"), trim="-")


def _short(gain: float) -> str:
    return _MISSING if pd.isna(gain) else f"{gain:.2g}"
