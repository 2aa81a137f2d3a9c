def get_pictures():
    """The figures of a dry run, each also laid out for a phone."""
    kinds = ("safe_limits", "frontier_split", "protection", "acceptance")
    return [f"{kind}{layout}" for kind in kinds for layout in ("", "_narrow")]


def get_challenge():
    """The data set of a dry run."""
    return config["dryrun"]["dataset"] or next(iter(config["datasets"]))


def get_lanes():
    return range(config["dryrun"]["lanes"])


def get_lane_seconds():
    """Seconds that one lane may play; a resource, as another machine plays nothing again."""
    lanes = config["dryrun"]["lanes"]
    beside = min(lanes, workflow.cores or 1)
    return ceil(60 * config["dryrun"]["minutes"] * beside / lanes)
