def traced():
    """The experiments whose every submission a figure shows."""
    shown = [
        f["experiment"] for f in config["figures"].values() if f["kind"] == "traces"
    ]
    names = [name for e in shown for name in ([e] if isinstance(e, str) else e)]
    return list(dict.fromkeys(names))


def get_ledger():
    """The files that claims stand in; the rule needs some even where none are asked for."""
    files = config["claims"] or "Snakefile"
    return [ROOT / file for file in ([files] if isinstance(files, str) else files)]


def get_claim_tables():
    """All tables that claims are held against, by their kind."""
    return {
        "outcomes": collect(
            "<results>/outcomes/{experiment}.parquet", experiment=config["experiments"]
        ),
        "traces": collect("<results>/traces/{experiment}.parquet", experiment=traced()),
        "spreads": collect(
            "<results>/spreads/{spread}.parquet", spread=config["spreads"]
        ),
    }
