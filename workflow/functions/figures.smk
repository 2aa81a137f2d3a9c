def get_figure_tables(figure):
    """The tables that a figure shows."""
    entry = config["figures"][figure]
    folders = {"traces": "traces", "spread": "spreads", "bounds": "bounds"}
    folder = folders.get(entry["kind"], "outcomes")
    return collect(
        "<results>/{folder}/{shown}.parquet", folder=folder, shown=entry["experiment"]
    )


def get_sheets():
    """The figures that one job draws, as they show the same tables; by what they show."""
    sheets = {}
    for figure, entry in config["figures"].items():
        shown = entry["experiment"]
        shown = [shown] if isinstance(shown, str) else shown
        kind = f"_{entry['kind']}" if entry["kind"] in ("traces", "bounds") else ""
        sheets.setdefault("_and_".join(shown) + kind, []).append(figure)
    return sheets


def get_figure_settings(figure):
    """What of a figure's entry decides how it looks."""
    entry = {k: v for k, v in config["figures"][figure].items() if k != "title"}
    if "rows" in entry:
        entry["rows"] = get_public_rows() | (entry["rows"] or {})
    return entry
