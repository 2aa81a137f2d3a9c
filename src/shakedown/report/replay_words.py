"""The sentences of a replay's page, from its tables."""

from __future__ import annotations

import pandas as pd

from shakedown.figures.selection import settings_of
from shakedown.replay.grouping import reference
from shakedown.wording import amount, count, counted, listed, metric_name

LEVEL = 0.05
# Boards that a sentence names at most.
_NAMED = 3


def board_label(row: pd.Series) -> str:
    """Name of a board: mechanism, settings, and whether its instances are for ranks."""
    (setting,) = settings_of(row.to_frame().T)
    return setting.label + (" for ranks" if row["boards"] == "per_rank" else "")


def winner(agreement: pd.DataFrame) -> tuple[str, bool]:
    """Whether another board would have changed the private winner, in a sentence and in a word."""
    held = reference(agreement).iloc[0]
    private = team_or_teams(held["private_winner"], held["winners"])
    if held["teams"] < 2:
        return "There is one team alone, so there is no winner to change.", False
    wins = agreement[~agreement["same_winner"].to_numpy(bool)]
    if len(wins):
        others = _by_team(wins, "private_winner", "winners")
        few = f"{len(wins)} of the {counted(len(agreement) - 1, 'other board')}"
        few = "the other board" if len(agreement) == 2 else few
        return (
            f"Yes, with {few}: with {board_label(held)} {private} wins in private; {others}."
        ), True
    boards = f"with each of the {counted(len(agreement), 'board')}" if len(agreement) > 1 else ""
    leads = " leads in public and" if (agreement["winner"] == held["private_winner"]).all() else ""
    return f"No: {private}{leads} wins in private {boards}".rstrip() + ".", False


def lead(agreement: pd.DataFrame) -> str:
    """Who leads in public, where that is not the winner on every board; else ""."""
    held = reference(agreement).iloc[0]
    public = team_or_teams(held["winner"], held["leaders"])
    if held["teams"] < 2 or (agreement["winner"] == held["private_winner"]).all():
        return ""
    same = agreement["same_leader"].to_numpy(bool)
    shared = int((same & (agreement["leaders"] > held["leaders"]).to_numpy(bool)).sum())
    if same.all() and not shared:
        return f"In public {public} leads on every board."
    text = f"In public {public} leads with {board_label(held)}"
    if shared:
        text += f", and shares the lead with others on {counted(shared, 'board')}"
    if same.all():
        return f"{text}."
    return f"{text}; the lead would have changed {_by_team(agreement[~same], 'winner', 'leaders')}."


def team_or_teams(names: str, number: int) -> str:
    """The name of a team, or how many teams there are where more than two share a place."""
    return names if number <= 2 else f"{int(number)} teams"


def _by_team(rows: pd.DataFrame, column: str, number: str) -> str:
    parts = []
    for team, part in rows.groupby(column, sort=False):
        names = [board_label(row) for _, row in part.iterrows()]
        more = len(names) - _NAMED
        shown = [*names[:_NAMED], f"{count(more)} more"] if more > 0 else names
        who = team_or_teams(str(team), part[number].iloc[0])
        to = "to " if column == "winner" else ""
        parts.append(f"with {listed(shown)} {to}{who}")
    return listed(parts)


def moves(agreement: pd.DataFrame, ranks: pd.DataFrame) -> str:
    """How many of the top teams change place; "" where there is one team alone."""
    held = reference(agreement).iloc[0]
    if held["teams"] < 2:
        return ""
    others = agreement.drop(index=held.name)
    top = int(held["top"])
    own = reference(ranks)
    best = own[(own["reference_place"] <= top).to_numpy(bool)]
    out = int((best["private_place"] > top).sum())
    who = f"{count(out).capitalize() if out else 'All'} of them {'is' if out == 1 else 'are'}"
    private = f" {who} {'not ' * bool(out)}among the top {top} in private."
    if len(own) == top == held["teams"]:
        private = ""  # where else
    if others.empty:
        return private.strip().replace("of them", f"of the top {top} with {board_label(held)}")
    most = others.loc[others["moved"].idxmax()]
    if not most["moved"]:
        return (
            f"The top {top} with {board_label(held)} stand in the same order on all other boards "
            f"(equal scores apart).{private}"
        )
    least = int(others["moved"].min())
    much = int(most["moved"])
    span = f"up to {much}" if not least else f"{least} to {much}" if least < much else f"{least}"
    return (
        f"Of the top {top} with {board_label(held)}, {span} {'has' if much == 1 else 'have'} "
        f"another place on another board, most with {board_label(most)}.{private}"
    )


def resolved(resolution: pd.DataFrame, metric: str, rows_of: str = "public") -> str:
    """The smallest gap that the public (or private) rows resolve; "" with one team alone."""
    own = reference(resolution)
    if own.empty:
        return ""
    row = own[(own["rows_of"] == rows_of).to_numpy(bool)].iloc[0]
    if pd.isna(row["floor"]):
        return "The top teams' submissions are the same row by row, so there is no gap to resolve."
    closer, compared = int(row["closer"]), int(row["compared"])
    number = {0: "none", compared: "all"}.get(closer, f"{closer}")
    who = f"{number} of the other {compared} top teams {'is' if closer == 1 else 'are'}"
    if compared == 1:
        who = f"the other team is {'not ' * (not closer)}".rstrip()
    return (
        f"The {int(row['rows']):,} {rows_of} rows resolve a gap of {amount(row['floor'], 2)} in "
        f"{metric_name(metric)}, no smaller one; {who} closer to the leader than that."
    )


def told_from(comparisons: pd.DataFrame, by: str = "private") -> str:
    """From how many of those behind it the winner can be told; "" where nobody is behind it."""
    own = reference(comparisons)
    rows = own[(own["by"] == by).to_numpy(bool)]
    if rows.empty:
        return ""
    found = int((rows["p_holm"] <= LEVEL).sum())
    test = "a paired t-test" if (rows["test"] == "paired t").all() else "a bootstrap test"
    who = {"private": "the winner", "public": "the leader of the public board"}[by]
    end = ": that it is in front of them may be luck" if not found else ""
    return (
        f"On the private rows {test} tells {who} ({rows['winner'].iloc[0]}) from "
        f"{found or 'none'} of the next {counted(len(rows), 'team')} (level 5\u00a0%, "
        f"corrected for all of them by Holm's method){end}."
    )


def off(errors: pd.DataFrame, metric: str) -> str:
    """How far the reported scores were from the private ones."""
    held = reference(errors).iloc[0]
    others = errors.drop(index=held.name)
    text = (
        f"At the end the score beside a team is {amount(held['final_distance'], 2)} off the "
        f"private one on average with {board_label(held)} ({metric_name(metric)})"
    )
    if len(others):
        low, high = (
            amount(v, 2) for v in (others["final_distance"].min(), others["final_distance"].max())
        )
        text += f", {low if low == high else f'{low} to {high}'} with the others"
    share = 100 * held["flattered"]
    return f"{text}; {share:.0f} % of what {board_label(held)} reported looked better than it was."


def luck(splits: pd.DataFrame) -> str:
    """Whether the gap between public and private scores is what fresh splits show."""
    within = int(splits["within"].sum())
    gap = float(splits["gap"].median())
    word = "above" if gap > 0 else "below"
    return (
        f"For {within} of the {counted(len(splits), 'best submission')} the gap between public and "
        "private score is within one standard deviation of that between random halves of the "
        f"private rows; in the middle the public score is {amount(abs(gap), 2)} {word} the private "
        "one. About two in three are within where the public rows are rows like any others; the "
        "gaps of related submissions go together."
    )


def not_said(messages: pd.DataFrame, agreement: pd.DataFrame) -> list[str]:
    """What a replay cannot tell."""
    told = [
        "Participants would have behaved differently. They saw another board; under this one they "
        "would have sent other submissions, kept other models, and stopped sooner or later. A "
        "replay tells what a board would have shown for what was sent, no more.",
        "It does not tell how far a board can be overfit by those who try: for that, play a dry "
        "run on data of your own.",
        "The private winner was found on the very rows on which it is tested, so its tests are "
        "a little too sure. Rows that go together (of one patient, of one week) make all tests and "
        "intervals too sure.",
        "Scores are those of the submissions that could be played; whatever could not is listed "
        "under the log.",
    ]
    if (messages["rule"] == "public_drawn").any():
        told.insert(
            1,
            "The log does not say which rows were public, so they were drawn at random: nobody has "
            "adapted to these rows, and public scores flatter less here than they may have then.",
        )
    if agreement["b"].notna().any():
        told.insert(
            -1,
            "Boards with b add noise to what they show. This is one draw of it: with another seed "
            "they show other numbers and other places.",
        )
    return told


#: Words that the page explains, besides those of the boards.
WORDS = (
    (
        "public and private rows",
        "The leaderboard scores the public rows while the challenge runs. The private rows are "
        "scored once, at its end, and decide it.",
    ),
    (
        "submission in force",
        "The submission that stands for a team: the last one that the board accepted, or, where a "
        "board shows every score, the best one in public. Its private score decides.",
    ),
    (
        "board for ranks",
        "Instead of an instance of the mechanism for each team there is one for each place: a "
        "submission is held against the first place, then the second, down to its team's own; the "
        "first that accepts it is its place from then on.",
    ),
    (
        "agreement",
        "Kendall's rank correlation of public and private places: 1 where the order is the same, 0 "
        "where they have nothing to do with each other.",
    ),
    (
        "smallest gap that is resolved",
        "The difference of two scores that a one-sided paired test at 5 % on so many rows finds in "
        "4 of 5 cases. Smaller ones look like luck.",
    ),
    (
        "flatters",
        "The reported score looks better than the private one.",
    ),
    (
        "p, corrected",
        "How often a difference at least as large appears between equals. With nine tests one of "
        "them is small by luck more often, so each is raised: Holm's and Bonferroni's methods.",
    ),
)
