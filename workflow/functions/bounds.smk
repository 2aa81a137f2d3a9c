def get_bounded():
    """The experiments whose outcomes stand beside what theory guarantees."""
    return config["bounds"]["experiments"] if config["bounds"] else []


def get_public_rows():
    """Number of public rows of each data set of labels."""
    labels = {k: v for k, v in config["datasets"].items() if v["recipe"] == "labels"}
    return {name: of["public"] for name, of in labels.items()}
