"""The words of the report, in one line each."""

GLOSSARY: tuple[tuple[str, str], ...] = (
    ("public", "Scored on the rows behind the leaderboard, as shown during the challenge."),
    ("final", "Scored on rows that no leaderboard used; decides the challenge."),
    (
        "Δ",
        "Gap between the public and the final score of the same model, signed so that below 0 "
        "means overfit: public − final for a loss, final − public for a correlation.",
    ),
    (
        "replicate",
        "One play of an attack against a leaderboard, with its own split or permutation.",
    ),
    (
        "Monte Carlo interval",
        "[low, high] behind a number: where it would lie, 95 times in 100, if the replicates were "
        "drawn anew.",
    ),
    (
        "within Monte Carlo error",
        "The interval reaches over the limit that was asked for: more replicates may turn the "
        "answer around.",
    ),
    ("submissions", "Predictions that the attacker hands in, counted over the whole attack."),
    ("gate", "The rule by which a submission replaces the best so far."),
    ("release", "The rule for what number is then shown: exact, rounded, or with noise."),
    ("accepted", "A submission that passed the gate."),
    ("released score", "The number that the leaderboard shows after a submission."),
    (
        "leaderboard error",
        "The largest gap so far between the number on the board and the best true score among the "
        "submissions until then, the final model being the last (Blum & Hardt, Definition 2.1). On "
        "random splits the true scores are estimated on the final set.",
    ),
    (
        "α",
        "Level of the paired t-test in the gate: the smaller, the larger a gain must be to be "
        "accepted.",
    ),
    (
        "posterior odds",
        "The same for gates with a Bayesian bootstrap: odds that a submission is better must "
        "reach this; odds of (1 − α) / α match a level α.",
    ),
    (
        "b",
        "Bootstrap replications that a released score is the mean of: the smaller, the noisier.",
    ),
    ("k", "Number of features in the attacker's final model."),
    ("iteration", "One round of the step-forward attack: it tries every feature left, takes one."),
    (
        "board",
        "Fresh: each iteration meets a new leaderboard, as with a new account. Carried on: one "
        "leaderboard remembers the best so far over all iterations.",
    ),
    (
        "permuted response",
        "The response is shuffled within each set: nothing can be learned, every gain is overfit.",
    ),
    ("random splits", "Rows are dealt to the sets anew; the response keeps what signal it has."),
)
