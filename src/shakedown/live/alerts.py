"""Signs of probing: files that no model makes, read from the files alone.

A participant who works with models submits files that resemble each other, because all predict the
same response.  One who probes the board submits random numbers, or adds random numbers to a file.
An alert is a reason to look, and no proof; it uses neither the truth nor any score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sqlalchemy import Connection, func, select

from shakedown.leaderboard.charges import degrees, degrees_at_random, spectrum
from shakedown.live.contents import predictions_of
from shakedown.live.rules import Rules
from shakedown.live.tables import CONTENTS, SUBMISSIONS, TEAMS

#: Files of each team that are read, the latest.
LATEST = 40
#: Fewest files for an alert.
FEWEST = 8
#: Correlation below which two files have nothing in common, unless chance explains more.
UNRELATED = 0.2
#: Differences below these shares of the usual standard deviation of a file.
SMALL, SAME = 0.5, 0.0003
#: Of random directions in n rows, the mean of n cos^2 is 1; of changes of models it was 3.9 to 200.
RANDOM = 3.0
#: Largest share of rows that a file changes to ask for single rows.
FEW_ROWS = 0.1
#: A file is far off beyond so many usual standard deviations.
FAR = 4.0
#: Files are dear beyond this share of what random numbers cost.  From 69 rows on, random files had
#: .98 and more, and those of simulated honest teams, with errors correlated by .5, .92 at most.
DEAR = 0.97
#: With fewer rows, all files look alike.
FEWEST_ROWS = 20
#: New teams within an hour.
MANY, HOUR = 5, pd.Timedelta(hours=1)


@dataclass(frozen=True)
class Alert:
    """A sign of probing.

    Attributes
    ----------
    kind : str
        One of the keys of `SENTENCES`.
    team : str
        "" if it is about several.
    files : int
        How many of its files show it.
    sentence : str
    """

    kind: str
    team: str
    files: int
    sentence: str


SENTENCES = {
    "unrelated_files": "Its files have nothing in common, as random numbers have.",
    "falling_scale": "The scale of its files falls from each to the next, and little else is kept.",
    "random_steps": "It adds random numbers to an earlier file, a small step each time.",
    "few_rows": "It changes a few rows of an earlier file each time.",
    "near_identical": "It sends the same predictions again and again, with tiny changes.",
    "far_off": "Its predictions are on another scale than those of all other teams.",
    "dear_files": (
        "Its files cost {share:.0%} of what random numbers cost on a meter: they share nothing. "
        "Files of models cost less."
    ),
    "new_teams": "Many teams were registered within an hour while the board was running.",
}


def unrelated_files(files: np.ndarray, usual: float) -> int:
    """Files that do not resemble the others of the team.

    Parameters
    ----------
    files : ndarray, shape (k, n)
        A team's files in order.
    usual : float
        Standard deviation of a usual file.

    Returns
    -------
    int
        How many files show it; 0 for no alert.
    """
    standardised = _standardised(files)
    if len(standardised) < FEWEST:
        return 0
    alike = np.abs(standardised @ standardised.T)
    others = alike[~np.eye(len(standardised), dtype=bool)].reshape(len(standardised), -1)
    odd = np.median(others, axis=1) < max(UNRELATED, 2.0 / np.sqrt(files.shape[1]))
    return _enough(odd, len(standardised))


def falling_scale(files: np.ndarray, usual: float) -> int:
    """Files whose scale falls from each to the next, although they differ."""
    scales = files.std(axis=1)
    varied = scales > 0.0
    standardised, scales = _standardised(files), scales[varied]
    if len(standardised) < FEWEST:
        return 0
    falls = scales[1:] < scales[:-1]
    # Shrinking one file keeps its shape.
    differ = np.abs((standardised[1:] * standardised[:-1]).sum(axis=1)) < 0.5
    run = longest = 0
    for falling in falls & differ:
        run = run + 1 if falling else 0
        longest = max(longest, run)
    return longest + 1 if longest + 1 >= FEWEST else 0


def random_steps(files: np.ndarray, usual: float) -> int:
    """Small changes in directions that have nothing in common.

    Directions of models lie in few dimensions: of m changes, the mean square of the cosines is much
    larger than the 1/n of random directions.
    """
    steps = _steps(files)
    sizes = np.sqrt((steps**2).mean(axis=1))
    small = _standardised(steps[sizes < SMALL * usual])
    if len(small) < max(FEWEST, len(files) / 2):
        return 0
    return len(small) if _alike(small) * files.shape[1] < RANDOM else 0


def few_rows(files: np.ndarray, usual: float) -> int:
    """Files that differ from an earlier one in a few rows."""
    changed = (np.abs(_steps(files)) > 0.0).sum(axis=1)
    odd = (changed > 0) & (changed <= FEW_ROWS * files.shape[1])
    return _enough(odd, len(files))


def near_identical(files: np.ndarray, usual: float) -> int:
    """Files that equal an earlier one, or nearly, as if to read the noise of the board.

    Near files of a model whose parameter hardly matters differ in one direction, and do not count.
    """
    steps = _steps(files)
    near = np.sqrt((steps**2).mean(axis=1)) <= SAME * usual
    changes = _standardised(steps[near])
    if len(changes) > 1 and _alike(changes) > 0.5:
        near &= ~steps.any(axis=1)
    return _enough(near, len(files))


def far_off(files: np.ndarray, usual: float, centre: float) -> int:
    """Files whose mean or scale is far from that of other teams' files."""
    odd = (files.std(axis=1) > FAR * usual) | (np.abs(files.mean(axis=1) - centre) > FAR * usual)
    return _enough(odd, len(files))


def dear_files(files: np.ndarray) -> tuple[int, float]:
    """Files that together cost as much of a meter as random numbers.

    What a team has spent does not tell: no file costs more than its part of the rest of the budget,
    so after a quarter of the files a fifth is spent at most, and honest teams often spend all they
    may.  So the files are measured with one noise, as large as each file, whatever the board.

    Parameters
    ----------
    files : ndarray, shape (k, n)
        A team's files on the public rows, in order.

    Returns
    -------
    files : int
        How many there are; 0 for no alert.
    share : float
        Of what as many files of random numbers cost.
    """
    standardised = _standardised(files)
    count, rows = len(standardised), files.shape[1]
    if count < FEWEST or rows < FEWEST_ROWS:
        return 0, 0.0
    share = degrees(spectrum(standardised), 1.0) / degrees_at_random(count, rows)
    return (count if share > DEAR else 0), share


def new_teams(registered: Sequence, first: object) -> int:
    """The most teams registered within an hour after the first submission; 0 if few.

    Parameters
    ----------
    registered : sequence of times
    first : time or None
        When the first file of the board was submitted.
    """
    if first is None:
        return 0
    times = pd.to_datetime(pd.Series(list(registered), dtype=object), utc=True).sort_values()
    times = times[times > pd.Timestamp(first)].to_numpy()
    most = max(
        (int(np.searchsorted(times, time + HOUR.to_numpy(), "right")) - k
         for k, time in enumerate(times)), default=0,
    )  # fmt: skip
    return most if most >= MANY else 0


def alerts(
    files: dict[str, np.ndarray], registered: Sequence = (), first=None, metered=None
) -> list[Alert]:
    """The alerts of a board.

    Parameters
    ----------
    files : dict of str to ndarray, shape (k, n)
        Each team's files, in order.
    registered : sequence of times
        When teams were registered.
    first : time, optional
        When the first file of the board was submitted.
    metered : ndarray of int or bool, optional
        Which rows a metered board measures, the public ones; None on other boards.
    """
    spreads = {team: float(np.median(own.std(axis=1))) for team, own in files.items()}
    centres = {team: float(np.median(own.mean(axis=1))) for team, own in files.items()}
    raised = []
    for team, own in files.items():
        # An attack on the usual scale cannot hide its own: the median is over teams.
        varied = [spread for spread in spreads.values() if spread > 0.0]
        usual = float(np.median(varied)) if varied else 0.0
        others = [name for name in files if name != team and spreads[name] > 0.0]
        numbers = {detector.__name__: detector(own, usual) for detector in ALONE}
        if len(others) >= 3:
            usual = float(np.median([spreads[name] for name in others]))
            centre = float(np.median([centres[name] for name in others]))
            numbers["far_off"] = far_off(own, usual, centre)
        raised += [Alert(kind, team, k, SENTENCES[kind]) for kind, k in numbers.items() if k]
        if metered is not None:
            count, share = dear_files(own[:, metered])
            if count:
                said = SENTENCES["dear_files"].format(share=share)
                raised.append(Alert("dear_files", team, count, said))
    if count := new_teams(registered, first):
        raised.append(Alert("new_teams", "", count, SENTENCES["new_teams"]))
    return raised


#: Signs in the files of one team.
ALONE = (unrelated_files, falling_scale, random_steps, few_rows, near_identical)


def alerts_of(
    connection: Connection, board_id: int, rules: Rules, metered: np.ndarray | None = None,
    responses: int = 1,
) -> list[Alert]:  # fmt: skip
    """The alerts of a board, from the latest files of each team.

    Parameters
    ----------
    connection : Connection
    board_id : int
    rules : Rules
    metered : ndarray of int or bool, optional
        As for `alerts`.
    responses : int
        How many there are: the predictions of a row stand together in a file.
    """
    teams = connection.execute(
        select(TEAMS.c.id, TEAMS.c.name, TEAMS.c.registered_at).where(TEAMS.c.board_id == board_id)
    ).all()
    of_board = SUBMISSIONS.c.board_id == board_id
    first = connection.execute(select(func.min(SUBMISSIONS.c.received_at)).where(of_board)).scalar()
    files = {}
    for team in teams:
        query = (
            select(CONTENTS.c.content)
            .join(SUBMISSIONS, CONTENTS.c.sha256 == SUBMISSIONS.c.content)
            .where(SUBMISSIONS.c.team_id == team.id)
            .order_by(SUBMISSIONS.c.number.desc())
            .limit(LATEST)
        )
        if rows := connection.execute(query).scalars().all():
            files[team.name] = np.array([predictions_of(row, rules) for row in reversed(rows)])
    times = [pd.Timestamp(team.registered_at, unit="us", tz="UTC") for team in teams]
    since = None if first is None else pd.Timestamp(first, unit="us", tz="UTC")
    if responses > 1 and files:
        files = in_one_unit(files, responses)
    return alerts(files, times, since, metered)


def in_one_unit(files: dict[str, np.ndarray], responses: int) -> dict[str, np.ndarray]:
    """Files with the mean 0 and the spread 1 of each response, by the medians over teams.

    Else all files would resemble each other, because each response has a mean and a unit of its
    own.

    Parameters
    ----------
    files : dict of str to ndarray, shape (k, n q)
    responses : int
        q.
    """
    tables = {team: own.reshape(len(own), -1, responses) for team, own in files.items()}
    # Medians over teams: one that sends many files does not set the unit.
    means = [np.median(own.mean(axis=1), axis=0) for own in tables.values()]
    spreads = [np.median(own.std(axis=1), axis=0) for own in tables.values()]
    centres, scales = np.median(means, axis=0), np.median(spreads, axis=0)
    scales = np.where(scales > 0.0, scales, 1.0)
    return {team: ((own - centres) / scales).reshape(len(own), -1) for team, own in tables.items()}


def _standardised(files: np.ndarray) -> np.ndarray:
    """Files that are not constant, with mean 0 and length 1."""
    centred = files - files.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(centred, axis=1)
    return centred[norms > 0.0] / norms[norms > 0.0, None]


def _alike(changes: np.ndarray) -> float:
    """Mean square of the cosines between changes of length 1."""
    cosines = changes @ changes.T
    return float((cosines[~np.eye(len(changes), dtype=bool)] ** 2).mean())


def _steps(files: np.ndarray) -> np.ndarray:
    """The change of each file but the first from the nearest earlier one; shape (k - 1, n)."""
    steps = np.empty((max(len(files) - 1, 0), files.shape[1]))
    for k in range(1, len(files)):
        changes = files[k] - files[:k]
        steps[k - 1] = changes[np.argmin((changes**2).sum(axis=1))]
    return steps


def _enough(odd: np.ndarray, files: int) -> int:
    """How many are odd, if they are enough for an alert."""
    count = int(odd.sum())
    return count if count >= max(FEWEST - 1, files / 2) else 0
