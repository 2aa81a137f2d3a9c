"""Rules that settle problems in a submission log.

Every case gets a message, so nothing is dropped silently.  A problem that a rule covers is never an
error.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from shakedown.data.checks import first_equal
from shakedown.interface import LARGEST, SMALLEST_SPREAD, InputError, in_a_line
from shakedown.metrics import Metric, computed
from shakedown.metrics.classes import SCORES, unfit
from shakedown.replay.structure import Structure
from shakedown.tables.cells import decimal_comma
from shakedown.wording import counted, some

#: Rule -> its description on the page.
RULES = {
    "row_without_id": "Rows without an id are left out.",
    "row_repeated": "Rows that repeat an earlier row, cell by cell, count once.",
    "row_conflicting": "Different rows with the same id are all left out.",
    "truth_missing": "Rows whose truth is missing, no number, infinite or above 1e50 are left out.",
    "row_neither": "Rows that are neither public nor private are left out.",
    "cell_missing": "Of several responses, only the true values that cannot be used are left out.",
    "group_cut": "Groups with public and private rows are played as the log has them.",
    "public_drawn": "If the log does not say which rows are public, they are drawn at random.",
    "id_unknown": "Predictions and public rows whose id is not in the truth table are ignored.",
    "target_unknown": "Predictions of what is no response are ignored.",
    "target_missing": "Of a response without a column, all predictions are missing.",
    "id_repeated": "The same prediction for the same id counts once.",
    "id_conflicting": "Different predictions for the same id count as missing.",
    "not_a_number": "Predictions that are not numbers count as missing.",
    "not_finite": "Predictions that are infinite or above 1e50 count as missing.",
    "missing": "Submissions with missing predictions are not played, unless these are filled in.",
    "constant": "Submissions with one prediction for all rows are played if they have a score.",
    "label_unknown": "Predictions that are not among the labels of the truth count as wrong.",
    "no_score": "Submissions without a score on the public or on the private rows are not played.",
    "same_predictions": "Submissions with the predictions of an earlier one are played.",
    "unreadable": "Files that cannot be read are not played.",
    "not_listed": "Submissions that are not in the list are not played.",
    "no_predictions": "Submissions of the list without predictions cannot be played.",
    "listed_twice": "If the list names a submission more than once, the first line counts.",
    "no_list": "Without a list, one team made all submissions, in the order of the table.",
    "no_team": "A submission without a team plays as a team with the submission's name.",
    "no_order": "Submissions without an order or time are played after all others.",
    "unix_times": "Times are read as Unix times if all are Unix times of this century.",
    "zone_missing": "Times without a zone are taken as UTC if others have a zone.",
    "order_tied": "Submissions with the same order or time are played in the order of the list.",
}

#: Rules that can leave too few rows, and rules that can leave no submission.
OF_ROWS = (
    "id_unknown", "row_without_id", "row_repeated", "row_conflicting", "truth_missing",
    "row_neither",
)  # fmt: skip
OF_SUBMISSIONS = (
    "id_unknown", "target_unknown", "id_conflicting", "not_a_number", "not_finite", "missing",
    "no_score", "unreadable", "not_listed", "no_predictions",
)  # fmt: skip

#: Rules that leave a submission out; every submission that is not played has a message of one.
NOT_PLAYED = ("unreadable", "not_listed", "no_predictions", "missing", "no_score")

#: Ways to handle a submission that lacks predictions.
MISSING = ("leave_out", "fill_median")
#: Largest share of missing predictions that are filled in.
MOST_FILLED = 0.5


class Messages:
    """What the rules did, in order."""

    def __init__(self) -> None:
        self._rows: list[dict] = []

    def add(self, rule: str, number: int, done: str, submission: str | None = None) -> None:
        """Add a message.

        Parameters
        ----------
        rule : str
            A key of `RULES`.
        number : int
            Number of cells, rows or submissions; if 0, no message is added.
        done : str
            One sentence.
        submission : str, optional
            Id of the submission, if the message is about one.
        """
        if rule not in RULES:
            raise ValueError(f"no rule '{rule}' in RULES")
        if number:
            self._rows.append(
                {
                    "submission": submission,
                    "rule": rule,
                    "count": int(number),
                    "done": in_a_line(done),
                }
            )

    def mentions(self, submission: str) -> bool:
        """Whether there is a message about a submission."""
        return any(row["submission"] == submission for row in self._rows)

    def above_all(self, rules: Collection[str]) -> str:
        """The first message of the rule with the largest effect, starting with a blank; "" if none.

        The effect is the number of messages, then the number of rows or cells; the earliest rule
        wins a tie.
        """
        weights: dict[str, tuple[int, int]] = {}
        for row in self._rows:
            if row["rule"] in rules:
                times, number = weights.get(row["rule"], (0, 0))
                weights[row["rule"]] = (times + 1, number + row["count"])
        most = max(weights, key=weights.__getitem__, default=None)
        first = next((row["done"] for row in self._rows if row["rule"] == most), "")
        return f" Main reason: {first}" if first else ""

    def frame(self, team_of: dict[str, str], played: set[str]) -> pd.DataFrame:
        """The messages of a `Log`."""
        frame = pd.DataFrame(self._rows, columns=["submission", "rule", "count", "done"])
        names = frame["submission"]
        frame.insert(1, "team", names.map(team_of))
        frame["played"] = names.isin(played).where(names.notna()).astype("boolean")
        texts = dict.fromkeys(("submission", "team", "rule", "done"), "str")
        return frame.astype({**texts, "count": "int64"})


def settle_rows(
    rows: np.ndarray,
    known: np.ndarray,
    role: np.ndarray,
    same: np.ndarray,
    wrong: np.ndarray,
    messages: Messages,
) -> np.ndarray:
    """The rows of the table that count.

    Parameters
    ----------
    rows : ndarray of str, shape (n,)
        Ids, "" if missing.
    known : ndarray of bool, shape (n,)
        Whether there is a true value that is finite and not too large.
    role : ndarray of str, shape (n,)
        "public", "private", or "" for neither.
    same : ndarray of int, shape (n,)
        For each row, the first row with identical cells.
    wrong : ndarray of str, shape (n,)
        The text of a true value that is not a number, else "".
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
            rule, which.sum(), f"{counted(int(which.sum()), 'row')} {why}, left out{named}.{more}"
        )

    leave_out(rows == "", "row_without_id", "without an id")
    leave_out(same != np.arange(len(rows)), "row_repeated", "identical to an earlier one")
    ids, inverse, counts = np.unique(rows[keep], return_inverse=True, return_counts=True)
    twice = np.zeros(len(rows), bool)
    twice[keep] = counts[inverse] > 1
    leave_out(twice, "row_conflicting", "with the same id but different cells")
    odd = np.flatnonzero(keep & (wrong != ""))
    example = ""
    if len(odd):
        text = str(wrong[odd[0]])
        example = (
            f" {len(odd):,} of them {'is' if len(odd) == 1 else 'are'} not numeric, such as "
            f"'{text}' in row '{rows[odd[0]]}'.{decimal_comma(text)}"
        )
    why = f"whose truth is missing, not finite or above {LARGEST:g} in size"
    leave_out(~known, "truth_missing", why, example)
    leave_out(role == "", "row_neither", "marked neither public nor private")
    return keep


def note_cells(truths: np.ndarray, rows: np.ndarray, wrong: np.ndarray, messages: Messages) -> None:
    """Report the true values that cannot be used.

    Parameters
    ----------
    truths : ndarray, shape (q, n)
        NaN for these.
    rows : ndarray of str, shape (n,)
    wrong : ndarray of str, shape (n,)
        The text of a true value that is not a number, else "".
    messages : Messages
    """
    absent = np.isnan(truths)
    total, where = int(absent.sum()), absent.any(axis=0)
    odd = wrong[wrong != ""]
    example = f" One is '{odd[0]}'.{decimal_comma(str(odd[0]))}" if len(odd) else ""
    messages.add(
        "cell_missing", total,
        f"{counted(total, 'true value')} missing, not a number, not finite or above {LARGEST:g} in "
        f"size, left out, in {counted(int(where.sum()), 'row')}: {some(rows[where], most=3)}."
        f"{example}",
    )  # fmt: skip


def note_censored(labels: np.ndarray, messages: Messages) -> None:
    """Report the cells, shape (q, n), that are NaN, because their rows were censored before."""
    absent = int(np.isnan(labels).sum())
    done = f"{counted(absent, 'cell')} of rows that were censored before a horizon left out."
    messages.add("cell_missing", absent, done)


def note_cut(groups: np.ndarray, public: np.ndarray, column: str, messages: Messages) -> None:
    """Report the groups that have public and private values; `groups` has shape (n,)."""
    cut = len(np.intersect1d(groups[public], groups[~public]))
    messages.add(
        "group_cut", cut,
        f"{counted(cut, 'group')} of column '{column}' {'has' if cut == 1 else 'have'} public and "
        "private rows: a public score tells of private rows too.",
    )  # fmt: skip


def settle_cells(
    values: np.ndarray, no_number: np.ndarray, example: str, submission: str, messages: Messages
) -> np.ndarray:
    """Predictions of a submission, shape (n,), with NaN for those that are not finite or too large.

    `example` is a cell that is not a number.
    """
    infinite = np.abs(values) > LARGEST
    for which, rule, what, cure in (
        (no_number, "not_a_number", f"not numeric, such as '{example}'", decimal_comma(example)),
        (infinite, "not_finite", f"infinite or above {LARGEST:g} in size", ""),
    ):
        total = int(which.sum())
        are = "prediction is" if total == 1 else "predictions are"
        messages.add(rule, total, f"{total:,} {are} {what}; treated as missing.{cure}", submission)
    return np.where(infinite | no_number, np.nan, values)


def settle_missing(
    predictions: np.ndarray, names: np.ndarray, policy: str, messages: Messages
) -> np.ndarray:
    """Apply `policy` to missing predictions, in place.

    Parameters
    ----------
    predictions : ndarray, shape (m, n)
        NaN where missing.
    names : ndarray of str, shape (m,)
        Ids of the submissions.
    policy : str
        One of `MISSING`.  With fill_median a missing prediction is the median of the complete
        submissions in that row; submissions that lack a share above `MOST_FILLED` are left out.
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
        what = f"{total:,} of {counted(n, 'prediction')} missing"
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
    structure: Structure,
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
    structure : Structure
    truth : ndarray, shape (n,)
    public : ndarray of bool, shape (n,)
    predictions : ndarray, shape (m, n)
        Finite.
    names : ndarray of str, shape (m,)
    messages : Messages
    """
    sets = {"public": public, "private": ~public}
    bound = {k: structure.on(metric, of) for k, of in sets.items()}
    with np.errstate(over="ignore", invalid="ignore"):
        scored = {k: _has_score(bound[k], truth[of], predictions[:, of]) for k, of in sets.items()}
    # A label that the truth does not have counts as wrong.
    predicts = SCORES if metric.compares_labels else metric.predicts
    unfits = [unfit(predicts, sent, truth) for sent in predictions]
    fits = np.array([not why for why in unfits], bool)
    keep = fits & scored["public"] & scored["private"]
    constant = np.ptp(predictions, axis=1) == 0.0
    for t in np.flatnonzero(constant & keep):
        messages.add("constant", 1, "The same prediction in every row; played.", names[t])
    for t in np.flatnonzero(~fits):
        messages.add("no_score", 1, f"No {metric.name}: {unfits[t]}; not played.", names[t])
    for t in np.flatnonzero(fits & ~keep):
        without = [k for k in sets if not scored[k][t]]
        whys = [_why_no_score(bound[k], truth[sets[k]], predictions[t, sets[k]]) for k in without]
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
        # The function refused at least one of them; find out which.
        return np.concatenate(
            [_has_score(metric, y, prediction[None]) for prediction in predictions]
        )


def _why_no_score(metric: Metric, y: np.ndarray, prediction: np.ndarray) -> str:
    """Why a prediction of shape (n,) has no score, starting with a comma; "" if unknown."""
    if metric.function is not None:
        try:
            computed(metric, y, prediction)
        except InputError as e:
            return f", because {metric.name} refuses it ({str(e.__cause__).rstrip('.')})"
    if np.ptp(prediction) == 0.0 and not metric.has_losses:
        return ", because its predictions are all equal there"
    if np.ptp(prediction) < SMALLEST_SPREAD and not metric.has_losses:
        return f", because its predictions differ by less than {SMALLEST_SPREAD:g} there"
    if np.ptp(y) == 0.0 and not metric.has_losses:
        return ", because the truth is constant there"
    return ""


def note_same(
    predictions: np.ndarray, names: np.ndarray, teams: np.ndarray, messages: Messages
) -> None:
    """Report submissions with the same predictions as an earlier one; they are played."""
    for t, first in enumerate(first_equal(iter(predictions))):
        if first != t:
            whose = "the same team" if teams[t] == teams[first] else f"team '{teams[first]}'"
            messages.add(
                "same_predictions", 1,
                f"The same predictions as '{names[first]}' of {whose}; played.", names[t],
            )  # fmt: skip
