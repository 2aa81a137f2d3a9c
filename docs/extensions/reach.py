"""The table of attacks and leaderboards, from the components."""

from shakedown.dryrun.reach import metrics_table, table

PAGE = "reference/reach"
BY_METRIC = """## By metric

What a file has in each row, the attacks with arbitrary numbers that are made for a metric, and the
leaderboards of which something is [proved](../leakage.md). Random search and finite differences
play under every metric."""


def _append(app, docname, source):
    if docname == PAGE:
        source[0] += f"\n{table()}\n\n{BY_METRIC}\n\n{metrics_table()}\n"


def setup(app):
    app.connect("source-read", _append)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
