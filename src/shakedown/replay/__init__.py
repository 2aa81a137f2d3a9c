"""Replays: a real submission log goes through every mechanism as if it had been the board."""
