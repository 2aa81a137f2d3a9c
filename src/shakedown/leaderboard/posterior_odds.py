"""The gate of Bayesian-bootstrap posterior odds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from shakedown.compiled import kernel
from shakedown.leaderboard.bootstrap.bits import draw_exponentials, side_by_side
from shakedown.leaderboard.bootstrap.sums import (
    blank_weights,
    drawn_together,
    in_units,
    terms_of,
    terms_of_response,
    weighted_risk,
    weighted_sums,
)
from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.stopping import bounds
from shakedown.leaderboard.ties import less
from shakedown.metrics import Metric
from shakedown.terms import Acceptance, Terms


@dataclass(frozen=True)
class PosteriorOdds(Gate):
    """Accept a submission by Bayesian-bootstrap posterior odds ([C] Alg. 5 and 6, lines 9-11).

    For each submission, Dirichlet(1, …, 1) weights are drawn until the decision is clear: it is
    another than that after all `draws` with a probability of at most 1e-15 times `draws`
    (`stopping.bounds`).  Without `chain`, all submissions of the batch share the same weights,
    because each of them would be the next one.
    """

    odds: float
    draws: int
    name = "posterior_odds"
    draws_weights = True

    def needed(self) -> int:
        """The smallest k >= 1 with k / (draws - k) >= odds, up to rounding errors."""
        return max(1, int(np.ceil(self.odds * (1.0 - 1e-9) * self.draws / (1.0 + self.odds))))

    def converse(self) -> PosteriorOdds:
        # With B draws, of which a submission must win k, an entry stays that wins more than B - k.
        enough = self.draws - self.needed() + 1
        # The odds that require `enough` of the draws; a huge number if they require all.
        odds = enough / (self.draws - enough) if enough < self.draws else 1e6 * self.draws
        return PosteriorOdds(odds, self.draws)

    def terms(self, terms: Terms, n: int) -> Terms:
        # About the paired test whose level is the probability that the odds allow.
        level = min(self.odds / (1.0 + self.odds), np.nextafter(1.0, 0.0))
        critical = NormalDist().inv_cdf(level)
        return replace(terms, acceptance=Acceptance(0.0, critical))

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        decided, states = bounds(self.draws, self.needed()), side_by_side(rng)
        given = y[: batch.rows.shape[1]], batch.rows, best.row, best.risk == np.inf
        if metric.formula is None:
            return _by_odds_of_any_metric(metric, *given, decided, chain, states)
        return _by_odds(*given, metric.formula, decided, chain, drawn_together(metric), states)


#: ASSUME: with more than MANY_ROWS public rows, FEWER_DRAWS replications suffice.  The time of a
#: test is proportional to rows times replications; the standard error of the estimated probability
#: is at most 1 / (2 sqrt(replications)).
MANY_ROWS, FEWER_DRAWS = 1000, 200


def fewer_draws(n_public: int) -> dict[str, int]:
    """The `draws` of a Bayesian test in a dry run; empty for the default."""
    return {"draws": FEWER_DRAWS} if n_public > MANY_ROWS else {}


@kernel
def _by_odds(y, rows, best_row, empty, formula, decided, chain, groups, states):
    m = len(rows)
    standing = np.empty(m, np.int64)
    response = in_units(terms_of_response(y), groups)
    best = in_units(terms_of(best_row, y, formula), groups)
    last = -1
    size = 1 if chain else m
    for start in range(0, m, size):
        candidates = np.empty((size, *response.shape))
        for k in range(size):
            candidates[k] = in_units(terms_of(rows[start + k], y, formula), groups)
        if not empty:
            favoured = _favoured(response, candidates, best, formula, decided, states)
        for k in range(size):
            accepted = empty or favoured[k]
            standing[start + k] = start + k if accepted else last  # [C] Alg. 5 and 6, line 11
            if accepted and chain:
                last, best, empty = start, candidates[0], False
    return standing


@kernel
def _favoured(response, candidates, best, formula, decided, states):
    """Whether each candidate is better in enough replications, by `stopping.bounds`; shape (q,).

    All candidates share the replications; a candidate takes part until it is decided.
    """
    count = len(candidates)
    wins, undecided = np.zeros(count, np.int64), np.arange(count)
    favoured = np.zeros(count, np.bool_)
    weights = np.empty(response.shape[1])
    made = 0
    while count:
        # Dirichlet(1, ..., 1) weights up to a factor, which changes no metric.
        draw_exponentials(states, weights)
        made += 1
        sums = weighted_sums(weights, response)
        old = weighted_risk(formula, weights, sums, best)
        kept = 0
        for j in range(count):
            k = undecided[j]
            wins[k] += less(weighted_risk(formula, weights, sums, candidates[k]), old)
            favoured[k] = wins[k] >= decided[made, 1]
            if not favoured[k] and wins[k] > decided[made, 0]:
                undecided[kept] = k
                kept += 1
        count = kept
    return favoured


def _by_odds_of_any_metric(metric, y, rows, best_row, empty, decided, chain, states):
    """`_by_odds` for a metric given as a Python function."""
    m = len(rows)
    standing = np.empty(m, np.int64)
    best, last = best_row, -1
    size = 1 if chain else m
    groups = np.arange(len(y)) if metric.groups is None else metric.groups
    weights = blank_weights(int(groups.max()) + 1)
    in_force = metric.weighted(y, best)

    def risk(score):
        return metric.sign * score(weights[groups])

    for start in range(0, m, size):
        wins = np.zeros(size, int)
        favoured, undecided = np.full(size, empty), np.arange(0 if empty else size)
        made, scores = 0, [metric.weighted(y, rows[start + k]) for k in range(size)]
        while len(undecided):
            draw_exponentials(states, weights)
            made += 1
            old = risk(in_force)
            wins[undecided] += [less(risk(scores[k]), old) for k in undecided]
            fewest, enough = decided[made]
            favoured[undecided] = wins[undecided] >= enough
            undecided = undecided[(wins[undecided] > fewest) & (wins[undecided] < enough)]
        for k in range(size):
            standing[start + k] = start + k if favoured[k] else last
            if favoured[k] and chain:
                last, in_force, empty = start, scores[k], False
    return standing
