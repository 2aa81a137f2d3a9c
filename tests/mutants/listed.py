"""Which mutants are tried: those written by hand, and how many are made of each file."""

from __future__ import annotations

from typing import NamedTuple

from tests.mutants.making import mutants_of
from tests.mutants.mutant import Mutant, source_of


class Plan(NamedTuple):
    """How many mutants are made of a file, and the tests that concern it, quick ones first."""

    made: int
    tests: str


#: By file of the package.  Tests are modules of `tests`, without "test_" and ".py".
PLANS: dict[str, Plan] = {
    "leaderboard/gates.py": Plan(
        22, "leaderboard/gates leaderboard/bits leaderboard/board leaderboard/noise"
    ),
    "leaderboard/releases.py": Plan(
        22, "leaderboard/releases leaderboard/disclosure leaderboard/board leaderboard/noise"
    ),
    "leaderboard/board.py": Plan(
        22,
        "leaderboard/board leaderboard/refusals leaderboard/one_board leaderboard/hill_climb "
        "leaderboard/defences attacks/label_attacks",
    ),
    "leaderboard/team_boards.py": Plan(10, "leaderboard/team_boards replay/games"),
    "leaderboard/scorer.py": Plan(8, "leaderboard/board leaderboard/defences attacks/contract"),
    "attacks/boosting.py": Plan(
        12, "attacks/label_attacks attacks/defended attacks/contract theory/boosting"
    ),
    "attacks/jumps.py": Plan(14, "attacks/jumps attacks/attacks"),
    "attacks/step_forward.py": Plan(12, "attacks/attacks attacks/jumps attacks/contract"),
    "attacks/freedman.py": Plan(6, "attacks/attacks attacks/contract"),
    "attacks/best_of_many.py": Plan(10, "attacks/best_of_many attacks/contract"),
    "attacks/least_squares.py": Plan(10, "attacks/least_squares attacks/attacks"),
    "attacks/label_climb.py": Plan(8, "attacks/label_climb attacks/contract"),
    "attacks/linear_probe.py": Plan(6, "attacks/adversaries attacks/contract"),
    "attacks/posterior.py": Plan(6, "attacks/scan attacks/adversaries attacks/between_updates"),
    "attacks/enumeration.py": Plan(6, "attacks/adversaries attacks/contract"),
    "metrics/kernels.py": Plan(14, "metrics/metrics metrics/contract metrics/magnitudes"),
    "metrics/metric.py": Plan(8, "metrics/metrics metrics/contract metrics/own metrics/magnitudes"),
    "metrics/functions.py": Plan(6, "metrics/own metrics/contract metrics/magnitudes"),
    "data/splits.py": Plan(22, "data/splits data/labels data/magnitudes simulation/replicate"),
    "dryrun/frontier.py": Plan(
        20, "dryrun/threats dryrun/recommendation dryrun/labels dryrun/limits"
    ),
    "dryrun/limits.py": Plan(
        10, "dryrun/threats dryrun/recommendation dryrun/labels dryrun/limits"
    ),
    "theory/boosting.py": Plan(10, "theory/boosting theory/simulated"),
    "theory/bounds.py": Plan(10, "theory/bounds theory/simulated"),
    "theory/gains.py": Plan(10, "theory/gains theory/simulated"),
    "theory/guarantees.py": Plan(10, "theory/guarantees theory/proved"),
    "theory/leakage.py": Plan(10, "theory/leakage theory/budget"),
    "claims/claim.py": Plan(6, "claims/claim claims/evaluation claims/tables claims/labels"),
    "claims/evaluation.py": Plan(6, "claims/evaluation claims/claim claims/verdicts"),
    "claims/intervals.py": Plan(8, "claims/evaluation claims/resampling claims/labels"),
    "claims/requirement.py": Plan(4, "claims/requirement claims/evaluation"),
    "claims/resampling.py": Plan(6, "claims/resampling claims/evaluation"),
    "replay/rules.py": Plan(16, "replay/rules replay/reading"),
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
        "        batch = self._scored(predictions)\n        self._batches += 1\n"
        "        return self._submitted(batch, predictions)",
        "        return self._submitted(self._scored(predictions), predictions)",
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
    ("replay/rules.py", "        which = which & keep\n", ""),
    ("replay/rules.py", "fills and total <= MOST_FILLED * n", "fills and total < MOST_FILLED * n"),
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
    # Between breaks that are equally good.
    ("attacks/jumps.py", "if gain >= best:", "if gain > best:"),
    ("attacks/jumps.py", "start[k] < start[top]", "start[k] > start[top]"),
    ("attacks/jumps.py", "gain[k] > gain[top] or", "gain[k] >= gain[top] or"),
    ("attacks/jumps.py", "gain[top] < penalty", "gain[top] <= penalty"),
]


def mutants() -> list[Mutant]:
    """All mutants, in the order of `PLANS`; those by hand first."""
    found = []
    for file, plan in PLANS.items():
        source = source_of(file)
        found += [_by_hand(source, *one) for one in BY_HAND if one[0] == file]
        named = {one.name for one in found}
        found += [one for one in mutants_of(file)[: plan.made] if one.name not in named]
    return found


def tests_of(file: str) -> list[str]:
    """The paths of the tests that concern a file."""
    parts = (one.rpartition("/") for one in PLANS[file].tests.split())
    return [f"{folder}/test_{name}.py" for folder, _, name in parts]


def _by_hand(source: str, file: str, old: str, new: str) -> Mutant:
    if source.count(old) != 1:
        raise ValueError(f"{file}: wanted {old!r} once, got {source.count(old)} times.")
    start = source.index(old)
    return Mutant(file, "by hand", old, new, 0, start, start + len(old))
