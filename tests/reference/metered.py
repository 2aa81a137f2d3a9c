"""A literal twin of the metered board: the covariance of all n responses, one file at a time."""

import numpy as np
from scipy import stats


class Belief:
    """What is known of a response whose rows have this variance before the first answer."""

    def __init__(self, n, scale):
        self.S, self.m, self.log_odds = scale * np.eye(n), np.zeros(n), 0.0

    def mean(self, u):
        return u @ self.m

    def variance(self, u):
        return u @ self.S @ u

    def learn(self, u, sd, answer):
        Su, whole = self.S @ u, self.variance(u) + sd**2
        self.log_odds += stats.norm.logpdf(answer, u @ self.m, np.sqrt(whole))
        self.m = self.m + Su * (answer - u @ self.m) / whole
        self.S = self.S - np.outer(Su, Su) / whole


class Metered:
    """Answers files of a standardised response, mean squared error; `noise` has one number each.

    The first belief charges; what is shown is the mean over all of them by their odds.
    """

    def __init__(self, y, degrees, files, sd, noise, scales=(1.0, 10.0, 100.0)):
        n = len(y)
        self.y, self.degrees, self.files, self.sd = y, degrees, files, sd
        self.noise, self.sent, self.made = noise, 0, 0
        self.beliefs = [Belief(n, scale) for scale in scales]

    @property
    def spent(self):
        return len(self.y) - np.trace(self.beliefs[0].S)  # D = tr(I - S)

    def submit(self, p):
        """The shown score; `error` is its standard error."""
        n = len(self.y)
        u = 2.0 * (p - p.mean()) / n
        Su = self.beliefs[0].S @ u
        variance = u @ Su
        to_come = self.files - self.made
        allowed = 0.0
        if to_come > 0:
            allowed = (self.degrees - self.spent) * (1.0 - ((to_come - 1) / to_come) ** 0.75)
        xi = self.noise[self.sent]
        self.sent += 1
        if variance > 1e-9 * (u @ u) and allowed > 0.0:
            sd = np.sqrt(max(Su @ Su / allowed - variance, self.sd**2, 0.01 * (u @ u)))
            step = 2.0 ** (np.floor(np.log2(sd)) - 26)  # a grid; see `leaderboard.grain`
            answer = np.round((u @ self.y + sd * xi) / step) * step
            self.made += 1  # a file that tells nothing is none
            for belief in self.beliefs:
                belief.learn(u, sd, answer)
        log_odds = np.array([belief.log_odds for belief in self.beliefs])
        odds = np.exp(log_odds - log_odds.max())
        odds /= odds.sum()
        means = np.array([belief.mean(u) for belief in self.beliefs])
        spreads = np.array([belief.variance(u) for belief in self.beliefs])
        mean = odds @ means
        self.error = np.sqrt(odds @ (spreads + means**2) - mean**2)
        return (n - 1) / n + p @ p / n - mean
