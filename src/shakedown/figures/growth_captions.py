"""What the figures over submissions show, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from shakedown.figures.curves import points
from shakedown.figures.growth import GROWING, INDEPENDENT, SYMBOLS, Drawn, drawn, quartiles
from shakedown.figures.selection import only
from shakedown.figures.style import Setting
from shakedown.figures.trajectories import KIND as TRAJECTORIES
from shakedown.figures.trajectories import parts_of
from shakedown.growth import Estimate, Growth
from shakedown.wording import (
    YARDSTICKS,
    attack_name,
    counted,
    delta_formula,
    delta_name,
    design_name,
    larger_is_better,
    listed,
    metric_name,
    signed,
    signed_amount,
)


def growth_caption(
    frame: pd.DataFrame,
    *,
    value: str = "score_released",
    curves: Sequence[Mapping[str, object]] | None = None,
    accuracy: bool = False,
    scale: str = "linear",
    fits: Sequence[str] = (),
    rows: Mapping[str, int] | None = None,
    after: str | None = None,
) -> str:
    """How to read the figure; parameters as `growth`."""
    shown = drawn(frame, value=value, curves=curves, accuracy=accuracy, fits=fits, rows=rows)
    parts = pd.concat([curve.rows for curve in shown.curves])
    metric = "accuracy" if accuracy else metric_name(shown.metric)
    mark = "Markers" if fits else "Lines"
    text = [
        _what(value, parts, shown.metric, metric),
        f"{mark}: medians; bands: between the quartiles of {_replicates(shown)}."
        if shown.has_bands
        else f"{mark}: medians of {_replicates(shown)}.",
        _ends(value, shown),
    ]
    if fits:
        text += _laws(shown, fits)
    if value.startswith("score") and shown.metric in YARDSTICKS:
        text.append(f"Dashed line: {_yardstick(shown.metric, accuracy=accuracy)}.")
    if scale == "log" and value in GROWING:
        text.append("Both axes are logarithmic; a value of 0 or below has no place there.")
    return " ".join([*text, *_after(after), f"Data: {_data(parts, rows)}."])


def trajectories_caption(
    frame: pd.DataFrame,
    *,
    accuracy: bool = False,
    lines: int = 20,
    rows: Mapping[str, int] | None = None,
    after: str | None = None,
) -> str:
    """How to read the figure; parameters as `trajectories`."""
    parts = parts_of(frame, accuracy=accuracy, lines=lines)
    whole = pd.concat([part for _, part in parts])
    metric = str(only(frame, "metric", kind=TRAJECTORIES))
    name = "accuracy" if accuracy else metric_name(metric)
    most = max(part["replicate"].nunique() for _, part in parts)
    which = f"one of the first {lines:,} replicates" if most > lines else "one replicate"
    text = [
        f"Each line is {which} of {_attacks(whole)}: coloured, the {name} that the board shows for "
        f"the participant's submission after k submissions; grey, its actual public "
        f"{name}."
    ]
    text += [_end_of(setting, part, rows, accuracy=accuracy) for setting, part in parts]
    if metric in YARDSTICKS:
        steps = any(setting.eta is not None for setting, _ in parts)
        text.append(
            f"Dashed line: {_yardstick(metric, accuracy=accuracy)}"
            + ("; dotted lines: one step η of the board above and below it." if steps else ".")
        )
    return " ".join([*text, *_after(after), f"Data: {_data(whole, rows)}."])


def _what(value: str, parts: pd.DataFrame, metric: str, name: str) -> str:
    attacks = _attacks(parts)
    larger = larger_is_better(parts)
    ending = f"of the submission that {attacks} ends with after k submissions"
    return {
        "scores": f"The {name} that the board shows for the submission that {attacks} ends with "
        f"after k submissions, and its {name} on the independent test set.",
        "score_released": f"The {name} that the board shows for the submission that {attacks} "
        "ends with after k submissions.",
        "score_public": f"Public {name} {ending}.",
        "score_final": f"Final {name} {ending}.",
        "delta": f"{delta_name(metric)} = {delta_formula(larger)} {ending}; below 0 the public "
        "score flatters it: overfit.",
        "bias": f"How much the public {name} flatters, "
        f"{'public − final' if larger else 'final − public'}, {ending}.",
        "leaderboard_error": "Leaderboard error (Blum & Hardt, 2015, Definition 2.1) after k "
        f"submissions of {attacks} and the one that it ends with: the largest distance so far "
        f"between what the board shows and the {'largest' if larger else 'lowest'} true {name} "
        "among the submissions.",
    }[value]


def _ends(value: str, shown: Drawn) -> str:
    """The median of each curve at its last point."""
    told = signed_amount if value in GROWING else lambda v: signed(v, 3)
    curves = [(curve.label, *of) for curve, of in zip(shown.curves, shown.values, strict=True)]
    if shown.final:
        curves.append((INDEPENDENT.lower(), *shown.final))
    last = {float(k[-1]) for _, k, _ in curves}
    words = [
        f"{label} {told(float(quartiles(values)[1][-1]))}"
        + (f" (k = {k[-1]:,.0f})" if len(last) > 1 else "")
        for label, k, values in curves
    ]
    where = f" (k = {last.pop():,.0f})" if len(last) == 1 else ""
    return f"Medians at the end{where}: {'; '.join(words)}."


def _laws(shown: Drawn, laws: Sequence[str]) -> list[str]:
    words = [
        f"{curve.label}: {_law(fit, laws)}"
        for curve, fit in zip(shown.curves, shown.fitted, strict=True)
    ]
    return [
        "Broken lines: the laws that the legend names, by least squares through the origin on the "
        f"medians, n = {shown.rows:,} public rows.",
        f"{'. '.join(words)}. In brackets: 95 % intervals, from resampled replicates.",
    ]


def _law(fit: Growth, laws: Sequence[str]) -> str:
    best = min(laws, key=fit.residuals.__getitem__)
    others = [law for law in laws if law != best]
    left = f"{_estimate(fit.constants[best])} {SYMBOLS[best]} leaves {_share(fit.residuals[best])}"
    left += " of the sum of squares unexplained"
    for law in others:
        left += f", {SYMBOLS[law]} {_share(fit.residuals[law])}"
    if np.isnan(fit.exponent.value):
        return left
    return f"{left}; a free power of k has the exponent {_estimate(fit.exponent)}"


def _share(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def _estimate(estimate: Estimate) -> str:
    if np.isnan(estimate.low):
        return signed_amount(estimate.value)
    low, high = signed_amount(estimate.low), signed_amount(estimate.high)
    return f"{signed_amount(estimate.value)} [{low}, {high}]"


def _end_of(
    setting: Setting, part: pd.DataFrame, rows: Mapping[str, int] | None, *, accuracy: bool
) -> str:
    """What the boards of one panel show in the end."""
    k, values = points(part, "score_released", kind=TRAJECTORIES)
    column = "shows"
    if not np.isfinite(values).any():  # a board without scores
        k, values = points(part, "score_public", kind=TRAJECTORIES)
        column = "shows no score; the public one is"
    end = values[:, -1][np.isfinite(values[:, -1])]
    end = 1 - end if accuracy else end
    n = _rows_of(part, rows)
    where = f", n = {n:,}" if n else ""
    return (
        f"{setting.label}{where}: after {k[-1]:,.0f} submissions the board {column} "
        f"{signed(float(np.median(end)), 3)} in the median of {counted(end.size, 'replicate')}, "
        f"{signed(float(end.min()), 3)} to {signed(float(end.max()), 3)} in all."
    )


def _replicates(shown: Drawn) -> str:
    numbers = {len(values) for _, values in shown.values}
    low, high = min(numbers), max(numbers)
    return counted(high, "replicate") if low == high else f"{low:,} to {high:,} replicates"


def _attacks(parts: pd.DataFrame) -> str:
    return " or ".join(attack_name(a) for a in dict.fromkeys(parts["attack"].astype(str)))


def _yardstick(metric: str, *, accuracy: bool) -> str:
    at, meaning = YARDSTICKS[metric]
    if accuracy:
        at, meaning = 1 - at, meaning.replace("loss", "accuracy")
    return f"{at:g}, the {meaning}"


def _after(after: str | None) -> list[str]:
    return [f"Drawn after {after}."] if after else []


def _data(parts: pd.DataFrame, rows: Mapping[str, int] | None) -> str:
    designs = [design_name(d) for d in dict.fromkeys(parts["design"].astype(str))]
    names = parts["dataset"].astype(str)
    words = []
    for name in dict.fromkeys(names):
        n = _rows_of(parts[(names == name).to_numpy(dtype=bool)], rows)
        words.append(f"{name} (n = {n:,} public rows)" if n else name)
    return f"{listed(words)}, {listed(designs)}"


def _rows_of(part: pd.DataFrame, rows: Mapping[str, int] | None) -> int | None:
    return (rows or {}).get(str(part["dataset"].iloc[0]))
