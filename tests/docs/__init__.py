"""The documentation: it is built, its links hold, and its commands work."""
