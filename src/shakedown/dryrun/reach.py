"""Which attacks a dry run plays on which leaderboards, according to the components.

Where no attack of a kind of adversary learns anything, a dry run says *not attacked*; see
`unattacked`.
"""

from __future__ import annotations

from shakedown.attacks.attack import ATTACKS, MODELLER, Attack, Scope
from shakedown.dryrun.plan import grain_of, is_of_labels, offers_of
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import MECHANISMS, Mechanism, mechanisms, of_setting
from shakedown.metrics import METRICS, Metric, find
from shakedown.metrics.classes import TWO_CLASSES
from shakedown.theory.metric_bounds import bound_of
from shakedown.theory.proved import proved_transcripts

#: Public rows of a challenge of usual size.
ROWS = 200
#: A plus stays with its name.
NBSP = "\u00a0"
#: Leaderboards of the kinds of which something is proved, by their settings.
PROVED = {
    "digest(eta=0.1,floor=0.5,every=5,updates=10)": "digests",
    "general_ladder(eta=0.1)+baseline": "General Ladders",
    "metered(gain=0.05,files=50)": "metered boards",
}
#: Stands for any metric that the package does not know.
OTHER = "sklearn.metrics.median_absolute_error"


def offered(metric: Metric, values: int = 0) -> dict[str, type[Attack]]:
    """The experiments of adversaries that a dry run plays under a metric, and their attacks.

    `values` is how many different ones the response has; 0 if nobody counted them.
    """
    scope = Scope(
        features=20,
        most=2000,
        carried=10,
        train_rows=ROWS,
        grain=grain_of(metric),
        metric=metric.name,
        wanted=500,
        public_rows=ROWS,
        values=values,
    )
    return {
        experiment: ATTACKS.find(name)
        for name, offer in offers_of(scope).items()
        for experiment in offer
        if ATTACKS.find(name).threat_of(experiment) not in (None, MODELLER)
    }


def plays(attack: type[Attack], metric: Metric, mechanism: Mechanism, n: int = ROWS) -> bool:
    """Whether an attack can play on a leaderboard with n public rows, and learns from it."""
    if attack.on_labels != is_of_labels(metric) or mechanism.shows != attack.reads:
        return False
    if not attack.reads_metric(metric):
        return False
    terms = mechanism.terms(metric, n)
    return not attack.cannot_play(terms) and attack.learns_from(terms)


def reach(metric: Metric, mechanism: Mechanism) -> dict[str, list[str]]:
    """The attacks of a dry run that learn from a leaderboard, by kind of adversary."""
    found: dict[str, list[str]] = {}
    for experiment, attack in offered(metric).items():
        if plays(attack, metric, mechanism):
            names = found.setdefault(str(attack.threat_of(experiment)), [])
            names += [attack.label] if attack.label not in names else []
    return found


def boards() -> list[Mechanism]:
    """One leaderboard of each kind that shows scores of its public rows."""
    entries = [{"name": name, **kind.examples[0]} for name, kind in MECHANISMS.classes.items()]
    return [m for m in mechanisms(entries) if m.shows_scores and not m.is_control]


def cell(metric: Metric, mechanism: Mechanism) -> str:
    """The attacks of a dry run on a leaderboard; "–" if it does not take the metric."""
    if not takes(mechanism, metric):
        return "–"
    found = reach(metric, mechanism)
    holders = found.get("holder", [])
    return ", ".join(
        f"{name}{f'{NBSP}+' if name in holders else ''}"
        for name in dict.fromkeys([*found.get("null_adversary", []), *holders])
    )


def takes(board: Mechanism, metric: Metric) -> bool:
    """Whether a leaderboard can run under a metric."""
    try:
        board.check(metric)
    except InputError:
        return False
    return True


def metrics_table() -> str:
    """What is attacked and proved for each metric, in Markdown.

    Attacks that play under any metric are left out where others are made for it.
    """
    head = ["metric", "response", "a file has", "attacks with arbitrary numbers", "proved"]
    general = {attack.label for attack in offered(find(OTHER)).values()}
    rows = []
    for name in METRICS.classes:
        metric = find(name)
        values = 2 if metric.response == TWO_CLASSES else 0
        labels = dict.fromkeys(attack.label for attack in offered(metric, values).values())
        own = [label for label in labels if label not in general]
        rows.append([
            metric.label, metric.response, metric.predicts or metric.response,
            ", ".join(own or labels), _proved(metric),
        ])  # fmt: skip
    return _markdown(head, rows)


def _proved(metric: Metric) -> str:
    """The kinds of leaderboards of which something is proved."""
    found = []
    for board, words in PROVED.items():
        told = proved_transcripts(board, ROWS, 50, metric=metric)
        if takes(of_setting(board), metric) and bound_of(told, metric) is not None:
            found.append(words)
    return ", ".join(found) or "–"


def table() -> str:
    """All of them in Markdown: a row for each kind of leaderboard; metrics alike share a column."""
    columns: dict[tuple[str, ...], list[str]] = {}
    for name in [*METRICS.classes, OTHER]:
        metric = find(name)
        title = "any other function" if name == OTHER else metric.short
        columns.setdefault(tuple(cell(metric, board) for board in boards()), []).append(title)
    head = ["leaderboard", *(", ".join(titles) for titles in columns.values())]
    rows = [
        [board.label, *(entries[k] or "*not attacked*" for entries in columns)]
        for k, board in enumerate(boards())
    ]
    return _markdown(head, rows)


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
