"""Attacks: ways to play a participant.  Each is one module; the others hold what they share."""
