"""Recipes: each makes or reads the data set of a challenge."""
