"""Overfitting as an attack grows, one panel per level of the test (Fig. 4, S2)."""

from __future__ import annotations

from typing import ClassVar

from shakedown.figures import captions, panels
from shakedown.figures.kind import FigureKind, Picture


class Delta(FigureKind):
    """Box plots of Δ against the points of an attack; each mechanism with one value of b."""

    name: ClassVar[str] = "delta"
    label: ClassVar[str] = "Δ by level"
    sentence: ClassVar[str] = "Δ as an attack goes on, by level of the test."
    source: ClassVar[str] = "[C] Fig. 4, S2"
    order: ClassVar[float] = 3

    def picture(self, rows):
        from shakedown.figures import compared

        figure, text = compared.draw_compared(rows, kind=self.name, row_height=2.1)
        metric = panels.metric_of(rows)
        return Picture(figure, f"{metric.delta_name} {captions.of_final_model(rows)} {text}")
