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
    first = int(wildcards.get("chunk", 0)) * size
    return [first, min(first + size, experiment["replicates"])]


def get_chunks(wildcards):
    """All chunks of an experiment."""
    experiment = config["experiments"][wildcards.experiment]
    return collect(
        "<results>/chunks/{experiment}/{dataset}/{design}/{chunk}.parquet",
        experiment=wildcards.experiment,
        dataset=experiment["datasets"],
        design=experiment["designs"],
        chunk=range(ceil(experiment["replicates"] / get_chunk_size(experiment))),
    )


def is_small(experiment):
    """Whether one job plays all of an experiment."""
    parts = len(experiment["datasets"]) * len(experiment["designs"])
    return parts * experiment["replicates"] <= get_chunk_size(experiment)


def get_experiments(*, small):
    """A pattern for the experiments that one job plays as a whole, or for all others."""
    names = [
        name
        for name, experiment in config["experiments"].items()
        if small == is_small(experiment)
    ]
    return "|".join(names) or "no experiments"


def get_datasets(wildcards):
    """The data set of a chunk, or all of an experiment."""
    datasets = config["experiments"][wildcards.experiment]["datasets"]
    datasets = [wildcards.dataset] if "dataset" in wildcards.keys() else datasets
    return collect("<results>/datasets/{dataset}.npz", dataset=datasets)


def get_designs(wildcards):
    """The design of a chunk, or all of an experiment."""
    designs = config["experiments"][wildcards.experiment]["designs"]
    return [wildcards.design] if "design" in wildcards.keys() else designs


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
