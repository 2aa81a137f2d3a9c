"""The papers' bounds and closed forms, to compare with simulations."""
