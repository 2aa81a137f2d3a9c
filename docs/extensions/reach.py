"""The table of attacks and leaderboards, from the components."""

from shakedown.dryrun.reach import table

PAGE = "reference/reach"


def _append(app, docname, source):
    if docname == PAGE:
        source[0] += "\n" + table()


def setup(app):
    app.connect("source-read", _append)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
