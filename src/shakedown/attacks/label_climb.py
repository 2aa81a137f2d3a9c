"""The label climb: flip some random labels of the best file, and keep what a board shows as better.

The number of labels follows from the board's published rule.  If s is the shown loss and m of n
labels are flipped at random, a hypergeometric number R of them become right, and the loss
falls by (2 R - m) / n.  For the change to be accepted, and shown as better, 2 R - m must be at
least 1, n times the margin of the gate and n times the step of the shown score, and, for a paired
t-test with the critical value c, above c sqrt(m).  The attack flips as many labels as have the
largest expected gain.  So a strict test costs it submissions, not luck: at level alpha about one of
1 / alpha random changes passes, and it passes with a gain that is as large as the test demands.

If the shown scores are noisy, a change must promise a gain of at least two standard deviations of
the noise.  After a score that is better than the mean of those before by half of the gain that the
rule demands, it submits the honest file four times: the board rejects that, and shows the best with
new noise.  If the mean of the five scores is as good, it keeps the change.

On a digest only the best file between two updates counts, so it changes its file once before each.

It begins with the honest file (see `on_labels`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar

import numpy as np

from shakedown.attacks.flipping import FlippingAttack, PreparedFlipping, Turns
from shakedown.attacks.greedy_climb import is_seen
from shakedown.interface import Game, ParticipantData
from shakedown.terms import Acceptance, LeaderboardClient, Schedule

#: Submissions with the same number of flips.
BATCH = 8
#: On boards with noise: the least gain, in standard deviations, and files that confirm it.
PLAIN, CONFIRMED = 2.0, 4
#: The tolerance for rounding errors, in labels.
CLOSE = 1e-6


class LabelClimb(FlippingAttack):
    """The label climb; the last labels kept are the final model."""

    name: ClassVar[str] = "label_climb"
    label: ClassVar[str] = "Label climb"
    phrase: ClassVar[str] = "the label climb"
    sentence: ClassVar[str] = (
        "Flips random labels of its best file, as many as promise the largest gain under the "
        "board's rule, and keeps them whenever the released score improves."
    )
    order: ClassVar[float] = 7.5

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedLabelClimb:
        return PreparedLabelClimb(self, participant, model, rng)


class PreparedLabelClimb(PreparedFlipping):
    """The attack in one replicate."""

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play on a board for each account, or on the one that they share."""
        turns, rng = self._turns(open_board), self._rng()
        terms = turns.board.terms
        if terms.is_noisy and not terms.replaces_always:
            return self._play_noisy(turns, rng)
        if terms.schedule is not None:
            return self._play_digest(turns, rng, terms.schedule)
        labels, n = self._honest.public.copy(), len(self._honest.public)
        lowest = np.inf
        done, kept, submitted = 0, 0, []
        lists, counts = [], []
        for stop in self._points:
            while done < stop:
                if not done or turns.is_over(done):  # an account begins with the best labels
                    lowest = min(lowest, float(turns.board.submit(labels[None]).released[0]))
                    submitted.append(np.array([done]))
                    done += 1
                    continue
                size = best_flips(lowest, terms.acceptance, terms.step, n)
                count = min(BATCH, stop - done, turns.end - done)
                moves = [rng.choice(n, size, replace=False) for _ in range(count)]
                climbed = turns.board.climb(labels, np.array(moves), lowest)
                lowest = min(lowest, float(climbed.shown.min()))
                kept += int(climbed.kept.sum())
                submitted.append(done + np.arange(len(moves)))
                done += len(moves)
            lists.append(labels.copy())
            counts.append(kept)
        return self._game(lists, counts, submitted)

    def _play_digest(self, turns: Turns, rng: np.random.Generator, schedule: Schedule) -> Game:
        """Play on a board of updates: one change before each, as only the best file counts."""
        labels, n = self._honest.public.copy(), len(self._honest.public)
        # What a model's file has is not known before an update shows it.
        lowest = None if self.size else turns.board.terms.start
        step = turns.board.terms.step
        kept, done, submitted = 0, 0, []
        lists, counts = [], []

        def send(file: np.ndarray, stop: int) -> float:
            nonlocal done
            submitted.append(np.arange(done, stop))
            done = stop
            files = file[None].repeat(len(submitted[-1]), axis=0)
            return float(turns.board.submit(files).released[-1])

        for stop in self._points:
            while done < stop:
                if turns.is_over(done):
                    lowest = None  # an account begins with the best labels
                used = done - turns.began
                update = turns.began + (used // schedule.every + 1) * schedule.every
                update = min(update, stop, turns.end)
                if not is_seen(schedule, update - turns.began):
                    send(labels, update)
                    continue
                file = labels.copy()
                if lowest is not None:
                    to_next = 0.0
                    if step:
                        to_next = lowest - step * (np.ceil(lowest / step - CLOSE) - 1.0)
                    size = best_flips(lowest, None, to_next, n)
                    flips = rng.choice(n, size, replace=False)
                    file[flips] = 1.0 - file[flips]
                shown = send(file, update)
                if lowest is not None and shown < lowest:
                    labels, kept = file, kept + 1
                lowest = shown
            lists.append(labels.copy())
            counts.append(kept)
        return self._game(lists, counts, submitted)

    def _play_noisy(self, turns: Turns, rng: np.random.Generator) -> Game:
        """Play on a board whose shown score is that of the best and noise."""
        base, n, most = self._honest.public, len(self._honest.public), self._points[-1]
        labels_after = [base]  # the labels after each submission
        kept = [0]
        labels = base

        def shown(file: np.ndarray) -> float:
            labels_after.append(labels)
            kept.append(kept[-1])
            return float(turns.board.submit(file[None]).released[0])

        scores = [shown(base)]  # of the best
        terms = turns.board.terms
        while len(labels_after) <= most:
            if turns.is_over(len(labels_after) - 1):  # an account begins with the best labels
                scores = [shown(labels)]
                continue
            level = float(np.clip(np.mean(scores), 1.0 / n, 0.5))
            sd = terms.noise_sd
            if terms.replications:
                sd = np.sqrt(level * (1.0 - level) / (n * terms.replications))
            least = PLAIN * n * sd
            size = best_flips(level, terms.acceptance, terms.step, n, least)
            file = labels.copy()
            flips = rng.choice(n, size, replace=False)
            file[flips] = 1.0 - file[flips]
            gain = demanded_gain(size, terms.acceptance, terms.step, n, least)
            wanted = level - 0.5 * gain / n
            new_scores = [shown(file)]
            if new_scores[0] < wanted:
                left = turns.end + 1 - len(labels_after)
                new_scores += [shown(base) for _ in range(min(CONFIRMED, left))]
            if len(new_scores) > CONFIRMED and np.mean(new_scores) < wanted:
                labels, scores = file, new_scores
                labels_after[-1], kept[-1] = labels, kept[-1] + 1
            else:
                scores = scores + new_scores
        lists, counts = (
            [values[point] for point in self._points] for values in (labels_after, kept)
        )
        return self._game(lists, counts, [np.array([t]) for t in range(most)])


def demanded_gain(
    sizes: np.ndarray | int, rule: Acceptance | None, step: float, n: int, least: float = 0.0
) -> np.ndarray:
    """How many more labels must become right than wrong, for each number of flips."""
    margin, critical = (0.0, 0.0) if rule is None else (max(rule.margin, 0.0), rule.critical)
    whole = max(n * max(margin, step), least) - CLOSE
    return np.maximum(max(whole, 0.0), max(critical, 0.0) * np.sqrt(sizes) * (1.0 + CLOSE))


def best_flips(
    shown: float, rule: Acceptance | None, step: float, n: int, least: float = 0.0
) -> int:
    """The number of random flips with the largest expected gain.

    Parameters
    ----------
    shown : float
        Released loss.
    rule : Acceptance or None
        The board's, if it is known.
    step : float
        Step of the released score; 0 for none.
    n : int
        Number of labels.
    least : float
        How many more labels shall become right than wrong at least.

    Returns
    -------
    int
        From 1 to n/2.
    """
    wrong = int(np.clip(round(shown * n), 1, n - 1))
    return _best_flips(wrong, rule, step, n, round(least, 1))


@lru_cache(maxsize=4096)
def _best_flips(wrong: int, rule: Acceptance | None, step: float, n: int, least: float) -> int:
    """`best_flips` for a number of wrong labels."""
    from scipy.stats import hypergeom  # slow to import

    sizes = np.unique(np.round(np.geomspace(1, max(n // 2, 1), 60)).astype(int))
    demanded = demanded_gain(sizes, rule, step, n, least)
    right = np.floor((sizes + demanded) / 2.0) + 1.0  # the fewest that must become right
    within = right <= sizes
    m, right = sizes[within], right[within]
    if not len(m):
        return int(sizes[-1])
    # E[R; R >= r] = m W / n P(R' >= r - 1), with one flip, one wrong label and one label fewer.
    reached = hypergeom.sf(right - 1.0, n, wrong, m)
    fewer = hypergeom.sf(right - 2.0, n - 1, wrong - 1, m - 1)
    return int(m[np.argmax(2.0 * m * wrong / n * fewer - m * reached)])
