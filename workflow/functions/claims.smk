from shakedown.claims import files_of


def get_claim_files():
    """The files of the modules with claims; the rule needs some even where none are asked for."""
    return [
        file for module in config["claims"] for file in files_of(module)
    ] or ROOT / "Snakefile"


def get_claim_code():
    """Stands for what the check imports, and what the modules with claims do."""
    files = [file for module in config["claims"] for file in files_of(module)]
    return [library_digest("check_claims"), *(code_digest(file, SRC) for file in files)]


def get_claim_tables():
    """All tables that claims are held against, by their kind."""
    return {
        "outcomes": collect(
            "<results>/outcomes/{experiment}.parquet", experiment=config["experiments"]
        ),
        "traces": collect(
            "<results>/traces/{experiment}.parquet", experiment=get_traced()
        ),
        "release_variability": collect(
            "<results>/release_variability/{released}.parquet",
            released=config["release_variability"],
        ),
    }
