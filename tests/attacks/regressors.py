"""Final models with settings."""

from shakedown.attacks.settings import RegressorEntry


def regressor(path, /, **settings):
    return RegressorEntry.model_validate({"class": path, "settings": settings})
