"""Copy the folder of a platform's adapter, filled in for a board."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from sqlalchemy.engine import make_url

from shakedown.interface import InputError, guess
from shakedown.live.live_board import LiveBoard

PACKAGE = Path(__file__).parents[1]
#: Ends the name of a file with placeholders.
TEMPLATE = ".jinja"
#: The file of a folder that says what the platform cannot keep secret, and what else it cannot do.
LIMITS = "LIMITS.md"
#: The file with the database's address; never to be published.
SECRET = "database.url"
#: Platforms on which no folder outlives a run, and with it no file of SQLite.
ONLY_POSTGRESQL = frozenset({"codabench"})


def names() -> list[str]:
    """Names of the platforms."""
    return sorted(path.name for path in _folder().iterdir() if (path / LIMITS).is_file())


def write(
    name: str, folder: str | Path, url: str | None = None, board: str | None = None
) -> list[str]:
    """Copy an adapter, filled in for a board.

    Files that end in `TEMPLATE` are filled in; they know `board`, `metric` (its name),
    `larger_is_better`, `per_team` and `per_day`.  Without `url`, `board` is "" unless given, the
    metric is called "score", and there is no limit.

    Parameters
    ----------
    name : str
        One of `names`.
    folder : path
        A new or an empty folder.
    url : str, optional
        Address of the database.  It goes to the file `SECRET`, which only its owner can read.
    board : str, optional
        Name of the board; by default the only one of the database.

    Returns
    -------
    list of str
        What the organiser must know of the platform, one sentence or two each.

    Raises
    ------
    InputError
        If there is no such platform or board, the folder has files, or the platform cannot use the
        database.
    """
    known, target = names(), Path(folder)
    if name not in known:
        raise InputError(
            f"adapter: wanted one of {', '.join(known)}; got '{name}'.{guess(name, known)}"
        )
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"folder: wanted a new or an empty one; {target} has files.")
    if url is not None and name in ONLY_POSTGRESQL and _is_sqlite(url):
        raise InputError(
            f"adapter: {name} keeps no file between two runs, and needs the board in PostgreSQL; "
            "got an SQLite database. Move it: shakedown board copy "
            "postgresql+psycopg://user@host/name"
        )
    given = _of_board(url, board)
    source = _folder() / name
    shutil.copytree(
        source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    # A value that is missing is an error, and not an empty text.
    templates = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    for path in sorted(target.rglob(f"*{TEMPLATE}")):
        text = templates.from_string(path.read_text(encoding="utf-8")).render(given)
        path.with_suffix("").write_text(text, encoding="utf-8")
        path.unlink()
    if url is not None:
        secret = target / SECRET
        secret.touch(mode=0o600)
        secret.write_text(_absolute(url) + "\n", encoding="utf-8")
        (target / ".gitignore").write_text(f"{SECRET}\n", encoding="utf-8")
    lines = (source / LIMITS).read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("- ") for line in lines if line.startswith("- ")]


def _folder() -> Path:
    """The folder of the adapters: that of the checkout, or the copy in an installed package."""
    for folder in (PACKAGE / "project" / "adapters", PACKAGE.parents[1] / "adapters"):
        if folder.is_dir():
            return folder
    raise InputError(
        "The adapters are missing. Install the package again from its source folder: pip install ."
    )


def _of_board(url: str | None, board: str | None) -> dict[str, Any]:
    """What the templates are filled in with."""
    if url is None:
        return {
            "board": board or "", "metric": "score", "larger_is_better": False,
            "per_team": None, "per_day": None,
        }  # fmt: skip
    live = LiveBoard.open(url, board)
    return {
        "board": live.name, "metric": live.rules.metric,
        "larger_is_better": live.rules.judged_by.larger_is_better,
        "per_team": live.rules.per_team, "per_day": live.rules.per_day,
    }  # fmt: skip


def _is_sqlite(url: str) -> bool:
    return "://" not in url or make_url(url).get_backend_name() == "sqlite"


def _absolute(url: str) -> str:
    """The address as it holds in any working folder."""
    place = make_url(url if "://" in url else f"sqlite:///{url}")
    if place.get_backend_name() == "sqlite" and place.database:
        place = place.set(database=str(Path(place.database).resolve()))
    return place.render_as_string(hide_password=False)
