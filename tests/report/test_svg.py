"""Figures inside the page: no clash of ids, nothing from outside."""

import base64

import pytest

from shakedown.interface import InputError
from shakedown.report import svg

DOCUMENT = """<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
     width="10pt" height="5pt" viewBox="0 0 10 5">
 <metadata><rdf xmlns="http://example.org/rdf">x</rdf></metadata>
 <defs><style type="text/css">*{stroke: red}</style><clipPath id="p1"><rect/></clipPath></defs>
 <g id="g1" clip-path="url(#p1)"><!-- <b>words</b> --><use xlink:href="#p1" onload="alert(1)"/></g>
 <script>alert(2)</script>
 <image xlink:href="data:image/png;base64,AAAA"/>
</svg>
"""


def test_ids_and_references_get_the_prefix():
    text = svg.inline(DOCUMENT, prefix="f1-", alt="A & B")
    assert 'id="f1-p1"' in text
    assert 'clip-path="url(#f1-p1)"' in text
    assert 'xlink:href="#f1-p1"' in text
    assert 'xlink:href="data:image/png;base64,AAAA"' in text
    assert 'aria-label="A &amp; B"' in text
    assert 'viewBox="0 0 10 5"' in text


@pytest.mark.parametrize(
    "gone", ["alert", "metadata", "style", "words", "DOCTYPE", "<?xml", ' width="10pt"', "ns0:"]
)
def test_left_out(gone):
    assert gone not in svg.inline(DOCUMENT, prefix="f1-", alt="a")


@pytest.mark.parametrize("text", ["<svg", "<p>not a figure</p>"])
def test_no_svg(text):
    with pytest.raises(InputError, match="a.svg is not an SVG file.*draw it again"):
        svg.inline(text, prefix="f", alt="a", name="a.svg")


def test_large_files_become_pictures(tmp_path, monkeypatch):
    (tmp_path / "a.svg").write_text(DOCUMENT)
    (tmp_path / "a.png").write_bytes(b"png")
    paths = (tmp_path / "a.svg", tmp_path / "a.png")
    assert svg.embedded(*paths, prefix="f", alt='a "b"').startswith("<svg")
    monkeypatch.setattr(svg, "SMALL", 100)
    picture = svg.embedded(*paths, prefix="f", alt='a "b"')
    assert f'src="data:image/png;base64,{base64.b64encode(b"png").decode()}"' in picture
    assert 'alt="a &quot;b&quot;"' in picture


def test_missing_files_are_named(tmp_path):
    with pytest.raises(InputError, match=r"needs the figure .*a\.png, which does not exist"):
        svg.embedded(tmp_path / "a.svg", tmp_path / "a.png", prefix="f", alt="a")
