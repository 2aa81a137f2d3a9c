"""xoshiro256++ 1.0 (Blackman and Vigna 2021), written out with Python's integers."""

import numpy as np

MASK = 2**64 - 1


def rotated(x, k):
    return ((x << k) | (x >> (64 - k))) & MASK


class Xoshiro:
    """One generator from a state of four words."""

    def __init__(self, state):
        self.state = [int(word) for word in state]

    def word(self):
        state = self.state
        word = (rotated((state[0] + state[3]) & MASK, 23) + state[0]) & MASK
        shifted = (state[1] << 17) & MASK
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= shifted
        state[3] = rotated(state[3], 45)
        return word


class SideBySide:
    """Several generators, one per column of `states`, which each give a word in turn."""

    def __init__(self, states):
        self.generators = [Xoshiro(state) for state in states.T]

    def words(self):
        return [generator.word() for generator in self.generators]

    @property
    def states(self):
        return np.array([generator.state for generator in self.generators], np.uint64).T
