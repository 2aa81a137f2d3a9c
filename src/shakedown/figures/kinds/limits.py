"""Overfitting against the number of submissions, and the threshold that it must not cross (S11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from shakedown.component import parameter
from shakedown.figures import captions, findings, panels
from shakedown.figures.kind import FigureKind, Picture
from shakedown.figures.kinds.grid import draw_grid
from shakedown.wording import counted, signed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


class LimitsFigure(FigureKind):
    """Box plots of Δ against the submissions of an attack, one panel per level of the test.

    Where attacks over different numbers of features lie in the table, each is shown at its end.
    """

    name: ClassVar[str] = "limits"
    label: ClassVar[str] = "Limits"
    sentence: ClassVar[str] = "Δ by number of submissions, and a threshold."
    source: ClassVar[str] = "[C] Fig. S11"
    order: ClassVar[float] = 5

    threshold: float = parameter(
        -0.05, description="Δ that the organisers accept, in units of the metric."
    )

    def picture(self, rows):
        ends = budget_ends(rows)
        figure, text = draw_grid(
            ends, kind=self.name, x="budget", x_label="Submissions", row_height=2.4,
            threshold=self.threshold,
        )  # fmt: skip
        _stagger(figure.axes[0])  # its ticks are those of all panels
        metric, attack = panels.metric_of(rows), panels.attack_of(rows)
        name = attack.point_name
        spent = [
            f"{counted(int(row.point), name)} over {row.n_features:,.0f} features "
            f"({budget:,.0f} submissions)"
            for budget, row in ends.groupby("budget")[["n_features", "point"]].first().iterrows()
            if not attack.points_are_sizes
        ]
        budgets = f", from {spent[0]} to {spent[-1]}" if len(spent) > 1 else ""
        first = findings.passing(ends, self.threshold, kind=self.name)
        return Picture(
            figure,
            f"{first} {metric.delta_name} after {captions.attacks_in(rows)}{budgets}. A number of "
            "submissions is safe while the median stays above the line at "
            f"{signed(self.threshold)}. {text}",
        )


def _stagger(ax: Axes) -> None:
    """Set every second number a line lower, where many stand side by side."""
    names = [label.get_text() for label in ax.get_xticklabels()]
    if len(names) > 4:  # noqa: PLR2004
        ax.set_xticks(ax.get_xticks(), ["\n" * (i % 2) + name for i, name in enumerate(names)])


def budget_ends(rows: pd.DataFrame) -> pd.DataFrame:
    """Outcomes at the end of each budget, with a column `budget` of its submissions.

    An attack that stops early has made fewer submissions than its budget allows; it belongs to
    the same budget all the same, so a budget is known by its features and points and is called by
    the largest number of submissions in it.
    """
    ends = rows
    if rows["n_features"].nunique() > 1 and not panels.attack_of(rows).points_are_sizes:
        last = rows.groupby("n_features")["point"].transform("max")
        ends = rows[(rows["point"] == last).to_numpy(dtype=bool)]
    budget = ends.groupby(["n_features", "point"])["submissions"].transform("max").astype(float)
    return ends.assign(budget=budget)
