"""The report of a study, the pages of a dry run and of a replay: one self-contained file each."""

from shakedown.report.dryrun import DryRunContent, render_dryrun
from shakedown.report.headline import headline
from shakedown.report.page import FigureCard, ReportContent, TableCard, render
from shakedown.report.pictures import figure_cards
from shakedown.report.replay import ReplayContent, render_replay
from shakedown.report.results import key_results

__all__ = [
    "DryRunContent",
    "FigureCard",
    "ReplayContent",
    "ReportContent",
    "TableCard",
    "figure_cards",
    "headline",
    "key_results",
    "render",
    "render_dryrun",
    "render_replay",
]
