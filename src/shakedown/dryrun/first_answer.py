"""The first answer of a dry run: which boards are proved, and about how useful each is.

It takes a second or two, because no attack is played: proofs hold whatever is submitted.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from shakedown.data.several import grouping_column
from shakedown.data.splits import set_sizes
from shakedown.dryrun.answer import given
from shakedown.dryrun.assumptions import why_unproved
from shakedown.dryrun.lags import CORRELATION, lag_of
from shakedown.dryrun.noise import findings_for, noise_factor
from shakedown.dryrun.plan import baseline_score, entries, is_of_labels
from shakedown.dryrun.proof import MOST
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.shares import full, written
from shakedown.dryrun.thresholds import resting, thresholds, unit
from shakedown.dryrun.usefulness import teams
from shakedown.interface import Challenge
from shakedown.leaderboard.mechanism import Mechanism, mechanisms
from shakedown.leaderboard.naming import in_words
from shakedown.metrics import Metric, find
from shakedown.seeding import stream
from shakedown.theory.proved import proved_limits
from shakedown.wording import counted

#: Public sets on which teams play, and the most rows of all: with more, teams differ less.
SETS, MOST_ROWS = 3, 5_000
ON_AVERAGE = "proved on average"


class FirstBoard(NamedTuple):
    """A board of which something is proved.

    Attributes
    ----------
    words : str
        What it does, with its name.
    title : str
        The board with its parameters, in the metric's unit.
    kind : str
        "proved", also for the organiser's quantile, or `ON_AVERAGE`.
    submissions : int
        Of each account, at most `proof.MOST`.
    lag : float or None
        About how much better a team's best file is than the one that it takes for its best, on
        average over its submissions, in the metric's unit; None for labels.
    """

    words: str
    title: str
    kind: str
    submissions: int
    lag: float | None


def up_to(submissions: int) -> str:
    """A number that is proved: "500 submissions"; from `proof.MOST` on it is any number."""
    return (
        "any number of submissions" if submissions >= MOST else counted(submissions, "submission")
    )


class FirstAnswer(NamedTuple):
    """What is known before any attack is played.

    Attributes
    ----------
    boards : list of FirstBoard
        Those on which the wanted submissions are proved: the proved ones first, then the more
        useful ones.
    why_unproved : str
        Why nothing is called proved, "" if no assumption visibly fails.
    """

    boards: list[FirstBoard]
    why_unproved: str

    def text(self, challenge: Challenge, settings: DryRunEntry) -> str:
        """It in words."""
        metric, n_public = find(settings.metric), set_sizes(challenge)["public"]
        rests = resting(challenge, settings) | {
            "row_variance": settings.row_variance,
            "group": grouping_column(challenge),
        }
        of_rows = "public row" if challenge.cells is None else "public cell"
        begin = (
            f"First answer, before any attack is played: {counted(n_public, of_rows)}, "
            f"{counted(settings.submissions, 'submission')}, an overfit of at most "
            f"{full(-rests['threshold'], rests, metric.label)}."
        )
        if self.why_unproved:
            return f"{begin}\n  Nothing is proved for data with {self.why_unproved}."
        if not self.boards:
            return f"{begin}\n  No leaderboard is proved. All are measured now."
        lines = []
        for board in self.boards:
            late = "" if board.lag is None else f", lag about {written(board.lag, rests)}"
            lines += [
                f"  {board.kind.capitalize()} for {up_to(board.submissions)}{late}: {board.words}",
                f"    {board.title}",
            ]
        said = f"Proved: it holds whatever is submitted, if {given(metric, rests)}."
        if any(board.lag is not None for board in self.boards):
            said += (
                " Lag: how far the best score that a team sees trails its true best. Here it comes "
                "from simulated teams (for metered boards from a table of such teams); the dry run "
                "then measures it with models of your table."
            )
        return "\n".join([begin, *lines, f"  {said}"])


def first_answer(challenge: Challenge, settings: DryRunEntry, *, seed: int) -> FirstAnswer:
    """What is proved of the boards of a dry run, and about how useful they are.

    Parameters
    ----------
    challenge : Challenge
    settings : DryRunEntry
        As for `plan.plan`.
    seed : int
    """
    metric = find(settings.metric)
    if why := why_unproved(findings_for(challenge, settings)):
        return FirstAnswer([], why)
    n_public, threshold = set_sizes(challenge)["public"], thresholds(challenge, settings)[0]
    proved: list[tuple[Mechanism, str, int]] = []
    for mechanism in mechanisms(entries(challenge, settings)):
        limits = proved_limits(
            mechanism, metric, n_public, threshold, MOST, settings.accounts,
            quantile=settings.quantile, start=baseline_score(challenge, metric),
            row_variance=noise_factor(challenge, settings),
        )  # fmt: skip
        for kind, limit in (("proved", limits.both), (ON_AVERAGE, limits.mean)):
            if limit is not None and limit >= settings.submissions:
                proved.append((mechanism, kind, limit))
                break
    size = unit(challenge, metric)
    lags = _lags(challenge, metric, [board for board, _, _ in proved], settings, seed)
    boards = [
        FirstBoard(
            in_words(mechanism), mechanism.in_unit(size).title, kind, limit, lag and size * lag
        )
        for (mechanism, kind, limit), lag in zip(proved, lags, strict=True)
    ]
    order = sorted(boards, key=lambda board: (board.kind == ON_AVERAGE, board.lag or 0.0))
    return FirstAnswer(order, "")


def _lags(
    challenge: Challenge, metric: Metric, boards: list[Mechanism], settings: DryRunEntry, seed: int
) -> list[float | None]:
    """About the lag of teams on each board, on standardised data; None for labels."""
    if is_of_labels(metric) or not boards:
        return [None] * len(boards)
    rows, made = set_sizes(challenge)["public"], settings.submissions
    lags = [lag_of(board, metric, rows, made) for board in boards]
    left = [board for board, lag in zip(boards, lags, strict=True) if lag is None]
    if left:
        others = iter(_simulated(challenge, metric, left, settings, seed))
        lags = [next(others) if lag is None else lag for lag in lags]
    return lags


def _simulated(
    challenge: Challenge, metric: Metric, boards: list[Mechanism], settings: DryRunEntry, seed: int
) -> list[float]:
    """The lag of simulated teams on each board, on standardised data."""
    draws, rows = partial(stream, seed, "first answer"), set_sizes(challenge)["public"]
    participation = teams.Participation(
        settings.submissions, threshold=thresholds(challenge, settings)[0]
    )
    whole = (challenge.y - challenge.y.mean()) / challenge.y.std(ddof=1)
    known, lags = teams.truth(metric, whole, rng=draws("truth")), []
    for number in range(max(1, min(SETS, MOST_ROWS // rows))):
        y = draws("rows", number).permutation(whole)[:rows]
        y = (y - y.mean()) / y.std(ddof=1)
        named = partial(draws, "teams", number)
        served = teams.served(metric, boards, y, known, CORRELATION, participation, named)
        lags.append([row[0] for row in served])
    return np.mean(lags, axis=0).tolist()
