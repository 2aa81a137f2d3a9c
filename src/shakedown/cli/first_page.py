"""The page of a dry run's first answer, which turns into its report once that is written."""

from __future__ import annotations

from html import escape
from pathlib import Path

#: In the folder of the study; a browser that has it open goes on to the report by itself.
FIRST_PAGE = "first_answer.html"
REPORT = "report.html"
#: Seconds after which a browser looks again.
AGAIN = 5
_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="{refresh}">
<title>{study} – first answer</title>
<style>
body {{ font: 1.05rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; }}
pre {{ font: inherit; white-space: pre-wrap; }}
</style>
</head>
<body>
<h1>Dry run {study}</h1>
{said}
</body>
</html>
"""


def write_first_page(folder: Path, text: str) -> None:
    """Write the first answer of a dry run, in words, into its folder."""
    said = (
        f"<pre>{escape(text)}</pre>\n<p>Attackers and honest participants are playing now, to "
        "measure what no proof tells. This page turns into their report by itself; if the run is "
        "stopped, it stays as it is.</p>"
    )
    _write(folder, said, refresh=str(AGAIN))


def turn_into_report(folder: Path) -> None:
    """Let the page of the first answer lead to the report, where there are both."""
    if (folder / FIRST_PAGE).is_file() and (folder / REPORT).is_file():
        said = f'<p>The dry run is complete: <a href="{REPORT}">its report</a>.</p>'
        _write(folder, said, refresh=f"0; url={REPORT}")


def _write(folder: Path, said: str, *, refresh: str) -> None:
    page = _PAGE.format(study=escape(folder.name), said=said, refresh=refresh)
    (folder / FIRST_PAGE).write_text(page, "utf-8")
