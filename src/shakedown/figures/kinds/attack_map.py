"""How far each attack overfits each leaderboard: a table in colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from shakedown.component import parameter
from shakedown.figures import captions, panels
from shakedown.figures.kind import FigureKind, Picture
from shakedown.interface import InputError
from shakedown.wording import short, signed

if TYPE_CHECKING:
    import pandas as pd

#: More columns than this have no room for upright names.
_UPRIGHT = 6
#: Characters in a line of a board's name beside as many: their numbers need the width.
_NAME = 30


class AttackMap(FigureKind):
    """Median Δ of each experiment's attack (columns) against each setting (rows).

    The Δ of an attack that builds on an honest file counts from that file.
    """

    name: ClassVar[str] = "attack_map"
    label: ClassVar[str] = "Attacks × leaderboards"
    sentence: ClassVar[str] = "Median Δ of every attack against every leaderboard."
    order: ClassVar[float] = 10
    several: ClassVar[tuple[str, ...]] = ("experiment", "attack", "iteration_board")

    submissions: int | None = parameter(
        None,
        ge=1,
        description=(
            "Δ is shown for the last point of each attack with no more submissions than this; null "
            "for the last point."
        ),
    )
    labels: dict[str, str] = parameter(
        {}, description="The words of a column, by its experiment; by default its id."
    )

    def picture(self, rows):
        from shakedown.figures.facets import narrow
        from shakedown.figures.heat import draw_heat
        from shakedown.leaderboard.mechanism import of_setting
        from shakedown.leaderboard.settings import settings_in
        from shakedown.theory.threats import from_the_honest_file

        metric = panels.metric_of(rows)
        ends = self._ends(rows)
        # A table of one's own may lack the scores.
        has_scores = {"score_honest", "score_public"} <= set(ends)
        has_honest = has_scores and bool(ends["score_honest"].notna().any())
        if has_honest:
            ends = ends.assign(delta=from_the_honest_file(ends, metric))
        medians = ends.groupby(["setting", "experiment"], observed=True)["delta"].median().unstack()
        order = [mechanism.setting for mechanism in settings_in(ends)]
        medians = medians.loc[order, list(dict.fromkeys(ends["experiment"].astype(str)))]
        table = medians.rename(index=lambda id: of_setting(id).title, columns=self._label)
        if len(table.columns) > _UPRIGHT:
            named = table.rename(index=lambda name: narrow(name, _NAME))
            figure = draw_heat(named, words=short, slanted=90.0)
            (ax,) = figure.axes
            # Above the names of rows, where it costs the cells no width.
            ax.set_ylabel("Leaderboard", rotation=0, ha="right", va="bottom")
            ax.yaxis.set_label_coords(-0.02, 1.01)
            for text in (*ax.texts, *ax.get_yticklabels()):
                text.set(fontsize=8, linespacing=0.95)
        else:
            figure = draw_heat(table, words=short)
        self._tell(figure, ends, medians)
        made = ends.groupby("experiment", observed=True)["submissions"].max()
        spans = sorted({f"{int(count):,}" for count in made})
        replicates = captions.replicates(
            ends.groupby(["experiment", "setting"], observed=True)["replicate"].nunique()
        )
        honest = (
            "Attacks with arbitrary numbers count from the public score of their honest file. "
            if has_honest
            else ""
        )
        return Picture(
            figure,
            f"{self._finding(table)}"
            f"Cells: median {metric.delta_name} after {' or '.join(spans)} submissions. "
            f"{captions.meaning(metric)} "
            f"{honest}Darker: further below 0. Medians of {replicates}. "
            f"Data: {captions.data(rows)}.",
        )

    def _finding(self, table: pd.DataFrame) -> str:
        """Where the best attack gets furthest, and where least; "" for a single board."""
        best = table.min(axis=1).dropna()
        if len(best) < 2:  # noqa: PLR2004
            return ""
        most, least = best.idxmin(), best.idxmax()
        return (
            f"The best attack reaches most on {most}, {signed(best[most])}, and least on {least}, "
            f"{signed(best[least])}. "
        )

    def _tell(self, figure, ends: pd.DataFrame, medians: pd.DataFrame) -> None:
        """Put what each cell says into the figure."""
        import numpy as np

        from shakedown.figures.cells import Cell, measured
        from shakedown.leaderboard.mechanism import of_setting
        from shakedown.simulation.quantiles import quantile_interval

        places = [list(map(str, side)) for side in (medians.index, medians.columns)]
        for names, own in ends.groupby(["setting", "experiment"], observed=True):
            setting, experiment = map(str, names)
            values = np.sort(own["delta"].to_numpy(float))
            cell = dict(
                zip(
                    ("delta", "delta_low", "delta_high"),
                    quantile_interval(values, 0.5),
                    strict=True,
                )
            )
            cell |= {
                "submissions": own["submissions"].max(),
                "replicates": own["replicate"].nunique(),
            }
            lines = [of_setting(setting).title, self._label(experiment), *measured(cell)]
            place = places[0].index(setting), places[1].index(experiment)
            figure.axes[0].add_patch(Cell(*place, lines))

    def _label(self, experiment: str) -> str:
        return self.labels.get(experiment, experiment.replace("_", " "))

    def _ends(self, rows):
        """The rows of each experiment's last point within the submissions."""
        if self.submissions is not None:
            rows = rows[(rows["submissions"] <= self.submissions).to_numpy(dtype=bool)]
        if rows.empty:
            raise InputError(
                f"figure kind {self.name!r}: no attack has a point with {self.submissions} "
                "submissions or fewer. Choose a larger `submissions`."
            )
        last = rows.groupby("experiment", observed=True)["point"].transform("max")
        return rows[(rows["point"] == last).to_numpy(dtype=bool)]
