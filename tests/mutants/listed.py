"""Which mutants are tried: those written by hand, and how many are made of each file."""

from __future__ import annotations

from typing import NamedTuple

from tests.mutants.making import mutants_of
from tests.mutants.mutant import Mutant, source_of


class Plan(NamedTuple):
    """How many mutants are made of a file, and the tests that concern it.

    `more` are tests that take longer; they run with ``--more``.
    """

    made: int
    tests: str
    more: str = ""


#: By file of the package.  Tests are modules of `tests`, without "test_" and ".py".
PLANS: dict[str, Plan] = {
    "theory/boosting.py": Plan(8, "theory/boosting", "theory/simulated"),
    "theory/bounds.py": Plan(8, "theory/bounds", "theory/simulated"),
    "theory/gains.py": Plan(8, "theory/gains", "theory/simulated"),
    "theory/guarantees.py": Plan(8, "theory/guarantees", "theory/proved"),
    "theory/leakage.py": Plan(8, "theory/leakage theory/budget"),
    "claims/claim.py": Plan(
        6, "claims/claim claims/evaluation claims/study_tables", "claims/labels"
    ),
    "claims/evaluation.py": Plan(6, "claims/evaluation claims/claim claims/verdicts"),
    "claims/intervals.py": Plan(
        8, "claims/evaluation claims/resampled_statistics", "claims/labels"
    ),
    "claims/requirement.py": Plan(4, "claims/requirement claims/evaluation"),
    "claims/resampled_statistics.py": Plan(4, "claims/resampled_statistics claims/evaluation"),
    "replay/cleaning.py": Plan(14, "replay/cleaning replay/reading"),
    "data/splits.py": Plan(
        18, "data/splits data/magnitudes simulation/label_games", "simulation/replicate"
    ),
    "data/scaling.py": Plan(8, "data/scaling data/magnitudes", "data/splits"),
    "metrics/metric.py": Plan(6, "metrics/metrics metrics/contract metrics/own metrics/magnitudes"),
    "metrics/functions.py": Plan(4, "metrics/own metrics/contract metrics/magnitudes"),
    "attacks/freedman.py": Plan(4, "attacks/attacks", "dryrun/plan attacks/contract"),
    "attacks/step_forward.py": Plan(8, "attacks/attacks attacks/jumps", "attacks/contract"),
    "attacks/best_of_many.py": Plan(6, "attacks/best_of_many", "attacks/contract"),
    "attacks/label_climb.py": Plan(6, "attacks/label_climb", "attacks/contract dryrun/labels"),
    "attacks/linear_probe.py": Plan(4, "attacks/adversaries", "attacks/contract"),
    "attacks/enumeration.py": Plan(4, "attacks/label_attacks", "attacks/contract"),
    "leaderboard/board.py": Plan(
        10,
        "leaderboard/board leaderboard/refusals leaderboard/one_board leaderboard/hill_climb",
        "leaderboard/defences attacks/label_attacks",
    ),
    "leaderboard/judge.py": Plan(
        16,
        "leaderboard/board leaderboard/refusals leaderboard/one_board leaderboard/hill_climb",
        "leaderboard/defences leaderboard/noise attacks/label_attacks",
    ),
    "leaderboard/posterior_odds.py": Plan(8, "leaderboard/gates", "leaderboard/team_boards"),
    "leaderboard/scorer.py": Plan(6, "leaderboard/board", "leaderboard/defences attacks/contract"),
    "leaderboard/team_boards.py": Plan(6, "leaderboard/team_boards", "replay/games"),
    "attacks/jumps.py": Plan(10, "attacks/jumps attacks/attacks"),
    "attacks/boosting.py": Plan(
        10,
        "attacks/label_attacks",
        "attacks/defended attacks/accounts attacks/contract dryrun/labels",
    ),
    "metrics/kernels.py": Plan(
        10,
        "metrics/metrics metrics/contract metrics/magnitudes",
        "leaderboard/releases leaderboard/gates",
    ),
    "attacks/least_squares.py": Plan(8, "attacks/least_squares attacks/attacks"),
    "attacks/posterior.py": Plan(
        4, "attacks/posterior attacks/adversaries", "attacks/scan attacks/between_updates"
    ),
    "dryrun/frontier.py": Plan(16, "dryrun/limits dryrun/threats", "dryrun/recommendation"),
    "dryrun/limits.py": Plan(8, "dryrun/crossings dryrun/threats", "dryrun/limits"),
    "leaderboard/releases.py": Plan(
        14,
        "leaderboard/releases leaderboard/disclosure leaderboard/adaptive_ladderboot",
        "leaderboard/board leaderboard/noise",
    ),
    "leaderboard/bootstrap/resampling.py": Plan(
        10, "leaderboard/releases", "leaderboard/noise leaderboard/board"
    ),
    "leaderboard/bootstrap/bits.py": Plan(8, "leaderboard/bits", "leaderboard/releases"),
    "leaderboard/bootstrap/sums.py": Plan(8, "leaderboard/releases leaderboard/gates"),
    "leaderboard/gates.py": Plan(
        10,
        "leaderboard/gates theory/leakage leaderboard/disclosure",
        "leaderboard/bits leaderboard/board leaderboard/noise",
    ),
    "leaderboard/stopping.py": Plan(8, "leaderboard/stopping leaderboard/gates"),
}

#: File, text that occurs once, and what replaces it.
BY_HAND: list[tuple[str, str, str]] = [
    # Public labels are final labels too.
    ("data/splits.py", "parts = [y[:0], y[:n], y[n:]]", "parts = [y[:0], y[:n], y[:n_final]]"),
    ("data/splits.py", "parts = [y[:0], y[:n], y[n:]]", "parts = [y[:0], y[:n], y[n - 1 : -1]]"),
    ("data/splits.py", "{0.0, 1.0}", "{0.0, 1.0, 2.0}"),
    # The next batch of a noisy board draws what the last one drew.
    (
        "leaderboard/board.py",
        "        batch = self.scorer.judge(predictions)\n        self._batches += 1\n"
        "        return self._step(batch)",
        "        return self._step(self.scorer.judge(predictions))",
    ),
    # A later batch forgets the lowest score.
    (
        "attacks/boosting.py",
        "            lowest = min(lowest, shown.min())\n            add_votes(",
        "            add_votes(",
    ),
    (
        "attacks/boosting.py",
        "            lowest = min(lowest, shown.min())\n            add_votes(",
        "            lowest = shown.min()\n            add_votes(",
    ),
    (
        "attacks/boosting.py",
        "lists[at], counts[at] = votes > 0",
        "lists[at], counts[at] = votes >= 0",
    ),
    # A row that is left out for two reasons is counted twice.
    ("replay/cleaning.py", "        which = which & keep\n", ""),
    (
        "replay/cleaning.py",
        "fills and total <= MOST_FILLED * n",
        "fills and total < MOST_FILLED * n",
    ),
    # A limit outside its own interval.
    (
        "dryrun/frontier.py",
        "np.clip(isotonic_regression(delta, increasing=False).x, low, high)",
        "isotonic_regression(delta, increasing=False).x",
    ),
    (
        "dryrun/frontier.py",
        "np.clip(isotonic_regression(delta, increasing=False).x, low, high)",
        "np.clip(delta, low, high)",
    ),
    # Above 1/2 the Ladder lets worse submissions pass.
    (
        "leaderboard/gates.py",
        "if critical >= 0.0 and not less(risks[t], shown):",
        "if not less(risks[t], shown):",
    ),
    # Between breaks that are equally good.
    ("attacks/jumps.py", "if gain >= best:", "if gain > best:"),
    ("attacks/jumps.py", "start[k] < start[top]", "start[k] > start[top]"),
    ("attacks/jumps.py", "gain[k] > gain[top] or", "gain[k] >= gain[top] or"),
    ("attacks/jumps.py", "gain[top] < penalty", "gain[top] <= penalty"),
]


def mutants() -> list[Mutant]:
    """All mutants, in the order of `PLANS`; those by hand first."""
    made = []
    for file, plan in PLANS.items():
        source = source_of(file)
        made += [_by_hand(source, *change) for change in BY_HAND if change[0] == file]
        named = {mutant.name for mutant in made}
        made += [mutant for mutant in mutants_of(file)[: plan.made] if mutant.name not in named]
    return made


def concerned(file: str, *, more: bool = False) -> list[str]:
    """The paths of the tests that concern a file, within `tests`."""
    plan = PLANS[file]
    named = f"{plan.tests} {plan.more if more else ''}".split()
    parts = (path.rpartition("/") for path in named)
    return [f"{folder}/test_{name}.py" for folder, _, name in parts]


def _by_hand(source: str, file: str, old: str, new: str) -> Mutant:
    if source.count(old) != 1:
        raise ValueError(f"{file}: wanted {old!r} once, got {source.count(old)} times.")
    start = source.index(old)
    return Mutant(file, "by hand", old, new, 0, start, start + len(old))
