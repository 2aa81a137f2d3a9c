"""The sentences of a replay's page, from its tables."""

from __future__ import annotations

import numpy as np
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


def winner(agreement: pd.DataFrame, comparisons: pd.DataFrame) -> tuple[str, bool]:
    """Whether another board would have changed the private winner, in a sentence and in a word.

    The sentence says on how many boards, and whether the private rows tell the winners apart.
    """
    held = reference(agreement).iloc[0]
    private = team_or_teams(held["private_winner"], held["winners"])
    win = does("win", held["winners"])
    if held["teams"] < 2:
        return "There is one team alone, so there is no winner to change.", False
    wins = agreement[~agreement["same_winner"].to_numpy(bool)]
    if len(wins):
        others = "another team wins" if (wins["winners"] == 1).all() else "others win"
        return (
            f"On {len(wins)} of {counted(len(agreement), 'board')} {others} in private: "
            f"{_by_team(wins, 'private_winner', 'winners')}; with {board_label(held)} {private} "
            f"{does('do', held['winners'])}{_told_apart(held, wins, comparisons)}."
        ), True
    boards = f"with each of the {counted(len(agreement), 'board')}" if len(agreement) > 1 else ""
    leads = (agreement["winner"] == held["private_winner"]).all()
    leads = f" {does('lead', held['winners'])} in public and" if leads else ""
    return f"No: {private}{leads} {win} in private {boards}".rstrip() + ".", False


def _told_apart(held: pd.Series, wins: pd.DataFrame, comparisons: pd.DataFrame) -> str:
    """Whether the reference's winner can be told from the other ones; "" where several share."""
    own = reference(comparisons)
    own = own[((own["by"] == "private") & (own["winner"] == held["private_winner"])).to_numpy(bool)]
    p = own.set_index("team")["p_holm"].reindex(wins["private_winner"].unique())
    if p.isna().any() or held["winners"] > 1:
        return ""
    unsure = int((p > LEVEL).sum())
    if len(p) == 1:
        but, nots = (", but", "do not tell") if unsure else (", and", "tell")
        return f"{but} there the private rows {nots} the two apart (p = {p.iloc[0]:.2g})"
    if unsure == len(p):
        return ", but there the private rows do not tell it from any of them"
    few = f"only {count(len(p) - unsure)}" if unsure else "each"
    return f", and there the private rows tell it from {few} of them"


def lead(agreement: pd.DataFrame) -> str:
    """Who leads in public, where that is not the winner on every board; else ""."""
    held = reference(agreement).iloc[0]
    public = team_or_teams(held["winner"], held["leaders"])
    public += f" {does('lead', held['leaders'])}"
    if held["teams"] < 2 or (agreement["winner"] == held["private_winner"]).all():
        return ""
    same = agreement["same_leader"].to_numpy(bool)
    shared = int((same & (agreement["leaders"] > held["leaders"]).to_numpy(bool)).sum())
    if same.all() and not shared:
        return f"In public {public} on every board."
    text = f"In public {public} with {board_label(held)}"
    if shared:
        text += f", and {does('share', held['leaders'])} the lead on {counted(shared, 'board')}"
    if same.all():
        return f"{text}."
    return f"{text}; elsewhere others lead: {_by_team(agreement[~same], 'winner', 'leaders')}."


def team_or_teams(names: str, number: int) -> str:
    """The name of a team, or how many teams there are where more than two share a place."""
    return names if number <= 2 else f"{int(number)} teams"


def does(verb: str, number: int) -> str:
    """A verb for one or for many: "wins" or "win"."""
    return verb if number > 1 else f"{verb}{'es' * verb.endswith('o') or 's'}"


def _by_team(rows: pd.DataFrame, column: str, number: str) -> str:
    """Which teams on which boards: the one board by name, more by their number."""
    who = [team_or_teams(str(row[column]), row[number]) for _, row in rows.iterrows()]
    groups = list(rows.groupby(np.array(who), sort=False))
    parts = []
    for name, part in groups[:_NAMED]:
        one = len(part) == 1
        where = f"with {board_label(part.iloc[0])}" if one else f"on {counted(len(part), 'board')}"
        parts.append(f"{name} {where}")
    if rest := sum(len(part) for _, part in groups[_NAMED:]):
        parts.append(f"others on {counted(rest, 'more board')}")
    return listed(parts)


def moves(agreement: pd.DataFrame, ranks: pd.DataFrame) -> str:
    """How many of the top teams change place; "" where the top, or the log, is one team alone."""
    held = reference(agreement).iloc[0]
    if held["top"] < 2:
        return ""
    others = agreement.drop(index=held.name)
    top = int(held["top"])
    own = reference(ranks)
    best = own[(own["reference_place"] <= top).to_numpy(bool)]
    out = int((best["private_place"] > top).sum())
    first = f"the top {top} with {board_label(held)}"
    if held["teams"] <= top:
        private = ""  # where else
    elif others.empty:
        private = f" {_still_there(out, len(best), first, top)}"
    else:
        private = f" {_still_there(out, len(best), 'them', top)}"
    if others.empty:
        return private.strip()
    most = others.loc[others["moved"].idxmax()]
    if not most["moved"]:
        return (
            f"T{first[1:]} stand in the same order on all other boards (equal scores apart)."
            f"{private}"
        )
    least = int(others["moved"].min())
    much = int(most["moved"])
    span = f"up to {much}" if not least else f"{least} to {much}" if least < much else f"{least}"
    return (
        f"Of {first}, {span} {'has' if much == 1 else 'have'} "
        f"another place on another board, most with {board_label(most)}.{private}"
    )


def _still_there(out: int, number: int, whom: str, top: int) -> str:
    """How many of the top teams are there in private too."""
    if out in (0, number):
        return f"{'None' if out else 'All'} of {whom} are among the top {top} in private."
    verb = "is" if out == 1 else "are"
    return f"{count(out).capitalize()} of {whom} {verb} not among the top {top} in private."


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


def told_from(comparisons: pd.DataFrame, agreement: pd.DataFrame, by: str = "private") -> str:
    """From how many of those behind it the winner can be told; "" where nobody is behind it."""
    own = reference(comparisons)
    rows = own[(own["by"] == by).to_numpy(bool)]
    if rows.empty:
        return ""
    found = int((rows["p_holm"] <= LEVEL).sum())
    test = "a paired t-test" if (rows["test"] == "paired t").all() else "a bootstrap test"
    first = int(reference(agreement).iloc[0]["winners" if by == "private" else "leaders"])
    who, board = {"private": ("winner", ""), "public": ("leader", " of the public board")}[by]
    who = f"the {who}{board}" if first == 1 else f"one of the {first} {who}s{board}"
    # Those who share the first place are behind nobody.
    end = ": that it is in front of them may be luck" if not found and first == 1 else ""
    level = "level\u00a05\u00a0%"
    number = {0: "none", len(rows): "all"}.get(found, f"{found}")
    level += ", corrected for all of them by Holm's method" * (len(rows) > 1)
    behind = f"from {number} of the next {counted(len(rows), 'team')}"
    tells = "tells"
    if len(rows) == 1:
        tells = "tells" if found else "does not tell"
        behind, end = "from the next team", end.replace("them", "it")
    return (
        f"On the private rows {test} {tells} {who} ({rows['winner'].iloc[0]}) {behind} "
        f"({level}){end}."
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
    within, number = int(splits["within"].sum()), len(splits)
    gap = float(splits["gap"].median())
    word = "above" if gap > 0 else "below"
    whose = f"For {within} of the {number} best submissions the gap"
    middle, many = "; in the middle the public score is", (
        " About two in three are within where the public rows are rows like any others; the gaps "
        "of related submissions go together."
    )  # fmt: skip
    if number == 1:
        whose = "The gap of the one submission"
        middle, many = "; its public score is", ""
    is_within = "is within" if number > 1 or within else "is not within"
    return (
        f"{whose} between public and private score {is_within} one standard deviation of that "
        f"between random halves of the private rows{middle} {amount(abs(gap), 2)} {word} the "
        f"private one.{many}"
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
