"""Figures inside of a page."""

import base64

import pytest
from PIL import Image, ImageChops

from shakedown.report import pictures
from shakedown.report.pictures import FigureCard


@pytest.fixture
def card(tmp_path):
    (tmp_path / "a.svg").write_text("<svg/>")
    Image.linear_gradient("L").quantize(50).save(tmp_path / "a.png")
    return FigureCard("a b", 'A "b"', "", tmp_path / "a.svg", "draw a")


def content(html, kind):
    return base64.b64decode(html.split(f"data:image/{kind};base64,")[1].split('"')[0])


def test_a_small_svg_is_put_in_as_it_is(card):
    assert content(card.picture(), "svg+xml") == b"<svg/>"
    assert 'alt="A &#34;b&#34;"' in card.picture()


def test_a_large_svg_becomes_its_pixels(card, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "SMALL", 5)
    (tmp_path / "b.webp").write_bytes(content(card.picture(), "webp"))
    with Image.open(tmp_path / "b.webp") as shown, Image.open(tmp_path / "a.png") as drawn:
        assert ImageChops.difference(shown.convert("RGB"), drawn.convert("RGB")).getbbox() is None
