import hashlib

from shakedown.figures.kind import FIGURE_KINDS


def get_figure_tables(figures):
    """The tables that figures show."""
    shown = [
        f"<results>/{get_table(figure)}/{name}.parquet"
        for figure in figures
        for name in get_shown(figure)
    ]
    return list(dict.fromkeys(shown))


#: As many figures of the same tables have a job of their own.
MANY = 4

#: Kinds of tables whose other figures are drawn in one job with those of another kind: what must be
#: played with what must be played, and the rest with the rest.
DRAWN_WITH = {"bounds": "outcomes", "release_variability": "traces"}


def shortened(name):
    """A name of a file, which may have 255 bytes: at most 100, of which the last stand for the rest."""
    if len(name) <= 100:
        return name
    return f"{name[:90]}_{hashlib.sha256(name.encode()).hexdigest()[:9]}"


def get_sheets():
    """The figures that one job draws: many of the same tables, or all others of like tables."""
    sheets = {}
    for figure in config["figures"]:
        of = shortened(f"{get_table(figure)}_of_{'_and_'.join(get_shown(figure))}")
        sheets.setdefault(of, []).append(figure)
    drawn = {of: figures for of, figures in sheets.items() if len(figures) >= MANY}
    for of, figures in sheets.items():
        if of not in drawn:
            table = get_table(figures[0])
            drawn.setdefault(DRAWN_WITH.get(table, table), []).extend(figures)
    return drawn


def get_figure_settings(figure):
    """What of a figure's entry decides how it looks."""
    entry = {k: v for k, v in config["figures"][figure].items() if k != "title"}
    return FIGURE_KINDS.find(entry["kind"]).with_public_rows(entry, get_public_rows())


def get_threat_maps():
    """The map of participants and leaderboards that the report shows, if any."""
    of = config["figures"]
    return [name for name in of if of[name]["kind"] == "threat_map"][:1]
