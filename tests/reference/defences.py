"""Defences around the literal mechanisms: each returns a class like the one that it is given."""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import numpy as np


def refusing(twin, is_refused):
    """`is_refused(board, prediction)`: then the last number is shown again, and nothing happens."""

    class Refusing(twin):
        def __init__(self, *args, first=math.nan, **settings):
            super().__init__(*args, **settings)
            self.files, self.shown, self.taken = [], first, []

        def submit(self, prediction):
            refused = is_refused(self, prediction)
            if not refused:
                self.files.append(prediction)
                self.shown = super().submit(prediction)
            self.taken.append((self.shown, not refused and self.accepted[-1]))
            return self.shown

    return Refusing


def value_range(twin, variance):
    def is_refused(board, p):
        mean = sum(p) / board.n
        spread = sum((x - mean) ** 2 for x in p) / (board.n - 1)
        return spread > variance * np.var(board.y, ddof=1)

    return refusing(twin, is_refused)


def distinct(twin, distance):
    def is_refused(board, p):
        gaps = [math.sqrt(sum((p - q) ** 2) / board.n) for q in board.files]
        return any(gap <= distance * np.std(board.y, ddof=1) for gap in gaps)

    return refusing(twin, is_refused)


def clip(twin, times):
    class Clipped(twin):
        def __init__(self, *args, **settings):
            super().__init__(*args, **settings)
            loss = self.metric.loss
            most = times * np.mean(loss(self.y, np.full(self.n, self.y.mean())))
            self.metric = replace(self.metric, loss=lambda y, p: np.minimum(loss(y, p), most))

    return Clipped


def cap_per_day(twin, improvements, day):
    class Capped(twin):
        def decide(self, prediction, score):
            made = len(self.accepted)
            today = sum(self.accepted[made - made % day :])
            before = copy.deepcopy(self.__dict__)
            shown, accepted = super().decide(prediction, score)
            if accepted and today >= improvements:  # as if it had not been better
                self.__dict__ = before
                return (self.released[-1] if self.released else math.nan), False
            return shown, accepted

    return Capped
