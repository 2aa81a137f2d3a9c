"""A full leaderboard made of an algorithm for one participant: [B] section 2.1, both ways.

An instance is one of `mechanisms`, which judges what a single participant submits.
"""

from __future__ import annotations

import copy

from .mechanisms import FullDisclosure, KaggleReference, strictly_less


class Leaderboard:
    """What both ways share.

    ``submit(team, name, prediction)`` returns the number that the team is shown and whether the
    submission was accepted; ``standings()`` lists (team, submission, number) from the first place.
    """

    def __init__(self, make, larger_is_better=False):
        """`make`: a function that makes a new instance."""
        self.make = make
        self.larger_is_better = larger_is_better
        # An algorithm that shows everything has no best score to maintain; we keep the best number.
        self.keeps_best = not isinstance(make(), FullDisclosure | KaggleReference)

    def better(self, score, other):
        return strictly_less(other, score) if self.larger_is_better else strictly_less(score, other)

    def place(self, team):
        raise NotImplementedError


class PerTeam(Leaderboard):
    """ "Use one instance of the algorithm for each team to maintain the best score achieved by
    each team." """

    def __init__(self, make, larger_is_better=False):
        super().__init__(make, larger_is_better)
        self.instances = {}
        self.entries = {}  # team -> (submission, number)

    def submit(self, team, name, prediction):
        instance = self.instances.setdefault(team, self.make())
        shown = instance.submit(prediction)
        accepted = instance.accepted[-1]
        if self.keeps_best:
            kept = name if accepted else self.entries[team][0]
            self.entries[team] = (kept, shown)
        elif team not in self.entries or not self.better(self.entries[team][1], shown):
            self.entries[team] = (name, shown)
        return shown, accepted

    def place(self, team):
        """Equal numbers share the better place."""
        own = self.entries[team][1]
        return 1 + sum(self.better(shown, own) for _, shown in self.entries.values())


class PerRank(Leaderboard):
    """ "Use one instance of the algorithm for each rank on the leaderboard. When a new submission
    comes in, evaluate it against each instance in descending order to determine its place on the
    leaderboard." """

    def __init__(self, make, larger_is_better=False):
        super().__init__(make, larger_is_better)
        self.ranks = []  # [team, submission, number, instance] from the first rank down

    @property
    def entries(self):
        return {team: (name, shown) for team, name, shown, _ in self.ranks}

    def submit(self, team, name, prediction):
        for rank, (holder, _, number, instance) in enumerate(self.ranks):  # in descending order
            trial = copy.deepcopy(instance)  # one that does not accept it must stay as it was
            shown = trial.submit(prediction)
            if self.keeps_best:
                accepted = trial.accepted[-1]
            elif holder == team:
                accepted = not self.better(number, shown)
            else:
                accepted = self.better(shown, number)
            if accepted:
                return self._insert(rank, team, name, shown, trial)
            if holder == team:  # its older entry is better: it stays there
                if self.keeps_best:
                    return number, False
                return shown, True
        fresh = self.make()  # the next rank has no best score yet
        return self._insert(len(self.ranks), team, name, fresh.submit(prediction), fresh)

    def _insert(self, rank, team, name, shown, instance):
        """Those from this rank down move one lower; the team's older entry goes."""
        below = [entry for entry in self.ranks[rank:] if entry[0] != team]
        self.ranks = [*self.ranks[:rank], [team, name, shown, instance], *below]
        return shown, True

    def place(self, team):
        return 1 + [entry[0] for entry in self.ranks].index(team)
