"""The page of a study: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from shakedown.attacks.attack import Attack
from shakedown.claims.claim import CLAIM_KINDS
from shakedown.report import results
from shakedown.report.glossary import glossary
from shakedown.report.ledger import DEFAULT, by_verdict, ledger
from shakedown.report.templates import PageContent, rendered

# The Δ that counts as safe where the study draws no limits: that of Fig. S11 of [C].
_THRESHOLD = -0.05


@dataclass(frozen=True, eq=False, kw_only=True)
class ReportContent(PageContent):
    """All that a page holds.

    Attributes
    ----------
    summary : DataFrame
        The summaries of all experiments.
    attacks : sequence of Attack
        Those that were played, with their parameters.
    limits_figure : str
        Id of the figure that the page starts with; "" for none.
    threats_figure : str
        Id of the map of participants and leaderboards; "" for none.
    threshold : float
        The Δ up to which submissions are safe, in units of the metric.
    data_notes : mapping of str to sequence of str
        For each data set how it was made, read and checked.
    checks, claims, sensitivity, bounds, threats : DataFrame, optional
        The tables `checks.csv`, `claims.csv`, `sensitivity.csv`, `bounds.csv` and `threats.csv`.
    """

    summary: pd.DataFrame
    attacks: Sequence[Attack] = ()
    limits_figure: str = ""
    threats_figure: str = ""
    threshold: float = _THRESHOLD
    data_notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    checks: pd.DataFrame | None = None
    claims: pd.DataFrame | None = None
    sensitivity: pd.DataFrame | None = None
    bounds: pd.DataFrame | None = None
    threats: pd.DataFrame | None = None


def render(content: ReportContent) -> str:
    """The page as HTML.

    The same content gives the same bytes: nothing in it depends on the clock or the machine.
    """
    figures, bounds = content.figures, content.bounds
    claims = ledger(content.claims, study=content.study, figures=figures)
    shown = {id: [claim for claim in claims if claim["figure"] == id] for id in figures}
    kinds = {id: {claim["kind"] for claim in own} for id, own in shown.items()}
    on_real_data = [id for id, own in kinds.items() if own == {"carried over"}]
    in_answer = [id for id in (content.limits_figure, content.threats_figure) if id in figures]
    others = [id for id in figures if id not in (*in_answer, *on_real_data)]
    statistical = [claim for claim in claims if claim["kind"] == "statistical"]
    bounds_chosen = by_verdict([claim for claim in statistical if claim["is_chosen"]])
    bounds_given = by_verdict([claim for claim in statistical if not claim["is_chosen"]])
    return rendered(
        "report.html.j2",
        content,
        claims=claims,
        default=content.study == DEFAULT,
        counts={
            kind: by_verdict([claim for claim in claims if claim["kind"] == kind])
            for kind in CLAIM_KINDS
        },
        intervals=sum(claim["low"] != "" for claim in statistical),
        bounds_chosen=bounds_chosen,
        bounds_given=bounds_given,
        listed=[figures[id] for id in (*in_answer, *others, *on_real_data)],
        others=[figures[id] for id in others],
        limits=figures.get(content.limits_figure),
        map=figures.get(content.threats_figure),
        threats=None if content.threats is None else results.threats(content.threats),
        beside={id: by_verdict(own) for id, own in shown.items()},
        on_real_data=[figures[id] for id in on_real_data],
        apart=[claim for claim in claims if claim["figure"] not in figures],
        safe=results.safe_submissions(content.summary, threshold=content.threshold),
        reached=results.reached(content.summary),
        readings={} if content.sensitivity is None else results.readings(content.sensitivity),
        guarantees=[] if bounds is None else results.guarantees(bounds),
        chance=None if bounds is None else 1 - bounds["chance"].iloc[0],
        checks=[] if content.checks is None else content.checks.to_dict("records"),
        words=glossary(content.summary, content.attacks),
    )
