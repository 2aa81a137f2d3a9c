"""The figures of a dry run, one module each."""
