"""The report of a study and the page of a dry run: one self-contained file each."""

from shakedown.report.dryrun import DryRunContent, render_dryrun
from shakedown.report.headline import headline
from shakedown.report.page import FigureCard, ReportContent, TableCard, render
from shakedown.report.results import key_results

__all__ = [
    "DryRunContent",
    "FigureCard",
    "ReportContent",
    "TableCard",
    "headline",
    "key_results",
    "render",
    "render_dryrun",
]
