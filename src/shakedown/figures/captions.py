"""What a figure shows, in words for a reader in a hurry."""

from __future__ import annotations

import numpy as np
import pandas as pd

from shakedown.figures import panels
from shakedown.figures.bounds import bounds_caption
from shakedown.figures.boxes import designs_of
from shakedown.figures.drawing import chosen
from shakedown.figures.growth_captions import growth_caption, trajectories_caption
from shakedown.figures.limits import budget_ends
from shakedown.figures.selection import floats, rows_of, settings_of
from shakedown.figures.traces import attacks_of, iterated, jump_of
from shakedown.wording import (
    YARDSTICKS,
    attack_name,
    board_name,
    count,
    counted,
    delta_formula,
    delta_name,
    design_name,
    larger_is_better,
    listed,
    metric_name,
    signed,
)

_BOXES = (
    "Boxes: median and quartiles; whiskers: the furthest value within 1.5 box heights; values "
    "beyond are not drawn."
)


def caption(kind: str, frame: pd.DataFrame, *, study: str, seed: int, **settings: object) -> str:
    """What a figure shows, over what, and how to read it.

    Parameters
    ----------
    kind, frame, **settings
        As for `shakedown.figures.draw`.
    study : str
        Name of the study.
    seed : int
        Its seed.

    Returns
    -------
    str
        A few plain sentences: what is plotted, the data and the design, the number of replicates,
        what boxes, lines and dots mean, study and seed.

    Raises
    ------
    InputError
        As for `shakedown.figures.draw`.
    """
    rows, own = chosen(kind, frame, settings)
    return f"{_CAPTIONS[kind](rows, **own)} Study {study}, seed {seed}."


def _traces(rows: pd.DataFrame, columns: int | None = None) -> str:
    shown = panels.one_of_each(rows, kind="traces", several=("attack", "board"))
    metric = metric_name(shown["metric"])
    parts = attacks_of(rows)
    attacks = [attack_name(str(part["attack"].iloc[0])) for part in parts]
    text = [
        f"Each dot is the {metric} that the board shows after one submission of "
        f"{' (left) or '.join(attacks)}{' (right)' * (len(parts) > 1)}, in one replicate."
    ]
    for part in parts:
        text += _iterated_trace(part) if iterated(part) else _plain_trace(part)
    if shown["metric"] in YARDSTICKS:
        text.append(f"Dashed line: {_yardstick(shown['metric'])}.")
    text.append(f"Data: {_data(shown)}.")
    return " ".join(text)


def _iterated_trace(part: pd.DataFrame) -> list[str]:
    last = int(floats(part["iteration"]).max())
    return [
        f"White and grey bands: the {count(last)} iterations; vertical lines: the submission "
        "whose feature was taken in each. A line at the left edge of a band means that no jump was "
        "found and the first submission was taken."
    ]


def _plain_trace(part: pd.DataFrame) -> list[str]:
    taken = max(int(rows_of(part, s)["selected"].sum()) for s in settings_of(part))
    text = [f"Large dots: the {taken} features with the best shown scores."]
    jumps = [(s, jump_of(rows_of(part, s), s)) for s in settings_of(part)]
    found = [f"{jump:,} for {s.label}" for s, jump in jumps if jump is not None]
    if found:
        text.append(f"Dotted line: the last jump of the shown score (submission {listed(found)}).")
    return text


def _boxes(rows: pd.DataFrame, layout: str = "rows") -> str:
    several = ("design",) if layout == "rows" else ()
    shown = panels.one_of_each(rows, kind="boxes", several=several)
    shown["design"] = designs_of(rows)
    metric = metric_name(shown["metric"])
    both = layout == "rows"
    here, there = ("left", "right") if len(shown["design"]) == 1 else ("above", "below")
    text = (
        f"Public and final {metric}{f' ({here}) and their difference Δ ({there})' * both} of the "
        f"model that {attack_name(shown['attack'])} ends with, {_growth(rows)}."
    )
    known = shown["metric"] in YARDSTICKS
    lines = [_yardstick(shown["metric"]) + f" ({here})" * both] if known else []
    lines += [f"Δ = 0 ({there})"] * both
    return " ".join(
        [text]
        + ([_meaning(rows, shown)] if both else [])
        + [_replicates(rows, shown), _BOXES]
        + ([f"Dashed line{'s' * (len(lines) > 1)}: {listed(lines)}."] if lines else [])
    )


def _delta(rows: pd.DataFrame) -> str:
    shown = panels.one_of_each(rows, kind="delta")
    return " ".join(
        [
            f"{delta_name(shown['metric'])} of the model that {attack_name(shown['attack'])} "
            f"ends with, {_growth(rows)}.",
            *(_meaning(rows, shown), _replicates(rows, shown), _BOXES, "Dashed line: Δ = 0."),
        ]
    )


def _grid(rows: pd.DataFrame, value: str = "delta") -> str:
    shown = panels.one_of_each(rows, kind="grid")
    metric = metric_name(shown["metric"])
    what = {
        "delta": delta_name(shown["metric"]),
        "score_public": f"Public {metric}",
        "scores": f"Public (filled) and final (hollow) {metric}",
    }[value]
    dashed = value == "delta" or shown["metric"] in YARDSTICKS
    line = "Δ = 0" if value == "delta" else _yardstick(shown["metric"]) if dashed else ""
    return " ".join(
        [
            f"{what} of the model that {attack_name(shown['attack'])} ends with, "
            f"{_growth(rows)}. A mechanism without b is repeated in each row of panels.",
            *([_meaning(rows, shown)] if value == "delta" else []),
            *(_replicates(rows, shown), _BOXES),
            *([f"Dashed line: {line}."] if dashed else []),
        ]
    )


def _limits(rows: pd.DataFrame, threshold: float = -0.05) -> str:
    shown = panels.one_of_each(rows, kind="limits")
    ends = budget_ends(rows)
    kinds = ends.groupby("budget")[["n_features", "iterations"]].first()
    spent = [
        f"{budget:,.0f} = {counted(int(row.iterations), 'iteration')} over {row.n_features:,.0f}"
        for budget, row in kinds.iterrows()
        if pd.notna(row.iterations)
    ]
    budgets = f" ({'; '.join(spent)} features)" if spent else ""
    return " ".join(
        [
            f"{delta_name(shown['metric'])} after {attack_name(shown['attack'])} with the number "
            f"of submissions on the axis{budgets}.",
            _meaning(rows, shown),
            f"A number of submissions is safe while the median stays above the line at "
            f"{signed(threshold)}.",
            *(_replicates(rows, shown), _BOXES, "Dashed line: Δ = 0."),
        ]
    )


def _spread(rows: pd.DataFrame, view: str = "histograms") -> str:
    releases = int(rows.groupby(["prediction", "b"]).size().min())
    scores = f"Scores that LadderBoot releases for one and the same prediction, {releases:,} times"
    meaning = "b is the number of bootstrap replications that a released score is the mean of."
    if view == "histograms":
        return (
            f"{scores} for each panel: the fewer bootstrap replications b, the wider. {meaning} "
            "The best prediction stands above; the axes of one column are equally wide. Line: the "
            "actual score; sd: standard deviation."
        )
    return (
        f"{scores} for each box (above), and their standard deviation (below, logarithmic axis): "
        f"the better the prediction, the steadier its score. {meaning} "
        f"Horizontal lines: the actual scores. {_BOXES}"
    )


_CAPTIONS = {
    "traces": _traces,
    "boxes": _boxes,
    "delta": _delta,
    "grid": _grid,
    "limits": _limits,
    "spread": _spread,
    "growth": growth_caption,
    "trajectories": trajectories_caption,
    "bounds": bounds_caption,
}


def _yardstick(metric: str) -> str:
    score, meaning = YARDSTICKS[metric]
    return f"{metric_name(metric)} {score:g}, the {meaning}"


def _data(shown: dict[str, str | None]) -> str:
    designs = shown["design"] if isinstance(shown["design"], list) else [shown["design"]]
    return f"{shown['dataset']}, {listed([design_name(d) for d in designs])}"


def _growth(rows: pd.DataFrame) -> str:
    step, _ = panels.step_column(rows)
    values = np.unique(floats(rows[step].dropna()))
    first, last = int(values[0]), int(values[-1])
    span = f"{first} to {last}" if last > first else f"{last}"
    if step == "iterations":
        return f"after {span} iteration{'s' * (last > 1)}"
    return f"made of the k = {span} features with the best shown scores"


def _meaning(rows: pd.DataFrame, shown: dict[str, str | None]) -> str:
    formula = delta_formula(larger_is_better(rows))
    return f"Δ = {formula}; below 0 the public score flatters the model: overfit."


def _replicates(rows: pd.DataFrame, shown: dict[str, str | None]) -> str:
    per_box = rows.groupby("mechanism")["replicate"].nunique()
    low, high = int(per_box.min()), int(per_box.max())
    number = counted(high, "replicate") if low == high else f"{low:,} to {high:,} replicates"
    features = np.unique(floats(rows["n_features"].dropna()))
    over = f", {features[0]:,.0f} features" if features.size == 1 else ""
    iterations = rows["iterations"].notna().any()
    board = f", {board_name(shown['board'])}" if shown["board"] and iterations else ""
    return f"Data: {_data(shown)}{over}; {number} per box{board}."
