"""Mechanisms over all combinations of the test's level and b (Fig. 6, S3 to S5)."""

from __future__ import annotations

from typing import ClassVar, Literal

from shakedown.component import parameter
from shakedown.figures import captions, panels
from shakedown.figures.kind import FigureKind, Picture


class Grid(FigureKind):
    """Box plots in panels: level of the test (columns) by bootstrap replications b (rows).

    A mechanism without a level, or without b, stands in each panel of the row or column.
    """

    name: ClassVar[str] = "grid"
    label: ClassVar[str] = "Grid"
    sentence: ClassVar[str] = "Δ, or a score, by level of the test and b."
    source: ClassVar[str] = "[C] Fig. 6, S3 to S5"
    order: ClassVar[float] = 4

    value: Literal["delta", "score_public", "scores"] = parameter(
        "delta",
        description=(
            "What is shown: delta; score_public; or scores, the public (filled) and the final "
            "score (hollow)."
        ),
    )

    def picture(self, rows):
        from shakedown.figures import compared

        figure, text = compared.draw_compared(
            rows, kind=self.name, value=self.value, by_noise=True, row_height=1.75
        )
        metric = panels.metric_of(rows)
        what = {
            "delta": metric.delta_name,
            "score_public": f"Public {metric.label}",
            "scores": f"Public (filled) and final (hollow) {metric.label}",
        }[self.value]
        return Picture(figure, f"{what} {captions.of_final_model(rows)} {text}")
