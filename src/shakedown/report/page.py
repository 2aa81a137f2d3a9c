"""The page of a study: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from shakedown.attacks.attack import Attack
from shakedown.interface import InputError
from shakedown.report import results
from shakedown.report.glossary import glossary
from shakedown.report.ledger import DEFAULT, KINDS, VERDICTS, by_verdict, ledger
from shakedown.report.pictures import FigureCard
from shakedown.report.safe import safe_submissions
from shakedown.report.templates import environment

# The Δ that counts as safe where the study draws no limits: that of Fig. S11 of [C].
_THRESHOLD = -0.05


@dataclass(frozen=True, eq=False)
class ReportContent:
    """All that a page holds.

    Attributes
    ----------
    study : str
    seed : int
    summary : DataFrame
        The summaries of all experiments.
    attacks : sequence of Attack
        Those that were played, with their parameters.
    figures : sequence of FigureCard
    limits_figure : str
        Id of the figure that the page starts with; "" for none.
    threshold : float
        The Δ up to which submissions are safe, in units of the metric.
    data_notes : mapping of str to sequence of str
        For each data set how it was made, read and checked.
    checks, claims, sensitivity, bounds : DataFrame, optional
        The tables `checks.csv`, `claims.csv`, `sensitivity.csv` and `bounds.csv`.
    versions : mapping of str to str
        Package (and Python) to version.
    config_text : str
        The complete configuration.
    """

    study: str
    seed: int
    summary: pd.DataFrame
    attacks: Sequence[Attack] = ()
    figures: Sequence[FigureCard] = ()
    limits_figure: str = ""
    threshold: float = _THRESHOLD
    data_notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    checks: pd.DataFrame | None = None
    claims: pd.DataFrame | None = None
    sensitivity: pd.DataFrame | None = None
    bounds: pd.DataFrame | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    config_text: str = ""


def render(content: ReportContent) -> str:
    """The page as HTML.

    The same content gives the same bytes: nothing in it depends on the clock or the machine.

    Raises
    ------
    InputError
        If two figures have the same id, a figure's file is missing, a table lacks a column, or the
        summary has no rows.
    """
    cards: dict[str, FigureCard] = {}
    for card in content.figures:
        other = cards.setdefault(card.anchor, card)
        if other is not card:
            raise InputError(
                f"two figures of the report are called {other.id!r} and {card.id!r}; give one of "
                "them another id."
            )
    claims = ledger(content.claims, study=content.study)
    figures = {card.id: card for card in content.figures}
    kinds = {id: {one.kind for one in claims if one.figure == id} for id in figures}
    bounds = content.bounds
    return environment().get_template("report.html.j2").render(
        content=content,
        default=content.study == DEFAULT,
        claims=claims,
        counts={k: by_verdict(one for one in claims if one.kind == k) for k in KINDS},
        verdicts=VERDICTS,
        figures=figures,
        limits=figures.get(content.limits_figure),
        beside={id: by_verdict(one for one in claims if one.figure == id) for id in figures},
        on_real_data=[id for id, found in kinds.items() if found == {"carried over"}],
        apart=[one for one in claims if one.figure not in figures],
        safe=safe_submissions(content.summary, threshold=content.threshold),
        reached=results.reached(content.summary),
        readings={} if content.sensitivity is None else results.readings(content.sensitivity),
        guarantees=[] if bounds is None else results.guarantees(bounds),
        chance=None if bounds is None else 1 - bounds["chance"].iloc[0],
        checks=[] if content.checks is None else content.checks.to_dict("records"),
        experiments=content.summary["experiment"].unique().tolist(),
        words=glossary(content.summary, content.attacks),
    )  # fmt: skip
