"""The figures of a replay, one module each."""
