"""Mutants written by hand: faults that once survived, or that no rule makes."""

from __future__ import annotations

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
    # Where larger is better, the largest score is last.
    ("live/standings.py", "-1.0 if rules.judged_by.larger_is_better else 1.0", "1.0"),
    # What is tolerated, in the wrong unit.
    ("dryrun/proof.py", "key[2] / unit", "key[2] * unit"),
    # A score is shown as a risk: by a preview, for a refused file, and in a board's name.
    ("leaderboard/judge.py", "Receipt(self.scorer.metric.sign * shown,", "Receipt(shown,"),
    (
        "leaderboard/judge.py",
        "np.where(refused, state.shown, shown)",
        "np.where(refused, 0.0, shown)",
    ),
    ("leaderboard/board.py", "self.scorer.metric.sign * self.state.shown", "self.state.shown"),
    # Which columns and rows repeat earlier ones.
    (
        "data/checks.py",
        "    repeats = first != np.arange(len(first))",
        "    repeats = first == np.arange(len(first))",
    ),
    (
        "data/checks.py",
        "np.flatnonzero(first != np.arange(len(first)))",
        "np.flatnonzero(first == np.arange(len(first)))",
    ),
    # Replicates make different numbers of submissions.
    (
        "simulation/outcomes.py",
        'values("submissions").max(axis=1)',
        'values("submissions")[:, 0]',
    ),
    # Of several files with the best public score, the latest counts.
    ("replay/games.py", 'seen["score_public"]).iloc[::-1]', 'seen["score_public"])'),
    # A step that divides nothing evenly.
    ("theory/guarantees.py", "max(1.0 / eta, round(1.0 / eta))", "1.0 / eta"),
    # Submissions that are dealt to accounts are counted in full.
    ("dryrun/candidates.py", "-(-made // accounts)", "made // accounts"),
    # A final model that is not shown changes no error.
    ("simulation/session.py", "np.where(asked, errors, largest)", "errors"),
]
