"""Parameters that several mechanisms share."""

from shakedown.component import parameter

#: Level of the paired t-test.
ALPHA = parameter(
    gt=0.0,
    lt=1.0,
    symbol="α",
    role="level",
    description=(
        "Significance level of the paired t-test; the smaller, the larger a gain must be to count."
    ),
)
#: Threshold of the Bayesian test.
POSTERIOR_ODDS = parameter(
    gt=0.0,
    symbol="posterior odds",
    relation="≥",
    role="level",
    descending=True,
    description=(
        "Odds that the Bayesian bootstrap must reach; the higher, the larger a gain must be to "
        "count."
    ),
)
#: Replications of the Bayesian test.
DRAWS = parameter(1000, ge=1, le=1_000_000, description="Replications of each Bayesian test.")
#: Replications of a released score.
B = parameter(
    ge=1,
    le=1_000_000,
    symbol="b",
    role="noise",
    descending=True,
    description="Bootstrap replications of each released score; the fewer, the noisier.",
)
