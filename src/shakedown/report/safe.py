"""How many submissions are safe: a sentence for each attack with several budgets."""

from __future__ import annotations

import math

import pandas as pd

from shakedown.figures.selection import PARAMETERS, settings_of
from shakedown.figures.style import CONTROLS, Setting, label
from shakedown.outcomes import MECHANISM
from shakedown.report.results import QUESTION, is_permuted, largest_budget
from shakedown.wording import attack_name, board_name, design_name, listed, metric_name, signed

_SYMBOLS = {"alpha": "α", "posterior_odds": "posterior odds", "eta": "η", "b": "b"}


def safe_submissions(summary: pd.DataFrame, *, threshold: float = -0.05) -> list[str]:
    """Up to how many submissions the median Δ stays above a threshold, board by board.

    An experiment answers this if its attack was played over several numbers of features that end
    with different numbers of submissions.  A number is safe if neither it nor a smaller one that
    was tried has a median Δ below the threshold; between two that were tried nothing is said.

    Parameters
    ----------
    summary : DataFrame
        As for `headline`.
    threshold : float
        The Δ that is accepted, in units of the metric.

    Returns
    -------
    list of str
        A sentence for each such data set, design, metric, attack and board; those with a permuted
        response first.
    """
    tried = summary[~summary["mechanism"].astype(str).isin(CONTROLS)]
    found = []
    for _, group in tried.groupby(list(QUESTION), observed=True, dropna=False, sort=False):
        if group["n_features"].nunique() < 2:
            continue
        budgets = group.groupby("n_features", observed=True)
        ends = pd.concat(largest_budget(part.reset_index(drop=True)) for _, part in budgets)
        if ends["submissions"].nunique() > 1:
            late = not is_permuted(str(ends["design"].iloc[0]))
            found.append((late, _sentence(ends, threshold)))
    return [text for _, text in sorted(found, key=lambda entry: entry[0])]


def _sentence(ends: pd.DataFrame, threshold: float) -> str:
    first = ends.iloc[0]
    numbers = sorted(int(n) for n in ends["submissions"].unique())
    answers: dict[float, list[Setting]] = {}
    for _, rows in ends.groupby(MECHANISM, observed=True, dropna=False, sort=False):
        answers.setdefault(_largest_safe(rows, threshold), []).extend(settings_of(rows))
    everything = settings_of(ends)
    bound = signed(threshold)
    kept, lost = [], []
    for safe, settings in sorted(answers.items()):
        names = listed(_names(settings, everything))
        if safe == -math.inf:
            lost.append(names)
        elif math.isinf(safe):
            kept.append(f"up to all {numbers[-1]:,} under {names}")
        else:
            noun = " submissions" * (not kept)
            kept.append(f"up to {safe:,}{noun} under {names}")
    board = f", {board_name('carried_on')}," if str(first["board"]) == "carried_on" else ""
    text = (
        f"{first['dataset']}, {design_name(str(first['design']))}: the median Δ of "
        f"{metric_name(str(first['metric']))} after {attack_name(str(first['attack']))}{board} "
    )
    if kept:
        text += f"stays above {bound} {'; '.join(kept)}"
    if lost:
        text += f"{'; it ' * bool(kept)}lies below {bound} already after {numbers[0]:,} under "
        text += listed(lost)
    return f"{text}. Tried were {listed([f'{n:,}' for n in numbers])} submissions."


def _largest_safe(rows: pd.DataFrame, threshold: float) -> float:
    """Largest number tried before the threshold is crossed; ∞ for all of them, -∞ for none."""
    safe = -math.inf
    for row in rows.sort_values("submissions", kind="stable").itertuples():
        if row.median_delta < threshold:
            return safe
        safe = int(row.submissions)
    return math.inf


def _names(settings: list[Setting], everything: list[Setting]) -> list[str]:
    """Labels; one for all settings of a mechanism, or of one b of it, where all are among them."""
    left, names = list(settings), []
    for setting in settings:
        if setting not in left:
            continue
        for same in (("mechanism",), ("mechanism", "b"), ("mechanism", *PARAMETERS)):
            alike = [
                s for s in everything if all(getattr(s, n) == getattr(setting, n) for n in same)
            ]
            if all(s in left for s in alike):
                names.append(_name(alike))
                left = [s for s in left if s not in alike]
                break
    return names


def _name(alike: list[Setting]) -> str:
    values = {name: {getattr(s, name) for s in alike} for name in PARAMETERS}
    common = {name: held.pop() for name, held in values.items() if len(held) == 1}
    every = [_SYMBOLS[name] for name in PARAMETERS if name not in common]
    text = label(alike[0].mechanism, **common)
    if not every:
        return text
    told = f"every {listed(every)}"
    return f"{text[:-1]}, {told})" if text.endswith(")") else f"{text} ({told})"
