"""Make and run a board from the command line."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from shakedown.interface import InputError

if TYPE_CHECKING:
    from shakedown.live.live_board import LiveBoard
    from shakedown.live.proposal import Proposal
    from shakedown.replay.winner_rule import WinnerRule

#: Exit codes: differences that the audit found, and a submission that is not counted.
DIFFERENT, NOT_COUNTED = 1, 2


def board(given: Namespace) -> int:
    """Run a sub-command; returns the exit code.

    Raises
    ------
    InputError
        For a mistake of the user, or a package that is missing.
    """
    try:
        return ACTIONS[given.action](given) or 0
    except ModuleNotFoundError as e:
        raise InputError(
            f"`board {given.action}` needs the package {str(e.name).partition('.')[0]}. Install "
            "Shakedown with its extra 'board': pip install '.[board]'"
        ) from e


def create(given: Namespace) -> None:
    from shakedown.live.alike import notes_of
    from shakedown.live.live_board import LiveBoard
    from shakedown.live.of_labels import notes_of_labels
    from shakedown.live.proposal import SETTINGS, Proposal, proposal
    from shakedown.live.rules import Rules
    from shakedown.live.truth_file import read_truth

    asked = Proposal({}) if given.source is None else proposal(given.source)
    options = {key: getattr(given, key) for key in SETTINGS}
    for key in ("updates", "classes"):
        if options[key] is not None:
            options[key] = [part.strip() for part in options[key].split(",")]
    settings = asked.settings | {k: v for k, v in options.items() if v is not None}
    for key in ("board", "metric", "truth"):
        if settings.get(key) is None:
            also = "" if key == "truth" else ", or the recommendation.json of a dry run"
            raise InputError(f"create: wanted --{key}{also}. Examples: shakedown board create -h")
    if asked.rests_on and settings["metric"] != asked.settings["metric"]:
        raise InputError(
            f"create: the dry run was made for the metric {asked.settings['metric']}; got "
            f"--metric {settings['metric']}. Repeat it with that metric."
        )
    limits = {key: _whole(key, settings.get(key)) for key in ("per_team", "per_day", "in_total")}
    rules = Rules.of(
        str(settings["board"]), str(settings["metric"]),
        seed=_whole("seed", settings.get("seed")), **limits,
        zone=str(settings.get("zone") or "UTC"),
        opens=settings.get("opens"), closes=settings.get("closes"),
        updates=settings.get("updates"), by_count=bool(settings.get("by_count")),
    )  # fmt: skip
    share = _number("public_share", settings.get("public_share"))
    split = settings.get("split") or ("set" if share is None else None)
    truth, notes = read_truth(
        str(settings["truth"]), seed=rules.seed, id=str(settings.get("id") or "id"),
        response=_response(settings.get("response")), split=split, public_share=share,
        group=_group(asked, settings), event=settings.get("event"),
        horizons=_horizons(settings.get("horizons")), classes=settings.get("classes") or (),
    )  # fmt: skip
    for note in [
        *asked.notes,
        *notes,
        *asked.doubts(truth),
        *notes_of(rules.mechanism, truth),
        *notes_of_labels(rules.mechanism, rules.judged_by),
        *rules.warnings,
        *_weak(settings.get("seed")),
    ]:
        print(f"Note: {note}", file=sys.stderr)
    name = str(settings.get("name") or "board")
    made, token = LiveBoard.create(
        given.url, rules, truth, name=name, challenge=str(settings.get("challenge") or "")
    )
    public = int(truth.public.sum())
    if given.json:
        _print({
            "board": made.name, "token": token, "public_rows": public,
            "final_rows": len(truth.ids) - public, "rules": made.sentences,
            **({"responses": list(truth.responses)} if truth.responses else {}),
        })  # fmt: skip
        return
    print(
        f"Board '{made.name}' stands in {_shown(given.url)}: {public:,} public and "
        f"{len(truth.ids) - public:,} final rows, {made.rules.judged_by.label}."
    )
    print(*made.sentences, sep="\n")
    print(
        f"\nThe organiser's token, shown this once: {token}\n"
        "Next: shakedown board submit TEAM FILE, or shakedown board serve"
    )


def submit(given: Namespace) -> int:
    file = _file(given)
    if given.server is not None:
        return _submit_to_server(given)
    from shakedown.live.submission_file import Refused

    board = _open(given)
    try:
        answer = board.submit(given.team, file, given.key)
    except Refused as e:
        _print({"status": "refused", "message": str(e)})
        return NOT_COUNTED
    _print({"status": "scored"} | answer.fields)
    return 0


def price(given: Namespace) -> int:
    from shakedown.live.prices import price_of
    from shakedown.live.submission_file import Refused

    file, board = _file(given), _open(given)
    try:
        quote = board.quote(given.team, file)
    except Refused as e:
        print(e)
        return NOT_COUNTED
    if quote is None:
        raise InputError(
            f"board '{board.name}' has no prices: only a metered board charges for files. Its "
            "scores do not depend on what was sent before."
        )
    if given.json:
        _print(quote._asdict())
    else:
        print(price_of(quote))
    return 0


def _submit_to_server(given: Namespace) -> int:
    from shakedown.live.client import NotCounted, submit

    try:
        answer = submit(given.server, given.team, given.file, given.key)
    except NotCounted as e:
        _print({"status": "refused", "message": str(e)})
        return NOT_COUNTED
    _print({"status": "scored"} | answer)
    return 0


def register(given: Namespace) -> None:
    from shakedown.live.tokens import HasToken

    board = _open(given)
    try:
        print(board.register(given.team, renew=given.new_token))
    except HasToken as e:
        if not sys.stdin.isatty():
            raise InputError(f"{e} If that is what you want, add --new-token.") from e
        print(f"{e} Give it a new one? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise InputError(f"Team '{given.team}' keeps its token.") from e
        print(board.register(given.team))


def final(given: Namespace) -> None:
    board = _open(given)
    number = board.name_final(given.team, given.key)
    print(
        f"The final file of team '{given.team}' is its submission {number}, '{given.key}'. "
        f"The head of the log: {board.head()[0]}"
    )


def status(given: Namespace) -> None:
    from shakedown.live.showing import of_board, of_team, text_of_board, text_of_team

    board = _open(given)
    view = of_board(board) if given.team is None else of_team(board, given.team)
    if given.json:
        _print(view)
    else:
        print(text_of_board(view) if given.team is None else text_of_team(view))


def export(given: Namespace) -> None:
    from shakedown.live.export import MISSING, export

    written = export(_open(given), given.folder, while_open=given.while_open, rule=_rule(given))
    print(*written, sep="\n")
    for path in written:
        if path.name == MISSING:
            print(f"Note: {path.read_text('utf-8').strip()}", file=sys.stderr)


def _rule(given: Namespace) -> WinnerRule:
    """The winner's rule that the options ask for."""
    from shakedown.questions.numbers import number, whole
    from shakedown.ranking.bayes_factor import COUNTS, TIED
    from shakedown.ranking.rule import DRAWS, Rule
    from shakedown.replay.winner_rule import WinnerRule

    texts = SimpleNamespace(**vars(given))
    tied, draws = number(texts, "k", TIED), whole(texts, "draws")
    variant = given.variant or COUNTS
    Rule(tied=tied, variant=variant, draws=draws or DRAWS)  # refuses what is no rule
    return WinnerRule(
        second_metric=given.second, tied=tied, variant=variant, stratified=given.stratified,
        by_time=given.by_time, draws=draws,
    )  # fmt: skip


def close(given: Namespace) -> None:
    board = _open(given)
    board.close()
    print(
        f"Board '{board.name}' is closed. The head of its log: {board.head()[0]}\n"
        "Next: shakedown board audit, then export FOLDER"
    )


def publish(given: Namespace) -> None:
    board = _open(given)
    board.publish()
    print(
        f"The final table of board '{board.name}' is on its page for everybody. "
        f"The head of the log: {board.head()[0]}"
    )


def audit(given: Namespace) -> int:
    from shakedown.live.database import Damaged

    try:
        board = _open(given)
        different = board.audit(given.expect)
    except Damaged as e:
        different = [str(e)]
    if different:
        print(*different, sep="\n")
        return DIFFERENT
    head, entries = board.head()
    print(f"Board '{board.name}' is what its log says: nothing was changed within it.")
    if given.expect:
        print("It has every head that was expected: up to there, nothing was lost either.")
    else:
        print(
            "The log cannot show whether its last entries were taken away, or whether somebody "
            "wrote the whole log again. A head printed earlier can: shakedown board audit "
            "--expect HEAD"
        )
    print(f"Entries of the log: {entries:,}. Its head: {head}")
    return 0


def backup(given: Namespace) -> None:
    from shakedown.live.backup import backup

    backup(given.url, given.file)
    print(
        f"Written: {given.file}, for you alone to read. "
        f"Next: shakedown board audit --url sqlite:///{given.file}"
    )


def copy(given: Namespace) -> int:
    board = _open(given)
    if different := board.copy_to(given.target):
        print(*different, sep="\n")
        return DIFFERENT
    print(f"Board '{board.name}' is the same in {_shown(given.target)}.")
    return 0


def adapter(given: Namespace) -> None:
    from shakedown.live.adapter_folder import write

    folder = Path(given.folder or given.platform)
    said = write(given.platform, folder, given.url, given.of)
    print(f"Written: {folder.resolve()}. Its README says what to do. What you must know:")
    print(*(f"- {sentence}" for sentence in said), sep="\n")


def serve(given: Namespace) -> None:
    from shakedown.live.web import serve as run

    run(given.url, name=given.of, host=given.host, port=given.port)


def demo(given: Namespace) -> None:
    from shakedown.live.demo import run

    run(seconds=given.seconds)


ACTIONS = {
    action.__name__: action
    for action in (
        create, submit, price, register, final, status, export, close, publish, audit, backup, copy,
        adapter, serve, demo,
    )
}  # fmt: skip


def _open(given: Namespace) -> LiveBoard:
    from shakedown.live.live_board import LiveBoard

    return LiveBoard.open(given.url, given.of)


def _file(given: Namespace) -> Path:
    """The file of predictions, which exists."""
    path = Path(given.file)
    if not path.is_file():
        raise InputError(f"There is no file {given.file}.")
    return path


def _print(answer: dict[str, Any]) -> None:
    from shakedown.live.version import versioned

    print(json.dumps(versioned(answer), indent=2, ensure_ascii=False))


def _shown(url: str) -> str:
    """A URL without its password."""
    from sqlalchemy.engine import make_url

    if "://" not in url:
        return url
    return make_url(url).render_as_string(hide_password=True)


def _weak(seed: object) -> list[str]:
    if seed is None:
        return []
    return [
        "The seed was given: who knows or guesses it can compute the noise of every score. Leave "
        "--seed out unless this is a test."
    ]


def _response(named: object) -> str | list[str]:
    """Names and patterns of responses."""
    return [str(name) for name in named] if isinstance(named, list) else str(named or "truth")


def _group(asked: Proposal, settings: dict[str, Any]) -> str | None:
    """The column of groups; by default that of the dry run."""
    from shakedown.live.truth_file import has_column

    if settings.get("group") is not None:
        return str(settings["group"]) or None
    group = asked.rests_on.get("group") or None
    if group is None or has_column(str(settings["truth"]), group):
        return group
    raise InputError(
        f"create: the dry run had rows in groups by '{group}', a column that the truth does not "
        "have. Add it, or give another with --group; --group '' is for independent rows."
    )


def _whole(name: str, value: object) -> int | None:
    # Not by way of a float, which would round a large seed.
    try:
        return None if value is None else int(str(value))
    except ValueError as e:
        if str(value).isdecimal():  # Python's own limit is 4,300 digits
            raise InputError(
                f"{name}: a whole number of {len(str(value)):,} digits. Give a shorter one."
            ) from None
        raise InputError(f"{name}: wanted a whole number; got {value!r}.") from e


def _horizons(value: object) -> list[float] | None:
    """Time points, as a text with commas or as numbers."""
    if value is None:
        return None
    parts = value if isinstance(value, list) else str(value).split(",")
    return [_number("horizons", part) for part in parts]


def _number(name: str, value: object) -> float | None:
    if value is None:
        return None
    try:
        return float(str(value))
    except ValueError as e:
        raise InputError(f"{name}: wanted a number; got {value!r}.") from e
