def get_pictures():
    """The figures of a dry run."""
    return ["safe_limits", "threat_map", "frontier_split", "protection", "acceptance"]


def get_challenge():
    """The data set of a dry run."""
    return config["dryrun"]["dataset"] or next(iter(config["datasets"]))


def get_jobs():
    return range(config["dryrun"]["jobs"])


def get_job_seconds():
    """Seconds that one job may play; a resource, as another machine plays nothing again."""
    jobs = config["dryrun"]["jobs"]
    beside = min(jobs, workflow.cores or 1)
    return ceil(60 * config["dryrun"]["minutes"] * beside / jobs)


def get_results():
    """All files of a dry run."""
    return [
        *collect(
            "<results>/jobs/{job}.{kind}", job=get_jobs(), kind=("parquet", "json")
        ),
        f"<results>/datasets/{get_challenge()}.npz",
        *rules.estimate_limits.output,
        *rules.measure_usefulness.output,
        *rules.recommend.output,
        *get_figure_files(get_pictures()),
        *rules.build_page.output,
    ]
