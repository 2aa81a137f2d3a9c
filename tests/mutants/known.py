"""Mutants that change nothing that anybody could see, each with the reason."""

#: By name.
SAME: dict[str, str] = {}
