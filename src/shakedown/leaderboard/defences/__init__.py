"""Defences, one module each; see `defence`."""
