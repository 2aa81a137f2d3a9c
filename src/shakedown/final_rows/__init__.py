"""How many rows must be held back so that the best team wins: splits, and what each can decide."""
