"""Attacks: ways to play a participant.  An attack is one file and one line here."""

from shakedown.attacks.best_of_many import BestOfMany
from shakedown.attacks.freedman import Freedman
from shakedown.attacks.step_forward import StepForward

ATTACKS = {"freedman": Freedman, "step_forward": StepForward, "best_of_many": BestOfMany}
