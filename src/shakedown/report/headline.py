"""What came out, in sentences made from the summary table."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from shakedown.figures.selection import settings_of
from shakedown.figures.style import CONTROLS
from shakedown.report.results import QUESTION, is_permuted, largest_budget
from shakedown.report.safe import safe_submissions
from shakedown.wording import (
    attack_name,
    board_name,
    count,
    counted,
    design_name,
    metric_name,
    signed,
)


def headline(
    summary: pd.DataFrame,
    *,
    at_most: int = 4,
    threshold: float = -0.05,
    rows: Mapping[str, int] | None = None,
) -> list[str]:
    """What came out of a few questions, in a sentence or two each.

    First comes how many submissions are safe, where that was asked; see `safe_submissions`.

    A question is a data set, design, metric, attack and board; its answer names the mechanism
    that overfits most at the largest budget, and the one whose Δ is nearest to zero.

    Told are questions with a permuted response before those with random splits, in which a real
    signal is mixed in.  Of these first the strongest overfit of each data set, so that the few
    sentences do not tell the same again, then the strongest that are left.  Those chosen stand in
    the order of their data sets' sizes, so that small ones, which are overfit most, do not stand
    first.

    Parameters
    ----------
    summary : DataFrame
        Summaries of one or several experiments: for each mechanism and point of the attack the
        median Δ over the replicates with its 95 % interval, and the median scores.
    at_most : int
        Number of questions to tell, beside those on safe submissions.
    threshold : float
        The Δ up to which a number of submissions is safe, in units of the metric.
    rows : mapping of str to int, optional
        Rows of each data set; without it the strongest overfit stands first.

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        If a column is missing, there is no row, or a mechanism is not known.
    """
    ends = largest_budget(summary.reset_index(drop=True))
    boards = ends["mechanism"].astype(str)
    tried = ends[~boards.isin(CONTROLS)]
    if tried.empty:  # nothing but controls: tell those
        tried = ends
    questions = [
        group.sort_values("median_delta", kind="stable")
        for _, group in tried.groupby(list(QUESTION), observed=True, dropna=False, sort=False)
    ]
    questions.sort(key=_order)
    met, first, again = set(), [], []
    for question in questions:
        place = is_permuted(question["design"].iloc[0]), question["dataset"].iloc[0]
        (again if place in met else first).append(question)
        met.add(place)
    # All of the permuted response before any random split; sorting leaves the rest in its order.
    chosen = sorted([*first, *again], key=lambda question: _order(question)[0])[:at_most]
    sizes = rows or {}

    def by_size(question: pd.DataFrame) -> tuple[bool, int, float]:
        late, delta = _order(question)
        return late, -sizes.get(str(question["dataset"].iloc[0]), 0), delta

    told = [_answer(question) for question in sorted(chosen, key=by_size)]
    return [*safe_submissions(summary, threshold=threshold), *told]


def _order(ranked: pd.DataFrame) -> tuple[bool, float]:
    return not is_permuted(ranked["design"].iloc[0]), float(ranked["median_delta"].iloc[0])


def _answer(ranked: pd.DataFrame) -> str:
    worst, best = ranked.iloc[0], ranked.iloc[ranked["median_delta"].abs().argmin()]
    metric = metric_name(str(worst["metric"]))
    where = f"{worst['dataset']}, {design_name(str(worst['design']))}: after {_attack(worst)}"
    if not worst["delta_high"] < 0:  # nor where there are too few replicates for an interval
        return (
            f"{where} no board is measurably overfit; the largest Δ of {metric}, against "
            f"{_label(worst)}, is {_interval(worst)}."
        )
    public, final = _scores(worst["median_score_public"], worst["median_score_final"])
    text = (
        f"{where} against {_label(worst)}, the public {metric} is {public} and the final one "
        f"{final}: Δ = {_interval(worst)}."
    )
    if len(ranked) > 1:
        text += f" {_label(best)} leaves Δ at {_interval(best)}."
    return text


def _attack(row: pd.Series) -> str:
    size = counted(int(row["submissions"]), "submission")
    if str(row["board"]) == "carried_on":  # the reading that is not the usual one
        size += f", {board_name('carried_on')}"
    if row["attack"] == "step_forward":
        iterations = int(row["iterations"])
        return f"{count(iterations)} step-forward iteration{'s' * (iterations > 1)} ({size})"
    return f"{attack_name(str(row['attack']))} ({size})"


def _label(row: pd.Series) -> str:
    (setting,) = settings_of(pd.DataFrame([row]))
    return setting.label


def _scores(public: float, final: float) -> tuple[str, str]:
    for digits in (2, 3, 4):
        texts = signed(public, digits), signed(final, digits)
        if texts[0] != texts[1]:
            break
    return texts


def _digits(value: float) -> int:
    return 2 if abs(value) >= 0.095 else 3


def _interval(row: pd.Series) -> str:
    digits = _digits(row["median_delta"])
    if pd.isna(row["delta_low"]):
        return f"{signed(row['median_delta'], digits)} (too few replicates for an interval)"
    median, low, high = (
        signed(row[c], digits) for c in ("median_delta", "delta_low", "delta_high")
    )
    return f"{median} [{low}, {high}]"
