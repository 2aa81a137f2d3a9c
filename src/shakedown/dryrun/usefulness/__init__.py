"""Measure how useful a leaderboard is to honest participants: `measure.measure`."""
