"""What captions and axes say of an attack's points is what the attack says."""

from typing import ClassVar

import pandas as pd
import pytest

from shakedown.attacks.attack import Attack
from shakedown.figures import captions, panels


class Letters(Attack):
    """An attack whose points happen to be called k."""

    label: ClassVar[str] = "Letters"
    sentence: ClassVar[str] = "Counts letters."
    point_name: ClassVar[str] = "k"


@pytest.mark.parametrize(
    ("attack", "points", "caption", "axis"),
    [
        ("freedman", [1, 5], "made of the k = 1 to 5 features with the best shown scores",
         "Features in the final model (k)"),
        ("step_forward", [1, 7], "after 1 to 7 iterations", "Iterations of the attack"),
        ("best_of_many", [1], "after 1 round", "Rounds of the attack"),
        ("tests.figures.test_points.Letters", [1, 4], "after 1 to 4 ks", "Ks of the attack"),
    ],
)  # fmt: skip
def test_only_the_attack_knows_what_its_points_are(attack, points, caption, axis):
    rows = pd.DataFrame({"attack": attack, "point": points})
    assert captions.growth(rows) == caption
    assert panels.point_axis(rows) == axis
