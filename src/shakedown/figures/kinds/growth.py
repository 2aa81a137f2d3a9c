"""Scores or errors against the number of submissions, a line per setting ([B] Fig. 1, [Z])."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from shakedown.component import parameter
from shakedown.figures import captions, findings
from shakedown.figures.curves import along, coinciding, name_ends, named_curves, tick
from shakedown.figures.kind import CurveKind, Picture, note_parameter
from shakedown.figures.panels import REFERENCE_LINE, metric_of
from shakedown.figures.selection import floats, settings_in
from shakedown.figures.style import MARKERS, PAGE_WIDTH, REFERENCE, by_order, line_colour
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.seeding import stream
from shakedown.theory.growth import LAWS, Growth, fit_growth
from shakedown.wording import amount, capitalised, counted, signed, signed_amount

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shakedown.metrics import Metric

#: What starts at 0 and grows, so that a law can be fitted to it.
GROWING = ("bias", "leaderboard_error")

TEST_SET = "Independent test set"
MOST_BANDS = 5

# The papers' colours, and orange, in a lightness of its own each, so that they stay apart in grey.
COLOURS = {
    "blue": "#1B3A93", "red": "#CB3A2A", "green": "#4FA64F", "orange": "#E39B00",
    "black": "#222222",
}  # fmt: skip

# How labels and captions call the laws, and their dashes.
_LAWS = {"sqrt_k": ("√(k/n)", (0, (6, 2))), "sqrt_log_k": ("√(log k / n)", (0, (1, 1.3)))}

# By value: what the y-axis says, and what the caption calls it.
_SHOWN = "the {name} that the board shows if the attack ends after so many submissions"
_OF_END = "of the attack's final submission, after so many submissions"
_WORDS = {
    "scores": (
        "{Name} of the participant's submission",
        f"{_SHOWN}; {TEST_SET}: the true {{name}} of the same submissions, all boards together",
    ),
    "score_released": ("{Name} that the board shows", _SHOWN),
    "score_public": ("Public {name}", f"the public {{name}} {_OF_END}"),
    "score_final": ("Final {name}", f"the final {{name}} {_OF_END}"),
    "delta": ("{axis}", f"{{delta}} {_OF_END}; below 0 the public score flatters it: overfit"),
    "bias": (
        "Bias of the {name}\n({gap})",
        "how much the public {name} flatters the attack's final submission, after so many "
        "submissions (bias = −Δ)",
    ),
    "leaderboard_error": ("Leaderboard error ({name})", "the leaderboard error, which is {error}"),
}  # fmt: skip


class GrowthFigure(CurveKind):
    """Medians or means over the replicates against submissions, and bands between the quartiles.

    With "scores" the layout is that of Fig. 1 of [B], with accuracies and `curves` that of Fig. 1
    of [Z].
    """

    name: ClassVar[str] = "growth"
    label: ClassVar[str] = "Growth"
    sentence: ClassVar[str] = "A score or an error against the number of submissions."
    source: ClassVar[str] = "[B] Fig. 1, [Z] Fig. 1"
    order: ClassVar[float] = 7

    value: Literal[
        "scores", "score_released", "score_public", "score_final", "delta", "bias",
        "leaderboard_error",
    ] = parameter(
        "score_released",
        description=(
            "What is shown.  scores, what the board shows for the participant's submission, and "
            "its final score as one more line; bias, how much the public score flatters, which "
            "is −Δ."
        ),
    )  # fmt: skip
    curves: list[dict[str, Any]] | None = parameter(
        None,
        min_length=1,
        description=(
            "The lines, each by its mechanism (or setting) and by the experiment and parameters "
            "that tell it from others, with its words, label; null for one per experiment and "
            "setting."
        ),
    )
    average: Literal["median", "mean"] = parameter(
        "median", description="Which average over the replicates is drawn."
    )
    scale: Literal["linear", "log"] = parameter("linear", description="Scale of both axes.")
    fits: list[Literal["sqrt_k", "sqrt_log_k"]] = parameter(
        [],
        description=(
            "Laws to fit to the medians of a bias or an error after k submissions on n public "
            "rows, each times a constant; sqrt_k, the root of k/n; sqrt_log_k, the root of "
            "log(k)/n.  The one that leaves least is drawn, all are told in the caption."
        ),
    )
    colours: dict[str, Literal["blue", "red", "green", "orange", "black"]] = parameter(
        {},
        description=(
            f"Colours that a paper gives to lines, by the words of the line ({TEST_SET} for the "
            "final score); all others have the colour of their mechanism."
        ),
    )

    note: str = note_parameter()

    @model_validator(mode="after")
    def _together(self) -> GrowthFigure:
        if self.fits and (self.value not in GROWING or self.average != "median"):
            raise ValueError(
                f"laws are fitted to medians of {' or '.join(GROWING)}, got the {self.average} of "
                f"{self.value}. Leave out `fits`, or choose another value."
            )
        if self.accuracy and not self.value.startswith("score"):
            raise ValueError(
                f"an accuracy is 1 - a score, got {self.value}. Leave out `accuracy`, or choose "
                "another value."
            )
        for curve in self.curves or []:
            if not {"mechanism", "setting"} & set(curve):
                raise ValueError(f"a curve needs its `mechanism` or its `setting`, got {curve}.")
        return self

    @property
    def column(self) -> str:
        """The column that it shows; a bias is −Δ."""
        return {"scores": "score_released", "bias": "delta"}.get(self.value, self.value)

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*super().needs, "score_released", self.column]))

    @property
    def choices(self):
        return {f"curves[{i}]": curve for i, curve in enumerate(self.curves or [])}

    def check_public_rows(self, known):
        unknown = [name for name, n in (known | (self.rows or {})).items() if n is None]
        if self.fits and unknown:
            raise InputError(
                f"figure kind {self.name!r}: laws need the number of public rows of {unknown[0]}. "
                f"Give it in the figure's entry: rows: {{{unknown[0]}: <number of public rows>}}."
            )

    def check(self, rows):
        """Besides, laws need the number of public rows."""
        super().check(rows)
        self.check_public_rows({str(rows["dataset"].iloc[0]): None})

    def picture(self, rows):
        import seaborn as sns
        from matplotlib.figure import Figure

        metric = metric_of(rows)
        n = (self.rows or {}).get(str(rows["dataset"].iloc[0]))
        table = self._table(rows)
        lines = self._averages(table)
        colours = self._colours(table)
        fitted = self._fitted(table, n) if self.fits else {}
        has_bands = len(colours) <= MOST_BANDS
        name = "accuracy" if self.accuracy else metric.label
        words = {
            "name": name,
            "Name": capitalised(name),
            "gap": "public − final" if metric.larger_is_better else "final − public",
            "error": captions.leaderboard_error(metric),
            "axis": metric.delta_axis,
            "delta": f"{metric.delta_name} = {metric.delta_formula}",
        }
        axis, what = (text.format(**words) for text in _WORDS[self.value])

        names = len(colours) + len(fitted)
        figure = Figure(figsize=(PAGE_WIDTH, max(4.0, 0.8 + 0.2 * names)), layout="constrained")
        ax = figure.subplots()
        self._set_axes(ax, lines)
        style = {"x": "k", "y": "middle", "hue": "curve", "style": "curve", "palette": colours}
        shapes = {curve: by_order(i, MARKERS) for i, curve in enumerate(colours)}
        if fitted:  # a line through the medians would hide the laws
            sns.scatterplot(lines, **style, markers=shapes, s=28, legend=False, ax=ax)
        else:
            # Dashes show a line that lies under another, and markers tell them apart in grey.
            sns.lineplot(
                lines, **style, markers=shapes, markersize=7, linewidth=1.6, estimator=None,
                legend=False, ax=ax,
            )  # fmt: skip
            for i, (line, label) in enumerate(zip(ax.lines, colours, strict=True)):
                line.set_label(label)
                # Those of lines that coincide do not hide each other.
                line.set_markevery((0.12 * i / len(colours), 0.12))
        ends, marks, same = {}, {}, {} if fitted else coinciding(ax, lines)
        if self.value in ("delta", "bias") and self.scale == "linear":
            ax.axhline(0, **REFERENCE_LINE, zorder=1.5)
        yardstick = self.yardstick(metric) if self.value.startswith("score") else None
        if yardstick:
            at, meaning = yardstick
            ax.axhline(at, **REFERENCE_LINE, zorder=1.5)
            ends[f"{at:g}: {meaning}"] = (ax.get_xlim()[1], at, REFERENCE)
        for label, part in lines.groupby("curve"):
            name = label
            if label in fitted:
                law = self._draw_law(ax, part["k"].max(), fitted[label], n, colours[label])
                name = f"{label}\nline: {law}"
            if label not in same:
                others = {other: sign for other, (to, sign) in same.items() if to == label}
                name = "\n".join([name, *(f"{sign} {other}" for other, sign in others.items())])
                marks[name] = [(shapes[curve], colours[curve]) for curve in (label, *others)]
                ends[name] = (*part[["k", "middle"]].iloc[-1], colours[label])
            if has_bands:
                bands = {"color": colours[label], "alpha": 0.15, "linewidth": 0, "zorder": 1.8}
                ax.fill_between(part["k"], part["low"], part["high"], **bands)
        ax.set(xlabel="Submissions (k)" if fitted else "Submissions", ylabel=axis)
        name_ends(ax, ends, marks)

        replicates = captions.replicates(table.groupby("curve")["replicate"].nunique())
        text = [
            self._say_ends(lines, metric),
            self._say_fits(fitted),
            f"{'Markers' if fitted else 'Lines'} ({self.average}s of {replicates}): {what}.",
            "Bands: between the quartiles." * has_bands,
        ]
        if fitted:
            better = "the better of two laws" if len(self.fits) > 1 else "a law"
            text.append(
                f"Lines: {better} times a constant. How far a law is off: the root mean square of "
                "its differences from the medians, divided by the root mean square of the medians."
            )
        if self.scale == "log" and (lines["middle"] <= 0).any():
            text.append("The axes are logarithmic, so values of 0 or below are not drawn.")
        text += [*captions.attacks_say(table), self.note]
        text += [*captions.after(self.after), f"Data: {captions.data(table, self.rows)}."]
        shown = " ".join(colours)
        text += [
            said for said in captions.parameters(settings_in(table)) if said.split(":")[0] in shown
        ]
        return Picture(figure, " ".join(filter(None, text)))

    def _table(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Outcomes of all curves: curve, point, k, replicate, value, and what they had."""
        import pandas as pd

        table = named_curves(rows, self.column, self.curves, kind=self.name)
        table = along(table, ["curve"], kind=self.name)
        table["value"] = floats(table[self.column]) * (-1 if self.value == "bias" else 1)
        if self.value == "scores":  # of all curves together
            final = floats(table["score_final"])
            table = pd.concat([table, table.assign(curve=TEST_SET, point=table["k"], value=final)])
        if self.accuracy:
            table["value"] = 1 - table["value"]
        return table.assign(curve=pd.Categorical(table["curve"], table["curve"].unique()))

    def _averages(self, table: pd.DataFrame) -> pd.DataFrame:
        """Average and quartiles of each curve along k: curve, k, point, low, middle, high."""
        values = table.groupby(["curve", "k", "point"])["value"]
        lines = values.quantile([0.25, 0.5, 0.75]).unstack()
        lines.columns = ["low", "middle", "high"]
        if self.average == "mean":
            lines["middle"] = values.mean()
        return lines.reset_index()

    def _colours(self, table: pd.DataFrame) -> dict[str, str]:
        """By curve, in their order: that of a paper, or of its mechanism."""
        settings = table.groupby("curve")["setting"].first()
        own = {curve: line_colour(of_setting(setting)) for curve, setting in settings.items()}
        own |= {TEST_SET: COLOURS["green"]} if TEST_SET in own else {}
        if unknown := [curve for curve in self.colours if curve not in own]:
            raise InputError(
                f"figure kind {self.name!r}: `colours` names the line {unknown[0]!r}; its lines "
                f"are {', '.join(own)}."
            )
        return own | {curve: COLOURS[word] for curve, word in self.colours.items()}

    def _fitted(self, table: pd.DataFrame, n: int) -> dict[str, Growth]:
        """The laws fitted to each curve."""
        fitted = {}
        for curve, part in table.groupby("curve"):
            values = part.pivot(index="replicate", columns=["k", "point"], values="value")
            values = values.sort_index(axis=1)
            k = values.columns.get_level_values("k")
            fitted[curve] = fit_growth(values.to_numpy(), k.to_numpy(), n, rng=stream(0, self.name))
        return fitted

    def _set_axes(self, ax: Axes, lines: pd.DataFrame) -> None:
        """Scales, limits and ticks; logarithmic axes hold every average above 0."""
        first, last = lines["k"].min(), lines["k"].max()
        ax.set_xlim(0, 1.02 * last)
        if self.scale == "log":
            highest = lines.groupby("curve")["middle"].max()
            if (highest <= 0).any():
                raise InputError(
                    f"figure kind {self.name!r}: no {self.average} of {highest.idxmin()} is above "
                    "0, so it has no place on a logarithmic axis. Choose scale: linear."
                )
            low = lines.loc[lines["middle"] > 0, "middle"].min()
            high = lines[["middle", "high"]].max().max()
            limits = {"xlim": (first / 1.2, 1.1 * last), "ylim": (0.7 * low, 1.25 * high)}
            ax.set(xscale="log", yscale="log", **limits)
            ax.grid(visible=True, axis="both")
            tick(ax.yaxis)
        tick(ax.xaxis)

    def _draw_law(self, ax: Axes, last: float, fit: Growth, n: int, colour: str) -> str:
        """Draw the law that leaves least; its formula."""
        law = self._best_first(fit)[0]
        words, dashes = _LAWS[law]
        constant = fit.constants[law].value
        # The logarithm of 1 is 0, which has no place on a logarithmic axis.
        k = np.geomspace(2 if self.scale == "log" and law == "sqrt_log_k" else 1, last, 200)
        ax.plot(k, constant * LAWS[law](k, n), color=colour, linestyle=dashes, linewidth=1.6)
        return f"{amount(constant, 2)} {words}"

    def _best_first(self, fit: Growth) -> list[str]:
        return sorted(self.fits, key=fit.residuals.__getitem__)

    def _say_ends(self, lines: pd.DataFrame, metric: Metric) -> str:
        """The average of each curve at its last point."""
        number = signed_amount if self.value in GROWING else lambda value: signed(value, 3)
        ends = lines.groupby("curve").tail(1)
        where = (
            f"after {counted(round(ends['k'].iloc[0]), 'submission')}"
            if ends["k"].nunique() == 1
            else "at the lines' ends"
        )
        reached = dict(zip(ends["curve"].astype(str), ends["middle"], strict=True))
        name = "accuracy" if self.accuracy else metric.label
        if self.value == "scores":
            return findings.beside_truth(reached, TEST_SET, where, name, average=self.average)
        sides = {"score_released": "shown", "score_public": "public", "score_final": "final"}
        words = {"delta": metric.delta_name, "bias": "bias"}.get(self.value, "leaderboard error")
        words = f"{sides[self.value]} {name}" if self.value in sides else words
        return findings.at_last_submission(reached, where, f"{self.average} {words}", number=number)

    def _say_fits(self, fitted: dict[str, Growth]) -> str:
        """How near the laws come to each curve; "" without laws."""
        off = {
            curve: {_LAWS[law][0]: fit.residuals[law] ** 0.5 for law in self._best_first(fit)}
            for curve, fit in fitted.items()
        }
        return findings.fits(off)
