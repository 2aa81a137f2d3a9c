"""The manual says what schema and components say."""

from typing import ClassVar

import pytest

from shakedown.component import parameter
from shakedown.config import complete
from shakedown.config.manual import COMMAND, manual
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import MECHANISMS
from shakedown.leaderboard.mechanisms.ladder import Ladder

from .studies import ROOT, study


class Tilted(Ladder):
    """A board with a parameter that no other has."""

    name: ClassVar[str] = "tilted"
    label: ClassVar[str] = "Tilted"
    sentence: ClassVar[str] = "Shows scores from the side."
    source: ClassVar[str] = "[T] Algorithm 1"

    tilt: float = parameter(
        30.0, gt=0, lt=90, symbol="θ", unit="degree", description="Angle from the horizontal."
    )


def test_the_manual_is_up_to_date():
    written = (ROOT / "config/README.md").read_text("utf-8")
    assert written == manual(), f"renew it: {COMMAND}"


def test_a_component_that_is_added_changes_manual_schema_and_messages(monkeypatch):
    monkeypatch.setitem(MECHANISMS.classes, "tilted", Tilted)
    assert """
### `tilted`: Tilted

Shows scores from the side. Source: [T] Algorithm 1.
""" in manual()
    assert (
        "| `tilt` | θ | degree | a number above 0 and below 90 | `30.0` | "
        "Angle from the horizontal. |"
    ) in manual()
    entry = {"name": "tilted", "alpha": 0.5}
    complete(study(experiments__free__mechanisms=[{**entry, "tilt": [10, 20]}]))
    with pytest.raises(InputError, match=r"\.tilt: wanted a number above 0 and below 90 or a list"):
        complete(study(experiments__free__mechanisms=[{**entry, "tilt": 90}]))
    with pytest.raises(InputError, match=r"'titled' is not known\. Did you mean 'tilted'"):
        complete(study(experiments__free__mechanisms=[{**entry, "name": "titled"}]))
