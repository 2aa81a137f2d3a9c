"""The page of a running board: for everybody, for each team, and for the organiser."""

from shakedown.live.web.application import app
from shakedown.live.web.guard import Limits
from shakedown.live.web.server import Server, serve

__all__ = ["Limits", "Server", "app", "serve"]
