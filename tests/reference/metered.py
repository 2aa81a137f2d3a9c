"""A literal twin of the metered board: the covariance of all n responses, one file at a time."""

import numpy as np


class Metered:
    """Answers files of a standardised response, mean squared error; `noise` has one number each."""

    def __init__(self, y, degrees, files, sd, noise):
        n = len(y)
        self.y, self.degrees, self.files, self.sd = y, degrees, files, sd
        self.noise, self.made = noise, 0
        self.S, self.m = np.eye(n), np.zeros(n)

    @property
    def spent(self):
        return len(self.y) - np.trace(self.S)  # D = tr(I - S)

    def submit(self, p):
        n = len(self.y)
        u = 2.0 * (p - p.mean()) / n
        Su = self.S @ u
        variance = u @ Su
        to_come = self.files - self.made
        allowed = 0.0
        if to_come > 0:
            allowed = (self.degrees - self.spent) * (1.0 - ((to_come - 1) / to_come) ** 0.75)
        xi = self.noise[self.made]
        self.made += 1
        if variance > 1e-11 * (u @ u) and allowed > 0.0:
            square = max(Su @ Su / allowed - variance, self.sd**2)
            answer = u @ self.y + np.sqrt(square) * xi
            self.m = self.m + Su * (answer - u @ self.m) / (variance + square)
            self.S = self.S - np.outer(Su, Su) / (variance + square)
        return (n - 1) / n + p @ p / n - u @ self.m
