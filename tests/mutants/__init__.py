"""Small faults put into the package, one at a time: do the tests notice?

``python -m tests.mutants`` makes them, runs the tests that concern each, and lists the survivors.
"""
