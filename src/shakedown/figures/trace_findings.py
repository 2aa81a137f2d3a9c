"""What came out of one attack: the sentences that captions of released scores open with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from shakedown.attacks.attack import attack_name
from shakedown.figures import panels
from shakedown.figures.findings import WITHOUT_SIGNAL
from shakedown.figures.selection import floats, rows_of, settings_in
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.wording import amount, capitalised, counted, listed, signed

if TYPE_CHECKING:
    import pandas as pd

#: So many scores at either end of a trace tell how noisy it is there.
_ENDS = 50
#: Noise that is so many times larger at the end has grown.
_GROWN = 2.0


def picks(rows: pd.DataFrame) -> str:
    """Which features an attack without iterations takes on each board; "" if there is none."""
    parts = rows[rows["iteration"].isna().to_numpy(dtype=bool)]
    if parts.empty:
        return ""
    best = "luckiest" if set(parts["design"].astype(str)) <= set(WITHOUT_SIGNAL) else "best"
    name = attack_name(str(parts["attack"].iloc[0]))
    exact: set[str] = set()
    noisy: list[float] = []
    words = []
    for setting, own in _each(parts):
        chosen = own[(own["selected"] == 1).to_numpy(dtype=bool)]
        taken, features = np.sort(floats(chosen["submission"])), set(chosen["feature"])
        jump, many = last_jump(own), f"{taken.size:,}"
        if setting.is_noisy and exact:
            same = len(exact & features)
            words.append(
                f"On {setting.title} noise decides: {same:,} of the {many} taken are among the "
                f"{len(exact):,} {best}."
            )
        elif setting.is_noisy:
            noisy += [*taken[[0, -1]]]
        elif jump and np.array_equal(taken, jump + np.arange(taken.size)):
            levels = counted(own["released"].nunique(), "score")
            words.append(
                f"{setting.title} shows only {levels}, so {name} takes the {many} features from "
                "the last jump on."
            )
        else:
            words.append(
                f"On {setting.title} {name} takes the {many} {best} of {len(own):,} features."
            )
            exact = features if setting.replaces_always else exact
    if noisy:
        words.append(
            f"On boards with noise {name} takes features from anywhere between submissions "
            f"{min(noisy):,.0f} and {max(noisy):,.0f}."
        )
    return " ".join(words)


def last_jump(rows: pd.DataFrame) -> int | None:
    """Submission, from 1, at which the released score of a trace last changed; None if never."""
    ordered = rows.sort_values("submission")
    changed = ordered["released"].diff().fillna(0) != 0
    return int(ordered.loc[changed, "submission"].iloc[-1]) if changed.any() else None


def iterations(rows: pd.DataFrame) -> str:
    """How an attack with iterations went: where it ended, or how far the released score improved.

    "" if no attack has iterations, or if there is a signal and all boards saw as many iterations.
    """
    parts = rows[rows["iteration"].notna().to_numpy(dtype=bool)]
    if parts.empty:
        return ""
    if parts.groupby("setting")["iteration"].max().nunique() > 1:
        return _endings(parts)
    if set(rows["design"].astype(str)) <= set(WITHOUT_SIGNAL):
        return _falls(parts)
    return ""


def _endings(rows: pd.DataFrame) -> str:
    """After how many iterations an attack ended on each board, the shortest first."""
    ends = {setting: int(floats(own["iteration"]).max()) for setting, own in _each(rows)}
    noise = {setting: _growth(setting, own) for setting, own in _each(rows)}
    first, *others = sorted(ends, key=ends.__getitem__)
    rest = listed([f"after {ends[s]} on {s.title}{noise[s]}" for s in others])
    name = attack_name(str(rows["attack"].iloc[0]))
    return (
        f"{capitalised(name)} ends after {counted(ends[first], 'iteration')} on "
        f"{first.title}{noise[first]}, {rest}."
    )


def _growth(setting: Mechanism, rows: pd.DataFrame) -> str:
    """How the noise of a board grew, after a comma; "" if it did not."""
    shown = floats(rows.sort_values("submission")["released"])
    begin, end = noise_sd(shown[:_ENDS]), noise_sd(shown[-_ENDS:])
    if not setting.is_noisy or end < _GROWN * begin:
        return ""
    return f", whose noise grows (standard deviation {amount(begin, 2)} to {amount(end, 2)})"


def _each(rows: pd.DataFrame) -> Iterator[tuple[Mechanism, pd.DataFrame]]:
    """Each board with its rows."""
    return ((setting, rows_of(rows, setting)) for setting in settings_in(rows))


def _falls(rows: pd.DataFrame) -> str:
    """How far the best released score improves where nothing can be learned; "" if nowhere.

    Noise hides the jumps where it is larger than the mean score's gain from one iteration to the
    next.
    """
    metric = panels.metric_of(rows)
    sign = 1 if metric.larger_is_better else -1
    moves, hidden, still = [], [], []
    for setting, own in _each(rows.sort_values("submission")):
        shown, iteration = floats(own["released"]), floats(own["iteration"])
        count = iteration.max()
        ends = [sign * shown[iteration == at] for at in (1, count)]
        gain = ends[1].mean() - ends[0].mean()
        noise = noise_sd(shown) if setting.is_noisy else 0.0
        first, end = (sign * scores.max() for scores in ends)
        if noise > gain / max(count - 1, 1):
            hidden.append(f"on {setting.title}")
        elif sign * (end - first) > 0 and signed(first) != signed(end):
            moves.append(f"from {signed(first)} to {signed(end)} on {setting.title}")
        else:
            still.append(setting.title)
    if not moves:
        return ""
    verb = "rises" if metric.larger_is_better else "falls"
    rest = f", not on {listed(still)}" if still else ""
    noise = (
        f" Noise hides most jumps {listed(hidden)}. On any board with noise, where a jump is "
        "hidden, a wrong feature is taken and the next scores can be worse."
        if hidden
        else ""
    )
    return (
        f"Although nothing can be learned, the best {metric.label} released to "
        f"{attack_name(str(rows['attack'].iloc[0]))} {verb} between its first iteration and its "
        f"last: {listed(moves)}{rest}.{noise}"
    )


def noise_sd(shown: np.ndarray) -> float:
    """Standard deviation of the noise: steps from one score to the next have twice its variance.

    The median of the steps leaves out those at jumps.
    """
    return float(np.median(np.abs(np.diff(shown))) / 0.6745 / np.sqrt(2))
