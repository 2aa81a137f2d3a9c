"""Public and final score, and Δ, as the final model grows (Fig. 2, S1, S6 to S10)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, ClassVar, Literal

from shakedown.component import parameter
from shakedown.data.designs import design_label
from shakedown.figures import captions, findings, panels
from shakedown.figures.kind import FigureKind, Picture
from shakedown.figures.roles import Roles
from shakedown.figures.selection import only, rows_of, settings_in
from shakedown.figures.style import DELTA_LOOK, FINAL_LOOK, PUBLIC_LOOK
from shakedown.wording import capitalised, listed

if TYPE_CHECKING:
    import pandas as pd

    from shakedown.figures.spread import PanelPart

# What a panel shows: its columns by the names of the legend, and its words.
VALUES = {
    "scores": {"score_public": "Public score", "score_final": "Final score"},
    "delta": {"delta": "Difference Δ"},
}
WORDS = {"scores": "public and final score", "delta": "difference Δ"}


class Boxes(FigureKind):
    """The scores and Δ against the size of the final model: boxes, or medians and quartiles.

    "rows" follows Fig. 2, S1 and, for two designs, S8 of [C]; "compact" S6, S7, S9 and S10.
    """

    name: ClassVar[str] = "boxes"
    label: ClassVar[str] = "Boxes"
    sentence: ClassVar[str] = "Public score, final score and Δ."
    source: ClassVar[str] = "[C] Fig. 2, S1, S6 to S10"
    order: ClassVar[float] = 2
    several: ClassVar[tuple[str, ...]] = ("design",)

    layout: Literal["rows", "compact"] = parameter(
        "rows",
        description=(
            "rows, a row per setting with scores on the left and Δ on the right; if there are "
            "several designs, a column per design with scores above and Δ below.  compact, the "
            "levels of the test side by side, with the Δ of each setting below its scores."
        ),
    )

    def check(self, rows):
        """Also refuse several designs in the compact layout."""
        super().check(rows)
        if self.layout == "compact":
            only(rows, "design", kind=self.name)

    def picture(self, rows):
        from shakedown.figures.spread import draw_spread

        by_design = rows["design"].nunique() > 1
        compact = self.layout == "compact"
        looks = {
            "Public score": PUBLIC_LOOK, "Final score": FINAL_LOOK, "Difference Δ": DELTA_LOOK
        }  # fmt: skip
        figure, text = draw_spread(
            rows,
            self._levels(rows) if compact else self._rows(rows),
            looks,
            sharey="value" if compact else "row" if by_design else "col",
            row_height=1.1 if compact else 2.1 if by_design else 1.8,
            ratios={"scores": 1.4, "delta": 1.0} if compact else None,
        )
        here, there = ("above", "below") if by_design or compact else ("left", "right")
        both = f" ({here}) and their difference Δ ({there})"
        what = (
            f"Public and final {panels.metric_of(rows).label}{both} {captions.of_final_model(rows)}"
        )
        text = " ".join([findings.too_good(rows), what, *self._asides(rows), text])
        return Picture(figure, text.strip())

    def _asides(self, rows: pd.DataFrame) -> Iterator[str]:
        """Which scores are better, and in which order an attack takes equal ones."""
        metric = panels.metric_of(rows)
        if metric.larger_is_better:
            words = " ".join(metric.axis.split())
            yield f"{capitalised(words)}: higher is better."
        steady = [
            setting.label
            for setting in settings_in(rows)
            if setting.shows_scores and not (setting.is_noisy or setting.replaces_always)
        ]
        if steady and panels.attack_of(rows).points_are_sizes and "splits" in set(rows["design"]):
            yield (
                "Features with equal scores are taken in the order of their columns, the same in "
                f"every replicate, so curves of {listed(list(dict.fromkeys(steady)))} can bend at "
                "the same k."
            )

    def _levels(self, rows: pd.DataFrame) -> Iterator[PanelPart]:
        """Scores of each mechanism and its Δ below, with the levels of its test side by side."""
        from shakedown.figures.spread import PanelPart

        settings = settings_in(rows)
        roles = Roles(settings, kind=self.name)
        for level, setting in product(roles.levels, settings):
            own = setting.parameters.get(roles.level)
            if own == level or (own is None and level == roles.levels[0]):
                row, column = roles.named(setting, roles.level), roles.shown(roles.level, level)
                title = column if own == level else ""
                for value, words in WORDS.items():
                    own_row, own_title = (
                        (f"{row}: {words}", None) if value == "delta" else (row, title)
                    )
                    yield PanelPart(
                        own_row, column, own_title, rows_of(rows, setting), value, VALUES[value]
                    )

    def _rows(self, rows: pd.DataFrame) -> Iterator[PanelPart]:
        """A row for each setting, or setting for its scores and setting for its Δ, by design."""
        from shakedown.figures.spread import PanelPart

        by_design = rows.groupby("design", observed=True, sort=False)
        for setting, (value, words) in product(settings_in(rows), WORDS.items()):
            if len(by_design) == 1:
                yield PanelPart(
                    setting.title, words, words, rows_of(rows, setting), value, VALUES[value]
                )
                continue
            for design, part in by_design:
                row, label = f"{setting.title}: {words}", design_label(str(design))
                yield PanelPart(row, label, label, rows_of(part, setting), value, VALUES[value])
