"""Checks of assumptions, one in each module."""
