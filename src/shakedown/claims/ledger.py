"""The ledger of claims: what the paper says, and the number that checks it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import yaml

from shakedown.claims.language import check_value, parse
from shakedown.claims.nodes import Node
from shakedown.claims.requirement import Requirement
from shakedown.claims.selection import Range
from shakedown.claims.tables import KINDS
from shakedown.interface import InputError
from shakedown.reading import read

_NEEDED = ("id", "source", "statement", "measured", "required")
_OPTIONAL = ("figure", "of", "note", "seen", "also_on")
_ALSO = ("dataset", "required", "note", "seen", "figure")
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

#: Source of a claim that carries a statement of the paper over to other data.
OURS = "ours, on real data"


@dataclass(frozen=True, eq=False)
class Claim:
    """A statement that a study can check.

    Attributes
    ----------
    id : str
    source : str
        Where it is said, such as "[C] Fig. 2a, b".
    statement : str
        What is said, in our own words.
    figure : str
        The figure that it belongs to; empty for none.
    measured : str
        The expression that checks it, see `language`.
    required : Requirement
        What is asked of the measured number.
    note : str
        How the text is read, or what it leaves open; may be empty.
    seen : str
        What came out in the study `default`, and why; may be empty.
    expression : Node
        `measured`, ready to be worked out.
    """

    id: str
    source: str
    statement: str
    figure: str
    measured: str
    required: Requirement
    note: str
    seen: str
    expression: Node


def load(*paths: str | Path) -> list[Claim]:
    """Read and check a ledger, in one file or in several.

    Parameters
    ----------
    *paths : str or Path
        YAML lists of claims: `id`, `source`, `statement`, `measured`, `required`, and optionally
        `figure`, `note`, `seen`, `of` (keywords for all statistics of the expression) and
        `also_on` (another `dataset` on which it is checked as a claim of its own, with the `figure`
        that shows it, what was `seen`, and a `note` or `required` of its own where these differ).

    Returns
    -------
    list of Claim
        In the order of the files; one that is also checked elsewhere is followed by that one.

    Raises
    ------
    InputError
        At the first mistake: names the claim, the key, what was wanted and what was got.
    """
    claims: dict[str, Claim] = {}
    files: dict[str, str | Path] = {}
    for path in paths:
        for where, claim in _read_file(path):
            if claim.id in claims:
                other = "" if files[claim.id] == path else f" by one of {files[claim.id]}"
                raise InputError(
                    f"{where}: the id '{claim.id}' is taken{other}. Give it another one."
                )
            claims[claim.id], files[claim.id] = claim, path
    return list(claims.values())


def _read_file(path: str | Path) -> Iterator[tuple[str, Claim]]:
    """The claims of a file, and where each stands."""
    try:
        entries = read(path)
    except OSError as e:
        raise InputError(f"claims ledger {path}: cannot be read: {e.strerror}.") from None
    except yaml.YAMLError as e:
        raise InputError(f"claims ledger {path} is not YAML: {' '.join(str(e).split())}.") from None
    if not isinstance(entries, list) or not entries:
        raise InputError(f"claims ledger {path}: wanted a list of claims, got {_kind(entries)}.")
    for number, entry in enumerate(entries, start=1):
        where = f"claims ledger {path}, claim {number}"
        if not isinstance(entry, dict):
            raise InputError(f"{where}: wanted keys and values, got {_kind(entry)}.")
        where = f"{where} ({entry.get('id', 'without id')})"
        for claim in _read(entry, where):
            yield where, claim


def _read(entry: dict, where: str) -> list[Claim]:
    """The claim of an entry, and the same on other data."""
    _check_keys(entry, (*_NEEDED, *_OPTIONAL), _NEEDED, where)
    texts = {key: entry.get(key, "") for key in (*_NEEDED, "figure", "note", "seen")}
    _check_texts(texts, where)
    if not _ID.fullmatch(texts["id"]):
        raise InputError(
            f"{where}: wanted an id of letters, digits and underscores that starts with a letter; "
            f"got {texts['id']!r}."
        )
    of = _read_of(entry.get("of", {}), f"{where}, of")
    claims = [_claim(texts, of, where)]
    if "also_on" in entry:
        also = entry["also_on"]
        _check_keys(also, _ALSO, ("dataset",), f"{where}, also_on")
        _check_texts(also, f"{where}, also_on")
        if "dataset" not in of or re.search(r"\bdataset\s*=", texts["measured"]):
            raise InputError(
                f"{where}: also_on changes the data set under `of`, so it must stand there and "
                "nowhere in `measured`."
            )
        changed = {"figure": "", "seen": ""} | {key: also[key] for key in also if key != "dataset"}
        changed |= {
            "id": f"{texts['id']}_{also['dataset']}",
            "source": OURS,
            "statement": f"On {also['dataset']}: {texts['statement']}",
        }
        claims.append(_claim({**texts, **changed}, {**of, "dataset": also["dataset"]}, where))
    return claims


def _claim(texts: Mapping[str, str], of: Mapping[str, object], where: str) -> Claim:
    texts = {key: " ".join(text.split()) for key, text in texts.items()}
    try:
        required = Requirement.parse(texts["required"])
    except InputError as e:
        raise InputError(f"{where}: {e}") from None
    try:
        expression = parse(texts["measured"], of)
    except InputError as e:
        raise InputError(f"{where}: `measured` {e}") from None
    return Claim(**{**texts, "required": required}, expression=expression)


def _check_keys(entry: object, known: tuple, needed: tuple, where: str) -> None:
    if not isinstance(entry, dict):
        raise InputError(f"{where}: wanted keys and values, got {_kind(entry)}.")
    for key in entry:
        if key not in known:
            close = get_close_matches(str(key), known, n=1)
            guess = f" Did you mean '{close[0]}'?" if close else ""
            raise InputError(f"{where}: unknown key '{key}'.{guess} Known: {', '.join(known)}.")
    for key in needed:
        if key not in entry:
            raise InputError(f"{where}: '{key}' is missing.")


def _check_texts(texts: Mapping[str, object], where: str) -> None:
    for key, text in texts.items():
        if not isinstance(text, str) or (key in _NEEDED and not text.strip()):
            raise InputError(f"{where}: '{key}' must be text in quotes, got {text!r}.")


def _read_of(of: object, where: str) -> dict[str, object]:
    known = {*KINDS, *(key for kind in KINDS.values() for key in kind.keys)}
    _check_keys(of, tuple(sorted(known)), (), where)
    values = {}
    for key, value in of.items():
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise InputError(f"{where}: '{key}' must be text or a number, got {value!r}.")
        values[key] = Range[value] if value in Range.__members__ else value
        if key not in KINDS:
            try:
                check_value(key, values[key])
            except InputError as e:
                raise InputError(f"{where}: {e}") from None
    return values


def _kind(thing: object) -> str:
    return "nothing" if thing is None else f"{type(thing).__name__} {thing!r}"[:60]
