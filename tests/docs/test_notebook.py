"""The notebook of the docs shows what it says, and the site shows the notebook."""

import json

from docs.extensions.notebooks import markdown

from tests.docs import notebook


def test_every_cell_shows_what_it_did():
    for cell, outputs in notebook.run(notebook.read()):
        assert notebook.text_of(cell["outputs"]) == notebook.text_of(outputs), cell["source"]


def test_a_page_has_cells_texts_and_pictures(tmp_path):
    text = notebook.NOTEBOOK.read_text("utf-8")
    page = markdown(text, tmp_path / "pictures", tmp_path / "notebook.ipynb")
    for cell in json.loads(text)["cells"]:
        assert "".join(cell["source"]) in page
    (picture,) = (tmp_path / "pictures").iterdir()
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"](pictures/{picture.name})" in page
    assert "ada wins" in page
