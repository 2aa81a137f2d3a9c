"""Copies of our gates, releases and defences under other names, as if somebody else wrote them."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.leaderboard.defence import Defence
from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Release

#: Attributes that Python makes for each class, so that they are not copied.
_MADE = ("__dict__", "__weakref__")


def copied(part, base: type, *, publishes: bool):
    """A gate or a release that does the same, and is none of our classes.

    Without `publishes` it says nothing of what it does.
    """
    own = type(part)
    members = {key: value for key, value in vars(own).items() if key not in _MADE}
    if not publishes:
        members.pop("terms", None)
    members["__module__"] = __name__
    kind = type(f"Own{own.__name__}", (base,), members)
    new = object.__new__(kind)
    new.__dict__.update(part.__dict__)
    assert not isinstance(new, own)
    return new


def copied_defence(defence: Defence, *, publishes: bool) -> Defence:
    """A defence that does the same, and is none of our classes."""
    own = type(defence)
    members = {
        key: value
        for key, value in vars(own).items()
        if not key.startswith(("_", "model_")) and (publishes or key != "terms")
    }
    kinds = {key: ClassVar for key in own.__class_vars__ if key in members}
    kinds |= {key: field.annotation for key, field in own.model_fields.items()}
    members |= {"__module__": __name__, "__annotations__": kinds, **own.model_fields}
    return type(f"Own{own.__name__}", (Defence,), members)(**defence.parameters)


def copy_of(mechanism: Mechanism, *parts: str, publishes: bool = True) -> Mechanism:
    """A mechanism whose `parts` ("gate", "release", "defence") are copies; it has the same id."""
    kind = type(mechanism)
    members = {"__module__": __name__}
    for name, base in (("gate", Gate), ("release", Release)):
        if name in parts:
            part = copied(getattr(mechanism, name), base, publishes=publishes)
            members[name] = cached_property(lambda self, part=part: part)
            members[name].__set_name__(kind, name)
    made = type(kind.__name__, (kind,), members)(**mechanism.parameters)
    around = mechanism.defences
    if "defence" in parts:
        around = [copied_defence(defence, publishes=publishes) for defence in around]
    made = made.defended(around)
    # Streams of random numbers have the name of the setting.
    made.__dict__ |= {"id": mechanism.id, "setting": mechanism.setting}
    return made
