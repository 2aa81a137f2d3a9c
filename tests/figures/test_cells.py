"""The layer of cells that an SVG has, which says what a map shows."""

import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from shakedown.figures import save
from shakedown.figures.cells import Cell, layer_in

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title><script>alert('x')</script>&"


@pytest.fixture
def saved(tmp_path):
    """A map of 2 rows and 3 columns, each cell in a grey of its own, and its files."""
    figure, ax = plt.subplots(figsize=(4, 3), layout="constrained")
    greys = np.arange(6).reshape(2, 3)
    ax.pcolormesh(greys, cmap="gray", vmin=0, vmax=5, edgecolors="none")
    ax.invert_yaxis()
    ax.set_ylabel("a label that moves the map")
    for row, column in ((1, 2), (0, 0), (0, 2), (1, 0), (0, 1), (1, 1)):
        ax.add_patch(Cell(row, column, [f"{row} {column}", HOSTILE]))
    path = tmp_path / "map.svg"
    save(figure, path, path.with_suffix(".png"))
    plt.close(figure)
    return path, greys


def test_each_cell_lies_over_its_colour_and_they_stand_in_order(saved):
    path, greys = saved
    root = ET.fromstring(path.read_text("utf-8"))
    (layer,) = [one for one in root.iter(f"{SVG}svg") if one.get("class") == "cells"]
    assert layer.get("viewBox") == root.get("viewBox")
    titles = [rect.find(f"{SVG}title").text.split("\n") for rect in layer]
    assert [title[0] for title in titles] == [f"{r} {c}" for r in range(2) for c in range(3)]
    assert {title[1] for title in titles} == {HOSTILE}
    pixels = np.asarray(Image.open(path.with_suffix(".png")).convert("L"))
    scale = pixels.shape[1] / float(root.get("viewBox").split()[2])
    for rect, grey in zip(layer, greys.ravel(), strict=True):
        x, y, width, height = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
        for across, down in ((0.1, 0.1), (0.5, 0.5), (0.9, 0.9)):
            place = int(scale * (y + down * height)), int(scale * (x + across * width))
            assert pixels[place] == pytest.approx(51 * grey, abs=3)


def test_the_layer_is_what_the_page_takes_from_the_file(saved):
    path, _ = saved
    text = path.read_text("utf-8")
    layer = layer_in(text)
    assert layer.startswith('<svg class="cells"')
    assert layer.count("<rect") == 6
    assert text.endswith(f"{layer}\n</svg>\n")
    assert "<script>" not in layer


def test_other_figures_have_no_layer(tmp_path):
    figure, ax = plt.subplots()
    ax.plot([0, 1])
    path = tmp_path / "plain.svg"
    save(figure, path, path.with_suffix(".png"))
    plt.close(figure)
    assert layer_in(path.read_text("utf-8")) == ""
