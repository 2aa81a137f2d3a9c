"""The figures in two lines of docs/in_python.md are drawn, one of every kind."""

import re
from pathlib import Path

import pandas as pd
import pytest

import shakedown
from shakedown.figures import FIGURE_KINDS
from tests.figures.samples import SAMPLES

DOCS = (Path(__file__).parents[2] / "docs/in_python.md").read_text("utf-8")
TWO_LINES = {
    kind: lines for lines, kind in re.findall(r'(table = .+\nshakedown\.draw\("(\w+)", .+\))', DOCS)
}


def test_every_kind_is_shown():
    assert set(TWO_LINES) == {kind for kind in FIGURE_KINDS if "." not in kind}


@pytest.mark.parametrize("kind", sorted(TWO_LINES))
def test_two_lines_make_a_figure(kind, monkeypatch):
    monkeypatch.setattr(pd, "read_parquet", lambda path: SAMPLES[kind])
    exec(TWO_LINES[kind], {"pd": pd, "shakedown": shakedown})
