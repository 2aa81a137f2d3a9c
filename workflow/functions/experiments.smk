def get_game(wildcards):
    """What of an experiment's settings decides how a replicate goes."""
    experiment = config["experiments"][wildcards.experiment]
    deciding = ("metric", "features", "feature_subset", "attack", "model", "mechanisms")
    return {key: experiment[key] for key in deciding}


def get_chunk_size(experiment):
    return experiment["replicates_per_job"] or config["replicates_per_job"]


def get_replicates(wildcards):
    """First replicate of a chunk, and the first one after it."""
    experiment = config["experiments"][wildcards.experiment]
    size = get_chunk_size(experiment)
    first = int(getattr(wildcards, "chunk", 0)) * size
    return [first, min(first + size, experiment["replicates"])]


def get_chunks(wildcards_or_name):
    """All chunks of an experiment."""
    name = getattr(wildcards_or_name, "experiment", wildcards_or_name)
    experiment = config["experiments"][name]
    return collect(
        "<results>/chunks/{experiment}/{dataset}/{design}/{chunk}.parquet",
        experiment=name,
        dataset=experiment["datasets"],
        design=experiment["designs"],
        chunk=range(ceil(experiment["replicates"] / get_chunk_size(experiment))),
    )


def get_experiments(*, joined):
    """A pattern for the experiments that are joined from several chunks, or for all others."""
    names = [
        name for name in config["experiments"] if (len(get_chunks(name)) > 1) == joined
    ]
    return "|".join(names) or "no experiments"


def get_design(wildcards):
    """The design of a chunk; one that is not joined has a single one."""
    designs = config["experiments"][wildcards.experiment]["designs"]
    return getattr(wildcards, "design", designs[0])


def get_datasets(wildcards):
    """All data sets of an experiment."""
    datasets = config["experiments"][wildcards.experiment]["datasets"]
    return collect("<results>/datasets/{dataset}.npz", dataset=datasets)


def get_only_dataset(wildcards):
    """The data set of an experiment that has a single one."""
    (dataset,) = get_datasets(wildcards)
    return dataset


def get_traced(wildcards):
    """How many replicates of an experiment are traced."""
    experiment = config["experiments"][wildcards.experiment]
    return min(experiment["traced"], experiment["replicates"])


def get_released_data(wildcards):
    """The data set whose predictions are released again and again."""
    return f"<results>/datasets/{config['release_variability'][wildcards.released]['dataset']}.npz"


def get_released_recipe(wildcards):
    """The recipe of that data set, which makes another one for each further draw."""
    return config["datasets"][
        config["release_variability"][wildcards.released]["dataset"]
    ]


def get_wanted():
    """What of each experiment's settings its outcomes are held against."""
    keys = ("datasets", "designs", "metric", "replicates")
    return {
        name: {key: experiment[key] for key in keys}
        for name, experiment in config["experiments"].items()
    }
