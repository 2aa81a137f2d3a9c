"""The hand-tuned loops of the bootstraps: random bits, weights and their sums, and resampling."""
