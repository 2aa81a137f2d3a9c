"""How far can a public leaderboard be overfit, and how many submissions are safe?"""

__version__ = "0.1.0"
