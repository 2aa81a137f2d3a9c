"""What a leaderboard is worth to honest participants: `measure.measure`."""
