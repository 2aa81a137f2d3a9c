"""The picture of docs/limits.md, and the numbers in its caption, are those of its command."""

import io
import re

import numpy as np
import pytest
from PIL import Image

from tests.docs.limits_picture import PICTURE, picture, played
from tests.docs.markdown import ROOT

pytestmark = pytest.mark.slow

#: Mean difference of grey, from 0 to 255, of pictures that are drawn on two machines.
SAME = 0.5


def test_the_numbers_of_the_caption_are_those_of_the_limit():
    text = " ".join((ROOT / "docs/limits.md").read_text("utf-8").split())
    told = re.search(
        r"\*The .*? (\d+) replicates.* at (\d+) submissions: this .* at (\d+), the\* cautious "
        r"limit,.* interval, (\d+), comes from",
        text,
    )
    assert told
    names = ("replicates", "safe_submissions", "ci_low", "ci_high")
    assert [int(number) for number in told.groups()] == [int(played()[1][name]) for name in names]


def test_the_limit_is_where_the_curve_crosses_what_is_tolerated():
    """The crossing is read linearly, and rounded down."""
    curve, limit = played()
    for column, number in (("delta", "safe_submissions"), ("delta_low", "ci_low")):
        n, deltas = curve["submissions"].to_numpy(float), curve[column].to_numpy()
        at = np.interp(0.05, -np.concatenate([[0.0], deltas]), np.concatenate([[0.0], n]))
        assert int(limit[number]) == int(at)


def test_the_picture_is_what_its_command_draws():
    drawn = io.BytesIO()
    picture().savefig(drawn, dpi=150)
    shown, now = (np.asarray(Image.open(p).convert("L"), float) for p in (PICTURE, drawn))
    assert shown.shape == now.shape
    assert np.abs(shown - now).mean() < SAME, "python -m tests.docs.limits_picture draws it again"
