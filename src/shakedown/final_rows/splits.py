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
#: Rounds that are compared: up to so many, and those of the challenge.
ROUNDS = 5
#: Degrees of freedom that keep a gain on average, for metrics that have a proof.
PROVED = {"mse": degrees_within, "pearson": degrees_within_correlation}


class Split(NamedTuple):
    """How many rows are for training, public and final."""

    train: int
    public: int
    final: int


def splits_of(rows: int, *, training: bool, rounds: int = 1) -> list[Split]:
    """All splits on the grid of shares, by final and then by training rows.

    Each of the `rounds` has public rows of its own.

    Raises
    ------
    InputError
        If there are too few rows, also for so many rounds.
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
    enough = [split for split in found if of_round(split, rounds) >= FEWEST_IN_SET]
    if not enough:
        most = max(split.public for split in found) // FEWEST_IN_SET
        raise InputError(
            f"rounds: wanted at least {FEWEST_IN_SET} public rows in each, so at most {most:,} of "
            f"{rows:,} rows; got {rounds:,}. Run fewer rounds, or collect more rows."
        )
    return enough


def of_round(split: Split, rounds: int) -> int:
    """Public rows of a round: the public set is dealt to all rounds, and some have one row more."""
    return split.public // rounds


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
    tolerated: float, rounds: int = 1,
) -> pd.DataFrame:  # fmt: skip
    """A row for each split.

    The public rows are dealt to the rounds of the challenge; the final rows are those of all.

    Returns
    -------
    DataFrame
        - train, public, final: rows.
        - best_wins: P(best wins); best_tied: P(the truly best is tied with the first), and tied,
          the mean number of teams that are, the first included.
        - difference: the smallest one that the final rows tell apart.
        - per_round: public rows of a round, all of them with one round.
        - rank_correlation: of the public scores of a round and final scores.
        - bears: of a round; see `bears`; missing for metrics without a proof.
    """
    publics = sorted({of_round(split, rounds) for split in splits})
    finals = sorted({split.final for split in splits})
    agreement = challenges.agreement(publics, finals)
    of_final = {
        final: (challenges.wins(final), *challenges.ties(final), smallest_difference(worlds, final))
        for final in finals
    }
    rows = [
        (
            *split, own, *of_final[split.final],
            agreement[publics.index(own), finals.index(split.final)],
            bears(metric, own, tolerated),
        )
        for split, own in ((split, of_round(split, rounds)) for split in splits)
    ]  # fmt: skip
    columns = [*Split._fields, "per_round", "best_wins", "best_tied", "tied", "difference"]
    columns += ["rank_correlation", "bears"]
    return pd.DataFrame(rows, columns=columns).astype({"bears": float})


def by_rounds(
    split: Split, challenges: Challenges, *, metric: str, tolerated: float, most: int
) -> pd.DataFrame:
    """What a round is worth in a challenge of 1, 2, ... rounds, each with public rows of its own.

    Parameters
    ----------
    split : Split
    challenges : Challenges
    metric : str
    tolerated : float
        Above 0.
    most : int
        The last row is that of so many rounds; those before are of up to `ROUNDS`.

    Returns
    -------
    DataFrame
        - rounds; per_round: public rows of each.
        - best_leads: P(the truly best team has the best public score of a round).
        - rank_correlation, bears: as in `table_of`.
    """
    numbers = [*range(1, min(most, ROUNDS + 1)), most]
    sizes = [of_round(split, rounds) for rounds in numbers]
    agreement = challenges.agreement(sizes, [split.final])[:, 0]
    rows = [
        (rounds, size, challenges.wins(size), agree, bears(metric, size, tolerated))
        for rounds, size, agree in zip(numbers, sizes, agreement, strict=True)
    ]
    columns = ["rounds", "per_round", "best_leads", "rank_correlation", "bears"]
    return pd.DataFrame(rows, columns=columns).astype({"bears": float})
