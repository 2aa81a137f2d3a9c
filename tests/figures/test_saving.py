"""The same figure gives the same bytes, and never half a file."""

import re

import numpy as np
import pytest
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from PIL import Image

from shakedown.figures import draw, save
from tests.figures import frames

FRAME = frames.outcomes((*frames.LADDERS, *frames.BOOTS), attack="step_forward", replicates=5)


def test_same_figure_same_bytes(tmp_path):
    for run in ("one", "two"):
        save(draw("grid", FRAME), tmp_path / run / "a.svg", tmp_path / run / "a.png")
    for name in ("a.svg", "a.png"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_svg_is_small_and_names_no_date_and_no_font(tmp_path):
    save(draw("grid", FRAME), tmp_path / "a.svg", tmp_path / "a.png")
    text = (tmp_path / "a.svg").read_text()
    assert len(text) < 400_000
    assert "<dc:date>" not in text
    assert "<text" not in text


def test_rasterised_dots_are_the_same_bytes_too(tmp_path):
    frame = frames.traces(
        ({"mechanism": "ladder", "alpha": 0.15},), attack="step_forward", n_features=300
    )
    for run in ("one", "two"):
        save(draw("traces", frame), tmp_path / f"{run}.svg", tmp_path / f"{run}.png")
    text = (tmp_path / "one.svg").read_text()
    assert text == (tmp_path / "two.svg").read_text()
    assert re.search(r'href="data:image/png;base64', text)


def test_png_has_150_dots_per_inch(tmp_path):
    figure = Figure(figsize=(2, 1))
    save(figure, tmp_path / "a.svg", tmp_path / "a.png")
    header = (tmp_path / "a.png").read_bytes()[16:24]
    assert (int.from_bytes(header[:4]), int.from_bytes(header[4:])) == (300, 150)


def test_a_rare_colour_stays_in_the_png(tmp_path):
    figure = Figure(figsize=(6, 4))
    ax = figure.subplots()
    ax.imshow(np.random.default_rng(7).uniform(0.5, 1, (40, 60, 3)))  # thousands of colours
    ax.scatter([30], [20], c="#009E73", s=20)  # and a mark in a colour of its own
    save(figure, tmp_path / "a.svg", tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        off = np.asarray(image.convert("RGB")) - np.array([0x00, 0x9E, 0x73])
    assert np.abs(off).max(axis=2).min() < 10


def test_greys_stay_grey_in_the_png(tmp_path):
    figure = Figure(figsize=(6, 4))
    ax, bands = figure.subplots(), [0.93, 0.96, 0.98]
    ax.imshow(np.random.default_rng(7).uniform(0.9, 1, (40, 60, 3)))  # thousands near white
    for k, grey in enumerate(bands):
        ax.axhspan(10 * k, 10 * k + 8, color=str(grey))
    save(figure, tmp_path / "a.svg", tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    colours, counts = np.unique(pixels, axis=0, return_counts=True)
    for grey in bands:
        wanted = np.full(3, round(255 * grey))
        assert (np.abs(colours[counts > 5000] - wanted).max(axis=1) <= 1).any()


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    save(Figure(), tmp_path / "a.svg", tmp_path / "a.png")
    before = (tmp_path / "a.svg").read_bytes()

    def fail(self, path, **kwargs):
        path.write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(FigureCanvasSVG, "print_svg", fail)
    with pytest.raises(OSError, match="disk full"):
        save(Figure(figsize=(1, 1)), tmp_path / "a.svg", tmp_path / "a.png")
    assert (tmp_path / "a.svg").read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.png", "a.svg"]
