from shakedown.figures.kind import KINDS


def get_table(figure):
    """Which table a figure reads, by its folder."""
    return KINDS.find(config["figures"][figure]["kind"]).table


def get_shown(figure):
    """The experiments that a figure shows."""
    shown = config["figures"][figure]["experiment"]
    return [shown] if isinstance(shown, str) else shown


def get_figure_tables(figure):
    """The tables that a figure shows."""
    return collect(
        "<results>/{table}/{shown}.parquet",
        table=get_table(figure),
        shown=get_shown(figure),
    )


def get_sheets():
    """The figures that one job draws, as they show the same tables; by what they show."""
    sheets = {}
    for figure in config["figures"]:
        table = get_table(figure)
        of = f"_{table}" if table != "outcomes" else ""
        sheets.setdefault("_and_".join(get_shown(figure)) + of, []).append(figure)
    return sheets


def get_figure_settings(figure):
    """What of a figure's entry decides how it looks."""
    entry = {k: v for k, v in config["figures"][figure].items() if k != "title"}
    if "rows" in entry:
        entry["rows"] = get_public_rows() | (entry["rows"] or {})
    return entry
