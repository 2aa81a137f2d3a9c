"""What a figure of a replay is: which boards it shows, and where its axes end."""

from __future__ import annotations

from collections.abc import Collection
from textwrap import fill
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from shakedown.component import Registry, parameter
from shakedown.figures.facets import panels
from shakedown.figures.pages import PageFigure
from shakedown.figures.selection import rows_of
from shakedown.figures.style import short
from shakedown.leaderboard.mechanism import MECHANISMS, Mechanism
from shakedown.leaderboard.settings import settings_in
from shakedown.metrics import Metric, find
from shakedown.replay.grouping import shows_every_score
from shakedown.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# A value that is further from the quartiles than so many times their distance leaves the axis.
_REACH = 3.0
# Characters of an axis name that is written in one line, and of a line of a longer one.
_LONG, _LINE = 44, 32


class ReplayFigure(PageFigure):
    """A figure of a replay: see `pages.PageFigure`."""

    kind: ClassVar[str] = "replay figure"

    metric: str = parameter(description="The metric that the log was replayed with.")

    @property
    def scores(self) -> Metric:
        """The metric itself."""
        return find(self.metric)

    @property
    def score_axis(self) -> str:
        """Name of an axis of scores, with the direction of the metric."""
        return in_lines(f"{self.scores.label} ({direction(self.scores)})")


def in_lines(text: str) -> str:
    """The name of an axis; in short lines if it has many characters, as composite scores have."""
    return text if len(text) <= _LONG else fill(text, _LINE)


def direction(metric: Metric) -> str:
    """Which scores are good."""
    return "higher is better" if metric.larger_is_better else "lower is better"


def of_teams(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of boards for teams; all rows where there is none."""
    rows = frame[(frame["boards"] == "per_team").to_numpy(bool)]
    return frame if rows.empty else rows


def boards_shown(frame: pd.DataFrame, most: int) -> dict[Mechanism, pd.DataFrame]:
    """The boards for teams (else those for ranks) that a figure has room for, and their rows.

    At most `most`, in the usual order: one of those that show every score, and of each other
    mechanism that with the middle settings.  A user's own mechanisms come before ours; last are
    those with a step that somebody has chosen.
    """
    rows = of_teams(frame)
    settings = settings_in(rows)
    # Boards that show every score differ by their rounding alone.
    extra = [setting for setting in settings if shows_every_score(setting)][1:]
    by_name: dict[str, list[Mechanism]] = {}
    for setting in settings:
        if setting not in extra:
            by_name.setdefault(setting.name, []).append(setting)
    middle = [own[len(own) // 2] for own in by_name.values()]
    kept = sorted(middle, key=_last_shown)[:most]
    return {setting: rows_of(rows, setting) for setting in middle if setting in kept}


def panels_of_boards(
    frame: pd.DataFrame, x: str, y: str
) -> tuple[dict[Mechanism, pd.DataFrame], Figure, list[Axes]]:
    """A panel for each of six boards at most; returns the rows of each, the figure and the axes."""
    parts = boards_shown(frame, 6)
    return parts, *panels([short(board) for board in parts], x, y, across=3, height=1.9)


def _last_shown(setting: Mechanism) -> tuple[bool, ...]:
    """What makes a board less worth showing, the most telling first."""
    fields = type(setting).model_fields.values()
    has_step = any((field.json_schema_extra or {}).get("unit") for field in fields)
    return not shows_every_score(setting), setting.name in MECHANISMS.classes, has_step


def note_on_boards(frame: pd.DataFrame, shown: Collection[Mechanism]) -> str:
    """What kind the boards are, where not for teams, and how many a figure has no room for.

    Sentences with a blank in front; "" for boards for teams that are all shown.
    """
    left = len(settings_in(of_teams(frame))) - len(shown)
    kind = " All of these are boards for ranks." * bool((frame["boards"] == "per_rank").all())
    more = f" {counted(left, 'other board')} had no room here; the tables have all." * (left > 0)
    return kind + more


def team_name(name: object, most: int) -> str:
    """The name of a team as it is to be drawn, cut to so many letters.

    Teams name themselves; matplotlib would read what stands between two dollar signs as a formula.
    """
    line = " ".join(str(name).split())
    return (line if len(line) <= most else f"{line[: most - 1]}…").replace("$", r"\$")


def ends_of(*values: np.ndarray) -> tuple[float, float]:
    """Ends of an axis that far outliers among values, of any shapes, do not stretch."""
    flat = np.concatenate([np.ravel(v) for v in values])
    flat = flat[np.isfinite(flat)]
    if not flat.size:
        return 0.0, 1.0
    low, high = np.quantile(flat, [0.25, 0.75])
    reach = _REACH * (high - low)
    inside = flat[(flat >= low - reach) & (flat <= high + reach)]
    least, most = inside.min(), inside.max()
    pad = 0.06 * (most - least) or 0.05 * abs(most) or 1.0
    return float(least - pad), float(most + pad)


def note_on_outliers(ends: tuple[float, float], *values: np.ndarray) -> str:
    """A sentence, with a blank in front, on the values that an axis leaves out; "" for none."""
    flat = np.concatenate([np.ravel(v) for v in values])
    count = int(((flat < ends[0]) | (flat > ends[1])).sum())
    verb = "lies" if count == 1 else "lie"
    return f" {counted(count, 'far value')} {verb} beyond the axis." if count else ""


REPLAY_FIGURES = Registry(ReplayFigure, "shakedown.figures.replay")
