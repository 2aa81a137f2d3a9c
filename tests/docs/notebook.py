"""Runs the notebook of the docs.

``python -m tests.docs.notebook`` runs it and writes what its cells show into it.
"""

import ast
import base64
import contextlib
import io
import json

from matplotlib import pyplot
from matplotlib.figure import Figure

from tests.docs.markdown import ROOT

NOTEBOOK = ROOT / "docs/notebook.ipynb"
#: Dots per inch of a figure: legible, and some tens of kilobytes.
DPI = 72


def read():
    return json.loads(NOTEBOOK.read_text("utf-8"))


def run(note):
    """Yield each code cell with its outputs."""
    names = {}
    for cell in note["cells"]:
        if cell["cell_type"] == "code":
            yield cell, shown("".join(cell["source"]), names)


def shown(source, names):
    """What Jupyter shows of a cell: what it prints, and the value of its last line."""
    tree, printed, value = ast.parse(source), io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs = []
    if printed.getvalue():
        text = printed.getvalue()
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        kind = {"output_type": "execute_result", "execution_count": None, "metadata": {}}
        outputs.append({**kind, "data": data_of(value)})
    return outputs


def data_of(value):
    if not isinstance(value, Figure):
        return {"text/plain": repr(value)}
    file = io.BytesIO()
    value.savefig(file, dpi=DPI, format="png")
    pyplot.close(value)
    return {"text/plain": "a figure", "image/png": base64.b64encode(file.getvalue()).decode()}


def text_of(outputs):
    """What outputs say, without pictures."""
    return ["".join(output.get("text") or output["data"]["text/plain"]) for output in outputs]


if __name__ == "__main__":
    note = read()
    for cell, outputs in run(note):
        cell["outputs"] = outputs
        print(*text_of(outputs), sep="\n")
    NOTEBOOK.write_text(json.dumps(note, ensure_ascii=False, indent=1) + "\n", "utf-8")
