"""Public and final score, and Δ, as the final model grows (Fig. 2, S1, S6 to S10)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import ClassVar, Literal

import pandas as pd

from shakedown.component import parameter
from shakedown.data.splits import design_label
from shakedown.figures import captions, panels
from shakedown.figures.kind import FigureKind, Picture
from shakedown.figures.roles import Roles
from shakedown.figures.selection import only, rows_of, settings_in
from shakedown.figures.style import DELTA_LOOK, FINAL_LOOK, PUBLIC_LOOK
from shakedown.metrics import find

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
    sentence: ClassVar[str] = "Public and final score and Δ; in rows, of several designs."
    source: ClassVar[str] = "[C] Fig. 2, S1, S6 to S10"
    order: ClassVar[float] = 2
    several: ClassVar[tuple[str, ...]] = ("design",)

    layout: Literal["rows", "compact"] = parameter(
        "rows",
        description=(
            "rows, a row per setting, scores on the left and Δ on the right, or of several designs "
            "a column per design, scores above and Δ below; compact, scores alone, a panel per "
            "setting, the levels of the test side by side."
        ),
    )

    def check(self, rows):
        """Besides, only one design in the compact layout."""
        super().check(rows)
        if self.layout == "compact":
            only(rows, "design", kind=self.name)

    def picture(self, rows):
        from shakedown.figures import spread

        metric, boxes = panels.metric_of(rows), spread.has_boxes(rows)
        by_design = rows["design"].nunique() > 1
        sharey = True if self.layout == "compact" else "row" if by_design else "col"
        parts = [
            spread.long(
                part, "point", VALUES[shows], boxes=boxes,
                shows=shows, row=row, column=column, title=title,
            )
            for row, column, title, part, shows in self._panels(rows)
        ]  # fmt: skip
        tidy = pd.concat(parts)
        looks = {"Public score": PUBLIC_LOOK, "Final score": FINAL_LOOK, "Difference Δ": DELTA_LOOK}
        looks = {name: look for name, look in looks.items() if name in tidy["series"].unique()}
        grid = spread.draw_spread(tidy, "point", looks, sharey=sharey)
        shown = tidy.drop_duplicates(["row", "column"]).set_index(["row", "column"])["shows"]
        for place, shows in shown.items():
            ax = grid.axes_dict[place]
            panels.reference_line(ax, shows, metric)
            if sharey == "col" or ax.get_subplotspec().is_first_col():
                ax.set_ylabel(panels.value_axis(shows, metric))
        lines = panels.references(shown.unique(), metric)
        figure = spread.finish(
            grid,
            [*spread.keys(looks, boxes=boxes), *panels.reference_keys(lines)],
            x_label=panels.point_axis(rows),
            row_height=2.1 if by_design else 1.8,
        )
        here, there = ("above", "below") if by_design else ("left", "right")
        both = f" ({here}) and their difference Δ ({there})" if self.layout == "rows" else ""
        text = [
            f"Public and final {find(metric).label}{both} {captions.of_final_model(rows)}",
            *([captions.meaning(metric)] if both else []),
            captions.data_of_spread(rows, boxes=boxes),
            *captions.dashed(lines),
        ]
        return Picture(figure, " ".join(text))

    def _panels(self, rows: pd.DataFrame) -> Iterator[tuple[str, str, str, pd.DataFrame, str]]:
        """Row, column and title of each panel, its rows, and what it shows of them."""
        settings = settings_in(rows)
        if self.layout == "compact":
            roles = Roles(settings, kind=self.name)
            for level, one in product(roles.levels, settings):
                own = one.parameters.get(roles.level)
                if own == level or (own is None and level == roles.levels[0]):
                    row, column = roles.named(one, roles.level), roles.shown(roles.level, level)
                    yield row, column, column if own == level else "", rows_of(rows, one), "scores"
            return
        by_design = rows.groupby("design", observed=True, sort=False)
        for one, (shows, words) in product(settings, WORDS.items()):
            if len(by_design) == 1:
                yield one.title, words, words, rows_of(rows, one), shows
                continue
            for design, part in by_design:
                label = design_label(str(design))
                yield f"{one.title}: {words}", label, label, rows_of(part, one), shows
