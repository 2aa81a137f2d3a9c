"""Ways of splitting rows into train, public and final, and the one to use.

The rule: the smallest final set with which the best team wins as often as is wanted; if there is
none, the largest one.  What is left is halved between training and public rows, but at least a
third of all rows is for training.
"""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from shakedown.final_rows.chances import Challenges
from shakedown.final_rows.teams import Teams
from shakedown.final_rows.telling_apart import smallest_difference
from shakedown.interface import InputError
from shakedown.leaderboard.degrees import degrees_within, degrees_within_correlation

#: Shares of the final set, in hundredths, and of training rows, if any are for training: at least a
#: third of all.
FINAL = (1, 2, 3, 4, 5, 6, 8, 10, 12, *range(15, 100, 5))
TRAINING = tuple(range(35, 100, 5))
#: Fewest rows of a challenge, and of a public or final set.
FEWEST, FEWEST_IN_SET = 20, 3
#: Fewer final rows than this are too few for what is said of them to be more than a guide.
FEW = 30
#: ASSUME: how many teams there are, and how probably the best is to win, if nobody says so.
USUAL_TEAMS, WANTED = 20, 0.8
#: Sets that differ by at most this share of all rows are about the same: half a step of the grid.
NEAR = 0.025
#: Degrees of freedom that keep a gain on average, for metrics that have a proof.
PROVED = {"mse": degrees_within, "pearson": degrees_within_correlation}


class Split(NamedTuple):
    """How many rows are for training, public and final."""

    train: int
    public: int
    final: int


def splits_of(rows: int, *, training: bool) -> list[Split]:
    """All splits on the grid of shares, by final and then by training rows.

    Raises
    ------
    InputError
        If there are too few rows.
    """
    if rows < FEWEST:
        raise InputError(
            f"rows: wanted at least {FEWEST} independent ones to split; got {rows}. Collect more "
            "rows, or do without a public set."
        )
    found = []
    for of_final in FINAL:
        for of_train in TRAINING if training else (0,):
            train, final = round(of_train * rows / 100), round(of_final * rows / 100)
            split = Split(train, rows - train - final, final)
            if of_train + of_final < 100 and min(split.public, split.final) >= FEWEST_IN_SET:
                found.append(split)
    return found


def by_rule(splits: list[Split]) -> list[Split]:
    """For each number of final rows, in rising order, the split of what is left by the rule."""
    found: dict[int, Split] = {}
    for split in splits:
        best = found.setdefault(split.final, split)
        if (split.train >= split.public, split.public) > (best.train >= best.public, best.public):
            found[split.final] = split
    return [found[final] for final in sorted(found)]


def recommended(splits: list[Split], challenges: Challenges, wanted: float) -> Split:
    """The split to use, by the rule above."""
    shown = by_rule(splits)
    enough = (split for split in shown if challenges.wins(split.final) >= wanted)
    return next(enough, shown[-1])


def is_near(one: Split, other: Split) -> bool:
    """Whether two splits are about the same."""
    room = NEAR * sum(other)
    return all(abs(a - b) <= room for a, b in zip(one, other, strict=True))


def bears(metric: str, public: int, tolerated: float) -> float | None:
    """Degrees of freedom that a metered board may answer; None for metrics without a proof.

    They keep the gain within `tolerated` on average, on a standardised response.
    """
    of = PROVED.get(metric)
    return None if of is None else of(tolerated, public)


def table_of(
    splits: list[Split], worlds: list[Teams], challenges: Challenges, *, metric: str,
    tolerated: float,
) -> pd.DataFrame:  # fmt: skip
    """A row for each split.

    Returns
    -------
    DataFrame
        - train, public, final: rows.
        - best_wins: P(best wins); best_tied: P(the truly best is tied with the first), and tied,
          the mean number of teams that are, the first included.
        - difference: the smallest one that the final rows tell apart.
        - rank_correlation: of public and final scores.
        - bears: see `bears`; missing for metrics without a proof.
    """
    publics, finals = (sorted({split[k] for split in splits}) for k in (1, 2))
    agreement = challenges.agreement(publics, finals)
    of_final = {
        final: (challenges.wins(final), *challenges.ties(final), smallest_difference(worlds, final))
        for final in finals
    }
    rows = [
        (
            *split, *of_final[split.final],
            agreement[publics.index(split.public), finals.index(split.final)],
            bears(metric, split.public, tolerated),
        )
        for split in splits
    ]  # fmt: skip
    columns = [*Split._fields, "best_wins", "best_tied", "tied", "difference", "rank_correlation"]
    return pd.DataFrame(rows, columns=[*columns, "bears"]).astype({"bears": float})
