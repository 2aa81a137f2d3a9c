"""Models that honest participants fit, by the kind of the response: one kind in each file."""
