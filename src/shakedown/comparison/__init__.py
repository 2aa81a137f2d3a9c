"""Boards beside each other: what is proved of each, what attacks gain on it, and what teams see."""
