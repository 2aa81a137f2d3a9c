"""What came out: the sentence that a caption opens with, from the numbers that its figure shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from shakedown.attacks.attack import Attack, attack_name
from shakedown.data.designs import PERMUTED_LABELS, design_label
from shakedown.figures import panels
from shakedown.figures.roles import Roles
from shakedown.figures.selection import floats, rows_of, settings_in
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.wording import counted, listed, percent, signed

if TYPE_CHECKING:
    import pandas as pd

#: Designs without a signal: what a model seems to gain there is overfit.
WITHOUT_SIGNAL = ("permuted", PERMUTED_LABELS)

#: Of more values than so many, a sentence has the largest and the smallest.
MANY = 4

#: A law fits well if it is off by no more than this share of the values.
WELL = 0.05


def too_good(rows: pd.DataFrame) -> str:
    """By how much the public score is too good on each mechanism, where most; "" for nan."""
    typed = rows.astype({"delta": float, "point": int, "design": str, "setting": str})
    medians = typed.groupby(["design", "setting", "point"], sort=False)["delta"].median().dropna()
    if medians.empty:
        return ""
    gaps = medians.mul(-1.0).rename("gap").reset_index()
    design_of, label_of = gaps["design"], gaps["setting"].map(lambda s: of_setting(s).label)
    attack, designs = panels.attack_of(rows), list(dict.fromkeys(design_of))
    words = []
    for label in dict.fromkeys(label_of):
        own = [gaps[(design_of == design) & (label_of == label)] for design in designs]
        own = [_up_to(part, attack) for part in own if len(part)]
        if len(own) == len(designs) > 1:
            own = [f"{gap} ({design_label(str(d))})" for gap, d in zip(own, designs, strict=True)]
        words.append(f"{listed(own)} on {label}")
    name = panels.metric_of(rows).label
    return f"The public {name} is too good by at most {listed(words)} (largest median)."


def _up_to(gaps: pd.DataFrame, attack: Attack) -> str:
    """The largest gap, and the point where it is; one below 0 is none."""
    most = gaps.loc[gaps["gap"].idxmax()]
    if most["gap"] <= 0.0:
        return signed(0.0)
    point = most["point"]
    is_size = attack.points_are_sizes
    where = f"{attack.point_name} = {point:,}" if is_size else counted(point, attack.point_name)
    return f"{signed(float(most['gap']))} ({where})"


def at_end(rows: pd.DataFrame) -> str:
    """The last point in words: "With k = 30 features" or "After 5 iterations"."""
    attack, end = panels.attack_of(rows), int(rows["point"].max())
    if attack.points_are_sizes:
        return f"With {attack.point_name} = {end:,} features"
    return f"After {counted(end, attack.point_name)}"


def range_of_medians(rows: pd.DataFrame, value: str) -> str:
    """Smallest and largest median at the last point of each mechanism, and where; "" for nan."""
    end = rows[(rows["point"] == rows["point"].max()).to_numpy(dtype=bool)]
    by_setting = end.astype({value: float, "setting": str}).groupby("setting", sort=False)
    medians = by_setting[value].median().dropna().sort_values(kind="stable")
    if medians.empty:
        return ""
    settings = {setting: of_setting(setting) for setting in medians.index}
    labels = list(dict.fromkeys(setting.label for setting in settings_in(rows)))
    words = []
    for label in labels:
        own = medians[[settings[setting].label == label for setting in medians.index]]
        if own.empty:
            continue
        ends = dict.fromkeys([own.index[0], own.index[-1]])
        said = " to ".join(f"{signed(own[end], 3)}{_in_brackets(settings[end])}" for end in ends)
        words.append(f"{label} {said}" if len(labels) > 1 else said)
    return f"Medians {at_end(rows)[0].lower()}{at_end(rows)[1:]}: {'; '.join(words)}."


def _in_brackets(setting: Mechanism) -> str:
    """The parameters of a setting, with a blank before them."""
    shown = ", ".join(text for text in map(setting.shown, setting.parameters) if text)
    return f" ({shown})" if shown else ""


def passing(ends: pd.DataFrame, threshold: float, *, kind: str) -> str:
    """From how many submissions on the median of each setting lies below a threshold."""
    settings = settings_in(ends)
    roles = Roles(settings, kind=kind)
    series: dict[str, dict[str, float | None]] = {}
    for setting in settings:
        own = rows_of(ends, setting).astype({"delta": float})
        medians = own.groupby("budget")["delta"].median()
        beyond = medians.index[medians < threshold]
        level = roles.shown(roles.level, setting.parameters.get(roles.level))
        series.setdefault(roles.series(setting), {})[level] = min(beyond, default=None)
    words = []
    for name, by_level in series.items():
        found = {level: k for level, k in by_level.items() if k is not None}
        if not found:
            words.append(f"{name} never does")
            continue
        at = [f"{k:,.0f}{f' ({level})' if level else ''}" for level, k in found.items()]
        never = [level for level, k in by_level.items() if k is None]
        rest = f", and never with {listed(never)}" if never else ""
        words.append(f"{name} at {listed(at)} submissions{rest}")
    return f"The median passes {signed(threshold)} as follows: {'; '.join(words)}."


def falls(rows: pd.DataFrame) -> str:
    """How far the shown score improves over an attack's iterations where nothing can be learned.

    "" if there is a signal, or no attack with iterations.
    """
    designs = set(rows["design"].astype(str))
    parts = rows[rows["iteration"].notna().to_numpy(dtype=bool)]
    if not designs <= set(WITHOUT_SIGNAL) or parts.empty:
        return ""
    metric = panels.metric_of(rows)
    moves, still = [], []
    for setting in settings_in(parts):
        own = rows_of(parts, setting).sort_values("submission")
        shown = floats(own["released"])
        iteration = floats(own["iteration"])
        first, end = shown[0], shown[iteration == iteration.max()].mean()
        gain = (end - first) * (1 if metric.larger_is_better else -1)
        if gain >= 0.01:  # noqa: PLR2004
            moves.append(f"from {signed(first)} to {signed(end)} on {setting.title}")
        else:
            still.append(setting.title)
    if not moves:
        return ""
    verb = "rises" if metric.larger_is_better else "falls"
    attack = attack_name(str(parts["attack"].iloc[0]))
    rest = f", not on {listed(still)}" if still else ""
    return (
        f"During {attack} the shown {metric.label} {verb} {listed(moves)}{rest}, although nothing "
        "can be learned."
    )


def beside_truth(
    ends: Mapping[str, float], truth: str, where: str, name: str, *, average: str
) -> str:
    """What boards show for a submission, beside its true score, the worst first."""
    true = ends[truth]
    shown = {board: value for board, value in ends.items() if board != truth}
    boards = sorted(shown, key=lambda board: -abs(shown[board] - true))
    first, *others = [f"{board} shows {signed(shown[board])}" for board in boards]
    rest = "".join(f"; {words}" for words in others)
    where = where[0].upper() + where[1:]
    return (
        f"{where} {first} for a submission whose true {name} is {signed(true)}{rest} ({average}s)."
    )


def at_last_submission(
    ends: Mapping[str, float], where: str, name: str, *, number: Callable[[float], str]
) -> str:
    """What several curves have reached, the largest value first; of many, the two extremes."""
    values: dict[str, list[str]] = {}
    for curve, value in sorted(ends.items(), key=lambda item: -item[1]):
        values.setdefault(number(value), []).append(curve)
    what = f"{name[0].upper()}{name[1:]} {where}"
    if len(values) > MANY:
        (top, first), *_, (low, last) = values.items()
        return f"{what}: most on {listed(first)}, {top}; least on {listed(last)}, {low}."
    return f"{what}: {'; '.join(f'{listed(curves)} {value}' for value, curves in values.items())}."


def fits(off: Mapping[str, Mapping[str, float]]) -> str:
    """Which curves a law fits well, and which none does; "" without curves.

    Parameters
    ----------
    off : mapping of str to mapping of str to float
        By curve: laws, the best first, and how far each is off, as a share of the values.
    """
    words = []
    for curve, laws in off.items():
        (best, least), *others = laws.items()
        if least <= WELL:
            words.append(f"{best} fits {curve} well (off by {percent(least)})")
            continue
        rest = "".join(f", {law} by {percent(more)}" for law, more in others)
        none = "neither law fits" if others else f"{best} does not fit"
        words.append(f"{none} {curve} well ({best} is off by {percent(least)}{rest})")
    said = "; ".join(words)
    return f"{said[0].upper()}{said[1:]}." if said else ""
