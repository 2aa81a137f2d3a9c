"""The keys of a dry run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from shakedown.attacks.settings import Model
from shakedown.component.keys import DISTINCT, MOST, SOME, DistinctTexts, Settings
from shakedown.leaderboard.entries import METRIC, MechanismEntry

Threshold = Annotated[float, Field(lt=0)]


class DryRunEntry(Settings):
    """The dry run of a challenge."""

    dataset: str | None = None
    """Id of the data set; null if there is only one."""
    metric: str = Field("mse", description=METRIC)
    threat: Literal["adversary", "modeller", "null_adversary", "holder"] = "adversary"
    """Against whom the limits must hold: adversary, anybody who takes part, with or without a
    model; modeller, only participants who submit fitted models, such as colleagues; null_adversary,
    those who submit arbitrary numbers or labels; holder, those who add what they learn to an honest
    model."""
    accounts: int = Field(1, ge=1, le=1000)
    """Accounts that one adversary may open, or that may work together, each with a board of its
    own. Limits are for each account. Modellers play from one account."""
    row_variance: float = Field(1.0, ge=1, le=1000)
    """The largest variance of a row's noise that the proved mean allows for, as a multiple of the
    average; at least 1, where all rows vary alike. Above 1 nothing is proved at the quantile. The
    page says what the data show (docs/proofs/assumptions.md)."""
    group_correlation: float = Field(1.0, ge=0, le=1)
    """The largest correlation of the noise of two rows of a group, where the table has a column
    `group`; 1 allows for rows that are all alike. Proofs count a group of m rows with the
    correlation r as m / (1 + (m - 1) r) rows."""
    require: Literal["proved", "measured"] = "proved"
    """What the safety of the recommended board must rest on, if there is such a board: proved,
    whatever is submitted; measured, the attacks that were played. The most useful board of this
    kind is taken, and the best of the other kind is named beside it. Of modellers nothing is
    proved."""
    submissions: int = Field(500, ge=1, le=20_000)
    """Total submissions that you want to allow each participant."""
    days: int = Field(30, ge=1, le=3660)
    """Length of the challenge in days, for limits per day."""
    thresholds: Annotated[list[Threshold], SOME, DISTINCT] | None = None
    """Tolerated overfit: values of Δ below 0, in the metric's units; the first one decides. null
    for 5 % of the response's variance (MSE), 2.5 % of its standard deviation (RMSE, MAE), or,
    without a unit, .025 (nrmse, rae), .03 (kendall) and .05 (others)."""
    quantile: float = Field(0.25, gt=0, le=0.5)
    """Quantile of Δ over the replicates that must meet the threshold. At .25, 1 attacker in 4
    overfits more; .5 is the median attacker. .25 is right if overfit beyond the threshold costs
    three times as much as the same amount of unused tolerance; c times as much, 1/(1 + c). Smaller
    quantiles need more replicates and public rows, because they are mostly luck (docs/limits.md).
    Above 0 and at most .5."""
    largest_budget: int = Field(2000, ge=10, le=20_000)
    """Most submissions of an attacker, unless `submissions` is larger."""
    mechanisms: Annotated[list[MechanismEntry], SOME] | None = None
    """The boards to choose from, as in an experiment; null for the usual ones that support the
    metric."""
    attacks: DistinctTexts | None = None
    """Import paths of your own attacks, such as my.Probe, played in addition to those of the
    package; null for none. Each defines its sizes in `for_dry_run`. An attack with `threat`
    modeller can lower the limits."""
    model: Model | None = None
    """The attackers' final model, as in an experiment; null for least squares, and for holders a
    logistic regression where a metric takes scores or probabilities of classes, and a Cox
    regression of censored times."""
    precision: float = Field(0.5, gt=0)
    """Target width of the 95 % interval of Δ at the wanted number of submissions, as a share of the
    threshold. Replicates are added until it is met."""
    minutes: float = Field(3, gt=0, le=10_080)
    """Start no further replicate after this many minutes; at most a week."""
    fewest_replicates: int = Field(24, ge=12, le=MOST)
    """Replicates of the attacks to play, even if `minutes` have passed."""
    most_replicates: int = Field(2000, ge=12, le=MOST)
    """Largest number of replicates of the attacks."""
    honest_replicates: int = Field(40, ge=2, le=MOST)
    """Random splits on which honest participants play."""
    jobs: int = Field(2, ge=1, le=10_000)
    """Jobs that play replicates in parallel; the result of a replicate does not depend on it."""
