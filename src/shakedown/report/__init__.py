"""The report: one self-contained page, and the sentences on its top."""

from shakedown.report.headline import headline
from shakedown.report.page import FigureCard, ReportContent, TableCard, render
from shakedown.report.results import key_results

__all__ = ["FigureCard", "ReportContent", "TableCard", "headline", "key_results", "render"]
