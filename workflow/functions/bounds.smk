def get_bounded():
    """The experiments whose outcomes stand beside what theory guarantees."""
    return config["bounds"]["experiments"] if config["bounds"] else []


def get_public_rows():
    """Number of public rows of each data set whose recipe says it."""
    rows = {k: made(k, of).public_rows for k, of in config["datasets"].items()}
    return {name: n for name, n in rows.items() if n is not None}
