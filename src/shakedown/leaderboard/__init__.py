"""Leaderboards: a gate, a release, and the board that joins them."""
