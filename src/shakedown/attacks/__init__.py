"""Attacks: ways to play a participant.  An attack is one file and one line here."""

from shakedown.attacks.best_of_many import BestOfMany
from shakedown.attacks.boosting import Boosting
from shakedown.attacks.enumeration import Enumeration
from shakedown.attacks.freedman import Freedman
from shakedown.attacks.step_forward import StepForward
from shakedown.attacks.two_accounts import TwoAccounts

#: Attacks that guess labels 0 and 1 and look at no feature.
ON_LABELS = {"boosting": Boosting, "enumeration": Enumeration, "two_accounts": TwoAccounts}

ATTACKS = {
    "freedman": Freedman,
    "step_forward": StepForward,
    "best_of_many": BestOfMany,
    **ON_LABELS,
}
