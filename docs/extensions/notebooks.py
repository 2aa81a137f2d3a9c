"""Pages from notebooks: cells as they stand, with what they showed."""

import base64
import json
import os
from pathlib import Path
from textwrap import TextWrapper

#: Longer lines of what a cell shows are broken; tables are narrower.
WIDTH = 100
fill = TextWrapper(WIDTH, replace_whitespace=False, drop_whitespace=True).fill


def markdown(text: str, pictures: Path, page: Path) -> str:
    """A notebook as Markdown.

    Parameters
    ----------
    text : str
        The notebook, as JSON.
    pictures : Path
        The folder in which to write its pictures.
    page : Path
        The notebook, from which links to them lead.
    """
    parts = []
    for number, cell in enumerate(json.loads(text)["cells"]):
        words = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(words)
            continue
        parts.append(f"```python\n{words}\n```")
        for output in cell["outputs"]:
            data = output.get("data") or {"text/plain": output["text"]}
            if "image/png" in data:
                pictures.mkdir(parents=True, exist_ok=True)
                file = pictures / f"{page.stem}-{number}.png"
                file.write_bytes(base64.b64decode(data["image/png"]))
                parts.append(f"![{words}]({os.path.relpath(file, page.parent)})")
            else:
                lines = "".join(data["text/plain"]).rstrip().splitlines()
                lines = [fill(line) if len(line) > WIDTH else line for line in lines]
                parts.append("\n".join(["```text", *lines, "```"]))
    return "\n\n".join(parts) + "\n"


def _read(app, docname, source):
    page = Path(app.env.doc2path(docname))
    if page.suffix == ".ipynb":
        source[0] = markdown(source[0], Path(app.doctreedir) / "notebooks", page)


def setup(app):
    app.add_source_suffix(".ipynb", "markdown")
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}
