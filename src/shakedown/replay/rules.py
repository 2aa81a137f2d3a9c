"""What is done about whatever is wrong in a submission log: one rule each, and a message each time.

Nothing is dropped in silence, and nothing that a rule can handle is an error.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from shakedown.datasets.checks import count, first_equal
from shakedown.datasets.layout import some
from shakedown.interface import InputError
from shakedown.metrics import Metric, computed
from shakedown.replay.tables import decimal_comma

#: Rule -> what is done, for the page.
RULES = {
    "row_without_id": "A row without an id is left out.",
    "row_repeated": "A row that stands twice, cell by cell, counts once.",
    "row_conflicting": "Rows with the same id that differ are left out, all of them.",
    "truth_missing": "A row whose truth is missing, infinite or no number is left out.",
    "row_neither": "A row that is neither public nor private is left out.",
    "public_drawn": "Where the log does not say which rows are public, they are drawn at random.",
    "id_unknown": "A prediction, or a public row, with an id that the truth has not is ignored.",
    "id_repeated": "The same prediction for the same id counts once.",
    "id_conflicting": "Different predictions for the same id count as none.",
    "not_a_number": "A prediction that is no number counts as missing.",
    "not_finite": "An infinite prediction counts as missing.",
    "missing": "A submission that lacks predictions is not played, or they are filled in.",
    "constant": "A submission with the same prediction in every row is played if it has a score.",
    "label_unknown": "A prediction that is no label of the truth counts as a mistake.",
    "no_score": "A submission without a score on the public or on the private rows is not played.",
    "same_predictions": "A submission with the predictions of an earlier one is played.",
    "unreadable": "A file that cannot be read is not played.",
    "not_listed": "A submission that the list does not name is not played.",
    "no_predictions": "A submission of the list without predictions cannot be played.",
    "listed_twice": "Of several lines of the list for a submission the first one counts.",
    "no_list": "Without a list all submissions are one team's, in the order of the table.",
    "no_team": "A submission without a team plays as a team of its own, named after it.",
    "no_order": "A submission without an order or time is played after all others.",
    "unix_times": "Times that can all be Unix times, of this century, are read as such.",
    "zone_missing": "A time without a zone beside times with one is taken as UTC.",
    "order_tied": "Submissions with the same order or time are played in the order of the list.",
}

#: Rules that leave too few rows, and those that leave no submission to play.
OF_ROWS = (
    "id_unknown", "row_without_id", "row_repeated", "row_conflicting", "truth_missing",
    "row_neither",
)  # fmt: skip
OF_SUBMISSIONS = (
    "id_unknown", "id_conflicting", "not_a_number", "not_finite", "missing", "no_score",
    "unreadable", "not_listed", "no_predictions",
)  # fmt: skip

#: What can be done about a submission that lacks predictions.
MISSING = ("leave_out", "fill_median")
#: Largest share of the rows in which missing predictions are filled in.
MOST_FILLED = 0.5
#: A prediction beyond it has no square that a computer can sum over the rows.
LARGEST = 1e150


class Messages:
    """What the rules did, in the order in which they did it."""

    def __init__(self) -> None:
        self._rows: list[dict] = []

    def add(self, rule: str, number: int, done: str, submission: str | None = None) -> None:
        """Keep a message.

        Parameters
        ----------
        rule : str
            A key of `RULES`.
        number : int
            How many cells, rows or submissions it is about; 0 is not told.
        done : str
            A plain sentence.
        submission : str, optional
            Id of the submission that it is about, if of one.
        """
        if rule not in RULES:
            raise ValueError(f"no rule '{rule}' in RULES")
        if number:
            self._rows.append(
                {"submission": submission, "rule": rule, "count": int(number), "done": done}
            )

    def tell_of(self, submission: str) -> bool:
        """Whether there is a message about a submission."""
        return any(row["submission"] == submission for row in self._rows)

    def most_frequent(self, rules: Collection[str]) -> str:
        """The first message of that rule which says most so far; "" if none of `rules` does.

        By how many submissions it is about, then by how many rows or cells; of equal ones the
        earlier is the cause.
        """
        told: dict[str, tuple[int, int]] = {}
        for row in self._rows:
            if row["rule"] in rules:
                times, number = told.get(row["rule"], (0, 0))
                told[row["rule"]] = (times + 1, number + row["count"])
        if not told:
            return ""
        most = max(told, key=lambda rule: told[rule])
        return next(row["done"] for row in self._rows if row["rule"] == most)

    def frame(self, team_of: dict[str, str], played: set[str]) -> pd.DataFrame:
        """The messages of a `Log`."""
        frame = pd.DataFrame(self._rows, columns=["submission", "rule", "count", "done"])
        named = [name if isinstance(name, str) else None for name in frame["submission"]]
        frame["submission"] = pd.Series(named, dtype=object)
        frame.insert(1, "team", pd.Series([team_of.get(name) for name in named], dtype=object))
        frame["played"] = pd.array(
            [None if name is None else name in played for name in named], dtype="boolean"
        )
        return frame.astype({"rule": object, "done": object, "count": "int64"})


def settle_rows(
    rows: np.ndarray,
    truth: np.ndarray,
    role: np.ndarray,
    same: np.ndarray,
    wrong: np.ndarray,
    messages: Messages,
) -> np.ndarray:
    """Which rows of the table count.

    Parameters
    ----------
    rows : ndarray of str, shape (n,)
        Ids, "" where there is none.
    truth : ndarray, shape (n,)
        NaN where it is missing or no number.
    role : ndarray of str, shape (n,)
        "public", "private", or "" for neither.
    same : ndarray of int, shape (n,)
        For each row the first one that is identical to it, cell by cell.
    wrong : ndarray of str, shape (n,)
        The truth where it is there but no number, else "".
    messages : Messages

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    keep = np.full(len(rows), True)

    def leave_out(which: np.ndarray, rule: str, why: str, more: str = "") -> None:
        which = which & keep
        keep[which] = False
        named = f": {some(rows[which], most=3)}" if rule != "row_without_id" else ""
        messages.add(
            rule, which.sum(), f"{count(int(which.sum()), 'row')} {why}, left out{named}.{more}"
        )

    leave_out(rows == "", "row_without_id", "without an id")
    leave_out(same != np.arange(len(rows)), "row_repeated", "identical to an earlier one")
    ids, inverse, counts = np.unique(rows[keep], return_inverse=True, return_counts=True)
    twice = np.zeros(len(rows), bool)
    twice[keep] = counts[inverse] > 1
    leave_out(twice, "row_conflicting", "with an id that stands in another row too")
    odd = np.flatnonzero(keep & (wrong != ""))
    example = ""
    if len(odd):
        text = str(wrong[odd[0]])
        example = (
            f" {len(odd):,} of them {'is' if len(odd) == 1 else 'are'} no number, such as '{text}' "
            f"in row '{rows[odd[0]]}'.{decimal_comma(text)}"
        )
    leave_out(
        ~np.isfinite(truth), "truth_missing", "whose truth is missing or no finite number", example
    )
    leave_out(role == "", "row_neither", "marked neither public nor private")
    return keep


def settle_cells(
    values: np.ndarray, no_number: np.ndarray, example: str, submission: str, messages: Messages
) -> np.ndarray:
    """Predictions of a submission, shape (n,), NaN for whatever is no finite number.

    `example` is one of the cells that hold no number.
    """
    infinite = np.isinf(values)
    for which, rule, what, cure in (
        (no_number, "not_a_number", f"no number, such as '{example}'", decimal_comma(example)),
        (infinite, "not_finite", "infinite", ""),
    ):
        total = int(which.sum())
        are = "prediction is" if total == 1 else "predictions are"
        messages.add(rule, total, f"{total:,} {are} {what}; taken as missing.{cure}", submission)
    return np.where(infinite | no_number, np.nan, values)


def settle_missing(
    predictions: np.ndarray, names: np.ndarray, policy: str, messages: Messages
) -> np.ndarray:
    """Do about missing predictions what `policy` says, in place.

    Parameters
    ----------
    predictions : ndarray, shape (m, n)
        NaN where one is missing.
    names : ndarray of str, shape (m,)
        Ids of the submissions.
    policy : str
        One of `MISSING`.  fill_median takes the median of what the complete submissions predict
        for that row; a submission that lacks more than `MOST_FILLED` is left out all the same.
    messages : Messages

    Returns
    -------
    ndarray of bool, shape (m,)
        Which submissions can be played.
    """
    absent = np.isnan(predictions)
    lacking = absent.sum(axis=1)
    keep, n = lacking == 0, predictions.shape[1]
    fills = policy == "fill_median" and keep.any()
    medians = np.median(predictions[keep], axis=0) if fills else None  # shape (n,)
    for t in np.flatnonzero(lacking):
        total = int(lacking[t])
        what = f"{total:,} of {count(n, 'prediction')} missing"
        if fills and total <= MOST_FILLED * n:
            predictions[t, absent[t]] = medians[absent[t]]
            keep[t] = True
            done = (
                f"{what}; filled with the row's median over the {(lacking == 0).sum():,} complete"
            )
            messages.add("missing", total, f"{done} submissions.", names[t])
        else:
            why = ", more than half" if fills else ""
            messages.add("missing", total, f"{what}{why}; not played.", names[t])
    return keep


def settle_scores(
    metric: Metric,
    truth: np.ndarray,
    public: np.ndarray,
    predictions: np.ndarray,
    names: np.ndarray,
    messages: Messages,
) -> np.ndarray:
    """Which submissions have a score on the public and on the private rows; bool, shape (m,).

    Parameters
    ----------
    metric : Metric
    truth : ndarray, shape (n,)
    public : ndarray of bool, shape (n,)
    predictions : ndarray, shape (m, n)
        Finite.
    names : ndarray of str, shape (m,)
    messages : Messages
    """
    sets = {"public": public, "private": ~public}
    with np.errstate(over="ignore", invalid="ignore"):
        scored = {k: _has_score(metric, truth[of], predictions[:, of]) for k, of in sets.items()}
    keep = scored["public"] & scored["private"]
    constant = np.ptp(predictions, axis=1) == 0.0
    for t in np.flatnonzero(constant & keep):
        messages.add("constant", 1, "The same prediction in every row; played.", names[t])
    for t in np.flatnonzero(~keep):
        without = [k for k in sets if not scored[k][t]]
        whys = [_why_no_score(metric, truth[sets[k]], predictions[t, sets[k]]) for k in without]
        several = f" (on the {without[0]} ones)" if len(set(whys)) > 1 and whys[0] else ""
        why = whys[0] + several
        done = f"No {metric.name} on the {' and the '.join(without)} rows{why}; not played."
        messages.add("no_score", 1, done, names[t])
    return keep


def _has_score(metric: Metric, y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    try:
        return np.isfinite(metric.score(y, predictions))
    except InputError:
        if len(predictions) == 1:
            return np.array([False])
        # A function refuses one of them: which?
        return np.concatenate([_has_score(metric, y, one[None]) for one in predictions])


def _why_no_score(metric: Metric, y: np.ndarray, prediction: np.ndarray) -> str:
    """Why a prediction of shape (n,) has no score, after a comma; "" where that is not known."""
    if metric.function is not None:
        try:
            computed(metric, y, prediction)
        except InputError as e:
            return f", as {metric.name} refuses it ({str(e.__cause__).rstrip('.')})"
    largest = float(np.abs(prediction).max())
    if np.ptp(prediction) == 0.0 and not metric.has_losses:
        return ", as its predictions are all the same there"
    if largest > LARGEST:
        return f", as its predictions reach {largest:g}, too large to be scored"
    if np.ptp(y) == 0.0 and not metric.has_losses:
        return ", as the truth is all the same there"
    return ""


def note_same(
    predictions: np.ndarray, names: np.ndarray, teams: np.ndarray, messages: Messages
) -> None:
    """Say which submissions have the very predictions of an earlier one; they are played."""
    for t, first in enumerate(first_equal(iter(predictions))):
        if first != t:
            whose = "the same team" if teams[t] == teams[first] else f"team '{teams[first]}'"
            messages.add(
                "same_predictions", 1,
                f"The same predictions as '{names[first]}' of {whose}; played.", names[t],
            )  # fmt: skip
