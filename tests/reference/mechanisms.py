"""The leaderboard mechanisms of the three papers, line by line, one class each, and some others.

Every class is made as ``Mechanism(y, metric, <settings>, rng=...)`` with `metric` a key of
`metrics.METRICS`; ``submit(prediction)`` returns the released score.  The lists `released` and
`accepted` (did the submission replace the best so far?) grow by one entry per submission.

For metrics of which larger is better, comparisons are turned round.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from .metrics import METRICS

TOLERANCE = 1e-12


def strictly_less(a, b):
    """a < b, but never when a and b are equal in real arithmetic and floats tip over."""
    if math.isinf(a) or math.isinf(b):
        return a < b
    return a < b - TOLERANCE * max(1.0, abs(a), abs(b))


def nearest_multiple(x, step):
    """[x]_step: the nearest multiple of step, halves to the even multiple."""
    # Python rounds halves to even; a half to nine digits is a half.
    return round(round(x / step, 9)) * step


def nearest_nth(x, n):
    """[x]_{1/n}; multiplying by n is exact where dividing by a rounded 1/n is not."""
    return round(round(x * n, 9)) / n


def odds_reach(k, B, threshold):
    """Whether k replications in favour, of B, have posterior odds k / (B - k) >= threshold."""
    return k >= threshold * (B - k) - 1e-9 * B


class Mechanism:
    """What all mechanisms share: the public response, the metric, the record."""

    def __init__(self, y, metric, *, rng=None):
        self.y = np.asarray(y, dtype=float)
        self.n = len(self.y)
        self.metric = METRICS[metric]
        self.rng = rng
        self.released = []
        self.accepted = []

    def submit(self, prediction):
        prediction = np.asarray(prediction, dtype=float)
        score = self.metric.score(self.y, prediction)
        if not np.isfinite(score):
            raise ValueError(f"the score of the submission is {score}; nothing is released")
        released, accepted = self.decide(prediction, score)
        self.released.append(float(released))
        self.accepted.append(bool(accepted))
        return self.released[-1]

    def decide(self, prediction, score):
        """The algorithm's body for one submission: (released score, accepted or not)."""
        raise NotImplementedError

    def worst(self):
        return -math.inf if self.metric.larger_is_better else math.inf

    def beats(self, score, best, margin=0.0):
        """Whether `score` is strictly better than `best` by more than `margin`."""
        if self.metric.larger_is_better:
            return strictly_less(best + margin, score)
        return strictly_less(score, best - margin)


class FullDisclosure(Mechanism):
    """Every score as it is ([C], Introduction)."""

    def decide(self, prediction, score):
        return score, True


class KaggleReference(Mechanism):
    """[B] Algorithm 3."""

    def __init__(self, y, metric, step=1e-5, *, rng=None):
        super().__init__(y, metric, rng=rng)
        self.step = step

    def decide(self, prediction, score):
        return nearest_multiple(score, self.step), True  # "Assign R_t <- [R_S(f_t)]_alpha"


class GeneralLadder(Mechanism):
    """[B] Algorithm 1 = [C] Algorithm 1."""

    def __init__(self, y, metric, eta, *, rng=None):
        super().__init__(y, metric, rng=rng)
        self.eta = eta
        self.R = self.worst()  # [C] line 2: R_0 = infinity

    def decide(self, prediction, score):  # lines 4, 5
        accepted = self.beats(score, self.R, self.eta)  # line 6
        if accepted:
            self.R = nearest_multiple(score, self.eta)  # line 7
        # lines 8, 9: else R_t = R_{t-1}
        return self.R, accepted  # line 10


class SimplifiedLadder(Mechanism):
    """[Z] Algorithm 2: the Ladder without a margin."""

    def __init__(self, y, metric, eta, *, rng=None):
        super().__init__(y, metric, rng=rng)
        self.eta = eta
        self.R = self.worst()  # "Assign initial score R_0 <- -infinity" (larger is better)

    def decide(self, prediction, score):  # steps 1, 2
        accepted = self.beats(score, self.R)  # step 3: "If h_t > R_{t-1}"
        if accepted:
            self.R = nearest_multiple(score, self.eta)  # "then R_t <- [h_t]_eta"
        # "else R_t <- R_{t-1}"
        return self.R, accepted  # step 4


class MeanLossMechanism(Mechanism):
    """The mechanisms with a paired t-test: the score must be a mean of losses, or its root.

    The root (of the mean squared error) is our extension.  R is what is shown, so it is a root and
    rounded as one; risk and margin are those of the losses, so R is squared to meet them.
    """

    def __init__(self, y, metric, *, rng=None):
        super().__init__(y, metric, rng=rng)
        if self.metric.loss is None:
            raise ValueError(f"metric '{metric}' is not a mean of losses: no paired t-test")

    def score_of(self, mean_loss):
        return math.sqrt(mean_loss) if self.metric.root else mean_loss

    def mean_loss_of(self, score):
        return score**2 if self.metric.root else score


class ParameterFreeLadder(MeanLossMechanism):
    """[B] Algorithm 2 = [C] Algorithm 2."""

    def __init__(self, y, metric, *, rng=None):
        super().__init__(y, metric, rng=rng)
        self.R = math.inf  # [C] line 2
        self.losses = np.zeros(self.n)  # line 3; only ever met with R_0 = infinity

    def decide(self, prediction, score):  # line 5
        losses = self.metric.loss(self.y, prediction)  # line 6; shape (n,)
        risk = losses.mean()  # line 7
        margin = np.std(losses - self.losses, ddof=1) / math.sqrt(self.n)
        accepted = strictly_less(
            risk, self.mean_loss_of(self.R) - margin
        )  # line 8: raw against rounded
        if accepted:
            self.R = nearest_nth(self.score_of(risk), self.n)  # line 9
            self.losses = losses
        # lines 10-12: else R_t = R_{t-1}, l_t = l_{t-1}
        return self.R, accepted  # line 13


class Ladder(MeanLossMechanism):
    """[C] Algorithm 3."""

    def __init__(self, y, metric, alpha, *, rng=None):
        super().__init__(y, metric, rng=rng)
        # line 2.  Printed as the alpha quantile, which is negative for alpha < 1/2 and would make
        # the margin a bonus; the test that the text describes takes the 1 - alpha quantile.
        self.c = stats.t.ppf(1 - alpha, df=self.n - 1)
        self.R = math.inf  # line 3
        self.losses = np.zeros(self.n)  # line 4; only ever met with R_0 = infinity

    def decide(self, prediction, score):  # line 6
        losses = self.metric.loss(self.y, prediction)  # line 7; shape (n,)
        risk = losses.mean()  # line 8
        margin = self.c * np.std(losses - self.losses, ddof=1) / math.sqrt(self.n)
        accepted = strictly_less(
            risk, self.mean_loss_of(self.R) - margin
        )  # line 9: raw against rounded
        if accepted:
            self.R = nearest_nth(self.score_of(risk), self.n)  # line 10
            self.losses = losses
        # lines 11-13: else R_t = R_{t-1}, l_t = l_{t-1}
        return self.R, accepted  # line 14


class LadderBoot(MeanLossMechanism):
    """[C] Algorithm 4."""

    def __init__(self, y, metric, alpha, b, *, rng):
        super().__init__(y, metric, rng=rng)
        self.c = stats.t.ppf(1 - alpha, df=self.n - 1)  # line 2, as in Algorithm 3
        self.b = b  # line 3
        # lines 4, 5: as printed R_0 is never used, and against l_0 = 0 nothing could ever win.
        # So there is no best at first, and the first submission is accepted.
        self.losses = None

    def decide(self, prediction, score):  # line 7
        losses = self.metric.loss(self.y, prediction)  # line 8; shape (n,)
        if self.losses is None:
            accepted = True
        else:
            risk = losses.mean()  # line 9
            best_risk = self.losses.mean()  # line 10
            margin = self.c * np.std(losses - self.losses, ddof=1) / math.sqrt(self.n)
            accepted = strictly_less(risk, best_risk - margin)  # line 11: raw against raw
        if accepted:
            self.losses = losses
        # line 17: else l_t = l_{t-1}
        replications = [  # lines 12, 15
            self.score_of(self.rng.choice(self.losses, size=self.n).mean()) for _ in range(self.b)
        ]
        return float(np.mean(replications)), accepted  # lines 13, 16, 18


class AdaptiveLadderBoot(LadderBoot):
    """[C] discussion: "starting with a large b and decreasing b as the number of submissions
    increases".  How it decreases is ours: halved after every `halving` submissions, down to 1."""

    def __init__(self, y, metric, alpha, b, halving, *, rng):
        super().__init__(y, metric, alpha, b, rng=rng)
        self.halving = halving

    def decide(self, prediction, score):
        made = len(self.released)
        if made > 0 and made % self.halving == 0:
            self.b = max(self.b // 2, 1)
        return super().decide(prediction, score)


class BayesBootLadder(Mechanism):
    """[C] Algorithm 5.

    Attributes
    ----------
    in_favour : list of (int or None)
        Replications that found the submission better; None for the first submission.
    """

    def __init__(self, y, metric, posterior_odds, B, *, rng=None, weights=None):
        """`weights`: an iterator over weights of shape (B, n), one for each decision (so none
        for the first submission), to use in place of draws from `rng`."""
        super().__init__(y, metric, rng=rng)
        self.B = B  # line 2
        self.posterior_odds = posterior_odds  # line 4
        self.weights = self.dirichlet_weights() if weights is None else iter(weights)
        self.best = None  # lines 5, 6: not given in the paper; the first submission is accepted
        self.in_favour = []

    def dirichlet_weights(self):
        while True:
            yield self.rng.dirichlet(np.ones(self.n), size=self.B)  # shape (B, n)

    def better(self, prediction):
        """Lines 9, 10: the Bayesian bootstrap test of Delta s."""
        if self.best is None:
            self.in_favour.append(None)
            return True
        new = self.metric.prepare(self.y, prediction)
        best = self.metric.prepare(self.y, self.best)
        k = 0
        for w in next(self.weights):  # line 9; w has shape (n,), the same for both predictions
            s_new = self.metric.prepared_score(*new, w)
            s_best = self.metric.prepared_score(*best, w)
            k += self.beats(s_new, s_best)  # H_1: Delta s > 0 (< 0 where smaller is better)
        self.in_favour.append(int(k))
        return odds_reach(k, self.B, self.posterior_odds)  # lines 10, 11

    def decide(self, prediction, score):  # line 8
        accepted = self.better(prediction)  # lines 9-11
        if accepted:
            self.best = prediction
        # line 15: else yhat_t = yhat_{t-1}
        best_score = self.metric.score(self.y, self.best)
        return nearest_nth(best_score, self.n), accepted  # lines 12, 14, 16


class BayesBootLadderBoot(BayesBootLadder):
    """[C] Algorithm 6.  The released score is bootstrapped by resampling rows, not by weights."""

    def __init__(self, y, metric, posterior_odds, B, b, *, rng, weights=None):
        super().__init__(y, metric, posterior_odds, B, rng=rng, weights=weights)
        self.b = b  # line 3

    def decide(self, prediction, score):  # line 8
        accepted = self.better(prediction)  # lines 9-11
        if accepted:
            self.best = prediction
        # line 17: else yhat_t = yhat_{t-1}
        y, best = self.metric.prepare(self.y, self.best)
        replications = []
        for _ in range(self.b):  # lines 12, 15
            rows = self.rng.integers(self.n, size=self.n)
            replications.append(self.metric.prepared_score(y[rows], best[rows]))
        return float(np.mean(replications)), accepted  # lines 13, 16, 18


class Digest(Mechanism):
    """Not of the papers: W updates of the best score so far on a grid, from the intercept-only
    score `start` down to a floor."""

    def __init__(self, y, metric, eta, floor, every, updates, *, start, rng=None):
        super().__init__(y, metric, rng=rng)
        self.eta, self.floor, self.every, self.updates = eta, floor, every, updates
        self.best = self.shown = start

    def decide(self, prediction, score):
        accepted = self.beats(score, self.best)
        if accepted:
            self.best = score
        made = len(self.released) + 1
        if made % self.every == 0 and made // self.every <= self.updates:
            steps = round(self.best / self.eta, 9)
            if self.metric.larger_is_better:
                self.shown = max(self.shown, min(math.floor(steps) * self.eta, self.floor))
            else:
                self.shown = min(self.shown, max(math.ceil(steps) * self.eta, self.floor))
        return self.shown, accepted


class GaussianNoise(Mechanism):
    """Every score plus normal noise."""

    def __init__(self, y, metric, sd, *, rng):
        super().__init__(y, metric, rng=rng)
        self.sd = sd

    def decide(self, prediction, score):
        return score + self.sd * self.rng.standard_normal(), True


class ShakyLadder(Mechanism):
    """After Hardt (2017): a Ladder with noise on the step, on each comparison and on each score.

    `rng` draws the noise of comparisons, and `shown_rng` that of scores.
    """

    def __init__(self, y, metric, eta, scale, *, rng, shown_rng):
        super().__init__(y, metric, rng=rng)
        self.eta, self.scale, self.shown_rng = eta, scale, shown_rng
        self.step_noise = rng.laplace(0.0, scale)
        self.R = self.worst()

    def decide(self, prediction, score):
        noise = self.rng.laplace(0.0, self.scale)
        turned = -1.0 if self.metric.larger_is_better else 1.0
        accepted = math.isinf(self.R) or (
            turned * (self.R - score) > self.eta + self.step_noise + noise
        )
        if accepted:
            self.R = score + turned * self.shown_rng.laplace(0.0, self.scale)
            self.step_noise = self.rng.laplace(0.0, self.scale)
        return self.R, accepted


class Thresholdout(Mechanism):
    """Dwork et al. (2015), Figure 1, with the last answer, at first `start`, as the claim."""

    def __init__(self, y, metric, threshold, sigma, budget, *, start, rng, shown_rng):
        super().__init__(y, metric, rng=rng)
        self.T, self.sigma, self.B = threshold, sigma, budget
        self.shown_rng = shown_rng
        self.T_hat = self.T + rng.laplace(0.0, 2 * sigma)
        self.claim = start

    def decide(self, prediction, score):
        eta = self.rng.laplace(0.0, 4 * self.sigma)
        if self.B < 1:
            return self.claim, False
        if abs(score - self.claim) <= self.T_hat + eta:
            return self.claim, False
        self.B -= 1
        self.T_hat = self.T + self.rng.laplace(0.0, 2 * self.sigma)
        xi = self.shown_rng.laplace(0.0, self.sigma)
        self.claim = score - xi if self.metric.larger_is_better else score + xi
        return self.claim, True
