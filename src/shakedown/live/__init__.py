"""Boards that run: state in a database, submissions one at a time, and what may be shown."""
