"""Metered boards beside others: what is proved, what the best attack gains, and what teams see.

``python -m tests.known.boards [ROWS ...]`` prints the table of docs/leakage.md (about ten minutes).

Normal responses, MSE, nobody has a model; tau = .05, and at the quantile q = 1/4.  The digest is
the first that is proved for these submissions, in the mean or at the quantile.  "best attack" is
the mean over ten replicates (three at 5,000 rows); "lag" and "order" are those of honest teams as
in a dry run, whose middling one explains two fifths of the variance in the end.
"""

import sys
from functools import partial

import numpy as np

from shakedown.attacks.attack import ATTACKS
from shakedown.dryrun.usefulness import teams
from shakedown.interface import ParticipantData
from shakedown.leaderboard.mechanism import mechanism, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.questions.leak import leak
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.theory.proved import digests_within

TOLERATED, QUANTILE = 0.05, 0.25
ROWS, SUBMISSIONS = (50, 69, 209, 1000, 5000), (50, 300, 1000)
MSE = find("mse")
#: Attacks that may get furthest on a board, by its name; numbers without a model.
ATTACKERS = {
    "metered": ["posterior_mean"],
    "full_disclosure": ["posterior_mean"],
    "digest": ["between_updates"],
    "general_ladder": ["level_saving", "reserve"],
    "ladderboot": ["scan", "random_search"],
}


def boards_of(rows, submissions):
    """Labels and settings of the boards that are compared."""
    yield "metered, on average", f"metered(gain={TOLERATED},files={submissions})"
    yield "metered, q = ¼", f"metered(gain={TOLERATED},files={submissions},chance={QUANTILE})"
    for label, quantile in (("digest, on average", None), ("digest, q = ¼", QUANTILE)):
        found = digests_within(rows, -TOLERATED, submissions, quantile=quantile)
        if found:
            yield label, mechanism("digest", **found[0]).setting
    yield "General Ladder (η = .1)", "general_ladder(eta=0.1)+baseline"
    yield "LadderBoot (α = .15, b = 10)", "ladderboot(alpha=0.15,b=10)+baseline"
    yield "full disclosure", "full_disclosure"


def response(rng, rows):
    y = rng.standard_normal(rows)
    return (y - y.mean()) / y.std(ddof=1)


def gained(setting, rows, submissions, replicates):
    """What the best of the attacks gains on average."""
    board, nothing = of_setting(setting), np.empty((rows, 0))
    view = ParticipantData(nothing, np.empty(rows), nothing, np.empty((1, 0)))
    best = 0.0
    for name in ATTACKERS[type(board).name]:
        attack = ATTACKS.make(name, submissions=submissions, points=[submissions])
        gains = []
        for seed in range(replicates):
            y = response(np.random.default_rng(seed), rows)
            scorer = Scorer(MSE, y, undefined_is_zero=True)
            session = Session(scorer, board, partial(stream, seed))
            game = attack.prepare(view, None, stream(seed, "attack")).play(session.open)
            gains.append((y**2).mean() - ((game.models.public[-1] - y) ** 2).mean())
        best = max(best, float(np.mean(gains)))
    return best


def useful(settings, rows, submissions, replicates):
    """Lag and order kept of honest teams on each board."""
    participation, found = teams.Participation(submissions, threshold=-TOLERATED), []
    for seed in range(replicates):
        draws = partial(stream, seed, "boards")
        y = response(draws("response"), rows)
        known = teams.truth(MSE, response(draws("truth"), 2000), rng=draws("scores"))
        served = teams.served(
            MSE, list(map(of_setting, settings)), y, known, np.sqrt(0.4), participation, draws
        )
        found.append([row[:2] for row in served])
    return np.mean(found, axis=0)


def proved(setting, rows, submissions):
    """The proved gain on average, and with a probability of 3/4; "–" without a proof."""
    if setting == "full_disclosure":
        exact = min(submissions, rows - 1) / rows
        return f"{exact:.2g}", "–"
    told = leak(rows=rows, board=setting, submissions=submissions, start=1.0).answer
    return tuple(
        "–" if told.get(key) is None else f"{told[key]:.2g}" for key in ("gain_mean", "gain_95")
    )


def main(wanted):
    print("| n | K | board | proved: mean | 95 % | best attack | lag | order |")
    print("|---|---|---|---|---|---|---|---|")
    for rows in wanted:
        for submissions in SUBMISSIONS:
            named = list(boards_of(rows, submissions))
            seen = useful([setting for _, setting in named], rows, submissions, 4)
            for (label, setting), (lag, order) in zip(named, seen, strict=True):
                plays = 10 if rows < 5000 else 3
                mean, high = proved(setting, rows, submissions)
                best = gained(setting, rows, submissions, plays)
                print(
                    f"| {rows:,} | {submissions:,} | {label} | {mean} | {high} | {best:.3f} "
                    f"| {lag:.3f} | {order:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]] or ROWS)
